"""The count of different values, by the rules of group keys: -0.0 is 0.0, all NaN are one, text by code point."""

from __future__ import annotations

from service_nb.query.aggregations.aggregation import ANY, Aggregation, Measure

AGGREGATION = Aggregation(
    name="count_distinct",
    accepts=ANY,
    needs="a column",
    held="int64",
    measure=Measure.DISTINCT,
    empty=0,
    noun="Count of distinct",
    step="Count the different values of {of} that are not null",
    label="count distinct",
    help="How many different values of a column there are, nulls left out.",
    synonyms=("distinct", "unique", "nunique"),
)
