"""The largest value: numbers as real numbers, text by code point, NaN where one is among them."""

from __future__ import annotations

import math
from typing import Any

from service_nb.query.aggregations.base import ORDERED, Aggregation, Measure
from service_nb.query.exact import normalise_zero
from service_nb.schema.source import Field, Value


def _compute(_: Field, values: list[Any]) -> Value:
    return math.nan if any(value != value for value in values) else normalise_zero(max(values))


AGGREGATION = Aggregation(
    name="max",
    accepts=ORDERED,
    needs="an ordered column",
    held="as column",
    compute=_compute,
    measure=Measure.GREATEST,
    noun="Largest",
    step="Take the largest value of {of}; nulls are left out",
    label="max (largest)",
    help="The largest value: a number, a text, a date or a time.",
    synonyms=("maximum", "largest", "highest"),
)
