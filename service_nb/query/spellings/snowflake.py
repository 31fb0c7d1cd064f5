"""Snowflake's SQL, in a session whose time zone the link has set to UTC."""

from __future__ import annotations

import math
from decimal import Decimal

from sqlglot import exp

from service_nb.query.spelling import Spelling, Summand, call
from service_nb.query.spellings.digits import MOST_DIGITS, build_decimal_sum, split_decimal
from service_nb.schema.source import Field


class SnowflakeSpelling(Spelling):
    """FLOAT is binary64, NaN equal to itself and the largest. Sums of NUMBER have 38 digits and raise beyond.

    Text is compared as its bytes in UTF-8, for a column, schema or account may have a collation.
    """

    dialect = "snowflake"
    quoted = True

    def find_type(self, physical: str) -> exp.DataType:
        """Return the type that holds a field's physical type."""
        if physical == "datetime":
            return exp.DataType(this=exp.DataType.Type.TIMESTAMPNTZ)
        return super().find_type(physical)

    def build_double(self, value: float) -> exp.Expr:
        """Return a literal that is this very double, read from its digits: a number would be a decimal first."""
        return exp.cast(exp.Literal.string(repr(value)), self.find_type("float64"))

    def build_nonfinite(self, value: float) -> exp.Expr:
        """Return NaN or an infinity by the name that it has here."""
        name = "NaN" if math.isnan(value) else "inf" if value > 0 else "-inf"
        return exp.cast(exp.Literal.string(name), self.find_type("float64"))

    def bound(self, value: object, field: Field) -> exp.Expr:  # noqa: ARG002
        """Return a placeholder of the field's own type."""
        return exp.cast(exp.Placeholder(), self.find_type(field.physical))

    def convert_operand(self, value: object) -> object:
        """Return the operand as the driver takes it: digits, which are cast, of a decimal."""
        return format(value, "f") if isinstance(value, Decimal) else value

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type; a time finer than a result's raises."""
        if field.physical != "datetime":
            return exp.cast(column, self.find_type(field.physical))
        moment = exp.cast(column, self.find_type("datetime"))
        whole = exp.EQ(this=call("DATE_TRUNC", exp.Literal.string("microsecond"), moment.copy()), expression=moment)
        # No text that ends so is a time: the cast is what says that the column cannot be read without a loss.
        finer = exp.DPipe(this=exp.cast(column.copy(), "varchar"), expression=exp.Literal.string(" is too fine"))
        null = exp.Is(this=column.copy(), expression=exp.Null())
        kept = exp.Case().when(exp.or_(null, whole, copy=False), moment.copy(), copy=False)
        return kept.else_(exp.cast(finer, self.find_type("datetime")), copy=False)

    def text(self, value: exp.Expr) -> exp.Expr:
        """Return a text as its bytes in UTF-8."""
        return exp.ToBinary(this=value, format=exp.Literal.string("UTF-8"))

    def is_nan(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is NaN, which equals itself here."""
        return exp.EQ(this=value, expression=self.build_nonfinite(math.nan))

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is below infinity; NaN is above."""
        return exp.LT(this=exp.Abs(this=value), expression=self.build_nonfinite(math.inf))

    def build_wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:
        """Return the sum where no values can exceed the 38 digits that it has."""
        return build_decimal_sum(field, value, MOST_DIGITS)

    def limb_sum(self, value: exp.Expr) -> exp.Expr:
        """Return the sum of integers as a number of 38 digits."""
        return exp.Sum(this=exp.cast(value, exp.DataType.build("decimal(38,0)")))

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:  # noqa: ARG002
        """Return both halves of the unscaled value's 38 digits, cut out of its text."""
        return split_decimal(value, exp.DataType.build("varchar"))

    def contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text has another in it."""
        return call("CONTAINS", _strip_collation(text), _strip_collation(part))

    def starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text begins with another."""
        return call("STARTSWITH", _strip_collation(text), _strip_collation(part))


def _strip_collation(text: exp.Expr) -> exp.Expr:
    """Return the characters that bytes were made of, without a collation, which the search would follow."""
    return call("COLLATE", text.this, exp.Literal.string(""))
