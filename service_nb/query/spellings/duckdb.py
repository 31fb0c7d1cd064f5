"""DuckDB's SQL, where what its driver makes of an operand differs from what the operand is."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlglot import exp

from service_nb.query.spelling import Spelling, call
from service_nb.schema.source import Field


class DuckDBSpelling(Spelling):
    """All that `Spelling` writes, and decimals bound as their digits.

    The driver binds a small decimal of 38 places as a double, and with it a whole list, or the column compared with it,
    becomes doubles: neighbours among 38 digits are one.
    """

    def bound(self, value: object, field: Field) -> exp.Expr:
        """Return a placeholder, of the column's own type where that is one of decimals."""
        if isinstance(value, str) and field.decimal_scale is not None:
            return exp.cast(exp.Placeholder(), self.find_type(field.physical))
        return exp.Placeholder()

    def convert_operand(self, value: object) -> Any:
        """Return the operand as it is, and a decimal as its digits."""
        return format(value, "f") if isinstance(value, Decimal) else value

    def build_middles(self, value: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
        """Return the discrete quantile from both ends."""
        low, high = exp.Literal.number("0.5"), exp.Neg(this=exp.Literal.number("0.5"))
        return call("QUANTILE_DISC", value, low), call("QUANTILE_DISC", value.copy(), high)

    def is_infinite(self, value: exp.Expr, sign: int) -> exp.Expr:
        """Return the condition that a double is the infinity of this sign."""
        side = (exp.GT if sign > 0 else exp.LT)(this=value.copy(), expression=self.build_double(0.0))
        return exp.and_(exp.func("isinf", value), side, copy=False)
