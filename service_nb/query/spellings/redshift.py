"""Amazon Redshift's SQL: PostgreSQL's of long ago, with types of its own."""

from __future__ import annotations

import math

from sqlglot import exp

from service_nb.query.spelling import Spelling, Summand, call
from service_nb.query.spellings.digits import MOST_SUMMED, count_digits, split_decimal
from service_nb.schema.source import Field


class RedshiftSpelling(Spelling):
    """Sums of integers are DECIMAL(38) and raise beyond; NaN is equal to itself and the largest.

    Text is compared as its bytes (VARBYTE): as text, trailing spaces would not count, and a collation may.
    """

    dialect = "redshift"
    quoted = True
    finite_range = (2.2250738585072014e-308, 1.7976931348623157e308)

    def find_type(self, physical: str) -> exp.DataType:
        """Return the type that holds a field's physical type; VARCHAR by itself would cut after 256 bytes."""
        return exp.DataType.build("varchar(65535)") if physical == "string" else super().find_type(physical)

    def build_double(self, value: float) -> exp.Expr:
        """Return a literal that is this very double, read from its digits: a number would be a decimal first."""
        return exp.cast(exp.Literal.string(repr(value)), self.find_type("float64"))

    def bound(self, value: object, field: Field) -> exp.Expr:  # noqa: ARG002
        """Return a placeholder of the field's own type."""
        return exp.cast(exp.Placeholder(), self.find_type(field.physical))

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type; the session's zone is UTC."""
        return exp.cast(column, self.find_type(field.physical))

    def text(self, value: exp.Expr) -> exp.Expr:
        """Return a text as its bytes in UTF-8."""
        return call("TO_VARBYTE", value, exp.Literal.string("utf8"))

    def is_nan(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is NaN, which equals itself here."""
        return exp.EQ(this=value, expression=self.build_nonfinite(math.nan))

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is below infinity; NaN is above."""
        return exp.LT(this=exp.Abs(this=value), expression=self.build_nonfinite(math.inf))

    def scale_to_integer(self, value: exp.Expr, scale: int) -> exp.Expr:
        """Return the integer next to value * 2**scale; a product too small for a double would be an error."""
        cut = super().scale_to_integer(value, scale)
        if scale >= 0:
            return cut
        small = self.within(value.copy(), math.ldexp(1.0, -scale - 1))
        return exp.Case().when(small, self.build_double(0.0), copy=False).else_(cut, copy=False)

    def build_wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:
        """Return the sum where no values can exceed the 38 digits that it has."""
        return None if count_digits(field)[0] > MOST_SUMMED else exp.Sum(this=value)

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:  # noqa: ARG002
        """Return both halves of the unscaled value's 38 digits, cut out of its text."""
        return split_decimal(value, exp.DataType.build("varchar(50)"))

    def contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text has another in it."""
        return exp.GT(this=_place(text, part), expression=exp.Literal.number(0))

    def starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text begins with another."""
        return exp.EQ(this=_place(text, part), expression=exp.Literal.number(1))


def _place(text: exp.Expr, part: exp.Expr) -> exp.Expr:
    """Return where a part is found first, in the characters that both bytes were made of."""
    return call("STRPOS", text.expressions[0], part.expressions[0])
