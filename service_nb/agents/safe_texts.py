"""Make texts of data safe for a model to read: no hidden characters, and short."""

from __future__ import annotations

import re
from typing import Any

from service_nb.schema.agent_tools import BLANK_CHARACTERS, HIDDEN_CHARACTERS, MAX_NAME_CHARS

_HIDDEN = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in HIDDEN_CHARACTERS) + "]")
_BLANKS = {chr(point): " " for point in BLANK_CHARACTERS}


def clean_text(text: str, most: int) -> str:
    """Remove hidden characters, and cut the text to `most` code points, the last of them an ellipsis."""
    cleaned = _HIDDEN.sub(lambda met: _BLANKS.get(met[0], ""), text)
    return cleaned if len(cleaned) <= most else cleaned[: most - 1] + "…"


def is_safe_name(name: object) -> bool:
    """Tell whether a name can be shown as it is, so that an agent can send it back."""
    return isinstance(name, str) and clean_text(name, MAX_NAME_CHARS) == name


def clean_tree(value: Any, most: int) -> Any:
    """Clean every text of a JSON value."""
    if isinstance(value, str):
        return clean_text(value, most)
    if isinstance(value, dict):
        return {clean_text(key, most): clean_tree(each, most) for key, each in value.items()}
    return [clean_tree(each, most) for each in value] if isinstance(value, list) else value
