"""A question mark at the end of a question belongs to the question.

IPython reads `%service_ask sum amount by region?` as a wish for help on `region`. Lines of our magics that have words
are taken before it does; `%service_ask?` alone still shows the help of the magic.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, cast

from IPython.core.inputtransformer2 import EscapedCommand, MagicAssign, TokenTransformBase

if TYPE_CHECKING:
    from tokenize import TokenInfo

_ENDS = re.compile(r"%(?P<name>service_\w+)[ \t]+[^\s?][^\n]*\?[\s;]*$")


class QuestionMark(TokenTransformBase):
    """Takes a line of ours that ends with a question mark, before IPython takes it for help."""

    priority = 1  # before that of help, which is 5

    @classmethod
    def find(cls, tokens_by_line: list[list[TokenInfo]]) -> Any:
        """Find the first line or assignment of ours that ends with a question mark."""
        for kind in (EscapedCommand, MagicAssign):
            found: Any = cast(Any, kind).find(tokens_by_line)
            if found is None:
                continue
            line = next((tokens[0].line for tokens in tokens_by_line if tokens[0].start[0] - 1 == found.start_line), "")
            match = _ENDS.search(line[found.start_col :] if kind is EscapedCommand else line)
            if match is not None and match["name"] in cls.names:
                made = cls((found.start_line + 1, 0))  # before all else on its line
                made.found = found
                return made
        return None

    def transform(self, lines: list[str]) -> list[str]:
        """Transform the line as the magic that it is."""
        return list(self.found.transform(lines))

    names: Collection[str] = ()
    found: Any = None


def build_question_mark(names: Collection[str]) -> type[QuestionMark]:
    """Build the transformer for magics of these names."""
    return type("QuestionMarkOfSession", (QuestionMark,), {"names": frozenset(names)})
