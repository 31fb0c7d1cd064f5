"""SQLite's SQL.

Any column may hold a value of any type, and a cast makes some number of every text. So a value that is not of its
column's type raises (`_build_raising_expression`): the statement fails, and the rows are read one by one, where it is
an error that can name the place. Literals of doubles are not always read correctly rounded, so they are computed from
integers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from sqlglot import exp

from service_nb.query.lookups import build_lookup, compute_value_range, find_text_after, list_lookup_values
from service_nb.query.spelling import Spelling, Summand, call
from service_nb.schema.query import Condition
from service_nb.schema.source import Field

_STEP = 52  # 2**52 is an integer and a double
_HELD = 2**53  # all integers up to it are doubles
_HALF = 32  # bits of one half of an integer that is summed in two
_KINDS: Mapping[str, tuple[str, ...]] = {
    "int64": ("integer",),
    "boolean": ("integer",),
    "float64": ("real", "integer"),
    "string": ("text",),
}


class SQLiteSpelling(Spelling):
    """SQLite 3.33 and later, in a database whose encoding is UTF-8.

    Casts cut off; SUM of integers raises beyond 64 bits. NaN is NULL; infinities are values.
    """

    dialect = "sqlite"
    quoted = True
    sum_widens = False
    decimals = False
    nonfinite = (math.inf, -math.inf)

    def find_type(self, physical: str) -> exp.DataType:
        """Return the type that holds a field's physical type."""
        return exp.DataType.build("text") if physical in ("string", "date", "datetime") else super().find_type(physical)

    def build_double(self, value: float) -> exp.Expr:
        """Return this very double as an integer times a power of two; each step on the way there is exact."""
        numerator, denominator = value.as_integer_ratio()
        exponent = 1 - denominator.bit_length()
        while numerator and numerator % 2 == 0 and abs(numerator) >= 2**_STEP:
            numerator, exponent = numerator // 2, exponent + 1
        return _build_scaled_integer(numerator, exponent)

    def build_nonfinite(self, value: float) -> exp.Expr:
        """Return an infinity: what a literal beyond the range is."""
        return exp.Literal.number("9e999") if value > 0 else exp.Neg(this=exp.Literal.number("9e999"))

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type; a value of another type raises."""
        kinds = _KINDS.get(field.physical, ("text",))
        found = exp.func("typeof", column.copy())
        listed: exp.Expr = exp.In(this=found, expressions=[exp.Literal.string(kind) for kind in (*kinds, "null")])
        if field.physical == "float64":  # an integer among them is one that a double holds
            bounds = {"low": exp.Literal.number(-_HELD), "high": exp.Literal.number(_HELD)}
            small = exp.Between(this=column.copy(), **bounds)
            is_real = exp.EQ(this=found.copy(), expression=exp.Literal.string("real"))
            listed = exp.and_(listed, exp.or_(is_real, exp.Is(this=column.copy(), expression=exp.Null()), small))
        cast = exp.cast(column, self.find_type(field.physical)) if field.physical == "float64" else column
        return exp.paren(
            exp.Case().when(listed, cast, copy=False).else_(_build_raising_expression(column.copy()), copy=False)
        )

    def text(self, value: exp.Expr) -> exp.Expr:
        """Return a text that compares by its bytes, whatever the column declares."""
        return exp.Collate(this=value, expression=exp.to_identifier("BINARY"))

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is not an infinity."""
        return exp.LT(this=exp.Abs(this=value), expression=self.build_nonfinite(math.inf))

    def build_wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:  # noqa: ARG002
        """Return None: there is no integer beyond 64 bits."""
        return None

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:  # noqa: ARG002
        """Return the upper bits of an integer, its sign among them, and the lower 32: 2**31 rows of both fit."""
        high = exp.BitwiseRightShift(this=value, expression=exp.Literal.number(_HALF))
        low = exp.BitwiseAnd(this=value.copy(), expression=exp.Literal.number(2**_HALF - 1))
        return (2**_HALF, high), (1, low)

    def build_index_condition(
        self, field: Field, condition: Condition, column: exp.Expr
    ) -> tuple[exp.Expr, list[object]] | None:
        """Return the condition of the column itself: what is read of it has no index.

        That all values are of one type was seen within the same transaction. A number is compared as a number whatever
        the column declares, for a cast says so of the operand, but not in a list.
        """
        if field.physical == "string":
            return _build_bytes_lookup(condition, column)
        values = list_lookup_values(field, condition)
        if not values or len(values) > _MOST_LISTED:
            return None
        marks: list[exp.Expr] = [exp.cast(exp.Placeholder(), _NUMBERS[field.physical]) for _ in values]
        if condition.op == "in":
            return exp.or_(*(exp.EQ(this=column.copy(), expression=mark) for mark in marks), copy=False), values
        return build_lookup(condition, column, marks), values

    def contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text has another in it."""
        return exp.GT(this=_build_instr_call(text, part), expression=exp.Literal.number(0))

    def starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text begins with another."""
        return exp.EQ(this=_build_instr_call(text, part), expression=exp.Literal.number(1))


