"""What of Oracle's connector can be tried without Oracle: its driver's types, and its errors in our words."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import oracledb
import pytest

from service_nb.connectors.live import catalog
from service_nb.connectors.live import oracle as connector
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
    assert connector.physical_of(oracledb, described) == physical


@pytest.mark.parametrize(
    ("code", "reason"),
    [(1017, "login_refused"), (942, None), (1031, "not_allowed"), (3113, "lost"), (12514, "misconfigured")],
)
def test_errors_are_told_by_their_number_and_never_by_their_text(code: int, reason: str | None) -> None:
    told = SimpleNamespace(code=code, full_code=f"ORA-{code:05}", message="secret text")
    error = connector.explained(oracledb.DatabaseError(told))
    assert error.details.get("reason") == reason
    assert "secret" not in str(error.to_dict())


def test_a_descriptor_without_a_service_is_refused_before_anything_is_opened() -> None:
    given = catalog.parse({"type": "oracle", "host": "127.0.0.1", "user": "u"})
    with pytest.raises(InvalidIntentError):
        connector.open_link(given, 1e12)


def test_a_port_that_refuses_is_unreachable() -> None:

    given = catalog.parse({"type": "oracle", "host": "127.0.0.1", "port": 1, "database": "d", "user": "u"})
    with pytest.raises(ConnectorError) as caught:
        connector.open_link(given, time.monotonic() + 30)
    assert caught.value.reason == "unreachable"
