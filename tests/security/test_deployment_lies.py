"""A deployment that lies to its client: in each word, number and list of each answer. Nothing of it is obeyed.

What is asked ends in the right answer or in a typed error; whatever is shown is text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.errors import ServiceError
from tests.deployment.stand import Stand, key, made, standing
from tests.faces import to_text
from tests.security.lying_deployments import Liar, at, leaves, lying, put

BAIT = (
    "<img src=x onerror=alert(1)><script>alert(1)</script>'\"><svg/onload=alert(1)>"
    "\x1b[2J\x1b]0;owned\x07\x9b31m\u202eevil\u2066\u200b\u2028\r\n\x00\x08 $\\input{x}$ [x](javascript:alert(1)) | ` ="
)
DEEP = b"[" * 100_000 + b"]" * 100_000
HUGE = "9" * 400
MARKUP = re.compile(r"<(?:img|script|svg)", re.IGNORECASE)
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\u2028]")
INSTEAD: dict[str, Callable[[Any], Any]] = {
    "bait": lambda _: BAIT,
    "nothing": lambda _: None,
    "a negative number": lambda _: -1,
    "a giant number": lambda _: 10**400,
    "no number": lambda _: float("nan"),
    "an endless text": lambda _: "x" * 1_000_000,
    "a list": lambda _: [[[BAIT]]],
    "an object": lambda _: {BAIT: BAIT, "": {}},
    "empty": lambda met: type(met)() if met is not None else [],
    "more of it": lambda met: met * 3 if isinstance(met, list | str) else met,
    "the digest of something else": lambda _: "0" * 64,
}
BOUND = {"parameter": "values", "source": "sales", "field": "revenue", "null_policy": "drop"}
NOWHERE = {"type": "postgres", "host": "127.0.0.1", "port": 1, "table": "x"}


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    with standing(made(tmp_path_factory.mktemp("lies"))) as stood:
        yield stood


@pytest.fixture
def liar(stand: Stand) -> Iterator[Liar]:
    with lying(stand.url) as liar_:
        yield liar_


@pytest.fixture
def service(liar: Liar, stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", liar.url)
    monkeypatch.setenv("SERVICE_API_KEY", key(stand.deployment, "one"))
    monkeypatch.setattr("service_nb.deployment.http.MOST_TRIES", 1)  # what is told twice is the same lie
    made_one = service_nb.create_service(project=tmp_path, ledger=tmp_path / "ledger", timeout=60.0)
    yield made_one
    made_one.close()


def shown(what: Any) -> Iterator[str]:
    """Everything that a face would show of something."""
    if isinstance(what, ServiceError):
        yield from (str(what), repr(what))
        return
    yield repr(what)
    bundle = getattr(what, "_repr_mimebundle_", None)
    if bundle is not None:
        told = bundle()
        yield from (text for text in (told[0] if isinstance(told, tuple) else told).values() if isinstance(text, str))
    if hasattr(what, "card") and what.card is not None:
        yield to_text(what.card)


def check_harmless(what: Any) -> None:
    for text in shown(what):
        assert STEERING.search(text) is None, repr(text[:2_000])
        bare = text.replace("<svg class", "")  # of our own charts and marks
        if "<div" in bare or "<span" in bare or "<table" in bare:
            assert MARKUP.search(bare) is None, bare[:2_000]


def tried(work: Callable[[], Any]) -> Any:
    """Return what comes of it: a result, or an error of ours. Anything else is a crash."""
    try:
        return work()
    except ServiceError as error:
        return error


def asked(service: Service, path: str = "") -> Iterator[tuple[str, Any]]:
    """What a session does with a live source, from nothing; of a path, what goes there."""
    verbs: dict[str, tuple[str, Callable[[], Any]]] = {
        "unconnected": ("/v1/sources", lambda: service.unconnected(wait=60.0).sources),
        "names": ("/v1/sources", service.live_sources),
        "connectors": ("/v1/connectors", service.connectors),
        "test": ("/v1/connectors/test", lambda: service.test_connector(NOWHERE)),
    }
    if path not in [where for where, _ in verbs.values()] or path == "/v1/sources":
        yield "connect", tried(lambda: service.connect(name="sales"))
        if any(source["name"] == "sales" for source in service.sources()):
            yield "source", tried(lambda: service.source("sales"))
            yield "ask", tried(lambda: service.ask("sum units by region from sales"))
            yield "compute", tried(lambda: service.compute("stats.median", bindings=[BOUND]))
            service.disconnect("sales")
    for name, (where, verb) in verbs.items():
        if path in ("", where):
            yield name, tried(verb)


def right(service: Service) -> dict[str, Any]:
    """What comes of it while nothing is changed."""
    found = dict(asked(service))
    assert [each for each in found.values() if isinstance(each, ServiceError)] == []
    return {"ask": found["ask"]["data"]["result"], "compute": found["compute"].value}


def lies(liar: Liar) -> list[tuple[str, tuple[Any, ...], str]]:
    return [(path, place, name) for path, said in liar.said.items() for place in leaves(said) for name in INSTEAD]


def check_lies(service: Service, liar: Liar, chosen: slice) -> int:
    """Tell each lie, and look at all that comes of it."""
    expected = right(service)
    recorded = len(service.log(100_000))
    told = lies(liar)[chosen]
    for path, place, name in told:

        def change(met: str, said: Any, *, path: str = path, place: Any = place, name: str = name) -> Any:
            try:
                return put(said, place, INSTEAD[name](at(said, place))) if met == path else said
            except (KeyError, IndexError, TypeError):  # not there this time
                return said

        liar.change = change
        service._sources.live._listed.forget()  # type: ignore[union-attr]
        for what, end in asked(service, path):
            where = (what, path, place, name)
            check_harmless(end)
            if what in expected and not isinstance(end, ServiceError):
                assert (end["data"]["result"] if what == "ask" else end.value) == expected[what], where
    liar.change = lambda _, said: said
    assert right(service) == expected  # nothing of it stayed
    for entry in service.log(100_000)[: -recorded or None]:
        check_harmless(json.dumps(entry, ensure_ascii=False))
    return len(told)


def test_no_lie_is_obeyed_shown_or_kept(service: Service, liar: Liar) -> None:
    assert check_lies(service, liar, slice(0, None, 331)) >= 7


@pytest.mark.slow
def test_none_of_many_lies_is_obeyed_shown_or_kept(service: Service, liar: Liar) -> None:
    count = check_lies(service, liar, slice(0, None, 5))
    print(f"{count} bad inputs tried, 0 accepted, 0 crashes, 0 files touched")
    assert count >= 400


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/v1/sources/sales", "/v1/sources", "/v1/query/execute", "/v1/connectors"])
@pytest.mark.parametrize(
    "body", [DEEP, b"{" * 50_000, b'{"a":' * 50_000, HUGE.encode(), b"\xff\xfe", b"", b"null", b"[]", b'"\\ud800"'],
    ids=["deep", "open", "nested", "number", "no text", "empty", "null", "list", "half a pair"],
)  # fmt: skip
def test_no_body_crashes_who_asks(service: Service, liar: Liar, path: str, body: bytes) -> None:
    liar.change = lambda met, said: body if met == path else said
    for _, end in asked(service, path):
        check_harmless(end)


HEADERS = [
    {"Content-Encoding": "gzip"},
    {"Transfer-Encoding": "chunked"},
    {"X-Request-Id": BAIT.encode("ascii", "ignore").decode().replace("\r\n", "").replace("\x00", "")},
    {"Content-Type": "text/html"},
    {"Location": "http://127.0.0.1:1/", "Refresh": "0;url=javascript:alert(1)"},
    {"Retry-After": "1e400"},
    {"Set-Cookie": "a=b; " * 1_000},
    {"X-Long": "x" * 60_000},
    {"Content-Digest": "sha-256=:AAAA:"},
    {"Content-Length": "5"},
]


@pytest.mark.slow
@pytest.mark.parametrize("headers", HEADERS, ids="-".join)
def test_no_header_crashes_who_asks(
    service: Service, liar: Liar, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service_nb.client.live_sources.CONNECT_S", 0.5)
    monkeypatch.setattr("service_nb.client.live_sources.LIST_S", 0.5)
    liar.headers = headers
    end = tried(lambda: service.connect(name="sales"))
    check_harmless(end)
    assert isinstance(end, ServiceError) or end["name"] == "sales"
