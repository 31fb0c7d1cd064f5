"""The MIME bundle of a card: the record itself and every face of it."""

from __future__ import annotations

from typing import Any

from service_nb.cards.html import to_html
from service_nb.cards.markdown import to_markdown
from service_nb.cards.text import to_text
from service_nb.records.card import CARD_MIME, Card


def to_bundle(card: Card) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return `(data, metadata)` as `_repr_mimebundle_` does."""
    data = {
        CARD_MIME: dict(card),
        "text/html": to_html(card),
        "text/markdown": to_markdown(card),
        "text/plain": to_text(card),
    }
    return data, {}
