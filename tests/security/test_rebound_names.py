"""A name that leads where clouds hand out credentials, however it was looked up before: nothing is said there."""

from __future__ import annotations

import ipaddress
import socket
import time
from typing import Any

import pytest

from service_nb.connectors import addresses, catalog
from service_nb.connectors.addresses import allow_hosts
from service_nb.errors import ConnectorError
from tests.servers.hostile import speaking

NAME = "rebound.example"
PUBLIC = "93.184.215.14"


class Heard:
    """A server that notes what is said to it, and says nothing of use."""

    def __init__(self) -> None:
        self.said = b""

    def __call__(self, peer: socket.socket) -> None:
        self.said += peer.recv(65_536)
        peer.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    """Has 127.0.0.1 stand for the place that hands out credentials; names lead there at the second look."""
    there = (*addresses._METADATA, ipaddress.ip_address("127.0.0.1"))
    monkeypatch.setattr(addresses, "_METADATA", there)
    looks = iter([PUBLIC])
    real = socket.getaddrinfo

    def resolved(host: Any, port: Any, *args: Any, **named: Any) -> Any:
        if host not in (NAME, NAME.encode()):
            return real(host, port, *args, **named)
        address = next(looks, "127.0.0.1")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    assert socket.getaddrinfo(NAME, 80)[0][4][0] == PUBLIC  # the look of whoever checks
    return Heard()


def described(type_: str, port: int) -> dict[str, Any]:
    more = {"clickhouse": {"password": "p", "secure": "false"}, "trino": {"scheme": "http"}}[type_]
    return {"type": type_, "host": NAME, "port": port, "user": "u", "table": "t", **more}


@pytest.mark.parametrize("type_", ["clickhouse", "trino"])
def test_nothing_is_said_to_where_credentials_are_handed_out(type_: str, heard: Heard) -> None:
    with speaking(heard) as port, pytest.raises(ConnectorError):
        catalog.open_source(catalog.parse_descriptor(described(type_, port)), time.monotonic() + 60)
    assert heard.said == b""


@pytest.mark.parametrize("type_", ["clickhouse", "trino"])
def test_what_the_configuration_names_is_asked_all_the_same(type_: str, heard: Heard) -> None:
    with speaking(heard) as port, allow_hosts([NAME]), pytest.raises(ConnectorError):
        catalog.open_source(catalog.parse_descriptor(described(type_, port)), time.monotonic() + 60)
    assert heard.said != b""
