"""Trying a connector ends by its deadline in a plain answer, whatever the other side does."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from service_nb.connectors import catalog
from service_nb.errors import ConnectorError, QueryTimeoutError
from tests.servers.faulty import BEHAVIOURS, faulty

KINDS: dict[str, dict[str, Any]] = {
    "postgres": {"user": "a", "database": "b"},
    "mysql": {"user": "a", "database": "b"},
    "clickhouse": {"user": "a", "secure": False},
}
DEADLINE_S = 1.5
SECRET = "a-secret-that-is-nowhere"
# How much later than its deadline an answer may be before it counts as one that hung; not a measure of speed.
LATE_S = 60.0


# Each starts a process that loads a driver: every kind once, every behaviour that no other test has once.
QUICK = (("postgres", "silent"), ("mysql", "nonsense"), ("clickhouse", "silent"), ("postgres", "hanging up"))
TRIED = [
    pytest.param(kind, name, marks=() if (kind, name) in QUICK else pytest.mark.wide)
    for kind in KINDS
    for name in BEHAVIOURS
]


@pytest.mark.parametrize(("kind", "behaviour"), TRIED)
def test_a_server_that_is_none_is_told_apart_by_the_deadline(kind: str, behaviour: str) -> None:
    with faulty(behaviour) as port:
        given = {"type": kind, "host": "127.0.0.1", "port": port, "password": SECRET, **KINDS[kind]}
        started = time.monotonic()
        found = catalog.try_connector(catalog.parse_descriptor(given), DEADLINE_S)
    assert found["success"] is False
    assert time.monotonic() - started < DEADLINE_S + LATE_S
    assert SECRET not in found["message"]
    assert "127.0.0.1" not in found["message"]


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_listens(kind: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and not listening
        given = {"type": kind, "host": "127.0.0.1", "port": taken.getsockname()[1], "password": SECRET, **KINDS[kind]}
        with pytest.raises(ConnectorError) as caught:
            catalog.find_connector(kind).open_link(catalog.parse_descriptor(given), time.monotonic() + 120)
    assert caught.value.reason == "unreachable"
    assert caught.value.retryable


@pytest.mark.parametrize("kind", ["mysql", "clickhouse"])
@pytest.mark.parametrize("behaviour", ["silent", "dripping"])
def test_a_session_that_never_begins_is_given_up_within_this_process_too(kind: str, behaviour: str) -> None:
    with faulty(behaviour) as port:
        given = {"type": kind, "host": "127.0.0.1", "port": port, "password": SECRET, **KINDS[kind]}
        with pytest.raises((ConnectorError, QueryTimeoutError)) as caught:
            catalog.find_connector(kind).open_link(catalog.parse_descriptor(given), time.monotonic() + 0.5)
    assert caught.value.retryable or caught.value.details["reason"] == "malformed"


def test_a_host_that_is_no_name_is_unreachable() -> None:
    given = {"type": "postgres", "host": "nowhere.invalid", "user": "a", "password": SECRET}
    found = catalog.try_connector(catalog.parse_descriptor(given), 20)
    assert found["success"] is False
    assert found["message"].partition(":")[0] in (ConnectorError.code, QueryTimeoutError.code)
    assert "nowhere" not in found["message"]
