"""Sail: an engine that speaks Spark Connect, without a JVM."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.servers.environment import environment
from tests.servers.process import folder_of_a_server, free_port, listens, running


@dataclass(frozen=True)
class Connect:
    """Where a server of Spark Connect listens."""

    host: str
    port: int
    session_of_server: bool  # whether running statements can be interrupted at the server

    @property
    def url(self) -> str:
        """What a client takes."""
        return f"sc://{self.host}:{self.port}"


@contextmanager
def sail() -> Iterator[Connect]:
    """A server for the block."""
    port = free_port()
    command = [environment("sail") / "sail", "spark", "server", "--ip", "127.0.0.1", "--port", str(port)]
    with (
        folder_of_a_server("sail-") as folder,
        running(command, lambda: listens(port), folder / "log", environment={"HOME": str(folder)}),
    ):
        yield Connect("127.0.0.1", port, session_of_server=False)
