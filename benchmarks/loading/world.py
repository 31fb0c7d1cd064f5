"""What a load is put on: a PostgreSQL, an API with records, and a deployment of both in a process of its own."""

from __future__ import annotations

import http.server
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pyarrow as pa

from service_nb.server.config import read_config
from service_nb.server.deployment_store import Store
from service_nb.server.keys import Grant, Keys
from service_nb.server.upkeep import create_deployment
from tests.servers.fixtures import READER, READER_PASSWORD, PostgresDatabase
from tests.servers.mortal import Deployed
from tests.servers.postgres import PostgresServer, postgres

TEXT = """
[server]
data = "data"
[connectors]
private_hosts = ["127.0.0.1"]
[runtime]
kind = "{runtime}"
"""
COLUMNS = {
    "id": "int8", "customer": "int8", "region": "text", "product": "text", "price": "float8", "units": "int8",
    "paid": "boolean",
}  # fmt: skip


class Server(Deployed):
    """`service-nb serve` as a process that is looked at."""

    module = "benchmarks.loading.shares"

    def __init__(self, folder: Path, workers: int = 1) -> None:
        super().__init__(folder)
        self.workers = workers
        self.options = ("--workers", str(workers))

    def resident(self) -> int:
        """Return the bytes that it holds in memory."""
        return sum(map(_resident, self._processes()))

    def shares(self) -> dict[str, float]:
        """Return what its processor time went to, once it has ended; nothing of several workers."""
        found: dict[str, float] = {} if self.workers > 1 else json.loads((self.folder / "shares.json").read_text())
        return found

    def processor_s(self) -> float:
        """Return the seconds of processor time that it has taken."""
        return sum(map(_processor_s, self._processes()))

    def _processes(self) -> list[int]:
        return [self.pid, *(self.helpers() if self.workers > 1 else [])]


def _resident(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def _processor_s(pid: int) -> float:
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def records(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Serve records as an API would, and give its address."""
    body = json.dumps(rows).encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/issues"
        finally:
            server.shutdown()
            thread.join()


def fill(server: PostgresServer, table: pa.Table) -> PostgresDatabase:
    """Make the table `orders`, with an index, and an account that may read it."""
    database = PostgresDatabase(server, "postgres")
    quoted = READER_PASSWORD.replace("'", "''")
    database.run(f"CREATE ROLE {READER} LOGIN PASSWORD '{quoted}'")
    database.run("CREATE TABLE orders (" + ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items()) + ")")
    with database.connect() as connection, connection.cursor() as cursor:
        _copy(cursor, table)
    database.run("CREATE INDEX ON orders (customer)")
    database.run("VACUUM ANALYZE orders")
    database.run(f"GRANT SELECT ON orders TO {READER}")
    return database


def _copy(cursor: psycopg.Cursor[Any], table: pa.Table) -> None:
    with cursor.copy(f"COPY orders ({', '.join(COLUMNS)}) FROM STDIN") as copy:
        for batch in table.select(list(COLUMNS)).to_batches(10_000):
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                copy.write_row(row)


def keys(folder: Path, count: int, tenant: str = "one") -> list[str]:
    """Return new keys of a tenant."""
    store = Store(read_config(folder / "deployment.toml").data)
    try:
        return [Keys(store).create(Grant(tenant=tenant))[1].reveal() for _ in range(count)]
    finally:
        store.close()


@dataclass
class World:
    """All of it, running."""

    server: Server
    database: PostgresDatabase
    keys: list[str]


@contextmanager
def world(folder: Path, table: pa.Table, issues: list[dict[str, Any]], how: Mapping[str, Any]) -> Iterator[World]:
    """Start everything and connect both sources; `how` has `runtime`, `keys`, perhaps `workers`."""
    with ExitStack() as stack:
        url = stack.enter_context(records(issues))
        database = fill(stack.enter_context(postgres(shared_buffers="256MB", max_wal_size="4GB")), table)
        (folder / "deployment.toml").write_text(TEXT.format(runtime=how["runtime"]))
        create_deployment(folder / "deployment.toml")
        server = Server(folder, how.get("workers", 1))
        stack.callback(server.end)
        made = keys(folder, how["keys"])
        server.start()
        connect(server.port, made[0], "orders", database.descriptor(table="orders"))
        connect(server.port, made[0], "issues", {"type": "rest", "url": url})
        yield World(server, database, made)


def connect(port: int, key: str, name: str, descriptor: dict[str, Any]) -> None:
    """Make a source of a deployment."""
    answer = httpx.post(
        f"http://127.0.0.1:{port}/v1/sources",
        json={"name": name, "descriptor": descriptor},
        headers={"Authorization": f"Bearer {key}"},
        timeout=120,
        trust_env=False,
    )
    if answer.status_code >= 300:
        raise RuntimeError(answer.text)
