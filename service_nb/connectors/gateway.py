"""The one way out for a client of HTTP that follows redirects and reads what it is sent, however much it is.

Such a client is given a proxy, this one, in the same process: it connects to the hosts that were checked and to no
other, at addresses that are checked again, and lets through no more than it was told to.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import secrets
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from service_nb.connectors.addresses import normalise_host, resolve_host
from service_nb.errors import ServiceError

PIECE = 256 * 1024
HEAD_BYTES = 64 * 1024
CONNECT_S = 10.0
_HOPS = (b"connection:", b"keep-alive:", b"proxy-")  # headers between two neighbours, which are not passed on
_USER = "service-nb"


class Gateway:
    """A proxy on 127.0.0.1 that only who knows its address can use; it connects to `allowed` hosts and ports."""

    def __init__(self, allowed: Collection[tuple[str, int]]) -> None:
        self.refused = self.spent = False  # whether another host was asked for; whether too much came
        self.reached = True  # whether the last connection was made
        self._allowed = frozenset(allowed)
        self._left = 0
        self._password = secrets.token_urlsafe(24)
        told = base64.b64encode(f"{_USER}:{self._password}".encode())
        self._told = b"basic " + told
        self._lines: set[asyncio.Task[None]] = set()
        self._port = 0

    @property
    def url(self) -> str:
        """The URL for the client, with a password that other users of this machine do not know."""
        return f"http://{_USER}:{self._password}@127.0.0.1:{self._port}"

    def set_allowance(self, size: int) -> None:
        """Let as many bytes through from now on, however many were left."""
        self._left = size

    def add_allowance(self, size: int) -> None:
        """Let as many bytes through beside those that are left."""
        self._left += size

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Gateway]:
        """Take connections for the block."""
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=HEAD_BYTES)
        self._port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for line in list(self._lines):
                line.cancel()
            await asyncio.gather(*self._lines, return_exceptions=True)

    def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        line = asyncio.ensure_future(self._serve(reader, writer))
        self._lines.add(line)
        line.add_done_callback(self._lines.discard)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                await self._pass_on(reader, writer)
        finally:
            writer.transport.abort()

    async def _pass_on(self, reader: StreamReader, writer: StreamWriter) -> None:
        first, *headers = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[:-2]
        method, _, rest = first.partition(b" ")
        target = rest.rpartition(b" ")[0].decode("ascii", "replace")
        tunnel = method == b"CONNECT"
        place = _place(target if tunnel else urlsplit(target).netloc)
        if place not in self._allowed or not (tunnel or method in (b"GET", b"HEAD")):
            self.refused = True  # before the password, which a client does not tell again when it is sent elsewhere
            await _answer(writer, b"403 Forbidden")
            return
        if not any(hmac.compare_digest(_read_header(line, b"proxy-authorization:"), self._told) for line in headers):
            await _answer(writer, b"407 Proxy Authentication Required")
            return
        far_reader, far_writer = await self._connect(writer, *place)
        try:
            if tunnel:
                await _answer(writer, b"200 Connection established", last=False)
                await self._copy_both_ways((reader, writer), (far_reader, far_writer))
            else:
                far_writer.write(_build_head(b"%b %b HTTP/1.1" % (method, _read_path(target)), headers))
                await far_writer.drain()
                answer, *told = (await far_reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[:-2]
                writer.write(_build_head(answer, told))
                await self._copy_counted(far_reader, writer)
                await writer.drain()
                writer.close()
                await writer.wait_closed()
        finally:
            far_writer.transport.abort()

    async def _connect(self, writer: StreamWriter, host: str, port: int) -> tuple[StreamReader, StreamWriter]:
        try:
            addresses = await resolve_host(host, port, "network")
        except ServiceError as error:
            self.refused = self.refused or error.details.get("reason") == "not_allowed"
            self.reached = False
            await _answer(writer, b"502 Bad Gateway")
            raise OSError from error
        for address in addresses:
            with contextlib.suppress(OSError):
                async with asyncio.timeout(CONNECT_S):
                    made = await asyncio.open_connection(address, port, limit=HEAD_BYTES)
                self.reached = True
                return made
        self.reached = False
        await _answer(writer, b"504 Gateway Timeout")
        raise OSError

    async def _copy_both_ways(
        self, near: tuple[StreamReader, StreamWriter], far: tuple[StreamReader, StreamWriter]
    ) -> None:
        ways = [
            asyncio.ensure_future(_copy(near[0], far[1])),
            asyncio.ensure_future(self._copy_counted(far[0], near[1])),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _copy_counted(self, source: StreamReader, to: StreamWriter) -> None:
        while piece := await source.read(PIECE):
            self._left -= len(piece)
            if self._left < 0:
                self.spent = True
                raise OSError
            to.write(piece)
            await to.drain()


async def _copy(source: StreamReader, to: StreamWriter) -> None:
    while piece := await source.read(PIECE):
        to.write(piece)
        await to.drain()


def _read_header(line: bytes, name: bytes) -> bytes:
    key, value = line[: len(name)], line[len(name) :].strip()
    kind, _, rest = value.partition(b" ")
    return kind.lower() + b" " + rest if key.lower() == name else b""


def _place(netloc: str) -> tuple[str, int]:
    """Return host and port as they were allowed; what is none is not among those."""
    try:
        parts = urlsplit(f"//{netloc}")
        return normalise_host(parts.hostname or ""), parts.port or 80
    except (ServiceError, ValueError):
        return "", 0


def _read_path(target: str) -> bytes:
    parts = urlsplit(target)
    return f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}".encode("ascii", "replace")


def _build_head(first: bytes, headers: list[bytes]) -> bytes:
    """Return a head whose connection serves this one request."""
    kept = [line for line in headers if not line.lower().startswith(_HOPS)]
    return b"\r\n".join([first, *kept, b"Connection: close", b"", b""])


async def _answer(writer: StreamWriter, status: bytes, *, last: bool = True) -> None:
    end = b"Content-Length: 0\r\nConnection: close\r\n" if last else b""
    writer.write(b"HTTP/1.1 " + status + b"\r\n" + end + b"\r\n")
    await writer.drain()
    if last:
        writer.close()
        await writer.wait_closed()
