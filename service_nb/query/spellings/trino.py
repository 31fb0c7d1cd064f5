"""Trino's SQL."""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from service_nb.query.spelling import Spelling, Summand, call
from service_nb.query.spellings.digits import SUMMED, build_decimal_sum, split_decimal, write_with_exponent
from service_nb.schema.source import Field

SUMMED_LIMB = 19


class TrinoSpelling(Spelling):
    """Texts compare by code point, sums raise where they overflow; the link sets the session's zone to UTC.

    Casts from double to integer round to the nearest, so limbs are summed as decimals, whose sums have 38 digits.
    """

    dialect = "trino"
    quoted = True  # some of our names are words of its grammar

    def find_type(self, physical: str) -> exp.DataType:
        """Return the type that holds a field's physical type; a time has microseconds, not its default of three."""
        return exp.DataType.build("timestamp(6)") if physical == "datetime" else super().find_type(physical)

    def build_double(self, value: float) -> exp.Expr:
        """Return a literal that is this very double; without an exponent it would be a decimal first."""
        return exp.cast(exp.Literal.number(write_with_exponent(value)), self.find_type("float64"))

    def bound(self, value: object, field: Field) -> exp.Expr:  # noqa: ARG002
        """Return a placeholder in a cast: the driver writes what is bound as a literal of its own choice."""
        exact = field.decimal_scale is not None or field.type in ("date", "datetime")
        return exp.cast(exp.Placeholder(), self.find_type(field.physical)) if exact else exp.Placeholder()

    def convert_operand(self, value: object) -> object:
        """Return the operand for a literal: the smallest integer has none, and years before 1000 lose their zeros."""
        if isinstance(value, int) and not isinstance(value, bool):
            return Decimal(value)
        if hasattr(value, "isoformat"):
            return value.isoformat(sep=" ") if hasattr(value, "hour") else value.isoformat()
        return value

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type; an instant as its time in UTC."""
        if field.type == "datetime":
            column = exp.AtTimeZone(this=column, zone=exp.Literal.string("UTC"))
        return exp.cast(column, self.find_type(field.physical))

    def is_nan(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is NaN."""
        return call("IS_NAN", value)

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is neither NaN nor an infinity."""
        return call("IS_FINITE", value)

    def limb_sum(self, value: exp.Expr) -> exp.Expr:
        """Return the sum of limbs as a decimal of 38 digits."""
        return exp.Sum(this=exp.cast(value, exp.DataType.build(f"decimal({SUMMED_LIMB},0)")))

    def build_wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:
        """Return the sum as a decimal of 38 digits, where no values can exceed those."""
        return build_decimal_sum(field, value, SUMMED)

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:  # noqa: ARG002
        """Return both halves of the unscaled value's 38 digits."""
        return split_decimal(value, self.find_type("string"))

    def contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text has another in it."""
        place = call("STRPOS", text, part)
        return exp.GT(this=place, expression=exp.Literal.number(0))

    def starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text begins with another."""
        return call("STARTS_WITH", text, part)
