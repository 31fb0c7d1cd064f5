"""Certified linear algebra: against exact rational elimination, its own identities, and what must be refused."""

from __future__ import annotations

import time
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from service_nb_kernels.certified.matrices import integers, two_to
from service_nb_kernels.check import read
from service_nb_kernels.errors import DomainError, LimitError
from service_nb_kernels.execute import Executor

WHOLE = st.integers(-9, 9).map(float)
ENTRY = st.floats(-1e6, 1e6, allow_subnormal=False) | WHOLE


def matrices(least: int, most: int, entries: Any = ENTRY) -> Any:
    return st.integers(least, most).flatmap(
        lambda n: st.lists(st.lists(entries, min_size=n, max_size=n), min_size=n, max_size=n)
    )


@cache
def executor() -> Executor:
    found, faults = read(["linalg", "polynomials"])
    assert not faults
    return Executor({declared.id: declared for declared in found})


def run(name: str, *arguments: Any) -> Any:
    given_ = [np.array(a) if isinstance(a, list) else a for a in arguments]
    return executor().execute(name, given_, timeout_s=30)


def eliminated(matrix: list[list[float]]) -> tuple[Fraction, list[list[Fraction]] | None]:
    """Return determinant and inverse by Gauss and Jordan in Python's fractions."""
    n = len(matrix)
    table = [[Fraction(x) for x in row] + [Fraction(int(i == j)) for j in range(n)] for i, row in enumerate(matrix)]
    determinant = Fraction(1)
    for j in range(n):
        pivot = next((i for i in range(j, n) if table[i][j]), None)
        if pivot is None:
            return Fraction(0), None
        if pivot != j:
            table[j], table[pivot] = table[pivot], table[j]
            determinant = -determinant
        lead = table[j][j]
        determinant *= lead
        table[j] = [x / lead for x in table[j]]
        for i in range(n):
            if i != j and table[i][j]:
                factor = table[i][j]
                table[i] = [x - factor * y for x, y in zip(table[i], table[j], strict=True)]
    return determinant, [row[n:] for row in table]


@settings(deadline=None)
@given(matrices(1, 5))
def test_determinant_and_inverse_are_the_rounded_exact_ones(matrix: list[list[float]]) -> None:
    determinant, inverse = eliminated(matrix)
    assert run("linalg.determinant", matrix) == float(determinant)
    if inverse is None:
        with pytest.raises(DomainError):
            run("linalg.inverse", matrix)
    elif all(abs(x) < 2**1000 for row in inverse for x in row):
        assert run("linalg.inverse", matrix) == [[float(x) for x in row] for row in inverse]


@settings(deadline=None, max_examples=25)
@given(matrices(9, 11, WHOLE))
def test_balls_and_exact_elimination_meet_in_the_same_doubles(matrix: list[list[float]]) -> None:
    """Beyond eight rows balls are tried first; whole entries have zeros and ties that only exact solving settles."""
    _, inverse = eliminated(matrix)
    if inverse is None:
        with pytest.raises(DomainError):
            run("linalg.inverse", matrix)
    else:
        assert run("linalg.inverse", matrix) == [[float(x) for x in row] for row in inverse]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6))
def test_conversion_to_integers_loses_nothing(values: list[float]) -> None:
    whole, exponent = integers(np.array([values]))
    scale = two_to(exponent)
    for place, value in enumerate(values):
        exact = whole[0, place] * scale
        assert Fraction(int(exact.p), int(exact.q)) == Fraction(value)


@settings(deadline=None, max_examples=40)
@given(matrices(1, 5, WHOLE))
def test_eigenvalues_of_symmetric_matrices_fulfil_trace_and_general_ones(matrix: list[list[float]]) -> None:
    symmetric = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(matrix, np.array(matrix).T, strict=True)]
    values = run("linalg.eigenvalues_symmetric", symmetric)
    assert values == sorted(values)
    assert [[value, 0.0] for value in values] == run("linalg.eigenvalues", symmetric)
    assert sum(values) == pytest.approx(np.trace(np.array(symmetric)), abs=1e-9)
    assert np.allclose(values, np.linalg.eigvalsh(np.array(symmetric)), atol=1e-8)


