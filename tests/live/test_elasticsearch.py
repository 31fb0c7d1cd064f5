"""An index is read whole, as it was at one moment, with the digits that were sent."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from service_nb.connectors import elasticsearch
from service_nb.core.secret import Secret
from service_nb.errors import ConnectorError, ServiceError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor
from tests.servers.asgi import serving
from tests.servers.documents import DocumentServer, document_server
from tests.servers.osmem import Osmem, osmem

MAPPING = {
    "properties": {
        "amount": {"type": "double"}, "code": {"type": "keyword"}, "at": {"type": "date"}, "ok": {"type": "boolean"},
        "never": {"type": "long"}, "o": {"properties": {"x": {"type": "integer"}}},
    }
}  # fmt: skip
DOCUMENTS: dict[str, Any] = {
    "1": {"amount": 1, "code": "a", "at": 1_700_000_000_000, "ok": True, "o": {"x": 1}},
    "2": {"amount": 3, "code": 5, "at": 0, "ok": "false", "o": {"x": None}},
    "3": {"code": "c", "extra": [1, 2]},
}


SERVERS: dict[str, Any] = {"documents": document_server, "osmem": osmem}


@pytest.fixture(scope="module", params=["documents", pytest.param("osmem", marks=pytest.mark.wide)])
def server(request: pytest.FixtureRequest) -> Iterator[DocumentServer | Osmem]:
    with SERVERS[request.param]() as found:
        dynamic = {f"d{number:02}": f'{{"n":{number},"f":1e16,"big":9007199254740993}}' for number in range(25)}
        found.put("dynamic", dynamic)
        found.put("exact", {"1": '{"d":12345678901234567.25}', "2": '{"d":0.5}'})
        found.put("shop", DOCUMENTS, MAPPING)
        yield found


def read(port: int, table: str, **options: Any) -> Dataset:
    descriptor = Descriptor(
        type="elasticsearch", host="127.0.0.1", port=port, table=table, options={"tls": "false", **options}
    )
    return elasticsearch.extract(descriptor, ReadOptions(), time.monotonic() + 30)


def rows(dataset: Dataset) -> list[dict[str, Any]]:
    assert dataset.table is not None
    found: list[dict[str, Any]] = dataset.table.to_pylist()
    return found


@pytest.mark.parametrize("size", ["3", "25", "1000"])
def test_pages_of_any_size_hold_each_document_once(server: DocumentServer | Osmem, size: str) -> None:
    dataset = read(server.port, "dynamic", size=size)
    assert [row["n"] for row in rows(dataset)] == list(range(25))
    assert dataset.content == read(server.port, "dynamic").content


def test_a_dynamic_float_is_the_number_that_was_sent(server: DocumentServer | Osmem) -> None:
    dataset = read(server.port, "dynamic")
    assert {row["f"] for row in rows(dataset)} == {1e16}
    assert {row["big"] for row in rows(dataset)} == {9007199254740993}
    assert any(note.startswith("f: the index holds less") for note in dataset.notes)


def test_numbers_keep_every_digit(server: DocumentServer | Osmem) -> None:
    assert [row["d"] for row in rows(read(server.port, "exact"))] == [Decimal("12345678901234567.25"), Decimal("0.5")]


def test_the_mapping_says_what_values_are_where_all_of_them_are_that(server: DocumentServer | Osmem) -> None:
    dataset = read(server.port, "shop")
    kinds = {field.name: field.physical for field in dataset.fields}
    assert kinds["amount"] == "float64"
    assert kinds["at"] == "datetime"
    assert kinds["ok"] == "boolean"
    assert kinds["o.x"] == "int64"
    first, second, third = rows(dataset)
    assert first["at"] == datetime(2023, 11, 14, 22, 13, 20)  # noqa: DTZ001  # instants are kept without a zone
    assert (second["code"], second["ok"], second["o.x"]) == ("5", False, None)
    assert (third["extra"], third["never"], third["amount"]) == ("[1,2]", None, None)


@pytest.mark.parametrize("table", ["_all", "*", "shop,dynamic", "-shop", "Shop", "shop/_doc", "sh?p", "..", ""])
def test_a_name_that_is_no_index_is_refused(server: DocumentServer | Osmem, table: str) -> None:
    with pytest.raises(ServiceError) as caught:
        read(server.port, table)
    assert caught.value.code in ("invalid_intent", "source_not_found")


def test_an_index_that_is_not_there_is_not_found(server: DocumentServer | Osmem) -> None:
    with pytest.raises(ServiceError) as caught:
        read(server.port, "nothing")
    assert caught.value.code == "source_not_found"


def test_more_documents_than_are_wanted_are_refused(server: DocumentServer | Osmem) -> None:
    with pytest.raises(ServiceError) as caught:
        read(server.port, "dynamic", max_rows="24")
    assert caught.value.code == "limit_exceeded"


def test_trying_counts_fields(server: DocumentServer | Osmem) -> None:
    descriptor = Descriptor(type="elasticsearch", host="127.0.0.1", port=server.port, options={"tls": "false"})
    assert "OpenSearch" in elasticsearch.probe(descriptor, time.monotonic() + 10)


class Fake:
    """A server that answers as Elasticsearch does, but for what a test changes."""

    def __init__(self, *, total: int = 3, pages: list[list[int]] | None = None, **changes: Any) -> None:
        self.total, self.changes, self.closed = total, changes, False
        self.pages = pages if pages is not None else [[0, 1], [2], []]
        self.authorization: set[str | None] = set()
        self.orders: list[str] = []

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self.root),
                Route("/{index}/_mapping", self.mapping),
                Route("/{index}/_pit", self.view, methods=["POST"]),
                Route("/_pit", self.close, methods=["DELETE"]),
                Route("/_search", self.search, methods=["POST"]),
            ]
        )

    async def root(self, request: Request) -> Response:
        self.authorization.add(request.headers.get("authorization"))
        return JSONResponse({"version": {"number": "9.1.0", "build_flavor": "default"}})

    async def mapping(self, request: Request) -> Response:
        return JSONResponse({"i": {"mappings": {"properties": {"n": {"type": "long"}}}}})

    async def view(self, request: Request) -> Response:
        return JSONResponse({"id": "view"})

    async def close(self, request: Request) -> Response:
        self.closed = json.loads(await request.body()) == {"id": "view"}
        return JSONResponse({})

    async def search(self, request: Request) -> Response:
        asked = json.loads(await request.body())
        assert "aggs" not in asked
        assert "terms" not in json.dumps(asked)
        self.orders.append(next(iter(asked["sort"][0])))
        if self.changes.get("old") and self.orders[-1] == "_shard_doc":
            return JSONResponse({"error": {}}, status_code=400)
        page = self.pages.pop(0) if self.pages else self.changes["again"]
        hits = [{"_id": str(n), "_index": "i", "_source": {"n": n}, "sort": [n]} for n in page]
        answer = {
            "timed_out": False, "_shards": {"failed": 0},
            "hits": {"total": {"value": self.total, "relation": "eq"}, "hits": hits},
        }  # fmt: skip
        return JSONResponse(answer | self.changes.get("answer", {}))


def of(fake: Fake, **more: Any) -> Dataset:
    with serving(fake.app()) as port:
        descriptor = Descriptor(
            type="elasticsearch", table="i", options={"endpoint": f"http://127.0.0.1:{port}", **more}
        )
        return elasticsearch.extract(descriptor, ReadOptions(), time.monotonic() + 20)


def test_elasticsearch_is_read_through_a_view_that_is_closed_again() -> None:
    fake = Fake()
    assert [row["n"] for row in rows(of(fake, api_key=Secret("key")))] == [0, 1, 2]
    assert fake.closed
    assert fake.authorization == {"ApiKey key"}


def test_a_server_that_does_not_know_the_order_of_views_is_asked_by_ids() -> None:
    fake = Fake(old=True)
    assert of(fake).row_count == 3
    assert set(fake.orders[1:]) == {"_id"}


@pytest.mark.parametrize(
    "fake",
    [
        Fake(total=4),
        Fake(total=2),
        Fake(pages=[[0, 1], [1], []]),
        Fake(pages=[], again=[0, 1]),
        Fake(answer={"timed_out": True}),
        Fake(answer={"_shards": {"failed": 1}}),
        Fake(answer={"hits": {"total": {"value": 3, "relation": "gte"}, "hits": []}}),
        Fake(answer={"hits": {"total": 3, "hits": []}}),
        Fake(answer={"hits": None}),
        Fake(answer={"hits": {"total": {"value": 3, "relation": "eq"}, "hits": [{"_id": 1}]}}),
    ],
)
def test_an_index_that_is_not_answered_whole_is_an_error(fake: Fake) -> None:
    with pytest.raises(ConnectorError) as caught:
        of(fake)
    assert caught.value.reason in ("malformed", "lost")
    assert fake.closed


def test_documents_that_were_not_kept_are_named() -> None:
    fake = Fake(answer={"hits": {"total": {"value": 1, "relation": "eq"}, "hits": [{"_id": "1", "_index": "i"}]}})
    with pytest.raises(ServiceError) as caught:
        of(fake)
    assert caught.value.code == "source_malformed"
