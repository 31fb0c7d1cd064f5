"""Ids of results: opaque, random unless they are to be found again, and said by what they are of."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count

from service_nb.core.digest import ID_DOMAIN, digest

DIGITS = 16


class _Names:
    """Ids in the order in which they are asked for, the same ones each time for the same seed."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._numbers = count()

    def next(self, kind: str) -> str:
        text = "\0".join((self._seed, kind, str(next(self._numbers))))
        return f"{kind}_{digest(ID_DOMAIN, text)[:DIGITS]}"


_CURRENT: ContextVar[_Names | None] = ContextVar("names", default=None)


def new_id(kind: str) -> str:
    """Return a new id, such as `query_` and 16 hex digits; within `named_after` one that follows from the seed."""
    names = _CURRENT.get()
    return f"{kind}_{secrets.token_hex(DIGITS // 2)}" if names is None else names.next(kind)


@contextmanager
def named_after(seed: str) -> Iterator[None]:
    """Have the outcomes of the block bear ids that follow from `seed`: the same work again bears the same ids."""
    token = _CURRENT.set(_Names(seed))
    try:
        yield
    finally:
        _CURRENT.reset(token)
