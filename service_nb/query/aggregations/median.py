"""The median: the middle value, or of an even count the mean of the two in the middle, rounded once."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from service_nb.query.aggregations.aggregation import NUMBERS, Aggregation, Measure, round_ratio
from service_nb.schema.source import Value


def _finish(low: float | Decimal, high: float | Decimal) -> Value:
    if math.isinf(low) or math.isinf(high):
        return float(low) + float(high)  # NaN of two that differ
    twice = Fraction(low) + Fraction(high)
    return round_ratio(twice.numerator, twice.denominator * 2)


AGGREGATION = Aggregation(
    name="median",
    accepts=NUMBERS,
    needs="a number column",
    held="float64",
    measure=Measure.MIDDLES,
    finish=_finish,
    rounds=True,
    noun="Median of",
    step="Take the middle value of {of}, of an even count the mean of both, rounded once; nulls are left out",
    label="median (middle)",
    help="The middle value; of an even count the double nearest to the mean of the two in the middle.",
    synonyms=("middle",),
)
