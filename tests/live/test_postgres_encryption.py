"""Encrypted connections to PostgreSQL: the right server is told from a wrong one, and nothing goes to that."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from sqlglot import parse_one

from service_nb.connectors import catalog
from service_nb.errors import ConnectorError, InvalidIntentError, QueryInterruptedError, ServiceError
from tests.servers.certificates import Certificates, certificates
from tests.servers.fixtures import READER, READER_PASSWORD
from tests.servers.hostile import speaking
from tests.servers.postgres import PostgresServer, debian, postgres
from tests.servers.process import folder_of_a_server, give
from tests.servers.tls import as_postgres, encrypted

DEMANDING = ("require", "verify-ca", "verify-full")
VERIFYING = ("verify-ca", "verify-full")


@pytest.fixture(scope="module")
def made() -> Iterator[Certificates]:
    with folder_of_a_server("snbca") as folder:
        found = certificates(folder)
        give(folder)
        yield found


@pytest.fixture(scope="module")
def front(postgres_server: PostgresServer, made: Certificates) -> Iterator[int]:
    """The port of a PostgreSQL 18 behind TLS."""
    with encrypted(postgres_server.port, made.server, made.key, greet=as_postgres) as port:
        yield port


def opened(port: int, **changes: Any) -> Any:
    given = {
        "type": "postgres",
        "host": "localhost",
        "port": port,
        "user": READER,
        "database": "postgres",
        "password": READER_PASSWORD,
    }
    return catalog.find_connector("postgres").open_link(
        catalog.parse_descriptor({**given, **changes}), time.monotonic() + 60
    )


def refused(port: int, **changes: Any) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        opened(port, **changes)
    assert READER_PASSWORD not in str(caught.value)
    return caught.value


def is_encrypted(link: Any) -> bool:
    return bool(link._connection.pgconn.ssl_in_use)


@pytest.mark.parametrize("mode", ["prefer", *DEMANDING])
def test_a_connection_is_encrypted_and_answers(mode: str, front: int, made: Certificates) -> None:
    link = opened(front, sslmode=mode, ca=str(made.authority))
    try:
        assert is_encrypted(link)
        assert link.fetch_rows(parse_one("SELECT 1 AS a"), (), 1, time.monotonic() + 60) == [(1,)]
    finally:
        link.close()


@pytest.mark.parametrize("mode", VERIFYING)
@pytest.mark.parametrize("certificate", ["expired", "selfmade", "stranger"])
def test_a_certificate_that_proves_nothing_is_refused(
    mode: str, certificate: str, postgres_server: PostgresServer, made: Certificates
) -> None:
    ca = made.stranger if certificate == "stranger" else made.authority
    shown = made.server if certificate == "stranger" else getattr(made, certificate)
    with encrypted(postgres_server.port, shown, made.key, greet=as_postgres) as port:
        error = refused(port, sslmode=mode, ca=str(ca))
    assert isinstance(error, ConnectorError)
    assert error.reason == "misconfigured"


def test_a_server_of_another_name_is_refused_where_names_count(
    postgres_server: PostgresServer, made: Certificates
) -> None:
    with encrypted(postgres_server.port, made.elsewhere, made.key, greet=as_postgres) as port:
        assert refused(port, sslmode="verify-full", ca=str(made.authority)).details["reason"] == "misconfigured"
        opened(port, sslmode="verify-ca", ca=str(made.authority)).close()


def test_an_authority_of_ones_own_is_not_among_those_of_the_system(front: int) -> None:
    assert refused(front, sslmode="verify-full").details["reason"] == "misconfigured"


@pytest.mark.parametrize("mode", DEMANDING)
def test_a_server_that_goes_on_in_plain_text_is_told_no_password(mode: str, made: Certificates) -> None:
    heard: list[bytes] = []

    def plain(peer: Any) -> None:
        heard.append(peer.recv(65_536))
        peer.sendall(b"N")  # no TLS here
        while piece := peer.recv(65_536):
            heard.append(piece)

    with speaking(plain) as port:
        error = refused(port, sslmode=mode, ca=str(made.authority))
    assert error.details["reason"] == "misconfigured"
    assert len(heard) == 1  # the question for TLS, and no word after it


def test_a_server_that_asks_for_a_certificate_is_shown_none(
    postgres_server: PostgresServer, made: Certificates
) -> None:
    with encrypted(postgres_server.port, made.server, made.key, greet=as_postgres, clients=made.authority) as port:
        assert isinstance(refused(port, sslmode="verify-full", ca=str(made.authority)), ConnectorError)


@pytest.mark.parametrize("ca", ["/nowhere.pem", "/etc/hostname"])
def test_certificates_that_are_none_are_refused(ca: str, front: int) -> None:
    assert refused(front, sslmode="verify-full", ca=ca).details["reason"] == "misconfigured"


def test_one_who_verifies_needs_to_know_whom_to_trust(front: int) -> None:
    assert isinstance(refused(front, sslmode="verify-ca"), InvalidIntentError)


@pytest.fixture(scope="module")
def real(made: Certificates) -> Iterator[PostgresServer]:
    """A PostgreSQL that speaks TLS itself, and to which nobody comes without."""
    files = {"ssl_cert_file": made.server, "ssl_key_file": made.key, "ssl_ca_file": made.authority}
    with postgres(debian(), ssl="on", **{key: str(path) for key, path in files.items()}) as server:
        rules = server.data / "pg_hba.conf"
        rules.write_text("local all all trust\nhostssl all all all scram-sha-256\n")
        link = opened_as_owner(server, sslmode="disable", host=str(server.sockets))
        link._connection.execute("SELECT pg_reload_conf()")
        link.close()
        yield server


def opened_as_owner(server: PostgresServer, **changes: Any) -> Any:
    return opened(server.port, user=server.user, password=server.password, **changes)


@pytest.mark.wide
@pytest.mark.parametrize("mode", ["prefer", *DEMANDING])
def test_a_real_server_is_spoken_to_encrypted_and_bound_to_its_channel(
    mode: str, real: PostgresServer, made: Certificates
) -> None:
    link = opened_as_owner(real, sslmode=mode, ca=str(made.authority))
    try:
        [[is_ssl, version]] = link._connection.execute(
            "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        ).fetchall()
        assert is_ssl
        assert version == "TLSv1.3"
        assert link.name.startswith("postgres 15.")
    finally:
        link.close()


@pytest.mark.wide
def test_a_real_server_that_takes_no_plain_connection_refuses_one(real: PostgresServer) -> None:
    with pytest.raises(ConnectorError) as caught:
        opened_as_owner(real, sslmode="disable")
    assert caught.value.reason == "login_refused"


@pytest.mark.wide
def test_what_runs_is_ended_over_an_encrypted_connection_too(real: PostgresServer, made: Certificates) -> None:
    link = opened_as_owner(real, sslmode="verify-full", ca=str(made.authority))
    ended = threading.Event()

    def end() -> None:
        while not ended.wait(0.1):
            link.cancel()

    thread = threading.Thread(target=end)
    thread.start()
    try:
        with pytest.raises(QueryInterruptedError):
            link.fetch_rows(parse_one("SELECT pg_sleep(600) AS a", read="postgres"), (), 1, time.monotonic() + 120)
    finally:
        ended.set()
        thread.join()
        link.close()
