"""Wait for answers of a deployment no longer than allowed, and remember them for a moment.

Each call is made in a thread of its own: the lookup of a name has no deadline of ours, and neither has a network that
takes everything and returns nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from service_nb.core.stopping import Stop, stopping
from service_nb.errors import DeploymentUnavailableError, QueryInterruptedError, QueryTimeoutError, ServiceError

T = TypeVar("T")

SILENT_S = 15.0  # for which a deployment that did not answer is not called again
FRESH_S = 5.0  # for which an answer is believed
FAILED_S = 30.0  # for which an error is believed
CLOSING_S = 5.0  # for a call to end when it is asked to


class SilentError(Exception):
    """The deployment does not answer: it is not called for `left_s`; `is_new`: it was called just now."""

    def __init__(self, left_s: float, *, is_new: bool) -> None:
        super().__init__()
        self.left_s, self.is_new = left_s, is_new


class QuickCalls(Generic[T]):
    """Make short calls of one deployment, and none while it is known to be silent. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._silent_until = 0.0

    def call(self, wait_s: float, call: Callable[[], T]) -> T:
        """Make a call, and raise `SilentError` where no answer comes within `wait_s`, or none came a moment ago.

        A deployment that refuses, or says what is wrong, is called again at once.
        """
        with self._lock:
            left_s = self._silent_until - time.monotonic()
        if left_s > 0:
            raise SilentError(left_s, is_new=False)
        value, fault = call_within(wait_s, call)
        is_timeout = isinstance(fault, DeploymentUnavailableError) and fault.details.get("reason") == "timed_out"
        if isinstance(fault, QueryTimeoutError) or is_timeout or (fault is None and not value):
            with self._lock:
                self._silent_until = time.monotonic() + SILENT_S
            raise SilentError(SILENT_S, is_new=True)
        if fault is not None:
            raise fault
        return value[0]

    def note_answer(self) -> None:
        """Allow the next call at once: the deployment has answered somebody."""
        with self._lock:
            self._silent_until = 0.0


def call_within(wait_s: float, call: Callable[[], T]) -> tuple[list[T], ServiceError | None]:
    """Run a call in a thread: return its value, in a list, or its error; neither where it takes longer."""
    value: list[T] = []
    faults: list[ServiceError] = []
    stop = Stop()

    def work() -> None:
        try:
            with stopping(stop):
                value.append(call())
        except ServiceError as error:
            faults.append(error)

    thread = threading.Thread(target=work, name="service-nb-soon", daemon=True)
    thread.start()
    try:
        thread.join(wait_s)
        return list(value), faults[0] if faults else None
    except KeyboardInterrupt:
        raise QueryInterruptedError(
            "Waiting for the deployment was interrupted.", hint="The session is intact."
        ) from None
    finally:
        stop.request()  # of no effect on one that has ended


class AnswerCache(Generic[T]):
    """Remember what `fetch`, which calls the deployment within its own deadline, returned. Thread-safe.

    One call is under way at a time. Callers take what is known when their wait is over; what comes later is there for
    the next one. A deployment that does not answer is left alone for a while.
    """

    def __init__(self, fetch: Callable[[], T]) -> None:
        self._fetch = fetch
        self._state = threading.Condition()
        self._value: T | None = None
        self._fault: ServiceError | None = None
        self._until = 0.0  # the moment to which value and fault are believed
        self._began = 0.0
        self._turn = 0  # grows when what is under way is out of date
        self._stop = Stop()
        self._asking: threading.Thread | None = None
        self._threads: list[threading.Thread] = []

    def fetch(self) -> T:
        """Return the value, fetched in this thread unless it is fresh; raise what the deployment says."""
        with self._state:
            if self._value is not None and self._fault is None and time.monotonic() < self._until:
                return self._value
            turn = self._turn
        value = self._fetch()
        self._store_answer(turn, value, None)
        return value

    def wait(self, wait_s: float) -> tuple[T | None, ServiceError | None]:
        """Return value and error as they are known `wait_s` after the call under way began."""
        with self._state:
            if time.monotonic() >= self._until:
                self._start_fetch()
            asking = self._asking
            while self._asking is asking is not None:
                left = self._began + wait_s - time.monotonic()
                if left <= 0 or not self._state.wait(left):
                    break
            return self._value, self._fault

    def forget(self) -> None:
        """Discard the cached value and error, after a change by this client."""
        with self._state:
            self._turn += 1
            self._value, self._fault, self._until = None, None, 0.0
            self._asking = None  # it goes on for nobody

    def close(self) -> None:
        """Stop the fetch that is under way."""
        with self._state:
            stop, self._stop = self._stop, Stop()
            threads, self._threads = self._threads, []
        self.forget()
        stop.request()
        for thread in threads:
            thread.join(CLOSING_S)

    def _start_fetch(self) -> None:
        if self._asking is not None and self._asking.is_alive():  # a thread of before a fork is none
            return
        self._began = time.monotonic()
        self._asking = threading.Thread(
            target=self._fetch_and_store, args=(self._turn, self._stop), name="service-nb-listing", daemon=True
        )
        self._threads = [*filter(threading.Thread.is_alive, self._threads), self._asking]
        self._asking.start()

    def _fetch_and_store(self, turn: int, stop: Stop) -> None:
        value: T | None = None
        fault: ServiceError | None = None
        try:
            with stopping(stop):
                value = self._fetch()
        except ServiceError as error:
            fault = error
        finally:
            self._store_answer(turn, value, fault)

    def _store_answer(self, turn: int, value: T | None, fault: ServiceError | None) -> None:
        with self._state:
            if turn == self._turn:
                is_passing = fault is not None and fault.retryable
                self._value = self._value if is_passing else value
                self._fault = fault
                self._until = time.monotonic() + (FRESH_S if fault is None else FAILED_S)
                self._asking = None
            self._state.notify_all()
