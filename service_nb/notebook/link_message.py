"""Messages of the link, read within limits before anything is done with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, TypeVar

import msgspec

from service_nb.core.canonical import MAX_SAFE_INTEGER
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError, LimitExceededError

VERSION = 1
TARGET = "service_nb"  # of the comm

MAX_DEPTH = 32
MAX_VALUES = 100_000
MAX_CHARS = 4_000_000  # of all texts together: a card with its rows is less
MAX_NAME = 1_024
MAX_ARGUMENTS = 200  # of a call: each name that is not known is compared with those that are
MAX_TEXT = 100_000  # of one text that is a parameter: as long as a compute line may be

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME)]
Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
Count = Annotated[int, msgspec.Meta(ge=1)]
Offset = Annotated[int, msgspec.Meta(ge=0, le=MAX_SAFE_INTEGER)]
Arguments = Annotated[dict[Name, Text], msgspec.Meta(max_length=MAX_ARGUMENTS)]
Shape = TypeVar("Shape")
Id = Annotated[int, msgspec.Meta(ge=0, le=MAX_SAFE_INTEGER)]


class LinkRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A message: what is asked by `method`, which declares its `params`."""

    service_nb: float
    id: Id
    method: str
    params: dict[str, object]


def read_id(message: object) -> int:
    """Read the id of a message, for its answer; 0 if it has none."""
    met = message.get("id") if isinstance(message, Mapping) else None
    return met if type(met) is int and 0 <= met <= MAX_SAFE_INTEGER else 0


def is_known_version(message: object) -> bool:
    """Tell whether a message has this version, or names none."""
    met = message.get("service_nb") if isinstance(message, Mapping) else None
    return met is None or (type(met) in (int, float) and met == VERSION)


def read_message(what: str, value: object, shape: type[Shape]) -> Shape:
    """Read a part of a message as the type that declares it; raise `invalid_intent` if it has another shape."""
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise InvalidIntentError(f"{what} is malformed: {error}.", path=what, met=describe_value(value)) from None


def check_size(message: object) -> None:
    """Refuse a message that is too large, too deep or no JSON; no recursion, which deep input would exhaust."""
    left_values, left_chars = MAX_VALUES, MAX_CHARS
    waiting: list[tuple[object, int]] = [(message, 0)]
    while waiting:
        value, depth = waiting.pop()
        left_values -= 1
        if isinstance(value, str):
            left_chars -= len(value)
            if not value.isascii() and value.encode("utf-8", "replace").decode() != value:
                raise InvalidIntentError(
                    "A text of the message holds half of a surrogate pair.", met="a lone surrogate"
                )
        elif isinstance(value, Mapping):
            waiting += [(each, depth + 1) for pair in value.items() for each in pair]
        elif isinstance(value, list | tuple):
            waiting += [(each, depth + 1) for each in value]
        elif not isinstance(value, int | float | None) or (isinstance(value, float) and not math.isfinite(value)):
            raise InvalidIntentError(f"A value of the message is {describe_value(value)}; expected JSON.")
        if depth > MAX_DEPTH or left_values < len(waiting) or left_chars < 0:
            raise LimitExceededError(
                "The message is too large.",
                hint=f"At most {MAX_DEPTH} levels, {MAX_VALUES:,} values and {MAX_CHARS:,} characters are taken.",
                limit=MAX_DEPTH if depth > MAX_DEPTH else MAX_VALUES if left_values < len(waiting) else MAX_CHARS,
            )
