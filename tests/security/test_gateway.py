"""The one way out of a client that follows redirects: to the hosts that were checked, for whom it was made for."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from service_nb.connectors.addresses import allow_hosts
from service_nb.connectors.gateway import Gateway
from tests.servers.hostile import saying, speaking

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\nProxy-Secret: x\r\n\r\nok"


def asked(gateway: Gateway, words: str, password: str | None = None) -> Callable[[], Awaitable[bytes]]:
    """What comes back for these words, with the gateway's own password unless told."""
    parts = urlsplit(gateway.url)
    told = base64.b64encode(f"{parts.username}:{parts.password if password is None else password}".encode()).decode()
    head = f"{words}\r\nHost: x\r\nProxy-Authorization: Basic {told}\r\n\r\n"

    async def ask() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", parts.port)
        found = b""
        try:
            writer.write(head.encode("latin-1") + b"and words behind it")
            with contextlib.suppress(ConnectionError):  # what is refused may be cut off
                while piece := await asyncio.wait_for(reader.read(65_536), 60):
                    found += piece
        finally:
            writer.transport.abort()
        return found

    return ask


def answers(allowed: list[tuple[str, int]], words: str, **more: Any) -> tuple[bytes, Gateway]:
    async def main() -> tuple[bytes, Gateway]:
        gateway = Gateway(allowed)
        gateway.set_allowance(more.pop("most", 10_000))
        async with gateway.open():
            return await asked(gateway, words, **more)(), gateway

    with allow_hosts(["127.0.0.1"]):
        return asyncio.run(main())


def test_it_leads_to_a_host_that_was_checked_for_one_request() -> None:
    with speaking(saying(ANSWER)) as port:
        answer, gateway = answers([("127.0.0.1", port)], f"GET http://127.0.0.1:{port}/a?b HTTP/1.1")
    head = answer.lower()
    assert answer.endswith(b"ok")
    assert b"connection: close" in head
    assert b"keep-alive" not in head
    assert b"proxy-secret" not in head
    assert not gateway.refused


ELSEWHERE = [
    "GET http://127.0.0.1:{other}/ HTTP/1.1",
    "GET http://localhost:{port}/ HTTP/1.1",
    "GET http://[::1]:{port}/ HTTP/1.1",
    "GET http://2130706433:{port}/ HTTP/1.1",
    "GET http://169.254.169.254/latest/meta-data/ HTTP/1.1",
    "GET http://127.0.0.1:{port}@169.254.169.254/ HTTP/1.1",
    "GET / HTTP/1.1",
    "CONNECT localhost:{port} HTTP/1.1",
    "CONNECT 127.0.0.1:{other} HTTP/1.1",
    "CONNECT 127.0.0.1 HTTP/1.1",
    "POST http://127.0.0.1:{port}/ HTTP/1.1",
    "DELETE http://127.0.0.1:{port}/ HTTP/1.1",
    "nonsense",
]


def test_it_leads_nowhere_else() -> None:
    heard: list[Any] = []
    with speaking(heard.append) as port, speaking(heard.append) as other:
        for words in ELSEWHERE:
            answer, gateway = answers([("127.0.0.1", port)], words.format(port=port, other=other))
            assert answer.startswith(b"HTTP/1.1 403 "), words
            assert gateway.refused, words
    assert not heard


def test_a_host_that_is_at_an_address_of_this_machine_is_not_gone_to_unless_it_is_allowed() -> None:
    answer, gateway = answers([("169.254.169.254", 80)], "CONNECT 169.254.169.254:80 HTTP/1.1")
    assert answer.startswith(b"HTTP/1.1 502 ")
    assert gateway.refused


@pytest.mark.parametrize("password", ["", "wrong", "ünïcode"])
def test_nobody_else_of_this_machine_goes_through_it(password: str) -> None:
    heard: list[Any] = []
    with speaking(heard.append) as port:
        answer, _ = answers([("127.0.0.1", port)], f"CONNECT 127.0.0.1:{port} HTTP/1.1", password=password)
    assert answer.startswith(b"HTTP/1.1 407 ")
    assert not heard


@pytest.mark.parametrize("verb", ["GET http://127.0.0.1:{port}/", "CONNECT 127.0.0.1:{port}"])
def test_no_more_comes_through_than_was_expected(verb: str) -> None:
    with speaking(saying(b"HTTP/1.1 200 OK\r\n\r\n", repeat=b"x" * 65_536)) as port:
        answer, gateway = answers([("127.0.0.1", port)], verb.format(port=port) + " HTTP/1.1\r\nA: b", most=100_000)
    assert len(answer) < 101_000
    assert gateway.spent


def test_a_head_without_an_end_is_left() -> None:
    answer, _ = answers([], "GET / HTTP/1.1\r\nA: " + "x" * 200_000)
    assert answer == b""
