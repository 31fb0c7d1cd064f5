"""Conditions as SQL, with the meaning that `query.conditions` defines, and what an index can answer of them.

A lookup in an index stands beside the exact condition. It is implied by it, whatever the column's own type and
collation are, and narrows the rows down for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, isnan
from typing import Any

from sqlglot import exp

from service_nb.query.aggregations.aggregation import build_decimal
from service_nb.query.conditions import OPERATORS, build_predicate, list_conjuncts
from service_nb.query.spelling import Spelling
from service_nb.schema.query import Condition, ConditionGroup, ConditionTree, Op
from service_nb.schema.source import Field

COMPARISONS: Mapping[Op, type[exp.Binary]] = {
    "eq": exp.EQ,
    "ne": exp.NEQ,
    "gt": exp.GT,
    "gte": exp.GTE,
    "lt": exp.LT,
    "lte": exp.LTE,
}
_LAST, _SURROGATES = 0x10FFFF, (0xD800, 0xE000)


@dataclass(frozen=True, slots=True)
class Grid:
    """The exact numbers that a column can hold: whole multiples of 10**-scale from `smallest` to `largest` of them."""

    scale: int
    smallest: int
    largest: int

    @classmethod
    def find(cls, field: Field) -> Grid:
        """Find the grid of an int64 or decimal column."""
        if field.physical == "int64":
            return cls(0, -(2**63), 2**63 - 1)
        precision = int(field.physical[len("decimal(") :].split(",")[0])
        return cls(field.decimal_scale or 0, 1 - 10**precision, 10**precision - 1)

    def list_held(self, values: Sequence[int | Decimal]) -> list[int | Decimal]:
        """List those of some numbers that the column can hold, as its own values are."""
        units = [Fraction(value) * Fraction(10) ** self.scale for value in values]
        return [self.convert_units(int(unit)) for unit in units if unit.denominator == 1 and self.has_units(int(unit))]

    def has_units(self, units: int) -> bool:
        """Tell whether the column can hold a number of so many units."""
        return self.smallest <= units <= self.largest

    def round_bound(self, op: Op, value: int | Decimal) -> int:
        """Round a bound to units of the grid: `gte` and `lt` up, `gt` and `lte` down, which means the same."""
        units = Fraction(value) * Fraction(10) ** self.scale
        return ceil(units) if op in ("gte", "lt") else floor(units)

    def convert_units(self, units: int) -> int | Decimal:
        """Return the number of so many units, as the column's values are."""
        return units if self.scale == 0 and self.largest < 2**63 else build_decimal(units, self.scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionWriter:
    """Writes conditions, and appends their operands to `parameters` in the order of the text.

    `column` returns a column as a value of its field's type; `source` as the source itself has it, None where columns
    are the engine's own; `indexed` says whether conditions may be written of it as well. `members` lists the values of
    ENUM columns.
    """

    fields: Mapping[str, Field]
    members: Mapping[str, Sequence[str]]
    spelling: Spelling
    column: Callable[[str], exp.Expr]
    source: Callable[[str], exp.Expr] | None
    indexed: bool
    parameters: list[object]

    def write(self, tree: ConditionTree) -> exp.Expr:
        """Write one condition, or a group of them, and bind the operands."""
        if isinstance(tree, ConditionGroup):
            join = exp.or_ if tree.joiner == "any" else exp.and_
            return join(*map(self.write, tree.parts), copy=False)
        return self._write_condition(tree)

    def _write_condition(self, condition: Condition) -> exp.Expr:
        exact = self._write_exact(condition)
        if self.source is None or not self.indexed:
            return exact
        field = self.fields[condition.column]
        first = self.spelling.build_index_condition(field, condition, self.source(condition.column))
        if first is None:
            return exact
        tree, values = first
        # Bound in the order of the text: what narrows the rows down is written behind the condition itself.
        self.parameters.extend(map(self.spelling.convert_operand, values))
        return exp.and_(exact, tree, copy=False)

    def _write_exact(self, condition: Condition) -> exp.Expr:
        field, column = self.fields[condition.column], self.column(condition.column)
        record = OPERATORS[condition.op]
        if record.takes == "none":
            is_null = exp.Is(this=column, expression=exp.Null())
            return is_null if condition.op == "is_null" else exp.not_(is_null, copy=False)
        if condition.column in self.members:
            # An ENUM's values are known, so the condition's own meaning decides which of them hold.
            members = self.members[condition.column]
            chosen = tuple(filter(build_predicate(condition), members))
            every = len(chosen) == len(members)
            return self._compare(column, every or (replace(condition, op="in", operand=chosen) if chosen else False))
        value = self._prepare_column(field, column)
        parts = [
            self._compare(value if index == 0 else value.copy(), self._fit_operand(part, field))
            for index, part in enumerate(list_conjuncts(condition))
        ]
        compared = exp.and_(*parts, copy=False) if len(parts) > 1 else parts[0]
        # Engines differ on NaN: it equals nothing here and is ordered with nothing.
        if field.physical == "float64" and any(map(isnan, self.spelling.nonfinite)):
            is_nan = self.spelling.is_nan(column.copy())
            if record.holds_for_nan:
                return exp.or_(compared, is_nan, copy=False)
            return exp.and_(compared, exp.not_(is_nan, copy=False), copy=False)
        # `is_ordered` wins over `holds_for_nan` here: such a database orders NaN, and equality needs no more.
        if field.physical.startswith("decimal") and self.spelling.decimal_nan and record.is_ordered:
            nan = exp.cast(exp.Literal.string("NaN"), self.spelling.find_type(field.physical))
            return exp.and_(compared, exp.NEQ(this=column.copy(), expression=nan), copy=False)
        return compared

    def _prepare_column(self, field: Field, column: exp.Expr) -> exp.Expr:
        if field.decimal_scale is not None:
            return column
        if field.physical == "string":
            return self.spelling.build_text(column)
        return self.spelling.convert_for_comparison(field, column)

    def _fit_operand(self, condition: Condition, field: Field) -> Condition | bool:
        """Return the condition with operands that the column can hold; a bool where all of its values meet it, or none.

        Numbers become those of the column's own grid. A database may hold no text with a NUL; what the condition means
        among those that it can hold is asked then.
        """
        op, operand = condition.op, condition.operand
        record = OPERATORS[op]
        listed = operand if record.takes == "list" else (operand,)
        if field.decimal_scale is not None:
            grid = Grid.find(field)
            if record.is_ordered:
                units = grid.round_bound(op, operand)
                if not grid.has_units(units):
                    return (units > grid.largest) == (op in ("lt", "lte"))
                return replace(condition, operand=grid.convert_units(units))
            held = grid.list_held(listed)
        elif field.physical != "string" or self.spelling.nul_text or not any("\0" in text for text in listed):
            return condition
        elif record.is_ordered:  # no text without a NUL lies between the operand and what it has before its NUL
            return replace(condition, op="gt" if op in ("gt", "gte") else "lte", operand=operand.partition("\0")[0])
        else:
            held = [text for text in listed if "\0" not in text]
        if not held:
            return record.holds_for_nan
        return replace(condition, operand=tuple(held) if record.takes == "list" else held[0])

    def _compare(self, column: exp.Expr, condition: Condition | bool) -> exp.Expr:
        if isinstance(condition, bool):
            is_null = exp.Is(this=column, expression=exp.Null())
            return exp.not_(is_null, copy=False) if condition else self.spelling.build_never()
        op, operand = condition.op, condition.operand
        match op:
            case "contains":
                return self.spelling.build_contains(column, self._bind_operand(operand, condition))
            case "starts_with":
                return self.spelling.build_starts_with(column, self._bind_operand(operand, condition))
            case "in" | "not_in":
                if self.source is not None and self.fields[condition.column].physical == "float64":
                    column = self.spelling.build_float_key(column)  # lists looked up by bits would miss -0.0
                listed = exp.In(this=column, expressions=[self._bind_operand(value, condition) for value in operand])
                return listed if op == "in" else exp.not_(listed, copy=False)
        return COMPARISONS[op](this=column, expression=self._bind_operand(operand, condition))

    def _bind_operand(self, value: object, condition: Condition) -> exp.Expr:
        field, value = self.fields[condition.column], self.spelling.convert_operand(value)
        self.parameters.append(value)
        placeholder = self.spelling.build_placeholder(value, field)
        return self.spelling.build_text(placeholder) if field.physical == "string" else placeholder


# --- lookups in an index ----------------------------------------------------------------------------------------------


def list_lookup_values(field: Field, condition: Condition) -> list[Any]:
    """Return the operands of a condition that can be looked up as it stands; none where it cannot.

    Those of texts are looked up for being equal only, for an order is a collation's; of truth none; of integers and
    decimals those that the column's type holds, which in an order are the nearest that mean the same.
    """
    op, record = condition.op, OPERATORS[condition.op]
    if field.physical == "boolean" or (field.physical == "string" and record.is_ordered):
        return []
    if record.holds_for_nan or record.takes in ("none", "text"):
        return []
    parts = list_conjuncts(condition)
    values = list(condition.operand) if op == "in" else [part.operand for part in parts]
    if field.decimal_scale is None:
        return values
    grid = Grid.find(field)
    if not record.is_ordered:
        held = grid.list_held(values)
        return held if len(held) == len(values) else []
    units = [grid.round_bound(part.op, part.operand) for part in parts]
    return [grid.convert_units(unit) for unit in units] if all(map(grid.has_units, units)) else []


def build_lookup(condition: Condition, column: exp.Expr, marks: Sequence[exp.Expr]) -> exp.Expr:
    """Build the condition over a column with its operands."""
    if condition.op == "in":
        return exp.In(this=column, expressions=list(marks))
    ops = [part.op for part in list_conjuncts(condition)]
    parts = [COMPARISONS[op](this=column.copy(), expression=mark) for op, mark in zip(ops, marks, strict=True)]
    return exp.and_(*parts, copy=False) if len(parts) > 1 else parts[0]


def compute_value_range(condition: Condition, values: Sequence[object]) -> tuple[Any, Any]:
    """Return the least and the greatest value that a condition's rows may have; None of a side without an end.

    Both belong to it, also where the condition leaves an end out: what rounds an end as it rounds its own values, as
    a column that is narrower than its operand does, then leaves no row out.
    """
    match condition.op:
        case "gt" | "gte":
            return values[0], None
        case "lt" | "lte":
            return None, values[0]
        case "eq" | "between":
            return values[0], values[-1]
    return None, None


def find_text_after(prefix: str) -> str | None:
    """Find the first text, by code point, after all that begin with `prefix`; None where there is none."""
    kept = prefix.rstrip(chr(_LAST))
    if not kept:
        return None
    following = ord(kept[-1]) + 1
    return kept[:-1] + chr(_SURROGATES[1] if following == _SURROGATES[0] else following)
