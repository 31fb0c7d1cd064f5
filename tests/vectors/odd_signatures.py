"""Ed25519 signatures and keys that RFC 8032 leaves to taste: libraries differ on them, our verifiers must not.

Plain arithmetic on the curve, as in RFC 8032, section 6, so that a signature can be made which no library makes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from itertools import count

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

Point = tuple[int, int]
NEUTRAL: Point = (0, 1)


def add(a: Point, b: Point) -> Point:
    (x1, y1), (x2, y2) = a, b
    k = D * x1 * x2 * y1 * y2
    return (x1 * y2 + x2 * y1) * pow(1 + k, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - k, -1, P) % P


def times(n: int, a: Point) -> Point:
    """n * a, with one division at the end: (X, Y, Z, T) stands for x = X/Z, y = Y/Z, xy = T/Z."""
    total, a_ = (0, 1, 1, 0), (a[0], a[1], 1, a[0] * a[1] % P)
    while n:
        total, a_, n = _add(total, a_) if n & 1 else total, _add(a_, a_), n >> 1
    inverse = pow(total[2], -1, P)
    return total[0] * inverse % P, total[1] * inverse % P


def _add(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, int, int, int]:
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def negative(a: Point) -> Point:
    return -a[0] % P, a[1]


def encode(a: Point) -> bytes:
    return (a[1] | (a[0] & 1) << 255).to_bytes(32, "little")


def decode(data: bytes) -> Point:
    value = int.from_bytes(data, "little")
    y, sign = value & (1 << 255) - 1, value >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert x * x % P == square, "no point"
    return (P - x if x & 1 != sign else x), y


BASE = decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def _torsion() -> Point:
    """A point of order 8: any point times L, if that has order 8."""
    for y in count(3):
        try:
            found = times(L, decode(y.to_bytes(32, "little")))
        except AssertionError:
            continue
        if times(4, found) != NEUTRAL:
            return found
    raise AssertionError


EIGHT = _torsion()
SMALL_ORDER = [times(n, EIGHT) for n in range(8)]


def hashed(r: bytes, key: bytes, message: bytes) -> int:
    return int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % L


class Odd:
    """A key as the vectors' maker takes it."""

    def __init__(self, public: bytes, sign: Callable[[bytes], bytes]) -> None:
        self.public = public
        self.sign = sign
        self.keyid = hashlib.sha256(bytes.fromhex("302a300506032b6570032100") + public).hexdigest()[:16]
        self.text = base64.b64encode(public).decode()


def _scalar(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(b"odd".join(parts)).digest(), "little") % L


def _joined(r: bytes, s: int) -> bytes:
    return r + s.to_bytes(32, "little")


SECRET = _scalar(b"secret")


def key_of(point: Point, secret: int = 0, public: bytes | None = None) -> Odd:
    """A key whose point is secret * B, and something of small order; its signatures hold without the cofactor.

    [S]B - [h]A has the part -h * T of small order, which R is given; h, which depends on R, is tried until it fits.
    """
    public = public or encode(point)
    rest = add(point, negative(times(secret, BASE)))

    def sign(message: bytes) -> bytes:
        for attempt in count():
            nonce = _scalar(message, b"%d" % attempt)
            r = encode(add(times(nonce, BASE), negative(times(attempt % 8, rest))))
            h = hashed(r, public, message)
            if h % 8 == attempt % 8:
                return _joined(r, (nonce + h * secret) % L)
        raise AssertionError

    return Odd(public, sign)


HONEST = key_of(times(SECRET, BASE), SECRET)


def _signing(make: Callable[[bytes], bytes]) -> Odd:
    return Odd(HONEST.public, make)


def _malleable(message: bytes) -> bytes:
    signature = HONEST.sign(message)
    return _joined(signature[:32], int.from_bytes(signature[32:], "little") + L)


def _off_by_small_order(message: bytes) -> bytes:
    """Holds if both sides are multiplied by the cofactor, and not as it stands."""
    nonce = _scalar(message)
    r = encode(add(times(nonce, BASE), EIGHT))
    return _joined(r, (nonce + hashed(r, HONEST.public, message) * SECRET) % L)


def _neutral(message: bytes, r: bytes = encode(NEUTRAL)) -> bytes:
    """A nonce of zero: R is the neutral point. It gives the secret away, but it holds."""
    return _joined(r, hashed(r, HONEST.public, message) * SECRET % L)


NEUTRAL_TWICE = (P + 1).to_bytes(32, "little")  # y = 1, written as 1 + p
NEUTRAL_SIGNED = (1 | 1 << 255).to_bytes(32, "little")  # x = 0 with a sign

REFUSED = {
    "S plus the order of the base point": _signing(_malleable),
    "R off by a point of small order": _signing(_off_by_small_order),
    "R the neutral point, written as p + 1": _signing(lambda message: _neutral(message, NEUTRAL_TWICE)),
    "R the neutral point, with a sign": _signing(lambda message: _neutral(message, NEUTRAL_SIGNED)),
    "a signature of zeros": _signing(lambda _: bytes(64)),
    "a key that is no point": Odd((2).to_bytes(32, "little"), HONEST.sign),
    "the neutral point as the key, written as p + 1": key_of(NEUTRAL, public=NEUTRAL_TWICE),
    "the neutral point as the key, with a sign": key_of(NEUTRAL, public=NEUTRAL_SIGNED),
    **{f"a key of small order, {n} times the point of order 8": key_of(point) for n, point in enumerate(SMALL_ORDER)},
}
ACCEPTED = {
    "arithmetic of our own": HONEST,
    "R the neutral point": _signing(_neutral),
    "a key that has a part of small order": key_of(add(times(SECRET, BASE), EIGHT), SECRET),
}
