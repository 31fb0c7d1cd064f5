"""Which keys of objects a prefix or a pattern names.

By RE2, which reads a key once: to `re` a dozen of `**` and a long key are work without end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.connectors.pages import misfit
from service_nb.core.words import shown


def matching(asked: str) -> Callable[[Sequence[str]], list[bool]]:
    """Return what says of keys whether they are named.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The pattern is none.
    """
    pattern = rf"(?s)\A(?:{_expression(asked)})\z"

    def matches(keys: Sequence[str]) -> list[bool]:
        found: list[bool] = pc.match_substring_regex(pa.array(keys, pa.string()), pattern).to_pylist()
        return found

    try:
        matches([""])
    except pa.ArrowInvalid as error:
        raise misfit("table", shown(asked), "a key, a prefix or a pattern") from error
    return matches


def _expression(asked: str) -> str:
    """What a prefix or a pattern matches: `*` and `?` stay within a folder, `**` does not."""
    if asked.endswith("/"):
        return re.escape(asked) + ".+"
    parts, at = list[str](), 0
    while at < len(asked):
        char = asked[at]
        if asked.startswith("**/", at):
            parts.append("(?:.*/)?")
            at += 2
        elif asked.startswith("**", at):
            parts.append(".*")
            at += 1
        elif char == "[" and (end := asked.find("]", at + 2)) > 0:
            inside = asked[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            parts.append(f"[{'^' + inside[1:] if inside[0] == '!' else inside}]")
            at = end
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char)))
        at += 1
    return "".join(parts)
