"""An application on a port: started, and taken down so that what runs can end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

import uvicorn

from service_nb.errors import InvalidIntentError
from service_nb.server.app import Application, application
from service_nb.server.http11 import HEAD_S, protocol
from service_nb.server.ports import Deployment

KEEP_ALIVE_S = 15
BACKLOG = 2_048
SWITCH_S = 0.0005  # Python's own 5 ms let the event loop wait that long at each packet while threads compute
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
        self._application = application
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

    def drain(self) -> None:
        """Begin to drain; to be called in the event loop."""
        if self._draining is None:
            self._draining = asyncio.get_running_loop().create_task(self._drain())

    async def _drain(self) -> None:
        try:
            await self._application.drain(self._drain_s)
        finally:
            self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Have signals handled here; unlike uvicorn's own, none is raised again: to end as asked is no failure."""
        wanted = [signal.SIGINT, signal.SIGTERM] if threading.current_thread() is threading.main_thread() else []
        before = {each: signal.signal(each, self.handle_exit) for each in wanted}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def server(deployment: Deployment, trusted: Sequence[str] = (), ready: Callable[[], object] = lambda: None) -> Server:
    """Return what serves a deployment; `trusted` are the proxies whose word on who asks is taken."""
    bounds = deployment.bounds
    made = application(deployment)
    config = uvicorn.Config(
        made,
        http=protocol(bounds.connections, min(HEAD_S, bounds.body_timeout_s)),
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        proxy_headers=bool(trusted),
        forwarded_allow_ips=list(trusted),
        h11_max_incomplete_event_size=bounds.header_bytes,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=LAST_S,
    )
    return Server(config, made, bounds.drain_s, ready)


def serve(
    deployment: Deployment, bound: socket.socket, *, trusted: Sequence[str], ready: Callable[[str], object]
) -> bool:
    """Serve on a bound socket until a signal comes, and return whether it ever did.

    `ready` is told the address once requests are taken.
    """
    sys.setswitchinterval(SWITCH_S)  # of the process, which is for this alone
    running = server(deployment, trusted, lambda: ready(address_of(bound)))
    with contextlib.suppress(KeyboardInterrupt):
        running.run(sockets=[bound])
    return running.started


def bind(host: str, port: int) -> socket.socket:
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


def address_of(bound: socket.socket) -> str:
    """Return the address of a socket as clients write it."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
