"""The count of rows or of non-null values."""

from __future__ import annotations

from service_nb.query.aggregations.aggregation import ANY, Aggregation, Measure

AGGREGATION = Aggregation(
    name="count",
    accepts=ANY,
    needs="a column",
    held="int64",
    measure=Measure.COUNT,
    empty=0,
    noun="Count of",
    step="Count the values of {of} that are not null",
    rows_step="Count the rows",
    label="count",
    help="How many rows there are, or values of a column that are not null.",
    synonyms=("number", "rows"),
)
