"""The shipped configuration of nginx before a served deployment: what its comments promise, with the real program."""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.errors import DeploymentUnavailableError
from service_nb.server.config import LimitsSection, TimeoutsSection
from service_nb.server.serving import KEEP_ALIVE_S
from tests.deployment.deployments import deployed
from tests.deployment.raw import request
from tests.deployment.test_limits import figure, until
from tests.deployment.test_serve import Served, key, served
from tests.servers.certificates import Certificates, certificates
from tests.servers.fixtures import PostgresDatabase
from tests.servers.nginx import SHIPPED, nginx
from tests.servers.process import folder_of_a_server, give

pytestmark = pytest.mark.wide

TEXT = """
[server]
data = "data"
trusted_proxies = ["127.0.0.1", "::1"]
[runtime]
kind = "in_process"
allow_in_process = true
[rate]
attempts_per_s = 0.01
[connectors]
private_hosts = ["127.0.0.1"]
"""
ROWS = 3_000
MEBIBYTE = 1024**2


@dataclass(frozen=True)
class Behind:
    """A deployment behind TLS."""

    port: int
    direct: Served
    made: Certificates

    @property
    def url(self) -> str:
        """Where clients go."""
        return f"https://localhost:{self.port}"

    def context(self) -> ssl.SSLContext:
        """Whom a client trusts."""
        return ssl.create_default_context(cafile=self.made.authority)

    def client(self, **headers: str) -> httpx.Client:
        """Return a client with a key, which goes through the proxy."""
        bearer = {"Authorization": f"Bearer {self.direct.bearer}", **headers}
        return httpx.Client(base_url=self.url, headers=bearer, timeout=120, trust_env=False, verify=self.context())

    @contextmanager
    def connection(self) -> Iterator[ssl.SSLSocket]:
        """A connection for bytes."""
        with (
            socket.create_connection(("127.0.0.1", self.port), 120) as plain,
            self.context().wrap_socket(plain, server_hostname="localhost") as found,
        ):
            yield found


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    config = deployed(tmp_path_factory.mktemp("behind") / "deployment", TEXT)
    with folder_of_a_server("snbca") as folder:
        made = certificates(folder)
        give(folder)
        with served(config, key(config)) as direct, nginx(int(direct.url.rpartition(":")[2]), made) as port:
            yield Behind(port, direct, made)


