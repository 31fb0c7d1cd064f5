"""The shared vectors of faces are what this version composes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service_nb.cards.faces import to_bundle
from service_nb.schema.card import CARD_BYTES, CARD_MIME
from tests.vectors.make_faces import FILES, FOLDER, MOST_BYTES


@pytest.mark.parametrize("name", FILES)
def test_the_files_are_those_that_the_generator_writes(name: str) -> None:
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    assert stored == json.loads(json.dumps(list(FILES[name]())))


def test_no_file_is_left_over_and_all_of_them_are_small() -> None:
    files = sorted(FOLDER.iterdir())
    assert [file.name for file in files] == sorted(f"{name}.json" for name in FILES)
    assert sum(file.stat().st_size for file in files) < MOST_BYTES


def test_every_kind_has_cards_and_none_is_larger_than_a_card_may_be() -> None:
    cases = [case for name in FILES for case in FILES[name]() if "card" in case]
    kinds = {case["card"]["kind"] for case in cases}
    assert kinds == {"query", "computation", "clarification", "rejection", "error", "replay"}
    assert max(len(json.dumps(case["card"])) for case in cases) < CARD_BYTES


def turned(value: Any) -> Any:
    """The same JSON with the keys of every object in the opposite order."""
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    return [turned(item) for item in value] if isinstance(value, list) else value


def test_a_face_does_not_depend_on_the_order_in_which_a_front_end_saves_keys() -> None:
    cards = [case["card"] for name in FILES for case in FILES[name]() if "card" in case]
    for card in cards:
        for saved in (json.loads(json.dumps(card, sort_keys=True)), turned(card)):
            assert {**to_bundle(saved)[0], CARD_MIME: card} == to_bundle(card)[0]
