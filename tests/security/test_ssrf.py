"""A declared source leads to public hosts only, however an address is spelled, wrapped, resolved or redirected to."""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from service_nb.connectors import elasticsearch, rest, s3
from service_nb.connectors.addresses import allow_hosts, may_reach
from service_nb.core.secret import Secret
from service_nb.errors import ConnectorError, InvalidIntentError, ServiceError
from service_nb.readers.dataset import ReadOptions
from service_nb.schema.connector import Descriptor
from tests.servers.asgi import serving

# Spellings of addresses of this machine, its network, or what clouds tell their machines.
TEXT = """
127.0.0.1 127.0.0.2 127.255.255.254 127.1 127.0.1 0 0.0.0.0 0.0.0.1 2130706433 017700000001 0177.0.0.1 0x7f.0.0.1
0x7f000001 0x7F.0x0.0x0.0x1 127.0x0.0.1 0177.0.0.01 00127.0.0.1 127.000.000.001 4294967295 localhost LOCALHOST
localhost. localhost.localdomain 127.0.0.1. 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1
192.168.1.1 100.64.0.1 169.254.169.254 169.254.0.1 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518
192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 100.100.100.200
168.63.129.16 [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:169.254.169.254]
[::ffff:a9fe:a9fe] [::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::7f00:1]
[2002:7f00:1::] [2002:a9fe:a9fe::1] [2001:0:4136:e378:8000:63bf:80ff:fffe] [fe80::1] [fe80::1%25lo] [fe80::1%lo]
[fc00::1] [fd00:ec2::254] [fec0::1] [ff02::1] [2001:db8::1] [100::1] [::ffff:10.0.0.1] [::ffff:0a00:0001]
"""
HOSTS = TEXT.split()
URLS = [
    "http://user@127.0.0.1/", "http://public.example@127.0.0.1/", "http://127.0.0.1:80@public.example/",
    "http://user:pass@public.example/", "http://public.example\\@127.0.0.1/", "http://127.0.0.1\\@public.example/",
    "http://public.example#@127.0.0.1/ ", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/", "http://ⓛocalhost/",
    "http://public.example\r\nHost: 127.0.0.1/", "http://public.example\t/", "http://127.0.0.1%00.public.example/",
    "http://%31%32%37.0.0.1/", "http://%6cocalhost/", "http:///127.0.0.1/", "http:127.0.0.1", "//127.0.0.1/",
    "file:///etc/passwd", "FILE:///etc/passwd", "ftp://public.example/", "gopher://127.0.0.1:70/_x",
    "dict://127.0.0.1/",
    "ldap://127.0.0.1/", "data:application/json,[]", "jar:http://public.example!/", "javascript:1", "unix:///run/x.sock",
    "http://", "https://", "http://:80/", "http://public.example:0/", "http://public.example:99999/", "",
    "http://[::1/", "http://[::1]x/", "http://[v1.x]/", "http://a..b/", "http://-a.example/x y",
    "http://" + "a" * 64 + ".x/",
    "http://" + "a." * 200 + "x/", "http://public.example/" + "a" * 9_000, "http://127.0.0.1,public.example/",
    "http://public.example;127.0.0.1/", "http://$(id).example/", "http://{x}.example/", "http://a|b.example/",
]  # fmt: skip
OTHERS = ["93.184.215.14", "8.8.8.8", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::808:808", "::ffff:8.8.8.8"]


def refused(url: str, **more: Any) -> ServiceError:
    descriptor = Descriptor(type="rest", options={"url": url, **more})
    with pytest.raises((ConnectorError, InvalidIntentError)) as caught:
        rest.extract(descriptor, ReadOptions(), time.monotonic() + 10)
    return caught.value


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every address that a socket was about to connect to."""
    tried: list[Any] = []
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        tried.append(address)
        real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    return tried


def resolving(monkeypatch: pytest.MonkeyPatch, answer: Callable[[str, int], list[str]]) -> list[str]:
    """Have a test's own resolver answer for names, and return the names that it was asked for."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, port: Any, *rest_: Any, **more: Any) -> Any:
        try:
            ipaddress.ip_address(host)
        except ValueError:
            asked.append(host)
            kinds = {4: socket.AF_INET, 6: socket.AF_INET6}
            found = [(kinds[ipaddress.ip_address(text).version], text) for text in answer(host, len(asked))]
            return [(kind, socket.SOCK_STREAM, 6, "", (text, port)) for kind, text in found]
        return real(host, port, *rest_, **more)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.parametrize("host", HOSTS)
def test_no_spelling_of_a_private_address_is_connected_to(host: str, connected: list[Any]) -> None:
    for url in (f"http://{host}/", f"https://{host}:8443/x"):
        error = refused(url)
        assert error.code in ("invalid_intent", "connector_failed")
        if isinstance(error, ConnectorError):
            assert error.reason in ("not_allowed", "unreachable")
    assert [address for address in connected if isinstance(address, tuple) and address[1] in (80, 8443)] == []


@pytest.mark.parametrize("url", URLS)
def test_no_text_that_readers_of_urls_take_differently_is_a_url(url: str, connected: list[Any]) -> None:
    assert refused(url).code == "invalid_intent"
    assert connected == []


def test_more_than_sixty_tricks_are_tried() -> None:
    assert len(set(HOSTS)) + len(set(URLS)) >= 100


@pytest.mark.parametrize("address", OTHERS)
def test_public_addresses_may_be_reached(address: str) -> None:
    assert may_reach(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "answers",
    [["127.0.0.1"], ["169.254.169.254"], ["10.1.2.3"], ["::1"], ["::ffff:127.0.0.1"], ["64:ff9b::7f00:1"],
     ["93.184.215.14", "127.0.0.1"], ["127.0.0.1", "93.184.215.14"], ["2606:2800::1", "fd00::1"], ["0.0.0.0"]],
)  # fmt: skip
def test_a_name_of_a_private_address_is_refused(answers: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, lambda *_: answers)
    error = refused("http://innocent.example/")
    assert isinstance(error, ConnectorError)
    assert error.reason == "not_allowed"


async def count(request: Request) -> Response:
    return JSONResponse([{"host": request.headers["host"]}])


def test_the_address_that_was_checked_is_the_one_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is public when it is checked, and private a moment later, is asked for once a request."""
    asked = resolving(monkeypatch, lambda _, times: ["127.0.0.1"] if times == 1 else ["127.0.0.66"])
    with serving(Starlette(routes=[Route("/", count)])) as port, allow_hosts([f"rebinding.example:{port}"]):
        descriptor = Descriptor(type="rest", options={"url": f"http://rebinding.example:{port}/"})
        table = rest.extract(descriptor, ReadOptions(), time.monotonic() + 20).table
        assert table is not None
        assert table["host"].to_pylist() == [f"rebinding.example:{port}"]
    assert asked == ["rebinding.example"]


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/latest/meta-data/", "http://127.0.0.2:{port}/", "https://127.0.0.1:{port}/",
     "http://localhost:{port}/", "http://127.0.0.1:1/", "//169.254.169.254/",
     "http://[::ffff:127.0.0.1]:{port}/", "http://127.0.0.1:{port}@evil.example/", "file:///etc/passwd",
     "\\\\evil\\x"],
)  # fmt: skip
@pytest.mark.parametrize("way", ["redirect", "link", "cursor"])
def test_what_an_answer_points_to_is_followed_within_its_server_only(target: str, way: str) -> None:
    hits: list[str] = []

    async def start(request: Request) -> Response:
        hits.append(request.url.path)
        place = target.format(port=request.url.port)
        if way == "redirect":
            return Response(status_code=302, headers={"Location": place})
        link = {"Link": f'<{place}>; rel="next"'} if way == "link" else {}
        return JSONResponse({"items": [{"a": 1}], "next_cursor": place}, headers=link)

    async def other(request: Request) -> Response:
        hits.append(request.url.path)
        return JSONResponse({"items": [{"stolen": True}]})

    app = Starlette(routes=[Route("/start", start), Route("/{path:path}", other)])
    with serving(app) as port, allow_hosts([f"127.0.0.1:{port}"]):
        options = {"url": f"http://127.0.0.1:{port}/start", "records": "items"}
        options |= {} if way == "redirect" else {"pagination": way}
        descriptor = Descriptor(type="rest", options={**options, "max_pages": "3"})
        try:
            table = rest.extract(descriptor, ReadOptions(), time.monotonic() + 20).table
            assert table is not None
            assert "stolen" not in table.column_names
        except ServiceError as error:
            assert error.code in ("connector_failed", "limit_exceeded")  # noqa: PT017
    assert set(hits) == {"/start"}


def test_secrets_are_never_sent_to_where_a_redirect_leads() -> None:
    seen: list[str | None] = []

    async def trap(request: Request) -> Response:
        seen.append(request.headers.get("authorization"))
        return JSONResponse([])

    with serving(Starlette(routes=[Route("/", trap)])) as other:

        async def lead(request: Request) -> Response:
            return Response(status_code=307, headers={"Location": f"http://127.0.0.1:{other}/"})

        with serving(Starlette(routes=[Route("/", lead)])) as port, allow_hosts(["127.0.0.1"]):
            assert refused(f"http://127.0.0.1:{port}/", token=Secret("planted")).code == "connector_failed"
    assert seen == []


def test_the_environment_may_allow_a_host_by_name_and_only_that(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Starlette(routes=[Route("/", count)])) as port:
        monkeypatch.setenv("SERVICE_PRIVATE_HOSTS", f"api.internal, 127.0.0.1:{port}")
        descriptor = Descriptor(type="rest", options={"url": f"http://127.0.0.1:{port}/"})
        assert rest.extract(descriptor, ReadOptions(), time.monotonic() + 20).row_count == 1
        assert refused(f"http://localhost:{port}/").code == "connector_failed"
        assert refused(f"http://127.0.0.1:{port + 1}/").code == "connector_failed"


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with serving(Starlette(routes=[Route("/", count)])) as port, allow_hosts([f"127.0.0.1:{port}"]):
        descriptor = Descriptor(type="rest", options={"url": f"http://127.0.0.1:{port}/"})
        assert rest.extract(descriptor, ReadOptions(), time.monotonic() + 20).row_count == 1


@pytest.mark.parametrize("host", ["169.254.169.254", "[fd00:ec2::254]", "100.100.100.200", "0.0.0.0", "224.0.0.1"])
def test_not_even_a_search_server_or_a_store_is_where_clouds_hand_out_keys(host: str) -> None:
    for descriptor, module in (
        (Descriptor(type="elasticsearch", table="i", options={"endpoint": f"http://{host}/"}), elasticsearch),
        (
            Descriptor(
                type="s3", database="bucket", table="a.csv",
                options={"endpoint": f"http://{host}/", "anonymous": "true"},
            ),
            s3,
        ),
    ):  # fmt: skip
        with pytest.raises(ConnectorError) as caught:
            module.CONNECTOR.extract(descriptor, ReadOptions(), time.monotonic() + 10)
        assert caught.value.reason == "not_allowed"
