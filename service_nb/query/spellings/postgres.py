"""PostgreSQL's SQL.

Its doubles raise where others round to zero or to infinity; NaN is its largest number; collation "C" compares bytes.
"""

from __future__ import annotations

import math

from sqlglot import exp

from service_nb.query.lookups import build_lookup, list_lookup_values
from service_nb.query.spelling import LARGEST, Spelling, build_type, call
from service_nb.schema.query import Condition
from service_nb.schema.source import Field


class PostgresSpelling(Spelling):
    """PostgreSQL 12 and later, with a server encoding of UTF-8. Sums of BIGINT are NUMERIC, casts round."""

    dialect = "postgres"
    quoted = True
    nul_text = False
    literal_values = True
    decimal_nan = True

    def find_type(self, physical: str) -> exp.DataType:
        """Return the type that holds a field's physical type."""
        return build_type("text") if physical == "string" else super().find_type(physical)

    def build_double(self, value: float) -> exp.Expr:
        """Return a literal that is this very double: of a text, for a number with an exponent is a NUMERIC here."""
        return exp.cast(exp.Literal.string(repr(value)), self.find_type("float64"), copy=False)

    def bound(self, value: object, field: Field) -> exp.Expr:  # noqa: ARG002
        """Return a placeholder of the column's own type."""
        return exp.cast(exp.Placeholder(), self.find_type(field.physical), copy=False)

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type; sessions are in UTC."""
        return exp.cast(column, self.find_type(field.physical), copy=False)

    def text(self, value: exp.Expr) -> exp.Expr:
        """Return a text that compares by its bytes."""
        return exp.Collate(this=value, expression=exp.to_identifier("C", quoted=True))

    def is_nan(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is NaN, which equals itself here."""
        return exp.EQ(this=value, expression=self.build_nonfinite(math.nan))

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is neither NaN, which is larger than any, nor an infinity."""
        return self.within(value, LARGEST)

    def build_least(self, field: Field, value: exp.Expr) -> exp.Expr:
        """Return the least, and of decimals NaN, their largest, where it is among them: no number is the least then."""
        if not field.physical.startswith("decimal("):
            return super().build_least(field, value)
        nan = exp.cast(exp.Literal.string("NaN"), self.find_type(field.physical), copy=False)
        largest = exp.Max(this=value.copy())
        among = exp.EQ(this=largest, expression=nan)
        return exp.Case().when(among, largest.copy(), copy=False).else_(exp.Min(this=value), copy=False)

    def whole(self, value: exp.Expr) -> exp.Expr:
        """Return a double cut off."""
        return call("TRUNC", value)

    def scale_to_integer(self, value: exp.Expr, scale: int) -> exp.Expr:
        """Return the integer next to value * 2**scale; of products below one half 0, for an underflow is an error."""
        cut = super().scale_to_integer(value, scale)
        if scale >= 0:
            return cut
        small = self.within(value.copy(), 2.0 ** (-scale - 1))
        return exp.Case().when(small, self.build_double(0.0), copy=False).else_(cut, copy=False)

    def build_index_condition(
        self, field: Field, condition: Condition, column: exp.Expr
    ) -> tuple[exp.Expr, list[object]] | None:
        """Return the condition of the column itself: indexes are of its own type and collation, not of what is read.

        Texts that are the same bytes are equal under every collation; operands of a text take the column's own type.
        Their order and beginnings need nothing here: an index that is of bytes answers the exact condition itself, and
        of another one no range is known to hold them all. A REAL is compared with a DOUBLE as the double that it is.
        """
        values = list_lookup_values(field, condition)
        if not values or any(isinstance(value, str) and "\0" in value for value in values):
            return None
        text = field.physical == "string"
        marks = [exp.Placeholder() if text else self.bound(value, field) for value in values]
        return build_lookup(condition, column, marks), values

    def contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text has another in it."""
        found = call("STRPOS", text, part)
        return exp.GT(this=found, expression=exp.Literal.number(0))

    def starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text begins with another."""
        return call("STARTS_WITH", text, part)
