"""Clients that ask and do not read: what they asked for is not held for them."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from service_nb.server import serving
from tests.deployment.raw import request
from tests.deployment.stand import key, made, standing
from tests.deployment.test_limits import until


def test_an_answer_that_nobody_takes_ends_its_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving.Protocol, "taken_s", 0.2)
    with standing(made(tmp_path)) as one, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.settimeout(60)
        connection.connect(("127.0.0.1", one.port))
        connection.sendall(request("GET", "/v1/contract", f"Authorization: Bearer {key(one.deployment, 'one')}"))
        assert connection.recv(1) == b"H"
        until(lambda: not one.server.server_state.connections)
