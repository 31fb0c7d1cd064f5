"""A web page that leads its own name to this machine, or that somebody just looks at, asks no deployment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service_nb.server.config import parse_config
from tests.deployment.raw import Answer, raw, request
from tests.deployment.stand import TEXT, Stand, key, made, standing

FORM = "Content-Type: application/x-www-form-urlencoded"
PATHS = ["/healthz", "/readyz", "/openapi.json", "/metrics", "/v1/sources", "/v1/deployment", "/nothing"]
FOREIGN = [
    "evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "localhost.evil.example", "evil.example.",
    "localhost@evil.example", "127.0.0.1:{port}@evil.example", "[::1].evil.example", "localhost:{port}.evil.example",
    "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.1:x", "LOCALHOST.EVIL", "xn--lcalhost-q1a",
    "local host", "", "..", "[::1", "a" * 300,
]  # fmt: skip
OWN = [
    "127.0.0.1",
    "127.0.0.1:{port}",
    "localhost:{port}",
    "LocalHost",
    "localhost.",
    "[::1]:{port}",
    "app.localhost",
    "data.example.org",
]


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    text = TEXT.replace("[server]", '[server]\npublic_url = "https://Data.Example.org/"')
    with standing(made(tmp_path_factory.mktemp("pages"), text)) as stood:
        yield stood


def asked(stand: Stand, method: str, path: str, *headers: str, body: bytes = b"") -> Answer:
    """Ask with a Host of one's own: the first of the headers."""
    head = request(method, path, *headers[1:], body=body).replace(b"Host: localhost", f"Host: {headers[0]}".encode())
    with raw(stand) as connection:
        connection.send(head)
        return connection.answer()


@pytest.mark.parametrize("host", FOREIGN)
def test_a_name_that_leads_here_is_not_answered(stand: Stand, host: str) -> None:
    answer = asked(stand, "GET", "/v1/sources", host.format(port=stand.port))
    assert (answer.status, answer.code) == (421, "forbidden")


@pytest.mark.parametrize("path", PATHS)
def test_nothing_at_all_is_told_to_a_foreign_name(stand: Stand, path: str) -> None:
    bearer = f"Authorization: Bearer {key(stand.deployment, 'one')}"
    answer = asked(stand, "GET", path, "evil.example", bearer)
    assert (answer.status, answer.code) == (421, "forbidden")


@pytest.mark.parametrize("host", OWN)
def test_addresses_and_own_names_are_answered(stand: Stand, host: str) -> None:
    assert asked(stand, "GET", "/healthz", host.format(port=stand.port)).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://127.0.0.1",
        "null",
        "",
        "http://localhost:8888",
        "http://203.0.113.5",
        "file://",
        "127.0.0.1:{port}",
    ],
)
def test_no_page_of_another_server_begins_an_enrolment(stand: Stand, origin: str) -> None:
    host = f"127.0.0.1:{stand.port}"
    headers = (host, FORM, f"Origin: {origin.format(port=stand.port)}")
    answer = asked(stand, "POST", "/v1/device/code", *headers, body=b"client_id=x")
    assert (answer.status, answer.code) == (421, "forbidden")
    assert asked(stand, "POST", "/v1/device/code", host, FORM, body=b"client_id=x").status == 200
    assert asked(stand, "GET", "/healthz", host, f"Origin: http://{host}").status == 200


def test_who_is_bound_for_others_is_asked_by_any_name_unless_they_are_listed(tmp_path: Path) -> None:
    def names(**server: object) -> object:
        return parse_config({"server": server}, tmp_path).names

    assert names() == {"127.0.0.1"}
    assert names(bind="[::1]:8765") == {"::1"}
    assert names(bind="0.0.0.0:8765") is None
    assert names(bind="0.0.0.0:8765", public_url="https://data.example.org") is None
    assert names(bind="0.0.0.0:8765", public_url="https://data.example.org", names=["Data."]) == {
        "data.example.org",
        "data",
    }
    assert names(bind="localhost:8765", names=["data.example.org"]) == {"localhost", "data.example.org"}
