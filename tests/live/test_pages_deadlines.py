"""Every source of pages comes to an end: at its deadline, or when it is stopped, whatever the other side does."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import pytest

from service_nb.connectors import azure, catalog, elasticsearch, gcs, neo4j, redis, rest, s3
from service_nb.connectors.addresses import allow_hosts
from service_nb.core.secret import Secret
from service_nb.core.stopping import Stop, stopping
from service_nb.errors import ConnectorError, LimitExceededError, QueryInterruptedError, ServiceError
from service_nb.readers.dataset import ReadOptions
from service_nb.schema.connector import Descriptor
from service_nb.schema.source import Limits
from tests.servers.hostile import Speak, refusing, saying, silent, speaking

SECRET = "hunter2-of-the-tests"
MODULES = {module.CONNECTOR.name: module.CONNECTOR for module in (s3, gcs, azure, redis, neo4j, elasticsearch, rest)}
SMALL = Limits(text_bytes=4_000_000, json_bytes=2_000_000, memory_bytes=8_000_000)


def described(type_: str, port: int) -> Descriptor:
    """A descriptor of each type that leads to a port of this machine."""
    url = f"http://127.0.0.1:{port}"
    secret = Secret(SECRET)
    forms: dict[str, dict[str, Any]] = {
        "s3": {"database": "bucket", "table": "a.csv", "user": "key", "password": secret, "options": {"endpoint": url}},
        "gcs": {"database": "bucket", "table": "a.csv", "options": {"endpoint": url, "anonymous": "true"}},
        "azure": {
            "database": "container", "table": "a.csv", "user": "account",
            "password": Secret("aHVudGVyMi1vZi10aGUtdGVzdHM="), "options": {"endpoint": f"{url}/account"},
        },
        "redis": {"host": "127.0.0.1", "port": port, "user": "u", "password": secret, "table": "strings"},
        "neo4j": {"host": "127.0.0.1", "port": port, "user": "u", "password": secret, "table": "Person"},
        "elasticsearch": {
            "host": "127.0.0.1", "port": port, "user": "u", "password": secret, "table": "shop",
            "options": {"tls": "false"},
        },
        "rest": {"options": {"url": f"{url}/items", "token": secret}},
    }  # fmt: skip
    return Descriptor(type=type_, **forms[type_])


LATE_S = 60.0  # what is still not over then has no deadline; not a measure of speed


def met(type_: str, port: int, seconds: float) -> ServiceError:
    """What reading ends with, which is an error of ours, in time, and without the secret."""
    started = time.monotonic()
    with allow_hosts(["127.0.0.1"]), pytest.raises(ServiceError) as caught:
        MODULES[type_].extract(described(type_, port), ReadOptions(limits=SMALL), started + seconds)
    assert time.monotonic() - started < seconds + LATE_S
    said = str(caught.value) + repr(caught.value.to_dict())
    assert SECRET not in said
    assert "aHVudGVyMi1v" not in said
    return caught.value


HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
NONSENSE = bytes(range(256)) * 20


@pytest.mark.parametrize("type_", MODULES)
def test_a_port_that_nobody_listens_at_is_unreachable(type_: str) -> None:
    with refusing() as port:
        error = met(type_, port, 120)
    assert isinstance(error, ConnectorError)
    assert error.reason == "unreachable"
    assert error.retryable


@pytest.mark.parametrize("type_", MODULES)
def test_a_server_that_says_nothing_is_left_at_the_deadline_with_no_thread_behind(type_: str) -> None:
    with speaking(silent) as port:
        error = met(type_, port, 0.5)
    assert isinstance(error, ConnectorError)
    assert error.reason == "timed_out"
    until = time.monotonic() + LATE_S
    while any(thread.name == "service-nb-pages" for thread in threading.enumerate()):
        assert time.monotonic() < until, "a thread of ended work is left"
        time.sleep(0.01)


@pytest.mark.parametrize("type_", MODULES)
def test_a_server_that_speaks_nonsense_is_no_source(type_: str) -> None:
    with speaking(saying(NONSENSE)) as port:
        error = met(type_, port, 5)
    assert isinstance(error, ConnectorError)
    assert error.reason in ("malformed", "unreachable", "lost", "timed_out")


ENDLESS: dict[str, Speak] = {
    "redis": saying(b"+OK\r\n+OK\r\n*2\r\n$1\r\n0\r\n*1000000000\r\n", repeat=b"$3\r\nabc\r\n" * 1000),
    "neo4j": saying(b"\x00\x00\x04\x04", repeat=b"\xff\xff" + bytes(65_535)),
    "elasticsearch": saying(HTTP + b"\r\n[", repeat=b"1," * 50_000),
    "rest": saying(HTTP + b"\r\n[", repeat=b"1," * 50_000),
    "s3": saying(HTTP + b"ETag: x\r\nContent-Length: 99999999999\r\n\r\n", repeat=b"a\n" * 50_000),
    "gcs": saying(HTTP + b"\r\n", repeat=b"<a>" * 50_000),
    "azure": saying(b"HTTP/1.1 200 OK\r\n", repeat=b"X-Header: aaaa\r\n" * 5_000),
}


@pytest.mark.parametrize("type_", MODULES)
def test_a_server_that_never_ends_is_left(type_: str) -> None:
    with speaking(ENDLESS[type_]) as port:
        error = met(type_, port, 3)
    assert isinstance(error, ConnectorError | LimitExceededError)


@pytest.mark.parametrize("type_", MODULES)
def test_a_request_to_stop_ends_the_reading(type_: str) -> None:
    stop = Stop()
    asked = threading.Event()

    def speak(peer: Any) -> None:
        peer.recv(1)
        asked.set()
        silent(peer)

    def ask() -> None:
        asked.wait(LATE_S)
        stop.request()

    with speaking(speak) as port, allow_hosts(["127.0.0.1"]), stopping(stop):
        thread = threading.Thread(target=ask)
        thread.start()
        with pytest.raises(QueryInterruptedError) as caught:
            MODULES[type_].extract(described(type_, port), ReadOptions(), time.monotonic() + 60)
        thread.join()
    assert caught.value.code == "interrupted"


@pytest.mark.parametrize("type_", ["redis", "s3"])
def test_trying_a_connector_ends_in_success_or_a_sentence(type_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_PRIVATE_HOSTS", "127.0.0.1")
    with refusing() as port:
        told = catalog.try_connector(described(type_, port), 20)
    assert told["success"] is False
    assert SECRET not in told["message"]


@pytest.mark.parametrize("type_", MODULES)
def test_no_copy_is_left_of_what_was_not_read(type_: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with refusing() as port:
        met(type_, port, 120)
    assert os.listdir(tmp_path) == []  # noqa: PTH208  # names are what is compared
