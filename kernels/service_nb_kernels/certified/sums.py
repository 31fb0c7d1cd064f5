"""Exact sums and products of doubles in vectors, and means that are proven to be rounded correctly.

Nothing here rounds but where it says so, and no vector becomes a list of Python objects on its common path.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

from flint import fmpq

from service_nb_kernels.certified.rounding import Proven, check_deadline
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import np

Vector = Any  # a float64 numpy.ndarray of one dimension
BINNED = 1 << 16  # values at a time in the exact sum: stay in cache, and far below the 2**25 that keep bins exact
BLOCK = 1 << 18  # values at a time in the fast mean: long enough that two threads seldom ask for the interpreter
EXACT_MEAN_UP_TO = 4096  # below it the exact sum is as fast
TWO_THREADS_FROM = 1 << 20
UNIT = Fraction(1, 2**53)  # half the distance from 1 to the next double
_spare: list[Vector] = []  # buffers at rest: fresh memory costs a tenth of a long mean; never more than threads at once


def finite(values: Vector, name: str = "values") -> Vector:
    """Return the values side by side in memory, all of them finite."""
    values = np.ascontiguousarray(values, dtype=np.float64)
    if not np.isfinite(values).all():
        raise DomainError(name, expected="finite numbers")
    return values


def total(values: Vector) -> Any:
    """Return the exact sum of doubles of any exponents."""
    values = finite(values)
    result = fmpq(0)
    for start in range(0, values.size, BINNED):
        check_deadline()
        mantissas, exponents = np.frexp(values[start : start + BINNED])
        result += _binned(mantissas, exponents, 27)
    return result


def dot(a: Vector, b: Vector) -> Any:
    """Return the exact sum of the products of two vectors of one length."""
    a, b = (finite(a), finite(b)) if a is not b else (finite(a),) * 2
    result = fmpq(0)
    for start in range(0, a.size, BINNED):
        check_deadline()
        part = slice(start, start + BINNED)
        left, left_exponents = np.frexp(a[part])
        right, right_exponents = (left, left_exponents) if a is b else np.frexp(b[part])
        high, low = _product(left, right)
        exponents = left_exponents + right_exponents
        result += _binned(high, exponents, 28)  # high is a multiple of 2**-54
        result += _binned(low, exponents, 80)  # low is below 2**-53 and a multiple of 2**-106
    return result


def _product(a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """Return high and low with high + low == a * b, for mantissas below 1 (Dekker; NumPy has no fused product)."""
    a_high, a_low = _halves(a)
    b_high, b_low = (a_high, a_low) if a is b else _halves(b)
    high = a * b
    low = a_high * b_high - high
    low += a_high * b_low
    low += a_low * b_high
    low += a_low * b_low
    return high, low


def _halves(a: Vector) -> tuple[Vector, Vector]:
    """Two parts of 26 bits (Veltkamp)."""
    scaled = a * 134217729.0  # 2**27 + 1
    high = scaled - (scaled - a)
    return high, a - high


def _binned(mantissas: Vector, exponents: Vector, cut: int) -> Any:
    """The exact sum of mantissas * 2**exponents.

    Each mantissa is cut at 2**-cut into two integers below 2**28, which are added up per exponent: at most 2**16 of
    them are below 2**44, so no addition in a bin rounds.
    """
    lowest = int(exponents.min())
    bins = exponents - lowest
    scaled = np.ldexp(mantissas, cut)
    high = np.trunc(scaled)
    low = np.ldexp(scaled - high, 28)
    sums = (np.bincount(bins, weights=part) for part in (high, low))
    value = 0
    for position, (h, s) in enumerate(zip(*(part.tolist() for part in sums), strict=True)):
        if h or s:
            value += ((int(h) << 28) + int(s)) << position
    return scaled_by(value, lowest - cut - 28)


def scaled_by(value: int, exponent: int) -> Any:
    """Return value * 2**exponent."""
    return fmpq(value << exponent) if exponent >= 0 else fmpq(value, 1 << -exponent)


def integers(values: Vector) -> tuple[list[int], int]:
    """Return integers and an exponent, so that each value is its integer times 2**exponent, exactly."""
    values = finite(values)
    if not values.any():
        return [0] * values.size, 0
    mantissas, exponents = np.frexp(values)
    lowest = int(exponents[values != 0].min())
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    common = int(np.bitwise_or.reduce(whole))  # decimals and counts have zero bits at the end: shorter integers
    spare = (common & -common).bit_length() - 1
    shifts = np.maximum(exponents - lowest, 0)  # a zero has the exponent 0; its shift does not matter
    pairs = zip((whole >> spare).tolist(), shifts.tolist(), strict=True)
    return [value << shift for value, shift in pairs], lowest - 53 + spare


def decimals(values: Vector) -> tuple[list[int], int]:
    """Return integers and a power of ten, so that each value is its integer over it, as the decimal that is written.

    The double nearest to 4.1 is not 4.1, so sums that a person sees tie may differ by rounding; these do not.
    """
    parts = [Decimal(repr(value)).as_tuple() for value in finite(values).tolist()]
    places = max(0, *(-int(part.exponent) for part in parts))
    shifted = [int("".join(map(str, part.digits))) * 10 ** (places + int(part.exponent)) for part in parts]
    return [-value if part.sign else value for value, part in zip(shifted, parts, strict=True)], 10**places


def rationals(values: Vector) -> Any:
    """Return each value as an exact rational."""
    return [fmpq(*value.as_integer_ratio()) for value in np.asarray(values, dtype=np.float64).tolist()]


def power_sums(values: Vector, order: int) -> Any:
    """Return the exact sums of the powers 0, 1, ... order of the values."""
    if order <= 2:  # without a list of Python integers
        return [fmpq(int(values.size)), total(values), dot(values, values) if order > 1 else fmpq(0)][: order + 1]
    whole, exponent = integers(values)
    sums = [fmpq(len(whole))]
    powers = whole
    for degree in range(1, order + 1):
        check_deadline()
        sums.append(scaled_by(sum(powers), exponent * degree))
        powers = [power * value for power, value in zip(powers, whole, strict=True)] if degree < order else powers
    return sums


def mean(values: Vector) -> Any:
    """Return the correctly rounded mean: proven from a sum with an error bound, or else the exact rational.

    Raises
    ------
    DomainError [domain_error]
        There is no value, or one of them is not finite.
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    if not values.size:
        raise DomainError("values", expected="at least one value")
    if values.size > EXACT_MEAN_UP_TO:
        bounds = _bounds(values)
        if bounds is not None:
            low, high = (float(bound / values.size) for bound in bounds)  # correctly rounded, and monotone
            if low == high:
                return Proven(low + 0.0)
    return total(values) / values.size