def _build_bytes_lookup(condition: Condition, column: exp.Expr) -> tuple[exp.Expr, list[object]] | None:
    """Return the condition of texts as bytes, which an index has whose column declares no other collation.

    What a column declares may make a number of an operand that is one in digits. All texts come after it: so it may be
    a lower end, and nothing else.
    """
    column = exp.Collate(this=column, expression=exp.to_identifier("BINARY"))
    if condition.op == "in":
        values = list(condition.operand)
        if not values or len(values) > _MOST_LISTED or any(map(_NUMERAL.fullmatch, values)):
            return None
        return exp.In(this=column, expressions=[exp.Placeholder() for _ in values]), values
    sides: list[tuple[type[exp.Binary], str | None]]
    if condition.op == "starts_with":
        sides = [(exp.GTE, condition.operand), (exp.LT, find_text_after(condition.operand))]
    else:
        low, high = compute_value_range(
            condition, condition.operand if condition.op == "between" else [condition.operand]
        )
        sides = [(exp.GTE, low), (exp.LTE, high)]
    held = [(kind, end) for kind, end in sides if end and (kind is exp.GTE or not _NUMERAL.fullmatch(end))]
    if not held:
        return None
    trees = [kind(this=column.copy(), expression=exp.Placeholder()) for kind, _ in held]
    return exp.and_(*trees, copy=False), [end for _, end in held]


_MOST_LISTED = 50
_NUMBERS: Mapping[str, str] = {"int64": "bigint", "float64": "double"}
_NUMERAL = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


def _build_scaled_integer(integer: int, exponent: int) -> exp.Expr:
    """Return integer * 2**exponent, by powers of two; every literal is an integer that a double holds."""
    value = _build_integer_literal(integer)
    kind = exp.Mul if exponent > 0 else exp.Div
    left = abs(exponent)
    while left:
        step = min(left, _STEP)
        value = kind(this=value, expression=_build_integer_literal(2**step))
        left -= step
    return exp.paren(value, copy=False) if exponent else value


def _build_integer_literal(integer: int) -> exp.Expr:
    literal = exp.Literal.number(f"{abs(integer)}.0")
    return exp.Neg(this=literal) if integer < 0 else literal


def _build_raising_expression(column: exp.Expr) -> exp.Expr:
    """Build an expression that raises once a row evaluates it: the magnitude of the least integer."""
    nothing = exp.Mul(this=exp.Literal.number(0), expression=exp.func("length", column))
    least = exp.Sub(this=exp.Literal.number(-(2**63 - 1)), expression=exp.Literal.number(1))
    return exp.Abs(this=exp.Add(this=least, expression=nothing))


def _build_instr_call(text: exp.Expr, part: exp.Expr) -> exp.Expr:
    return call("INSTR", text, part)
