"""The search of capabilities finds what people look for in everyday words."""

from __future__ import annotations

import pytest

import service_nb
from tests.tools.searches import list_searches, measure_searches

SERVICE = service_nb.create_service(ledger="off")


def search(query: str) -> list[str]:
    return [str(hit["name"]) for hit in SERVICE.search_capabilities(query, limit=10)]


@pytest.mark.parametrize("part", [1, 2])
def test_everyday_words_find_the_answer_first_or_among_ten(part: int) -> None:
    first, ten = measure_searches(search, part)
    assert first >= 0.80
    assert ten >= 0.97


def test_each_answer_is_a_capability() -> None:
    known = {name for _, answers in list_searches() for name in answers}
    assert known == {name for name in known if search(name)[0] == name}


@pytest.mark.parametrize("name", ["mean", "median", "mode", "std", "variance", "geometric mean", "Geometric_Mean"])
def test_the_name_of_a_function_finds_the_one_without_a_field_first(name: str) -> None:
    assert search(name)[0] == f"stats.{name.lower().replace(' ', '_')}"


@pytest.mark.parametrize(
    ("query", "name"), [("Snell's law", "optics.snell_refraction_angle"), ("√", None), ("how", None)]
)
def test_words_that_tell_nothing_find_nothing(query: str, name: str | None) -> None:
    assert search(query)[:1] == ([name] if name else [])


def test_a_forward_formula_comes_before_its_inverses() -> None:
    assert search("debye length")[0].endswith(".debye_length")
    assert search("density from debye length")[0] == "plasma.density_from_debye_length"
