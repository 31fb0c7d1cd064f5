"""Names and docstrings are plain: what a program can see of it, room by room."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from tests.tools.prose import count_faults

# What is left of each kind in each room. A room may only get better: lower its figure with the change that lowers it.
LEFT: dict[str, dict[str, int]] = tomllib.loads(Path(__file__).with_name("prose.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def counted() -> Counter[tuple[str, str]]:
    return count_faults()


@pytest.mark.parametrize("kind", ["name", "docstring", "class", "public"])
def test_no_room_gets_harder_to_read(kind: str, counted: Counter[tuple[str, str]]) -> None:
    left = LEFT.get(kind, {})
    worse = {room: count for (each, room), count in counted.items() if each == kind and count > left.get(room, 0)}
    assert worse == {}, f"python -m tests.tools.prose {' '.join(worse)} lists them; allowed are {left}"
