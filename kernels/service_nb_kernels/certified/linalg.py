"""Matrices of doubles as what they are: integers times a power of two. Converted in bulk, solved by FLINT.

Most results are found in balls; what balls cannot settle, such as an entry that is exactly zero, is solved exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpz, fmpz_mat, fmpz_poly

from service_nb_kernels.errors import DomainError, Unseparated

Matrix = Any  # flint publishes no types that mypy could use
EXACT_FROM = 480  # bits of working precision; below it, balls are tried first
SMALL = 8  # rows: solved exactly at once, which is as fast as in balls


def integers(values: Any) -> tuple[Matrix, int]:
    """Return an integer matrix and the exponent of two that it is multiplied by; a vector becomes a column."""
    array = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if np.ndim(values) == 1:
        array = array.T
    mantissas, exponents = np.frexp(array)
    whole = np.ldexp(mantissas, 53).astype(np.int64).astype(object)
    used = exponents[mantissas != 0]
    least = int(used.min()) if used.size else 0
    shifts = np.where(mantissas != 0, exponents - least, 0).astype(object)
    return fmpz_mat((whole << shifts).tolist()), least - 53


def balls(values: Any) -> Matrix:
    """Return a matrix of exact balls; a vector becomes a column."""
    array = np.asarray(values, dtype=np.float64)
    return arb_mat((array if array.ndim > 1 else array[:, None]).tolist())


def rational(values: Any) -> Matrix:
    """Return a matrix of rationals; a vector becomes a column."""
    whole, exponent = integers(values)
    return fmpq_mat(whole) * two_to(exponent)


def two_to(exponent: int) -> Any:
    """Return a power of two as a rational."""
    return fmpq(fmpz(1) << exponent) if exponent >= 0 else fmpq(1, fmpz(1) << -exponent)


def rows(matrix: Matrix) -> list[list[Any]]:
    """Return the entries of a matrix, row by row."""
    table: list[list[Any]] = matrix.tolist()
    return table


def column(matrix: Matrix) -> list[Any]:
    """Return the entries of a matrix with one column."""
    return [row[0] for row in rows(matrix)]


def square(name: str, values: Any) -> None:
    """Refuse a matrix that is not square."""
    if values.shape[0] != values.shape[1]:
        raise DomainError(name, None, f"a square matrix, not one of {values.shape[0]} by {values.shape[1]}")


def symmetric(name: str, values: Any) -> None:
    """Refuse a matrix that is not symmetric."""
    square(name, values)
    if not np.array_equal(values, values.T):
        raise DomainError(name, None, "a symmetric matrix")


def singular(name: str) -> DomainError:
    """Return the refusal of a matrix without an inverse."""
    return DomainError(name, None, "a matrix with a determinant that is not zero")


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
