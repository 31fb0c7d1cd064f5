"""Cosines of exact parts of a turn, and sums of them that know when they are rational.

A sum of doubles times cosines of multiples of a part of a turn can be exactly zero without any ball showing it. Such a
sum lies in a cyclotomic field: reduced by the cyclotomic polynomial it is rational exactly if a constant is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from typing import Any

from flint import arb, ctx, fmpq, fmpq_poly, fmpz_poly

FIRST_BITS = 96  # most sums separate at once; only then is the field asked
RATIONAL = {1: 1, 2: -1, 3: fmpq(-1, 2), 4: 0, 6: fmpq(1, 2)}  # the cosine of a turn divided by so many


def cosine(part: fmpq) -> Any:
    """Return the cosine of a part of a turn: a rational where it is one, else a ball."""
    known = RATIONAL.get(int(part.q))
    return arb.cos_pi_fmpq(2 * part) if known is None else known


def cosine_sum(terms: Iterable[tuple[Any, int]], turn: int) -> Any:
    """Return the sum of each weight times the cosine of so many parts of a turn."""
    merged: dict[int, Any] = {}
    for weight, place in terms:
        merged[place % turn] = merged.get(place % turn, 0) + weight
    if ctx.prec > FIRST_BITS:
        exact = _rational_sum(merged, turn)
        if exact is not None:
            return exact
    return sum((weight * cosine(fmpq(place, turn)) for place, weight in merged.items()), arb(0))


def _rational_sum(merged: dict[int, Any], turn: int) -> Any:
    coefficients = [fmpq(0)] * turn
    for place, weight in merged.items():
        coefficients[place] += fmpq(weight) / 2
        coefficients[-place % turn] += fmpq(weight) / 2
    left = fmpq_poly(coefficients) % fmpq_poly(fmpz_poly.cyclotomic(turn))
    return left[0] if left.degree() <= 0 else None


def spectrum(values: Sequence[Any], sign: int) -> list[list[Any]]:
    """Return real and imaginary parts of the sums of values times exp(sign 2 pi i j k / n)."""
    size = len(values)
    turn = 4 * size // gcd(4, size)  # with quarter turns in the field, sines are cosines
    step, quarter = turn // size, turn // 4
    return [
        [
            cosine_sum(((v, j * k * step) for j, v in enumerate(values)), turn),
            cosine_sum(((v, sign * j * k * step - quarter) for j, v in enumerate(values)), turn),
        ]
        for k in range(size)
    ]
