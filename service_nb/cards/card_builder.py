"""Cards from their parts, kept below `CARD_BYTES` and sealed: the view and its rows get their digests last.

The digests of what was asked and answered come in as arguments; they are of the whole texts, whatever the card holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import orjson

from service_nb.core.canonical import MAX_SAFE_INTEGER, write_canonical_text
from service_nb.core.digest import ROWS_DOMAIN, VIEW_DOMAIN, digest
from service_nb.schema.card import CARD_BYTES, CARD_VERSION, Card, CardKind
from service_nb.schema.entry import RECEIPT_BYTES

_CONTENT_BYTES = CARD_BYTES - RECEIPT_BYTES  # what is left when a receipt has come
_TEXT_CHARS = 400  # of one text in a view that is still too large without its rows
_LIST_ITEMS = 20
_MOST_ESCAPED = 6  # characters for a byte of the shortest form: no escape, no blank, no number takes more


def build_card(
    kind: CardKind, *, canonical: Mapping[str, str], digests: Mapping[str, str], view: Mapping[str, object]
) -> Card:
    """Build a card.

    Parameters
    ----------
    kind : CardKind
        What the card is of; `schema.card` says what each kind has.
    canonical : Mapping
        The hashed texts, as far as they may be in the card: without values, a query has its plan alone.
    digests : Mapping
        What they hash to.
    view : Mapping
        For display. Without values: `rows` empty, `row_count` and `columns` as they are.

    Returns
    -------
    Card
        Of at most `CARD_BYTES`, with its receipt. Beyond that the canonical result leaves first, then rows of the
        view; digests stay.
    """
    whole = Card(
        kind=kind,
        version=CARD_VERSION,
        canonical=dict(canonical),
        digests=dict(digests),
        receipt=None,
        view=make_portable(dict(view)),
    )
    card = next(smaller for smaller in _list_smaller_cards(whole) if _fits(smaller))
    shown = {key: value for key, value in card["view"].items() if key != "rows"}
    card["digests"]["view_hash"] = digest(VIEW_DOMAIN, write_canonical_text(shown))
    if "rows" in card["view"]:
        card["digests"]["rows_hash"] = digest(ROWS_DOMAIN, write_canonical_text(card["view"]["rows"]))
    return card


def make_portable(value: object) -> Any:
    """Convert a value to JSON that every front end keeps: large numbers as text, lone surrogates escaped."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {make_portable(key): make_portable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [make_portable(item) for item in value]
    if isinstance(value, int | float) and not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
        return write_canonical_text(value).strip('"')  # a whole float too: front ends write 1e17 as an integer
    return value


def measure_card(card: Card) -> int:
    """Count the bytes of the card as JSON with all non-ASCII characters escaped, its largest form."""
    return len(json.dumps(card))


def _fits(card: Card) -> bool:
    # The texts of a large result alone tell, long before they are worth writing out.
    if sum(map(len, card["canonical"].values())) > _CONTENT_BYTES:
        return False
    with suppress(orjson.JSONEncodeError):  # of a text that it does not write
        # Most cards fit in any form, which the length from a faster writer tells.
        if len(orjson.dumps(card)) * _MOST_ESCAPED <= _CONTENT_BYTES:
            return True
    return measure_card(card) <= _CONTENT_BYTES


def _list_smaller_cards(card: Card) -> Iterator[Card]:
    yield card
    canonical, view = card["canonical"], card["view"]
    for largest in ("result", "arguments", "value"):
        if largest in canonical:
            canonical = {key: text for key, text in canonical.items() if key != largest}
            card = {**card, "canonical": canonical}
            yield card
    kept = len(view.get("rows", ()))
    while kept:
        kept //= 2
        card = {**card, "view": view | {"rows": view["rows"][:kept]}}
        yield card
    # Only a question of thousands of values or a schema of huge names comes here. What such a card shows is clipped, so
    # it cannot be compared with its texts any more: they leave, and what they hash to stays.
    card = {**card, "canonical": {}}
    yield card
    for chars in (_TEXT_CHARS, _TEXT_CHARS // 10, 8):
        yield {**card, "view": _clip_texts(card["view"], chars)}


def _clip_texts(value: object, chars: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= chars else value[: chars - 1] + "…"
    if isinstance(value, Mapping):
        return {key: _clip_texts(item, chars) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clip_texts(item, chars) for item in value[:_LIST_ITEMS]]
    return value
