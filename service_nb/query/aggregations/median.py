"""The median: the middle value, or of an even count the mean of the two in the middle, rounded once."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from service_nb.query.aggregations.base import NUMBERS, Aggregation, Measure
from service_nb.query.exact import round_ratio
from service_nb.schema.source import Field, Value


def _finish(low: float | Decimal, high: float | Decimal) -> Value:
    if math.isinf(low) or math.isinf(high):
        return float(low) + float(high)  # NaN of two that differ
    twice = Fraction(low) + Fraction(high)
    return round_ratio(twice.numerator, twice.denominator * 2)


def _compute(_: Field, values: list[Any]) -> Value:
    if any(value != value for value in values):
        return math.nan
    ordered = sorted(values)
    return _finish(ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2])


AGGREGATION = Aggregation(
    name="median",
    accepts=NUMBERS,
    needs="a number column",
    held="float64",
    compute=_compute,
    measure=Measure.MIDDLES,
    finish=_finish,
    rounds=True,
    noun="Median of",
    step="Take the middle value of {of}, of an even count the mean of both, rounded once; nulls are left out",
    label="median (middle)",
    help="The middle value; of an even count the double nearest to the mean of the two in the middle.",
    synonyms=("middle",),
)
