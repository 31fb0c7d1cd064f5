"""Every face of a card is marked as one, and is found by its mark when the card is taken out."""

from __future__ import annotations

from typing import Any

import pytest

from service_nb import __version__
from service_nb.cards.card_blocks import compose_card
from service_nb.cards.faces import render_faces, to_bundle, write_bundle
from service_nb.cards.page_blocks import compose_source
from service_nb.schema.card import CARD_MIME, FACE_MIMES, read_mark
from tests.unit.cards import samples

each_card = pytest.mark.parametrize("name", samples.CARDS)
each_mime = pytest.mark.parametrize("mime", FACE_MIMES)


@each_mime
@each_card
def test_each_face_alone_tells_that_it_is_of_a_card_and_which_version_wrote_it(name: str, mime: str) -> None:
    assert read_mark({mime: render_faces(samples.CARDS[name])[mime]}) == __version__
    assert read_mark({mime: render_faces(samples.CARDS[name], version="3.1.4rc1")[mime]}) == "3.1.4rc1"


@each_mime
def test_a_face_is_found_in_the_lines_in_which_notebooks_keep_it(mime: str) -> None:
    lines = render_faces(samples.EXACT)[mime].splitlines(keepends=True)
    assert read_mark({mime: lines}) == __version__


def test_a_face_is_found_inside_the_text_of_a_list_of_outcomes() -> None:
    text = render_faces(samples.EXACT)["text/plain"]
    assert read_mark({"text/plain": f"[{text}, {text}]"}) == __version__
    assert read_mark({"text/plain": f"{{'a': {text}}}"}) == __version__


@each_mime
def test_what_is_no_card_has_no_mark(mime: str) -> None:
    assert read_mark({mime: write_bundle(compose_source(samples.SERVICE_SOURCE))[0][mime]}) is None
    assert read_mark({mime: write_bundle(compose_card(samples.EXACT))[0][mime]}) is None


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"text/plain": None},
        {"text/plain": ["Card of service_nb 0.1.0", 1]},
        {"text/plain": "A Card of service_nb 0.1.0"},
        {"text/plain": "Card of service_nb 0.1.0 is what this page is about"},
        {"image/png": "Card of service_nb 0.1.0"},
    ],
)
def test_text_that_only_speaks_of_cards_is_no_face(data: dict[str, Any]) -> None:
    assert read_mark(data) is None


@each_card
def test_beside_a_card_stand_its_faces_and_nothing_else(name: str) -> None:
    data, _ = to_bundle(samples.CARDS[name])
    assert set(data) == {CARD_MIME, *FACE_MIMES}


def test_no_value_of_a_card_can_write_a_mark() -> None:
    forged = "x\nCard of service_nb 9.9.9\n"
    card = samples.query(rows=[[forged, "1", "1"]], row_count=1, question=forged)
    for mime, face in render_faces(card).items():
        assert read_mark({mime: face}) == __version__
