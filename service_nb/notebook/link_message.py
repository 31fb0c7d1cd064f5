"""Messages of the link, read within limits before anything is done with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from service_nb.core.canonical import MAX_SAFE_INTEGER
from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import InvalidIntentError, LimitExceededError

VERSION = 1
TARGET = "service_nb"  # of the comm

MAX_DEPTH = 32
MAX_VALUES = 100_000
MAX_CHARS = 4_000_000  # of all texts together: a card with its rows is less
MAX_NAME = 1_024
MAX_ARGUMENTS = 200  # of a call: each name that is not known is compared with those that are
MAX_TEXT = 100_000  # of one text that is a parameter: as long as a compute line may be
KEYS = ("service_nb", "id", "method", "params")

Params = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRequest:
    """A message of the right shape; its texts, names and counts are within their limits."""

    id: int
    method: str
    params: Params


# What each method takes: the kind of each parameter, and after a question mark what may be left out.
_TAKEN: Mapping[str, Mapping[str, str]] = {
    "hello": {},
    "sources": {},
    "values": {"source": "name", "field": "name"},
    "search": {"query": "text", "limit": "count"},
    "capability": {"name": "name"},
    "check_ask": {"spec": "object"},
    "check_call": {"name": "name", "arguments": "texts"},
    "replay": {"id": "name", "card": "?object"},
}


def read_id(message: object) -> int:
    """Read the id of a message, for its answer; 0 if it has none."""
    met = message.get("id") if isinstance(message, Mapping) else None
    return met if type(met) is int and 0 <= met <= MAX_SAFE_INTEGER else 0


def is_known_version(message: object) -> bool:
    """Tell whether a message has this version, or names none."""
    met = message.get("service_nb") if isinstance(message, Mapping) else None
    return met is None or (type(met) in (int, float) and met == VERSION)


def read_request(message: object) -> LinkRequest:
    """Read a message.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It does not have the shape of a message, or a parameter that of its method; details name `path`.
    LimitExceededError [limit_exceeded]
        It is too large or too deep.
    """
    _check_size(message)
    if not isinstance(message, Mapping):
        raise _mismatch_error("The message", message, "an object")
    _check_keys("The message", message, KEYS, KEYS)
    if type(message["id"]) is not int or not 0 <= message["id"] <= MAX_SAFE_INTEGER:
        raise _mismatch_error("id", message["id"], "a whole number from 0 to 2**53 - 1")
    method = message["method"]
    if not isinstance(method, str) or method not in _TAKEN:
        raise _mismatch_error(
            "method", method, ", ".join(_TAKEN), find_nearest(method, _TAKEN) if isinstance(method, str) else ()
        )
    taken, params = _TAKEN[method], message["params"]
    if not isinstance(params, Mapping):
        raise _mismatch_error("params", params, "an object")
    _check_keys("params", params, taken, [key for key, kind in taken.items() if not kind.startswith("?")])
    for key, value in params.items():
        _check_kind(f"params.{key}", value, taken[key].lstrip("?"))
    return LinkRequest(id=message["id"], method=method, params=params)


def _check_kind(path: str, value: object, kind: str) -> None:
    match kind:
        case "name":
            _check_text(path, value, MAX_NAME)
        case "text":
            _check_text(path, value, MAX_TEXT)
        case "count":
            if type(value) is not int or value < 1:
                raise _mismatch_error(path, value, "a whole number from 1")
        case "object":
            if not isinstance(value, Mapping):
                raise _mismatch_error(path, value, "an object")
        case "texts":
            if not isinstance(value, Mapping):
                raise _mismatch_error(path, value, "an object of texts")
            if len(value) > MAX_ARGUMENTS:
                raise LimitExceededError(
                    f"{path} has {len(value):,} entries; at most {MAX_ARGUMENTS} are taken.",
                    path=path,
                    limit=MAX_ARGUMENTS,
                    value=len(value),
                )
            for name, text in value.items():
                _check_text(path, name, MAX_NAME)
                _check_text(f"{path}.{name[:60]}", text, MAX_TEXT)


def _check_text(path: str, value: object, most: int) -> None:
    if not isinstance(value, str) or (most == MAX_NAME and not value):
        raise _mismatch_error(path, value, "text")
    if len(value) > most:
        raise LimitExceededError(
            f"{path} has {len(value):,} characters; at most {most:,} are taken.",
            path=path,
            limit=most,
            value=len(value),
        )


def _check_keys(path: str, met: Mapping[Any, Any], taken: Any, needed: Any) -> None:
    for key in met:
        if key not in taken:
            raise _mismatch_error(f"{path} has a key that", key, ", ".join(taken) or "no keys")
    for key in needed:
        if key not in met:
            raise InvalidIntentError(f"{path} has no {key}.", path=key, expected=", ".join(needed))


def _check_size(message: object) -> None:
    """Refuse a message that is too large, too deep or no JSON; no recursion, which deep input would exhaust."""
    left_values, left_chars = MAX_VALUES, MAX_CHARS
    waiting: list[tuple[object, int]] = [(message, 0)]
    while waiting:
        value, depth = waiting.pop()
        left_values -= 1
        if isinstance(value, str):
            left_chars -= len(value)
            if not _is_text(value):
                raise InvalidIntentError(
                    "A text of the message holds half of a surrogate pair.", met="a lone surrogate"
                )
        elif isinstance(value, Mapping):
            waiting += [(each, depth + 1) for pair in value.items() for each in pair]
        elif isinstance(value, list | tuple):
            waiting += [(each, depth + 1) for each in value]
        elif not isinstance(value, bool | int | float | None) or (
            isinstance(value, float) and not math.isfinite(value)
        ):
            raise _mismatch_error("A value of the message", value, "JSON")
        if depth > MAX_DEPTH or left_values < len(waiting) or left_chars < 0:
            raise LimitExceededError(
                "The message is too large.",
                hint=f"At most {MAX_DEPTH} levels, {MAX_VALUES:,} values and {MAX_CHARS:,} characters are taken.",
                limit=MAX_DEPTH if depth > MAX_DEPTH else MAX_VALUES if left_values < len(waiting) else MAX_CHARS,
            )


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _mismatch_error(path: str, met: object, expected: str, near: Any = ()) -> InvalidIntentError:
    return InvalidIntentError(
        f"{path} is {describe_value(met)}; expected {expected}.",
        hint=f"Did you mean {near[0]!r}?" if near else None,
        path=path,
        met=describe_value(met),
        expected=expected,
    )
