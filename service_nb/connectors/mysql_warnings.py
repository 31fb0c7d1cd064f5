"""What MySQL and MariaDB only warn of, or show as a text: values that are others in the answer than in the table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from service_nb.connectors.cursors import plain
from service_nb.errors import SourceMalformedError

TOO_LONG = 1301  # what a function returns is longer than a packet may be, and has become NULL
NOT_CONVERTED = 1977  # a character that another character set has not, and has become a question mark
_CHARSET = re.compile(r"'(\w+)'")


def check_warnings(warned: Sequence[tuple[Any, int, Any]], most: int) -> None:
    """Refuse an answer by its warnings: level, code and text of each, `most` of them at most.

    Raises
    ------
    SourceMalformedError [source_malformed]
        A text of the source has become another, or none; or there are more warnings than can be looked at.
    """
    if any(code == NOT_CONVERTED and _is_of_the_source(str(text)) for _, code, text in warned):
        raise SourceMalformedError(
            "The source holds a text with a character that has no Unicode equivalent.",
            hint="Leave it out by a query, or change the column's character set.",
            met=str(NOT_CONVERTED),
            expected="text that can be encoded in UTF-8",
        )
    if len(warned) >= most or any(code == TOO_LONG for _, code, _ in warned):
        raise SourceMalformedError(
            "The source holds a text that is longer than the server's max_allowed_packet.",
            hint="Raise max_allowed_packet at the server, or leave the text out by a query.",
            met=str(TOO_LONG),
        )


def _is_of_the_source(warning: str) -> bool:
    """Whether a text of the source was meant; of an operand, which is UTF-8, it says that no row can equal it."""
    found = _CHARSET.search(warning)
    return found is None or not found[1].startswith("utf8")


def checked_value(value: Any, physical: str | None) -> Any:
    """Return a value as the engine knows it; a date that no calendar has arrives as a text."""
    if type(value) is str and physical in ("date", "datetime"):
        raise SourceMalformedError(
            "The source holds a date that does not exist.",
            hint="Leave it out by a query.",
            expected="a date of the years 1 to 9999",
        )
    return plain(value)
