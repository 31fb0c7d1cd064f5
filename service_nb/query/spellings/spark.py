"""Spark's SQL, as Spark, Sail and Databricks read it."""

from __future__ import annotations

from sqlglot import exp

from service_nb.query.spelling import LARGEST, Spelling, Summand, call
from service_nb.query.spellings.digits import SUMMED, build_decimal_sum, split_decimal, write_with_exponent
from service_nb.schema.source import Field


class SparkSpelling(Spelling):
    """Texts are UTF8_BINARY, casts are ANSI's, which raise instead of returning null; the link sets both.

    Casts from double to integer cut off. Sums of BIGINT raise in Spark and wrap in Sail, so limbs are narrow enough for
    neither, and columns of integers are summed as decimals.
    """

    dialect = "spark"
    sum_widens = False
    literal_values = True

    def find_type(self, physical: str) -> exp.DataType:
        """Return the type that holds a field's physical type."""
        if physical == "datetime":
            return exp.DataType(this=exp.DataType.Type.TIMESTAMPNTZ)
        return exp.DataType.build("text") if physical == "string" else super().find_type(physical)

    def build_double(self, value: float) -> exp.Expr:
        """Return a literal that is this very double; without an exponent it would be a decimal first."""
        return exp.cast(exp.Literal.number(write_with_exponent(value)), self.find_type("float64"))

    def bound(self, value: object, field: Field) -> exp.Expr:  # noqa: ARG002
        """Return a placeholder; a time is sent as text, for no session's zone to be added."""
        return (
            exp.cast(exp.Placeholder(), self.find_type("datetime")) if field.type == "datetime" else exp.Placeholder()
        )

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type."""
        return exp.cast(column, self.find_type(field.physical))

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is neither NaN, which is larger than any, nor an infinity."""
        return self.within(value, LARGEST)

    def build_wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:
        """Return the sum as a decimal of 38 digits, where no values can exceed those."""
        return build_decimal_sum(field, value, SUMMED)

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:  # noqa: ARG002
        """Return both halves of the unscaled value's 38 digits: `div` would be a BIGINT, and too small."""
        return split_decimal(value, exp.DataType.build("text"))

    def contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text has another in it."""
        return call("CONTAINS", text, part)

    def starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text begins with another."""
        return call("STARTSWITH", text, part)


class SailSpelling(SparkSpelling):
    """Sail's: the largest of a group of nothing but -Infinity is a finite number there, and the smallest likewise."""

    def extreme(self, field: Field, value: exp.Expr) -> exp.Expr:
        """Return doubles inside of a structure, which are compared by another part of Sail; the link unwraps them."""
        if field.physical != "float64":
            return super().extreme(field, value)
        held = call("NAMED_STRUCT", exp.Literal.string("held"), value)
        return exp.Case().when(exp.not_(exp.Is(this=value.copy(), expression=exp.Null()), copy=False), held, copy=False)
