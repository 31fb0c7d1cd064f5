"""Heads of columns: the words are those of the question, and no two are equal; vectors hold both languages to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb import create_service
from service_nb._version import __version__
from service_nb.cards.faces import render_faces
from service_nb.cards.heads import leave_out_plan, write_heads
from service_nb.client.verification import check_faces
from service_nb.schema.card import CARD_MIME, NAME_HEADS, Card
from tests.vectors import make_heads

ROWS = [
    {"t": "2024-01-05T10:00:00Z", "city": "Bern", "rows": 7, "wage": 3.5},
    {"t": "2024-01-09T10:00:00Z", "city": "Bern", "rows": 7, "wage": None},
    {"t": "2024-02-09T10:00:00Z", "city": "Thun", "rows": 8, "wage": 4.25},
]
HEADS = {
    "count wage from w": ["count of wage", "rows"],
    "count from w": ["rows"],
    "sum wage by month of t from w": ["month of t (UTC)", "sum of wage", "rows"],
    "percentile 90 of wage, count distinct wage by city from w": [
        *("city", "percentile 90 of wage", "count of distinct wage", "rows"),
    ],
    "avg wage by wage in bins of 5 from w": ["wage in bins of 5", "average of wage", "rows"],
    "count by `rows` from w": ["'rows'", "rows"],
    "count `rows` from w": ["count of 'rows'", "rows"],
}


def ask(line: str) -> Any:
    service = create_service()
    service.connect(ROWS, name="w")
    return service.ask(line)


@pytest.mark.parametrize("line", HEADS)
def test_a_head_says_what_a_column_is_and_names_stay(line: str) -> None:
    answer = ask(line)
    assert write_heads(answer.card) == HEADS[line]
    assert [*answer.rows[0]] == [column["name"] for column in answer.card["view"]["columns"]]


def test_every_face_has_the_heads() -> None:
    faces = render_faces(ask("count wage by city from w").card)
    for face in faces.values():
        assert "count of wage" in face
    assert "| count of wage |" in faces["text/markdown"]
    assert "city  count of wage  rows" in faces["text/plain"]


def test_a_value_alone_is_told_from_the_rows() -> None:
    assert "count of wage · rows 3" in render_faces(ask("count wage from w").card)["text/plain"]


def test_a_picture_says_what_it_measures() -> None:
    figure = ask("count wage by city from w").plot()
    assert figure.chart.alt.startswith("Bar chart: count of wage by city. ")
    assert figure.axes[0].get_xlabel() == "count of wage"


def test_one_of_two_measures_is_drawn_under_its_own_head() -> None:
    figure = ask("sum wage, max wage by city from w").plot(measure="max_wage")
    assert figure.axes[0].get_xlabel() == "largest wage"


def test_a_stored_face_that_is_headed_by_names_is_that_of_the_card() -> None:
    card = ask("count wage by city from w").card
    assert __version__ in NAME_HEADS
    stored = render_faces(leave_out_plan(card))
    assert "city  wage  count" in stored["text/plain"]
    for digits in (None, "exact", 3):
        faces = render_faces(leave_out_plan(card), digits=digits)
        assert check_faces({CARD_MIME: card, **faces}, card).status == "passed"
    changed = stored["text/plain"].replace("city  wage", "city  rows")
    assert check_faces({CARD_MIME: card, "text/plain": changed}, card).cause == "face_differs"


def test_a_later_version_has_no_names_as_heads() -> None:
    card = ask("count wage by city from w").card
    later = render_faces(leave_out_plan(card), version="9.9.9")
    assert check_faces({CARD_MIME: card, **later}, card).cause == "face_of_another_version"
    assert check_faces({CARD_MIME: card, **render_faces(card, version="9.9.9")}, card).status == "passed"


_NAMES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=80),
    st.sampled_from(["rows", "count", "'rows'", "rows (2)", "sum of rows", "sum of 'rows'", "month of rows", "x" * 75]),
)


@given(keys=st.lists(_NAMES, min_size=1, max_size=4, unique=True), metric=_NAMES)
def test_no_two_heads_are_equal(keys: list[str], metric: str) -> None:
    text = make_heads.one("sum", metric, group_by=keys)
    name = f"sum_{metric}" if metric in keys else metric
    while name in keys:
        name += "_"
    taken = {*keys, name}
    count = "row_count" if "count" in taken else "count"
    while count in taken:
        count += "_"
    heads = write_heads(make_heads.build_card(text, make_heads.columns(*keys, name, count)))
    assert len({*heads}) == len(heads) == len(keys) + 2
    assert heads[-1] == "rows"


def test_the_vectors_are_those_of_this_version() -> None:
    stored: Mapping[str, Any] = json.loads(Path(make_heads.FILE).read_text(encoding="utf-8"))
    assert stored["cases"] == [*make_heads.cases()]


@pytest.mark.parametrize("plan", ["{", "[]", '{"inspect":7}', '{"aggregation":"sum","measures":7}', "[" * 200])
def test_what_is_no_plan_leaves_names(plan: str) -> None:
    card: Card = make_heads.build_card(plan, make_heads.columns("wage", "count"))
    assert write_heads(card) == ["wage", "count"]
