"""Calls that a question waits for: short, and none while a deployment is known to be silent.

Each is made in a thread of its own: to find the address of a name has no deadline of ours, and neither has a network
that takes everything and returns nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from service_nb.core.stopping import Stop, stopping
from service_nb.errors import DeploymentUnavailableError, QueryInterruptedError, QueryTimeoutError, ServiceError

T = TypeVar("T")
QUIET_S = 15.0  # for which one that did not answer is not asked again


class SilentError(Exception):
    """It does not answer; `left_s`: for how long it is not asked again, `is_new`: whether it was asked just now."""

    def __init__(self, left_s: float, *, is_new: bool) -> None:
        super().__init__()
        self.left_s, self.is_new = left_s, is_new


class Soon(Generic[T]):
    """Makes such calls of one deployment. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until = 0.0  # the moment to which it is left alone

    def within(self, wait_s: float, call: Callable[[], T]) -> T:
        """Return what the call returns, or raise what it raises, within that time.

        Raises
        ------
        SilentError
            There was no answer, or was none a moment ago.
        """
        with self._lock:
            left = self._until - time.monotonic()
        if left > 0:
            raise SilentError(left, is_new=False)
        value, fault = ask_within(wait_s, call)
        if _is_silence(value, fault):
            with self._lock:
                self._until = time.monotonic() + QUIET_S
            raise SilentError(QUIET_S, is_new=True)
        if fault is not None:
            raise fault
        return value[0]

    def heard(self) -> None:
        """Take note that it has answered somebody."""
        with self._lock:
            self._until = 0.0


def ask_within(wait_s: float, call: Callable[[], T]) -> tuple[list[T], ServiceError | None]:
    """Return in a list what a call returns, or what it raises; neither where it takes longer."""
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


def _is_silence(value: list[T], fault: ServiceError | None) -> bool:
    """Whether nothing came: one that refuses, or says what is wrong, is asked again at once."""
    if fault is None:
        return not value
    is_late = isinstance(fault, DeploymentUnavailableError) and fault.details.get("reason") == "timed_out"
    return is_late or isinstance(fault, QueryTimeoutError)
