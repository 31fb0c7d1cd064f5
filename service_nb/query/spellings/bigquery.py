"""BigQuery's SQL (GoogleSQL)."""

from __future__ import annotations

from sqlglot import exp

from service_nb.query.spelling import LARGEST, Spelling, call
from service_nb.query.spellings.digits import write_with_exponent
from service_nb.schema.source import Field

NUMERIC = (29, 9)  # digits before and after the point that NUMERIC has


class BigQuerySpelling(Spelling):
    """FLOAT64 is binary64. Sums of INT64 raise beyond 64 bits, so integers are summed as BIGNUMERIC.

    Columns with a collation are refused by the link, so text compares by its bytes.
    """

    dialect = "bigquery"
    quoted = True

    def find_type(self, physical: str) -> exp.DataType:
        """Return the type that holds a field's physical type; NUMERIC where its digits do."""
        if physical.startswith("decimal("):
            precision, scale = map(int, physical[len("decimal(") : -1].split(","))
            fits = precision - scale <= NUMERIC[0] and scale <= NUMERIC[1]
            return exp.DataType.build("numeric" if fits else "bignumeric", dialect="bigquery")
        return exp.DataType.build(_TYPES[physical], dialect="bigquery")

    def build_double(self, value: float) -> exp.Expr:
        """Return a literal that is this very double: with an exponent it is a FLOAT64 from the start."""
        return exp.cast(exp.Literal.number(write_with_exponent(value)), self.find_type("float64"))

    def bound(self, value: object, field: Field) -> exp.Expr:  # noqa: ARG002
        """Return a placeholder of the field's own type."""
        return exp.cast(exp.Placeholder(), self.find_type(field.physical))

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type; a TIMESTAMP becomes a DATETIME in UTC."""
        return exp.cast(column, self.find_type("datetime")) if field.physical == "datetime" else column

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is finite: comparisons with NaN are false."""
        return self.within(value, LARGEST)

    def within(self, value: exp.Expr, bound: float) -> exp.Expr:
        """Return the condition that a double's magnitude is at most `bound`."""
        near = super().within(value.copy(), bound)
        return exp.and_(near, exp.not_(self.is_nan(value)), copy=False)

    def limb_sum(self, value: exp.Expr) -> exp.Expr:
        """Return the sum of integers as BIGNUMERIC."""
        return exp.Sum(this=exp.cast(value, exp.DataType.build("bignumeric", dialect="bigquery")))

    def build_wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:  # noqa: ARG002
        """Return the sum as BIGNUMERIC, which has 38 digits before the point and 38 after it.

        The sum of more than 10**9 of the largest values that a NUMERIC holds is beyond that, and raises.
        """
        return self.limb_sum(value)

    def contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text has another in it."""
        place = call("STRPOS", text, part)
        return exp.GT(this=place, expression=exp.Literal.number(0))

    def starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text begins with another."""
        return call("STARTS_WITH", text, part)


_TYPES = {
    "int64": "int64",
    "float64": "float64",
    "string": "string",
    "boolean": "bool",
    "date": "date",
    "datetime": "datetime",
}
