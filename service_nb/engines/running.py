"""Work in a thread of its own, which a deadline, Ctrl-C and a request to stop can end.

The thread that asked waits and looks up often, because a database driver that is busy in C hears none of the three.
Whoever of them comes, the work is interrupted, and nothing is left running on what it used.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from service_nb.core.stopping import find_current_stop
from service_nb.errors import QueryInterruptedError, QueryTimeoutError

T = TypeVar("T")

TICK_S = 0.1


class Runner:
    """Runs one piece of work at a time on something that `interrupt` can interrupt from another thread.

    Parameters
    ----------
    interrupt : callable
        Ends what runs; of no effect when nothing does. One that comes between two statements may be lost, so it is
        asked for again every `again_s` until the work has ended.
    patience_s : float, optional
        How long the work may take to end. Interrupts may then block, and are made in threads of their own. Beyond it
        the work is left to itself, and `lost` says that what it uses is not to be used again. None: for ever.
    """

    def __init__(
        self, interrupt: Callable[[], object], *, again_s: float = 0.02, patience_s: float | None = None
    ) -> None:
        self._interrupt = interrupt
        self._again_s = again_s
        self._patience_s = patience_s
        self._turn = threading.RLock()  # it knows whose it is
        self._running: Future[Any] | None = None
        self.lost = False

    def run(self, work: Callable[[], T], deadline: float | None) -> T:
        """Run `work` and return its result.

        Raises
        ------
        QueryTimeoutError [query_timeout]
            The deadline, a moment of `time.monotonic()`, has come.
        QueryInterruptedError [query_interrupted]
            Ctrl-C, or the `Stop` of this context.
        """
        with stopped_as_told():
            try:
                while not self._turn.acquire(timeout=compute_wait(deadline)):
                    pass
                return self._run(work, deadline)
            finally:
                # Ctrl-C comes between any two calls, so what `acquire` returned may never have arrived: the lock itself
                # is asked, by the very call that gives it back. A call before that is a place to leave it locked.
                try:  # noqa: SIM105
                    self._turn.release()
                except RuntimeError:  # it never came
                    pass

    def _run(self, work: Callable[[], T], deadline: float | None) -> T:
        self._end()  # a second Ctrl-C may have come while the first one ended the run before
        outcome: Future[T] = Future()
        self._running = outcome
        try:
            _HELPERS.start(partial(copy_context().run, _settle, outcome, work))
            while not _has_ended(outcome, compute_wait(deadline)):
                pass
            return outcome.result()
        finally:
            self._end()

    def _end(self) -> None:
        """Leave nothing running, however often Ctrl-C is pressed meanwhile: that is told when nothing runs."""
        until = None if self._patience_s is None else time.monotonic() + self._patience_s
        pressed: KeyboardInterrupt | None = None
        while True:
            try:
                if self._has_ended_by(until):
                    break
            except KeyboardInterrupt as error:
                pressed = error
        if pressed is not None:
            raise pressed

    def _has_ended_by(self, until: float | None) -> bool:
        """Interrupt what runs, and return whether nothing does, or nothing that is waited for any longer."""
        outcome = self._running
        if outcome is None or outcome.done() or outcome.cancel():  # it had not begun, and never will
            return True
        if until is None:
            self._interrupt()
        elif time.monotonic() < until:
            threading.Thread(target=self._interrupt, daemon=True).start()
        else:
            self.lost = True
            return True
        return _has_ended(outcome, self._again_s)


@contextmanager
def stopped_as_told() -> Iterator[None]:
    """Say what ended the block: its deadline, or somebody who asked for it."""
    try:
        yield
    except TimeoutError as error:
        raise QueryTimeoutError(
            "The question was stopped at its timeout.", hint="Raise `timeout`, or narrow it."
        ) from error
    except KeyboardInterrupt:
        raise QueryInterruptedError("The question was interrupted.", hint="Sources and session are intact.") from None


def require_time(deadline: float | None) -> None:
    """Say what ended the work between two of its steps: its deadline, or somebody who asked for it."""
    with stopped_as_told():
        compute_wait(deadline)


def compute_wait(deadline: float | None) -> float:
    """Compute how long to wait before the next check: Ctrl-C does not wake a waiting thread on every platform.

    Raises TimeoutError or KeyboardInterrupt, for `stopped_as_told`, when there is nothing more to wait for.
    """
    stop = find_current_stop()
    if stop is not None and stop.is_requested:
        raise KeyboardInterrupt
    if deadline is None:
        return TICK_S
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return min(left, TICK_S)


def _has_ended(outcome: Future[Any], seconds: float) -> bool:
    """Wait for an outcome, and return whether it is there."""
    with suppress(TimeoutError):
        outcome.exception(seconds)
    return outcome.done()


def _settle(outcome: Future[T], work: Callable[[], T]) -> None:
    if not outcome.set_running_or_notify_cancel():
        return
    try:
        outcome.set_result(work())
    except BaseException as error:  # noqa: BLE001  # handed to the thread that waits, whatever it is
        outcome.set_exception(error)


class _Helpers:
    """Threads that work, each made when none is idle: on a busy deployment whoever starts one waits for its turn."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[Callable[[], object]]] = []

    def start(self, work: Callable[[], object]) -> None:
        with self._lock:
            queue = self._idle.pop() if self._idle else None
        if queue is None:
            queue = SimpleQueue()
            threading.Thread(target=self._serve, args=(queue,), name="service-nb-work", daemon=True).start()
        queue.put(work)

    def _serve(self, queue: SimpleQueue[Callable[[], object]]) -> None:
        while True:
            try:
                work = queue.get(timeout=_IDLE_S)
            except Empty:
                with self._lock:
                    if queue in self._idle:  # else it was just chosen, and its work is about to come
                        self._idle.remove(queue)
                        return
                continue
            work()
            del work  # not to be held while nothing is to be done
            with self._lock:
                self._idle.append(queue)


def _replace_helpers() -> None:
    global _HELPERS  # noqa: PLW0603  # threads do not come along into a fork
    _HELPERS = _Helpers()


_IDLE_S = 30.0
_HELPERS = _Helpers()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_replace_helpers)
