"""What ends a statement that its server does not end: at its deadline something is called in another thread.

One thread looks after all deadlines. A thread for each statement would have to be started before each statement, and on
a deployment that is busy whoever starts one waits until it has had its turn.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self


class Watch:
    """Calls `late` in another thread when the time is up before the block has ended.

    Parameters
    ----------
    late : callable
        Told an event that is set once the block has ended.
    seconds : float
        From the beginning of the block.
    """

    def __init__(self, late: Callable[[threading.Event], object], seconds: float) -> None:
        self.is_late = False
        self.due = 0.0
        self._done = threading.Event()
        self._late, self._seconds = late, seconds

    def fire(self) -> None:
        """Say that the time is up."""
        self.is_late = True
        threading.Thread(target=self._tell, name="service-nb-late", daemon=True).start()

    def _tell(self) -> None:
        if not self._done.is_set():  # else it would meet the next statement
            self._late(self._done)

    def __enter__(self) -> Self:
        self.due = time.monotonic() + self._seconds
        _DEADLINES.add(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        _DEADLINES.discard(self)
        self._done.set()


class _Deadlines:
    """All watches that are on, and the thread that looks after them; it lives while there is any, and not for long."""

    def __init__(self) -> None:
        self._state = threading.Condition()
        self._on: set[Watch] = set()
        self._next = float("inf")  # when the thread looks up by itself
        self._thread: threading.Thread | None = None

    def add(self, watch: Watch) -> None:
        with self._state:
            self._on.add(watch)
            if self._thread is None or not self._thread.is_alive():  # none of this process: it may have been forked
                self._next = watch.due
                self._thread = threading.Thread(target=self._look, name="service-nb-statements", daemon=True)
                self._thread.start()
            elif watch.due < self._next:
                self._state.notify()

    def discard(self, watch: Watch) -> None:
        with self._state:
            self._on.discard(watch)

    def _look(self) -> None:
        with self._state:
            while True:
                now = time.monotonic()
                for watch in [each for each in self._on if each.due <= now]:
                    self._on.discard(watch)
                    watch.fire()
                self._next = min((each.due for each in self._on), default=now + _IDLE_S)
                if not self._state.wait(self._next - now) and not self._on:
                    self._thread = None
                    return


_IDLE_S = 30.0  # after the last statement
_DEADLINES = _Deadlines()
