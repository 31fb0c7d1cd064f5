"""The exact sum: of doubles rounded once, of integers and decimals not at all."""

from __future__ import annotations

from service_nb.query.aggregations.aggregation import NUMBERS, Aggregation, Measure, build_decimal, round_ratio
from service_nb.schema.source import Value


def _finish(numerator: int, denominator: int, _: int, scale: int | None) -> Value:
    if scale is None:
        return round_ratio(numerator, denominator)
    return build_decimal(numerator, scale) if scale else numerator


AGGREGATION = Aggregation(
    name="sum",
    accepts=NUMBERS,
    needs="a number column",
    held="exact",
    measure=Measure.TOTAL,
    finish=_finish,
    noun="Sum of",
    step="Add the values of {of} exactly and round once; nulls are left out",
    label="sum (total)",
    help="The exact sum; of doubles the nearest double.",
    synonyms=("total", "add"),
)
