"""Hold a secret text, so that no print, log, error, card or copy of an object shows it."""

from __future__ import annotations

import hmac
from typing import NoReturn

MASK = "•••"


class Secret:
    """A text that is shown as `•••`. `reveal` is called where a driver takes it, and nowhere else."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text itself."""
        return self._text

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK

    def __format__(self, _: str) -> str:
        return MASK

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._text.encode(), other._text.encode())

    def __hash__(self) -> int:
        return hash(Secret)  # equal ones have equal hashes, and the hash tells nothing of the text

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret is not copied to where it could be read")
