"""TLS in front of a server of the tests that speaks none itself."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_PIECE = 65_536
Greeting = Callable[[StreamReader, StreamWriter], Awaitable[None]]


async def plainly(_: StreamReader, __: StreamWriter) -> None:
    """TLS from the first byte."""


async def as_postgres(reader: StreamReader, writer: StreamWriter) -> None:
    """TLS after PostgreSQL's question for it, which is answered with yes."""
    await reader.readexactly(8)
    writer.write(b"S")
    await writer.drain()


@contextmanager
def encrypted(
    target: int, certificate: Path, key: Path, *, greet: Greeting = plainly, clients: Path | None = None
) -> Iterator[int]:
    """Listen with TLS at a port of 127.0.0.1, which is yielded, and carry what comes to the port `target`.

    Parameters
    ----------
    greet : callable
        What is said before TLS begins.
    clients : Path, optional
        An authority, of whose certificates every client has to show one.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=clients)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2", "http/1.1"])
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
    ready, over = threading.Event(), threading.Event()
    found: list[int] = []

    async def main() -> None:
        tasks: set[asyncio.Task[None]] = set()
        writers: list[StreamWriter] = []

        def met(reader: StreamReader, writer: StreamWriter) -> None:
            writers.append(writer)
            task = asyncio.ensure_future(_served(reader, writer, context, greet, target))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(met, "127.0.0.1", 0)
        found.append(server.sockets[0].getsockname()[1])
        ready.set()
        await asyncio.to_thread(over.wait)
        server.close()
        for _ in range(
            10
        ):  # turns of the loop: a client may still be met in one of the next, its socket closes after it
            for task in list(tasks):
                task.cancel()
            for writer in writers:  # also of a client whose task was stopped before its first step
                writer.transport.abort()
            await asyncio.sleep(0)
        await asyncio.gather(*tasks, return_exceptions=True)

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    try:
        assert ready.wait(30)
        yield found[0]
    finally:
        over.set()
        thread.join()


async def _served(
    reader: StreamReader, writer: StreamWriter, context: ssl.SSLContext, greet: Greeting, target: int
) -> None:
    with contextlib.suppress(OSError, asyncio.IncompleteReadError, ssl.SSLError):
        try:
            await greet(reader, writer)
            await writer.start_tls(context, ssl_handshake_timeout=30)
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", target)
            try:
                ways = [_carried(reader, far_writer), _carried(far_reader, writer)]
                _, waiting = await asyncio.wait(
                    [asyncio.ensure_future(way) for way in ways], return_when=asyncio.FIRST_COMPLETED
                )
                for way in waiting:
                    way.cancel()
                await asyncio.gather(*waiting, return_exceptions=True)
            finally:
                far_writer.transport.abort()
        finally:
            writer.transport.abort()


async def _carried(source: StreamReader, to: StreamWriter) -> None:
    with contextlib.suppress(OSError, ssl.SSLError):
        while piece := await source.read(_PIECE):
            to.write(piece)
            await to.drain()
