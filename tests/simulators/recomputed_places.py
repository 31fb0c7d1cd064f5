"""Where the cards of a notebook stand, recomputed: a part of `recomputed.py`, which shares no code with the verifiers.

Every card is found by its path in the notebook, and the path tells whether a viewer shows it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import rfc8785

Json = dict[str, Any]
Check = tuple[str, str, str | None]
Path = tuple[str | int, ...]
MIME = "application/vnd.service-nb.card.v1+json"
STATE: Path = ("metadata", "widgets", "application/vnd.jupyter.widget-state+json", "state")
SHOWS_DATA = ["display_data", "execute_result", "update_display_data"]
SHOWS_TEXT = ["stream", "error"]
CELLS = ["code", "markdown", "raw"]


class Places:
    """The outputs of a notebook by the subjects of their verdicts, and what stands elsewhere."""

    def __init__(self, book: Json) -> None:
        self.book = book
        self.paths = {f"cell {at + 1}, output {number + 1}": path for at, number, path in self._outputs_of_cells()}
        self.paths |= dict(self._outputs_of_widgets())
        self.shown = {name: at(book, path) for name, path in self.paths.items() if self._is_shown(path)}
        hidden = [name for name, path in self.paths.items() if name not in self.shown and MIME in at(book, path)]
        failed: list[Check] = [("form", "failed", "card_not_shown")]
        self.others: dict[str, list[Check]] = dict.fromkeys([*hidden, *self._strays()], failed)
        if "notebook" not in self.others and not all(map(self._is_known, book["cells"])):
            self.others["notebook"] = [("form", "not_checkable", "notebook_form")]

    def _outputs_of_cells(self) -> Iterator[tuple[int, int, Path]]:
        for cell, each in enumerate(self.book["cells"]):
            for number, output in enumerate(each.get("outputs", [])):
                if isinstance(output.get("data", {}), dict):
                    output.setdefault("data", {})
                    yield cell, number, ("cells", cell, "outputs", number, "data")

    def _outputs_of_widgets(self) -> Iterator[tuple[str, Path]]:
        models = at(self.book, STATE)
        held = 0
        for key in sorted(models if isinstance(models, dict) else (), key=lambda each: each.encode("utf-16-be")):
            path: Path = (*STATE, key, "state", "outputs")
            outputs = at(self.book, path)
            held += 1 if isinstance(outputs, list) and outputs else 0
            for number, output in enumerate(outputs if isinstance(outputs, list) else ()):
                if isinstance(output, dict) and isinstance(output.get("data"), dict):
                    yield f"widget {held}, output {number + 1}", (*path, number, "data")

    def _is_shown(self, path: Path) -> bool:
        kind = at(self.book, path[:-1]).get("output_type")
        return kind in SHOWS_DATA and (path[0] != "cells" or at(self.book, path[:2]).get("cell_type") == "code")

    def _is_known(self, cell: Json) -> bool:
        kinds = [each.get("output_type") for each in cell.get("outputs", [])]
        return cell.get("cell_type") in CELLS and all(kind in [*SHOWS_DATA, *SHOWS_TEXT] for kind in kinds)

    def _strays(self) -> list[str]:
        """The cells that hold a card elsewhere, then the notebook if it does."""
        outputs = set(self.paths.values())
        found = [
            path
            for path, each in walk(self.book)
            if isinstance(each.get(MIME), dict) and "digests" in each[MIME] and path not in outputs
            if MIME not in path and path[:2] != STATE[:2]
        ]
        cells = sorted({path[1] for path in found if path[0] == "cells"} if found else (), key=str)
        more = ["notebook"] if any(path[:1] != ("cells",) for path in found) else []
        return [*(f"cell {int(cell) + 1}" for cell in cells), *more]

    def around(self, checks: Mapping[str, list[Check]]) -> dict[str, list[Check]]:
        """The checks of where each card stands, by its own checks."""
        made: dict[str, list[Check]] = {}
        seen: dict[str, str] = {}
        newest: dict[str, int] = {}
        for name, own in checks.items():
            made[name] = []
            if own[0][1] != "passed":
                continue
            card = self.shown[name][MIME]
            made[name] += self._cell(name, card, is_stated=("statement", "passed", None) in own)
            if "service_nb" in self.book.get("metadata", {}):
                continue
            cause = "not_sealed"
            if ("checkpoint", "passed", None) in own:
                log = card["receipt"]["log"]
                ledger = log["checkpoint"].split("\n")[0]
                newest[ledger] = max(newest.get(ledger, 0), log["index"])
                cause = "card_out_of_order" if log["index"] < newest[ledger] else cause
            digests = rfc8785.dumps(card["digests"]).decode()
            cause = "card_repeated" if seen.setdefault(digests, name) != name else cause
            made[name].append(("cards", "not_checkable", cause))
        return made

    def _cell(self, name: str, card: Json, *, is_stated: bool) -> list[Check]:
        if name.startswith("widget"):
            return [("cell", "not_checkable", "in_widget")]
        payload = base64.b64decode(card["receipt"]["envelope"]["payload"]) if is_stated else b"{}"
        place = json.loads(payload).get("predicate", {}).get("place") or {}
        source = place.get("source")
        if not isinstance(source, str):
            return []
        cell = at(self.book, self.paths[name][:2])
        if hash_of(cell) == source:
            return [("cell", "passed", None)]
        is_kept = any(each.get("cell_type") == "code" and hash_of(each) == source for each in self.book["cells"])
        is_it = isinstance(cell.get("id"), str) and cell["id"] == place.get("cell")
        return [("cell", "not_checkable", "card_of_another_cell" if is_kept and not is_it else "cell_edited")]


def at(value: Any, path: Sequence[str | int]) -> Any:
    """What stands at a path; None where nothing does."""
    for step in path:
        is_there = isinstance(value, dict) and step in value if isinstance(step, str) else isinstance(value, list)
        value = value[step] if is_there else None
    return value


def walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Every object within a value, with its path."""
    if isinstance(value, dict):
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from walk(each, (*path, key))


def hash_of(cell: Json) -> str | None:
    source = cell.get("source")
    lines = source if isinstance(source, list) else [source]
    return hashlib.sha256("".join(lines).encode()).hexdigest() if all(isinstance(each, str) for each in lines) else None
