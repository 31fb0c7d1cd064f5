"""The SQL of MySQL 8 and MariaDB.

Their collations ignore case, accents and trailing spaces, as columns declare; so texts are compared as the bytes of
their UTF-8. They have neither NaN nor infinities. Sums of integers and decimals have 65 digits.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from service_nb.query.lookups import build_lookup, compute_value_range, list_lookup_values
from service_nb.query.spelling import Spelling, call
from service_nb.query.spellings.digits import write_with_exponent
from service_nb.schema.query import Condition
from service_nb.schema.source import Field

_MICROSECONDS = 6
_YEARS = (1901, 2155)


class MySQLSpelling(Spelling):
    """Casts round; the sum of BIGINT is a DECIMAL. Text keys come as bytes."""

    dialect = "mysql"
    quoted = True
    nonfinite = ()

    def find_type(self, physical: str) -> exp.DataType:
        """Return the type that holds a field's physical type; what can be cast to has names of its own here."""
        match physical:
            case "string":
                return _UTF8
            case "datetime":
                digits = exp.DataTypeParam(this=exp.Literal.number(_MICROSECONDS))
                return exp.DataType(this=exp.DataType.Type.DATETIME, expressions=[digits])
            case "boolean":
                return super().find_type("int64")
        return super().find_type(physical)

    def build_double(self, value: float) -> exp.Expr:
        """Return a literal that is this very double: one without an exponent would be a decimal."""
        return exp.Literal.number(write_with_exponent(value))

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type; sessions are in UTC."""
        if field.physical == "boolean":
            return exp.NEQ(this=column, expression=exp.Literal.number(0))
        return exp.cast(column, self.find_type(field.physical))

    def bound(self, value: object, field: Field) -> exp.Expr:  # noqa: ARG002
        """Return a placeholder of the column's own type; numbers and truth are sent as what they are."""
        if field.type in ("number", "boolean"):
            return exp.Placeholder()
        return exp.cast(exp.Placeholder(), self.find_type(field.physical))

    def text(self, value: exp.Expr) -> exp.Expr:
        """Return the bytes of a text, which no collation compares and no trailing space is left out of."""
        return exp.cast(value, exp.DataType.build("binary"))

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that there is a double: all are finite."""
        return exp.not_(exp.Is(this=value, expression=exp.Null()))

    def whole(self, value: exp.Expr) -> exp.Expr:
        """Return a double cut off."""
        return call("TRUNCATE", value, exp.Literal.number(0))

    def build_index_condition(
        self, field: Field, condition: Condition, column: exp.Expr
    ) -> tuple[exp.Expr, list[object]] | None:
        """Return the condition of the column itself: of what it is cast to there is no index.

        Texts that are the same bytes are equal under every collation; by what a LIKE may look for in an index of
        another one is not known here.
        """
        values = list_lookup_values(field, condition)
        if not values or "" in values:  # an ENUM has two empty texts, and looks up one of them
            return None
        if field.physical == "float64" or (field.physical == "int64" and condition.op not in ("eq", "in")):
            low, high = compute_value_range(condition, values)
            return _build_range_condition(
                column, *((low, high) if field.physical == "float64" else _limit_year_ends(low, high))
            )
        text = field.physical == "string"
        marks = [exp.Placeholder() if text else self.bound(value, field) for value in values]
        tree = build_lookup(condition, column, marks)
        return (_restrict_charsets(tree, column) if text and any(map(_is_spelt_twice, values)) else tree), values

    def contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text has another in it."""
        return exp.GT(this=_build_locate_call(part, text), expression=exp.Literal.number(0))

    def starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text begins with another."""
        return exp.EQ(this=_build_locate_call(part, text), expression=exp.Literal.number(1))


def _build_range_condition(column: exp.Expr, low: object, high: object) -> tuple[exp.Expr, list[Any]] | None:
    """Return the condition of both ends that there are.

    A column that is narrower than an end rounds it as it has rounded its own values, so none of these is left out.
    """
    ends = [(exp.GTE, low), (exp.LTE, high)]
    sides: list[exp.Expr] = [
        kind(this=column.copy(), expression=exp.Placeholder()) for kind, end in ends if end is not None
    ]
    return (exp.and_(*sides, copy=False), [end for _, end in ends if end is not None]) if sides else None


def _limit_year_ends(low: int | None, high: int | None) -> tuple[int | None, int | None]:
    """Return the ends by which a column of years is compared as any other of integers is.

    It takes numbers of two digits for years, and what lies beyond its years for the least; so an end beyond them may be
    given only where no year is on its side.
    """
    first, last = _YEARS
    if (low is not None and low > last) or (high is not None and high < 0):
        return low, high
    return tuple(end if end is not None and first <= end <= last else None for end in (low, high))  # type: ignore[return-value]


def _is_spelt_twice(text: str) -> bool:
    """Tell whether a text may have several spellings in an older character set, as of Japanese or Chinese."""
    return any(char in "\\~" or (char >= "\u2100" and not "\u3040" <= char <= "\u30ff") for char in text)


def _restrict_charsets(looked_up: exp.Expr, column: exp.Expr) -> exp.Expr:
    """Return the condition for columns of character sets in which each text is one sequence of bytes.

    Others hold what is the same text here in bytes that their indexes do not find. MariaDB knows before it reads a row
    which of both it is.
    """
    names = [exp.Literal.string(name) for name in _SPELT_ONCE]
    known = exp.In(this=call("CHARSET", column.copy()), expressions=names)
    return exp.or_(looked_up, exp.not_(known, copy=False), copy=False)


_SPELT_ONCE = ("utf8mb4", "utf8mb3", "utf8", "latin1", "ascii", "ucs2", "utf16", "utf16le", "utf32")
_UTF8 = exp.DataType(this=exp.DataType.Type.CHARACTER_SET, kind=exp.Var(this="utf8mb4"))


def _build_locate_call(part: exp.Expr, text: exp.Expr) -> exp.Expr:
    return call("LOCATE", part, text)
