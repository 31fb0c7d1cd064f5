"""What somebody does while a call runs: ask for its end until it has come, or press Ctrl-C once it has begun.

Python hears Ctrl-C wherever it is, and within what it calls by itself (a finalizer, hypothesis' look at the garbage
collector) the error goes nowhere. So whoever presses does it again until the call has ended, as people do; what is
pressed after that is not heard.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 120.0
AGAIN_S = 0.3
LOST_S = 5.0  # after which Ctrl-C is believed to be lost
IMPATIENT_S = 0.004


@contextmanager
def asking_to_end(cancel: Callable[[], object], *, after: float = 0.0) -> Iterator[None]:
    """Cancel what the block runs, again and again: a request that comes before the statement does ends nothing."""
    ended = threading.Event()

    def asks() -> None:
        ended.wait(after)
        while not ended.wait(AGAIN_S):
            cancel()

    thread = threading.Thread(target=asks)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def sigint() -> None:
    """Press Ctrl-C as a terminal does."""
    os.kill(os.getpid(), signal.SIGINT)


@contextmanager
def ctrl_c(begun: Callable[[], object], press: Callable[[], object] = sigint) -> Iterator[None]:
    """Press Ctrl-C when what the block runs has begun."""
    presser = _Presser(begun, press, LOST_S)
    try:
        yield
    finally:
        presser.ended = True
        presser.leave()


def under_impatience(work: Callable[[], T], begun: Callable[[], object], press: Callable[[], object]) -> T:
    """Call `work`, and press Ctrl-C every few milliseconds from its beginning to its end, and in its way out, too."""
    presser = _Presser(begun, press, IMPATIENT_S)
    try:
        return work()
    finally:
        presser.ended = True
        presser.leave()


class _Presser:
    """Presses, in a thread of its own, until `ended` is set: an assignment, for no call is too short for Ctrl-C."""

    def __init__(self, begun: Callable[[], object], press: Callable[[], object], again_s: float) -> None:
        self.ended = False
        self._begun = begun
        self._press = press
        self._again_s = again_s
        self._left = threading.Event()
        self._before = signal.signal(signal.SIGINT, self._hear)
        self._thread = threading.Thread(target=self._presses)
        self._thread.start()

    def leave(self) -> None:
        self._left.set()
        self._thread.join()
        signal.signal(signal.SIGINT, self._before)

    def _hear(self, *_: object) -> None:
        if not self.ended:
            raise KeyboardInterrupt

    def _presses(self) -> None:
        until = time.monotonic() + PATIENCE_S
        while not self._begun():
            if self._left.wait(0.02) or time.monotonic() > until:
                return
        self._press()
        while not self._left.wait(self._again_s):
            self._press()
