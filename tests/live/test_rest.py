"""A declared API is read whole and exactly, page by page, or refused with a reason."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from service_nb.connectors import rest
from service_nb.connectors.addresses import allow_hosts
from service_nb.core.secret import Secret
from service_nb.errors import ConnectorError, InvalidIntentError, LimitExceededError, ServiceError, SourceMalformedError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor
from service_nb.schema.source import Limits
from tests.servers.asgi import serving
from tests.servers.hostile import saying, speaking

ISSUES = [{"number": number, "title": f"t{number}", "user": {"login": "a"}, "labels": ["x"]} for number in range(1, 24)]
DEEP = b"[" * 200 + b"]" * 200


def raw(body: bytes, **headers: str) -> Callable[[Request], Any]:
    async def answer(_: Request) -> Response:
        return Response(body, media_type="application/json", headers=headers)

    return answer


async def issues(request: Request) -> Response:
    """As GitHub lists them: pages by number, the next one in the header `Link`."""
    page, size = int(request.query_params.get("page", "1")), int(request.query_params.get("per_page", "10"))
    here = ISSUES[(page - 1) * size : page * size]
    base = str(request.url.include_query_params(page=page + 1))
    last = str(request.url.include_query_params(page=9))
    links = f'<{base}>; rel="next", <{last}>; rel="last"' if page * size < len(ISSUES) else f'<{last}>; rel="first"'
    return JSONResponse(here, headers={"Link": links})


async def offsets(request: Request) -> Response:
    start, size = int(request.query_params["offset"]), int(request.query_params["limit"])
    return JSONResponse({"data": {"items": ISSUES[start : start + min(size, 7)]}})


async def cursors(request: Request) -> Response:
    start = int(request.query_params.get("after", "0"))
    more = {"next": str(start + 10)} if start + 10 < len(ISSUES) else {"next": None}
    return JSONResponse({"items": ISSUES[start : start + 10], "paging": more})


async def cycle(request: Request) -> Response:
    at = int(request.query_params.get("cursor", "0"))
    return JSONResponse({"items": [{"a": 1}], "next_cursor": str((at + 1) % 3 + 1)})


async def endless(request: Request) -> Response:
    return JSONResponse([{"a": 1}] * 100)


async def guarded(request: Request) -> Response:
    right = request.headers.get("authorization") == "Bearer right" or request.headers.get("x-api-key") == "right"
    return JSONResponse([{"a": 1}], status_code=200 if right else 401)


async def status(request: Request) -> Response:
    return JSONResponse({"message": "no"}, status_code=int(request.path_params["code"]))


async def elsewhere(request: Request) -> Response:
    return RedirectResponse(request.query_params["to"])


async def loop(request: Request) -> Response:
    return RedirectResponse("/loop")


async def echo(request: Request) -> Response:
    return JSONResponse(
        [dict(request.query_params) | {"cookie": request.headers.get("cookie"), "path": request.url.path}]
    )


async def cookie(request: Request) -> Response:
    number = int(request.query_params["page"])
    rows = [{"sent": request.headers.get("cookie")}] if number < 3 else []
    return JSONResponse(rows, headers={"Set-Cookie": "spy=1"})


APP = Starlette(
    routes=[
        Route("/issues", issues),
        Route("/offsets", offsets),
        Route("/cursors", cursors),
        Route("/cycle", cycle),
        Route("/endless", endless),
        Route("/guarded", guarded),
        Route("/status/{code}", status),
        Route("/elsewhere", elsewhere),
        Route("/loop", loop),
        Route("/api/echo", echo),
        Route("/cookie", cookie),
        Route("/exact", raw(b'[{"i":9007199254740993,"d":12345678901234567.25,"f":0.1},{"i":-1,"d":1,"f":1e300}]')),
        Route("/far", raw(b'[{"d":1e300},{"d":0.12345678901234567890123}]')),
        Route("/gzip", raw(gzip.compress(b'[{"a":1}]'), **{"content-encoding": "gzip"})),
        Route("/bomb", raw(gzip.compress(b"[" + b" " * 25_000_000 + b"]"), **{"content-encoding": "gzip"})),
        Route("/cut", raw(gzip.compress(b'[{"a":1}]')[:-9], **{"content-encoding": "gzip"})),
        Route("/brotli", raw(b"xx", **{"content-encoding": "br"})),
        Route("/deep", raw(b'[{"a":' + DEEP + b"}]")),
        Route("/twice", raw(b'[{"a":1,"a":2}]')),
        Route("/nan", raw(b'[{"a":NaN}]')),
        Route("/html", raw(b"<html>")),
        Route("/text", raw(b'"text"')),
        Route("/empty", raw(b"[]")),
        Route("/mixed", raw(b'[{"a":{"b":1}},{"a":[1,2]},{"c":null}]')),
        Route("/clash", raw(b'[{"a":{"b":1},"a.b":2}]')),
        Route("/scalars", raw(b"[1,2]")),
    ]
)


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with serving(APP) as port, allow_hosts(["127.0.0.1"]):
        yield f"http://127.0.0.1:{port}"


def read(url: str, *, limits: Limits | None = None, seconds: float = 30, **more: Any) -> Dataset:
    fields = {name: more.pop(name) for name in ("table", "query", "user", "password") if name in more}
    types = more.pop("types", {})
    descriptor = Descriptor(type="rest", options={"url": url, **more}, **fields)
    with allow_hosts(["127.0.0.1"]):
        options = ReadOptions(limits=limits or Limits(), types=types)
        return rest.extract(descriptor, options, time.monotonic() + seconds)


def refused(url: str, **more: Any) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        read(url, **more)
    return caught.value


@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("/issues", {"pagination": "link", "size": "5"}),
        ("/issues?per_page=4", {"pagination": "link"}),
        ("/issues", {"pagination": "page", "size": "6"}),
        ("/offsets", {"pagination": "offset", "records": "data.items", "size": "10"}),
        ("/cursors", {"pagination": "cursor", "records": "items", "cursor": "paging.next", "cursor_param": "after"}),
    ],
)
def test_every_way_to_the_next_page_reads_each_record_once(base: str, path: str, options: dict[str, str]) -> None:
    dataset = read(base + path, **options)
    assert dataset.table is not None
    assert dataset.table["number"].to_pylist() == list(range(1, 24))
    assert dataset.content.algorithm == "sha256-arrow"
    assert dataset.content == read(base + path, **options).content


def test_without_pagination_one_page_is_read(base: str) -> None:
    assert read(f"{base}/issues").row_count == 10


def test_numbers_keep_every_digit(base: str) -> None:
    table = read(f"{base}/exact").table
    assert table is not None
    assert table["i"].to_pylist() == [9007199254740993, -1]
    assert table["d"].to_pylist() == [Decimal("12345678901234567.25"), Decimal(1)]
    assert table["f"].to_pylist() == [0.1, 1e300]


def test_numbers_that_no_decimal_holds_are_rounded_and_a_note_says_so(base: str) -> None:
    dataset = read(f"{base}/far")
    assert dataset.table is not None
    assert dataset.table["d"].to_pylist() == [1e300, 0.12345678901234567890123]
    assert any(note.startswith("d: rounded") for note in dataset.notes)


def test_a_declared_type_holds(base: str) -> None:
    dataset = read(f"{base}/exact", types={"i": "decimal(20,0)"})
    assert dataset.fields[0].physical == "decimal(20,0)"


def test_nested_values_are_text_or_columns_of_dotted_names(base: str) -> None:
    kept = read(f"{base}/issues").table
    flat = read(f"{base}/issues", flatten="true").table
    assert kept is not None
    assert flat is not None
    assert kept["user"][0].as_py() == '{"login":"a"}'
    assert flat["user.login"][0].as_py() == "a"
    assert flat["labels"][0].as_py() == '["x"]'


def test_missing_fields_are_null(base: str) -> None:
    table = read(f"{base}/mixed").table
    assert table is not None
    assert table["a"].to_pylist() == ['{"b":1}', "[1,2]", None]
    assert table["c"].to_pylist() == [None, None, None]


def test_a_packed_answer_is_unpacked(base: str) -> None:
    assert read(f"{base}/gzip").row_count == 1


@pytest.mark.parametrize(
    ("path", "options", "code"),
    [
        ("/bomb", {}, "limit_exceeded"),
        ("/cut", {}, "connector_failed"),
        ("/brotli", {}, "connector_failed"),
        ("/deep", {}, "limit_exceeded"),
        ("/twice", {}, "source_malformed"),
        ("/nan", {}, "source_malformed"),
        ("/html", {}, "source_malformed"),
        ("/text", {}, "source_malformed"),
        ("/scalars", {}, "source_malformed"),
        ("/empty", {}, "source_malformed"),
        ("/clash", {"flatten": "true"}, "source_malformed"),
        ("/issues", {"records": "no.such"}, "source_malformed"),
        ("/cycle", {"pagination": "cursor", "records": "items"}, "connector_failed"),
        ("/endless", {"pagination": "page", "max_pages": "5"}, "limit_exceeded"),
        ("/endless", {"pagination": "offset", "limits": Limits(text_bytes=20_000)}, "limit_exceeded"),
        ("/endless", {"pagination": "page", "limits": Limits(memory_bytes=50_000)}, "limit_exceeded"),
        ("/issues", {"limits": Limits(json_bytes=100)}, "limit_exceeded"),
    ],
)
def test_what_is_too_much_or_no_list_of_records_is_refused(
    base: str, path: str, options: dict[str, Any], code: str
) -> None:
    assert refused(base + path, **options).code == code


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (401, "login_refused"), (403, "not_allowed"), (404, "misconfigured"), (405, "not_allowed"),
        (418, "misconfigured"), (429, "lost"), (500, "lost"), (503, "lost"), (304, "misconfigured"),
        (204, "misconfigured"),
    ],
)  # fmt: skip
def test_a_status_becomes_a_reason(base: str, code: int, reason: str) -> None:
    error = refused(f"{base}/status/{code}")
    assert isinstance(error, ConnectorError)
    assert error.reason == reason
    assert error.retryable is (reason == "lost")


@pytest.mark.parametrize(
    "options", [{"token": Secret("right")}, {"headers": Secret(json.dumps({"X-Api-Key": "right"}))}]
)
def test_a_secret_opens_the_door(base: str, options: dict[str, Any]) -> None:
    assert read(f"{base}/guarded", **options).row_count == 1


def test_a_wrong_secret_is_refused_and_not_repeated(base: str) -> None:
    error = refused(f"{base}/guarded", user="someone", password=Secret("planted-password"))
    assert isinstance(error, ConnectorError)
    assert error.reason == "login_refused"
    assert "planted" not in str(error.to_dict())


@pytest.mark.parametrize(
    "headers",
    [
        '{"Host": "other"}', '{"Content-Length": "5"}', '{"X": "a\\r\\nY: b"}', '{"X y": "a"}', '{"X": 1}', "[]",
        "planted",
        '{"Transfer-Encoding": "chunked"}', '{"X": "é"}', '{"": "x"}', '{"X": {"y": "z"}}', '{"X": "1", "X": "2"}',
    ],
)  # fmt: skip
def test_headers_that_are_not_the_callers_to_set_are_refused(base: str, headers: str) -> None:
    error = refused(f"{base}/guarded", headers=Secret(headers))
    assert isinstance(error, InvalidIntentError)
    assert "planted" not in str(error.to_dict())


def test_a_table_is_a_path_below_the_url_and_a_query_its_parameters(base: str) -> None:
    table = read(f"{base}/api?key=1", table="echo").table
    asked = read(f"{base}/api/echo?a=1", query="b=2&c=x y").table
    assert table is not None
    assert asked is not None
    assert table["path"].to_pylist() == ["/api/echo"]
    assert asked.select(["a", "b", "c"]).to_pylist() == [{"a": "1", "b": "2", "c": "x y"}]


@pytest.mark.parametrize(
    "table", ["../x", "a/../../x", "//evil", "a//b", "a?b", "a#b", "http://x", "%2e%2e/x", "a\\b", "."]
)
def test_a_table_that_leaves_the_url_is_refused(base: str, table: str) -> None:
    assert refused(f"{base}/api", table=table).code == "invalid_intent"


def test_nothing_but_get_is_ever_sent(base: str) -> None:
    assert refused(f"{base}/issues", method="POST").code == "invalid_intent"
    assert read(f"{base}/issues", method="get").row_count == 10


def test_cookies_are_not_kept(base: str) -> None:
    table = read(f"{base}/cookie", pagination="page").table
    assert table is not None
    assert table["sent"].to_pylist() == [None, None]


def test_a_redirect_within_the_server_is_followed_and_no_other(base: str) -> None:
    assert read(f"{base}/elsewhere?to=/issues").row_count == 10
    for target in ("http://127.0.0.1:1/", base.replace("127.0.0.1", "localhost"), "file:///etc/passwd", "//evil/x"):
        error = refused(f"{base}/elsewhere", query=f"to={target}")
        assert isinstance(error, ConnectorError)
        assert error.reason in ("not_allowed", "malformed")
    assert refused(f"{base}/elsewhere?to=/loop").code == "connector_failed"


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n[]",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]",
        b"HTTP/9.9 hello\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n",
    ],
)
def test_an_answer_that_breaks_http_is_no_source(answer: bytes) -> None:
    with speaking(saying(answer)) as port:
        error = refused(f"http://127.0.0.1:{port}/", seconds=5)
    assert isinstance(error, ConnectorError)
    assert error.reason in ("malformed", "lost")


def test_trying_says_how_many_records_the_first_page_has(base: str) -> None:
    descriptor = Descriptor(type="rest", options={"url": f"{base}/issues", "pagination": "link"})
    assert "10" in rest.probe(descriptor, time.monotonic() + 10)


def test_errors_are_typed(base: str) -> None:
    assert isinstance(refused(f"{base}/nan"), SourceMalformedError)
    assert isinstance(refused(f"{base}/bomb"), LimitExceededError)
