"""The profile of columns in DuckDB: one scan for all numbers, dates and truth values, one for each column of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
from sqlglot import exp

from service_nb.query.aggregations.aggregation import normalise_zero
from service_nb.query.histogram import MOST_FREQUENT, Edges, choose_edges, list_most_frequent
from service_nb.schema.source import ColumnProfile, Field, FieldStats, Frequent, write_exact_text

PROFILED_AT_ONCE = 50  # columns in one statement
_MAP_BITS = 8  # for each row: integers that lie so close together are counted in a bit map


@dataclass(frozen=True, slots=True)
class ProfiledColumn:
    """A column to be profiled: its field, what the engine calls it, and its statistics."""

    field: Field
    name: str
    stats: FieldStats

    @property
    def edges(self) -> Edges | None:
        """The edges of its bins; None where it has none."""
        return choose_edges(self.field, normalise_zero(self.stats.minimum), normalise_zero(self.stats.maximum))

    @property
    def is_text(self) -> bool:
        """Tell whether its values are text."""
        return self.field.type == "string"


class _Measures:
    """The measures of one statement and their parameters: no value of the data becomes text of it."""

    def __init__(self) -> None:
        self.expressions: list[exp.Expr] = []
        self.parameters: list[object] = []

    def add(self, expression: exp.Expr, *parameters: object) -> None:
        self.expressions.append(expression)
        self.parameters += parameters

    def count_values(self, test: exp.Expr, *parameters: object) -> None:
        self.add(exp.func("count_if", test), *parameters)


def profile_columns(
    connection: duckdb.DuckDBPyConnection, table: str, rows: int, columns: Sequence[ProfiledColumn]
) -> list[ColumnProfile]:
    """Count what columns hold; the statistics have their nulls and finite extremes already."""
    chunks = (columns[start : start + PROFILED_AT_ONCE] for start in range(0, len(columns), PROFILED_AT_ONCE))
    return [profile for chunk in chunks for profile in _profile_chunk(connection, table, rows, chunk)]


def _profile_chunk(
    connection: duckdb.DuckDBPyConnection, table: str, rows: int, columns: Sequence[ProfiledColumn]
) -> list[ColumnProfile]:
    measures = _Measures()
    for column in columns:
        if not column.is_text:
            _add_measures(measures, column, rows)
    values: Iterator[Any] = iter(())
    if measures.expressions:
        query = exp.select(*measures.expressions).from_(table).sql(dialect="duckdb")
        values = iter(connection.execute(query, measures.parameters).fetchone() or ())
    return [
        _profile_text(connection, table, column) if column.is_text else _read_profile(column, rows, values)
        for column in columns
    ]


def _add_measures(measures: _Measures, column: ProfiledColumn, rows: int) -> None:
    read = exp.column(column.name)
    if column.field.type == "boolean":
        measures.count_values(read)
        return
    least, greatest = column.stats.minimum, column.stats.maximum
    if isinstance(least, int) and isinstance(greatest, int) and greatest - least < max(rows, 1) * _MAP_BITS:
        marks = exp.func("bitstring_agg", read, exp.Placeholder(), exp.Placeholder())
        measures.add(exp.func("bit_count", marks), least, greatest)
    else:
        measures.add(exp.Count(this=exp.Distinct(expressions=[read])))
    if column.stats.nonfinite:
        for infinity in (float("-inf"), float("inf")):
            measures.count_values(exp.EQ(this=read.copy(), expression=exp.Placeholder()), infinity)
    edges = column.edges
    for edge in () if edges is None else edges.inner:
        measures.count_values(exp.GTE(this=read.copy(), expression=exp.Placeholder()), edge)


def _read_profile(column: ProfiledColumn, rows: int, values: Iterator[Any]) -> ColumnProfile:
    """Take the measures of one column from `values`."""
    stats = column.stats
    present = rows - stats.nulls
    if column.field.type == "boolean":
        true = next(values)
        found = [(text, count) for text, count in (("true", true), ("false", present - true)) if count]
        most = list_most_frequent(found)
        return ColumnProfile(nulls=stats.nulls, distinct=len(found), minimum=None, maximum=None, counts=most)
    distinct = next(values) or 0
    below, above = (next(values), next(values)) if stats.nonfinite else (0, 0)
    finite, edges = present - stats.nonfinite, column.edges
    minimum, maximum = normalise_zero(stats.minimum), normalise_zero(stats.maximum)
    least = float("-inf") if below else float("inf") if minimum is None and above else minimum
    greatest = float("inf") if above else float("-inf") if maximum is None and below else maximum
    if edges is not None:
        beyond = stats.nonfinite - below  # NaN and infinity reach every edge
        reached = [finite, *(next(values) - beyond for _ in edges.inner)]
        counts = edges.build_bins(reached)
        return ColumnProfile(nulls=stats.nulls, distinct=distinct, minimum=least, maximum=greatest, counts=counts)
    only = () if minimum is None else (Frequent(write_exact_text(minimum) or "", finite),)
    return ColumnProfile(nulls=stats.nulls, distinct=distinct, minimum=least, maximum=greatest, counts=only)


def _profile_text(connection: duckdb.DuckDBPyConnection, table: str, column: ProfiledColumn) -> ColumnProfile:
    """Count the different texts and the most frequent ones; DuckDB orders text by code point."""
    text, times = exp.column("x"), exp.column("n")
    read = exp.cast(exp.column(column.name), "varchar")
    found = (
        exp.select(exp.alias_(read, "x"), exp.alias_(exp.Count(this=exp.Star()), "n"))
        .from_(table)
        .where(exp.not_(exp.Is(this=exp.column(column.name), expression=exp.null())))
        .group_by(exp.column(column.name))
    )
    most = exp.Anonymous(
        this="min",
        expressions=[
            exp.Anonymous(this="row", expressions=[exp.Neg(this=times), text]),
            exp.Literal.number(MOST_FREQUENT),
        ],
    )
    query = exp.select(exp.Count(this=exp.Star()), exp.Min(this=text.copy()), exp.Max(this=text.copy()), most)
    told = connection.execute(query.from_(found.subquery("found")).sql(dialect="duckdb")).fetchone()
    distinct, minimum, maximum, frequent = told or (0, None, None, None)
    counts = tuple(Frequent(value, -count) for count, value in frequent or ())
    return ColumnProfile(nulls=column.stats.nulls, distinct=distinct, minimum=minimum, maximum=maximum, counts=counts)
