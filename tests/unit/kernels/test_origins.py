"""Grades of evidence: what an origin says decides, and what says nothing is refused."""

from __future__ import annotations

from typing import Any

import pytest
from service_nb_kernels import check
from service_nb_kernels.bibliography import Publication
from service_nb_kernels.contract import digest, entry_of
from service_nb_kernels.declare import Capability
from service_nb_kernels.errors import PackError
from service_nb_kernels.origins import choose_best, grade_origin
from service_nb_kernels.reader import declared, solved

BOOK = Publication(key="book2000", author="A. Author", title="A Book", year=2000, publisher="Press")
SOURCES = {"book2000": BOOK}
PRINT, PROGRAM, OURS = "book2000, table 3: at 2", "scipy 1.17.1, scipy.stats.entropy", "by hand: 2 * 1"


@pytest.mark.parametrize(
    ("origin", "grade"),
    [
        ("book2000, table A.1", "published"),
        ("book2000, table A.1: at Mach 2", "published"),
        ("scipy 1.17.1, scipy.stats.entropy: base 2", "independent"),
        ("scikit-learn 1.9.1, sklearn.metrics.precision_score(average='macro')", "independent"),
        ("R 4.3, stats::t.test: data set sleep", "independent"),
        ("by hand", "derived"),
        ("by hand: 3 / 4", "derived"),
        ("exact fractions, by Horner's rule", "derived"),
        ("mpmath 1.4.1, 50 digits, quadrature of the density", "derived"),
        ("Python 3.11, math.comb", "derived"),
        ("sympy 1.14.0, exact fractions", "derived"),
    ],
)
def test_the_first_word_of_an_origin_decides_its_grade(origin: str, grade: str) -> None:
    assert grade_origin(origin, SOURCES) == grade


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "book2000",  # no place
        "book2000: table 3",
        "other2000, table 3",  # not in the bibliography
        "Haug 2007, ch. 4",
        "scipy, scipy.stats.entropy",  # no version
        "scipy 1.17.1",  # no function
        "scipy 1.17.1, documentation of entropy",
        "unheard 1.0, unheard.of",  # not in the table of oracles
        "by hands",
        "mpmath, 50 digits",
    ],
)
def test_an_origin_of_no_form_is_refused(origin: str) -> None:
    with pytest.raises(PackError, match="no known form"):
        grade_origin(origin, SOURCES)


def made(*origins: str, **changes: Any) -> Capability:
    cases = [{"x": float(at), "result": 2.0 * at, "origin": origin} for at, origin in enumerate(origins, 1)]
    table = {
        "summary": "Twice a number, for the sake of an example.",
        "source": "book2000, ch. 1",
        "formula": "2 * x",
        "params": {"x": {"about": "number", "domain": "[0, 10]"}},
        "result": {"name": "twice", "about": "twice the number"},
        "cases": cases,
    }
    return declared("field.twice", {**table, **changes}, SOURCES, {}, "field/topic.toml")


@pytest.mark.parametrize(
    ("origins", "grade"),
    [
        ((OURS, PRINT), "published"),
        ((OURS, PROGRAM), "independent"),
        ((PROGRAM, PRINT), "published"),
        ((OURS, OURS), "derived"),
    ],
)
def test_a_capability_has_the_best_grade_of_its_cases_and_so_has_its_inverse(
    origins: tuple[str, ...], grade: str
) -> None:
    capability = made(*origins)
    assert capability.grade == entry_of(capability)["grade"] == grade
    assert solved(capability, "x", "Number whose double is known, for an example.").grade == grade


def test_a_source_that_is_in_no_bibliography_is_refused() -> None:
    with pytest.raises(PackError, match="'nobody' is in no"):
        made(OURS, OURS, source="book2000, ch. 1; nobody, p. 1")


def test_the_contract_says_which_of_the_cases_are_from_outside() -> None:
    cases = entry_of(made(OURS, PROGRAM, PRINT))["cases"]
    assert [case.get("grade") for case in cases] == [None, "independent", "published"]


def test_a_refusal_is_no_evidence_of_a_formula() -> None:
    refused = {"x": 11.0, "error": "domain_error", "origin": PRINT}
    assert made(cases=[refused, {"x": 1.0, "result": 2.0, "origin": OURS}]).grade == "derived"
    assert choose_best(()) == "derived"


def test_what_a_capability_is_does_not_depend_on_its_evidence() -> None:
    """A value from outside that comes later changes neither the digest nor what a stored call means."""
    assert digest(entry_of(made(OURS, OURS))) == digest(entry_of(made(OURS, PRINT)))


def test_a_new_capability_needs_a_value_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [*check.find_derived([made(OURS, OURS)])]
    assert not [*check.find_derived([made(OURS, PROGRAM)])]
    monkeypatch.setattr(check, "read_derived", lambda: frozenset({"field.twice"}))
    assert not [*check.find_derived([made(OURS, OURS)])]


def test_the_list_of_derived_ones_only_shrinks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "read_derived", lambda: frozenset({"field.twice", "field.gone"}))
    written = [line for line in check.format_derived([made(OURS, OURS)]).decode().splitlines() if line[0] != "#"]
    assert written == ["field.twice"]
    assert not [line for line in check.format_derived([made(OURS, PRINT)]).decode().splitlines() if line[0] != "#"]
