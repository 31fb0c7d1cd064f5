"""Forged cards: every payload in every place of a card that holds text, and cards of shapes that nobody would make."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.simulators.evidence import sealed
from tests.vectors.cases import document

Json = dict[str, Any]
LONG = 2_000  # characters from which a payload stands in a few places instead of all
KEPT = ("status",)  # what a face chooses its form by


def payloads() -> list[str]:
    """The shared list, and what may be taken for markup of the list of the static faces."""
    listed = [each.get("text", each.get("repeat", "") * each.get("times", 1)) for each in _listed()]
    return list(dict.fromkeys([*listed, *document("cards/hostile_text.json")["html"]]))


def _listed() -> list[Json]:
    return list(document("hostile/payloads.json")["payloads"])


def cards(genuine: list[Json], texts: list[str], *, each_kind: bool) -> Iterator[Json]:
    """Yield each payload in one kind of card, the kinds in turn, or in all kinds there are."""
    turn = cycle(genuine)
    for payload in texts:
        for kind in genuine if each_kind else [next(turn)]:
            yield filled(kind, payload)


def filled(genuine: Json, payload: str) -> Json:
    """A card that says nothing but the payload, with digests that hold where it has any."""
    card = copy.deepcopy(genuine)
    if len(payload) < LONG:
        card["view"] = _everywhere(card["view"], payload)
    else:
        for place in ("question", "message", "reason", "summary", "formula", "latex"):
            card["view"].update({place: payload} if place in card["view"] else {})
        if card["view"].get("rows"):
            card["view"]["rows"][0][0] = payload
    is_text = not any("\ud800" <= char <= "\udfff" for char in payload)
    return (sealed(card) if is_text else card) | {"receipt": None}


def _everywhere(value: Any, payload: str, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _everywhere(item, payload, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_everywhere(item, payload, name) for item in value]
    return payload if isinstance(value, str) and name not in KEPT else value


def malformed(genuine: list[Json]) -> Iterator[Json]:
    """Yield cards whose parts are of other shapes, types, sizes and names than a card's."""
    odd: list[Any] = [None, True, 0, -1.5, "x", [], {}, [[]], {"__proto__": {"polluted": "yes"}}, ["<b>"] * 3]
    for card, value in zip(cycle(genuine), odd, strict=False):
        for part in ("kind", "version", "canonical", "digests", "receipt", "view"):
            yield {**copy.deepcopy(card), part: value}
    for card in genuine:
        for key, value in zip(card["view"], cycle(odd)):
            yield sealed({**copy.deepcopy(card), "view": {**card["view"], key: value}, "receipt": None})
        yield _polluting(card)
    yield _deep(genuine[0], 400)
    yield _wide(genuine[0], lambda view: {**view, "rows": [["x", "1", "1"]] * 5_000})
    yield _wide(genuine[0], lambda view: {**view, "columns": view["columns"] * 300})
    yield _wide(genuine[0], lambda view: {**view, "plan": ["a step"] * 5_000, "notes": ["a note"] * 5_000})


def _polluting(card: Json) -> Json:
    """Names that mean something to JavaScript, where names are looked up."""
    names = ("__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "polluted")
    evil: Json = {name: {"polluted": "yes", "prototype": {"polluted": "yes"}} for name in names}
    forged = copy.deepcopy(card)
    forged["view"] |= evil
    forged["canonical"] |= dict.fromkeys(names, "{}")
    forged["digests"] |= dict.fromkeys(names, "0" * 64)
    return forged | evil | {"receipt": {"version": 1, **evil}}


def _deep(card: Json, depth: int) -> Json:
    nested: Any = "x"
    for _ in range(depth):
        nested = [nested]
    return {**card, "view": {**card["view"], "source": nested}}


def _wide(card: Json, change: Callable[[Json], Json]) -> Json:
    return {**card, "view": change(copy.deepcopy(card["view"]))}


def write(path: Path, made: Sequence[object]) -> None:
    """Write one card, or face of one, a line, as ASCII: half a surrogate pair is no UTF-8."""
    path.write_text("".join(f"{json.dumps(card)}\n" for card in made), encoding="ascii")
