"""The statistics of a column in DuckDB: what is selected, and what is read from it."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from service_nb.engines.engine import outside_calendar_error
from service_nb.query.sql import DUCKDB
from service_nb.schema.source import Field, FieldStats, Value


def list_measures(field: Field, name: str) -> list[exp.Expr]:
    """List count of values; for ordered types the extremes; for floats those of the finite, and the rest.

    `name` is what the engine calls the column.
    """
    column = exp.column(name)
    count = exp.Count(this=column)
    if field.type in ("string", "boolean"):
        return [count]
    if field.type in ("date", "datetime"):
        # As text: the database's calendar is longer than Python's, and has infinities.
        extremes = (exp.Min(this=column.copy()), exp.Max(this=column.copy()))
        return [count, *(exp.cast(extreme, "varchar") for extreme in extremes)]
    if field.physical != "float64":
        return [count, exp.Min(this=column.copy()), exp.Max(this=column.copy())]
    is_finite = exp.func("isfinite", column.copy())
    finite = exp.Case().when(is_finite, column.copy())
    nonzero = exp.NEQ(this=column.copy(), expression=exp.Literal.number(0))
    magnitude = exp.Case().when(exp.and_(is_finite.copy(), nonzero), exp.Abs(this=column.copy()))
    return [
        count,
        exp.Min(this=finite),
        exp.Max(this=finite.copy()),
        exp.Min(this=magnitude),
        DUCKDB.count_where(exp.not_(is_finite.copy())),
    ]


def read_measures(field: Field, rows: int, values: Iterator[Any], distinct: tuple[str, ...] | None) -> FieldStats:
    """Take the measures of one column from `values`; a date may be outside the calendar of results."""
    nulls = rows - next(values)
    if field.type in ("string", "boolean"):
        return FieldStats(nulls=nulls, distinct=distinct)
    minimum, maximum = next(values), next(values)
    if field.type in ("date", "datetime"):
        minimum, maximum = _parse_moment(field, minimum), _parse_moment(field, maximum)
    if field.physical != "float64":
        return FieldStats(nulls=nulls, minimum=minimum, maximum=maximum)
    return FieldStats(
        nulls=nulls, minimum=minimum, maximum=maximum, smallest_nonzero=next(values), nonfinite=next(values)
    )


def _parse_moment(field: Field, text: str | None) -> Value:
    if text is None:
        return None
    kind = datetime.date if field.type == "date" else datetime.datetime
    try:
        return kind.fromisoformat(text)
    except ValueError:
        raise outside_calendar_error(field) from None
