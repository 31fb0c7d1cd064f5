"""Words for people: values as messages may show them, and names that are spelt alike."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

LONGEST = 1_024  # characters of a name that are compared


def nearest(name: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Return up to `count` of `names` that are spelt like `name`, the nearest first."""
    return difflib.get_close_matches(name[:LONGEST], names, n=count, cutoff=0.6)


def shown(value: Any) -> str:
    """Return `value` as it may appear in a message: short, printable, of known types only."""
    if value is None:
        return "missing"
    if isinstance(value, str | int | float | bool | Decimal | datetime.date):
        if isinstance(value, str):
            value = value[:61]  # a text of any length costs nothing
        text = repr(value) if not isinstance(value, int) or abs(value) < 10**40 else "a very large integer"
        return text if len(text) <= 60 else text[:57] + "..."
    return f"of type {type(value).__name__}"
