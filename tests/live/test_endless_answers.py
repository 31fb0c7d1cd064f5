"""A database that sends for ever is left as soon as it has sent too much, wherever in its protocol it does so."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlglot import parse_one

from service_nb.connectors import catalog
from service_nb.connectors.bounds import ENOUGH_BYTES, MOST_BYTES
from service_nb.connectors.sql_link import MOST_CHARS
from service_nb.errors import LimitExceededError
from tests.servers import endless as servers
from tests.servers.endless import SOCKETS, Endless, endless
from tests.servers.fixtures import PostgresDatabase
from tests.servers.hostile import speaking

PATIENCE_S = 300.0
GIVEN: dict[str, dict[str, Any]] = {
    "postgres": {"user": "reader", "password": "p", "sslmode": "disable"},
    "redshift": {"user": "reader", "password": "p", "sslmode": "disable"},
    "mysql": {"user": "reader", "password": "p", "sslmode": "disable"},
    "trino": {"user": "reader"},
}
Behaviour = tuple[Callable[[socket.socket], None], Callable[[Endless], Iterator[bytes]]]
POSTGRES: dict[str, Behaviour] = {
    "settings of a login": (servers.postgres_login, servers.postgres_settings),
    "rows": (servers.postgres_session, servers.POSTGRES_ROWS),
    "empty rows": (servers.postgres_session, servers.POSTGRES_EMPTY_ROWS),
    "one row": (servers.postgres_session, servers.POSTGRES_ROW),
}
MYSQL: dict[str, Behaviour] = {
    "columns": (servers.mysql_session, servers.mysql_columns),
    "one row": (servers.mysql_session, servers.mysql_row),
}
BIGQUERY: dict[str, Behaviour] = {"a page": (servers.http_asked, servers.HTTP_JSON)}
TRINO: dict[str, Behaviour] = {"a page": (servers.http_asked, servers.HTTP_JSON)}
QUICK = (("postgres", "one row"), ("mysql", "one row"))
TRIED = [
    pytest.param(kind, behaviour, id=f"{kind}-{name}", marks=() if (kind, name) in QUICK else pytest.mark.wide)
    for kind, behaviours in (
        ("postgres", POSTGRES),
        ("redshift", POSTGRES),
        ("mysql", MYSQL),
        ("trino", TRINO),
        ("bigquery", BIGQUERY),
    )
    for name, behaviour in behaviours.items()
]


def asked(kind: str, port: int, rows: int = 10) -> None:
    """Open a link and ask for rows."""
    at = {"host": "127.0.0.1", "port": port}
    if kind == "bigquery":
        at = {"endpoint": f"http://127.0.0.1:{port}", "project": "p"}
    given = {"type": kind, **at, **GIVEN.get(kind, {})}
    link = catalog.find_connector(kind).open_link(catalog.parse_descriptor(given), time.monotonic() + PATIENCE_S)
    try:
        link.fetch_rows(parse_one("SELECT a FROM t"), (), rows, time.monotonic() + PATIENCE_S)
    finally:
        link.close()


@pytest.mark.parametrize(("kind", "behaviour"), TRIED)
def test_what_never_ends_is_left(kind: str, behaviour: Behaviour) -> None:
    with endless(*behaviour) as server:
        with pytest.raises(LimitExceededError) as caught:
            asked(kind, server.port)
        assert caught.value.details["limit_name"] == "answer_bytes"
        assert server.sent < MOST_BYTES + SOCKETS


@pytest.mark.wide
def test_large_rows_are_fetched_few_at_a_time_and_refused_by_what_they_are_together() -> None:
    with endless(servers.mysql_session, servers.mysql_rows) as server:
        with pytest.raises(LimitExceededError) as caught:
            asked("mysql", server.port, rows=100_000)
        assert caught.value.details["limit_name"] == "answer_chars"
        # Asked to end, it goes on: what is left is read, and once more no further than that.
        assert server.sent < MOST_CHARS + 2 * ENOUGH_BYTES + MOST_BYTES + SOCKETS


def test_a_server_that_turns_while_its_rows_are_fetched_is_left(postgres_database: PostgresDatabase) -> None:
    postgres_database.run("CREATE TABLE t (a text)")
    server = Endless()

    def speak(near: socket.socket) -> None:
        with socket.create_connection(("127.0.0.1", postgres_database.server.port), 60) as far:
            back = threading.Thread(target=_carried, args=(far, near))
            back.start()
            try:
                while (piece := near.recv(65_536)) and b"FETCH FORWARD 11" not in piece:
                    far.sendall(piece)
                if piece:
                    server.flood(near, servers.POSTGRES_FETCHED(server))
            finally:
                with contextlib.suppress(OSError):
                    far.shutdown(socket.SHUT_RDWR)
                back.join()

    with speaking(speak) as port:
        given = postgres_database.descriptor(port=port)
        link = catalog.find_connector("postgres").open_link(
            catalog.parse_descriptor(given), time.monotonic() + PATIENCE_S
        )
        with pytest.raises(LimitExceededError):
            link.fetch_rows(parse_one("SELECT a FROM t"), (), 10, time.monotonic() + PATIENCE_S)
        link.close()
        assert 0 < server.sent < MOST_BYTES + SOCKETS


def _carried(source: socket.socket, to: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(65_536):
            to.sendall(piece)
