"""Format text for people: values and names in messages, hostile characters, terminal widths."""

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

# Words that end a name; as names they need backticks.
KEYWORDS = frozenset(
    (
        "by", "from", "where", "order", "limit", "asc", "desc", "and", "or", "not", "in", "between", "is", "null",
        "contains", "starts_with", "during", "true", "false",
    )
)  # fmt: skip
NAME_PATTERN = r"[^\W\d]\w*"
ZONE_PATTERN = r"[A-Za-z]+(?:\/[A-Za-z0-9_+\-]+)+"  # of a time zone: Europe/Berlin


def split_words(text: str) -> tuple[str, ...]:
    """Split a table of words, written as one text."""
    return tuple(text.split())


def split_pairs(text: str) -> dict[str, str]:
    """Split a table of words and what each stands for, written as one text."""
    listed = text.split()
    return dict(zip(listed[::2], listed[1::2], strict=True))


# By their names in LaTeX.
GREEK = split_pairs(
    "alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ kappa κ lambda λ mu μ nu ν xi ξ pi π "
    "rho ρ sigma σ tau τ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Lambda Λ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω"
)


def find_nearest(name: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Find up to `count` of `names` that are spelt like `name`, the nearest first."""
    return difflib.get_close_matches(name[:LONGEST], names, n=count, cutoff=0.6)


def find_slip(word: str, names: Iterable[str]) -> str | None:
    """Find the one name that `word` is but for a letter added, left out or changed, or two swapped; else None."""
    found = [name for name in names if abs(len(name) - len(word)) <= 1 and is_slip(word, name)]
    return found[0] if len(found) == 1 else None


def is_slip(one: str, other: str) -> bool:
    """Tell whether one letter was added, left out or changed, or two neighbours changed places."""
    start = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    if start is None:
        return len(one) != len(other)
    swapped = one[start + 1 : start + 2] + one[start] + one[start + 2 :]
    return swapped == other[start:] or any(
        one[start + left :] == other[start + right :] for left, right in ((1, 1), (0, 1), (1, 0))
    )


def describe_value(value: object) -> str:
    """Describe `value` for a message: short and printable; of unknown types only the type's name."""
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


def write_zone(name: str) -> str:
    """Write a time zone as it stands in an ask line: bare where it is Area/City, else as a name."""
    return name if re.fullmatch(ZONE_PATTERN, name) else write_name(name)


_JOINERS = "\u200c\u200d"
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def make_visible(text: str) -> str:
    r"""Escape every character that steers a terminal or misleads a reader's eye.

    Control characters, bidirectional overrides, zero-width characters, line separators and lone surrogates become
    escapes such as ``\x1b`` and ``\u202e``. Joiners between letters beyond ASCII stay: words of many scripts need them.
    """
    if text.isprintable():  # which nothing is that is written out here
        return text
    return "".join(_escape_char(text, index, char) for index, char in enumerate(text))


def _escape_char(text: str, index: int, char: str) -> str:
    if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or _is_joiner(text, index, char):
        return char
    point = ord(char)
    if point < 0x100:
        return _ESCAPES.get(char) or f"\\x{point:02x}"
    return f"\\u{{{point:x}}}" if point > 0xFFFF else f"\\u{point:04x}"


def _is_joiner(text: str, index: int, char: str) -> bool:
    neighbours = text[max(index - 1, 0) : index] + text[index + 1 : index + 2]
    return (
        char in _JOINERS
        and len(neighbours) == 2
        and all(not each.isascii() and unicodedata.category(each)[0] in "LMS" for each in neighbours)
    )


def measure_width(text: str) -> int:
    """Count the terminal cells that visible text takes."""
    if text.isascii():
        return len(text)
    return sum(_count_cells(char) for char in text)


def _count_cells(char: str) -> int:
    if char in _JOINERS or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def clip(text: str, cells: int) -> str:
    """Cut visible text to a number of terminal cells, with an ellipsis at the cut."""
    if measure_width(text) <= cells:
        return text
    kept, used = [], 0
    for char in text:
        used += _count_cells(char)
        if used > cells - 1:
            break
        kept.append(char)
    return "".join(kept) + "…"


def misfit_error(path: str, met: object, expected: str) -> InvalidIntentError:
    """Build the error for a value that is not of the expected form."""
    return InvalidIntentError(
        f"{path} is {describe_value(met)}; expected {expected}.", path=path, met=describe_value(met), expected=expected
    )


_HUMP = re.compile("(?<=[a-z])[A-Z]")


def read_keys(raw: object, path: str) -> Any:
    """Return an object with its camelCase keys in snake_case; anything else as it is.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        A key stands there in both ways of writing.
    """
    if not isinstance(raw, Mapping):
        return raw
    read = {
        _HUMP.sub(lambda hump: f"_{hump[0].lower()}", key) if isinstance(key, str) else key: raw[key] for key in raw
    }
    if len(read) < len(raw):
        raise InvalidIntentError(f"{path} has a key in camelCase and in snake_case.", path=path, met="a key twice")
    return read


def require_object(raw: object, path: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    """Require an object that has no keys but `keys`, and return it unchanged.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is none, or has another key; the nearest that there is, is named.
    """
    if not isinstance(raw, Mapping):
        raise misfit_error(path, raw, f"an object with the keys {', '.join(keys)}")
    for key in raw:
        if key not in keys:
            near = find_nearest(key, keys) if isinstance(key, str) else []
            raise InvalidIntentError(
                f"{path} has no key {describe_value(key)}.",
                hint=f"Did you mean {near[0]!r}?" if near else f"It takes {', '.join(keys)}.",
                path=path,
                met=describe_value(key),
                expected=list(keys),
                did_you_mean=near or None,
            )
    return raw
