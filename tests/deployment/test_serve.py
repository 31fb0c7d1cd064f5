"""`service-nb serve` as a process: it says where it is, drains at SIGTERM, and loses nothing at a restart."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from service_nb.server.config import Config
from service_nb.server.deployment_store import Store
from service_nb.server.keys import SCOPES, Grant, Keys
from tests.deployment.conftest import REACHABLE
from tests.deployment.deployments import deployed
from tests.deployment.test_limits import hanging, until


@dataclass
class Served:
    """A process that serves."""

    process: subprocess.Popen[str]
    url: str
    bearer: str

    def client(self) -> httpx.Client:
        """Return a client with its key."""
        headers = {"Authorization": f"Bearer {self.bearer}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False, verify=False)

    def ended(self) -> int:
        """Return its exit code."""
        return self.process.wait(300)


def key(config: Config) -> str:
    store = Store(config.data)
    try:
        return Keys(store).create(Grant(tenant="one", scopes=SCOPES))[1].reveal()
    finally:
        store.close()


@contextmanager
def served(config: Config, bearer: str) -> Iterator[Served]:
    command = [sys.executable, "-m", "service_nb.cli.main", "serve", "--port", "0", "--json"]
    process = subprocess.Popen(
        command, cwd=config.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        yield Served(process, told["address"], bearer)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return deployed(tmp_path, REACHABLE + "\n[timeouts]\ndrain_s = 120.0\n")


def test_it_logs_each_request_and_no_secret(config: Config) -> None:
    bearer = key(config)
    with served(config, bearer) as one:
        with one.client() as client:
            client.get("/v1/sources/PLANTED-1?token=PLANTED-2", headers={"X-Request-Id": "mine"})
            client.post("/v1/connectors", json={"descriptor": {"type": "rest", "token": "PLANTED-3"}})
        one.process.send_signal(signal.SIGINT)
        _, errors = one.process.communicate(timeout=300)
        assert one.process.returncode == 0
    lines = [json.loads(line) for line in errors.splitlines()]  # no library says anything at its end
    assert [line["route"] for line in lines] == ["/v1/sources/{name}", "/v1/connectors"]
    assert lines[0]["request_id"] == "mine"
    assert "PLANTED" not in errors
    assert bearer not in errors


def test_what_runs_ends_and_what_is_new_is_refused(config: Config) -> None:
    with served(config, key(config)) as one, hanging() as slow, ThreadPoolExecutor(1) as pool, one.client() as client:
        asked = pool.submit(client.post, "/v1/connectors/test", json={"descriptor": slow.descriptor})
        assert slow.asked.acquire(timeout=300)
        one.process.terminate()
        until(lambda: client.get("/readyz").status_code == 503)
        assert client.get("/readyz").json()["checks"]["accepting"] is False
        refused = client.get("/v1/sources")
        assert (refused.status_code, refused.json()["code"]) == (503, "overloaded")
        assert refused.headers["retry-after"]
        assert client.get("/healthz").status_code == 200
        slow.released.set()
        assert asked.result().json()["success"] is True
        assert one.ended() == 0


def test_what_does_not_end_is_stopped(tmp_path: Path) -> None:
    config = deployed(tmp_path, REACHABLE + "\n[timeouts]\ndrain_s = 1.0\n")
    with served(config, key(config)) as one, hanging() as slow, ThreadPoolExecutor(1) as pool, one.client() as client:
        body = {"name": "slow", "descriptor": slow.descriptor}
        asked = pool.submit(client.post, "/v1/sources", json=body)
        assert slow.asked.acquire(timeout=300)
        one.process.terminate()
        answer = asked.result()
        assert (answer.status_code, answer.json()["code"]) == (503, "overloaded")
        assert one.ended() == 0


def test_a_second_signal_does_not_wait(config: Config) -> None:
    with served(config, key(config)) as one, hanging() as slow, ThreadPoolExecutor(1) as pool, one.client() as client:
        asked = pool.submit(client.post, "/v1/sources", json={"name": "slow", "descriptor": slow.descriptor})
        assert slow.asked.acquire(timeout=300)
        one.process.terminate()
        until(lambda: client.get("/readyz").status_code == 503)
        one.process.terminate()
        one.ended()
        assert asked.exception() is not None or asked.result().status_code == 503


def test_a_restart_loses_nothing(config: Config, records: str) -> None:
    bearer = key(config)
    spec = {"metric": "n", "aggregation": "sum", "source_name": "items"}
    with served(config, bearer) as one, one.client() as client:
        made = client.post("/v1/sources", json={"name": "items", "descriptor": {"type": "rest", "url": records}}).json()
        first = client.post("/v1/query/execute", json={"spec": spec}).json()
        one.process.terminate()
        assert one.ended() == 0
    with served(config, bearer) as again, again.client() as client:
        assert client.get("/v1/sources/items").json()["source_id"] == made["source_id"]
        second = client.post("/v1/query/execute", json={"plan": first["resolution"]["plan"]}).json()
        assert second["data"]["result_hash"] == first["data"]["result_hash"]
        assert client.get(f"/v1/results/{first['data']['query_id']}").json()["kind"] == "query"


def test_a_port_that_is_taken_is_said_so(config: Config) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "service_nb.cli.main", "serve", "--port", port, "--json"]
        other = subprocess.run(command, cwd=config.folder, capture_output=True, text=True, timeout=300, check=False)
        assert other.returncode == 2
        assert "Traceback" not in other.stderr
