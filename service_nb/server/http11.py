"""HTTP/1.1 on a connection: nobody takes for ever to send the head of a request, and no more than we take may come in.

uvicorn's own protocol waits for a head as long as its sender likes, holds an answer for as long as nobody takes it, and
refuses what is no request in plain text. Here a head has a deadline, an answer that lies there ends its connection,
connections have a limit, and every refusal the body that all errors have.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from service_nb.errors import InvalidIntentError, ServiceError
from service_nb.server.errors import body_of, headers_of, large_head, overloaded

HEAD_S = 10.0
TAKEN_S = 30.0  # in which a client takes a part of its answer
LEAST_TAKEN = 64 * 1024  # bytes, or what is left
MOST_AHEAD = 64 * 1024  # bytes of requests that come before the one before them is answered
MOST_HELD = 64 * 1024
TOO_LARGE = 431
NOT_SENT = "none"  # the id of a request that was none


class Joined:
    """A transport that sends head and body of an answer as one packet: each packet is a call that others wait for."""

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, closing: Callable[[], object]
    ) -> None:
        self._transport, self._loop, self._closing = transport, loop, closing
        self._held: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send some bytes: when the answer is whole, much is held, or there is nothing else to do."""
        if not self._held:
            self._loop.call_soon(self.flush)
        self._held.append(data)
        self._size += len(data)
        if self._size >= MOST_HELD:
            self.flush()

    def flush(self) -> None:
        """Send what is held."""
        held, self._held, self._size = self._held, [], 0
        if held and not self._transport.is_closing():
            self._transport.write(b"".join(held))

    def close(self) -> None:
        """Close the connection after what is held."""
        self.flush()
        self._transport.close()
        self._closing()


class Protocol(H11Protocol):
    """One connection."""

    most_connections: ClassVar[int] = 2_000
    head_s: ClassVar[float] = HEAD_S
    taken_s: ClassVar[float] = TAKEN_S

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, unless there are as many as there may be."""
        self._joined = Joined(transport, self.loop, self._expect_taking)
        super().connection_made(self._joined)  # type: ignore[arg-type]  # as far as it is used, it is one
        self._late: asyncio.TimerHandle | None = None
        self._untaken: asyncio.TimerHandle | None = None
        if len(self.connections) > self.most_connections:
            self._refuse(503, overloaded("The deployment has reached its limit of connections."))
        else:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._expect_nothing()
        if self._untaken is not None:
            self._untaken.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Send no more than lies there; whoever does not take it has a deadline."""
        super().pause_writing()
        self._expect_taking()

    def data_received(self, data: bytes) -> None:
        """Take what came; the head that is being waited for has a deadline from its first byte on."""
        if self._late is None and (self.cycle is None or self.cycle.response_complete):
            self._expect_head()
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._expect_nothing()
            self._read_on()

    def on_response_complete(self) -> None:
        """Send the answer, and take the next request."""
        self._joined.flush()
        super().on_response_complete()

    def _read_on(self) -> None:
        """Go on reading though the next request is there already: it would not be seen else that the client goes."""
        if self.conn.their_state is h11.DONE and len(self.conn.trailing_data[0]) <= MOST_AHEAD:
            self.flow.resume_reading()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # its words are for nobody
        """Refuse what is no request, or has too large a head."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()  # within an answer nothing else can be said
            return
        fault = sys.exception()  # which uvicorn is just handling
        if isinstance(fault, h11.RemoteProtocolError) and fault.error_status_hint == TOO_LARGE:
            self._refuse(TOO_LARGE, large_head(self.config.h11_max_incomplete_event_size or 0).error)
        else:
            self._refuse(400, InvalidIntentError("This is not an HTTP request.", expected="HTTP/1.1"))

    def _expect_head(self) -> None:
        self._late = self.loop.call_later(self.head_s, self._too_late)

    def _expect_nothing(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _expect_taking(self) -> None:
        size = self.transport.get_write_buffer_size()
        if size and self._untaken is None:
            self._untaken = self.loop.call_later(self.taken_s, self._check_taken, size)

    def _check_taken(self, before: int) -> None:
        self._untaken = None
        if self.transport.get_write_buffer_size() > max(0, before - LEAST_TAKEN):
            self.transport.abort()
        else:
            self._expect_taking()

    def _too_late(self) -> None:
        self._late = None
        if not self.transport.is_closing():
            self._refuse(408, InvalidIntentError(f"No request came within {self.head_s:g} s."))

    def _refuse(self, status: int, error: ServiceError) -> None:
        body = body_of(error, NOT_SENT)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *headers_of(error),
        ]
        events: list[Any] = [
            h11.Response(status_code=status, headers=headers, reason=STATUS_PHRASES[status]),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ]
        for event in events:
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def protocol(most_connections: int, head_s: float = HEAD_S) -> type[Protocol]:
    """Return the protocol with its limits."""
    return type("LimitedProtocol", (Protocol,), {"most_connections": most_connections, "head_s": head_s})
