"""Bounds on what a server may take and send: deadlines, bytes of one answer, bodies of HTTP, peers of a socket.

One thread watches all deadlines: starting a thread for each statement makes a busy deployment wait for its turn. A
driver in C reads its socket itself, so the bytes that came in are asked of the system: whenever the driver wants
more, and now and then while it reads.
"""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import struct
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import ModuleType, TracebackType
from typing import Any, Self, TypeVar

from service_nb.connectors.addresses import check_peer
from service_nb.connectors.base import timeout_error
from service_nb.errors import LimitExceededError


class DeadlineWatch:
    """Calls `late` in another thread when the time is up before the block has ended.

    Parameters
    ----------
    late : callable
        Told an event that is set once the block has ended.
    seconds : float
        From the beginning of the block.
    """

    def __init__(self, late: Callable[[threading.Event], object], seconds: float) -> None:
        self.is_late = False
        self.due = 0.0
        self._done = threading.Event()
        self._late, self._seconds = late, seconds

    def fire(self) -> None:
        """Say that the time is up."""
        self.is_late = True
        threading.Thread(target=self._tell, name="service-nb-late", daemon=True).start()

    def _tell(self) -> None:
        if not self._done.is_set():  # else it would meet the next statement
            self._late(self._done)

    def __enter__(self) -> Self:
        self.due = time.monotonic() + self._seconds
        _DEADLINES.add(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        _DEADLINES.remove(self)
        self._done.set()


class _Deadlines:
    """All watches that are on, and the thread that looks after them; it lives while there is any, and not for long."""

    def __init__(self) -> None:
        self._state = threading.Condition()
        self._on: set[DeadlineWatch] = set()
        self._next = float("inf")  # when the thread looks up by itself
        self._thread: threading.Thread | None = None

    def add(self, watch: DeadlineWatch) -> None:
        with self._state:
            self._on.add(watch)
            if self._thread is None or not self._thread.is_alive():  # none of this process: it may have been forked
                self._next = watch.due
                self._thread = threading.Thread(target=self._look, name="service-nb-statements", daemon=True)
                self._thread.start()
            elif watch.due < self._next:
                self._state.notify()

    def remove(self, watch: DeadlineWatch) -> None:
        with self._state:
            self._on.discard(watch)

    def _look(self) -> None:
        with self._state:
            while True:
                now = time.monotonic()
                for watch in [each for each in self._on if each.due <= now]:
                    self._on.discard(watch)
                    watch.fire()
                self._next = min((each.due for each in self._on), default=now + _IDLE_S)
                if not self._state.wait(self._next - now) and not self._on:
                    self._thread = None
                    return


_IDLE_S = 30.0  # after the last statement
_DEADLINES = _Deadlines()


T = TypeVar("T")

MOST_BYTES = 128 * 1024**2  # of one answer that a driver holds whole
ENOUGH_BYTES = 8 * 1024**2  # of rows that are fetched at once, where how many is ours to say
LOOK_S = 0.01  # between two looks at a driver that reads
FIRST_ROWS, MOST_ROWS = 1_000, 4_000
_RECEIVED = struct.Struct("@Q")
_RECEIVED_AT = 128  # `tcpi_bytes_received` of Linux's `struct tcp_info`


def answer_size_error(title: str, most: int = MOST_BYTES) -> LimitExceededError:
    """Return the error of a server that sends more in one go than is held."""
    return LimitExceededError(
        f"{title} sends more than {most:,} bytes in one answer.",
        hint="Exclude long texts with a query, or add a condition.",
        limit=most,
        limit_name="answer_bytes",
    )


def count_received(handle: int) -> int:
    """Count the bytes received at a socket; 0 where the system does not count them, as for a local one."""
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


def limit_steps(
    steps: Generator[object, object, T], find_handle: Callable[[object], int], title: str
) -> Generator[object, object, T]:
    """Go through a driver's steps, each of which waits for its socket, until it has been sent too much.

    `find_handle` returns the number of the socket, given what the step waits for.
    """
    first: dict[int, int] = {}
    try:
        wanted = next(steps)
        while True:
            number = find_handle(wanted)
            count = count_received(number)
            if count - first.setdefault(number, count) > MOST_BYTES:
                raise answer_size_error(title)
            wanted = steps.send((yield wanted))
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        steps.close()


class SocketGuard:
    """Ends a connection that is sent too much while its driver reads on without asking for more.

    A library in C reads as long as something is there, and from a fast server something always is. Safe to share
    between threads; its own lives while somebody waits.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._state = threading.Condition()
        self._watched: dict[int, tuple[int, threading.Event]] = {}  # the count at the beginning; set when it is ended
        self._pid = 0
        self._looks = False

    @contextmanager
    def watch(self, handle: int, ended: threading.Event) -> Iterator[None]:
        """Watch a socket during the block, and set the event when it is ended."""
        with self._state:
            self._watched[handle] = count_received(handle), ended
            if self._pid != os.getpid():  # a thread of before a fork is none
                self._pid, self._looks = os.getpid(), False
                threading.Thread(target=self._work, daemon=True, name="service-nb-counting").start()
            if not self._looks:
                self._state.notify()
        try:
            yield
        finally:
            with self._state:
                self._watched.pop(handle, None)

    def _work(self) -> None:
        while True:
            with self._state:
                self._looks = False
                while not self._watched:
                    self._state.wait()
                self._looks = True
                for handle, (first, ended) in self._watched.items():
                    if not ended.is_set() and count_received(handle) - first > self._most:
                        ended.set()
                        _end_socket(handle)
            time.sleep(LOOK_S)


def _end_socket(handle: int) -> None:
    """Take no more from a socket: what comes after that is answered with a reset."""
    asked = socket.socket(fileno=handle)
    try:
        with contextlib.suppress(OSError):  # it has ended by itself
            asked.shutdown(socket.SHUT_RDWR)
    finally:
        asked.detach()  # it is the driver's


_GUARD = SocketGuard()


@lru_cache
def build_connection_class(psycopg: ModuleType, title: str) -> Any:
    """Return psycopg's kind of connection, which is given up when a login or one answer is too large.

    The library holds each whole, and a single row may announce gigabytes.
    """

    class Counting(psycopg.Connection):  # type: ignore[misc,name-defined]  # of a module found late
        @classmethod
        def _connect_gen(cls, *given: object, **named: object) -> object:
            return limit_steps(super()._connect_gen(*given, **named), lambda wanted: int(wanted[0]), title)  # type: ignore[index]

        def wait(self, gen: Generator[object, object, object], *given: object, **named: object) -> object:
            handle = self.pgconn.socket
            ended = threading.Event()
            try:
                with _GUARD.watch(handle, ended):
                    return super().wait(limit_steps(gen, lambda _: handle, title), *given, **named)
            except psycopg.Error:
                if not ended.is_set():
                    raise
            except LimitExceededError:
                pass
            self.pgconn.finish()
            raise answer_size_error(title)

    return Counting


def plan_rows(rows: int, size: int, most: int) -> int:
    """Compute the number of rows to fetch next from the size of the last ones, so that they stay within bounds."""
    fitting = rows * ENOUGH_BYTES // max(size, 1)
    return max(1, min(2 * rows, fitting, MOST_ROWS, most))


PIECE = 65_536


def limit_session(session: Any, until: float, title: str) -> None:
    """Have a session read bodies within a size and until a moment; replaces what it was told before."""

    def limit_body(response: Any, **_: object) -> None:
        response.raw = _Body(response.raw, until, title)

    session.hooks["response"] = [limit_body]


def guard_pools(manager: Any) -> Any:
    """Have a manager of urllib3 send nothing to where clouds hand out credentials, whatever a name resolves to."""
    manager.pool_classes_by_scheme = {
        scheme: _guard_pool(pool) for scheme, pool in manager.pool_classes_by_scheme.items()
    }
    return manager


@lru_cache
def _guard_pool(pool: Any) -> Any:
    class Guarded(pool.ConnectionCls):  # type: ignore[misc]
        def _new_conn(self) -> object:
            made = super()._new_conn()
            check_peer(made, self.host, self.port)
            return made

    return type(f"Guarded{pool.__name__}", (pool,), {"ConnectionCls": Guarded})


def build_adapter(adapters: object, trust: ssl.SSLContext) -> object:
    """Return an adapter of `requests` for servers that prove who they are to this context, and to nothing else."""
    return _build_adapter_class(adapters)(trust)


@lru_cache
def _build_adapter_class(adapters: Any) -> Any:
    class Proving(adapters.HTTPAdapter):  # type: ignore[misc]
        def __init__(self, trust: ssl.SSLContext) -> None:
            self._trust = trust
            super().__init__()

        def init_poolmanager(self, *given: object, **named: object) -> object:
            return super().init_poolmanager(*given, **named, ssl_context=self._trust)

        def cert_verify(self, connection: Any, *_: object) -> None:
            """Leave alone what the context says: the library would add authorities of its own."""
            connection.cert_reqs = "CERT_REQUIRED"

    return Proving


class _Body:
    """The body of an answer, which counts what is read of it."""

    def __init__(self, raw: Any, until: float, title: str) -> None:
        self._raw, self._until, self._title = raw, until, title

    def __getattr__(self, name: str) -> object:
        return getattr(self._raw, name)

    def stream(self, *_: object, decode_content: bool = True) -> Iterator[bytes]:
        """Yield the body, inflated, until it is too much."""
        size = 0
        for piece in self._raw.stream(PIECE, decode_content=decode_content):
            size += len(piece)
            if size > MOST_BYTES or time.monotonic() > self._until:
                self._raw.close()
                raise answer_size_error(self._title) if size > MOST_BYTES else timeout_error()
            yield piece
