"""Make, open and verify signed documents: statements about outcomes, receipts, checkpoints, seals, cards, notebooks.

`standalone.py` decides all that is verified: the form, the hashes, the checks and their order. Here it is given OpenSSL
for signatures, and its faults are errors of the package; nothing is judged.

A statement is made once, in canonical JSON, and from then on is bytes: whoever verifies hashes and parses them as they
stand. What is signed of it is DSSE's pre-authentication encoding of its type and its bytes. The algorithm is Ed25519
because the key is an Ed25519 key: nothing in an envelope can ask for another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, wraps
from typing import Any, ParamSpec, Protocol, TypeVar

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from service_nb.core.canonical import parse_strict, write_canonical_bytes
from service_nb.core.digest import ROWS_DOMAIN, VIEW_DOMAIN, compute_sha256_hex, digest
from service_nb.errors import CanonicalJsonError, EvidenceError, LimitExceededError
from service_nb.evidence import standalone
from service_nb.evidence.standalone import (
    CARD_MIME,
    INDEX_TYPE,
    Anchors,
    Checkpoint,
    Fault,
    Output,
    Sealed,
    Verdict,
    compute_card_digest,
    compute_key_id,
    decode_base64,
    encode_base64,
    encode_pae,
    hash_key,
)
from service_nb.schema.card import CARD_FILE_BYTES, CardKind
from service_nb.schema.entry import (
    PAYLOAD_TYPE,
    PREDICATE_TYPES,
    RECEIPT_VERSION,
    STATEMENT_TYPE,
    Envelope,
    EnvelopeSignature,
    LogProof,
    Predicate,
    Receipt,
)

P = ParamSpec("P")
T = TypeVar("T")


def check_document(content: bytes, *, keys: Collection[str] = (), contracts: Collection[str] = ()) -> list[Verdict]:
    """Verify the bytes of a notebook, a card or a ledger document.

    A document that cannot be read, or is none of these, has one verdict, of the `document`; a notebook without cards
    and without a seal has none.

    Parameters
    ----------
    content : bytes
        The document; nothing is assumed of it.
    keys : collection of str, optional
        The base64 of public keys that are trusted; a mapping has their owners' names.
    contracts : collection of str, optional
        The contract hashes that are known, `sha256:…`.
    """
    return standalone.check_document(content, Anchors(keys, contracts, is_signature))


def check_parsed(document: object, size: int, keys: Collection[str], contracts: Collection[str]) -> list[Verdict]:
    """Verify a document that was read from so many bytes, as `check_document`; other forms of outputs are left out."""
    return standalone.check_parsed(document, size, Anchors(keys, contracts, is_signature))


def check_card(
    card: object, *, keys: Collection[str] = (), contracts: Collection[str] = (), subject: str = "card"
) -> Verdict:
    """Verify a parsed card; nothing is assumed of it."""
    return Verdict(subject, tuple(standalone.check_card(card, Anchors(keys, contracts, is_signature))))


def is_signature(key: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether a key signed a message, by the strict rules of `standalone.verify_ed25519`."""
    return standalone.verify_ed25519(key, message, signature, _is_accepted_by_openssl)


def is_signed_by(sealed: Sealed, key: bytes) -> bool:
    """Tell whether a key signed an envelope, under its own id."""
    return standalone.is_signed_by(sealed, key, is_signature)


def _is_accepted_by_openssl(key: bytes, message: bytes, signature: bytes) -> bool:
    opened = _load_key(key)
    if opened is None:
        return False
    try:
        opened.verify(signature, message)
    except InvalidSignature:
        return False
    return True


@lru_cache(maxsize=64)
def _load_key(key: bytes) -> Ed25519PublicKey | None:
    try:
        return Ed25519PublicKey.from_public_bytes(key)
    except ValueError:
        return None


