"""Matrices of doubles as what they are: integers times a power of two, converted in bulk; and refused shapes."""

from __future__ import annotations

from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz, fmpz_mat

from service_nb_kernels.errors import DomainError, LimitError
from service_nb_kernels.numeric import np

WIDE = 400  # bits between the largest and the smallest value, beyond what measurements have
MOST_BITS, MOST_BITS_IN_ALL = 8_000, 100_000_000  # where exact elimination of such values still ends
MOST_ELIMINATED = 60_000  # bits of an entry, times the rows: thirty columns of measurements have some thousands
MOST_PRODUCTS = 2_000_000  # of two balls, in the exponential of a matrix

Matrix = Any  # flint publishes no types that mypy could use


def integers(values: Any) -> tuple[Matrix, int]:
    """Return an integer matrix and the exponent of two that it is multiplied by; a vector becomes a column."""
    array = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if np.ndim(values) == 1:
        array = array.T
    mantissas, exponents = np.frexp(array)
    whole = np.ldexp(mantissas, 53).astype(np.int64).astype(object)
    used = exponents[mantissas != 0]
    least = int(used.min()) if used.size else 0
    spread = int(used.max()) - least + 53 if used.size else 0
    if spread > WIDE and (min(array.shape) * spread > MOST_BITS or array.size * spread > MOST_BITS_IN_ALL):
        raise LimitError(f"The magnitudes of {array.size:,} values are {spread} bits apart: too far to be exact.")
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


def exponential(matrix: Matrix) -> Matrix:
    """Return the exponential of a square matrix of balls; refuse one so large that squaring it up takes minutes."""
    size, largest = matrix.nrows(), max((abs(entry).upper() for entry in matrix.entries()), default=arb(0))
    squarings = float((largest * size + 2).log_base(2).upper())
    if not size**3 * squarings <= MOST_PRODUCTS:
        raise LimitError(
            f"The exponential of a matrix of {size} by {size} with entries so large takes too many squarings."
        )
    return matrix.exp()


def bits_of(matrix: Matrix) -> int:
    """Return how many bits the longest numerator or denominator of a matrix of rationals has."""
    return max((max(int(x.p.bit_length()), int(x.q.bit_length())) for x in matrix.entries()), default=0)


def check_elimination(matrix: Matrix) -> None:
    """Refuse a matrix of rationals so long that exact elimination takes minutes."""
    bits = bits_of(matrix) * min(matrix.nrows(), matrix.ncols())
    if bits > MOST_ELIMINATED:
        raise LimitError(
            f"Exact elimination would meet numbers of {bits:,} bits; expected at most {MOST_ELIMINATED:,}."
        )


def square(name: str, values: Any) -> None:
    """Refuse a matrix that is not square."""
    if values.shape[0] != values.shape[1]:
        raise DomainError(name, None, f"a square matrix, not one of {values.shape[0]} by {values.shape[1]}")


def singular(name: str) -> DomainError:
    """Return the refusal of a matrix without an inverse."""
    return DomainError(name, None, "a matrix with a determinant that is not zero")
