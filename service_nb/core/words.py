"""Words for people: values and names in messages, and text from outside made visible."""

from __future__ import annotations

import datetime
import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from service_nb.errors import InvalidIntentError

LONGEST = 1_024  # characters of a name that are compared

# Words that end a name; as names they need backticks. `or` is one only so that its refusal can be a helpful one.
KEYWORDS = frozenset(
    (
        "by", "from", "where", "order", "limit", "asc", "desc", "and", "or", "not", "in", "between", "is", "null",
        "contains", "starts_with", "during", "true", "false",
    )
)  # fmt: skip
NAME_PATTERN = r"[^\W\d]\w*"


def nearest(name: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Return up to `count` of `names` that are spelt like `name`, the nearest first."""
    return difflib.get_close_matches(name[:LONGEST], names, n=count, cutoff=0.6)


def shown(value: object) -> str:
    """Return `value` as it may appear in a message: short, printable, of known types only."""
    if value is None:
        return "missing"
    if isinstance(value, str | int | float | bool | Decimal | datetime.date):
        if isinstance(value, str):
            value = value[:61]  # a text of any length costs nothing
        text = repr(value) if not isinstance(value, int) or abs(value) < 10**40 else "a very large integer"
        return text if len(text) <= 60 else text[:57] + "..."
    return f"of type {type(value).__name__}"


def write_name(name: str) -> str:
    """Write a column or a source as it stands in an ask line and in a call: bare where it can be, else in backticks."""
    if re.fullmatch(NAME_PATTERN, name) and name.lower() not in KEYWORDS:
        return name
    return "`" + name.replace("`", "``") + "`"


_JOINERS = "\u200c\u200d"
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def make_visible(text: str) -> str:
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


def measure_width(text: str) -> int:
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
    if measure_width(text) <= cells:
        return text
    kept, used = [], 0
    for char in text:
        used += _cells(char)
        if used > cells - 1:
            break
        kept.append(char)
    return "".join(kept) + "…"


def make_misfit(path: str, met: object, expected: str) -> InvalidIntentError:
    """Return the error that something is not what is expected at its place."""
    return InvalidIntentError(
        f"{path} is {shown(met)}; expected {expected}.", path=path, met=shown(met), expected=expected
    )


def require_object(raw: object, path: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    """Return an object as it is, provided that it is one and has no other keys.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is none, or has another key; the nearest that there is, is named.
    """
    if not isinstance(raw, Mapping):
        raise make_misfit(path, raw, f"an object with the keys {', '.join(keys)}")
    for key in raw:
        if key not in keys:
            near = nearest(key, keys) if isinstance(key, str) else []
            raise InvalidIntentError(
                f"{path} has no key {shown(key)}.",
                hint=f"Did you mean {near[0]!r}?" if near else f"It takes {', '.join(keys)}.",
                path=path,
                met=shown(key),
                expected=list(keys),
                did_you_mean=near or None,
            )
    return raw
