"""Hold the shared parts of connectors that read pages: deadlines, size bounds and errors.

A connector's work is a coroutine. It runs in a thread with an event loop of its own, so that a server which says
nothing, or speaks for ever, holds nobody: the caller leaves at the deadline, at Ctrl-C, or when its client is gone.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Any, TypeVar

from service_nb.connectors.arguments import read_option
from service_nb.core.secret import Secret
from service_nb.core.stopping import find_current_stop
from service_nb.core.words import describe_value
from service_nb.errors import (
    ConnectorError,
    InvalidIntentError,
    LimitExceededError,
    QueryInterruptedError,
)
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.source import Limits

T = TypeVar("T")

TICK_S = 0.1  # between two looks at Ctrl-C where a wait cannot be interrupted
LEAVE_S = 1.0  # for cancelled work to close what it holds
CELL_BYTES = 40  # what a cell costs as a Python object, texts not counted
YES, NO = ("true", "1", "yes"), ("false", "0", "no")


def run_work(kind: Kind, work: Callable[[], Awaitable[T]], deadline: float) -> T:
    """Run a connector's work to its end, the deadline, Ctrl-C, or a request to stop; whichever is first.

    Raises `connector_failed`, `interrupted`.
    """
    stop, job = find_current_stop(), _LoopThread(work)
    with stop.telling(job.woken.set) if stop is not None else nullcontext():
        job.start()
        try:
            while not job.done.done():
                if stop is not None and stop.is_requested:
                    raise QueryInterruptedError(f"Reading the {kind.title} source was stopped.")
                left = deadline - time.monotonic()
                if left <= 0:
                    raise deadline_error(kind)
                job.woken.wait(min(left, TICK_S))
        finally:
            job.leave()
    result: T = job.done.result()
    return result


class _LoopThread(threading.Thread):
    """One coroutine, in a loop and thread of its own; a daemon, for it may hang in a resolver of names."""

    def __init__(self, work: Callable[[], Awaitable[Any]]) -> None:
        super().__init__(name="service-nb-pages", daemon=True)
        self.done: Future[Any] = Future()
        self.woken = threading.Event()
        self._work = work
        self._context = contextvars.copy_context()
        self._lock = threading.Lock()
        self._left = False
        self._cancel: Callable[[], object] | None = None

    def run(self) -> None:
        try:
            result = self._context.run(asyncio.run, self._main())
        except BaseException as error:  # noqa: BLE001  # raised again in the thread that waits
            self.done.set_exception(error)
        else:
            self.done.set_result(result)
        finally:
            self.woken.set()

    async def _main(self) -> Any:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        with self._lock:
            if self._left or task is None:
                raise asyncio.CancelledError
            self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        try:
            return await self._work()
        finally:
            with self._lock:
                self._cancel = None

    def leave(self) -> None:
        """Cancel what still runs, and give it a moment to close its connections."""
        with self._lock:
            self._left = True
            if self._cancel is not None:
                self._cancel()
        self.join(LEAVE_S)


class Tally:
    """Counts what a source has sent, and says when it is too much."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = self._cells = self._pages = 0

    def page(self, most: int) -> None:
        """Count one more page, or answer, of at most so many."""
        self._pages += 1
        if self._pages > most:
            raise size_limit_error(f"The source has more than {most:,} pages.", "pages", most, self._pages)

    def take(self, size: int) -> None:
        """Count bytes as they came over the wire, or as they are when inflated."""
        self._bytes += size
        if self._bytes > self._limits.text_bytes:
            raise size_limit_error(
                f"The source has more than {self._limits.text_bytes:,} bytes.",
                "text_bytes",
                self._limits.text_bytes,
                self._bytes,
            )

    def cells(self, count: int) -> None:
        """Count cells that are held as Python objects until they become columns."""
        self._cells += count
        if self._cells * CELL_BYTES + self._bytes > self._limits.memory_bytes:
            raise size_limit_error(
                f"The rows need more than {self._limits.memory_bytes:,} bytes.",
                "memory_bytes",
                self._limits.memory_bytes,
                self._cells * CELL_BYTES + self._bytes,
            )


def size_limit_error(message: str, name: str, limit: int, value: int) -> LimitExceededError:
    """Return the error of a source that sends more than is read."""
    return LimitExceededError(
        message, hint="Read less of it, or raise the limit.", limit=limit, limit_name=name, value=value
    )


def deadline_error(kind: Kind) -> ConnectorError:
    """Return the error of a deadline that passed."""
    return ConnectorError(
        f"The {kind.title} source did not answer in full by the deadline.",
        reason="timed_out",
        hint="Allow more time, or read less.",
        type=kind.type,
    )


def answer_error(kind: Kind, met: str) -> ConnectorError:
    """Return the error of an answer that is none."""
    return ConnectorError(
        f"The answer is not one of a {kind.title} source: {met}.", reason="malformed", type=kind.type, met=met
    )


def read_secret(descriptor: Descriptor, name: str) -> Secret | None:
    """Return an option that is a secret; None where it is missing."""
    value = descriptor.options.get(name)
    return value if isinstance(value, Secret) else Secret(value) if value else None


def read_flag(descriptor: Descriptor, name: str, *, default: bool = False) -> bool:
    """Return an option that is true or false. Raises `invalid_intent`."""
    text = (read_option(descriptor, name) or "").lower()
    if text in YES or text in NO or not text:
        return text in YES if text else default
    raise key_error(name, describe_value(text), "true or false")


def read_whole(descriptor: Descriptor, name: str, default: int, most: int) -> int:
    """Return an option that is a whole number from 1 to `most`. Raises `invalid_intent`."""
    text = read_option(descriptor, name)
    if text is None:
        return default
    if text.isascii() and text.isdecimal() and len(text) < 12 and 0 < int(text) <= most:
        return int(text)
    raise key_error(name, describe_value(text), f"a whole number from 1 to {most:,}")


def key_error(name: str, met: str, expected: str) -> InvalidIntentError:
    """Return the error of a descriptor's key that holds what it cannot."""
    return InvalidIntentError(
        f"The connector's {name} is {met}; expected {expected}.", path=f"connector.{name}", met=met, expected=expected
    )


def require_key(descriptor: Descriptor, name: str, expected: str) -> str:
    """Return a text of the descriptor that has to be there. Raises `invalid_intent`."""
    value = getattr(descriptor, name, None) or descriptor.options.get(name)
    if isinstance(value, str) and value:
        return value
    raise key_error(name, "missing", expected)
