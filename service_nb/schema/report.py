"""The shapes of a report on a card, beside its verdict."""

from __future__ import annotations

from typing import TypedDict


class ShownAnswer(TypedDict, total=False):
    """The answer that a card displays: a table of displayed text, one value, or a sentence."""

    heads: list[str]
    aligned: list[str]  # "point" of a column of quantities, else "left"
    rows: list[list[str]]
    value: str
    text: str
    note: str


class CardSigner(TypedDict):
    """The key that signed a card; `name` is "you" for the reader's own, and empty if the reader has not named it."""

    key: str
    id: str
    name: str
    trusted: bool
