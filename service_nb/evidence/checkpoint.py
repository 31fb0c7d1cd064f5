"""Checkpoints: what a ledger is at one moment, its size and root, as a note that the device key signs.

The text is C2SP's tlog-checkpoint, a signed note with one signature::

    service-nb/3f0c…        the origin, which names the ledger by 32 hex digits
    1024                    entries, decimal, at most 2**53 - 1
    CsUYapGG…=              the root, base64 of 32 bytes
                            an empty line; what stands above it is signed, each line with its newline
    — service-nb/device/0123456789abcdef Az3grl…=

The last line names the key and gives the base64 of 4 bytes, the hash of the key's name, a newline, 0x01 and the key,
and of the 64 bytes of the signature. A ledger without a device key ends after the empty line. Exactly this form is
accepted: one text for each checkpoint, no further signatures, no extension lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from service_nb.core.canonical import MAX_SAFE_INTEGER
from service_nb.core.digest import sha256
from service_nb.core.merkle import HASH_BYTES
from service_nb.errors import EvidenceError
from service_nb.evidence.keys import SIGNATURE_BYTES, decoded, encoded, key_id, signature_holds
from service_nb.evidence.receipt import Signer

MAX_CHARS = 1_024  # ours have 250

ORIGIN_PREFIX = "service-nb/"  # before the ledger's id
_ORIGIN = re.compile(rf"{ORIGIN_PREFIX}[0-9a-f]{{32}}", re.ASCII)
_SIZE = re.compile(r"0|[1-9][0-9]{0,15}", re.ASCII)
_KEY_NAME = re.compile(r"service-nb/device/[0-9a-f]{16}", re.ASCII)
_KEY_NAME_PREFIX = "service-nb/device/"
_ED25519 = b"\x01"
_HASH_BYTES = 4


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A ledger at one moment."""

    origin: str  # service-nb/<ledger id>
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The three lines that are signed."""
        return f"{self.origin}\n{self.size}\n{encoded(self.root)}\n"


@dataclass(frozen=True, slots=True)
class Opened:
    """A checkpoint as it was read, and its signature, of which nothing has been checked; None where it has none."""

    checkpoint: Checkpoint
    key_name: str | None
    key_hash: bytes | None
    signature: bytes | None


def signed(checkpoint: Checkpoint, signer: Signer | None) -> str:
    """Return the note of a checkpoint, signed if there is a key."""
    text = checkpoint.text
    if signer is None:
        return text + "\n"
    public_key = decoded(signer.public_key) or b""
    name = key_name(public_key)
    return f"{text}\n— {name} {encoded(key_hash(name, public_key) + signer.sign(text.encode()))}\n"


def opened(text: str) -> Opened:
    """Read a checkpoint; its signature is not checked.

    Raises
    ------
    EvidenceError [evidence_invalid]
        The text has not exactly the form of a checkpoint; reason `checkpoint_malformed`.
    """
    if len(text) > MAX_CHARS:
        _malformed(f"it has {len(text)} characters, more than {MAX_CHARS}")
    lines = text.split("\n")
    if len(lines) not in (5, 6) or lines[3] or lines[-1]:
        _malformed("expected origin, size, root, an empty line, and one line for the signature or none")
    checkpoint = _checkpoint(*lines[:3])
    if len(lines) == 5:
        return Opened(checkpoint, None, None, None)
    return Opened(checkpoint, *_signature(lines[4]))


def verify_checkpoint(text: str, public_key: bytes) -> Checkpoint:
    """Read a checkpoint that the key has signed.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It is malformed, or not signed by this key; reason `checkpoint_invalid`.
    """
    try:
        met = opened(text)
    except EvidenceError as error:
        raise EvidenceError(str(error), reason="checkpoint_invalid") from error
    name = key_name(public_key)
    if met.signature is None:
        _invalid("it has no signature")
    if met.key_name != name or met.key_hash != key_hash(name, public_key):
        _invalid("it is signed under the name of another key")
    if not signature_holds(public_key, met.signature, met.checkpoint.text.encode()):
        _invalid("the key has not signed it as it stands")
    return met.checkpoint


def key_name(public_key: bytes) -> str:
    """Return the name under which a device key signs checkpoints."""
    return _KEY_NAME_PREFIX + key_id(public_key)


def key_hash(name: str, public_key: bytes) -> bytes:
    """Return the four bytes by which a signed note refers to an Ed25519 key."""
    return sha256(name.encode() + b"\n" + _ED25519 + public_key)[:_HASH_BYTES]


def _checkpoint(origin: str, size: str, root: str) -> Checkpoint:
    if not _ORIGIN.fullmatch(origin):
        _malformed("its first line is not `service-nb/` and the 32 hex digits of a ledger")
    if not _SIZE.fullmatch(size) or int(size) > MAX_SAFE_INTEGER:
        _malformed("its second line is no count of entries")
    value = decoded(root, HASH_BYTES)
    if value is None:
        _malformed("its third line is not the base64 of 32 bytes")
    return Checkpoint(origin, int(size), value)


def _signature(line: str) -> tuple[str, bytes, bytes]:
    mark, _, rest = line.partition(" ")
    name, _, text = rest.partition(" ")
    data = decoded(text, _HASH_BYTES + SIGNATURE_BYTES)
    if mark != "—" or not _KEY_NAME.fullmatch(name) or data is None:
        _malformed("its last line is no signature of a device key")
    return name, data[:_HASH_BYTES], data[_HASH_BYTES:]


def _malformed(what: str) -> NoReturn:
    raise EvidenceError(f"The checkpoint is malformed: {what}.", reason="checkpoint_malformed")


def _invalid(what: str) -> NoReturn:
    raise EvidenceError(f"The checkpoint does not hold: {what}.", reason="checkpoint_invalid")
