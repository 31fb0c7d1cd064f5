"""Encrypted connections to Redis, Trino, Spark and Neo4j: a server that does not prove itself is told nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from sqlglot import parse_one

from service_nb.connectors import catalog
from service_nb.errors import ConnectorError, InvalidIntentError, ServiceError
from service_nb.readers.dataset import ReadOptions
from tests.servers.bolt import bolt
from tests.servers.certificates import Certificates, certificates
from tests.servers.hostile import speaking
from tests.servers.process import folder_of_a_server, give
from tests.servers.redis import READER, READER_PASSWORD, redis
from tests.servers.sail import sail
from tests.servers.tls import encrypted
from tests.servers.trino import trino

SECRET = "a-secret-that-is-told-to-nobody"
KINDS: dict[str, dict[str, Any]] = {
    "redis": {"tls": True, "user": "reader", "password": SECRET, "table": "strings"},
    "trino": {"scheme": "https", "user": "reader", "password": SECRET},
    "spark": {"use_ssl": True, "token": SECRET},
    "neo4j": {"scheme": "bolt+s", "user": "reader", "password": SECRET, "query": "RETURN 1 AS one"},
}


@pytest.fixture(scope="module")
def made() -> Iterator[Certificates]:
    with folder_of_a_server("snbca") as folder:
        found = certificates(folder)
        give(folder)
        yield found


def asked(kind: str, port: int, **changes: Any) -> Any:
    """Open a link, or read everything, as the kind has it."""
    connector = catalog.find_connector(kind)
    given = {"type": kind, "host": "localhost", "port": port, **KINDS[kind], **changes}
    descriptor = catalog.parse_descriptor({key: value for key, value in given.items() if value is not None})
    if connector.kind.dialect is None:
        return connector.extract(descriptor, ReadOptions(), time.monotonic() + 60)
    return connector.open_link(descriptor, time.monotonic() + 60)


def refused(kind: str, port: int, **changes: Any) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        asked(kind, port, **changes)
    assert SECRET not in str(caught.value)
    return caught.value


Listening = tuple[int, list[bytes]]


@pytest.fixture
def behind() -> Iterator[Listening]:
    """A server behind TLS, and the words that come through to it."""
    heard: list[bytes] = []
    with speaking(lambda peer: heard.append(peer.recv(65_536))) as port:
        yield port, heard


# Each by every kind: what a driver checks besides the signature, and whom it trusts by itself.
QUICK = ("elsewhere", "system")
CERTIFICATES = [*QUICK, *(pytest.param(each, marks=pytest.mark.wide) for each in ("expired", "selfmade", "stranger"))]


@pytest.mark.parametrize("certificate", CERTIFICATES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_that_proves_nothing_is_refused(
    kind: str, certificate: str, made: Certificates, behind: Listening
) -> None:
    target, heard = behind
    ca = {"stranger": str(made.stranger), "system": None}.get(certificate, str(made.authority))
    shown = made.server if certificate in ("stranger", "system") else getattr(made, certificate)
    with encrypted(target, shown, made.key) as port:
        error = refused(kind, port, ca=ca)
    assert isinstance(error, ConnectorError)
    assert error.reason == "misconfigured"
    assert not any(heard)


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_speaks_no_tls_is_told_nothing(kind: str) -> None:
    heard: list[bytes] = []

    def plain(peer: Any) -> None:
        heard.append(peer.recv(65_536))
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    with speaking(plain) as port:
        error = refused(kind, port)
    assert isinstance(error, ConnectorError)
    assert heard
    assert all(words[:1] == b"\x16" and SECRET.encode() not in words for words in heard)  # a handshake, and no more


@pytest.mark.parametrize("ca", ["/nowhere.pem", "/etc/hostname"])
@pytest.mark.parametrize("kind", KINDS)
def test_certificates_that_are_none_are_refused(kind: str, ca: str) -> None:
    assert isinstance(refused(kind, 1, ca=ca), InvalidIntentError)


@pytest.mark.parametrize(
    ("kind", "plain"),
    [
        ("redis", {"tls": False}),
        ("trino", {"scheme": "http", "password": None}),
        ("spark", {"use_ssl": False, "token": None}),
        ("neo4j", {"scheme": "bolt"}),
    ],
)
def test_certificates_where_nothing_is_encrypted_are_a_mistake(
    kind: str, plain: dict[str, Any], made: Certificates
) -> None:
    assert isinstance(refused(kind, 1, ca=str(made.authority), **plain), InvalidIntentError)


def test_a_real_redis_is_read_through_its_own_encryption(made: Certificates) -> None:
    with redis(made.server, made.key) as server:
        server.run("SET", "a", "1")
        assert server.tls_port is not None
        access = {"user": READER, "password": READER_PASSWORD}
        assert asked("redis", server.tls_port, ca=str(made.authority), **access).row_count == 1
        assert refused("redis", server.tls_port, tls=False, **access).code == "connector_failed"


def test_trino_is_asked_through_tls(made: Certificates) -> None:
    with trino() as server, encrypted(server.port, made.server, made.key) as port:
        server.elsewhere = f"https://localhost:{port}/v1/statement/"
        link = asked("trino", port, ca=str(made.authority))
        assert link.fetch_rows(parse_one("SELECT 1 AS a"), (), 1, time.monotonic() + 60) == [(1,)]
        server.elsewhere = f"http://localhost:{server.port}/v1/statement/"  # the same, in plain text
        with pytest.raises(ConnectorError):
            link.fetch_rows(parse_one("SELECT 1 AS a"), (), 1, time.monotonic() + 60)
        link.close()


def test_neo4j_is_asked_through_tls(made: Certificates) -> None:
    with bolt() as (target, _), encrypted(target, made.server, made.key) as port:
        assert asked("neo4j", port, ca=str(made.authority)).row_count == 1


@pytest.mark.wide
def test_spark_connect_is_asked_through_tls(made: Certificates) -> None:
    with sail() as server, encrypted(server.port, made.server, made.key) as port:
        link = asked("spark", port, ca=str(made.authority))
        assert link.fetch_rows(parse_one("SELECT 1 AS a"), (), 1, time.monotonic() + 60) == [(1,)]
        link.close()


@pytest.mark.parametrize("kind", ["trino"])
def test_certificates_of_the_environment_do_not_count(
    kind: str, made: Certificates, behind: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.setenv(name, str(made.authority))
    with encrypted(behind[0], made.server, made.key) as port:
        assert refused(kind, port).details["reason"] == "misconfigured"
