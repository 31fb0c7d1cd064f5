"""The faces of a card in an output: their MIME types, and the mark by which a face is known whose card was taken out.

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
    """Return the version that wrote the faces among an output's data; None if none of them is marked as a card's."""
    for mime in FACE_MIMES:
        text = joined_text(data.get(mime)) or ""
        for found in _MARK.finditer(text):
            before = found.start()
            while before and text[before - 1] in " \t":
                before -= 1
            if before == 0 or text[before - 1] in "\n>":
                return found[1]
    return None


def joined_text(value: object) -> str | None:
    """Return a text of an output's data, which notebooks keep whole or as a list of lines; None if it is no text."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return value if isinstance(value, str) else None
