"""Asking work to stop from outside: a client that is gone, a server that drains.

Whoever runs work says ``with stopping(stop): …``; whoever waits within it looks at `current_stop()`. It travels in a
context variable, for what is stopped is the whole call, whatever layers it goes through; deadlines travel as arguments.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Stop:
    """A request to stop, made once and for ever. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requested = False
        self._told: list[Callable[[], object]] = []

    @property
    def is_requested(self) -> bool:
        """Whether the work shall end."""
        return self._requested

    def request(self) -> None:
        """Ask the work to end, and tell everyone who wants to be told, in this thread."""
        with self._lock:
            already, self._requested = self._requested, True
            told, self._told = self._told, []
        if not already:
            for tell in told:
                tell()

    @contextmanager
    def telling(self, tell: Callable[[], object]) -> Iterator[None]:
        """Have `tell` called when the stop is requested while the block runs; at once if it already was."""
        with self._lock:
            late = self._requested
            if not late:
                self._told.append(tell)
        if late:
            tell()
        try:
            yield
        finally:
            with self._lock:
                if tell in self._told:
                    self._told.remove(tell)


_CURRENT: ContextVar[Stop | None] = ContextVar("stop", default=None)


def current_stop() -> Stop | None:
    """Return what may stop the work that this runs in; None where nothing does."""
    return _CURRENT.get()


@contextmanager
def ended_by(end: Callable[[], object]) -> Iterator[None]:
    """Have `end` called when the work that this runs in is asked to stop, while the block runs."""
    stop = _CURRENT.get()
    if stop is None:
        yield
    else:
        with stop.telling(end):
            yield


@contextmanager
def stopping(stop: Stop) -> Iterator[None]:
    """Let `stop` end the work of the block."""
    token = _CURRENT.set(stop)
    try:
        yield
    finally:
        _CURRENT.reset(token)
