"""Oracle's SQL, from 12.2 on, in a session that the link has set: binary sort and comparison, UTC.

Empty text is null in Oracle. A condition that something equals the empty text is met by no row there, and no source of
ours can tell one from the other.
"""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

from sqlglot import exp

from service_nb.query.spelling import LARGEST, Spelling, Summand, call
from service_nb.query.spellings.digits import MOST_SUMMED, count_digits, write_with_exponent
from service_nb.schema.source import Field, Value

HALF = 10**19
MOMENT = 'YYYY-MM-DD"T"HH24:MI:SS.FF6'


class OracleSpelling(Spelling):
    """BINARY_DOUBLE is binary64; DOUBLE PRECISION would be a decimal. NUMBER adds exactly up to 38 digits.

    Two things that IEEE 754 says otherwise do no harm: -0.0 does not exist, and NaN is equal to itself and the largest.
    """

    dialect = "oracle"
    quoted = True
    finite_range = (2.2250738585072014e-308, LARGEST)
    empty_text = False

    def find_type(self, physical: str) -> exp.DataType:
        """Return the type that holds a field's physical type."""
        if physical == "float64":
            return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="BINARY_DOUBLE")
        return exp.DataType.build(_TYPES.get(physical, physical.replace("decimal", "number")), dialect="oracle")

    def build_double(self, value: float) -> exp.Expr:
        """Return a literal of BINARY_DOUBLE: digits, exponent, d."""
        literal: exp.Expr = exp.Var(this=f"{write_with_exponent(abs(value))}d")
        return exp.Neg(this=literal) if math.copysign(1.0, value) < 0 else literal

    def build_nonfinite(self, value: float) -> exp.Expr:
        """Return NaN or an infinity by its name."""
        if math.isnan(value):
            return exp.Var(this="BINARY_DOUBLE_NAN")
        infinity = exp.Var(this="BINARY_DOUBLE_INFINITY")
        return infinity if value > 0 else exp.Neg(this=infinity)

    def literal(self, field: Field, value: Value) -> exp.Expr:
        """Return a typed literal; times by a form of our own, for a session's would be used otherwise."""
        if isinstance(value, datetime.date):
            moment = value if isinstance(value, datetime.datetime) else datetime.datetime(*value.timetuple()[:3])  # noqa: DTZ001
            text = exp.Literal.string(moment.isoformat(timespec="microseconds"))
            return call("TO_TIMESTAMP", text, exp.Literal.string(MOMENT))
        if isinstance(value, int | Decimal) and not isinstance(value, bool):
            return exp.cast(exp.Literal.number(format(value, "f")), self.find_type(field.physical))
        return super().literal(field, value)

    def add_row_table(self, select: exp.Select) -> exp.Select:
        """Return a SELECT of literals from the table that has one row."""
        return select.from_(exp.to_table("DUAL"), copy=False)

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type; times in UTC, for so is the session."""
        match field.physical:
            case "float64":
                return exp.cast(column, self.find_type("float64"))
            case "string":
                return call("TO_CHAR", column)
            case "datetime" | "date":
                zoned = exp.cast(column, exp.DataType.build("timestamp with time zone", dialect="oracle"))
                return call("SYS_EXTRACT_UTC", zoned)
        return column

    def is_nan(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is NaN."""
        return exp.Is(this=value, expression=exp.Var(this="NAN"))

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is neither NaN, which is larger than any, nor an infinity."""
        return self.within(value, LARGEST)

    def build_wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:
        """Return the sum where it needs no more than the 38 digits that NUMBER holds; beyond, it would round."""
        return None if count_digits(field)[0] > MOST_SUMMED else exp.Sum(this=value)

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:
        """Return both halves of the unscaled value's 38 digits; by powers of ten NUMBER computes exactly."""
        shift = exp.Literal.number(10 ** count_digits(field)[1])
        units = exp.paren(exp.Mul(this=value, expression=shift), copy=False)
        half = exp.Literal.number(HALF)
        high = call("TRUNC", exp.Div(this=units, expression=half))
        low = exp.Mod(this=units.copy(), expression=half.copy())
        return (HALF, high), (1, low)

    def build_never(self) -> exp.Expr:
        """Return a condition that no row meets."""
        return exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(0))

    def contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text has another in it."""
        return _build_search(text, part, exp.GTE)

    def starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text begins with another."""
        return _build_search(text, part, exp.EQ)

    def bound(self, value: object, field: Field) -> exp.Expr:  # noqa: ARG002
        """Return a placeholder; the link binds each value with the type that it has here."""
        return exp.Placeholder()


def _build_search(text: exp.Expr, part: exp.Expr, compared: type[exp.Binary]) -> exp.Expr:
    """Build the test that INSTR finds a part; the empty part is null here, and counts as found at the first place."""
    one = exp.Literal.number(1)
    place = call("NVL", call("INSTR", text, part), one)
    there = exp.not_(exp.Is(this=text.copy(), expression=exp.Null()))
    return exp.and_(compared(this=place, expression=one.copy()), there, copy=False)


_TYPES = {
    "int64": "number(19)",
    "string": "varchar2(4000)",
    "boolean": "boolean",
    "date": "timestamp(6)",
    "datetime": "timestamp(6)",
}
