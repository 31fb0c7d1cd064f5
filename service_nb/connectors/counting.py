"""How much a server may send in one go: drivers that hold an answer whole are stopped before it fills the memory.

A driver in C reads its socket itself, so what has come is asked of the system: whenever the driver wants more, and now
and then while it reads.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from service_nb.errors import LimitExceededError, ServiceError

T = TypeVar("T")

MOST_BYTES = 128 * 1024**2  # of one answer that a driver holds whole
ENOUGH_BYTES = 8 * 1024**2  # of rows that are fetched at once, where how many is ours to say
LOOK_S = 0.01  # between two looks at a driver that reads
FIRST_ROWS, MOST_ROWS = 1_000, 4_000
_RECEIVED = struct.Struct("@Q")
_RECEIVED_AT = 128  # `tcpi_bytes_received` of Linux's `struct tcp_info`


def too_large(title: str, most: int = MOST_BYTES) -> LimitExceededError:
    """Return the error of a server that sends more in one go than is held."""
    return LimitExceededError(
        f"{title} sends more than {most:,} bytes in one answer.",
        hint="Leave long texts out by a query, or add a condition.",
        limit=most,
        limit_name="answer_bytes",
    )


def received(handle: int) -> int:
    """Return how many bytes have come in at a socket; 0 where the system does not count them, as of a local one."""
    if not sys.platform.startswith("linux"):
        return 0
    asked = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=handle)
    try:
        told = asked.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED_AT + _RECEIVED.size)
    except OSError:  # no TCP, or none any more: then its driver says so
        return 0
    finally:
        asked.detach()  # it is the driver's
    return int(_RECEIVED.unpack_from(told, _RECEIVED_AT)[0]) if len(told) >= _RECEIVED_AT + _RECEIVED.size else 0


def watched(
    steps: Generator[Any, Any, T], handle: Callable[[Any], int], error: Callable[[], ServiceError]
) -> Generator[Any, Any, T]:
    """Go through a driver's steps, each of which waits for its socket, until it has been sent too much.

    Parameters
    ----------
    handle : callable
        Returns the number of the socket, given what the step waits for.
    """
    first: dict[int, int] = {}
    try:
        wanted = next(steps)
        while True:
            number = handle(wanted)
            count = received(number)
            if count - first.setdefault(number, count) > MOST_BYTES:
                raise error()
            wanted = steps.send((yield wanted))
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        steps.close()


class Guard:
    """Ends a connection that is sent too much while its driver reads on without asking for more.

    A library in C reads as long as something is there, and from a fast server something always is. Safe to share
    between threads; its own lives while somebody waits.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._state = threading.Condition()
        self._first: dict[int, int] = {}
        self._ended: set[int] = set()
        self._pid = 0
        self._looks = False

    @contextmanager
    def over(self, handle: int, error: Callable[[], ServiceError]) -> Iterator[None]:
        """Watch a socket during the block, and raise `error` of what failed in it because the socket was ended."""
        with self._state:
            self._first[handle] = received(handle)
            self._begin()
        try:
            yield
        except Exception as met:
            if self._was_ended(handle):
                raise error() from met
            raise
        finally:
            with self._state:
                self._first.pop(handle, None)
                self._ended.discard(handle)

    def _was_ended(self, handle: int) -> bool:
        with self._state:
            return handle in self._ended

    def _begin(self) -> None:
        if self._pid != os.getpid():  # a thread of before a fork is none
            self._pid, self._looks = os.getpid(), False
            threading.Thread(target=self._work, daemon=True, name="service-nb-counting").start()
        if not self._looks:
            self._state.notify()

    def _work(self) -> None:
        while True:
            with self._state:
                self._looks = False
                while not self._first:
                    self._state.wait()
                self._looks = True
                for handle, first in self._first.items():
                    if handle not in self._ended and received(handle) - first > self._most:
                        self._ended.add(handle)
                        _end(handle)
            time.sleep(LOOK_S)


def _end(handle: int) -> None:
    """Take no more from a socket: what comes after that is answered with a reset."""
    asked = socket.socket(fileno=handle)
    try:
        with contextlib.suppress(OSError):  # it has ended by itself
            asked.shutdown(socket.SHUT_RDWR)
    finally:
        asked.detach()  # it is the driver's


_GUARD = Guard()


@lru_cache
def counting_connection(psycopg: Any, title: str) -> Any:
    """Return psycopg's kind of connection, which is given up when a login or one answer is too large.

    The library holds each whole, and a single row may announce gigabytes.
    """

    def error() -> ServiceError:
        return too_large(title)

    class Counting(psycopg.Connection):  # type: ignore[misc]
        @classmethod
        def _connect_gen(cls, *given: Any, **named: Any) -> Any:
            return watched(super()._connect_gen(*given, **named), lambda wanted: int(wanted[0]), error)

        def wait(self, gen: Any, *given: Any, **named: Any) -> Any:
            handle = self.pgconn.socket
            try:
                with _GUARD.over(handle, error):
                    return super().wait(watched(gen, lambda _: handle, error), *given, **named)
            except LimitExceededError:
                self.pgconn.finish()
                raise

    return Counting


def next_rows(rows: int, size: int, most: int) -> int:
    """Return how many rows to fetch next, after so many of that size: as many as are likely not too large."""
    fitting = rows * ENOUGH_BYTES // max(size, 1)
    return max(1, min(2 * rows, fitting, MOST_ROWS, most))
