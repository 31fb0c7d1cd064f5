"""The count of rows or of non-null values."""

from __future__ import annotations

from typing import Any

from service_nb.query.aggregations.base import ANY, Aggregation, Measure
from service_nb.schema.source import Field, Value


def _compute(_: Field, values: list[Any]) -> Value:
    return len(values)


AGGREGATION = Aggregation(
    name="count",
    accepts=ANY,
    needs="a column",
    held="int64",
    compute=_compute,
    measure=Measure.COUNT,
    empty=0,
    noun="Count of",
    step="Count the values of {of} that are not null",
    rows_step="Count the rows",
    label="count",
    help="How many rows there are, or values of a column that are not null.",
    synonyms=("number", "rows"),
)
