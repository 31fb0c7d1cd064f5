"""Set one value in the metadata of a notebook, and leave every other byte as it is.

Reading a notebook and writing it anew would change numbers, the order of keys and the layout of whoever wrote it, and
with them every diff. So the value is written between the bytes, in the layout and order in which nbformat writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from service_nb.errors import EvidenceError
from service_nb.evidence.spans import BLANK, skip_blanks

_DECODER = json.JSONDecoder()


class _Member(NamedTuple):
    key: str
    at: int  # of its key
    start: int  # of its value
    end: int


def set_metadata(text: str, key: str, value: object) -> str:
    """Set `key` in the metadata of a notebook's text, which is known to be strict JSON.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It is no object that has an object `metadata`.
    """
    start = skip_blanks(text, 0)
    metadata = next((each for each in _iter_members(text, start) if each.key == "metadata"), None)
    if metadata is None or text[metadata.start] != "{":
        raise EvidenceError("The notebook has no metadata.", reason="malformed_notebook", hint="Save it from Jupyter.")
    members = list(_iter_members(text, metadata.start))
    known = next((each for each in members if each.key == key), None)
    if known is not None:
        return text[: known.start] + _write_value(text, known.at, value) + text[known.end :]
    return _insert_member(text, metadata, members, {key: value})


def _insert_member(text: str, metadata: _Member, members: list[_Member], entry: dict[str, object]) -> str:
    key = next(iter(entry))
    name = json.dumps(key) + ": "
    later = next((each for each in members if each.key > key), None)
    if later is not None:  # before it, with the blanks that stand before it
        blank = text[len(text[: later.at].rstrip(BLANK)) : later.at]
        return text[: later.at] + name + _write_value(text, later.at, entry[key]) + "," + blank + text[later.at :]
    if members:  # after the last
        last = members[-1]
        blank = text[len(text[: last.at].rstrip(BLANK)) : last.at]
        return text[: last.end] + "," + blank + name + _write_value(text, last.at, entry[key]) + text[last.end :]
    # Into an empty object: a level deeper than the line on which it stands.
    margin = _find_margin(text, metadata.at)
    if margin is None:
        return text[: metadata.start] + json.dumps(entry, ensure_ascii=False, sort_keys=True) + text[metadata.end :]
    written = json.dumps(entry, ensure_ascii=False, indent=1, sort_keys=True).replace("\n", "\n" + margin)
    return text[: metadata.start] + written + text[metadata.end :]


def _write_value(text: str, at: int, value: object) -> str:
    """Write a value as nbformat does at the depth of the member at `at`; on one line if the notebook has no lines."""
    margin = _find_margin(text, at)
    if margin is None:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).replace("\n", "\n" + margin)


def _find_margin(text: str, at: int) -> str | None:
    """Find the blanks before `at` on its line; None if something else stands there."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line if not line.strip(BLANK) and "\n" in text[:at] else None


def _iter_members(text: str, at: int) -> Iterator[_Member]:
    """Yield the members of the object that begins at `at`."""
    at = skip_blanks(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        start = skip_blanks(text, skip_blanks(text, end) + 1)
        _, end = _DECODER.raw_decode(text, start)
        yield _Member(key, at, start, end)
        at = skip_blanks(text, end)
        if text[at] == ",":
            at = skip_blanks(text, at + 1)
