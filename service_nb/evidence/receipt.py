"""Receipts: a statement in a DSSE envelope, signed by the device key, with the proof that a ledger holds it.

What is signed is DSSE's pre-authentication encoding of the payload's type and the payload's bytes as they stand. The
algorithm is Ed25519 because the key is an Ed25519 key: nothing in an envelope can ask for another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from service_nb.core.canonical import MAX_SAFE_INTEGER
from service_nb.errors import EvidenceError
from service_nb.evidence.keys import KEY_BYTES, SIGNATURE_BYTES, decoded, encoded, key_id, signature_holds
from service_nb.schema.entry import PAYLOAD_TYPE, RECEIPT_VERSION, Envelope, EnvelopeSignature, LogProof, Receipt

_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)
_RECEIPT = {"version", "envelope", "public_key", "log"}
_ENVELOPE = {"payloadType", "payload", "signatures"}
_SIGNATURE = {"keyid", "sig"}
_LOG = {"index", "size", "proof", "checkpoint"}


class Signer(Protocol):
    """A key that signs; `service_nb.client.device_key.Device` is one."""

    @property
    def id(self) -> str:
        """The key's id, 16 hex digits."""

    @property
    def public_key(self) -> str:
        """The base64 of the 32 bytes of the public key."""

    def sign(self, data: bytes) -> bytes:
        """Return the 64 bytes of the Ed25519 signature of `data`."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """An envelope as it was read: of the right form, its signature not checked. Both are None if it is not signed."""

    payload: bytes
    keyid: str | None
    signature: bytes | None

    def is_signed_by(self, public_key: bytes) -> bool:
        """Return whether this key signed the payload, under its own id."""
        if self.signature is None or self.keyid != key_id(public_key):
            return False
        return signature_holds(public_key, self.signature, pae(PAYLOAD_TYPE, self.payload))


@dataclass(frozen=True, slots=True)
class OpenedReceipt:
    """A receipt as it was read: of the right form, nothing of it checked."""

    sealed: Sealed
    public_key: bytes
    public_key_text: str
    index: int
    size: int
    proof: tuple[bytes, ...]
    checkpoint: str


def pae(payload_type: str, payload: bytes) -> bytes:
    """Return DSSE's pre-authentication encoding, the bytes that are signed."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def envelope(payload: bytes, signer: Signer | None) -> Envelope:
    """Return the envelope of a statement, signed if there is a key."""
    signatures: list[EnvelopeSignature] = []
    if signer is not None:
        signatures.append({"keyid": signer.id, "sig": encoded(signer.sign(pae(PAYLOAD_TYPE, payload)))})
    return {"payloadType": PAYLOAD_TYPE, "payload": encoded(payload), "signatures": signatures}


def receipt(env: Envelope, public_key: str, log: LogProof) -> Receipt:
    """Return the evidence that one card carries."""
    return {"version": RECEIPT_VERSION, "envelope": env, "public_key": public_key, "log": log}


def opened_receipt(value: Any) -> OpenedReceipt:
    """Read the receipt of a card; nothing but its form is checked.

    Raises
    ------
    EvidenceError [evidence_invalid]
        A key is missing or unknown, a value of another type or encoding, or it is not signed; reason
        `receipt_malformed`.
    """
    met = _fields(value, _RECEIPT, "the receipt")
    if natural(met["version"]) != RECEIPT_VERSION:
        _malformed("its version is unknown")
    sealed = opened_envelope(met["envelope"])
    if sealed.signature is None:
        _malformed("its envelope is not signed")
    public_key = bytes_of(met["public_key"], KEY_BYTES)
    if public_key is None:
        _malformed("its public_key is not the base64 of 32 bytes")
    log = _fields(met["log"], _LOG, "its log")
    index, size = natural(log["index"]), natural(log["size"])
    if index is None or size is None or not isinstance(log["checkpoint"], str):
        _malformed("index, size or checkpoint of its log is of another type")
    return OpenedReceipt(sealed, public_key, met["public_key"], index, size, _proof(log["proof"]), log["checkpoint"])


def opened_envelope(value: Any) -> Sealed:
    """Read an envelope with one signature or none; the signature is not checked.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It is of another form, or of another payload type; reason `receipt_malformed`.
    """
    met = _fields(value, _ENVELOPE, "the envelope")
    if met["payloadType"] != PAYLOAD_TYPE:
        _malformed(f"its payloadType is not {PAYLOAD_TYPE}")
    payload = bytes_of(met["payload"])
    if payload is None:
        _malformed("its payload is not base64")
    signatures = met["signatures"]
    if not isinstance(signatures, list) or len(signatures) > 1:
        _malformed("it has not one signature")
    if not signatures:
        return Sealed(payload, None, None)
    one = _fields(signatures[0], _SIGNATURE, "its signature")
    signature = bytes_of(one["sig"], SIGNATURE_BYTES)
    if signature is None or not isinstance(one["keyid"], str):
        _malformed("its signature is not a keyid and the base64 of 64 bytes")
    return Sealed(payload, one["keyid"], signature)


def bytes_of(value: Any, size: int | None = None) -> bytes | None:
    """Return the bytes that a JSON value stands for, if it is the base64 text of `size` bytes; else None."""
    return decoded(value, size) if isinstance(value, str) else None


def natural(value: Any) -> int | None:
    """Return a JSON number that is a whole number from 0 to 2**53 - 1; else None.

    1.0 is one, too: a reader in another language cannot tell it from 1.
    """
    if type(value) not in (int, float) or not 0 <= value <= MAX_SAFE_INTEGER or value != int(value):
        return None
    return int(value)


def _proof(value: Any) -> tuple[bytes, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and _HASH.fullmatch(item) for item in value):
        _malformed("the proof of its log is no list of hashes in hex")
    return tuple(map(bytes.fromhex, value))


def _fields(value: Any, names: set[str], what: str) -> dict[str, Any]:
    if not isinstance(value, dict) or value.keys() != names:
        _malformed(f"{what} is no object of exactly {', '.join(sorted(names))}")
    return value


def _malformed(what: str) -> NoReturn:
    raise EvidenceError(f"The receipt is malformed: {what}.", reason="receipt_malformed")