@settings(deadline=None, max_examples=40)
@given(matrices(1, 5, WHOLE))
def test_eigenvalues_come_as_often_as_rows_and_in_conjugate_pairs(matrix: list[list[float]]) -> None:
    values = run("linalg.eigenvalues", matrix)
    assert len(values) == len(matrix)
    assert sorted([a, -b + 0.0] for a, b in values) == values


def test_a_defective_matrix_has_its_eigenvalue_exactly_and_repeatedly() -> None:
    jordan = (np.eye(6) * 0.1 + np.diag(np.ones(5), 1)).tolist()
    assert run("linalg.eigenvalues", jordan) == [[0.1, 0.0]] * 6


def test_skew_matrices_have_real_parts_of_exactly_zero() -> None:
    skew = [[0.0, 1.5, -0.3], [-1.5, 0.0, 2.0], [0.3, -2.0, 0.0]]
    assert [real for real, _ in run("linalg.eigenvalues", skew)] == [0.0, 0.0, 0.0]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(WHOLE, min_size=3, max_size=3), min_size=1, max_size=5))
def test_rank_is_the_number_of_singular_values_that_are_not_zero(matrix: list[list[float]]) -> None:
    rank = run("linalg.rank", matrix)
    assert sum(value > 0 for value in run("linalg.singular_values", matrix)) == rank
    assert len(run("linalg.nullspace", matrix)) == 3 - rank


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(WHOLE, min_size=2, max_size=2), min_size=2, max_size=4))
def test_the_pseudo_inverse_fulfils_the_conditions_of_penrose(matrix: list[list[float]]) -> None:
    a, p = np.array(matrix), np.array(run("linalg.pseudo_inverse", matrix))
    assert np.allclose(a @ p @ a, a)
    assert np.allclose(p @ a @ p, p)
    assert np.allclose(a @ p, (a @ p).T)
    assert np.allclose(p @ a, (p @ a).T)


@pytest.mark.parametrize("n", [4, 12])
def test_a_hilbert_matrix_of_doubles_is_inverted_to_the_last_bit(n: int) -> None:
    """Its condition is beyond every floating-point method from twelve rows on."""
    matrix = [[1 / (i + j + 1) for j in range(n)] for i in range(n)]
    _, inverse = eliminated(matrix)
    assert inverse is not None
    assert run("linalg.inverse", matrix) == [[float(x) for x in row] for row in inverse]


def test_fifty_rows_are_inverted_fast() -> None:
    matrix = np.random.default_rng(1).standard_normal((50, 50))
    executor()
    started = time.process_time()
    inverse = np.array(run("linalg.inverse", matrix))
    assert time.process_time() - started < 20  # 0.1 on most machines; minutes in fractions
    assert np.allclose(inverse @ matrix, np.eye(50), atol=1e-9)


def test_what_is_too_large_or_not_square_is_refused() -> None:
    with pytest.raises(LimitError) as large:
        run("linalg.inverse", np.zeros((101, 101)))
    assert large.value.code == "limit_exceeded"
    with pytest.raises(DomainError) as skewed:
        run("linalg.cholesky", [[1.0, 2.0], [3.0, 4.0]])
    assert skewed.value.code == "domain_error"


@pytest.mark.parametrize(
    ("large", "certified"),
    [
        ("inverse_large", "inverse"),
        ("eigenvalues_symmetric_large", "eigenvalues_symmetric"),
        ("singular_values_large", "singular_values"),
        ("cholesky_large", "cholesky"),
        ("matrix_exponential_large", "matrix_exponential"),
    ],
)
def test_pinned_twins_agree_with_the_certified_ones_to_their_accuracy(large: str, certified: str) -> None:
    half = np.random.default_rng(7).uniform(-1, 1, (12, 12))
    matrix = (half @ half.T / 12 + np.eye(12)).tolist()
    assert np.allclose(run(f"linalg.{large}", matrix), run(f"linalg.{certified}", matrix), rtol=1e-10, atol=1e-12)


@settings(deadline=None, max_examples=50)
@given(st.lists(WHOLE, min_size=1, max_size=6))
def test_real_roots_are_those_the_polynomial_was_made_of(roots: list[float]) -> None:
    coefficients = run("polynomials.from_roots", roots)
    assert run("polynomials.real_roots", coefficients) == sorted(set(roots))
    assert [real for real, _ in run("polynomials.roots", coefficients)] == sorted(roots)
