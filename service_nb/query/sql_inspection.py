"""The statements that show a live source: its first rows in an order of all columns, and what each column holds.

Rows are in order by each column in turn, ascending: text by code point, NaN after all numbers, nulls last. A profile is
one SELECT, so that all of its counts are of one state of the data; each column's values are told apart as group keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from service_nb.query.spelling import is_null
from service_nb.query.sql import Builder, Method, Shape, SqlStatement
from service_nb.schema.query import Plan
from service_nb.schema.source import Field


class InspectionBuilder(Builder):
    """One statement that shows columns of a live source, while it is written."""

    def __init__(self, fields: Sequence[Field], relation: exp.Expr, shape: Shape) -> None:
        super().__init__(Plan(aggregation="count", group_by=tuple(each.name for each in fields)), relation, shape)
        self.shown = dict(zip(self.keys, fields, strict=True))

    def build_first_rows(self, count: int) -> SqlStatement:
        """Return the statement of the first rows."""
        rows = self._wrap_rows(self._select_rows(), self.keys, {})
        order = [tree for key, field in self.shown.items() for tree in self._list_order(key, field)]
        rows.set("order", exp.Order(expressions=order))
        tree = self.spelling.add_settings(self.spelling.limit_rows(rows, count))
        return SqlStatement(tree=tree, parameters=[], measures=())

    def build_profile(self) -> SqlStatement:
        """Return the statement of one row: the number of rows and, of each column, its values and their extremes."""
        for index, (key, field) in enumerate(self.shown.items()):
            self.measures[f"n{index}"] = self.spelling.count(self._refer(key))
            if field.type != "boolean":
                self._add_extremes(index, key, field)
        parts = {"held": self._wrap_rows(self._select_rows(), [], self.measures)}
        parts |= {
            f"values{index}": self._count_different(index, field) for index, field in enumerate(self.shown.values())
        }
        return self._join_parts(parts)

    def _list_order(self, key: str, field: Field) -> Iterator[exp.Expr]:
        """Yield what a column is ordered by: numbers before NaN before null, then the values."""
        value, apart = self._refer(key), exp.Case().when(is_null(self._refer(key)), exp.Literal.number(2), copy=False)
        ordered = self.spelling.build_key(field, value)
        if field.physical == "float64" and self._has_nan():
            nan = self.spelling.is_nan(self._refer(key))
            apart = apart.when(nan, exp.Literal.number(1), copy=False)
            ordered = exp.Case().when(exp.not_(nan.copy()), ordered, copy=False)
        yield apart.else_(exp.Literal.number(0), copy=False)
        yield ordered

    def _add_extremes(self, index: int, key: str, field: Field) -> None:
        value = self.spelling.build_extreme(field, self._refer(key))
        if field.physical == "float64" and self._has_nan():
            nan = self.spelling.is_nan(self._refer(key))
            value = exp.Case().when(exp.not_(nan), value, copy=False)
            self.measures[f"nans{index}"] = self.spelling.count_where(nan.copy())
        self.measures[f"low{index}"] = self.spelling.build_least(field, value)
        self.measures[f"high{index}"] = exp.Max(this=value.copy())

    def _count_different(self, index: int, field: Field) -> exp.Select:
        shape = replace(self.shape, method=Method.DISTINCT)
        return _DifferentValues(field, self.relation, shape).count(f"d{index}")

    def _join_parts(self, parts: Mapping[str, exp.Select]) -> SqlStatement:
        """Return the statement of all parts side by side; each has one row."""
        names = tuple(column.alias for part in parts.values() for column in part.expressions)
        (first, tree), *rest = parts.items()
        outer = exp.Select(expressions=[self._refer(name) for name in names])
        outer = outer.from_(tree.subquery(self.spelling.build_alias(first), copy=False), copy=False)
        for name, part in rest:
            joined = part.subquery(self.spelling.build_alias(name), copy=False)
            outer = outer.join(joined, join_type="cross", copy=False)
        return SqlStatement(tree=self.spelling.add_settings(outer), parameters=[], measures=names)


class _DifferentValues(Builder):
    """Counts the different values of one column."""

    def __init__(self, field: Field, relation: str | exp.Expr, shape: Shape) -> None:
        super().__init__(Plan(aggregation="count_distinct", metric=field.name), relation, shape)

    def count(self, name: str) -> exp.Select:
        """Return the SELECT of one number, which has that name."""
        values = self._group_distinct_values(self._select_rows())
        return self._wrap_rows(values, [], {name: self.spelling.count(self._refer("m"))})
