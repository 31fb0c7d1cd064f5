"""The record of an aggregation, which engines, faces and verifiers read, and the exact arithmetic behind it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, Literal, assert_never

from service_nb.query.aggregations.order_places import HALF, find_place
from service_nb.query.aggregations.squares import SquareSums, sum_squares
from service_nb.schema.query import AggregationName
from service_nb.schema.source import Field, FieldType, Value

NUMBERS: tuple[FieldType, ...] = ("number",)
ORDERED: tuple[FieldType, ...] = ("number", "string", "date", "datetime")
ANY: tuple[FieldType, ...] = (*ORDERED, "boolean")

Held = Literal["int64", "float64", "exact", "as column"]  # `exact`: as the column, and integers are of any size


UNROUNDED, AS_READ = "nothing is rounded", "of the values as they were read"
COUNTED = f"exact: {UNROUNDED}"


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


def interpolate(low: float | Decimal, high: float | Decimal, part: int, parts: int) -> float:
    """Return the double nearest to the value that lies `part` of `parts` between two neighbours, never -0.0."""
    if part == 0:
        high = low
    if math.isinf(low) or math.isinf(high):
        return float(low) + float(high)  # NaN of two that differ
    (low_top, low_bottom), (high_top, high_bottom) = low.as_integer_ratio(), high.as_integer_ratio()
    top = low_top * high_bottom * (parts - part) + high_top * low_bottom * part
    return round_ratio(top, low_bottom * high_bottom * parts) + 0.0


def normalise_zero(value: Value) -> Value:
    """Return the value; -0.0 becomes 0."""
    return value + 0.0 if isinstance(value, float) else value


class Measure(Enum):
    """The intermediate result that an engine collects for one group, in the form that `finish` takes."""

    COUNT = "how many values there are"
    LEAST = "the least value, or NaN where there is one"
    GREATEST = "the greatest value, or NaN where there is one"
    MIDDLES = "the two values around a place in the order, of one at the place itself twice; NaN where there is one"
    DISTINCT = "how many different values there are"
    TOTAL = "the exact sum: numerator, denominator, how many values, the column's decimal scale (None of doubles)"
    SQUARES = "the exact sums of values and squares (None of NaN or infinities), and how many values"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation:
    """The record of one aggregation: how the values of a group become one value.

    Nulls are never among the values; where there is none, the result is `empty`.

    Attributes
    ----------
    name : str
        As specs, plans and ask lines have it. The record stands in the module of this name.
    accepts : tuple of str
        The types of columns that it takes.
    needs : str
        The same in words, for a refusal.
    held : str
        How the result is held: a physical type, or how that follows from the column's.
    measure : Measure
        What engines collect instead of the values.
    finish : callable
        The result of what was collected; by default that itself.
    takes_percent : bool
        Whether a question has to say which percent it asks for.
    rounds : bool
        Whether the result may be rounded, once, from exact numbers.
    noun : str
        What the question asks for, before the column's name; `{percent}` is the percent.
    step : str
        The step of the plan; `{of}` is the column, and `of each group` where there are groups.
    label, help : str
        What it is called in a list of choices, and one sentence about it.
    synonyms : tuple of str
        What people say for it.
    rows_step : str, optional
        The step of the plan without a column; None where a column is required.
    """

    name: AggregationName
    accepts: tuple[FieldType, ...]
    needs: str
    held: Held
    measure: Measure
    noun: str
    step: str
    label: str
    help: str
    finish: Callable[..., Value] = normalise_zero
    rounds: bool = False
    takes_percent: bool = False
    empty: int | None = None
    synonyms: tuple[str, ...] = ()
    rows_step: str | None = None

    def compute(self, field: Field, values: list[Any], share: Fraction = HALF) -> Value:
        """Compute the result of a column's values that are not null, of which there is at least one."""
        match self.measure:
            case Measure.COUNT:
                return len(values)
            case Measure.DISTINCT:
                return len({value if value == value else math.nan for value in values})
            case Measure.TOTAL:
                return finish_total(self.finish, field, values)
            case Measure.SQUARES:
                return self.finish_squares(sum_squares(Counter(values)), len(values))
        if any(value != value for value in values):
            return math.nan
        match self.measure:
            case Measure.LEAST:
                return self.finish(min(values))
            case Measure.GREATEST:
                return self.finish(max(values))
            case Measure.MIDDLES:
                ordered = sorted(values)
                place, part, parts = find_place(share, len(ordered))
                return self.finish(ordered[place], ordered[place + (part > 0)], part, parts)
            case _:
                assert_never(self.measure)

    def finish_squares(self, sums: SquareSums | None, count: int) -> Value:
        """Make a result of the variance of `count` values: null of fewer than two, NaN where there are no sums."""
        if count < 2:
            return None
        return math.nan if sums is None else self.finish(*sums.compute_variance())

    def hold(self, physical: str) -> str:
        """Return the physical type of the result over a column of the type `physical`."""
        if self.held == "as column":
            return physical
        if self.held == "exact":
            return "int64" if physical.endswith(",0)") else physical
        return self.held

    def describe_method(self, physical: str, *, extracted: bool = False) -> str:
        """Describe for a card how the result over a column of the type `physical` is kept exact."""
        if self.measure is Measure.MIDDLES:
            extracts = " of extracted values" if extracted else ""
            if self.takes_percent:
                return f"exact neighbours{extracts}, interpolated and rounded once"
            return f"exact middle values{extracts}, their mean rounded once"
        if self.measure is Measure.SQUARES:
            return f"exact sums of values and squares{' of extracted values' if extracted else ''}, rounded once"
        if self.measure is not Measure.TOTAL:
            return f"exact: extracted values, {UNROUNDED}" if extracted else COUNTED
        is_double = physical == "float64"
        words = f"exact sum{' of extracted values' if extracted else ''}"
        return words + (", rounded once" if is_double or self.rounds else "")

    def describe(self, metric: str | None, percent: Decimal | None = None, *, is_grouped: bool) -> str:
        """Return the step of a plan in words."""
        each = " of each group" if is_grouped else ""
        if metric is None:
            return f"{self.rows_step}{each}"
        return _fill_in(self.step, percent).replace("{of}", f"{metric}{each}")

    def describe_noun(self, percent: Decimal | None = None) -> str:
        """Return the noun with the percent in it."""
        return _fill_in(self.noun, percent)


def _fill_in(words: str, percent: Decimal | None) -> str:
    return words if percent is None else words.replace("{percent}", f"{percent:f}")
