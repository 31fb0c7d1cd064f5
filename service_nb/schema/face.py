"""Recognise the faces of a card in an output: their MIME types, and the mark that stays if the card is removed.

The last line of every face is `Card of service_nb 0.1.0`, visible and as text, because sanitisers and front ends leave
nothing else alone. In HTML it is an element of its own; LaTeX escapes the underscore.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

FACE_MIMES = ("text/html", "text/markdown", "text/latex", "text/plain")

# A line or an element of its own; in the text of `[outcome, outcome]` a comma or a bracket follows.
_MARK = re.compile(r"Card of service\\?_nb ([0-9A-Za-z.+!-]{1,40})[ \t]*(?:[\n<\])},]|$)", re.ASCII)


def read_mark(data: Mapping[str, object]) -> str | None:
    """Read the version of service_nb from the mark of an output's faces; None if none has the mark."""
    for mime in FACE_MIMES:
        text = join_text_lines(data.get(mime)) or ""
        for found in _MARK.finditer(text):
            before = found.start()
            while before and text[before - 1] in " \t":
                before -= 1
            if before == 0 or text[before - 1] in "\n>":
                return found[1]
    return None


def join_text_lines(value: object) -> str | None:
    """Join a text of an output's data, which notebooks store whole or as a list of lines; None if it is no text."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return value if isinstance(value, str) else None
