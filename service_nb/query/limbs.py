"""The split of a column of doubles into integers, which engines add exactly."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp

# The largest width a limb may have: then q * 2**-p cannot overflow even for the largest double (2**1024 - 2**971).
MAX_WIDTH = 53
LOWEST_BIT = -1074  # of any double


@dataclass(frozen=True, slots=True, kw_only=True)
class Limbs:
    """The split of a float column: the scales p_k, and whether they are proven to leave no remainder.

    A double is an integer times a power of two. A *limb* of scale p takes from each value r the integer
    ``q = round(r * 2**p)`` and leaves ``r - q * 2**-p``; both steps are exact in binary64. Engines only add integers,
    which has one answer in any order, on any number of threads or partitions; the total ``sum(S_k * 2**-p_k)`` is
    finished with Python integers and rounded once. With scales chosen from a column's range the last remainder is zero
    for every value: exactness is proven before the run. Where the range is not known beforehand, the engine also counts
    the values whose remainder is zero: exactness is certified after the run.
    """

    scales: tuple[int, ...]
    proven: bool

    def describe(self) -> str:
        """Describe the method for a receipt."""
        return f"limbs:{len(self.scales)} {'proven' if self.proven else 'certified'}"

    def weigh(self) -> tuple[tuple[int, ...], int]:
        """Return the weight of each limb as an integer, and the denominator of all weights."""
        finest = max(self.scales)
        coarse = min(0, finest)  # a finest scale below zero means a whole multiple of a power of two
        return tuple(1 << (finest - scale - coarse) for scale in self.scales), 1 << (finest - coarse)


def plan_limbs(largest: float, smallest: float | None, *, width: int = 52, limit: int | None = None) -> Limbs:
    """Return limbs that cover every bit of the finite values of a column.

    Parameters
    ----------
    largest : float
        An upper bound of the magnitudes. 0 for a column without finite non-zero values.
    smallest : float or None
        A lower bound of the non-zero magnitudes, None if unknown.
    width : int
        Bits of a limb; `rows * 2**width` must fit the engine's sum of integers.
    limit : int, optional
        With `smallest` unknown: take this many limbs and leave it to a certificate whether they suffice.
    """
    if largest == 0:
        return Limbs(scales=(0,), proven=True)
    top = frexp(largest)[1]  # largest < 2**top
    lowest = LOWEST_BIT if smallest is None else max(frexp(smallest)[1] - 53, LOWEST_BIT)
    scales = [(MAX_WIDTH if top == 1024 else width) - top]
    while scales[-1] < -lowest and not (smallest is None and limit is not None and len(scales) >= limit):
        scales.append(scales[-1] + width)
    if scales[-1] > -lowest:
        scales[-1] = max(-lowest, scales[-2] + 1 if len(scales) > 1 else -lowest)
    return Limbs(scales=tuple(scales), proven=scales[-1] >= -lowest)
