"""Parse JSON strictly: refuse, with line and column, what `json.loads` accepts silently.

Python's own reader keeps the last of two equal keys, takes NaN and lone surrogates, turns 1e400 into infinity and
overruns the stack on deep input. Size, encoding, surrogates and depth are checked on the raw text before parsing.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from service_nb.errors import CanonicalJsonError, LimitExceededError

MAX_DEPTH = 64
MAX_DIGITS = 4_300  # of one number, as in Python's own guard against quadratic conversion
DEFAULT_MAX_BYTES = 16 * 1024**2

# Possessive quantifiers keep every scan linear, unterminated strings included.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?(\s*:)?|[\[\]{}]|[-+.\w]++', re.DOTALL)
# Takes escapes one by one, so that an escaped backslash never starts one; the group holds a surrogate without partner.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(u[dD][89a-fA-F]\w\w)|.)", re.DOTALL)


class _RefusedNumberError(Exception):
    """A number that the decoder refuses; `parse_strict` turns it into an error with a position."""


class _DuplicateKeyError(Exception):
    """A key that an object holds twice; `parse_strict` turns it into an error with a position."""


def parse_strict(document: str | bytes, *, max_bytes: int = DEFAULT_MAX_BYTES, max_depth: int = MAX_DEPTH) -> Any:
    """Parse one JSON document; integers stay exact, other numbers become floats.

    Parameters
    ----------
    document : str or bytes
        JSON text; bytes are UTF-8 without a byte order mark.
    max_bytes, max_depth : int
        Bounds on the document's UTF-8 size and on nested arrays and objects.

    Raises
    ------
    CanonicalJsonError
        Not JSON, or JSON that two readers could understand differently: duplicate keys, NaN or Infinity, numbers
        beyond float64, lone surrogates, other encodings. `details` name `reason`, `line` and `column`.
    LimitExceededError
        Too large, too deep, or a number of more than 4,300 characters.
    """
    text = _decode(document, max_bytes)
    _refuse_surrogates(text)
    _check_depth(text, max_depth)
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        _refuse(text, error.pos, "syntax", f"The JSON is malformed ({error.msg}).")
    except _DuplicateKeyError:
        _refuse(text, _find_duplicate_offset(text), "duplicate_key", "An object holds the same key twice.")
    except _RefusedNumberError as error:
        _refuse_number(text, str(error))
    except RecursionError:
        # Only where a caller allows more depth than the interpreter's stack holds.
        _refuse_beyond_limit(
            text, 0, "depth", f"The JSON is nested deeper than this interpreter can read (allowed {max_depth})."
        )


def _decode(document: str | bytes, max_bytes: int) -> str:
    if isinstance(document, str):
        # A character takes one byte or more, so an oversized text is never encoded in full.
        size = len(document) if len(document) > max_bytes else len(document.encode("utf-8", "surrogatepass"))
    else:
        size = len(document)
    if size > max_bytes:
        raise LimitExceededError(
            f"The JSON document has {size} bytes, more than the {max_bytes} allowed.", limit=max_bytes, value=size
        )
    text = document if isinstance(document, str) else _decode_utf8(document)
    if text.startswith("\ufeff"):
        _refuse(text, 0, "encoding", "The JSON starts with a byte order mark.", "Save it as UTF-8 without BOM.")
    return text


def _decode_utf8(document: bytes) -> str:
    if document[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in document[:4]:
        _refuse("", 0, "encoding", "The JSON is encoded as UTF-16 or UTF-32.", "Save it as UTF-8.")
    try:
        return document.decode()
    except UnicodeDecodeError as error:
        before = document[: error.start].decode()
        met = f"byte 0x{document[error.start]:02X}"
        _refuse(before, len(before), "encoding", f"The JSON is not UTF-8: {met} is not valid.")


def _refuse_surrogates(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        offset: int | None = error.start
    else:
        offset = next((m.start() for m in _ESCAPE.finditer(text) if m[1]), None) if "\\u" in text else None
    if offset is not None:
        _refuse(text, offset, "surrogate", "A string holds half of a surrogate pair, which is not a character.")


def _check_depth(text: str, max_depth: int) -> None:
    if text.count("[") + text.count("{") <= max_depth:
        return
    depth = 0
    for match in _TOKEN.finditer(text):
        mark = text[match.start()]
        if mark in "[{":
            depth += 1
            if depth > max_depth:
                _refuse_beyond_limit(
                    text, match.start(), "depth", f"The JSON is nested deeper than {max_depth}.", limit=max_depth
                )
        elif mark in "]}":
            depth -= 1


def _build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _DuplicateKeyError
    return value


def _parse_integer(token: str) -> int:
    if len(token) > MAX_DIGITS:
        raise _RefusedNumberError(token)
    return int(token)


def _parse_float(token: str) -> float:
    value = float(token)
    if len(token) > MAX_DIGITS or math.isinf(value):
        raise _RefusedNumberError(token)
    return value


def _refuse_constant(token: str) -> NoReturn:
    raise _RefusedNumberError(token)


_PLACED = "Line {line}, column {column}: {message}"
_DECODER = json.JSONDecoder(
    object_pairs_hook=_build_object, parse_int=_parse_integer, parse_float=_parse_float, parse_constant=_refuse_constant
)


def _refuse_number(text: str, token: str) -> NoReturn:
    # What is glued behind it is a fault of its own, which the decoder has not come to.
    offset = next(match.start() for match in _TOKEN.finditer(text) if match[0].startswith(token))
    if len(token) > MAX_DIGITS:
        message = f"A number has {len(token)} characters, more than the {MAX_DIGITS} allowed."
        _refuse_beyond_limit(text, offset, "digits", message, limit=MAX_DIGITS, value=len(token))
    if token.endswith(("NaN", "Infinity")):
        _refuse(text, offset, "nonfinite", f"{token} is not JSON.", 'Write it as a string, such as "NaN".')
    _refuse(text, offset, "overflow", "A number is beyond the range of float64.")


def _find_duplicate_offset(text: str) -> int:
    """Find the offset of the first duplicate key, in a text that is well-formed up to there."""
    seen: list[set[str]] = []
    for match in _TOKEN.finditer(text):
        mark = text[match.start()]
        if mark in "[{":
            seen.append(set())
        elif mark in "]}":
            seen.pop()
        elif match[1]:
            key = json.loads(match[0].removesuffix(match[1]))
            if key in seen[-1]:
                return match.start()
            seen[-1].add(key)
    raise AssertionError("the reader met a duplicate key that is not in the text")


def _compute_place(text: str, offset: int) -> dict[str, Any]:
    return {"line": text.count("\n", 0, offset) + 1, "column": offset - text.rfind("\n", 0, offset)}


# `from None`, because what led to an error holds the document or a number of any length.
def _refuse(text: str, offset: int, reason: str, message: str, hint: str | None = None) -> NoReturn:
    place = _compute_place(text, offset)
    raise CanonicalJsonError(_PLACED.format(message=message, **place), hint=hint, reason=reason, **place) from None


def _refuse_beyond_limit(text: str, offset: int, reason: str, message: str, **facts: Any) -> NoReturn:
    place = _compute_place(text, offset)
    raise LimitExceededError(_PLACED.format(message=message, **place), reason=reason, **place, **facts) from None
