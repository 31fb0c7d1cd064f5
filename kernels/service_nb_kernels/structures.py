"""What an array has to be besides its shape: symmetric, a covariance, the rows of a chain; a violation names its entry.

Comparisons are of the doubles themselves. Where a structure is lost by rounding, as a sum of 0.1, 0.2 and 0.7, or a
singular covariance whose entries are doubles, the matrices within that rounding belong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flint import arb, arb_mat, ctx, fmpq, fmpz_mat

from service_nb_kernels.certified.matrices import integers
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import is_array

Rows = Sequence[Sequence[float]]
ROUNDED = fmpq(1, 2**50)  # of a sum of one, for each of its terms
SHIFT = arb(2) ** -52  # of a diagonal, for each row
PRECISIONS = (128, 512, 2048)  # bits: more where a pivot cannot be told from 0
RECIPROCAL_WITHIN = 0.05  # books write a third as 0.33, an eighth as 0.13


def check_structure(name: str, structure: str, value: Any) -> None:
    """Refuse an array that has not the structure that its parameter declares.

    Raises
    ------
    DomainError [domain_error]
        It names an entry at fault, counted from 0, and what stands there.
    """
    STRUCTURES[structure](name, value.tolist() if is_array(value) else value)


def _check_square(name: str, rows: Rows) -> None:
    if len(rows) != len(rows[0]):
        raise DomainError(name, None, f"a square matrix, not one of {len(rows)} by {len(rows[0])}")


def _check_symmetric(name: str, rows: Rows) -> None:
    _check_square(name, rows)
    for i, (row, column) in enumerate(zip(rows, zip(*rows, strict=True), strict=True)):
        if list(row) != list(column):
            j = next(j for j in range(len(rows)) if row[j] != column[j])
            raise _entry_error(name, "a symmetric matrix", rows, (i, j), (j, i))


def _check_definite(name: str, rows: Rows) -> None:
    _check_symmetric(name, rows)
    wanted = "a positive definite matrix"
    for i, row in enumerate(rows):
        if row[i] <= 0:
            raise _entry_error(name, wanted, rows, (i, i))
    if not _has_positive_pivots(arb_mat([list(row) for row in rows]), is_met=None):
        whole: fmpz_mat = integers(rows)[0]
        if whole.det() == 0:
            raise DomainError(name, None, f"{wanted}; its determinant is 0")
        raise _pair_error(name, wanted, rows)


def _check_semidefinite(name: str, rows: Rows) -> None:
    _check_symmetric(name, rows)
    wanted = "a positive semidefinite matrix"
    for i, row in enumerate(rows):
        if row[i] < 0:
            raise _entry_error(name, wanted, rows, (i, i))
        if row[i] == 0 and any(row):
            raise _entry_error(name, wanted, rows, (i, i), (i, next(j for j, x in enumerate(row) if x)))
    kept = [i for i, row in enumerate(rows) if row[i] > 0]
    shift = 1 + len(kept) * SHIFT
    shifted = [[rows[i][j] * shift if i == j else arb(rows[i][j]) for j in kept] for i in kept]
    if kept and not _has_positive_pivots(arb_mat(shifted), is_met=True):
        raise _pair_error(name, wanted, rows)


def _has_positive_pivots(matrix: arb_mat, *, is_met: bool | None) -> bool:
    """Whether all pivots of a symmetric matrix are positive; `is_met` where no precision tells one from 0."""
    before = ctx.prec
    try:
        for bits in PRECISIONS:
            ctx.prec = bits
            found = _find_sign(matrix)
            if found is not None:
                return found
    finally:
        ctx.prec = before
    return bool(is_met)


def _find_sign(matrix: arb_mat) -> bool | None:
    """Whether a matrix of balls is positive definite, by Schur's complements of halves; None where it is open."""
    size = matrix.nrows()
    if size == 1:
        return True if matrix[0, 0] > 0 else False if matrix[0, 0] <= 0 else None
    table, half = matrix.tolist(), size // 2
    upper = arb_mat([row[:half] for row in table[:half]])
    found = _find_sign(upper)
    if not found:
        return found
    right = arb_mat([row[half:] for row in table[:half]])
    try:
        solved = upper.solve(right)
    except ZeroDivisionError:
        return None
    return _find_sign(arb_mat([row[half:] for row in table[half:]]) - right.transpose() * solved)


def _pair_error(name: str, wanted: str, rows: Rows) -> DomainError:
    """The refusal of an indefinite matrix: by two of its rows where they are already too many."""
    for i, row in enumerate(rows):
        for j in range(i):
            if _exact(row[j]) ** 2 > _exact(row[i]) * _exact(rows[j][j]):
                return _entry_error(name, wanted, rows, (j, i), (j, j), (i, i))
    return DomainError(name, None, f"{wanted}; it has a negative eigenvalue")


def _check_stochastic(name: str, rows: Rows) -> None:
    for i, row in enumerate(rows):
        total = sum(map(_exact, row), fmpq(0))
        if abs(total - 1) > len(row) * ROUNDED:
            raise DomainError(name, None, f"rows that sum to 1; row {i} sums to {float(arb(total))!r}")


def _check_probabilities(name: str, values: Sequence[float]) -> None:
    total = sum(map(_exact, values), fmpq(0))
    if abs(total - 1) > len(values) * ROUNDED:
        raise DomainError(name, None, f"numbers that sum to 1, not to {float(arb(total))!r}")


def _check_column_stochastic(name: str, rows: Rows) -> None:
    for j, column in enumerate(zip(*rows, strict=True)):
        total = sum(map(_exact, column), fmpq(0))
        if abs(total - 1) > len(column) * ROUNDED:
            raise DomainError(name, None, f"columns that sum to 1; column {j} sums to {float(arb(total))!r}")


def _check_reciprocal(name: str, rows: Rows) -> None:
    _check_square(name, rows)
    for i, row in enumerate(rows):
        for j in range(i + 1):
            if abs(row[j] * rows[j][i] - 1) > RECIPROCAL_WITHIN:
                raise _entry_error(
                    name, "a matrix of comparisons, whose opposite entries are reciprocal", rows, (j, i), (i, j)
                )


def _check_diagonal(expected: float) -> Callable[[str, Rows], None]:
    def check(name: str, rows: Rows) -> None:
        _check_square(name, rows)
        for i, row in enumerate(rows):
            if row[i] != expected:
                raise _entry_error(name, f"a matrix with {expected:g} on its diagonal", rows, (i, i))

    return check


def _exact(value: float) -> fmpq:
    return fmpq(*value.as_integer_ratio())


def _entry_error(name: str, wanted: str, rows: Rows, *places: tuple[int, int]) -> DomainError:
    told = " and ".join(f"entry ({i}, {j}) is {rows[i][j]!r}" for i, j in dict.fromkeys(places))
    return DomainError(name, None, f"{wanted}; {told}")


OF_MATRICES: Mapping[str, Callable[[str, Rows], None]] = {
    "symmetric": _check_symmetric,
    "positive_semidefinite": _check_semidefinite,
    "positive_definite": _check_definite,
    "stochastic": _check_stochastic,
    "column_stochastic": _check_column_stochastic,
    "reciprocal": _check_reciprocal,
    "zero_diagonal": _check_diagonal(0),
    "unit_diagonal": _check_diagonal(1),
}
OF_VECTORS: Mapping[str, Callable[[str, Sequence[float]], None]] = {"probabilities": _check_probabilities}
STRUCTURES: Mapping[str, Callable[[str, Any], None]] = {**OF_MATRICES, **OF_VECTORS}
