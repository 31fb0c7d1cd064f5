"""Documents that nobody vouches for, read strictly; each refusal has one of four causes.

`malformed_json`: not UTF-8, a byte order mark, syntax, a key twice, NaN or Infinity, half of a surrogate pair (escaped
or not), text after the end. `too_large`, `too_deep` (beyond 64). `unsafe_number`: a number of more than 400 characters,
or one that overflows to infinity; in what must survive other readers (`require_json`) also an integer beyond
±(2**53 - 1).

A number is an integer if it is written without a point and an exponent; where a whole number is asked for, 1.0 is one,
because front ends write it as 1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NoReturn

from service_nb.core.canonical import MAX_SAFE_INTEGER
from service_nb.core.parse import MAX_DEPTH, parse_strict
from service_nb.errors import CanonicalJsonError, EvidenceError, LimitExceededError

DOCUMENT_BYTES = 32 * 1024**2
MAX_NUMBER_CHARS = 400

_AS_THEY_COME = ("syntax", "duplicate_key", "nonfinite")
# The look-behind keeps the scan linear: a run is tried at its beginning only.
_MAYBE_LONG = re.compile(r"(?<![-+.0-9eE])[-+.0-9eE]{401}")
_LONG = re.compile(r'"(?:[^"\\]++|\\.)*+"|([-+.0-9eE]{401})', re.DOTALL)


def read_json(content: bytes | str) -> Any:
    """Parse a document strictly; integers stay exact, however large.

    Of several faults the first of this order is named: size, encoding, half of a surrogate pair, depth; then syntax,
    keys and numbers as they come.

    Raises
    ------
    EvidenceError [evidence_invalid]
        Reason `malformed_json`, `too_large`, `too_deep` or `unsafe_number`.
    """
    try:
        value = parse_strict(content, max_bytes=DOCUMENT_BYTES)
    except LimitExceededError as error:
        causes = {"depth": "too_deep", "digits": "unsafe_number"}
        raise EvidenceError(str(error), reason=causes.get(error.details.get("reason", ""), "too_large")) from error
    except CanonicalJsonError as error:
        if error.details["reason"] in _AS_THEY_COME:
            _refuse_long_number(_text(content), error.details["line"], error.details["column"])
        cause = "unsafe_number" if error.details["reason"] == "overflow" else "malformed_json"
        raise EvidenceError(str(error), reason=cause) from error
    _refuse_long_number(_text(content))
    return value


def _text(content: bytes | str) -> str:
    return content if isinstance(content, str) else content.decode()


def _refuse_long_number(text: str, line: int | None = None, column: int = 1) -> None:
    """Refuse a number of too many characters; one that stands before a line and column, if these are given."""
    if not _MAYBE_LONG.search(text):
        return
    if line is not None:
        text = "\n".join([*text.split("\n")[: line - 1], text.split("\n")[line - 1][: column - 1]])
    if any(match[1] for match in _LONG.finditer(text)):
        _refuse("unsafe_number", f"A number has more than {MAX_NUMBER_CHARS} characters.")


@lru_cache(maxsize=8)  # several checks of a card read the same texts, one after the other
def read_text(text: str) -> Any:
    """Return the value of a hashed text; None if it is not strict JSON."""
    try:
        return read_json(text)
    except EvidenceError:
        return None


def read_object(text: str) -> Mapping[str, Any] | None:
    """Return the object that a text is in strict JSON; None if it is something else."""
    value = read_text(text)
    return value if isinstance(value, dict) else None


def require_json(value: Any, depth: int = 0) -> None:
    """Hold a parsed value to what every reader and writer of JSON keeps as it is.

    Raises
    ------
    EvidenceError [evidence_invalid]
        Reason `unsafe_number`, `too_deep`, or `malformed_json` for what no JSON text gives.
    """
    kind = type(value)
    if kind is str:
        if not value.isascii():
            _require_unicode(value)
    elif kind is int:
        if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            _refuse("unsafe_number", "An integer is beyond 2**53 - 1, and other readers would round it.")
    elif kind is dict or kind is list:
        if depth == MAX_DEPTH:
            _refuse("too_deep", f"Objects and lists are nested deeper than {MAX_DEPTH}.")
        if kind is dict:
            for key in value:
                require_json(key if isinstance(key, str) else object())
        for item in value.values() if kind is dict else value:
            require_json(item, depth + 1)
    elif kind is float:
        if not math.isfinite(value):
            _refuse("unsafe_number", "A number is not finite.")
    elif kind is not bool and value is not None:
        _refuse("malformed_json", f"A value is of type {kind.__name__}, which JSON does not have.")


def _require_unicode(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        _refuse("malformed_json", "A text holds half of a surrogate pair, which is no character.")


def _refuse(reason: str, message: str) -> NoReturn:
    raise EvidenceError(message, reason=reason)
