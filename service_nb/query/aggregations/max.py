"""The largest value: numbers as real numbers, text by code point, NaN where one is among them."""

from __future__ import annotations

from service_nb.query.aggregations.aggregation import ORDERED, Aggregation, Measure

AGGREGATION = Aggregation(
    name="max",
    accepts=ORDERED,
    needs="an ordered column",
    held="as column",
    measure=Measure.GREATEST,
    noun="Largest",
    step="Take the largest value of {of}; nulls are left out",
    label="max (largest)",
    help="The largest value: a number, a text, a date or a time.",
    synonyms=("maximum", "largest", "highest"),
)
