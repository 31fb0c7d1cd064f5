"""What a report tells of a card beside its verdict."""

from __future__ import annotations

from typing import TypedDict


class Answer(TypedDict, total=False):
    """What a card shows as its answer: a table of shown text, one value, or a sentence."""

    heads: list[str]
    aligned: list[str]  # "point" of a column of quantities, else "left"
    rows: list[list[str]]
    value: str
    text: str
    note: str


class Signer(TypedDict):
    """Whose key signed a card: `name` is "you" of the reader's own, and empty where nobody named it."""

    key: str
    id: str
    name: str
    trusted: bool
