"""A real ClickHouse: chdb in an environment of its own, behind ClickHouse's HTTP interface."""

from __future__ import annotations

import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.environment import environment
from tests.servers.process import folder_of_a_server, free_port, listens, running


@dataclass(frozen=True, slots=True)
class ClickHouseServer:
    """Where it is, and its accounts: `admin`, and `reader`, which is one in name only."""

    port: int
    host: str = "127.0.0.1"
    user: str = "admin"
    password: str = "a password of the tests"
    database: str = "default"

    def run(self, statement: str) -> str:
        """Run one statement without any limits and return its answer as text."""
        request = urllib.request.Request(
            f"http://{self.host}:{self.port}/",
            data=statement.encode(),
            headers={"X-ClickHouse-User": self.user, "X-ClickHouse-Key": self.password},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return str(answer.read().decode())


@contextmanager
def clickhouse() -> Iterator[ClickHouseServer]:
    """Run a server of its own for the block."""
    python = environment("chdb") / "python"
    with folder_of_a_server("snbch") as folder:
        server = ClickHouseServer(port=free_port())
        program = Path(__file__).with_name("clickhouse_http.py")
        command = [python, program, str(server.port), folder / "data"]
        with running(command, lambda: listens(server.port), folder / "log", environment={"HOME": str(folder)}):
            yield server
