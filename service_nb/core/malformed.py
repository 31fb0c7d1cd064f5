"""What is wrong with what a caller wrote, told in one way: where, what was met, and what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service_nb.core.words import nearest, shown
from service_nb.errors import InvalidIntentError


def wrong(path: str, met: Any, expected: str) -> InvalidIntentError:
    """Return the error that something is not what is expected at its place."""
    return InvalidIntentError(
        f"{path} is {shown(met)}; expected {expected}.", path=path, met=shown(met), expected=expected
    )


def object_of(raw: Any, path: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    """Return an object as it is, provided that it is one and has no other keys.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is none, or has another key; the nearest that there is, is named.
    """
    if not isinstance(raw, Mapping):
        raise wrong(path, raw, f"an object with the keys {', '.join(keys)}")
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
