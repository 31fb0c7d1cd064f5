"""Warehouses that want something of the deployment: its files, its account, its network."""

from __future__ import annotations

import gzip
import http.server
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from service_nb.connectors import catalog, clickhouse
from service_nb.errors import ServiceError, SourceMalformedError
from tests.servers.hostile import speaking

SECRET = "what only this machine may know"


def soon(seconds: float = 20) -> float:
    return time.monotonic() + seconds


@contextmanager
def answering(answer: Any) -> Iterator[tuple[int, list[str]]]:
    """An HTTP server at 127.0.0.1, whose port is yielded with the paths it was asked for; `answer` makes bodies."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append(self.path)
            told = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
            sent = json.dumps(answer(self.path, told)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.server_port, asked
        finally:
            server.shutdown()
            thread.join()


def transfer(command: str, source: Path, target: Path) -> Any:
    """A Snowflake that answers every statement with an order to copy files."""
    data = {
        "command": command,
        "src_locations": [str(source)],
        "localLocation": str(target),
        "stageInfo": {"locationType": "LOCAL_FS", "location": str(target), "creds": {}, "path": str(target)},
        "encryptionMaterial": None,
        "parallel": 1,
        "autoCompress": False,
        "sourceCompression": "none",
        "overwrite": True,
        "operation": "Node",
    }

    def answer(path: str, _: bytes) -> Any:
        if "login-request" in path:
            session = {"token": "t", "masterToken": "m", "sessionId": 1, "parameters": [], "sessionInfo": {}}
            return {"success": True, "code": None, "data": session}
        return {"success": True, "code": None, "data": data}

    return answer


@pytest.mark.parametrize("command", ["UPLOAD", "DOWNLOAD"])
def test_a_snowflake_that_orders_files_gets_none(command: str, tmp_path: Path) -> None:
    secret, stage = tmp_path / "master.key", tmp_path / "stage"
    secret.write_text(SECRET)
    stage.mkdir()
    with answering(transfer(command, secret, stage)) as (port, asked):
        given = {"type": "snowflake", "host": "127.0.0.1", "port": port, "protocol": "http", "account": "tests"}
        descriptor = catalog.parse_descriptor({**given, "user": "u", "password": "p", "database": "D", "table": "T"})
        with pytest.raises(ServiceError):
            catalog.open_source(descriptor, soon())
    assert any("query-request" in path for path in asked)
    assert list(stage.iterdir()) == []


@pytest.mark.parametrize("type_", ["postgres", "redshift"])
def test_a_postgresql_that_asks_for_a_password_gets_none_of_the_deployments_own(
    type_: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    passwords = tmp_path / "passwords"
    passwords.write_text(f"*:*:*:*:{SECRET}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSWORD", SECRET)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    heard: list[bytes] = []

    def speak(peer: socket.socket) -> None:
        first = peer.recv(65_536)
        if first[4:8] == struct.pack(">I", 80877103):  # whether it may be encrypted
            peer.sendall(b"N")
            first = peer.recv(65_536)
        peer.sendall(b"R" + struct.pack(">II", 8, 3))  # the password, as it is
        heard.append(first)
        heard.append(peer.recv(65_536))

    with speaking(speak) as port:
        given = {"type": type_, "host": "127.0.0.1", "port": port, "user": "u", "database": "d", "table": "t"}
        sslmode = {"sslmode": "disable"}
        with pytest.raises(ServiceError):
            catalog.open_source(catalog.parse_descriptor({**given, **sslmode}), soon())
    assert heard
    assert all(SECRET.encode() not in each for each in heard)


def test_arrow_that_points_outside_of_itself_shows_nothing_of_the_memory() -> None:
    sent = pa.record_batch({"t": pa.array(["aaaa", "bbbb"])})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, sent.schema) as writer:
        writer.write_batch(sent)
    data = sink.getvalue().to_pybytes()
    offsets = struct.pack("<iii", 0, 4, 8)
    assert data.count(offsets) == 1
    (broken,) = pa.ipc.open_stream(data.replace(offsets, struct.pack("<iii", 0, 4_000, 8)))
    with pytest.raises(SourceMalformedError):
        clickhouse._cast_batch(broken, sent.schema)
    assert clickhouse._cast_batch(sent, sent.schema).equals(sent)
