"""Streams that stay open, on which small requests go to the runtime: a third cheaper than a gRPC call for each.

A stream carries one request at a time. Each thread that computes takes an idle one, or opens another. What ends a call
before its answer (Ctrl-C, a deadline, a request to stop) ends its stream, by which the runtime knows that nobody waits
any more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any

import grpc

from service_nb.core.stopping import ended_by

SERVICE = "/service_nb.runtime.v1.Runtime/"
Metadata = tuple[tuple[str, str | bytes], ...]
ROUND_S = 0.25  # how often deadlines are looked at


class StatusError(grpc.RpcError):
    """How a call ended, where gRPC itself does not say it: at our deadline, or with a stream that was closed."""

    def __init__(self, status: grpc.StatusCode, details: str = "") -> None:
        super().__init__(status.name)
        self._status, self._details = status, details

    def code(self) -> grpc.StatusCode:
        """The status of it."""
        return self._status

    def details(self) -> str:
        """What else there is to say."""
        return self._details


class _Session:
    """One open stream."""

    def __init__(self, method: Any, metadata: Metadata) -> None:
        self._requests: SimpleQueue[bytes | None] = SimpleQueue()
        self._answers: Iterator[bytes] = method(iter(self._requests.get, None), metadata=metadata)
        self.is_late = False

    def exchange(self, request: bytes, meanwhile: Callable[[], object]) -> bytes:
        """Send a request, do something, and wait for the reply."""
        self._requests.put(request)
        time.sleep(0)  # lets the thread that sends go first
        meanwhile()
        return next(self._answers)

    def end(self) -> None:
        """Close the stream, whether or not somebody waits for it."""
        self._requests.put(None)
        self._answers.cancel()  # type: ignore[attr-defined]  # it is a call as well


class Sessions:
    """The streams of one connection."""

    def __init__(self, channel: grpc.Channel, metadata: Metadata) -> None:
        self._method: Any = channel.stream_stream(f"{SERVICE}Session")
        self._metadata = metadata
        self._idle: list[_Session] = []
        self._due: dict[_Session, float] = {}
        self._lock = threading.Lock()
        self._watcher: threading.Thread | None = None
        self._closed = threading.Event()

    def exchange(self, request: bytes, limit_s: float | None, meanwhile: Callable[[], object]) -> bytes:
        """Return the reply to a request; `meanwhile` is called once it was sent.

        Raises
        ------
        grpc.RpcError
            The runtime ended, or the time is over.
        """
        try:
            session = self._idle.pop()
        except IndexError:
            session = _Session(self._method, self._metadata)
        if limit_s is not None:
            self._watch(session, limit_s)
        try:
            with ended_by(session.end):
                reply = session.exchange(request, meanwhile)
        except BaseException as error:
            session.end()
            if session.is_late:
                raise StatusError(grpc.StatusCode.DEADLINE_EXCEEDED) from error
            if isinstance(error, StopIteration):
                raise StatusError(grpc.StatusCode.UNAVAILABLE) from error
            raise
        finally:
            with self._lock:  # from here on it is not ended for this call any more
                self._due.pop(session, None)
        if not session.is_late:
            self._idle.append(session)
        return reply

    def _watch(self, session: _Session, limit_s: float) -> None:
        with self._lock:
            self._due[session] = time.monotonic() + limit_s
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._look, daemon=True, name="service-nb-deadlines")
                self._watcher.start()

    def _look(self) -> None:
        while not self._closed.wait(ROUND_S):
            now = time.monotonic()
            with self._lock:
                for session in [each for each, due in self._due.items() if due < now]:
                    del self._due[session]
                    session.is_late = True
                    session.end()

    def close(self) -> None:
        """End all streams."""
        self._closed.set()
        while self._idle:
            self._idle.pop().end()
