"""What is stored of an outcome, and what is signed: one statement, whose exact bytes are the entry of the ledger.

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
from typing import Any, TypedDict

from service_nb.schema.card import CardKind
from service_nb.schema.source import Reading

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
PREDICATE_TYPES: Mapping[CardKind, str] = {
    "query": "urn:service-nb:query:v1",
    "computation": "urn:service-nb:computation:v1",
    "clarification": "urn:service-nb:refusal:v1",
    "rejection": "urn:service-nb:refusal:v1",
    "error": "urn:service-nb:error:v1",
    "replay": "urn:service-nb:replay:v1",
}
ENTRY_VERSION = 1
RECEIPT_VERSION = 1
STATEMENT_BYTES = 256 * 1024  # of one entry
RECEIPT_BYTES = 16 * 1024  # of one receipt in a card; a larger statement stays in the ledger alone
READING_CHARS = (
    6_000  # of a reading in canonical JSON; a longer one is not recorded, so that a receipt fits into a card
)
MOST_PLACE_CHARS = 200  # of the name of a notebook, or the id of a cell


class Origin(TypedDict, total=False):
    """Where a source was read from, as far as may be told: never a folder of the machine."""

    file: str  # relative to the project's folder if it lies below it, else its name alone
    provider: str  # sqlite
    table: str
    query: str


class Input(TypedDict):
    """A source that took part."""

    name: str
    source_id: str
    schema_revision: str
    row_count: int
    content: dict[str, Any]  # algorithm, sha256, bytes or rows
    origin: Origin | None  # where it was read; None: it was in memory, or the policy hides part of it
    reading: Reading | None  # how it was read; None: too long to be recorded


class Place(TypedDict, total=False):
    """Where an outcome was asked for, if known: the notebook's file name, the cell's id, and what the cell said."""

    notebook: str
    cell: str
    source: str  # hex: the SHA-256 of the cell's source in UTF-8, as it was run and as a notebook file has it


class MadeBy(TypedDict):
    """The code that produced an outcome."""

    service_nb: str
    contract_hash: str | None


class Predicate(TypedDict):
    """What a statement says of an outcome beside the digests of its texts."""

    version: int  # ENTRY_VERSION
    id: str  # query_…, service_…, refusal_…, error_…, replay_… and 16 hex digits
    kind: CardKind
    time: str  # 2026-11-21T13:22:52.123456Z
    tenant: str | None
    digests: dict[str, str]  # exactly those of the card
    inputs: list[Input]
    bindings: list[dict[str, Any]]  # of a computation, as `provenance.bindings`
    determinism: dict[str, Any] | None  # of a computation
    place: Place | None
    made_by: MadeBy


class Envelope(TypedDict):
    """A DSSE envelope: `payload` and `sig` are standard base64. `signatures` is empty where there was no key."""

    payloadType: str
    payload: str
    signatures: list[dict[str, str]]  # {"keyid": …, "sig": …}, one


class LogProof(TypedDict):
    """That an entry is in a ledger: its index, and the way from its leaf to the root that the checkpoint signs."""

    index: int
    size: int
    proof: list[str]  # hex, the lowest sibling first
    checkpoint: str  # C2SP tlog-checkpoint, a signed note


class Receipt(TypedDict):
    """The evidence that one card carries: checkable alone. `public_key` is the base64 of 32 bytes (Ed25519).

    `keyid` of the envelope is the first 16 hex digits of the SHA-256 of the key in DER (SubjectPublicKeyInfo).
    """

    version: int  # RECEIPT_VERSION
    envelope: Envelope
    public_key: str
    log: LogProof
