"""The smallest value: numbers as real numbers, text by code point, NaN where one is among them."""

from __future__ import annotations

from service_nb.query.aggregations.aggregation import ORDERED, Aggregation, Measure

AGGREGATION = Aggregation(
    name="min",
    accepts=ORDERED,
    needs="an ordered column",
    held="as column",
    measure=Measure.LEAST,
    noun="Smallest",
    step="Take the smallest value of {of}; nulls are left out",
    label="min (smallest)",
    help="The smallest value: a number, a text, a date or a time.",
    synonyms=("minimum", "smallest", "lowest"),
)
