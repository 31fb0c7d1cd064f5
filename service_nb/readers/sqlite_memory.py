"""How much memory SQLite takes for a statement, looked at while it runs.

SQLite bounds each value, and neither how many a sort or a temporary table holds nor how many a row has. Its own limit
of the heap is one for the whole process, in which a ledger is written too. So what it has allocated is read every so
many steps, and a statement beyond its budget is ended.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import importlib
import sqlite3
import sys
from collections.abc import Callable
from functools import cache

from service_nb.errors import LimitExceededError

STEPS = 1_000  # of SQLite's machine between two looks: a step makes one value at most
ROWS_AT_ONCE = 500
SHARE = 4  # a statement, and the rows that are fetched at once, each have one part of so many of the memory


class Guard:
    """Called by SQLite every `STEPS` steps; says when it is enough.

    Parameters
    ----------
    memory_bytes : int
        What SQLite may allocate for the statement.
    steps : int, optional
        How long it may run; without it, for ever.
    """

    def __init__(self, memory_bytes: int, steps: int | None = None) -> None:
        self._left = -1 if steps is None else steps // STEPS
        self._used, self._most = allocated(), memory_bytes
        self._start = self._used()
        self.interrupted = self.is_over_time = self.is_over_memory = False

    def watch(self, connection: sqlite3.Connection) -> None:
        """Look at all that a connection runs."""
        connection.set_progress_handler(self, STEPS)

    def __call__(self) -> bool:
        """Return whether SQLite shall end the statement."""
        try:
            self._left -= 1
            self.is_over_time = self.is_over_time or self._left == -1
            self.is_over_memory = self.is_over_memory or self._used() - self._start > self._most
        except KeyboardInterrupt:  # SQLite would swallow it
            self.interrupted = True
        return self.interrupted or self.is_over_time or self.is_over_memory

    def too_much(self) -> LimitExceededError:
        """Return the error of a statement that took too much memory."""
        return LimitExceededError(
            f"SQLite needs more than {self._most:,} bytes for the query.",
            hint="Select, sort and group fewer or shorter values.",
            limit=self._most,
            limit_name="memory_bytes",
        )


def rows_at_once(columns: int, value_bytes: int, memory_bytes: int) -> int:
    """Return how many rows are fetched at once, so that values as long as they may be stay within the memory."""
    return max(1, min(ROWS_AT_ONCE, memory_bytes // max(1, columns * value_bytes)))


@cache
def allocated() -> Callable[[], int]:
    """Return what tells how many bytes SQLite has allocated; where it does not count them, the peak of the process."""
    name = "sqlite3" if sys.platform == "win32" else getattr(_sqlite3, "__file__", None)
    try:
        told = ctypes.CDLL(name).sqlite3_memory_used
    except (AttributeError, OSError):
        return _peak
    told.restype, told.argtypes = ctypes.c_int64, ()
    connection = sqlite3.connect(":memory:")
    try:
        return told if told() > 0 else _peak  # built without counting
    finally:
        connection.close()


def _peak() -> int:
    if sys.platform == "win32":
        return 0
    resource = importlib.import_module("resource")
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit
