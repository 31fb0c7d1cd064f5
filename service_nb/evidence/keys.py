"""Ed25519 keys and signatures, judged so strictly that every implementation comes to the same verdict.

RFC 8032 leaves room for taste, and libraries use it. The rules here, which `cryptography` (OpenSSL) alone does not all
keep:

* a public key is 32 bytes whose y is below p = 2**255 - 19; it is no point of small order (order 1, 2, 4 or 8);
* a signature is 64 bytes, R and S; S is below L, the order of the base point;
* it holds if the *bytes* of R are the encoding of [S]B - [h]A, with h = SHA-512(R, A, message) mod L. That is the
  equation without the cofactor: an R of another encoding, or one that is off by a point of small order, is refused.

Keys and signatures travel as standard base64 with padding, without blanks, and with no stray bits in the last digit.
"""

from __future__ import annotations

import base64
import binascii
from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from service_nb.core.digest import sha256_hex

KEY_BYTES = 32
SIGNATURE_BYTES = 64

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_Y_BITS = 2**255 - 1  # the topmost bit is the sign of x
# The y of the points of order 8, two of which have y and two -y; those of order 1, 2 and 4 have 1, -1 and 0.
_ORDER_8 = int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little")
_SMALL_ORDER = frozenset({0, 1, _P - 1, _ORDER_8, _P - _ORDER_8})
_DER_PREFIX = bytes.fromhex("302a300506032b6570032100")


def decoded(text: str, size: int | None = None) -> bytes | None:
    """Return the bytes that a base64 text stands for; None if it is not the one text for `size` bytes."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    is_exact = base64.b64encode(data).decode() == text
    return data if is_exact and size in (None, len(data)) else None


def encoded(data: bytes) -> str:
    """Return the base64 of `data`."""
    return base64.b64encode(data).decode()


@lru_cache(maxsize=64)
def key_id(public_key: bytes) -> str:
    """Return the id of a key: the first 16 hex digits of its fingerprint."""
    return fingerprint(public_key)[:16]


def fingerprint(public_key: bytes) -> str:
    """Return the fingerprint of a key: the SHA-256 of its SubjectPublicKeyInfo in DER, 64 hex digits."""
    return sha256_hex(_DER_PREFIX + public_key)


def signature_holds(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Return whether the key signed the message, by the rules above."""
    if len(signature) != SIGNATURE_BYTES or int.from_bytes(signature[32:], "little") >= _L:
        return False
    key = _key(public_key)
    if key is None:
        return False
    try:
        key.verify(signature, message)
    except InvalidSignature:
        return False
    return True


@lru_cache(maxsize=64)
def _key(public_key: bytes) -> Ed25519PublicKey | None:
    if len(public_key) != KEY_BYTES:
        return None
    y = int.from_bytes(public_key, "little") & _Y_BITS
    if y >= _P or y in _SMALL_ORDER:
        return None
    try:
        return Ed25519PublicKey.from_public_bytes(public_key)
    except ValueError:
        return None
