"""Run requests in threads, and ask each of them to stop.

The threads are daemons: those of `concurrent.futures` are waited for when the interpreter ends, and a source that never
answers would keep a deployment from going down.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import TypeVar

from service_nb.core.stopping import stopping
from service_nb.server.requests import Exchange, Reason

T = TypeVar("T")


class Workers:
    """At most `most` threads, each made when it is needed first; what comes while all are busy waits."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads = 0
        self._lock = threading.Lock()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Do some work in a thread."""
        future: Future[T] = Future()
        self._waiting.put(partial(_run_for, future, work))
        if not self._idle.acquire(blocking=False):
            with self._lock:
                if self._threads < self._most:
                    self._threads += 1
                    threading.Thread(target=self._run, name=f"{self._name}-{self._threads}", daemon=True).start()
        return future

    def _run(self) -> None:
        while (work := self._waiting.get()) is not None:
            work()
            del work  # not to be held while nothing is to be done
            self._idle.release()

    def close(self) -> None:
        """Let the threads end once they have nothing to do."""
        for _ in range(self._threads):
            self._waiting.put(None)


def _run_for(future: Future[T], work: Callable[[], T]) -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  # told to whoever waits for it
            future.set_exception(error)


STOPPERS = 8  # threads that tell: what they tell may be a message to a database, which takes its time
GRACE_S = 5.0  # for work to end after it was asked to


class RequestRuns:
    """All that runs, in threads of its own, under a stop each. Of the event loop, but for the work itself."""

    def __init__(self, running: int) -> None:
        self._doormen = Workers(4, "service-nb-door")
        # More threads than places: work that does not end when it is asked to keeps a thread, and no place.
        self._workers = Workers(running + 64, "service-nb-request")
        self._stoppers = Workers(STOPPERS, "service-nb-stop")
        self._all: set[Exchange] = set()
        self.idle = asyncio.Event()
        self.idle.set()

    def __len__(self) -> int:
        return len(self._all)

    def begin(self, request: Exchange) -> None:
        """Count a request among those that run."""
        self._all.add(request)
        self.idle.clear()

    def end(self, request: Exchange) -> None:
        """Count it no more."""
        self._all.discard(request)
        if not self._all:
            self.idle.set()

    def work(self, request: Exchange, work: Callable[[], T]) -> asyncio.Future[T]:
        """Do some work of a request in a thread."""

        def run_stoppable() -> T:
            with stopping(request.stop):
                return work()

        return asyncio.wrap_future(self._workers.submit(partial(copy_context().run, run_stoppable)))

    def run_aside(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Do short work that belongs to no request in a thread."""
        return asyncio.wrap_future(self._doormen.submit(work))

    def ask_to_stop(self, request: Exchange, reason: Reason) -> None:
        """Ask a request to stop. Who is told may have to tell others far away, so it is done in a thread."""
        if request.reason is None:
            request.reason = reason
            self._stoppers.submit(request.stop.request)

    def stop_all(self) -> None:
        """Ask everything to stop, for the deployment goes down."""
        for request in list(self._all):
            self.ask_to_stop(request, "drain")

    def close(self) -> None:
        """Let the threads go; those that work on are not waited for."""
        for workers in (self._workers, self._stoppers, self._doormen):
            workers.close()
