"""Exact values: correctly rounded sums of binary floats by integer limbs, the one order of groups, exact texts.

A double is an integer times a power of two. A *limb* of scale p takes from each value r the integer
``q = round(r * 2**p)`` and leaves ``r - q * 2**-p``; both steps are exact in binary64. Engines only add integers,
which has one answer in any order, on any number of threads or partitions; the total ``sum(S_k * 2**-p_k)`` is finished
here with Python integers and rounded once. With scales chosen from a column's range the last remainder is zero for
every value: exactness is proven before the run. Where the range is not known beforehand, the engine also counts the
values whose remainder is zero: exactness is certified after the run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import chain, groupby
from typing import Any

from service_nb.core.canonical import MAX_SAFE_INTEGER, write_canonical_text, write_float
from service_nb.schema.query import Group, Plan
from service_nb.schema.source import Field, Value

# The largest width a limb may have: then q * 2**-p cannot overflow even for the largest double (2**1024 - 2**971).
MAX_WIDTH = 53
LOWEST_BIT = -1074  # of any double


@dataclass(frozen=True, slots=True, kw_only=True)
class Limbs:
    """The split of a float column: the scales p_k, and whether they are proven to leave no remainder."""

    scales: tuple[int, ...]
    proven: bool

    def describe(self) -> str:
        """Describe the method for a receipt."""
        return f"limbs:{len(self.scales)} {'proven' if self.proven else 'certified'}"


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
    top = math.frexp(largest)[1]  # largest < 2**top
    lowest = LOWEST_BIT if smallest is None else max(math.frexp(smallest)[1] - 53, LOWEST_BIT)
    scales = [(MAX_WIDTH if top == 1024 else width) - top]
    while scales[-1] < -lowest and not (smallest is None and limit is not None and len(scales) >= limit):
        scales.append(scales[-1] + width)
    if scales[-1] > -lowest:
        scales[-1] = max(-lowest, scales[-2] + 1 if len(scales) > 1 else -lowest)
    return Limbs(scales=tuple(scales), proven=scales[-1] >= -lowest)


def round_ratio(numerator: int, denominator: int = 1) -> float:
    """Return the double nearest to a ratio of integers, ties to even, never -0.0; beyond the range an infinity."""
    try:
        return numerator / denominator  # CPython's true division of integers is correctly rounded, subnormals included
    except OverflowError:
        return math.inf if (numerator > 0) == (denominator > 0) else -math.inf


def build_decimal(units: int, scale: int) -> Decimal:
    """Return units * 10**-scale exactly."""
    return Decimal((1 if units < 0 else 0, tuple(int(digit) for digit in str(abs(units))), -scale))


def sum_nonfinite(nans: int, positive: int, negative: int) -> float | None:
    """Add the non-finite values of a sum by IEEE 754; None when there are none."""
    if nans or (positive and negative):
        return math.nan
    if positive:
        return math.inf
    return -math.inf if negative else None


def compute_exact_total(values: Iterable[float]) -> Fraction | float:
    """Return the exact sum of doubles as a Fraction, or the IEEE result if any of them is not finite."""
    coarse, numerator = 0, 0
    nans = positive = negative = 0
    for value in values:
        try:
            top, bottom = value.as_integer_ratio()
        except (OverflowError, ValueError):
            nans += value != value
            positive += value == math.inf
            negative += value == -math.inf
            continue
        shift = bottom.bit_length() - 1
        if shift > coarse:
            numerator <<= shift - coarse
            coarse = shift
        numerator += top << (coarse - shift)
    special = sum_nonfinite(nans, positive, negative)
    return Fraction(numerator, 1 << coarse) if special is None else special


def finish_total(finish: Callable[..., Value], field: Field, values: Sequence[Any]) -> Value:
    """Add a column's values exactly, and let `finish` make a result of numerator, denominator, count and scale.

    Ints and Decimals are added as integers: Decimal's own sum would round to its context's precision.
    """
    scale = field.decimal_scale
    if scale is not None:
        return finish(sum(int(Fraction(value) * 10**scale) for value in values), 10**scale, len(values), scale)
    total = compute_exact_total(values)
    return total if isinstance(total, float) else finish(total.numerator, total.denominator, len(values), None)


def normalise_zero(value: Value) -> Value:
    """Return the value; -0.0 becomes 0."""
    return value + 0.0 if isinstance(value, float) else value


# --- order and text -------------------------------------------------------------------------------------------------


def is_comparable(value: Value) -> bool:
    """Tell whether the value takes part in an order: not null, not NaN."""
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def sort_groups(groups: Iterable[Group], plan: Plan) -> list[Group]:
    """Return the groups in the plan's total order, cut to its limit.

    By value in the plan's direction; NaN after every number and null after NaN, in both directions; ties by the group
    keys ascending, text by code point, nulls last.
    """
    found = list(groups)
    first = [group for group in found if is_comparable(group.value)]
    first.sort(key=_get_value, reverse=plan.order == "desc")
    last = [group for group in found if not is_comparable(group.value)]
    last.sort(key=lambda group: group.value is None)
    wanted = len(found) if plan.limit is None else plan.limit
    rows: list[Group] = []
    for _, tied in chain(groupby(first, _get_value), groupby(last, lambda group: group.value is None)):
        if len(rows) >= wanted:
            break
        run = list(tied)
        rows += run if len(run) == 1 else sorted(run, key=_rank_keys)
    return rows[:wanted]


def _get_value(group: Group) -> Any:
    return group.value


def _rank_keys(group: Group) -> list[tuple[int, object]]:
    return [_rank(key) for key in group.keys]


def _rank(key: Value) -> tuple[int, object]:
    if key is None:
        return (2, 0)
    return (0, key) if is_comparable(key) else (1, 0)


def write_exact_text(value: Value) -> str | None:
    """Return the exact text of a value: its canonical JSON, without quotes; None for null."""
    if value is None:
        return None
    if type(value) is float:
        return write_float(value).strip('"')  # of what is not finite the name
    ready = convert_to_json(value)
    return ready if isinstance(ready, str) else write_canonical_text(ready)


def convert_to_json(value: Value) -> Any:
    """Return the value as JSON carries it without loss: long integers, decimals, dates and non-finite as text."""
    kind = type(value)  # of each value of each row, so the usual ones are told first, and in the fastest way
    if kind is str or kind is bool or value is None:
        return value
    if isinstance(value, int):
        return value if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else str(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, Decimal):
        return format(value, "f")
    return value if isinstance(value, str) else value.isoformat()
