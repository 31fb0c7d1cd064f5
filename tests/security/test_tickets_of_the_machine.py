"""A server that asks for a Kerberos ticket: the deployment's own account is nobody else's to log in with."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from service_nb.connectors import catalog
from service_nb.errors import ConnectorError

PLAIN = (80877103, 80877104)  # what asks whether a connection may be encrypted
WANTS_A_TICKET = b"R" + struct.pack(">II", 8, 7)


def _message(connection: socket.socket) -> bytes:
    (size,) = struct.unpack(">I", connection.recv(4, socket.MSG_WAITALL))
    return connection.recv(size - 4, socket.MSG_WAITALL)


def _serve(listener: socket.socket) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, suppress(OSError, struct.error):  # the client has gone
            while struct.unpack(">I", _message(connection)[:4])[0] in PLAIN:
                connection.sendall(b"N")
            connection.sendall(WANTS_A_TICKET)
            connection.recv(1)


@pytest.fixture
def port() -> Iterator[int]:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        thread = threading.Thread(target=_serve, args=(listener,))
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.mark.parametrize("type_", ["postgres", "redshift"])
def test_no_ticket_is_looked_for(type_: str, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "kerberos"  # which the library writes as soon as it looks for one
    monkeypatch.setenv("KRB5_TRACE", str(trace))
    given = {"type": type_, "host": "localhost", "port": port, "user": "u", "password": "p", "database": "d"}
    with pytest.raises(ConnectorError):
        catalog.find_connector(type_).open_link(
            catalog.parse_descriptor({**given, "sslmode": "disable"}), time.monotonic() + 60
        )
    assert not trace.exists()
