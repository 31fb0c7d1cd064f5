"""Conditions that an index can answer: what is looked up in it, beside the exact condition.

Each is implied by the exact one, whatever the column's own type and collation are, and narrows the rows down for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any

from sqlglot import exp

from service_nb.query.filters import ORDER_OPS
from service_nb.schema.query import Condition
from service_nb.schema.source import Field


@dataclass(frozen=True, slots=True)
class Grid:
    """The exact numbers that a column can hold: whole multiples of 10**-scale from `smallest` to `largest` of them."""

    scale: int
    smallest: int
    largest: int

    @classmethod
    def of(cls, field_: Field) -> Grid:
        """Return the grid of an int64 or decimal column."""
        if field_.physical == "int64":
            return cls(0, -(2**63), 2**63 - 1)
        precision = int(field_.physical[len("decimal(") :].split(",")[0])
        return cls(field_.decimal_scale or 0, 1 - 10**precision, 10**precision - 1)

    def units(self, value: int | Decimal) -> Fraction:
        """Convert a number to units of the grid; a fraction if it lies between two of them."""
        return Fraction(value) * Fraction(10) ** self.scale

    def holds(self, units: Fraction) -> bool:
        """Tell whether the column can hold a number of so many units."""
        return units.denominator == 1 and self.smallest <= units <= self.largest

    def bound(self, value: int | Decimal, up: bool) -> int:
        """Return the units of the nearest number of the grid that is not below (`up`) or not above `value`."""
        return ceil(self.units(value)) if up else floor(self.units(value))

    def value(self, units: int) -> int | Decimal:
        """Return the number of so many units, as the column's values are."""
        if self.scale == 0 and self.largest < 2**63:
            return units
        sign = 1 if units < 0 else 0
        return Decimal((sign, tuple(int(digit) for digit in str(abs(units))), -self.scale))


_SAME: Mapping[str, type[exp.Binary]] = {"eq": exp.EQ, "gt": exp.GT, "gte": exp.GTE, "lt": exp.LT, "lte": exp.LTE}
_LISTED = ("eq", "in")
_LAST, _SURROGATES = 0x10FFFF, (0xD800, 0xE000)


def list_lookup_values(field: Field, condition: Condition) -> list[Any]:
    """Return the operands of a condition that can be looked up as it stands; none where it cannot.

    Those of texts are looked up for being equal only, for an order is a collation's; of truth none; of integers and
    decimals those that the column's type holds, which in an order are the nearest that mean the same.
    """
    op, operand = condition.op, condition.operand
    if field.physical == "boolean" or (field.physical == "string" and op not in _LISTED):
        return []
    if op not in (*_SAME, "in", "between"):
        return []
    values = list(operand) if op in ("in", "between") else [operand]
    if field.decimal_scale is None:
        return values
    grid = Grid.of(field)
    if op not in ORDER_OPS:
        return [grid.value(int(unit)) for unit in map(grid.units, values)] if _can_hold_all(grid, values) else []
    ups = (True, False) if op == "between" else (op in ("gte", "lt"),)
    units = [grid.bound(value, up) for value, up in zip(values, ups, strict=True)]
    return [grid.value(unit) for unit in units] if all(grid.smallest <= unit <= grid.largest for unit in units) else []


def _can_hold_all(grid: Grid, values: Sequence[Any]) -> bool:
    return all(grid.holds(grid.units(value)) for value in values)


def build_lookup(condition: Condition, column: exp.Expr, marks: Sequence[exp.Expr]) -> exp.Expr:
    """Return the condition over a column with its operands."""
    if condition.op == "in":
        return exp.In(this=column, expressions=list(marks))
    if condition.op == "between":
        low, high = marks
        above, below = exp.GTE(this=column, expression=low), exp.LTE(this=column.copy(), expression=high)
        return exp.and_(above, below, copy=False)
    return _SAME[condition.op](this=column, expression=marks[0])


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
        case "eq":
            return values[0], values[0]
        case "between":
            return values[0], values[1]
    return None, None


def find_text_after(prefix: str) -> str | None:
    """Return the first text, by code point, after all that begin with `prefix`; None where there is none."""
    kept = prefix.rstrip(chr(_LAST))
    if not kept:
        return None
    following = ord(kept[-1]) + 1
    return kept[:-1] + chr(_SURROGATES[1] if following == _SURROGATES[0] else following)
