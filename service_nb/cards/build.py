"""Cards from their parts, kept below `CARD_BYTES`. Hashes come in as arguments: nothing here computes one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from service_nb.records.card import CARD_BYTES, CARD_VERSION, Card, CardKind

_TEXT_CHARS = 400  # of one text in a view that is still too large without its rows
_LIST_ITEMS = 20


def query_card(*, canonical: Mapping[str, str], digests: Mapping[str, str], view: Mapping[str, Any]) -> Card:
    """Return the card of an answered question.

    Parameters
    ----------
    canonical : Mapping
        `plan` and, unless values are to stay out of the card, `result`: the hashed texts.
    digests : Mapping
        plan_hash, result_hash, schema_revision.
    view : QueryView
        For display. Without values: `rows` empty, `row_count` and `columns` as they are.

    Returns
    -------
    Card
        Of at most `CARD_BYTES`. Beyond that the canonical result leaves first, then rows of the view; digests stay.
    """
    return _capped(_card("query", canonical, digests, view))


def refusal_card(*, canonical: Mapping[str, str], digests: Mapping[str, str], view: Mapping[str, Any]) -> Card:
    """Return the card of a question that was not run; `view` is a `RefusalView`."""
    kind: CardKind = "clarification" if view["status"] == "needs_clarification" else "rejection"
    return _capped(_card(kind, canonical, digests, view))


def error_card(*, canonical: Mapping[str, str], digests: Mapping[str, str], view: Mapping[str, Any]) -> Card:
    """Return the card of an error; `view` is an `ErrorView`."""
    return _capped(_card("error", canonical, digests, view))


def computation_card(*, canonical: Mapping[str, str], digests: Mapping[str, str], view: Mapping[str, Any]) -> Card:
    """Return the card of a computation.

    Parameters
    ----------
    canonical : Mapping
        `identity`, `arguments` and `value`, as far as a card can hold them.
    digests : Mapping
        invocation_hash, computation_hash, input_hash, contract_hash.
    view : ComputationView
        For display.
    """
    return _capped(_card("computation", canonical, digests, view))


def _card(kind: CardKind, canonical: Mapping[str, str], digests: Mapping[str, str], view: Mapping[str, Any]) -> Card:
    return Card(
        kind=kind,
        version=CARD_VERSION,
        canonical=dict(canonical),
        digests=dict(digests),
        receipt=None,
        view=dict(view),
    )


def card_bytes(card: Card) -> int:
    """Return the bytes that the card takes as JSON with every character beyond ASCII escaped, its largest form."""
    return len(json.dumps(card))


def _capped(card: Card) -> Card:
    return next(smaller for smaller in _ever_smaller(card) if _fits(smaller))


def _fits(card: Card) -> bool:
    # The texts of a large result alone tell, long before they are worth writing out.
    return sum(map(len, card["canonical"].values())) <= CARD_BYTES and card_bytes(card) <= CARD_BYTES


def _ever_smaller(card: Card) -> Iterator[Card]:
    yield card
    canonical, view = card["canonical"], card["view"]
    for largest in ("result", "arguments", "value"):
        if largest in canonical:
            canonical = {key: text for key, text in canonical.items() if key != largest}
            card = _with(card, canonical=canonical)
            yield card
    kept = len(view.get("rows", ()))
    while kept:
        kept //= 2
        card = _with(card, view=view | {"rows": view["rows"][:kept]})
        yield card
    # Only a question of thousands of values or a schema of huge names comes here: what it hashes to must do.
    card = _with(card, canonical={})
    yield card
    for chars in (_TEXT_CHARS, _TEXT_CHARS // 10):
        yield _with(card, view=_clipped(card["view"], chars))
    yield _with(card, view=_clipped(card["view"], 8))


def _with(card: Card, **changes: Any) -> Card:
    return Card(**{**card, **changes})  # type: ignore[typeddict-item]  # a copy with some keys replaced


def _clipped(value: Any, chars: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= chars else value[: chars - 1] + "…"
    if isinstance(value, Mapping):
        return {key: _clipped(item, chars) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clipped(item, chars) for item in value[:_LIST_ITEMS]]
    return value
