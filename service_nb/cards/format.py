"""How single values look on every face: exact text in, readable text out, never by way of a float."""

from __future__ import annotations

import re
import unicodedata

NULL = "—"
SHORT_DIGEST = 12

_NUMBER = re.compile(r"(-?)([0-9]+)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_NONFINITE = ("NaN", "Infinity", "-Infinity")
_INSTANT = re.compile(r"([0-9]{4,}-[0-9]{2}-[0-9]{2})T([0-9:.]+)")
_JOINERS = "\u200c\u200d"
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# What a spreadsheet takes for a formula when a table is pasted into it (CWE-1236).
_FORMULA_STARTS = ("=", "+", "-", "@")


def visible(text: str) -> str:
    r"""Return the text with every character that steers a terminal or a reader's eye written out.

    Control characters, bidirectional overrides, zero-width characters, line separators and lone surrogates become
    escapes such as ``\x1b`` and ``\u202e``. Joiners between letters beyond ASCII stay: words of many scripts need them.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(text, index, char) for index, char in enumerate(text))


def _shown(text: str, index: int, char: str) -> str:
    if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or _joins(text, index, char):
        return char
    point = ord(char)
    if point < 0x100:
        return _ESCAPES.get(char) or f"\\x{point:02x}"
    return f"\\u{{{point:x}}}" if point > 0xFFFF else f"\\u{point:04x}"


def _joins(text: str, index: int, char: str) -> bool:
    neighbours = text[max(index - 1, 0) : index] + text[index + 1 : index + 2]
    return (
        char in _JOINERS
        and len(neighbours) == 2
        and all(not each.isascii() and unicodedata.category(each)[0] in "LMS" for each in neighbours)
    )


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
    shown = visible(text)
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


def width(text: str) -> int:
    """Return the number of terminal cells that visible text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if char in _JOINERS or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def clip(text: str, cells: int) -> str:
    """Return visible text, cut to a number of terminal cells; the cut shows as an ellipsis."""
    if width(text) <= cells:
        return text
    kept, used = [], 0
    for char in text:
        used += _cells(char)
        if used > cells - 1:
            break
        kept.append(char)
    return "".join(kept) + "…"
