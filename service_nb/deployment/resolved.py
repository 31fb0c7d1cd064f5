"""Types of messages, resolved by the one thread that imports them.

msgspec resolves a type when it is first decoded into, and not in turns: two threads that do so at once, as those of a
deployment and of a notebook do, may end the process.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.json import Decoder


def resolve(names: Mapping[str, Any]) -> None:
    """Resolve every struct among the names of a module; to be called at its end."""
    for each in names.values():
        if isinstance(each, type) and issubclass(each, Struct):
            Decoder(each)
