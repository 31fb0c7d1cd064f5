"""Linear algebra over matrices of doubles, solved by FLINT.

Most results are found in balls; what balls cannot settle, such as an entry that is exactly zero, is solved exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import arb, ctx, fmpq, fmpq_mat, fmpz_poly

from service_nb_kernels.certified.matrices import Matrix, balls, integers, singular, two_to
from service_nb_kernels.errors import DomainError, Unseparated

EXACT_FROM = 480  # bits of working precision; below it, balls are tried first
SMALL = 8  # rows: solved exactly at once, which is as fast as in balls


def by_balls(size: int, in_balls: Callable[[], Any], exactly: Callable[[], Any], name: str) -> Any:
    """Return what balls enclose while that is likely to suffice, and the exact value from then on."""
    exact = size <= SMALL or ctx.prec >= EXACT_FROM
    try:
        return exactly() if exact else in_balls()
    except ZeroDivisionError:
        if exact:
            raise singular(name) from None
        raise Unseparated from None


def solve(a: Any, b: Any, name: str) -> Matrix:
    """Return the solution X of A X = B."""

    def exactly() -> Matrix:
        (left, p), (right, q) = integers(a), integers(b)
        return left.solve(right) * two_to(q - p)

    return by_balls(len(a), lambda: balls(a).solve(balls(b)), exactly, name)


def inverse(a: Any, name: str) -> Matrix:
    """Return the inverse."""

    def exactly() -> Matrix:
        whole, exponent = integers(a)
        return fmpq_mat(whole).inv() * two_to(-exponent)

    return by_balls(len(a), lambda: balls(a).inv(), exactly, name)


def characteristic(matrix: Matrix, exponent: int) -> tuple[Matrix, Any]:
    """Return the characteristic polynomial of an integer matrix, and the factor of its roots."""
    return fmpz_poly(matrix.charpoly().coeffs()), arb(two_to(exponent))


def gram(a: Any) -> tuple[Matrix, int]:
    """Return the smaller of A^T A and A A^T as an integer matrix with its exponent."""
    whole, exponent = integers(a)
    turned = whole.transpose()
    return (turned * whole if a.shape[1] <= a.shape[0] else whole * turned), 2 * exponent


def root_of(value: Any) -> Any:
    """Return the square root of a rational: a rational where it is one, else a ball."""
    number = fmpq(value)
    if number.p.is_square() and number.q.is_square():
        return fmpq(number.p.isqrt(), number.q.isqrt())
    return arb(number).sqrt()


def orthogonalized(vectors: Sequence[Sequence[Any]]) -> tuple[list[list[Any]], list[list[Any]]]:
    """Return orthogonal vectors by Gram and Schmidt in rationals, and the coefficients of each on those before it."""
    found: list[list[Any]] = []
    squares: list[Any] = []
    coefficients: list[list[Any]] = []
    for vector in vectors:
        rest, used = list(vector), []
        for other, length in zip(found, squares, strict=True):
            share = dot(vector, other) / length
            used.append(share)
            rest = [x - share * y for x, y in zip(rest, other, strict=True)]
        length = dot(rest, rest)
        if length == 0:
            raise DomainError("matrix", None, "linearly independent vectors")
        found.append(rest)
        squares.append(length)
        coefficients.append(used)
    return found, coefficients


def dot(x: Sequence[Any], y: Sequence[Any]) -> Any:
    """Return the sum of products of rationals."""
    return sum((a * b for a, b in zip(x, y, strict=True)), fmpq(0))
