"""Sockets that never outlast a call: each read and write ends with the call's deadline, Ctrl-C, or its stop."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpcore

from service_nb.core.stopping import current_stop

TICK_S = 0.25  # between two looks at clock and stop
CONNECT_S, WRITE_S = 10.0, 60.0


class OverdueError(Exception):
    """The deadline of the call is over."""


class StoppedError(Exception):
    """Whoever wanted the answer wants it no longer."""


_DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextmanager
def until(deadline: float) -> Iterator[None]:
    """Have every read and write of the block end by a moment of `time.monotonic`."""
    token = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def left(phase_s: float) -> float:
    """Return how long the next step may wait, at most `phase_s`.

    Raises
    ------
    OverdueError, StoppedError
    """
    stop = current_stop()
    if stop is not None and stop.is_requested:
        raise StoppedError
    deadline = _DEADLINE.get()
    if deadline is None:
        return phase_s
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise OverdueError
    return min(phase_s, remaining)


class _Stream(httpcore.NetworkStream):
    """A socket, which looks up often enough."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002  # the call's own counts
        while True:
            try:
                return self._inner.read(max_bytes, left(TICK_S))
            except httpcore.ReadTimeout:
                continue

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self._inner.write(buffer, left(WRITE_S))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left(CONNECT_S)))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class Network(httpcore.SyncBackend):
    """Opens them. The thread of a call is the one that reads, so what the call knows is found in its context."""

    def connect_tcp(  # noqa: D102  # as the library documents it
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(super().connect_tcp(host, port, left(CONNECT_S), local_address, socket_options))
