"""Stop work from outside: when a client is gone, or when a server drains.

Whoever runs work says ``with stopping(stop): …``; whoever waits within it calls `find_current_stop()`. It travels in a
context variable, for what is stopped is the whole call, whatever layers it goes through; deadlines travel as arguments.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Stop:
    """A request to stop, which cannot be taken back. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requested = False
        self._told: list[Callable[[], object]] = []

    @property
    def is_requested(self) -> bool:
        """True once the work has been asked to end."""
        return self._requested

    def request(self) -> None:
        """Ask the work to end, and call every callback of `telling`, in this thread."""
        with self._lock:
            already, self._requested = self._requested, True
            told, self._told = self._told, []
        if not already:
            for tell in told:
                tell()

    @contextmanager
    def telling(self, tell: Callable[[], object]) -> Iterator[None]:
        """Call `tell` when the stop is requested while the block runs; at once if it already was."""
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


def find_current_stop() -> Stop | None:
    """Find the `Stop` of the running work; None if it has none."""
    return _CURRENT.get()


@contextmanager
def ended_by(end: Callable[[], object]) -> Iterator[None]:
    """Call `end` if the running work is asked to stop while the block runs."""
    stop = _CURRENT.get()
    if stop is None:
        yield
    else:
        with stop.telling(end):
            yield


@contextmanager
def stopping(stop: Stop) -> Iterator[None]:
    """Make `stop` the one that ends the work of the block."""
    token = _CURRENT.set(stop)
    try:
        yield
    finally:
        _CURRENT.reset(token)
