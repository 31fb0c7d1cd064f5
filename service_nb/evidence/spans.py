"""The places of values in a JSON text, so that one can be replaced and every other byte stays.

The texts are known to be strict JSON: nothing is checked here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_DECODER = json.JSONDecoder()
BLANK = " \t\r\n"


class JsonSpan(NamedTuple):
    """A member of an object or an item of a list: its key, and from where to where its value stands."""

    key: str | int
    start: int
    end: int


def iter_members(text: str, at: int) -> Iterator[JsonSpan]:
    """Yield the members of the object, or the items of the list, that begins at `at`."""
    is_object = text[at] == "{"
    at, number = skip_blanks(text, at + 1), 0
    while text[at] not in "}]":
        key: str | int = number
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = skip_blanks(text, skip_blanks(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield JsonSpan(key, at, end)
        at, number = skip_blanks(text, end), number + 1
        if text[at] == ",":
            at = skip_blanks(text, at + 1)


def find_value(text: str, at: int, *keys: str) -> JsonSpan | None:
    """Find the value at the path `keys`, from the object that begins at `at`; None if it is missing."""
    found = None
    for key in keys:
        found = next((each for each in iter_members(text, at) if each.key == key), None)
        if found is None or text[found.start] not in "{[":
            break
        at = found.start
    return found if found is not None and found.key == keys[-1] else None


def find_start(text: str) -> int:
    """Find the start of the document."""
    return skip_blanks(text, 0)


def replace_values(text: str, changes: Iterable[tuple[JsonSpan, object]]) -> str:
    """Replace values in the text; new ones are written in its layout."""
    layout = _read_layout(text)
    parts, at = [], 0
    for span, value in sorted(changes, key=lambda change: change[0].start):
        margin = "" if layout.unit is None else _find_margin(text, span.start)
        parts += [text[at : span.start], layout.written(value, margin)]
        at = span.end
    return "".join([*parts, text[at:]])


class _Layout(NamedTuple):
    """The layout of a text: the blanks of a level (None where all stands on one line), separators, escapes."""

    unit: str | None
    separators: tuple[str, str] | None
    newline: str
    is_ascii: bool

    def written(self, value: object, margin: str) -> str:
        """Write a value in this layout, on a line that begins with `margin`."""
        written = json.dumps(value, ensure_ascii=self.is_ascii, indent=self.unit, separators=self.separators)
        return written if self.unit is None else written.replace("\n", self.newline + margin)


def _read_layout(text: str) -> _Layout:
    start = find_start(text)
    first = skip_blanks(text, start + 1)
    has_lines = "\n" in text[start:first]
    return _Layout(
        unit=_find_margin(text, first) or None if has_lines else None,
        separators=None if has_lines or '": ' in text else (",", ":"),
        newline="\r\n" if "\r\n" in text[: first + 1] else "\n",
        is_ascii=text.isascii() and "\\u" in text,
    )


def _find_margin(text: str, at: int) -> str:
    """Find the blanks at the beginning of the line of `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(BLANK))]


def skip_blanks(text: str, at: int) -> int:
    """Skip blanks, and return the next place that is none."""
    while text[at] in BLANK:
        at += 1
    return at
