"""The connection of Redis's driver, which counts what it reads before it is read."""

from __future__ import annotations

import asyncio
import ssl
from typing import Any

from service_nb.connectors.pages import CELL_BYTES, too_much
from service_nb.schema.connector import Kind
from service_nb.schema.source import Limits


def counting(kind: Kind, library: Any, trust: ssl.SSLContext | None, limits: Limits) -> Any:
    """The driver's kind of connection, which reads as much as fits into memory and no more."""

    class Counting(library.Connection if trust is None else library.SSLConnection):  # type: ignore[misc]
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            if trust is not None:  # the driver's own trusts the system's authorities beside the ones it is told
                self.ssl_context.context = trust

        async def _connect(self) -> None:
            await super()._connect()
            self._reader: Any = _CountingReader(kind, self._reader, limits)

    return Counting


class _CountingReader:
    """A stream that counts what is asked of it before it is there: a server may announce any length."""

    def __init__(self, kind: Kind, stream: asyncio.StreamReader, limits: Limits) -> None:
        self._kind = kind
        self._stream, self._left, self._most = stream, limits.memory_bytes, limits.memory_bytes
        self._buffer = stream._buffer  # type: ignore[attr-defined]  # noqa: SLF001  # the driver looks whether it is empty

    def _count(self, size: int) -> None:
        self._left -= size + CELL_BYTES
        if size < 0 or self._left < 0:
            raise too_much(
                f"{self._kind.title} sends more than {self._most:,} bytes.",
                "memory_bytes",
                self._most,
                self._most - self._left,
            )

    async def readexactly(self, size: int) -> bytes:
        self._count(size)
        return await self._stream.readexactly(size)

    async def readline(self) -> bytes:
        self._count(0)
        return await self._stream.readline()

    def at_eof(self) -> bool:
        return self._stream.at_eof()
