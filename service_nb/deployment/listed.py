"""What a deployment has, remembered for a moment: whoever asks often waits little, and never for what is late.

One question is under way at a time, in a thread of its own. Who asks waits for it as long as it may and takes what is
known by then; what comes later is there for the next one. A deployment that does not answer is left alone for a while.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from service_nb.core.stopping import Stop, stopping
from service_nb.errors import ServiceError

T = TypeVar("T")

FRESH_S = 5.0  # for which an answer is believed
QUIET_S = 30.0  # for which nobody is asked again after a failure
CLOSING_S = 5.0  # that a question may take to end when it is asked to


class Listed(Generic[T]):
    """Remembers what `fetch` returned. Safe to use from several threads.

    Parameters
    ----------
    fetch : callable
        Asks the deployment, within a deadline of its own.
    """

    def __init__(self, fetch: Callable[[], T]) -> None:
        self._fetch = fetch
        self._state = threading.Condition()
        self._value: T | None = None
        self._fault: ServiceError | None = None
        self._until = 0.0  # the moment to which value and fault are believed
        self._began = 0.0
        self._turn = 0  # grows when what is under way is of before
        self._stop = Stop()
        self._asking: threading.Thread | None = None
        self._threads: list[threading.Thread] = []

    def now(self) -> T:
        """Return what there is, asked for in this thread unless it is fresh; raises what the deployment says."""
        with self._state:
            if self._value is not None and self._fault is None and time.monotonic() < self._until:
                return self._value
            turn = self._turn
        value = self._fetch()
        self._learn(turn, value, None)
        return value

    def within(self, wait_s: float) -> tuple[T | None, ServiceError | None]:
        """Return what is known by then, and what went wrong when it was last asked for.

        A question that is under way is waited for so long from its beginning, not from each call.
        """
        with self._state:
            if time.monotonic() >= self._until:
                self._ask()
            asking = self._asking
            while self._asking is asking is not None:
                left = self._began + wait_s - time.monotonic()
                if left <= 0 or not self._state.wait(left):
                    break
            return self._value, self._fault

    def forget(self) -> None:
        """Believe nothing of before: it was changed from here."""
        with self._state:
            self._turn += 1
            self._value, self._fault, self._until = None, None, 0.0
            self._asking = None  # it goes on for nobody

    def close(self) -> None:
        """End what is under way."""
        with self._state:
            stop, self._stop = self._stop, Stop()
            threads, self._threads = self._threads, []
        self.forget()
        stop.request()
        for thread in threads:
            thread.join(CLOSING_S)

    def _ask(self) -> None:
        if self._asking is not None and self._asking.is_alive():  # a thread of before a fork is none
            return
        self._began = time.monotonic()
        self._asking = threading.Thread(
            target=self._work, args=(self._turn, self._stop), name="service-nb-listing", daemon=True
        )
        self._threads = [*filter(threading.Thread.is_alive, self._threads), self._asking]
        self._asking.start()

    def _work(self, turn: int, stop: Stop) -> None:
        value: T | None = None
        fault: ServiceError | None = None
        try:
            with stopping(stop):
                value = self._fetch()
        except ServiceError as error:
            fault = error
        finally:
            self._learn(turn, value, fault)

    def _learn(self, turn: int, value: T | None, fault: ServiceError | None) -> None:
        with self._state:
            if turn == self._turn:
                is_passing = fault is not None and fault.retryable
                self._value = self._value if is_passing else value
                self._fault = fault
                self._until = time.monotonic() + (FRESH_S if fault is None else QUIET_S)
                self._asking = None
            self._state.notify_all()