@pytest.fixture
def service(behind: Behind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", behind.url)
    monkeypatch.setenv("SERVICE_DEPLOYMENT_CA", str(behind.made.authority))
    monkeypatch.setenv("SERVICE_API_KEY", behind.direct.bearer)
    made = service_nb.create_service(project=tmp_path, ledger=tmp_path / "ledger", timeout=120.0)
    yield made
    made.close()


@pytest.fixture(scope="module")
def table(postgres_database: PostgresDatabase) -> PostgresDatabase:
    postgres_database.run(
        f"CREATE TABLE orders AS SELECT i::bigint AS id, i / 7.0::float8 AS price, 'c' || i % 5 AS city"
        f" FROM generate_series(1, {ROWS}) AS t(i)"
    )
    return postgres_database


def test_a_client_asks_computes_and_replays_through_tls(service: Service, table: PostgresDatabase) -> None:
    source = service.connect(connector=table.descriptor(table="orders"), name="orders")
    assert source["row_count"] == ROWS
    outcome = service.ask("sum price by city from orders")
    assert outcome["data"]["provenance"]["engine"].startswith("postgres")
    assert outcome.replay()["status"] == "identical"
    assert service.compute("stats.mean values=orders.id").value == (ROWS + 1) / 2


@pytest.mark.parametrize("ca", [None, "stranger"])
def test_a_client_that_does_not_know_the_authority_sends_no_key(
    ca: str | None, behind: Behind, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", behind.url)
    monkeypatch.setenv("SERVICE_API_KEY", behind.direct.bearer)
    if ca is not None:
        monkeypatch.setenv("SERVICE_DEPLOYMENT_CA", str(behind.made.stranger))
    made = service_nb.create_service(project=tmp_path, ledger="off", timeout=120.0)
    with pytest.raises(DeploymentUnavailableError) as caught:
        made.live_sources()
    made.close()
    assert caught.value.details["reason"] == "tls"


def test_it_speaks_tls_1_3_and_nothing_old(behind: Behind) -> None:
    with behind.connection() as connection:
        assert connection.version() == "TLSv1.3"
    old = behind.context()
    old.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.maximum_version = ssl.TLSVersion.TLSv1_1
    with socket.create_connection(("127.0.0.1", behind.port), 60) as plain, pytest.raises((ssl.SSLError, OSError)):
        old.wrap_socket(plain, server_hostname="localhost")


def test_the_server_knows_that_its_clients_come_encrypted(behind: Behind) -> None:
    with behind.client() as client:
        assert "strict-transport-security" in client.get("/healthz").headers
    assert "strict-transport-security" not in httpx.get(f"{behind.direct.url}/healthz", trust_env=False).headers


def test_its_figures_are_not_for_everyone(behind: Behind) -> None:
    with behind.client() as client:
        assert client.get("/metrics").status_code == 403
        assert client.get("/metrics/").status_code == 404
        assert client.get("/%6detrics").status_code == 403
    with behind.direct.client() as near:
        assert near.get("/metrics").status_code == 200


@pytest.mark.parametrize("name", ["X-Forwarded-For", "X-Real-IP", "Forwarded"])
def test_a_stranger_who_names_another_client_each_time_is_slowed_down_all_the_same(name: str, behind: Behind) -> None:
    def attempt(number: int) -> int:
        headers = {"Authorization": "Bearer snb_none", name: f"for=198.51.100.{number}"[4 * (name != "Forwarded") :]}
        with behind.client(**headers) as stranger:
            return stranger.get("/v1/sources").status_code

    found = [attempt(number) for number in range(12)]
    assert found[-1] == 429
    assert set(found) <= {401, 429}


def test_a_body_may_be_as_large_as_the_server_lets_it_and_no_larger(behind: Behind) -> None:
    bearer = f"Authorization: Bearer {behind.direct.bearer}"
    with behind.connection() as connection:
        head = request("POST", "/v1/query/resolve", bearer, f"Content-Length: {64 * MEBIBYTE + 1}")
        connection.sendall(head)
        assert b" 413 " in connection.recv(4_096).partition(b"\r\n")[0]
    with behind.client() as client:
        answer = client.post(
            "/v1/query/resolve",
            headers={"Content-Type": "application/json"},
            content=b'{"x":"' + b"x" * (64 * MEBIBYTE - 8) + b'"}',
        )
    assert answer.json()["code"]  # its own word, not the proxy's
    assert answer.status_code in (400, 413, 422)


def test_a_client_that_goes_ends_its_query_in_the_database(behind: Behind, table: PostgresDatabase) -> None:
    query = "SELECT a.id FROM orders AS a CROSS JOIN orders AS b CROSS JOIN orders AS c WHERE a.id + b.id + c.id = 1"
    body = json.dumps({"name": "long", "descriptor": table.descriptor(query=query)}).encode()
    bearer = f"Authorization: Bearer {behind.direct.bearer}"
    with behind.connection() as connection:
        connection.sendall(request("POST", "/v1/sources", bearer, "Content-Type: application/json", body=body))
        until(lambda: _running(table) > 0)
    until(lambda: _running(table) == 0)
    with behind.direct.client() as near:
        until(lambda: figure(near, "service_nb_running") == 0)
        assert figure(near, 'service_nb_cancelled_total{reason="gone"}') >= 1


def _running(table: PostgresDatabase) -> int:
    [[count]] = table.run(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE usename = 'reader' AND state = 'active' AND datname = current_database()"
    )
    return int(count)


def test_a_long_answer_comes_as_it_is_made_and_whole(behind: Behind, table: PostgresDatabase) -> None:
    with behind.client() as client, behind.direct.client() as near:
        made = client.post("/v1/sources", json={"name": "rows", "descriptor": table.descriptor(table="orders")})
        assert made.status_code in (200, 201), made.text
        spec = {"aggregation": "count", "source_name": "rows", "group_by": ["id", "price"], "limit": ROWS}
        through, direct = (each.post("/v1/query/execute", json={"spec": spec}).json() for each in (client, near))
    assert len(through["data"]["result"]) == ROWS
    assert through["data"]["result_hash"] == direct["data"]["result_hash"]


def test_a_deployment_that_is_down_is_told_as_such(behind: Behind, service: Service) -> None:
    with nginx(9, behind.made) as port:
        found = replace(behind, port=port)
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("SERVICE_DEPLOYMENT_URL", found.url)
            lost = service_nb.create_service(ledger="off", timeout=10.0)
            with pytest.raises(DeploymentUnavailableError) as caught:
                lost.live_sources()
            lost.close()
    assert caught.value.retryable


def test_its_times_and_sizes_are_those_of_the_server() -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    told = {name: int(value) for name, value in re.findall(r"(\w+) (\d+)[sm];", text)}
    limits, timeouts = LimitsSection(), TimeoutsSection()
    assert told["client_max_body_size"] * MEBIBYTE == limits.body_bytes
    assert timeouts.request_s < told["proxy_read_timeout"] <= timeouts.request_s + 30
    assert told["keepalive_timeout"] < KEEP_ALIVE_S
