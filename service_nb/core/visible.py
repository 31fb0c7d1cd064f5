"""Text from outside as a terminal or a page may show it: nothing is obeyed, nothing is hidden, nothing overflows."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    r"""Return the text with every character that steers a terminal or a reader's eye written out.

    Control characters, bidirectional overrides, zero-width characters, line separators and lone surrogates become
    escapes such as ``\x1b`` and ``\u202e``. Joiners between letters beyond ASCII stay: words of many scripts need them.
    """
    if text.isprintable():  # which nothing is that is written out here
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
