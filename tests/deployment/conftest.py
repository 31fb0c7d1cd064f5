"""A deployment that stands for all tests of a module, and an HTTP source that it may reach."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator

import httpx
import pytest

from tests.deployment.stand import TEXT, Stand, made, standing

RECORDS = [{"a": "x", "n": 1}, {"a": "y", "n": 2}]
REACHABLE = TEXT + '\n[connectors]\nprivate_hosts = ["127.0.0.1"]\n'


class _Records(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps(RECORDS).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture(scope="module")
def records() -> Iterator[str]:
    """The address of a REST API with two records."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Records) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/records"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    """A deployment that is served."""
    with standing(made(tmp_path_factory.mktemp("deployment"), REACHABLE)) as stood:
        yield stood


@pytest.fixture
def client(stand: Stand) -> Iterator[httpx.Client]:
    """A client of the tenant `one` that may do everything."""
    with stand.client() as made_client:
        yield made_client
