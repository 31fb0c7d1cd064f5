"""Serve an application on a port: uvicorn, with limits for slow clients and a drain at the first signal.

uvicorn's own protocol waits for a head as long as its sender likes, holds an answer for as long as nobody takes it, and
refuses what is no request in plain text. Here a head has a deadline, an answer that nobody takes ends its connection,
connections have a limit, and every refusal has the body that all errors have.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import ClassVar

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from service_nb.errors import InvalidIntentError
from service_nb.server.answers import CLOSE, HttpError, build_large_head, build_overloaded, encode_error
from service_nb.server.app import Application
from service_nb.server.limits import SharedLimits
from service_nb.server.tenants import Deployment

HEAD_S = 10.0
TAKEN_S = 30.0  # in which a client takes a part of its answer
LEAST_TAKEN = 64 * 1024  # bytes, or what is left
MOST_AHEAD = 64 * 1024  # bytes of requests that come before the one before them is answered
MOST_HELD = 64 * 1024
TOO_LARGE = 431
NOT_SENT = "none"  # the id of a request that was none


class JoiningTransport:
    """A transport that sends head and body of an answer as one packet: each packet is a call that others wait for."""

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, closing: Callable[[], object]
    ) -> None:
        self._transport, self._loop, self._closing = transport, loop, closing
        self._held: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> object:
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
    """One connection, with deadlines for a slow client."""

    most_connections: ClassVar[int] = 2_000
    head_s: ClassVar[float] = HEAD_S
    taken_s: ClassVar[float] = TAKEN_S

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, unless there are as many as there may be."""
        self._joined = JoiningTransport(transport, self.loop, self._start_answer_deadline)
        super().connection_made(self._joined)  # type: ignore[arg-type]  # as far as it is used, it is one
        self._late: asyncio.TimerHandle | None = None
        self._untaken: asyncio.TimerHandle | None = None
        if len(self.connections) > self.most_connections:
            self._refuse_request(
                HttpError(build_overloaded("The deployment has reached its limit of connections."), 503)
            )
        else:
            self._start_head_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._cancel_head_deadline()
        if self._untaken is not None:
            self._untaken.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Stop writing; the client has a deadline for taking the bytes that are held."""
        super().pause_writing()
        self._start_answer_deadline()

    def data_received(self, data: bytes) -> None:
        """Take what came; the head that is being waited for has a deadline from its first byte on."""
        if self._late is None and (self.cycle is None or self.cycle.response_complete):
            self._start_head_deadline()
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._cancel_head_deadline()
            self._continue_reading()

    def on_response_complete(self) -> None:
        """Send the answer, and take the next request."""
        self._joined.flush()
        super().on_response_complete()

    def _continue_reading(self) -> None:
        """Continue reading after the next request has come; otherwise a disconnect would go unnoticed."""
        if self.conn.their_state is h11.DONE and len(self.conn.trailing_data[0]) <= MOST_AHEAD:
            self.flow.resume_reading()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # its words are for nobody
        """Refuse what is no request, or has too large a head."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()  # within an answer nothing else can be said
            return
        fault = sys.exception()  # which uvicorn is just handling
        if isinstance(fault, h11.RemoteProtocolError) and fault.error_status_hint == TOO_LARGE:
            self._refuse_request(build_large_head(self.config.h11_max_incomplete_event_size or 0))
        else:
            self._refuse_request(
                HttpError(InvalidIntentError("This is not an HTTP request.", expected="HTTP/1.1"), 400)
            )

    def _start_head_deadline(self) -> None:
        self._late = self.loop.call_later(self.head_s, self._refuse_late_head)

    def _cancel_head_deadline(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _start_answer_deadline(self) -> None:
        size = self.transport.get_write_buffer_size()
        if size and self._untaken is None:
            self._untaken = self.loop.call_later(self.taken_s, self._check_answer_taken, size)

    def _check_answer_taken(self, before: int) -> None:
        self._untaken = None
        if self.transport.get_write_buffer_size() > max(0, before - LEAST_TAKEN):
            self.transport.abort()
        else:
            self._start_answer_deadline()

    def _refuse_late_head(self) -> None:
        self._late = None
        if not self.transport.is_closing():
            self._refuse_request(HttpError(InvalidIntentError(f"No request came within {self.head_s:g} s."), 408))

    def _refuse_request(self, error: HttpError) -> None:
        answer = encode_error(error, NOT_SENT)
        status = answer.status or error.status
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(answer.body)).encode()),
            *dict([*CLOSE, *answer.headers]).items(),
        ]
        head = h11.Response(status_code=status, headers=headers, reason=STATUS_PHRASES[status])
        for event in (head, h11.Data(data=answer.body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def build_protocol(most_connections: int, head_s: float = HEAD_S) -> type[Protocol]:
    """Build the protocol with its limits."""
    return type("LimitedProtocol", (Protocol,), {"most_connections": most_connections, "head_s": head_s})


KEEP_ALIVE_S = 15
BACKLOG = 2_048
SWITCH_S = 0.0005  # Python's own 5 ms let the event loop wait that long at each packet while threads compute
COLLECT_AFTER = (20_000, 20, 20)  # of Python's own 700 the collector took a tenth of the processor time
LAST_S = 5  # for answers to leave, after all work has ended


class Server(uvicorn.Server):
    """A server that drains: at SIGTERM it is not ready any more, refuses what is new, and lets what runs end.

    A second signal does not wait. Listeners stay open while it drains, so that whoever asks is told.
    """

    def __init__(
        self, config: uvicorn.Config, application: Application, drain_s: float, ready: Callable[[], object]
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self.application = application
        self._drain_s = drain_s
        self._draining: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Drain at the first signal, and end at the second."""
        del sig, frame
        if self._loop is None or self._draining is not None:
            self.should_exit = self.force_exit = True
        else:
            self._loop.call_soon_threadsafe(self.drain)

    def end(self) -> None:
        """End without waiting; to be called in the event loop."""
        self.should_exit = self.force_exit = True

    def drain(self) -> None:
        """Begin to drain; to be called in the event loop."""
        if self._draining is None:
            self._draining = asyncio.get_running_loop().create_task(self._drain())

    async def _drain(self) -> None:
        try:
            await self.application.drain(self._drain_s)
        finally:
            self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals; unlike in uvicorn's own, none is raised again: to end as asked is no failure."""
        wanted = [signal.SIGINT, signal.SIGTERM] if threading.current_thread() is threading.main_thread() else []
        before = {each: signal.signal(each, self.handle_exit) for each in wanted}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def build_server(
    deployment: Deployment,
    trusted: Sequence[str] = (),
    ready: Callable[[], object] = lambda: None,
    *,
    shared: SharedLimits | None = None,
    workers: int = 1,
) -> Server:
    """Build the server of a deployment; `trusted` are proxies whose word on the client's address is taken.

    One of several `workers` is given the limits that it shares with the others. Connections come to it one by one, so
    that no worker takes all that come at once, and it may have its part of them.
    """
    limits, timeouts = deployment.config.limits, deployment.config.timeouts
    application = Application(deployment, shared)
    config = uvicorn.Config(
        application,
        http=build_protocol(-(-limits.connections // workers), min(HEAD_S, timeouts.body_s)),
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        proxy_headers=bool(trusted),
        forwarded_allow_ips=list(trusted),
        h11_max_incomplete_event_size=limits.header_bytes,
        backlog=BACKLOG if workers == 1 else 1,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=LAST_S,
    )
    return Server(config, application, timeouts.drain_s, ready)


def configure_process() -> None:
    """Set up the interpreter of a process that is for serving alone."""
    sys.setswitchinterval(SWITCH_S)
    gc.collect()
    gc.freeze()  # what was loaded stays until the end, and is not looked through again
    atexit.register(gc.unfreeze)  # the end itself is as without: DuckDB names on stderr what is not collected by then
    gc.set_threshold(*COLLECT_AFTER)


def serve(
    deployment: Deployment, bound: socket.socket, *, trusted: Sequence[str], ready: Callable[[str], object]
) -> bool:
    """Serve on a bound socket until a signal comes, and return whether it ever did.

    `ready` is told the address once requests are taken.
    """
    configure_process()
    running = build_server(deployment, trusted, lambda: ready(format_address(bound)))
    with contextlib.suppress(KeyboardInterrupt):
        running.run(sockets=[bound])
    return running.started


def bind_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raises `invalid_intent` where it cannot."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # With its protocol named, or asyncio leaves Nagle's algorithm on, and a small answer takes 40 ms.
        bound = socket.socket(family, kind, socket.IPPROTO_TCP)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen(BACKLOG)
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise InvalidIntentError(
            f"{host} port {port} cannot be bound: {error.strerror}.",
            hint="Choose another with --host and --port.",
            path="port",
        ) from None
    return bound


def format_address(bound: socket.socket) -> str:
    """Return the address of a socket as clients write it."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
