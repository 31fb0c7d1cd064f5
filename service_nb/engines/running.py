"""Work in a thread of its own, which a deadline, Ctrl-C and a request to stop can end.

The thread that asked waits and looks up often, because a database driver that is busy in C hears none of the three.
Whoever of them comes, the work is interrupted, and nothing is left running on what it used.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from contextvars import copy_context
from typing import Any, TypeVar

from service_nb.base.stopping import current_stop
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
        self._one_at_a_time = threading.Lock()
        self._running: tuple[threading.Thread, Future[Any]] | None = None
        self.lost = False

    def run(self, work: Callable[[], T], deadline: float | None) -> T:
        """Return what `work` returns.

        Raises
        ------
        QueryTimeoutError [query_timeout]
            The deadline, a moment of `time.monotonic()`, has come.
        QueryInterruptedError [query_interrupted]
            Ctrl-C, or the `Stop` of this context.
        """
        with stopped_as_told(), self._turn(deadline):
            return self._run(work, deadline)

    @contextmanager
    def _turn(self, deadline: float | None) -> Iterator[None]:
        while not self._one_at_a_time.acquire(timeout=tick(deadline)):
            pass
        try:
            yield
        finally:
            self._one_at_a_time.release()

    def _run(self, work: Callable[[], T], deadline: float | None) -> T:
        self._end()  # a second Ctrl-C may have come while the first one ended the run before
        outcome: Future[T] = Future()
        context = copy_context()
        worker = threading.Thread(target=context.run, args=(_settle, outcome, work), daemon=True)
        self._running = worker, outcome
        worker.start()
        try:
            while not wait([outcome], tick(deadline)).done:
                pass
            return outcome.result()
        finally:
            self._end()

    def _end(self) -> None:
        """Leave nothing running."""
        if self._running is None:
            return
        worker, outcome = self._running
        until = None if self._patience_s is None else time.monotonic() + self._patience_s
        while worker.is_alive() and not outcome.done():
            with suppress(KeyboardInterrupt):
                if until is None:
                    self._interrupt()
                elif time.monotonic() < until:
                    threading.Thread(target=self._interrupt, daemon=True).start()
                else:
                    self.lost = True
                    return
                wait([outcome], self._again_s)


@contextmanager
def stopped_as_told() -> Iterator[None]:
    """Say what ended the block: its deadline, or somebody who asked for it."""
    try:
        yield
    except TimeoutError as error:
        raise QueryTimeoutError(
            "The question was stopped at its deadline.", hint="Raise `timeout`, or narrow it."
        ) from error
    except KeyboardInterrupt:
        raise QueryInterruptedError("The question was stopped.", hint="Sources and session are intact.") from None


def tick(deadline: float | None) -> float:
    """Return how long to wait before looking up: Ctrl-C does not wake a waiting thread on every platform.

    Raises TimeoutError or KeyboardInterrupt, for `stopped_as_told`, when there is nothing more to wait for.
    """
    stop = current_stop()
    if stop is not None and stop.is_requested:
        raise KeyboardInterrupt
    if deadline is None:
        return TICK_S
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return min(left, TICK_S)


def _settle(outcome: Future[T], work: Callable[[], T]) -> None:
    try:
        outcome.set_result(work())
    except BaseException as error:  # noqa: BLE001  # handed to the thread that waits, whatever it is
        outcome.set_exception(error)
