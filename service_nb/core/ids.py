"""Create the ids of results: a kind and 16 hex digits, random or derived from a seed."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count

from service_nb.core.digest import ID_DOMAIN, digest

DIGITS = 16


class _Names:
    """A sequence of ids derived from a seed: the same seed gives the same ids in the same order."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._numbers = count()

    def next(self, kind: str) -> str:
        text = "\0".join((self._seed, kind, str(next(self._numbers))))
        return f"{kind}_{digest(ID_DOMAIN, text)[:DIGITS]}"


_CURRENT: ContextVar[_Names | None] = ContextVar("names", default=None)


def create_id(kind: str) -> str:
    """Create an id such as `query_` and 16 hex digits: random, or derived from the seed of `named_after`."""
    names = _CURRENT.get()
    return f"{kind}_{secrets.token_hex(DIGITS // 2)}" if names is None else names.next(kind)


@contextmanager
def named_after(seed: str) -> Iterator[None]:
    """Derive the ids of the block's outcomes from `seed`, so that the same work again has the same ids."""
    token = _CURRENT.set(_Names(seed))
    try:
        yield
    finally:
        _CURRENT.reset(token)
