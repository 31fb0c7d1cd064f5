"""Checks of a card where it stands in a notebook: `faces`, its other forms in the output, and `cell`, what gave it.

A face is compared with what this version renders from the card. One that names another version is compared with what
this version would have written under that name, and where that differs nothing is known: `face_of_another_version`.

The cell that gave a card need not be the one that shows it: `x = %service_ask …` in one cell, `x` in another. So the
source that the signed statement names by its hash is looked for in the cell that shows the card, and in the cell whose
id the statement names; where no cell of the notebook has that id, or nbclient told none, in all of them. What a widget
ran, and what nobody signed, names no source: it has no check `cell`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

from service_nb._version import __version__
from service_nb.cards.bundle import render_faces
from service_nb.core.digest import sha256_hex
from service_nb.errors import EvidenceError
from service_nb.evidence.checks import failed, not_checkable, passed
from service_nb.evidence.places import Shown, outputs_in
from service_nb.evidence.receipt import opened_envelope
from service_nb.evidence.statement import parse_statement
from service_nb.schema.card import CARD_MIME, Card
from service_nb.schema.face import FACE_MIMES, joined_text, read_mark
from service_nb.schema.verdict import Check, Verdict

# What composing a card raises whose view does not have its shape.
UNSHOWABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def check_outputs(notebook: Mapping[str, Any], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts of a notebook; those of its cards with the checks of the outputs that hold them."""
    held = {shown.subject: shown for shown in outputs_in(notebook) if CARD_MIME in shown.data}
    cells = _Cells(notebook["cells"])
    return [
        replace(verdict, checks=(*verdict.checks, *_checks(held[verdict.subject], cells)))
        if verdict.subject in held and all(check.name != "form" or check.status == "passed" for check in verdict.checks)
        else verdict
        for verdict in verdicts
    ]


def _checks(shown: Shown, cells: _Cells) -> Iterable[Check]:
    card = shown.data[CARD_MIME]
    yield faces_check(shown.data, card)
    place = _stated_place(card)
    if isinstance(place.get("source"), str):
        yield _cell_check(place, shown, cells)


def faces_check(data: Mapping[str, Any], card: Mapping[str, Any]) -> Check:
    """Compare the other forms of an output's data with those that are rendered from its card."""
    others = [mime for mime in data if mime != CARD_MIME]
    if strange := [mime for mime in others if mime not in FACE_MIMES]:
        return _differs(f"The output holds {strange[0]!r}, a form that no card has.")
    by_version = cache(lambda version: render_faces(cast(Card, card), version=version))
    foreign: dict[str, str] = {}
    for mime in others:
        version = read_mark({mime: data[mime]}) or __version__
        try:
            is_same = joined_text(data[mime]) == by_version(version)[mime]
        except UNSHOWABLE:
            return _differs(f"The {mime} cannot be what the card shows: the card cannot be shown.")
        if not is_same and version == __version__:
            return _differs(f"The {mime} of the output is not what the card shows.")
        if not is_same:
            foreign[mime] = version
    for mime, version in foreign.items():
        message = f"The {mime} of the output was written by version {version}; this is {__version__}."
        return not_checkable("faces", "face_of_another_version", message)
    return passed("faces")


class _Cells:
    """The cells of a notebook by their id and by the hash of their source."""

    def __init__(self, cells: Iterable[Mapping[str, Any]]) -> None:
        self._ids: dict[str, set[str]] = {}
        self._sources: set[str] = set()
        for cell in cells:
            source = source_hash(cell)
            if source is None:
                continue
            self._sources.add(source)
            if isinstance(cell.get("id"), str):
                self._ids.setdefault(cell["id"], set()).add(source)

    def sources(self, cell_id: Any) -> set[str]:
        """Return the hashes of the sources of the cells with an id; of all cells, if none has it."""
        return (self._ids.get(cell_id) if isinstance(cell_id, str) else None) or self._sources


def source_hash(cell: Mapping[str, Any]) -> str | None:
    """Return the hash of a cell's source, as a statement's `place.source` has it; None if the cell has none."""
    source = joined_text(cell.get("source"))
    return None if source is None else sha256_hex(source.encode("utf-8", "surrogatepass"))


def _cell_check(place: Mapping[str, Any], shown: Shown, cells: _Cells) -> Check:
    own = None if shown.cell is None else source_hash(shown.cell)
    if place["source"] == own or place["source"] in cells.sources(place.get("cell")):
        return passed("cell")
    message = "The source that gave this result is no longer in the notebook."
    return not_checkable("cell", "cell_edited", message)


def _stated_place(card: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the place that a card's statement states, empty where it states none."""
    if card["receipt"] is None:
        return {}
    try:
        place = parse_statement(opened_envelope(card["receipt"].get("envelope")).payload)["predicate"]["place"]
    except (EvidenceError, AttributeError):
        return {}
    return place or {}


def _differs(message: str) -> Check:
    return failed("faces", EvidenceError(message, reason="face_differs"))
