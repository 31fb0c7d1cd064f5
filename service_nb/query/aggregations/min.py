"""The smallest value: numbers as real numbers, text by code point, NaN where one is among them."""

from __future__ import annotations

import math
from typing import Any

from service_nb.query.aggregations.base import ORDERED, Aggregation, Measure
from service_nb.query.exact import normalise_zero
from service_nb.schema.source import Field, Value


def _compute(_: Field, values: list[Any]) -> Value:
    return math.nan if any(value != value for value in values) else normalise_zero(min(values))


AGGREGATION = Aggregation(
    name="min",
    accepts=ORDERED,
    needs="an ordered column",
    held="as column",
    compute=_compute,
    measure=Measure.LEAST,
    noun="Smallest",
    step="Take the smallest value of {of}; nulls are left out",
    label="min (smallest)",
    help="The smallest value: a number, a text, a date or a time.",
    synonyms=("minimum", "smallest", "lowest"),
)
