"""Trying a connector ends by its deadline, whatever is at the other end: nothing, silence, or nonsense."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from service_nb.connectors import catalog
from tests.servers.tds import load_library

DEADLINE_S = 1.5  # silence would last for ever
SECRET = "a very secret password"
DESCRIPTORS: dict[str, Callable[[int], dict[str, Any]]] = {
    "mssql": lambda port: {"host": "127.0.0.1", "port": port, "database": "d", "user": "u", "password": SECRET},
    "oracle": lambda port: {"host": "127.0.0.1", "port": port, "database": "d", "user": "u", "password": SECRET},
    "redshift": lambda port: {"host": "127.0.0.1", "port": port, "database": "d", "user": "u", "password": SECRET},
    "snowflake": lambda port: {
        "host": "127.0.0.1", "port": port, "account": "a", "protocol": "http", "database": "d", "user": "u",
        "password": SECRET,
    },
    "bigquery": lambda port: {"project": "p", "endpoint": f"http://127.0.0.1:{port}"},
}  # fmt: skip


@pytest.fixture(params=["silence", "nonsense", "refusal"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        found = listener.getsockname()[1]
        if request.param == "refusal":
            yield found
            return
        listener.listen()
        held: list[socket.socket] = []
        answer = b"" if request.param == "silence" else b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nnonsense" * 3
        thread = threading.Thread(target=_answering, args=(listener, answer, held), daemon=True)
        thread.start()
        yield found
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(60)
        for client in held:
            client.close()


def _answering(listener: socket.socket, answer: bytes, held: list[socket.socket]) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            held.append(client)
            if answer:
                with suppress(OSError):
                    client.sendall(answer)
                    client.shutdown(socket.SHUT_WR)


HEAVY = ("snowflake", "bigquery")  # drivers that take seconds to be loaded


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.wide if kind in HEAVY else ()) for kind in DESCRIPTORS]
)
def test_a_connector_that_is_tried_comes_to_an_end(kind: str, port: int) -> None:
    if kind == "mssql":
        load_library()
    outcome = catalog.try_connector(catalog.parse_descriptor({"type": kind, **DESCRIPTORS[kind](port)}), DEADLINE_S)
    assert outcome["success"] is False
    assert SECRET not in outcome["message"]
