"""The mean: the exact sum divided by the count of values, rounded once."""

from __future__ import annotations

from service_nb.query.aggregations.aggregation import NUMBERS, Aggregation, Measure, round_ratio
from service_nb.schema.source import Value


def _finish(numerator: int, denominator: int, count: int, _: int | None) -> Value:
    return round_ratio(numerator, denominator * count)


AGGREGATION = Aggregation(
    name="avg",
    accepts=NUMBERS,
    needs="a number column",
    held="float64",
    measure=Measure.TOTAL,
    finish=_finish,
    rounds=True,
    noun="Average of",
    step="Divide the exact sum of {of} by its count of values, round once; nulls are left out",
    label="avg (mean)",
    help="The double nearest to the exact mean.",
    synonyms=("average", "mean"),
)
