"""bqemulator: BigQuery's REST interface and much of its SQL over DuckDB, in an environment of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from google.auth.credentials import AnonymousCredentials
from google.cloud import bigquery as client

from tests.servers.environment import environment
from tests.servers.process import folder_of_a_server, free_port, listens, running, unprivileged

# The extensions come as wheels, and are put where DuckDB looks for them.
IMPORT = "from duckdb_extensions import import_extension as add; add('spatial'); add('icu')"


@dataclass(frozen=True, slots=True)
class BigQueryEmulator:
    """Where it listens, and the project that it knows."""

    port: int
    project: str = "project"

    @property
    def endpoint(self) -> str:
        """The address of its interface."""
        return f"http://127.0.0.1:{self.port}"

    def run(self, statement: str) -> None:
        """Run one statement, which may write."""
        with client.Client(
            project=self.project, credentials=AnonymousCredentials(), client_options={"api_endpoint": self.endpoint}
        ) as session:
            session.query(statement, retry=None, job_retry=None).result(retry=None, job_retry=None)


@contextmanager
def bigquery() -> Iterator[BigQueryEmulator]:
    """Run one for the block."""
    programs = environment("bqemulator")
    with folder_of_a_server("snbbq") as folder:
        home = {"HOME": str(folder)}
        subprocess.run(unprivileged([programs / "python", "-B", "-c", IMPORT]), check=True, env=home, cwd="/")
        server = BigQueryEmulator(free_port())
        command = [
            *(programs / "python", "-B", programs / "bqemulator", "start", "--rest-port", str(server.port)),
            *("--grpc-port", "0", "--project", server.project, "--log-level", "error"),
        ]
        with running(command, lambda: listens(server.port), folder / "log", environment=home):
            yield server
