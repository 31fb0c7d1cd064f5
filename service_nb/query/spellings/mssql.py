"""SQL Server's T-SQL, from 2019 on: UTF-8 collations are needed for text to compare by code point."""

from __future__ import annotations

import datetime

from sqlglot import exp

from service_nb.query.spelling import LARGEST, Spelling, Summand, call
from service_nb.query.spellings.digits import HALF, MOST_DIGITS, build_decimal_sum, write_with_exponent
from service_nb.schema.source import Field, Value

BYTES = "Latin1_General_100_BIN2_UTF8"  # a collation whose VARCHAR holds UTF-8 and compares by its bytes


class MssqlSpelling(Spelling):
    """FLOAT is binary64 without NaN, infinities and subnormals; SUM(BIGINT) raises, so integers are summed as DECIMAL.

    Text is compared as the hexadecimal digits of its UTF-8, held as bytes. As text, trailing spaces would not count,
    whatever the collation; as its own bytes, trailing zeros would not.
    """

    dialect = "tsql"
    quoted = True
    nonfinite = ()
    finite_range = (2.2250738585072014e-308, LARGEST)

    def find_type(self, physical: str) -> exp.DataType:
        """Return the type that holds a field's physical type."""
        return exp.DataType.build(_TYPES.get(physical, physical), dialect="tsql")

    def build_double(self, value: float) -> exp.Expr:
        """Return a literal that is this very double: without an exponent it would be a decimal first."""
        return exp.cast(exp.Literal.number(write_with_exponent(value)), self.find_type("float64"))

    def literal(self, field: Field, value: Value) -> exp.Expr:
        """Return a typed literal; text in Unicode, times without a blank, which a session's language would read."""
        if isinstance(value, bool):
            return exp.cast(exp.Literal.number(int(value)), self.find_type("boolean"))
        if isinstance(value, str):
            return exp.cast(exp.National(this=value), self.find_type("string"))
        if isinstance(value, datetime.date):
            return exp.cast(exp.Literal.string(value.isoformat()), self.find_type(field.physical))
        return super().literal(field, value)

    def bound(self, value: object, field: Field) -> exp.Expr:  # noqa: ARG002
        """Return a placeholder of the field's own type."""
        return exp.cast(exp.Placeholder(), self.find_type(field.physical))

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type; times with an offset become UTC."""
        if field.physical == "datetime":
            column = exp.AtTimeZone(this=column, zone=exp.Literal.string("UTC"))
        return exp.cast(column, self.find_type(field.physical))

    def text(self, value: exp.Expr) -> exp.Expr:
        """Return a text as the digits of its bytes, themselves as bytes."""
        data = exp.cast(_convert_to_utf8(value), _VARBINARY.copy())
        digits = call("CONVERT", _VARCHAR.copy(), data, exp.Literal.number(2))
        return exp.cast(digits, _VARBINARY.copy())

    def is_nan(self, value: exp.Expr) -> exp.Expr:  # noqa: ARG002
        """Return the condition that a double is NaN: no column holds one."""
        return self.build_never()

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is finite: every one is."""
        return exp.not_(exp.Is(this=value, expression=exp.Null()))

    def is_infinite(self, value: exp.Expr, sign: int) -> exp.Expr:  # noqa: ARG002
        """Return the condition that a double is an infinity: no column holds one."""
        return self.build_never()

    def count(self, value: exp.Expr) -> exp.Expr:
        """Count rows with COUNT_BIG: COUNT overflows at 2**31."""
        return exp.Count(this=value, big_int=True)

    def limb_sum(self, value: exp.Expr) -> exp.Expr:
        """Return the sum of integers as a decimal of 38 digits."""
        return exp.Sum(this=exp.cast(value, exp.DataType.build("decimal(38,0)")))

    def build_wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:
        """Return the sum as a decimal of 38 digits, where no values can exceed those."""
        return build_decimal_sum(field, value, MOST_DIGITS)

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:  # noqa: ARG002
        """Return both halves of the unscaled value's 38 digits, cut out of its text."""
        digits: exp.Expr = exp.cast(value.copy(), exp.DataType.build("varchar(50)"))
        for sign in (".", "-"):
            digits = call("REPLACE", digits, exp.Literal.string(sign), exp.Literal.string(""))
        zeros = call("REPLICATE", exp.Literal.string("0"), exp.Literal.number(MOST_DIGITS))
        padded = call("RIGHT", call("CONCAT", zeros, digits), exp.Literal.number(MOST_DIGITS))
        negative = exp.LT(this=value, expression=exp.Literal.number(0))
        parts = []
        for start, weight in ((1, 10**HALF), (HALF + 1, 1)):
            cut = call("SUBSTRING", padded.copy(), exp.Literal.number(start), exp.Literal.number(HALF))
            part = exp.cast(cut, exp.DataType.build("decimal(38,0)"))
            known = exp.Case().when(negative.copy(), exp.Neg(this=part), copy=False).else_(part.copy(), copy=False)
            null = exp.Is(this=value.copy(), expression=exp.Null())  # CONCAT takes null for no text at all
            parts.append((weight, exp.Case().when(exp.not_(null), known, copy=False)))
        return tuple(parts)

    def extreme(self, field: Field, value: exp.Expr) -> exp.Expr:
        """Build the expression that min and max are taken of: text by its bytes."""
        return self.text(value) if field.physical == "string" else value

    def contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text has another in it."""
        return _build_search(text, part, exp.GT)

    def starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text begins with another."""
        return _build_search(text, part, exp.EQ)


def _build_search(text: exp.Expr, part: exp.Expr, compared: type[exp.Binary]) -> exp.Expr:
    """Build the test that CHARINDEX finds a part; `EQ`: at the first place. The empty part is tested apart."""
    whole = _unwrap_text(text)
    sought = exp.column(exp.to_identifier("p", quoted=True))
    one = exp.Select(expressions=[exp.alias_(_unwrap_text(part), exp.to_identifier("p", quoted=True), copy=False)])
    place = call("CHARINDEX", sought, whole)
    bound = exp.Literal.number(1 if compared is exp.EQ else 0)
    empty = exp.EQ(this=call("DATALENGTH", sought.copy()), expression=exp.Literal.number(0))
    there = exp.not_(exp.Is(this=whole.copy(), expression=exp.Null()))
    met = exp.or_(compared(this=place, expression=bound), exp.and_(empty, there, copy=False), copy=False)
    inner = exp.Select(expressions=[exp.Literal.number(1).as_("one")])
    named = one.subquery(exp.to_identifier("sought", quoted=True), copy=False)
    return exp.Exists(this=inner.from_(named, copy=False).where(met, copy=False))


def _unwrap_text(text: exp.Expr) -> exp.Expr:
    """Unwrap `text` to its UTF-8 characters: a search in hexadecimal digits could match at half a byte."""
    data = text.this.expressions[1]  # CAST(CONVERT(VARCHAR(MAX), data, 2) AS VARBINARY(MAX))
    plain: exp.Expr = data.this.copy()
    return plain


def _convert_to_utf8(value: exp.Expr) -> exp.Expr:
    collated = exp.Collate(this=value, expression=exp.Var(this=BYTES))
    return exp.cast(collated, _VARCHAR.copy())


_VARCHAR = exp.DataType.build("varchar(max)", dialect="tsql")
_VARBINARY = exp.DataType.build("varbinary(max)", dialect="tsql")
_TYPES = {
    "int64": "bigint",
    "float64": "double",
    "string": "nvarchar(max)",
    "boolean": "bit",
    "date": "date",
    "datetime": "datetime2(6)",
}
