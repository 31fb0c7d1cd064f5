"""MIME bundles: the card itself, and every face of it for front ends that do not know its type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from service_nb._version import __version__
from service_nb.cards.blocks import Block
from service_nb.cards.html import write_html
from service_nb.cards.latex import write_latex
from service_nb.cards.mark import compose_face
from service_nb.cards.markdown import write_markdown
from service_nb.cards.text import write_text
from service_nb.schema.card import CARD_MIME, Card

Bundle = tuple[dict[str, Any], dict[str, Any]]


def to_bundle(card: Card) -> Bundle:
    """Return `(data, metadata)` of a card as `_repr_mimebundle_` does. No other MIME type stands beside a card."""
    return {CARD_MIME: dict(card), **render_faces(card)}, {}


def render_faces(card: Card, version: str = __version__) -> dict[str, str]:
    """Return every face of a card by its MIME type, as a version of the package marks them."""
    return _faces(compose_face(card, version))


def write_bundle(blocks: Sequence[Block]) -> Bundle:
    """Return `(data, metadata)` of blocks that are no evidence: a source, a policy, an explanation."""
    return _faces(blocks), {}


def _faces(blocks: Sequence[Block]) -> dict[str, str]:
    return {
        "text/html": write_html(blocks),
        "text/markdown": write_markdown(blocks),
        "text/latex": write_latex(blocks),
        "text/plain": write_text(blocks),
    }
