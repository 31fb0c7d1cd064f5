"""Places in the order of values: where a percentile lies among them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

HALF = Fraction(1, 2)


def find_share(percent: Decimal | None) -> Fraction:
    """Return the share of the order that a percent is; without one it is the half, where the median lies."""
    return HALF if percent is None else Fraction(percent) / 100


def find_place(share: Fraction, count: int) -> tuple[int, int, int]:
    """Find where a share of the order of `count` values lies: the place, from 0, and the part to the next, as a ratio.

    The place is ``(count - 1) * share``, as `percentile_cont` of SQL and NumPy have it (type 7 of Hyndman and Fan).
    """
    place, part = divmod((count - 1) * share.numerator, share.denominator)
    return place, part, share.denominator