def _bounds(values: Vector) -> tuple[Fraction, Fraction] | None:
    """Bounds of the sum, some 2**-60 of it apart; None where the magnitudes are beyond the fast path."""
    if values.size < TWO_THREADS_FROM:
        parts = [_Extraction(values)]
        parts[0].run()
    else:
        middle = values.size // 2
        parts = [_Extraction(values[:middle]), _Extraction(values[middle:])]
        other = threading.Thread(target=parts[1].run)
        other.start()
        parts[0].run()
        other.join()
    if not all(part.is_sound for part in parts):
        return None
    centre, error = (sum(terms, Fraction(0)) for terms in zip(*(part.enclosure() for part in parts), strict=True))
    return centre - error, centre + error


class _Extraction:
    """Each value is split into q, a multiple of a grid, and a rest r with x == q + r; the sum of all q is exact.

    With |x| <= 2**(k-7) and s = 1.5 * 2**k, t = fl(x + s) lies in [2**k, 2**(k+1)), whose doubles are the multiples of
    g = 2**(k-52). Hence q = t - s is exact, r = x - q is exact (it is the rounding error of a sum), and |r| <= g / 2.
    The bits of t, as an integer, count t / g from a fixed start: their sum is exact modulo 2**64, and up to 2**18
    integers q / g below 2**45 sum to less than 2**63. A sum of n doubles, in whatever order it is taken, is off by at
    most (n - 1) u / (1 - n u) times the sum of their magnitudes, u = 2**-53 (Higham, Accuracy and Stability of
    Numerical Algorithms, 2nd ed., 4.2).
    """

    __slots__ = ("is_sound", "rests", "squares", "steps", "values")

    def __init__(self, values: Vector) -> None:
        self.values = values
        self.steps: Counter[int] = Counter()  # by k: the sum of q, in steps of the grid
        self.squares: Counter[int] = Counter()  # by k: the sum of n * n over the blocks
        self.rests: list[float] = []
        self.is_sound = False

    def run(self) -> None:
        """Read the vector once, block by block."""
        buffer = _spare.pop() if _spare else np.empty(BLOCK)
        for start in range(0, self.values.size, BLOCK):
            block = self.values[start : start + BLOCK]
            largest = max(float(np.maximum.reduce(block)), -float(np.minimum.reduce(block)))
            if not 2.0**-900 < largest < 2.0**900:  # zero, nearly subnormal or nearly overflowing, NaN, infinite
                if largest == 0.0:
                    continue
                return
            self._take(block, buffer[: block.size], math.frexp(largest)[1] + 7)
        _spare.append(buffer)
        self.is_sound = True

    def _take(self, block: Vector, t: Vector, k: int) -> None:
        shift = 1.5 * 2.0**k
        np.add(block, shift, out=t)
        bits = int(np.add.reduce(t.view(np.int64))) - block.size * _bits(shift)
        self.steps[k] += (bits + 2**63) % 2**64 - 2**63
        self.squares[k] += block.size * block.size
        np.subtract(t, shift, out=t)
        np.subtract(block, t, out=t)
        self.rests.append(float(np.einsum("i->", t)))  # measured: a quarter faster than add.reduce; any order will do

    def enclosure(self) -> tuple[Fraction, Fraction]:
        """The sum as it was found, and how far off it may be."""
        centre, error = sum(map(Fraction, self.rests), Fraction(0)), Fraction(0)
        for k, steps in self.steps.items():
            grid = Fraction(2) ** (k - 52)
            centre += steps * grid
            error += self.squares[k] * UNIT * grid  # (n - 1) u / (1 - n u) * n * grid / 2, with room
        return centre, error


def _bits(value: float) -> int:
    return int(np.float64(value).view(np.int64))