def _raise_faults(read: Callable[P, T]) -> Callable[P, T]:
    """Let a function of `standalone.py` raise `EvidenceError`, whose reason is the cause."""

    @wraps(read)
    def read_or_raise(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return read(*args, **kwargs)
        except Fault as fault:
            raise EvidenceError(fault.message, reason=fault.cause) from None

    return read_or_raise


# Each raises EvidenceError [evidence_invalid] where what it reads has another form.
read_json = _raise_faults(standalone.parse_json)
require_card = _raise_faults(standalone.require_card)
open_envelope = _raise_faults(standalone.open_envelope)
open_receipt = _raise_faults(standalone.open_receipt)
open_outcome = _raise_faults(standalone.open_outcome)
open_checkpoint = _raise_faults(standalone.open_checkpoint)
find_outputs = _raise_faults(standalone.find_outputs)


@_raise_faults
def verify_checkpoint(text: str, key: bytes) -> standalone.Checkpoint:
    """Read a checkpoint that a key has signed; reason of a refusal: `checkpoint_invalid`."""
    return standalone.verify_checkpoint(text, key, is_signature)


def find_cards(notebook: Mapping[str, object]) -> list[Output]:
    """Return the outputs of a parsed notebook that show a card, in the order of its cells, then of its widgets."""
    return [output for output in find_outputs(notebook) if output.is_shown and CARD_MIME in output.data]


def is_card_of(card: bytes, predicate: Mapping[str, object], subjects: Mapping[str, str]) -> bool:
    """Tell whether a card belongs to a statement: by its digests, its texts, and all that it shows."""
    try:
        # A text that comes out of the writer as it went in is canonical, so it has no key twice and reads one way.
        met = orjson.loads(card)
        if orjson.dumps(met, option=orjson.OPT_SORT_KEYS) != card:
            met = parse_strict(card, max_bytes=CARD_FILE_BYTES)
        return _is_matching_card(met, predicate, subjects)
    except (orjson.JSONDecodeError, TypeError, CanonicalJsonError, LimitExceededError):
        return False


def _is_matching_card(card: Any, predicate: Mapping[str, Any], subjects: Mapping[str, str]) -> bool:
    if not isinstance(card, dict) or card.get("kind") != predicate["kind"]:
        return False
    digests, texts, view = card.get("digests"), card.get("canonical"), card.get("view")
    if digests != predicate["digests"] or not isinstance(texts, dict) or not isinstance(view, dict):
        return False
    if not all(
        isinstance(text, str) and subjects.get(name) == compute_sha256_hex(text.encode())
        for name, text in texts.items()
    ):
        return False
    shown = {key: value for key, value in view.items() if key != "rows"}
    if not _has_hash(shown, VIEW_DOMAIN, digests.get("view_hash")):
        return False
    rows = view.get("rows")  # an empty list where they were left out
    return rows in (None, []) or _has_hash(rows, ROWS_DOMAIN, digests.get("rows_hash"))


def _has_hash(value: object, domain: str, expected: object) -> bool:
    # Whatever text has the hash is the one that was hashed: the fast writer's, if it gives the same as ours.
    fast = digest(domain, orjson.dumps(value, option=orjson.OPT_SORT_KEYS))
    return bool(fast == expected) or bool(digest(domain, write_canonical_bytes(value)) == expected)


# --- making -----------------------------------------------------------------------------------------------------------


class SigningKey(Protocol):
    """A key that signs; `service_nb.client.user_keys.Device` is one."""

    @property
    def id(self) -> str:
        """The key's id, 16 hex digits."""

    @property
    def public_key(self) -> str:
        """The base64 of the 32 bytes of the public key."""

    def sign(self, data: bytes) -> bytes:
        """Return the 64 bytes of the Ed25519 signature of `data`."""


def build_statement(kind: CardKind, subjects: Mapping[str, str], predicate: Predicate) -> bytes:
    """Return the bytes of the statement of an outcome; `subjects` are the SHA-256 of its hashed texts by name."""
    return _build_statement(PREDICATE_TYPES[kind], subjects, predicate)


def _build_statement(predicate_type: str, subjects: Mapping[str, str], predicate: Mapping[str, object]) -> bytes:
    return write_canonical_bytes(
        {
            "_type": STATEMENT_TYPE,
            "predicateType": predicate_type,
            "subject": [{"name": name, "digest": {"sha256": subjects[name]}} for name in sorted(subjects)],
            "predicate": predicate,
        }
    )


def seal(payload: bytes, signer: SigningKey | None) -> Sealed:
    """Sign a statement, if there is a key."""
    if signer is None:
        return Sealed(payload, None, None)
    return Sealed(payload, signer.id, signer.sign(encode_pae(PAYLOAD_TYPE, payload)))


def build_envelope(sealed: Sealed) -> Envelope:
    """Return the envelope of a statement as JSON has it."""
    signatures: list[EnvelopeSignature] = []
    if sealed.keyid is not None and sealed.signature is not None:
        signatures.append({"keyid": sealed.keyid, "sig": encode_base64(sealed.signature)})
    return {"payloadType": PAYLOAD_TYPE, "payload": encode_base64(sealed.payload), "signatures": signatures}


def assemble_receipt(sealed: Sealed, public_key: str, log: LogProof) -> Receipt:
    """Return the evidence that one card carries."""
    return {"version": RECEIPT_VERSION, "envelope": build_envelope(sealed), "public_key": public_key, "log": log}


def sign_checkpoint(checkpoint: Checkpoint, signer: SigningKey | None) -> str:
    """Return the note of a checkpoint, signed if there is a key."""
    text = checkpoint.text
    if signer is None:
        return text + "\n"
    key = decode_base64(signer.public_key) or b""
    name = f"service-nb/device/{compute_key_id(key)}"
    return f"{text}\n— {name} {encode_base64(hash_key(name, key) + signer.sign(text.encode()))}\n"


def build_seal(cards: Sequence[Output], *, time: str, signer: SigningKey) -> dict[str, object]:
    """Return the signed list of a notebook's cards, for its `metadata.service_nb`."""
    listed = [_list_card(output) for output in cards]
    subjects = {"cards": compute_sha256_hex(write_canonical_bytes(listed))}
    payload = _build_statement(INDEX_TYPE, subjects, {"version": 1, "time": time, "cards": listed})
    return {"version": 1, "envelope": build_envelope(seal(payload, signer)), "public_key": signer.public_key}


def _list_card(output: Output) -> dict[str, object]:
    digest = compute_card_digest(output.card)
    if digest is None or not isinstance(output.card.get("kind"), str):
        raise EvidenceError(f"{output.subject}: it is no card.", reason="malformed_card")
    return {"cell": output.cell_id, "kind": output.card["kind"], "id": _find_id(output.card), "digest": digest}


def _find_id(card: Mapping[str, Any]) -> str | None:
    """Return the id of the entry that the card's receipt is of; None where that cannot be read."""
    try:
        identity: str = open_outcome(open_envelope(card["receipt"]["envelope"]).payload)["predicate"]["id"]
    except (EvidenceError, LookupError, TypeError):
        return None
    return identity
