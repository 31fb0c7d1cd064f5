"""Which column a name means, and which it might mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.query.similar_names import find_similar_names, fold_name, match_name

COLUMNS = ["order_date", "Order Date", "orderId", "revenue", "Net-Revenue", "région", "ß", "x"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Order Date", "order_date"),
        ("ORDER-DATE", "orderDate"),
        ("order.date", "order/date"),
        ("r\u00e9gion", "re\u0301gion"),  # composed and decomposed
        ("STRASSE", "straße"),
        ("Σ", "ς"),
    ],
)
def test_case_and_separators_fold(one: str, other: str) -> None:
    assert fold_name(one) == fold_name(other)


def test_letters_digits_and_accents_do_not_fold() -> None:  # one letter is Cyrillic
    assert len({fold_name(name) for name in ("region", "région", "region1", "regio", "r\u0435gion")}) == 5


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("order_date", ("exact_spec", ["order_date"])),
        ("Order Date", ("exact_spec", ["Order Date"])),
        ("ORDERDATE", ("normalized_name", ["order_date", "Order Date"])),
        ("REVENUE", ("normalized_name", ["revenue"])),
        ("turnover", ("alias", ["revenue"])),
        ("Turnover", ("normalized_name", [])),  # an alias is taken exactly
        ("gone", ("normalized_name", [])),
        ("SS", ("normalized_name", ["ß"])),
    ],
)
def test_a_name_matches_exactly_then_by_alias_then_folded(name: str, found: tuple[str, list[str]]) -> None:
    assert match_name(name, COLUMNS, {"turnover": "revenue", "gone": "no such column", "revenue": "x"}) == found


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("revenu", "revenue"),
        ("reveneu", "revenue"),
        ("date", "order_date"),
        ("order id", "orderId"),
        ("net", "Net-Revenue"),
    ],
)
def test_similar_names_come_likeliest_first(name: str, first: str) -> None:
    assert first in find_similar_names(name, COLUMNS)[:2]


@pytest.mark.parametrize("name", ["zzz", "q", "", "12345", "\u202e"])
def test_what_resembles_nothing_has_no_similar_name(name: str) -> None:
    assert find_similar_names(name, COLUMNS) == []


@given(st.text(max_size=30), st.lists(st.text(max_size=30), unique=True, max_size=30))
def test_similar_names_are_few_known_and_always_the_same(name: str, names: list[str]) -> None:
    found = find_similar_names(name, names)
    assert len(found) <= 10
    assert len(set(found)) == len(found)
    assert set(found) <= set(names)
    assert find_similar_names(name, list(reversed(names))) == found
