"""Change values in a JSON text and leave every other byte as it is.

Reading a notebook and writing it anew would change numbers, the order of keys and the layout of whoever wrote it, and
with them every diff. So values are written between the bytes. The texts are known to be strict JSON: nothing is checked
here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from service_nb.errors import EvidenceError

_DECODER = json.JSONDecoder()
_BLANK = " \t\r\n"


class JsonSpan(NamedTuple):
    """A member of an object or an item of a list: its key, where that begins, and from where to where its value stands.

    An item's key is its number, and begins where its value does.
    """

    key: str | int
    at: int
    start: int
    end: int


def iter_members(text: str, at: int) -> Iterator[JsonSpan]:
    """Yield the members of the object, or the items of the list, that begins at `at`."""
    is_object = text[at] == "{"
    at, number = skip_blanks(text, at + 1), 0
    while text[at] not in "}]":
        key: str | int = number
        start = at
        if is_object:
            key, end = _DECODER.raw_decode(text, at)
            start = skip_blanks(text, skip_blanks(text, end) + 1)
        _, end = _DECODER.raw_decode(text, start)
        yield JsonSpan(key, at, start, end)
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


def skip_blanks(text: str, at: int = 0) -> int:
    """Skip blanks, and return the next place that is none: of a whole text, where the document starts."""
    while text[at] in _BLANK:
        at += 1
    return at


def replace_values(text: str, changes: Iterable[tuple[JsonSpan, object]]) -> str:
    """Replace values in the text; new ones are written in its layout: indent, separators, ends of lines, escapes."""
    start = skip_blanks(text)
    first = skip_blanks(text, start + 1)
    has_lines = "\n" in text[start:first]
    unit = _find_margin(text, first) or None if has_lines else None
    separators = None if has_lines or '": ' in text else (",", ":")
    newline = "\r\n" if "\r\n" in text[: first + 1] else "\n"
    is_ascii = text.isascii() and "\\u" in text
    parts, at = [], 0
    for span, value in sorted(changes, key=lambda change: change[0].start):
        written = json.dumps(value, ensure_ascii=is_ascii, indent=unit, separators=separators)
        if unit is not None:
            written = written.replace("\n", newline + _find_margin(text, span.start))
        parts += [text[at : span.start], written]
        at = span.end
    return "".join([*parts, text[at:]])


def set_metadata(text: str, key: str, value: object) -> str:
    """Set `key` in the metadata of a notebook's text, in the layout and order in which nbformat writes.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It is no object that has an object `metadata`.
    """
    metadata = find_value(text, skip_blanks(text), "metadata")
    if metadata is None or text[metadata.start] != "{":
        raise EvidenceError("The notebook has no metadata.", reason="malformed_notebook", hint="Save it from Jupyter.")
    members = list(iter_members(text, metadata.start))
    known = next((each for each in members if each.key == key), None)
    if known is not None:
        return text[: known.start] + _write_beside(text, known, value) + text[known.end :]
    if not members:  # a level deeper than the line on which it stands
        return text[: metadata.start] + _write_beside(text, metadata, {key: value}) + text[metadata.end :]
    later = next((each for each in members if str(each.key) > key), None)
    beside = later or members[-1]
    blank = text[len(text[: beside.at].rstrip(_BLANK)) : beside.at]  # what stands before it
    member = f"{json.dumps(key)}: {_write_beside(text, beside, value)}"
    if later is not None:
        return text[: later.at] + member + "," + blank + text[later.at :]
    return text[: beside.end] + "," + blank + member + text[beside.end :]


def _write_beside(text: str, span: JsonSpan, value: object) -> str:
    """Write a value as nbformat does at the depth of a member; on one line if the notebook has no lines."""
    line = text[text.rfind("\n", 0, span.at) + 1 : span.at]
    if line.strip(_BLANK) or "\n" not in text[: span.at]:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).replace("\n", "\n" + line)


def _find_margin(text: str, at: int) -> str:
    """Find the blanks at the beginning of the line of `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(_BLANK))]
