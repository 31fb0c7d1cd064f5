"""Serve by several processes: start workers on one socket, share the limits between them, start anew what dies.

Each worker is a whole deployment over the same store and ledgers, which processes share as they are. What is counted
for all of them together is held here. A worker that is killed loses what it was answering and nothing else: its places
are free again, its clients ask another, and what was answered was on the disk before.
"""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from service_nb.server.broker import LONGEST_LINE, BrokeredLimits, Peer
from service_nb.server.config import Config, read_config
from service_nb.server.limits import OwnLimits
from service_nb.server.log import configure_log
from service_nb.server.serving import BACKLOG, build_server, configure_process, format_address
from service_nb.server.tenants import Deployment

MOST_WORKERS = 64
MOST_FAILURES = 5  # of workers that end before they are ready, one after the other
AGAIN_S = 0.5  # before a worker is started in the place of one that failed
LAST_S = 15.0  # after `drain_s`, in which the workers end by themselves


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The order of a worker: handles that it inherits, and how the command was asked to serve."""

    config: str
    listener: int
    broker: int
    workers: int
    quiet: bool
    as_json: bool


class ListeningSocket(socket.socket):
    """A socket that others listen on, too: each takes one connection at a time, and its backlog stays what it is."""

    def listen(self, backlog: int = BACKLOG, /) -> None:
        """Listen, with the backlog that the deployment has."""
        super().listen(max(backlog, BACKLOG))


# --- the process that was started by the command ----------------------------------------------------------------------


class Supervisor:
    """The workers of a deployment, from the first start to the end of all."""

    def __init__(
        self, config: Config, path: Path, bound: socket.socket, count: int, *, quiet: bool, as_json: bool
    ) -> None:
        self._config, self._path, self._bound, self._count = config, path, bound, count
        self._quiet, self._as_json = quiet, as_json
        self._limits = OwnLimits(config)
        self._peers: list[Peer] = []
        self._processes: set[asyncio.subprocess.Process] = set()
        self._signals = 0
        self._failures = 0
        self._has_served = False

    async def run(self, ready: Callable[[str], object]) -> bool:
        """Serve until a signal comes and all workers have ended; return whether they ever served."""
        loop = asyncio.get_running_loop()
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, self._handle_signal)
        announced = False

        def tell_ready() -> None:
            nonlocal announced
            if not announced and sum(peer.is_ready.is_set() for peer in self._peers) == self._count:
                announced = self._has_served = True
                ready(format_address(self._bound))

        await asyncio.gather(*(self._keep_alive(tell_ready) for _ in range(self._count)))
        return self._has_served

    async def _keep_alive(self, tell_ready: Callable[[], None]) -> None:
        """Have one worker, and another in its place when it ends, until the deployment ends."""
        while not self._signals and self._failures < MOST_FAILURES:
            if await self._run_worker(tell_ready):
                self._failures = 0
            elif not self._signals:
                self._failures += 1
                await asyncio.sleep(AGAIN_S)
        if self._failures >= MOST_FAILURES:
            self._order_all("drain")

    async def _run_worker(self, tell_ready: Callable[[], None]) -> bool:
        """Run a worker to its end, and return whether it ever served."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = await self._start(theirs.fileno())
        self._processes.add(process)
        reader, writer = await asyncio.open_connection(sock=ours, limit=LONGEST_LINE)
        peer = Peer(reader, writer, self._limits)
        self._peers.append(peer)
        waits = asyncio.create_task(self._wait_ready(peer, tell_ready))
        if self._signals:  # it came while this one was started
            peer.order("drain")
        try:
            await peer.serve(lambda: [*self._peers])
        finally:
            waits.cancel()
            self._peers.remove(peer)
        await process.wait()
        self._processes.discard(process)
        return peer.is_ready.is_set()

    async def _wait_ready(self, peer: Peer, tell_ready: Callable[[], None]) -> None:
        await peer.is_ready.wait()
        tell_ready()

    async def _start(self, broker: int) -> asyncio.subprocess.Process:
        job = Job(
            config=str(self._path.absolute()),
            listener=self._bound.fileno(),
            broker=broker,
            workers=self._count,
            quiet=self._quiet,
            as_json=self._as_json,
        )
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            __name__,
            json.dumps(asdict(job)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            pass_fds=(self._bound.fileno(), broker),
        )

    def _handle_signal(self) -> None:
        """Have all workers drain at the first signal, and end at the second; what does not end by then is killed."""
        self._signals += 1
        self._order_all("drain" if self._signals == 1 else "end")
        if self._signals == 1:
            loop = asyncio.get_running_loop()
            loop.call_later(self._config.timeouts.drain_s + LAST_S, self._kill_all)

    def _order_all(self, what: str) -> None:
        for peer in self._peers:
            peer.order(what)

    def _kill_all(self) -> None:
        for process in self._processes:
            with suppress(ProcessLookupError):
                process.kill()


def serve_by_workers(
    config: Config,
    path: Path,
    bound: socket.socket,
    count: int,
    *,
    ready: Callable[[str], object],
    quiet: bool,
    as_json: bool,
) -> bool:
    """Serve on a bound socket by several processes until a signal comes, and return whether they ever did.

    `ready` is told the address once all of them take requests.
    """
    Deployment(config).close()  # says what is wrong before anything is started, and brings the store up to date once
    bound.listen(BACKLOG)
    supervisor = Supervisor(config, path, bound, count, quiet=quiet, as_json=as_json)
    return asyncio.run(supervisor.run(ready))


# --- a worker ---------------------------------------------------------------------------------------------------------


async def _serve_worker(job: Job) -> None:
    config = read_config(Path(job.config))
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=job.broker), limit=LONGEST_LINE)
    limits = BrokeredLimits(reader, writer)
    server = build_server(
        Deployment(config), config.server.trusted_proxies, limits.tell_ready, shared=limits, workers=job.workers
    )
    configure_process()
    hearing = asyncio.create_task(limits.listen(server.drain, server.end, server.application.metrics.format))
    with ListeningSocket(fileno=job.listener) as bound:
        await server.serve([bound])
    hearing.cancel()
    writer.close()


def main() -> None:
    """Serve as one of several, as the process that started this one says."""
    job = Job(**json.loads(sys.argv[1]))
    configure_log(quiet=job.quiet, as_json=job.as_json)
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve_worker(job))


if __name__ == "__main__":
    main()
