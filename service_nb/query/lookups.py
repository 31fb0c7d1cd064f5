"""Conditions that an index can answer: what is looked up in it, beside the exact condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from service_nb.query.grid import Grid
from service_nb.records.query import Condition
from service_nb.records.source import Field

_SAME: Mapping[str, type[exp.Binary]] = {"eq": exp.EQ, "gt": exp.GT, "gte": exp.GTE, "lt": exp.LT, "lte": exp.LTE}
_LISTED = ("eq", "in")


def looked_up(field: Field, condition: Condition) -> list[Any]:
    """Return the operands of a condition that can be looked up as it stands; none where it cannot.

    Those of texts are looked up for being equal only, for an order is a collation's; of doubles and truth none; of
    integers those that the column's type holds.
    """
    op, operand = condition.op, condition.operand
    if field.physical in ("float64", "boolean") or (field.physical == "string" and op not in _LISTED):
        return []
    if op not in (*_SAME, "in", "between"):
        return []
    values = list(operand) if op in ("in", "between") else [operand]
    if field.decimal_scale is not None:
        grid = Grid.of(field)
        if not all(grid.holds(grid.units(value)) for value in values):
            return []
        values = [grid.value(int(grid.units(value))) for value in values]
    return values


def sought(condition: Condition, column: exp.Expr, marks: Sequence[exp.Expr]) -> exp.Expr:
    """Return the condition over a column with its operands."""
    if condition.op == "in":
        return exp.In(this=column, expressions=list(marks))
    if condition.op == "between":
        low, high = marks
        above, below = exp.GTE(this=column, expression=low), exp.LTE(this=column.copy(), expression=high)
        return exp.and_(above, below, copy=False)
    return _SAME[condition.op](this=column, expression=marks[0])
