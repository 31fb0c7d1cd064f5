"""Write a plan's conditions as SQL, with the meaning that `query.filters` defines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

from sqlglot import exp

from service_nb.query.filters import ORDER_OPS, build_predicate
from service_nb.query.lookups import Grid
from service_nb.query.spelling import Spelling
from service_nb.schema.query import Condition, Op
from service_nb.schema.source import Field


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
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
    parameters: list[Any]

    def of(self, condition: Condition) -> exp.Expr:
        """Return one condition, and bind its operand."""
        exact = self._build_exact_condition(condition)
        if self.source is None or not self.indexed:
            return exact
        field_ = self.fields[condition.column]
        first = self.spelling.build_index_condition(field_, condition, self.source(condition.column))
        if first is None:
            return exact
        tree, values = first
        # Bound in the order of the text: what narrows the rows down is written behind the condition itself.
        self.parameters.extend(map(self.spelling.convert_operand, values))
        return exp.and_(exact, tree, copy=False)

    def _build_exact_condition(self, condition: Condition) -> exp.Expr:
        field_ = self.fields[condition.column]
        column = self.column(condition.column)
        if condition.op == "is_null":
            return exp.Is(this=column, expression=exp.Null())
        if condition.op == "is_not_null":
            return _build_not_null(column)
        if condition.column in self.members:
            return self._build_member_condition(column, condition)
        if field_.decimal_scale is not None:
            compared = self._build_number_condition(column, condition, field_)
            return self._exclude_nan(compared, column, condition, field_) if self.spelling.decimal_nan else compared
        if field_.physical == "string":
            return self._build_text_condition(column, condition)
        compared = self._build_comparison(self.spelling.convert_for_comparison(field_, column), condition)
        if field_.physical != "float64" or not any(map(isnan, self.spelling.nonfinite)):
            return compared
        # Engines differ on NaN: it equals nothing here and is ordered with nothing.
        is_nan = self.spelling.is_nan(column.copy())
        if condition.op in ("ne", "not_in"):
            return exp.or_(compared, is_nan, copy=False)
        return exp.and_(compared, exp.not_(is_nan, copy=False), copy=False)

    def _build_member_condition(self, column: exp.Expr, condition: Condition) -> exp.Expr:
        # An ENUM's values are known, so the condition's own meaning decides which of them hold.
        holds = build_predicate(condition)
        members = self.members[condition.column]
        chosen = [member for member in members if holds(member)]
        if len(chosen) == len(members):
            return _build_not_null(column)
        return self._build_in_list(column, condition, chosen) if chosen else self.spelling.build_never()

    def _build_text_condition(self, column: exp.Expr, condition: Condition) -> exp.Expr:
        compared = self.spelling.build_text(column)
        if self.spelling.nul_text or not _has_nul(condition.operand):
            return self._build_comparison(compared, condition)
        # The database holds no such text: what the condition means among those that it can hold.
        op, operand = condition.op, condition.operand
        if op == "between":
            low = replace(condition, op="gte", operand=operand[0])
            high = replace(condition, op="lte", operand=operand[1])
            return exp.and_(
                self._build_text_condition(column, low), self._build_text_condition(column.copy(), high), copy=False
            )
        if op in ORDER_OPS:  # no text without a NUL lies between the operand and what it has before its NUL
            side: Op = "gt" if op in ("gt", "gte") else "lte"
            return self._build_comparison(compared, replace(condition, op=side, operand=operand.partition("\0")[0]))
        held = tuple(text for text in operand if "\0" not in text) if op in ("in", "not_in") else ()
        if held:
            return self._build_comparison(compared, replace(condition, operand=held))
        return _build_not_null(column) if op in ("ne", "not_in") else self.spelling.build_never()

    def _build_comparison(self, column: exp.Expr, condition: Condition) -> exp.Expr:
        op, operand = condition.op, condition.operand
        match op:
            case "contains":
                return self.spelling.build_contains(column, self._bind_operand(operand, condition))
            case "starts_with":
                return self.spelling.build_starts_with(column, self._bind_operand(operand, condition))
            case "in" | "not_in":
                listed = self._build_in_list(column, condition, operand)
                return listed if op == "in" else exp.not_(listed, copy=False)
            case "between":
                low, high = operand
                return exp.and_(
                    exp.GTE(this=column, expression=self._bind_operand(low, condition)),
                    exp.LTE(this=column.copy(), expression=self._bind_operand(high, condition)),
                    copy=False,
                )
        return _COMPARISONS[op](this=column, expression=self._bind_operand(operand, condition))

    def _build_number_condition(self, column: exp.Expr, condition: Condition, field_: Field) -> exp.Expr:
        """Compare an integer or decimal column with exact operands: each becomes a bound of the column's own grid."""
        op, operand = condition.op, condition.operand
        grid = Grid.of(field_)
        if op == "between":
            low, high = (grid.bound(value, up) for value, up in zip(operand, (True, False), strict=True))
            first = self._build_unit_comparison("gte", column, low, condition)
            return exp.and_(first, self._build_unit_comparison("lte", column.copy(), high, condition), copy=False)
        if op in ("in", "not_in"):
            held = [grid.value(int(unit)) for unit in (grid.units(value) for value in operand) if grid.holds(unit)]
            if not held:
                return self.spelling.build_never() if op == "in" else _build_not_null(column)
            listed = self._build_in_list(column, condition, held)
            return listed if op == "in" else exp.not_(listed, copy=False)
        if op in ("eq", "ne"):
            unit = grid.units(operand)
            if not grid.holds(unit):
                return self.spelling.build_never() if op == "eq" else _build_not_null(column)
            return _COMPARISONS[op](this=column, expression=self._bind_operand(grid.value(int(unit)), condition))
        return self._build_unit_comparison(op, column, grid.bound(operand, up=op in ("gte", "lt")), condition)

    def _exclude_nan(self, compared: exp.Expr, column: exp.Expr, condition: Condition, field_: Field) -> exp.Expr:
        """As of doubles: NaN is ordered with nothing."""
        if condition.op not in ORDER_OPS or field_.physical == "int64":
            return compared
        nan = exp.cast(exp.Literal.string("NaN"), self.spelling.find_type(field_.physical))
        return exp.and_(compared, exp.NEQ(this=column.copy(), expression=nan), copy=False)

    def _build_unit_comparison(self, op: str, column: exp.Expr, unit: int, condition: Condition) -> exp.Expr:
        grid = Grid.of(self.fields[condition.column])
        if unit > grid.largest:
            return _build_not_null(column) if op in ("lt", "lte") else self.spelling.build_never()
        if unit < grid.smallest:
            return _build_not_null(column) if op in ("gt", "gte") else self.spelling.build_never()
        return _COMPARISONS[op](this=column, expression=self._bind_operand(grid.value(unit), condition))

    def _build_in_list(self, column: exp.Expr, condition: Condition, values: Sequence[object]) -> exp.Expr:
        if self.source is not None and self.fields[condition.column].physical == "float64":
            column = self.spelling.build_float_key(column)  # some databases look a list up by bits, and would miss -0.0
        return exp.In(this=column, expressions=[self._bind_operand(value, condition) for value in values])

    def _bind_operand(self, value: object, condition: Condition) -> exp.Expr:
        field_, value = self.fields[condition.column], self.spelling.convert_operand(value)
        self.parameters.append(value)
        placeholder = self.spelling.build_placeholder(value, field_)
        return self.spelling.build_text(placeholder) if field_.physical == "string" else placeholder


_COMPARISONS: Mapping[str, type[exp.Binary]] = {
    "eq": exp.EQ,
    "ne": exp.NEQ,
    "gt": exp.GT,
    "gte": exp.GTE,
    "lt": exp.LT,
    "lte": exp.LTE,
}


def _build_not_null(column: exp.Expr) -> exp.Expr:
    return exp.not_(exp.Is(this=column, expression=exp.Null()), copy=False)


def _has_nul(operand: Any) -> bool:
    return any("\0" in text for text in ((operand,) if isinstance(operand, str) else operand))
