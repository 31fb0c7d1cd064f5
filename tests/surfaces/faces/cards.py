"""A card of every kind, as the vectors of faces have it, and the views of it where nothing of ours runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nbconvert.filters.strings import clean_html

from tests.faces import to_html, to_latex, to_markdown, to_text

FOLDER = Path(__file__).parent
VECTORS = Path(__file__).parents[2] / "vectors" / "faces"
NAMED = {
    "queries": {"grouped": "query", "one number": "number", "cut": "cut", "rows not kept": "withheld"},
    "computations": {"money": "computation", "record": "record", "matrix": "matrix"},
    "refusals": {"clarification": "clarification", "rejection": "rejection"},
    "errors": {"error": "error"},
    "replays": {"identical": "replay", "differs": "replay_differs"},
}


def vectors(name: str) -> list[dict[str, Any]]:
    """The cases of one file of vectors."""
    cases: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    return cases


def _chosen() -> Iterator[tuple[str, dict[str, Any]]]:
    for file, names in NAMED.items():
        for case in vectors(file):
            if case["name"] in names:
                yield names[case["name"]], case["card"]


CARDS = dict(_chosen())
EVERY_CARD = {f"{file}: {case['name']}": case["card"] for file in NAMED for case in vectors(file)}


def sanitised(card: Any) -> str:
    """The HTML as nbconvert leaves it where it is asked to sanitise."""
    return str(clean_html(to_html(card)))


VIEWS: dict[str, Callable[[Any], str]] = {
    "html": to_html,
    "sanitised.html": sanitised,
    "md": to_markdown,
    "tex": to_latex,
    "txt": to_text,
}
