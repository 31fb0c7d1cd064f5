"""Signed documents: statements about outcomes, envelopes and receipts, checkpoints of ledgers, seals of notebooks.

A statement is made once, in canonical JSON, and from then on is bytes: whoever verifies hashes and parses them as they
stand. What is signed of it is DSSE's pre-authentication encoding of its type and its bytes. The algorithm is Ed25519
because the key is an Ed25519 key: nothing in an envelope can ask for another. The forms are in `standalone.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.digest import compute_sha256_hex
from service_nb.errors import EvidenceError
from service_nb.evidence.standalone import (
    INDEX_TYPE,
    Checkpoint,
    Output,
    Sealed,
    compute_card_digest,
    compute_key_id,
    decode_base64,
    encode_base64,
    encode_pae,
    hash_key,
)
from service_nb.evidence.verify import open_envelope, open_outcome
from service_nb.schema.card import CardKind
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


class SigningKey(Protocol):
    """A key that signs; `service_nb.client.device_key.Device` is one."""

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
