"""Servers that answer with the address of another one, which nobody has allowed: it is not asked."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from service_nb.connectors import catalog
from service_nb.connectors.addresses import allow_hosts
from service_nb.errors import ConnectorError
from service_nb.readers.dataset import ReadOptions

PATIENCE_S = 60.0


class _Redirecting(http.server.BaseHTTPRequestHandler):
    """Sends everyone to another server, which notes that it was reached."""

    target, status = "", 0
    reached: list[str]

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.target:
            self.send_response(self.status)
            self.send_header("Location", self.target)
        else:
            self.reached.append(self.path)
            self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@contextmanager
def serving(**attributes: Any) -> Iterator[int]:
    handler = type("Handler", (_Redirecting,), attributes)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def described(type_: str, port: int) -> dict[str, Any]:
    """A source of each kind that speaks HTTP, at that port."""
    at = {"host": "127.0.0.1", "port": port, "user": "u", "table": "t"}
    kinds: dict[str, dict[str, Any]] = {
        "clickhouse": {**at, "password": "p", "secure": "false"},
        "trino": {**at, "scheme": "http"},
        "bigquery": {"project": "p", "endpoint": f"http://127.0.0.1:{port}", "table": "d.t"},
        "elasticsearch": {"endpoint": f"http://127.0.0.1:{port}", "table": "t"},
        "rest": {"url": f"http://127.0.0.1:{port}/"},
    }
    return {"type": type_, **kinds[type_]}


def ask(given: dict[str, Any]) -> None:
    connector, deadline = catalog.find_connector(given["type"]), time.monotonic() + PATIENCE_S
    if connector.kind.dialect is None:
        connector.extract(catalog.parse_descriptor(given), ReadOptions(), deadline)
    else:
        catalog.open_source(catalog.parse_descriptor(given), deadline)


@pytest.mark.parametrize("status", [301, 307])
@pytest.mark.parametrize("type_", ["clickhouse", "trino", "bigquery", "elasticsearch", "rest"])
def test_another_server_is_not_asked(type_: str, status: int) -> None:
    reached: list[str] = []
    with (
        serving(reached=reached) as inner,
        serving(target=f"http://localhost:{inner}/latest/meta-data", status=status) as outer,
        allow_hosts((f"127.0.0.1:{outer}",)),
        pytest.raises(ConnectorError),
    ):
        ask(described(type_, outer))
    assert reached == []
