"""MIME bundles: the card itself, and every face of it for front ends that do not know its type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from service_nb.cards.blocks import Block
from service_nb.cards.compose import compose
from service_nb.cards.html import write_html
from service_nb.cards.latex import write_latex
from service_nb.cards.markdown import write_markdown
from service_nb.cards.text import write_text
from service_nb.records.card import CARD_MIME, Card

Bundle = tuple[dict[str, Any], dict[str, Any]]


def to_bundle(card: Card) -> Bundle:
    """Return `(data, metadata)` of a card as `_repr_mimebundle_` does."""
    faces, metadata = write_bundle(compose(card))
    return {CARD_MIME: dict(card), **faces}, metadata


def write_bundle(blocks: Sequence[Block]) -> Bundle:
    """Return `(data, metadata)` of blocks that are no evidence: a source, a policy, an explanation."""
    faces = {
        "text/html": write_html(blocks),
        "text/markdown": write_markdown(blocks),
        "text/latex": write_latex(blocks),
        "text/plain": write_text(blocks),
    }
    return faces, {}
