"""Text from data stays text in a spreadsheet: what one would take for a formula gets an apostrophe before it.

A cell is a formula where its first sign is one of ``= + - @``. Spreadsheets look for it behind blanks and
invisible characters, some fold full-width signs, and a tab, an end of line or a NUL in front hides it from people only.
A file that is opened with another separator than its own falls into other cells, so each place where such a cell could
start is guarded too: behind a semicolon, a tab and the end of a line.

`unguarded` gives back every text as it was before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

MARK = "'"
_SEAM = re.compile(r"([;\t\r\n])")
_SIGNS = frozenset("=+-@\u2212")  # NFKC folds full-width, small and raised forms; this minus it leaves alone
_PICTURES = 0x2400  # the signs that picture control characters, from that of NUL on


def is_risky(text: str) -> bool:
    """Whether a spreadsheet could read the text, or a part of it, as more than text."""
    return guarded(text) != text


def guarded(text: str) -> str:
    """Return the text with an apostrophe before each place where a formula could start."""
    return _each_start(text, lambda part: MARK + part)


def unguarded(text: str) -> str:
    """Return the text that `guarded` was given."""
    return _each_start(text, lambda part: part.removeprefix(MARK))


def printable(text: str) -> str:
    """Return the text with the control characters, which no reader of cells is sure to take, as signs that show them.

    Tabs and ends of lines stay. What has no sign, and what XML has no room for, becomes U+FFFD.
    """
    return text if text.isprintable() else "".join(map(_pictured, text))


def _each_start(text: str, change: Callable[[str], str]) -> str:
    if text[:1].isalnum() and _SEAM.search(text) is None:
        return text  # as nearly every text is
    first, *others = _SEAM.split(text)
    begins = _starts_formula(first) or _starts_with_control(text)
    return "".join(
        [change(first) if begins else first, *(change(part) if _starts_formula(part) else part for part in others)]
    )


def _starts_formula(part: str) -> bool:
    start = next((char for char in part if not _is_unseen(char)), "")
    return start != "" and unicodedata.normalize("NFKC", start)[:1] in _SIGNS


def _starts_with_control(text: str) -> bool:
    for char in text:
        if unicodedata.category(char) == "Cc":
            return True
        if not _is_unseen(char):
            return False
    return False


def _is_unseen(char: str) -> bool:
    # The mark counts among them, so that a text that has one already is told from one that was given one.
    return char == MARK or char.isspace() or unicodedata.category(char) in ("Cc", "Cf")


def _pictured(char: str) -> str:
    point = ord(char)
    if char in "\t\n\r":
        return char
    if point < 0x20:
        return chr(_PICTURES + point)
    if point == 0x7F:
        return "\u2421"
    is_lost = point in (0xFFFE, 0xFFFF) or unicodedata.category(char) in ("Cc", "Cs")
    return "\ufffd" if is_lost else char
