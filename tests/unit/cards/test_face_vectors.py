"""The shared vectors of faces are what this version composes."""

from __future__ import annotations

import json

import pytest

from service_nb.records.card import CARD_BYTES
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
