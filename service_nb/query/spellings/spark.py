"""Spark's SQL, as Spark, Sail and Databricks read it."""

from __future__ import annotations

import math
from typing import Any

from sqlglot import exp

from service_nb.query.spelling import LARGEST, Spelling, Summand
from service_nb.records.source import Field

MOST_DIGITS = 38
SUMMED = 28  # digits of what is summed: sums have ten more, and 2**40 rows of 25 digits fit
MOST_SUMMED = 25
HALF = 19  # digits of one half of a decimal that is summed in two


class SparkSpelling(Spelling):
    """Texts are UTF8_BINARY, casts are ANSI's, which raise instead of returning null; the link sets both.

    Casts from double to integer cut off. Sums of BIGINT raise in Spark and wrap in Sail, so limbs are narrow enough for
    neither, and columns of integers are summed as decimals.
    """

    dialect = "spark"
    sum_widens = False

    def type_of(self, physical: str) -> exp.DataType:
        """Return the type that holds a field's physical type."""
        if physical == "datetime":
            return exp.DataType(this=exp.DataType.Type.TIMESTAMPNTZ)
        return exp.DataType.build("text") if physical == "string" else super().type_of(physical)

    def double(self, value: float) -> exp.Expr:
        """Return a literal that is this very double; without an exponent it would be a decimal first."""
        return exp.cast(exp.Literal.number(with_exponent(value)), self.type_of("float64"))

    def bound(self, value: Any, field: Field) -> exp.Expr:  # noqa: ARG002
        """Return a placeholder; a time is sent as text, for no session's zone to be added."""
        return exp.cast(exp.Placeholder(), self.type_of("datetime")) if field.type == "datetime" else exp.Placeholder()

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type."""
        return exp.cast(column, self.type_of(field.physical))

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is neither NaN, which is larger than any, nor an infinity."""
        return self.within(value, LARGEST)

    def is_infinite(self, value: exp.Expr, sign: int) -> exp.Expr:
        """Return the condition that a double is the infinity of this sign."""
        return exp.EQ(this=value, expression=self.nonfinite_double(math.copysign(math.inf, sign)))

    def wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:
        """Return the sum as a decimal of 38 digits, where no values can exceed those."""
        digits, scale = digits_of(field)
        if digits > MOST_SUMMED:
            return None
        return exp.Sum(this=exp.cast(value, exp.DataType.build(f"decimal({SUMMED},{scale})")))

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:  # noqa: ARG002
        """Return both halves of the unscaled value's 38 digits: `div` would be a BIGINT, and too small."""
        return halves(value, exp.DataType.build("text"))

    def contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text has another in it."""
        return exp.Anonymous(this="CONTAINS", expressions=[text, part])

    def starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text begins with another."""
        return exp.Anonymous(this="STARTSWITH", expressions=[text, part])


class SailSpelling(SparkSpelling):
    """Sail's: the largest of a group of nothing but -Infinity is a finite number there, and the smallest likewise."""

    def extreme(self, field: Field, value: exp.Expr) -> exp.Expr:
        """Return doubles inside of a structure, which are compared by another part of Sail; the link unwraps them."""
        if field.physical != "float64":
            return super().extreme(field, value)
        held = exp.Anonymous(this="NAMED_STRUCT", expressions=[exp.Literal.string("held"), value])
        return exp.Case().when(exp.not_(exp.Is(this=value.copy(), expression=exp.Null()), copy=False), held, copy=False)


def with_exponent(value: float) -> str:
    """Return the shortest digits of a double with an exponent, which makes them a double in standard SQL."""
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def digits_of(field: Field) -> tuple[int, int]:
    """Return how many digits an exact column has, and how many of them after the point."""
    if field.physical == "int64":
        return HALF, 0
    precision, scale = field.physical[len("decimal(") : -1].split(",")
    return int(precision), int(scale)


def halves(value: exp.Expr, text: exp.DataType) -> tuple[Summand, ...]:
    """Return a decimal's unscaled value as two integers of 19 digits each, cut out of its text."""
    digits: exp.Expr = exp.cast(value.copy(), text)
    for sign in (".", "-"):
        digits = exp.Anonymous(this="REPLACE", expressions=[digits, exp.Literal.string(sign), exp.Literal.string("")])
    padding = [exp.Literal.number(MOST_DIGITS), exp.Literal.string("0")]
    digits = exp.Anonymous(this="LPAD", expressions=[digits, *padding])
    parts = []
    for start, weight in ((1, 10**HALF), (HALF + 1, 1)):
        bounds = [exp.Literal.number(start), exp.Literal.number(HALF)]
        cut = exp.Anonymous(this="SUBSTR", expressions=[digits.copy(), *bounds])
        part = exp.cast(cut, exp.DataType.build(f"decimal({SUMMED},0)"))
        negative = exp.LT(this=value.copy(), expression=exp.Literal.number(0))
        parts.append((weight, exp.Case().when(negative, exp.Neg(this=part), copy=False).else_(part.copy(), copy=False)))
    return tuple(parts)
