"""Write one face of a card, as tests want it."""

from __future__ import annotations

import re

from service_nb.cards.card_blocks import compose_face
from service_nb.cards.faces import find_faces
from service_nb.cards.faces.text import WIDTH, write_text
from service_nb.schema.card import Card

FOLDING = frozenset({"details", "summary"})  # not known to nbconvert's sanitiser, which shows them as text


def unfold(html: str) -> str:
    """Take the tags of folding out of HTML, also where a sanitiser has made text of them."""
    return re.sub(r"(?:<|&lt;)/?(?:details|summary)(?:>|&gt;)", "", html)


def to_html(card: Card) -> str:
    return find_faces()["html"].write(compose_face(card))


def to_latex(card: Card) -> str:
    return find_faces()["latex"].write(compose_face(card))


def to_markdown(card: Card) -> str:
    return find_faces()["markdown"].write(compose_face(card))


def to_text(card: Card, width: int = WIDTH) -> str:
    return write_text(compose_face(card), width)
