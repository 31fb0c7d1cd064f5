"""Strip the values from cards and notebooks, and keep the evidence.

What leaves a card are the rows that it shows and the hashed texts that hold values. Hashes, receipt, question, plan and
source stay, so the signature still holds, and what the hashes stand for can be taken from the ledger or replayed. A
question or a call repeats what it was asked with, such as the value of a filter: that is what was done, and stays.

Of a notebook only the outputs change that are changed on purpose; every other byte stays, also in a file that was not
written by nbformat.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from service_nb.errors import EvidenceError
from service_nb.evidence.documents import find_outputs, read_json, require_card
from service_nb.evidence.json_spans import JsonSpan, find_value, iter_members, replace_values, skip_blanks
from service_nb.evidence.standalone import WIDGETS_MIME
from service_nb.schema.card import CARD_MIME, Card

Faces = Callable[[Card], Mapping[str, Any]]  # what else stands beside a card in an output, by MIME type

_VALUES = {"query": ("result",), "computation": ("value", "arguments"), "replay": ("report",)}


class Stripped(NamedTuple):
    """A notebook without values."""

    text: str
    cards: int  # that lost values
    outputs: int  # other than cards, that were taken out


def strip_card(card: Card) -> Card:
    """Return the card without its rows and without the hashed texts that hold values."""
    view = card["view"]
    is_empty = card["kind"] in ("query", "replay") and not view.get("rows") and view.get("row_count") == 0
    values = () if is_empty else _VALUES.get(card["kind"], ())
    canonical = {name: text for name, text in card["canonical"].items() if name not in values}
    if "rows" in view:
        view = view | {"rows": []}
    return Card(**{**card, "canonical": canonical, "view": view})


def strip_file(content: bytes, faces: Faces, *, all_outputs: bool = False) -> Stripped:
    """Return the text of a notebook, or of a card by itself, without values; as `stripped_notebook`."""
    met = read_json(content)
    if isinstance(met, dict) and "nbformat" in met:
        return strip_notebook(content, faces, all_outputs=all_outputs)
    if not isinstance(met, dict) or "kind" not in met:
        raise EvidenceError("It is no notebook and no card.", reason="unknown_document")
    require_card(met)
    card: Mapping[str, Any] = strip_card(cast(Card, met))
    text = content.decode()
    start = skip_blanks(text)
    changes = [
        (span, card[str(span.key)]) for span in iter_members(text, start) if card[str(span.key)] != met[span.key]
    ]
    return Stripped(replace_values(text, changes), int(bool(changes)), 0)


def strip_notebook(content: bytes, faces: Faces, *, all_outputs: bool = False) -> Stripped:
    """Return the text of a notebook whose cards hold no values.

    Parameters
    ----------
    faces : Callable
        Gives what a front end shows instead of a card that it does not know, anew for the stripped card.
    all_outputs : bool
        Whether outputs that are no cards are taken out, too: tables, pictures, printed text.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It is not the strict JSON of a notebook, or holds what is no card where a card should be; the reason is the
        cause that `verify` names.
    """
    for placed in find_outputs(read_json(content)):
        if CARD_MIME in placed.data:
            require_card(placed.card)
    text = content.decode()
    changes, cards, outputs = [], 0, 0
    for span in _iter_outputs(text):
        without = [each for each in iter_members(text, span.start) if not _holds_card(text, each)]
        if all_outputs and without:
            outputs += len(without)
            kept = [each for each in iter_members(text, span.start) if each not in without]
            changes.append((span, [_strip_output(text, each, faces) for each in kept]))
            cards += sum(_has_values(text, each) for each in kept)
            continue
        for output in iter_members(text, span.start):
            if output not in without and _has_values(text, output):
                cards += 1
                data = find_value(text, output.start, "data")
                changes.append((data or output, _strip_output(text, output, faces)["data"]))
    return Stripped(replace_values(text, changes), cards, outputs)


def _iter_outputs(text: str) -> Iterator[JsonSpan]:
    """Yield the places of the lists of outputs, of every cell and every widget that has one."""
    cells = find_value(text, skip_blanks(text), "cells")
    for cell in () if cells is None else iter_members(text, cells.start):
        found = find_value(text, cell.start, "outputs")
        if found is not None:
            yield found
    models = find_value(text, skip_blanks(text), "metadata", "widgets", WIDGETS_MIME, "state")
    for model in () if models is None or text[models.start] != "{" else iter_members(text, models.start):
        found = find_value(text, model.start, "state", "outputs") if text[model.start] == "{" else None
        if found is not None and text[found.start] == "[":
            yield found


def _holds_card(text: str, output: JsonSpan) -> bool:
    """Tell whether an output holds a card; an output that is no object, as in some widgets, holds none."""
    return text[output.start] == "{" and find_value(text, output.start, "data", CARD_MIME) is not None


def _has_values(text: str, output: JsonSpan) -> bool:
    card = _read_value(text, find_value(text, output.start, "data", CARD_MIME))
    return bool(strip_card(card) != card)


def _strip_output(text: str, output: JsonSpan, faces: Faces) -> dict[str, Any]:
    met = _read_value(text, output)
    data = met["data"]
    card = strip_card(data[CARD_MIME])
    # In the order and form in which they stand there; a picture of the values has no successor.
    shown = {CARD_MIME: card, **_build_faces(card, faces)}
    return {**met, "data": {mime: _match_layout(data[mime], shown[mime]) for mime in data if mime in shown}}


def _build_faces(card: Card, faces: Faces) -> Mapping[str, object]:
    try:
        return faces(card)
    except (AttributeError, LookupError, TypeError, ValueError):
        told = "What a card shows is not of the form that cards have, so it cannot be shown anew."
        raise EvidenceError(told, reason="malformed_card") from None


def _match_layout(before: object, value: object) -> Any:
    """Split a text into lines if a list of lines stood there before, as nbformat writes it."""
    return value.splitlines(keepends=True) if isinstance(before, list) and isinstance(value, str) else value


def _read_value(text: str, span: JsonSpan | None) -> Any:
    return None if span is None else json.loads(text[span.start : span.end])
