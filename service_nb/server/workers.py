"""Threads in which work is done, and which are no reason for a process to live on.

Those of `concurrent.futures` are waited for when the interpreter ends: a source that never answers would keep a
deployment from ever going down.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Workers:
    """At most `most` threads, each made when it is needed first; what comes while all are busy waits."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads = 0
        self._lock = threading.Lock()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Have some work done."""
        future: Future[T] = Future()
        self._waiting.put((future, work))
        if not self._idle.acquire(blocking=False):
            with self._lock:
                if self._threads < self._most:
                    self._threads += 1
                    threading.Thread(target=self._run, name=f"{self._name}-{self._threads}", daemon=True).start()
        return future

    def _run(self) -> None:
        while (some := self._waiting.get()) is not None:
            future, work = some
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work())
                except BaseException as error:  # noqa: BLE001  # told to whoever waits for it
                    future.set_exception(error)
            del some, future, work  # not to be held while nothing is to be done
            self._idle.release()

    def close(self) -> None:
        """Let the threads end once they have nothing to do."""
        for _ in range(self._threads):
            self._waiting.put(None)
