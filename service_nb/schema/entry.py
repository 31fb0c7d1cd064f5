"""The shapes of ledger entries: a signed statement for each outcome, whose exact bytes are the entry.

The statement is an in-toto Statement v1 in canonical JSON::

    {"_type": "https://in-toto.io/Statement/v1",
     "predicateType": "urn:service-nb:query:v1",
     "subject": [{"name": "plan", "digest": {"sha256": "…"}}, {"name": "result", "digest": {"sha256": "…"}}],
     "predicate": {...}}

A subject is a hashed text of the card (a key of its `canonical`) with the plain SHA-256 of its UTF-8 bytes, in the
order of their names. The leaf of the ledger's Merkle tree is the SHA-256 over 0x00 and the statement's bytes; a receipt
signs the same bytes. Nothing is ever put into canonical form again in order to be verified.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypedDict

from msgspec import Meta

from service_nb.schema.card import CARD_KINDS, CardKind
from service_nb.schema.primitives import (
    CARRIED,
    Base64,
    Hash,
    LedgerId,
    Members,
    Moment,
    Name,
    PublicKey,
    SignatureBytes,
    Whole,
)
from service_nb.schema.source import Reading

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
PREDICATE_TYPES: Mapping[CardKind, str] = {
    kind: f"urn:service-nb:{shape.statement}:v1" for kind, shape in CARD_KINDS.items()
}
INDEX_PREDICATE_TYPE = "urn:service-nb:index:v1"
ENTRY_VERSION: Final = 1
RECEIPT_VERSION: Final = 1
LEDGER_VERSION: Final = 1
STATEMENT_BYTES = 256 * 1024  # of one entry
DOCUMENT_BYTES = 32 * 1024**2  # of a notebook or of a ledger document
NUMBER_CHARS = 400  # of one number in a document
RECEIPT_BYTES = 16 * 1024  # of one receipt in a card; a larger statement stays in the ledger alone
READING_CHARS = (
    6_000  # of a reading in canonical JSON; a longer one is not recorded, so that a receipt fits into a card
)
MOST_PLACE_CHARS = 200  # of the name of a notebook, or the id of a cell


class Origin(TypedDict, total=False):
    """The place that a source was read from, without any folder of the machine."""

    file: str  # relative to the project's folder if it lies below it, else its name alone
    provider: str  # sqlite
    table: str
    query: str


class Input(TypedDict):
    """A source that took part."""

    name: Name
    source_id: str
    schema_revision: Hash
    row_count: Whole
    content: Annotated[dict[str, Any], CARRIED]  # algorithm, sha256, bytes or rows
    # Where it was read; None: it was in memory, or the policy hides part of it.
    origin: Annotated[Origin | None, CARRIED]
    reading: Annotated[Reading | None, CARRIED]  # how it was read; None: too long to be recorded


class Place(TypedDict, total=False):
    """The notebook and cell that asked for an outcome, if known: file name, cell id, digest of the cell's source."""

    notebook: str
    cell: str
    source: str  # hex: the SHA-256 of the cell's source in UTF-8, as it was run and as a notebook file has it


class MadeBy(TypedDict):
    """The code that produced an outcome."""

    service_nb: str
    contract_hash: str | None


class Predicate(TypedDict):
    """The facts of an outcome in a statement, beside the digests of its texts."""

    version: Literal[1]
    id: str  # query_…, service_…, refusal_…, error_…, replay_… and 16 hex digits
    kind: CardKind
    time: Moment
    tenant: str | None
    digests: Annotated[dict[str, str], CARRIED]  # exactly those of the card
    inputs: Annotated[list[Input], CARRIED]
    bindings: Annotated[list[dict[str, Any]], CARRIED]  # of a computation, as `provenance.bindings`
    determinism: Annotated[dict[str, Any] | None, CARRIED]  # of a computation
    place: Annotated[Place | None, CARRIED]
    made_by: Annotated[MadeBy, CARRIED]


class SubjectDigest(TypedDict):
    """The plain SHA-256 of the UTF-8 of a hashed text."""

    sha256: Hash


class Subject(TypedDict):
    """A hashed text, by the name that the card has for it."""

    name: str
    digest: SubjectDigest


class Statement(TypedDict):
    """An in-toto Statement v1: of an outcome with a `Predicate`, of a sealed notebook with an `IndexPredicate`."""

    _type: Literal["https://in-toto.io/Statement/v1"]
    predicateType: str
    subject: list[Subject]
    predicate: Members


class IndexedCard(TypedDict):
    """A card of a sealed notebook; `digest` is the SHA-256 of the canonical JSON of its digests."""

    cell: str | None
    kind: str
    id: str | None
    digest: Hash


class IndexPredicate(TypedDict):
    """The predicate of a sealed notebook: its cards, in their order."""

    version: Literal[1]
    time: Moment
    cards: list[IndexedCard]


class EnvelopeSignature(TypedDict):
    """A signature, and the id of its key: the first 16 hex digits of the SHA-256 of the key in DER."""

    keyid: str
    sig: SignatureBytes


class Envelope(TypedDict):
    """A DSSE envelope: `payload` and `sig` are standard base64. `signatures` is empty where there was no key."""

    payloadType: Literal["application/vnd.in-toto+json"]
    payload: Base64
    signatures: Annotated[list[EnvelopeSignature], Meta(max_length=1)]


class LogProof(TypedDict):
    """A proof that a ledger has an entry: its index, and the path from its leaf to the checkpoint's signed root."""

    index: Whole
    size: Whole
    proof: list[Hash]  # the lowest sibling first
    checkpoint: str  # C2SP tlog-checkpoint, a signed note


class Receipt(TypedDict):
    """The evidence that one card carries, which can be verified without the ledger."""

    version: Literal[1]
    envelope: Envelope
    public_key: PublicKey
    log: LogProof


class NotebookSeal(TypedDict):
    """The seal of a notebook, stored in its metadata under `service_nb`."""

    version: Literal[1]
    envelope: Envelope
    public_key: PublicKey


class LedgerDocument(TypedDict):
    """A whole ledger in one document. Without a device key its entries and its checkpoint are not signed."""

    service_nb_ledger: Literal[1]
    ledger: LedgerId
    entries: Annotated[list[Envelope], CARRIED]  # a broken one fails a check of its own
    public_key: PublicKey | None
    checkpoint: str
    texts: dict[str, str]  # the hashed texts by their SHA-256, as far as they are kept
