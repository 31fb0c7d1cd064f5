"""Encrypted connections to a real MariaDB: the right server is told from a wrong one, and a password is kept."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from sqlglot import parse_one

from service_nb.connectors import catalog
from service_nb.errors import ConnectorError, InvalidIntentError, QueryInterruptedError
from tests.servers.certificates import Certificates, certificates
from tests.servers.mariadb import MariaServer, mariadb
from tests.servers.process import folder_of_a_server, give
from tests.simulators.pressing import asking_to_end

Encrypted = tuple[MariaServer, Certificates]


@pytest.fixture(scope="module")
def encrypted() -> Iterator[Encrypted]:
    with folder_of_a_server("snbca") as folder:
        made = certificates(folder)
        give(folder)
        with mariadb(ssl_cert=str(made.server), ssl_key=str(made.key), ssl_ca=str(made.authority)) as server:
            yield server, made


def opened(server: MariaServer, **changes: Any) -> Any:
    given = {
        "type": "mysql",
        "host": "localhost",
        "port": server.port,
        "user": server.user,
        "password": server.password,
    }
    return catalog.find_connector("mysql").open_link(
        catalog.parse_descriptor({**given, **changes}), time.monotonic() + 20
    )


STATUS = "SELECT VARIABLE_VALUE AS a FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'"


def cipher(link: Any) -> str:
    found = link.fetch_rows(parse_one(STATUS, read="mysql"), (), 1, time.monotonic() + 20)
    link.close()
    return str(found[0][0])


@pytest.mark.parametrize("mode", ["prefer", "require", "verify-ca", "verify-full"])
def test_a_connection_is_encrypted(mode: str, encrypted: Encrypted) -> None:
    server, made = encrypted
    assert cipher(opened(server, sslmode=mode, ca=str(made.authority))) != ""


def test_a_connection_is_plain_only_if_that_is_asked_for(encrypted: Encrypted) -> None:
    assert cipher(opened(encrypted[0], sslmode="disable")) == ""


@pytest.mark.parametrize("mode", ["verify-ca", "verify-full"])
def test_a_server_that_another_authority_signed_is_refused(mode: str, encrypted: Encrypted) -> None:
    server, made = encrypted
    with pytest.raises(ConnectorError) as caught:
        opened(server, sslmode=mode, ca=str(made.stranger))
    assert caught.value.reason == "misconfigured"


def test_a_server_of_another_name_is_refused_where_names_count(encrypted: Encrypted) -> None:
    server, made = encrypted
    with pytest.raises(ConnectorError) as caught:
        opened(server, host="127.0.0.1", sslmode="verify-full", ca=str(made.authority))
    assert caught.value.reason == "misconfigured"
    opened(server, host="127.0.0.1", sslmode="verify-ca", ca=str(made.authority)).close()


def test_what_runs_is_ended_over_an_encrypted_connection_too(encrypted: Encrypted) -> None:
    link = opened(encrypted[0], sslmode="require")
    with asking_to_end(link.cancel), pytest.raises(QueryInterruptedError):
        link.fetch_rows(parse_one("SELECT SLEEP(60) AS a", read="mysql"), (), 1, time.monotonic() + 60)
    link.close()


@pytest.mark.parametrize("changes", [{"ca": "/nowhere.pem"}, {"ca": "/etc/hostname"}, {"sslmode": "maybe"}])
def test_certificates_that_are_none_are_refused(changes: dict[str, str], encrypted: Encrypted) -> None:
    with pytest.raises(InvalidIntentError):
        opened(encrypted[0], **{"sslmode": "verify-full", **changes})
