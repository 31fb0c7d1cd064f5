"""Extract a source: run a connector's work under a deadline, count what is sent, translate faults, read its options.

A connector's work is a coroutine. It runs in a thread with an event loop of its own, so that a server which says
nothing, or speaks for ever, holds nobody: the caller leaves at the deadline, at Ctrl-C, or when its client is gone.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from typing import TypeVar

from service_nb.connectors.options import read_option
from service_nb.core.secret import Secret
from service_nb.core.stopping import find_current_stop
from service_nb.core.words import describe_value
from service_nb.errors import (
    ConnectorError,
    InvalidIntentError,
    LimitExceededError,
    QueryInterruptedError,
    ServiceError,
)
from service_nb.errors.deployment import Failure
from service_nb.readers.columns import limit_error
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.source import Limits

T = TypeVar("T")

TICK_S = 0.1  # between two looks at Ctrl-C where a wait cannot be interrupted
LEAVE_S = 1.0  # for cancelled work to close what it holds
CELL_BYTES = 40  # what a cell costs as a Python object, texts not counted
YES, NO = ("true", "1", "yes"), ("false", "0", "no")
_STATUSES: Mapping[int, tuple[str, Failure]] = {
    **dict.fromkeys((401, 407), ("does not accept the key", "login_refused")),
    **dict.fromkeys((403, 405), ("does not allow this to be read", "not_allowed")),
    **dict.fromkeys((404, 410), ("has no resource at this address", "misconfigured")),
    **dict.fromkeys((408, 425, 429), ("answers with status {} for now", "lost")),
}


def run_work(kind: Kind, work: Coroutine[object, object, T], deadline: float) -> T:
    """Run a connector's work to its end, the deadline, Ctrl-C, or a request to stop; whichever is first.

    Raises `connector_failed`, `interrupted`.
    """
    stop, woken, loops = find_current_stop(), threading.Event(), Future[asyncio.AbstractEventLoop]()
    # A daemon, for it may hang in a resolver of names.
    thread = threading.Thread(target=_run_loop, args=(loops,), name="service-nb-extraction", daemon=True)
    thread.start()
    loop = loops.result()
    job = asyncio.run_coroutine_threadsafe(work, loop)
    job.add_done_callback(lambda _: woken.set())
    with stop.telling(woken.set) if stop is not None else nullcontext():
        try:
            while not job.done():
                if stop is not None and stop.is_requested:
                    raise QueryInterruptedError(f"Reading the {kind.title} source was stopped.")
                left = deadline - time.monotonic()
                if left <= 0:
                    raise deadline_error(kind)
                woken.wait(min(left, TICK_S))
            return job.result()
        finally:
            job.cancel()
            loop.call_soon_threadsafe(loop.stop)
            thread.join(LEAVE_S)


def _run_loop(loops: Future[asyncio.AbstractEventLoop]) -> None:
    """Run a loop until it is stopped; what is still at work in it is then cancelled, and closes what it holds."""
    with asyncio.Runner() as runner:
        loops.set_result(runner.get_loop())
        runner.get_loop().run_forever()


@contextmanager
def translate_faults(translate: Callable[[Exception], BaseException]) -> Iterator[None]:
    """Raise errors of a driver as ours; what its texts hold, addresses, users and keys among it, stays out."""
    try:
        yield
    except (ServiceError, AssertionError):
        raise
    except Exception as error:  # noqa: BLE001  # what a server sends that is none ends in errors of any kind
        raise translate(error) from None


class Tally:
    """Counts what a source has sent, and says when it is too much."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = self._cells = self._pages = 0

    def count_page(self, most: int) -> None:
        """Count one more page, or answer, of at most so many."""
        self._pages += 1
        if self._pages > most:
            raise size_limit_error("pages", most, self._pages, "The source has more pages")

    def count_bytes(self, size: int) -> None:
        """Count bytes as they came over the wire, or as they are when inflated."""
        self._bytes += size
        if self._bytes > self._limits.text_bytes:
            raise size_limit_error("text_bytes", self._limits.text_bytes, self._bytes, "The source has more bytes")

    def count_cells(self, count: int) -> None:
        """Count cells that are held as Python objects until they become columns."""
        self._cells += count
        size = self._cells * CELL_BYTES + self._bytes
        if size > self._limits.memory_bytes:
            raise size_limit_error("memory_bytes", self._limits.memory_bytes, size, "The rows need more bytes")


def size_limit_error(name: str, limit: int, value: int, met: str) -> LimitExceededError:
    """Build the error of a source that sends more than is read."""
    return limit_error(name, limit, value, met, "Read less of it, or raise the limit.")


def source_error(kind: Kind, fault: str, reason: Failure, hint: str | None = None, **details: object) -> ConnectorError:
    """Build the error of a source that cannot be read; `fault` goes on after its name."""
    return ConnectorError(f"The {kind.title} source {fault}.", reason=reason, hint=hint, type=kind.type, **details)


def deadline_error(kind: Kind) -> ConnectorError:
    """Build the error of a deadline that passed."""
    fault = "did not answer in full by the deadline"
    return source_error(kind, fault, "timed_out", "Allow more time, or read less.")


def lost_error(kind: Kind, *, is_lost: bool) -> ConnectorError:
    """Build the error of a connection that was lost, or that was never made."""
    if is_lost:
        return source_error(kind, "was lost in mid-answer", "lost", "Check host and port.")
    return source_error(kind, "cannot be reached", "unreachable", "Check host and port.")


def answer_error(kind: Kind, met: str) -> ConnectorError:
    """Build the error of an answer that is none."""
    message = f"The answer is not one of a {kind.title} source: {met}."
    return ConnectorError(message, reason="malformed", type=kind.type, met=met)


def status_error(kind: Kind, status: int) -> ConnectorError:
    """Build the error of an answer of HTTP that has another status than 200."""
    fault, reason = _STATUSES.get(status, ("answers with status {}", "misconfigured"))
    if status >= 500:  # a fault of the server
        fault, reason = "answers with status {} for now", "lost"
    return source_error(kind, fault.format(status), reason, status=status)


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
    """Build the error of a descriptor's key that holds what it cannot."""
    return InvalidIntentError(
        f"The connector's {name} is {met}; expected {expected}.", path=f"connector.{name}", met=met, expected=expected
    )


def require_key(descriptor: Descriptor, name: str, expected: str) -> str:
    """Return a text of the descriptor that has to be there. Raises `invalid_intent`."""
    value = getattr(descriptor, name, None) or descriptor.options.get(name)
    if isinstance(value, str) and value:
        return value
    raise key_error(name, "missing", expected)
