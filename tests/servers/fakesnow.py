"""fakesnow: Snowflake's protocol and much of its SQL over DuckDB, in an environment of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import snowflake.connector

from tests.servers.environment import environment
from tests.servers.process import folder_of_a_server, free_port, listens, running


@dataclass(frozen=True, slots=True)
class FakeSnow:
    """Where it listens."""

    port: int
    host: str = "127.0.0.1"

    def connect(self) -> Any:
        """A session that may write, for tests to fill tables with."""
        return snowflake.connector.connect(
            host=self.host, port=self.port, protocol="http", account="tests", user="u", password="p",
            database="D", schema="S", session_parameters={"CLIENT_TELEMETRY_ENABLED": False},
        )  # fmt: skip


@contextmanager
def fakesnow() -> Iterator[FakeSnow]:
    """Run one for the block."""
    programs = environment("fakesnow")
    with folder_of_a_server("snbsnow") as folder:
        server = FakeSnow(free_port())
        command = [programs / "python", "-B", programs / "fakesnow", "-s", "-p", str(server.port)]
        with running(command, lambda: listens(server.port), folder / "log", environment={"HOME": str(folder)}):
            yield server
