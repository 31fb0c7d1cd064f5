"""How single values look on every face: exact text in, readable text out, never by way of a float."""

from __future__ import annotations

import re

from service_nb.core.words import clip, make_visible, measure_width

__all__ = [
    "NULL",
    "SHORT_DIGEST",
    "cell",
    "clip",
    "count",
    "duration",
    "is_number",
    "make_visible",
    "measure_width",
    "number",
    "word",
]

NULL = "—"
SHORT_DIGEST = 12

_NUMBER = re.compile(r"(-?)([0-9]+)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_NONFINITE = ("NaN", "Infinity", "-Infinity")
_INSTANT = re.compile(r"([0-9]{4,}-[0-9]{2}-[0-9]{2})T([0-9:.]+)")
# What a spreadsheet takes for a formula when a table is pasted into it (CWE-1236).
_FORMULA_STARTS = ("=", "+", "-", "@")


def is_number(text: str) -> bool:
    """Whether the text is the exact text of a number, NaN and the infinities included."""
    return text in _NONFINITE or _NUMBER.fullmatch(text) is not None


def number(text: str) -> str:
    """Return the exact text of a number with its thousands separated; other text comes back as it is."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    sign, whole, rest = match.groups()
    head = len(whole) % 3 or 3
    return sign + ",".join([whole[:head], *(whole[at : at + 3] for at in range(head, len(whole), 3))]) + rest


def word(text: str) -> str:
    """Return text of a cell or a heading so that it can be taken for nothing else.

    Text that would read as empty, as null, as padded, as already quoted, or as a formula in a spreadsheet is shown in
    single quotes.
    """
    shown = make_visible(text)
    doubtful = shown in ("", NULL) or shown != shown.strip() or shown.startswith(("'", *_FORMULA_STARTS))
    return f"'{shown}'" if doubtful else shown


def cell(text: str | None, *, type_: str, separated: bool) -> str:
    """Return a value of a table as shown.

    Parameters
    ----------
    text : str or None
        The exact text of the value, None for null.
    type_ : str
        The column's field type.
    separated : bool
        Whether a number is a quantity; a number that is a label (a year, an identifier) keeps its digits together.
    """
    if text is None:
        return NULL
    if type_ == "number" and is_number(text):
        return number(text) if separated else text
    instant = _INSTANT.fullmatch(text) if type_ == "datetime" else None
    if instant is not None:
        return f"{instant[1]} {instant[2]}"
    return word(text)


def count(rows: int, noun: str = "row") -> str:
    """Return a number of things in words: `1 row`, `336,776 rows`."""
    return f"{rows:,} {noun}" if rows == 1 else f"{rows:,} {noun}s"


def duration(milliseconds: float) -> str:
    """Return a duration to two or three digits, of which the smallest is a hundredth of a millisecond."""
    if milliseconds >= 10_000:
        return f"{milliseconds / 1_000:,.1f} s"
    digits = 0 if milliseconds >= 10 else 1 if milliseconds >= 1 else 2
    return f"{milliseconds:,.{digits}f} ms" if milliseconds >= 0.005 else "under 0.01 ms"
