"""What of Oracle's connector can be tried without Oracle: its driver's types, and its errors in our words."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import oracledb
import pytest

from service_nb.connectors import catalog, oracle
from service_nb.errors import ConnectorError, InvalidIntentError


def column(kind: Any, precision: int | None = None, scale: int | None = None) -> Any:
    return SimpleNamespace(type_code=kind, precision=precision, scale=scale)


@pytest.mark.parametrize(
    ("described", "physical"),
    [
        (column(oracledb.DB_TYPE_NUMBER, 12, 2), "decimal(12,2)"),
        (column(oracledb.DB_TYPE_NUMBER, 18, 0), "int64"),
        (column(oracledb.DB_TYPE_NUMBER, 38, 0), "decimal(38,0)"),
        (column(oracledb.DB_TYPE_NUMBER, 5, -2), "int64"),
        (column(oracledb.DB_TYPE_NUMBER, 2, 5), "decimal(5,5)"),
        (column(oracledb.DB_TYPE_NUMBER, 0, -127), None),
        (column(oracledb.DB_TYPE_NUMBER, 126, -127), None),
        (column(oracledb.DB_TYPE_BINARY_DOUBLE), "float64"),
        (column(oracledb.DB_TYPE_BINARY_FLOAT), "float64"),
        (column(oracledb.DB_TYPE_NCHAR), "string"),
        (column(oracledb.DB_TYPE_DATE), "datetime"),
        (column(oracledb.DB_TYPE_TIMESTAMP_LTZ, None, 6), "datetime"),
        (column(oracledb.DB_TYPE_TIMESTAMP, None, 9), None),
        (column(oracledb.DB_TYPE_CLOB), None),
        (column(oracledb.DB_TYPE_RAW), None),
    ],
)
def test_types_are_mapped_exactly_or_not_at_all(described: Any, physical: str | None) -> None:
    assert oracle.find_physical(oracledb, described) == physical


@pytest.mark.parametrize(
    ("code", "reason"),
    [(1017, "login_refused"), (942, None), (1031, "not_allowed"), (3113, "lost"), (12514, "misconfigured")],
)
def test_errors_are_told_by_their_number_and_never_by_their_text(code: int, reason: str | None) -> None:
    told = SimpleNamespace(code=code, full_code=f"ORA-{code:05}", message="secret text")
    error = oracle.explain(oracledb.DatabaseError(told))
    assert error.details.get("reason") == reason
    assert "secret" not in str(error.to_dict())


def test_a_descriptor_without_a_service_is_refused_before_anything_is_opened() -> None:
    given = catalog.parse_descriptor({"type": "oracle", "host": "127.0.0.1", "user": "u"})
    with pytest.raises(InvalidIntentError):
        oracle.open_link(given, 1e12)


def test_a_port_that_refuses_is_unreachable() -> None:

    given = catalog.parse_descriptor({"type": "oracle", "host": "127.0.0.1", "port": 1, "database": "d", "user": "u"})
    with pytest.raises(ConnectorError) as caught:
        oracle.open_link(given, time.monotonic() + 30)
    assert caught.value.reason == "unreachable"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("db:1522/shop", {"host": "db", "port": 1522, "protocol": "tcp", "service_name": "shop"}),
        ("//db/shop.example", {"host": "db", "port": 1521, "protocol": "tcp", "service_name": "shop.example"}),
        ("tcps://[::1]:2484/S", {"host": "::1", "port": 2484, "protocol": "tcps", "service_name": "S"}),
    ],
)
def test_a_connection_string_names_a_host_and_a_service(text: str, where: dict[str, Any]) -> None:
    assert oracle.find_address(catalog.parse_descriptor({"type": "oracle", "connection_string": text})) == where


@pytest.mark.parametrize(
    "text",
    [
        *("alias", "db:1/s?wallet_location=/etc", "tcps://db:1/s?https_proxy=x&https_proxy_port=1", "u/p@db:1/s"),
        "(DESCRIPTION=(ADDRESS=(PROTOCOL=tcp)(HOST=a)(PORT=1))(CONNECT_DATA=(SERVICE_NAME=x)))",
        *("ldap://a/b", "config-file:///etc/passwd", "config-http://a/b", "ipc://a/b", "db:0/s", "db:99999/s", "db:1"),
        *("a,b:1/s", "db:1/s)(SECURITY=(MY_WALLET_DIRECTORY=/etc))", "db:1/s:dedicated/i", "-db:1/s", "db\n:1/s"),
    ],
)
def test_connection_strings_that_name_files_or_several_servers_are_refused(text: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        oracle.find_address(catalog.parse_descriptor({"type": "oracle", "connection_string": text}))
    assert text not in str(caught.value.to_dict())


@pytest.mark.parametrize(
    "part", [{"host": "a)(HOST=b"}, {"host": "a,b"}, {"host": "/x"}, {"database": "s)(SECURITY=x"}, {"sid": "a b"}]
)
def test_a_part_cannot_become_another_part_of_the_connection(part: dict[str, str]) -> None:
    given = {"type": "oracle", "host": "a", "database": "s", **part}
    with pytest.raises(InvalidIntentError):
        oracle.find_address(catalog.parse_descriptor(given))
