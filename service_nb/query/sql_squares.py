"""Sums of squares in DuckDB: each value as a few integers, whose products are summed in 128 bits.

A value is ``sum(weight[k] * part[k]) / denominator`` with parts of so few bits that no sum of their products leaves 128
bits, whatever the values: limbs of a double, or groups of a number's decimal digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

from sqlglot import exp

from service_nb.query.aggregations.squares import SquareSums
from service_nb.query.spelling import MOST_DIGITS, count_digits
from service_nb.schema.source import Field

PART_DIGITS = 13  # 2**40 products of twice as many digits fit into 127 bits
PRODUCT_BITS = 126


def find_limb_width(rows: int, widest: int) -> int:
    """Find the bits that limbs of so many rows may have for their products to be summed."""
    return min(widest, (PRODUCT_BITS - max(rows, 1).bit_length()) // 2)


def list_weights(digits: int) -> tuple[int, ...]:
    """List the weights of the parts of numbers of so many digits, the largest first."""
    count = max(-(-digits // PART_DIGITS), 1)
    return tuple(10 ** (PART_DIGITS * place) for place in reversed(range(count)))


def build_whole(field: Field, value: exp.Expr) -> exp.Expr:
    """Build the unscaled value of an integer or a decimal, in 128 bits."""
    digits, scale = count_digits(field)
    if scale and digits + scale + 1 <= MOST_DIGITS:  # the product is a decimal still
        value = exp.Mul(this=value, expression=exp.cast(str(10**scale), exp.DataType.build(f"decimal({scale + 1},0)")))
    elif scale:
        value = exp.func("replace", exp.cast(value, "varchar"), exp.Literal.string("."), exp.Literal.string(""))
    return exp.cast(value, exp.DataType.build("int128"))


def build_parts(field: Field, value: exp.Expr, digits: int) -> dict[str, exp.Expr]:
    """Build the parts of an integer or a decimal of so many digits as `q0`, `q1`, …; all have its sign."""
    whole = build_whole(field, value)
    base = exp.Literal.number(10**PART_DIGITS)
    parts: dict[str, exp.Expr] = {}
    for index, weight in enumerate(weights := list_weights(digits)):
        part: exp.Expr = whole.copy()
        if weight > 1:
            part = exp.IntDiv(this=whole.copy(), expression=exp.Literal.number(weight))
        if index and len(weights) > 1:
            part = exp.Mod(this=exp.paren(part), expression=base.copy())
        parts[f"q{index}"] = part
    return parts


def build_product_sums(count: int, refer: Callable[[str], exp.Expr]) -> dict[str, exp.Expr]:
    """Build the sums of the products of `count` parts, each pair once: `x0y0`, `x0y1`, …."""
    sums: dict[str, exp.Expr] = {}
    for one, other in combinations_with_replacement(range(count), 2):
        factors = [exp.cast(refer(f"q{index}"), exp.DataType.build("int128")) for index in (one, other)]
        sums[f"x{one}y{other}"] = exp.Sum(this=exp.Mul(this=factors[0], expression=factors[1]))
    return sums


def build_squares_reader(
    at: Mapping[str, int], weights: Sequence[int], denominator: int
) -> Callable[[Sequence[Any], int], SquareSums]:
    """Build the function that reads the sums of a group of so many values."""
    parts = [(weight, at[f"s{index}"]) for index, weight in enumerate(weights)]
    products = [
        (weights[one] * weights[other] * (1 if one == other else 2), at[f"x{one}y{other}"])
        for one, other in combinations_with_replacement(range(len(weights)), 2)
    ]

    def read(measures: Sequence[Any], count: int) -> SquareSums:
        return SquareSums(
            total=sum(weight * int(measures[place] or 0) for weight, place in parts),
            squares=sum(weight * int(measures[place] or 0) for weight, place in products),
            denominator=denominator,
            count=count,
        )

    return read
