"""Write numbers digit by digit, for several databases: doubles with an exponent, long decimals in two halves."""

from __future__ import annotations

from sqlglot import exp

from service_nb.query.spelling import Summand, call
from service_nb.schema.source import Field

MOST_DIGITS = 38
MOST_SUMMED = 25  # digits of a column that is summed as it is: 2**40 rows of it fit into 38
SUMMED = 28  # digits of what is summed where sums have ten more
HALF = 19  # digits of one half of a decimal that is summed in two


def write_with_exponent(value: float) -> str:
    """Return the shortest digits of a double with an exponent, which makes them a double in standard SQL."""
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def count_digits(field: Field) -> tuple[int, int]:
    """Count the digits of an exact column: all of them, and those after the point."""
    if field.physical == "int64":
        return HALF, 0
    precision, scale = field.physical[len("decimal(") : -1].split(",")
    return int(precision), int(scale)


def build_decimal_sum(field: Field, value: exp.Expr, digits: int) -> exp.Expr | None:
    """Return the sum of an exact column as a decimal of so many digits; None where values could exceed the sum's 38."""
    precision, scale = count_digits(field)
    if precision > MOST_SUMMED:
        return None
    return exp.Sum(this=exp.cast(value, exp.DataType.build(f"decimal({digits},{scale})")))


def split_decimal(value: exp.Expr, text: exp.DataType) -> tuple[Summand, ...]:
    """Return a decimal's unscaled value as two integers of 19 digits each, cut out of its text.

    A number of 38 digits after the point is shown with a zero before it: one more than it has.
    """
    digits: exp.Expr = exp.cast(value.copy(), text)
    for sign in (".", "-"):
        digits = call("REPLACE", digits, exp.Literal.string(sign), exp.Literal.string(""))
    padding = [exp.Literal.number(MOST_DIGITS + 1), exp.Literal.string("0")]
    digits = call("LPAD", digits, *padding)
    parts = []
    for start, length, weight in ((1, HALF + 1, 10**HALF), (HALF + 2, HALF, 1)):
        bounds = [exp.Literal.number(start), exp.Literal.number(length)]
        cut = call("SUBSTR", digits.copy(), *bounds)
        part = exp.cast(cut, exp.DataType.build(f"decimal({SUMMED},0)"))
        negative = exp.LT(this=value.copy(), expression=exp.Literal.number(0))
        parts.append((weight, exp.Case().when(negative, exp.Neg(this=part), copy=False).else_(part.copy(), copy=False)))
    return tuple(parts)
