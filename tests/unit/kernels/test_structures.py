"""What a matrix has to be besides its shape, in every capability that asks for it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from service_nb_kernels.contract import capabilities
from service_nb_kernels.declare import Capability, Parameter
from service_nb_kernels.errors import DomainError
from service_nb_kernels.execute import Executor
from service_nb_kernels.structures import STRUCTURES, check_structure

ASKED = [
    (declared, parameter)
    for declared in capabilities().values()
    for parameter in declared.params
    if parameter.structure is not None
]


@pytest.mark.parametrize(("declared", "parameter"), ASKED, ids=[f"{d.id}-{p.name}" for d, p in ASKED])
def test_a_matrix_without_the_structure_is_refused_by_name(declared: Capability, parameter: Parameter) -> None:
    case = max((case for case in declared.cases if case.error is None), key=lambda case: len(case.arguments))
    table = case.arguments[parameter.name]
    rows = [[float(item) for item in row] for row in (table if len(parameter.shape) > 1 else [table])]
    rows[0][len(rows[0]) - 1] += 0.25 if rows[0][-1] <= 0.5 else -0.25
    rows[0][0] += 0.125 if rows[0][0] <= 0.5 else -0.125
    made = rows if len(parameter.shape) > 1 else rows[0]
    given = [made if each.name == parameter.name else case.arguments[each.name] for each in declared.params]
    with pytest.raises(DomainError) as refused:
        Executor().execute(declared.id, given)
    assert refused.value.details["parameter"] == parameter.name


def test_every_structure_is_asked_for() -> None:
    assert {parameter.structure for _, parameter in ASKED} == set(STRUCTURES)


def is_definite(rows: list[list[int]]) -> tuple[bool, bool]:
    """Whether a matrix is positive definite, and semidefinite, by all its principal minors (Sylvester)."""
    size = len(rows)
    kept = [[i for i in range(size) if mask >> i & 1] for mask in range(1, 2**size)]
    minors = [determinant([[Fraction(rows[i][j]) for j in k] for i in k]) for k in kept]
    return min(minors) > 0, min(minors) >= 0


def determinant(rows: list[list[Fraction]]) -> Fraction:
    if not rows:
        return Fraction(1)
    return sum(
        ((-1) ** j * x * determinant([[*row[:j], *row[j + 1 :]] for row in rows[1:]]) for j, x in enumerate(rows[0])),
        Fraction(0),
    )


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.integers(-3, 4), min_size=n * n, max_size=n * n)))
@settings(max_examples=300)
def test_definiteness_is_that_of_all_principal_minors(entries: list[int]) -> None:
    size = round(len(entries) ** 0.5)
    rows = [[entries[max(i, j) * size + min(i, j)] for j in range(size)] for i in range(size)]
    definite, semidefinite = is_definite(rows)
    assert is_held("positive_definite", rows) == definite
    assert is_held("positive_semidefinite", rows) == semidefinite


def is_held(structure: str, rows: Any) -> bool:
    try:
        check_structure("matrix", structure, [[float(item) for item in row] for row in rows])
    except DomainError:
        return False
    return True


@pytest.mark.parametrize(("assets", "days"), [(5, 3), (20, 8), (40, 39), (40, 200)])
def test_the_covariance_of_fewer_days_than_assets_belongs(assets: int, days: int) -> None:
    returns = np.random.default_rng(assets).integers(-1000, 1000, size=(assets, days)) / 1000
    exact = [[Fraction(str(x)) for x in row] for row in returns.tolist()]
    centered = [[x - sum(row) / days for x in row] for row in exact]
    covariance = [[float(sum(a * b for a, b in zip(p, q, strict=True)) / days) for q in centered] for p in centered]
    assert is_held("positive_semidefinite", covariance)


@pytest.mark.parametrize(
    ("structure", "rows", "says"),
    [
        ("symmetric", [[1.0, 2.0], [3.0, 1.0]], r"entry \(0, 1\) is 2\.0 and entry \(1, 0\) is 3\.0"),
        ("positive_semidefinite", [[0.04, 0.2], [0.2, 0.09]], r"entry \(0, 1\) is 0\.2"),
        ("positive_semidefinite", [[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]], "a negative eigenvalue"),
        ("positive_semidefinite", [[0.0, 0.1], [0.1, 1.0]], r"entry \(0, 0\) is 0\.0 and entry \(0, 1\) is 0\.1"),
        ("positive_definite", [[1.0, 1.0], [1.0, 1.0]], "its determinant is 0"),
        ("stochastic", [[0.5, 0.5], [0.3, 0.3]], r"row 1 sums to 0\.6"),
        ("column_stochastic", [[0.5, 0.5], [0.5, 0.25]], r"column 1 sums to 0\.75"),
        ("reciprocal", [[1.0, 3.0], [0.5, 1.0]], r"entry \(0, 1\) is 3\.0 and entry \(1, 0\) is 0\.5"),
        ("zero_diagonal", [[0.0, 3.0], [0.5, 1.0]], r"entry \(1, 1\) is 1\.0"),
        ("unit_diagonal", [[1.0, 3.0], [0.5, 2.0]], r"entry \(1, 1\) is 2\.0"),
        ("symmetric", [[1.0, 2.0]], "not one of 1 by 2"),
    ],
)
def test_what_is_at_fault_is_named(structure: str, rows: list[list[float]], says: str) -> None:
    for value in (rows, np.array(rows)):
        with pytest.raises(DomainError, match=says):
            check_structure("matrix", structure, value)


def test_a_third_written_as_books_do_and_tenths_belong() -> None:
    assert is_held("reciprocal", [[1.0, 3.0], [0.33, 1.0]])
    assert is_held("stochastic", [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [0.15, 0.8, 0.05]])
