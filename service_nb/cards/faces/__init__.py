"""The faces of a card: a file each, with its record; and MIME bundles of all that are built in.

A face that another distribution installs (entry points of the group `service_nb.faces`) is used where it is named. It
stands in no bundle: a verifier elsewhere could not compare it with the card.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from service_nb._version import __version__
from service_nb.cards.blocks import Block, CardFace
from service_nb.cards.card_blocks import compose_face
from service_nb.cards.digits import Digits
from service_nb.schema.card import CARD_MIME, Card

Bundle = tuple[dict[str, Any], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class HtmlFace:
    """The HTML face of a value, as marimo shows it."""

    html: str

    def _mime_(self) -> tuple[str, str]:
        return "text/html", self.html


class FacedValue:
    """A value with faces: a subclass builds the bundle, and each front end takes the face that it knows."""

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        raise NotImplementedError

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(self._repr_mimebundle_()[0]["text/plain"])

    def _display_(self) -> HtmlFace:
        """Build what marimo shows, which would show a dict as a tree of its keys."""
        return HtmlFace(self._repr_mimebundle_()[0]["text/html"])


@cache
def find_faces() -> dict[str, CardFace]:
    """Find the faces that are built in, by name: every module of this folder has one, called `FACE`."""
    modules = (importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    faces: list[CardFace] = sorted((module.FACE for module in modules), key=lambda face: face.rank)
    return {face.name: face for face in faces}


def to_bundle(card: Card, digits: Digits = None) -> Bundle:
    """Build `(data, metadata)` of a card for `_repr_mimebundle_`. No other MIME type stands beside a card.

    The digits that numbers are shown with are metadata: they are no part of the card.
    """
    metadata = {} if digits is None else {CARD_MIME: {"digits": digits}}
    return {CARD_MIME: dict(card), **render_faces(card, digits=digits)}, metadata


def render_faces(card: Card, version: str = __version__, digits: Digits = None) -> dict[str, str]:
    """Write every face of a card by its MIME type, as a version of the package marks them."""
    return _write_faces(compose_face(card, version, digits))


def write_bundle(blocks: Iterable[Block]) -> Bundle:
    """Build `(data, metadata)` of blocks that are no evidence: a source, a policy, an explanation."""
    return _write_faces(list(blocks)), {}


def _write_faces(blocks: list[Block]) -> dict[str, str]:
    return {face.mime: face.write(blocks) for face in find_faces().values()}
