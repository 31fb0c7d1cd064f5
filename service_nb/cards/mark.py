"""The blocks of a card's face: those of the card, and the mark of the version that writes them (`records.face`)."""

from __future__ import annotations

from service_nb._version import __version__
from service_nb.cards.blocks import Block, Mark
from service_nb.cards.compose import compose
from service_nb.schema.card import Card


def compose_face(card: Card, version: str = __version__) -> list[Block]:
    """Return the blocks of a face of a card: what `compose` gives, and the mark of the version that writes it."""
    return [*compose(card), Mark(version=version)]
