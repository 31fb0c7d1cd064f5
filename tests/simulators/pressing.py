"""What somebody does while a call runs: ask for its end until it has come, or press Ctrl-C once it has begun."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE_S = 120.0
AGAIN_S = 0.3


@contextmanager
def asking_to_end(cancel: Callable[[], object]) -> Iterator[None]:
    """Cancel what the block runs, again and again: a request that comes before the statement does ends nothing."""
    ended = threading.Event()

    def asks() -> None:
        while not ended.wait(AGAIN_S):
            cancel()

    with _beside(asks, ended):
        yield


@contextmanager
def ctrl_c_once(begun: Callable[[], object]) -> Iterator[None]:
    """Press Ctrl-C, once, when what the block runs has begun; nothing is pressed when the block has ended before."""
    ended = threading.Event()

    def presses() -> None:
        until = time.monotonic() + PATIENCE_S
        while not begun():
            if ended.wait(0.02) or time.monotonic() > until:
                return
        os.kill(os.getpid(), signal.SIGINT)

    with _beside(presses, ended):
        yield


@contextmanager
def _beside(work: Callable[[], None], ended: threading.Event) -> Iterator[None]:
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
