"""Words for people: values as messages may show them, and names that are spelt alike."""

from __future__ import annotations

import datetime
import difflib
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

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


def format_name(name: str) -> str:
    """Write a column or a source as it stands in an ask line and in a call: bare where it can be, else in backticks."""
    if re.fullmatch(NAME_PATTERN, name) and name.lower() not in KEYWORDS:
        return name
    return "`" + name.replace("`", "``") + "`"
