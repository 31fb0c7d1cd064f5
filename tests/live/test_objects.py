"""Objects are copied as they were listed and read as files; what changes meanwhile, or is too much, is refused."""

from __future__ import annotations

import gc
import io
import json
import time
from collections.abc import Iterator
from decimal import Decimal
from email.utils import formatdate
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from service_nb.connectors import gcs, s3
from service_nb.connectors.addresses import allow_hosts
from service_nb.core.secret import Secret
from service_nb.engines.duckdb import DuckDBEngine
from service_nb.errors import ConnectorError, InvalidIntentError, ServiceError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor
from service_nb.schema.source import Limits
from tests.servers.asgi import serving
from tests.servers.certificates import certificates
from tests.servers.hostile import saying, speaking
from tests.servers.tls import encrypted

DATE = formatdate(1_700_000_000, usegmt=True)


def parquet(**columns: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def arrow(**columns: Any) -> bytes:
    sink = io.BytesIO()
    table = pa.table(columns)
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def workbook() -> bytes:
    sink = io.BytesIO()
    book = openpyxl.Workbook()
    book.active.append(["a"])  # type: ignore[union-attr]
    book.active.append([1])  # type: ignore[union-attr]
    book.save(sink)
    return sink.getvalue()


OBJECTS: dict[str, bytes] = {
    "one.csv": b"a,b\n1,x\n2,y\n",
    "one.tsv": b"a\tb\n1\tx\n",
    "one.json": b'[{"a": 9007199254740993}]',
    "one.ndjson": b'{"a": 1}\n{"a": 2}\n',
    "one.parquet": parquet(a=[1, 2, 3]),
    "one.arrow": arrow(a=[1, 2]),
    "one.xlsx": workbook(),
    "euro.csv": "a;b\n1.143,22 €;22.12.2024\n-0,50 €;01.02.2025\n".encode(),
    "euro.json": b'[{"a": "1.143,22", "b": "7,5%"}]',
    "csv/1.csv": b"\xef\xbb\xbfa,b\r\n1,x\r\n",
    "csv/2.csv": b'a,b\n2.5,"y\nz"\n3,w',
    "csv/_SUCCESS": b"",
    "csv/deep/3.csv": b"a,b\n4,v\n",
    "bad/1.csv": b"a,b\n1,2\n",
    "bad/2.csv": b"b,a\n1,2\n",
    "json/1.json": b'[{"a": 1}]',
    "json/2.json": b'{"records": [{"a": 2, "b": "x"}]}',
    "nd/1.ndjson": b'{"a": 1}',
    "nd/2.ndjson": b'{"a": 2}\n',
    "arrow/1.arrow": arrow(a=["x", "y"]),
    "arrow/2.arrow": arrow(a=["z"]),
    "pq/1.parquet": parquet(a=[1.5, 2.5]),
    "pq/sub/2.parquet": parquet(a=[3.5]),
    "part/a=1/1.parquet": parquet(b=[1]),
    "delta/_delta_log/0.json": b"{}",
    "delta/1.parquet": parquet(b=[1]),
    "mixed/1.csv": b"a\n1\n",
    "mixed/2.json": b"[]",
    "packed.csv.gz": b"x",
    "plain": b"a\n1\n",
}


class Store:
    """A small S3: lists and gives objects, to everyone, and does what a test wants of it meanwhile."""

    def __init__(self, objects: dict[str, bytes]) -> None:
        self.objects = dict(objects)
        self.signed: set[bool] = set()
        self.before_get: Any = None
        self.after_get: Any = None

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/bucket", self.list, methods=["GET"]),
                Route("/bucket/", self.list, methods=["GET"]),
                Route("/bucket/{key:path}", self.get, methods=["GET", "HEAD"]),
            ]
        )

    async def list(self, request: Request) -> Response:
        self.signed.add("authorization" in request.headers)
        prefix = request.query_params.get("prefix", "")
        keys = sorted(key for key in self.objects if key.startswith(prefix))
        listed = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2023-11-14T22:13:20.000Z</LastModified>"
            f"<ETag>&quot;{hash(self.objects[key])}&quot;</ETag><Size>{len(self.objects[key])}</Size></Contents>"
            for key in keys
        )
        text = f"<ListBucketResult><IsTruncated>false</IsTruncated>{listed}</ListBucketResult>"
        return Response(text, media_type="application/xml")

    async def get(self, request: Request) -> Response:
        key = request.path_params["key"]
        if request.method == "GET" and self.before_get:
            self.before_get(key)
        data = self.objects.get(key)
        if data is None:
            return Response("<Error><Code>NoSuchKey</Code></Error>", status_code=404)
        tag = f'"{hash(data)}"'
        if request.headers.get("if-match", tag) != tag:
            return Response(status_code=412)
        if request.method == "GET" and self.after_get:
            self.after_get(key)
        return Response(data, headers={"ETag": tag, "Last-Modified": DATE})


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with serving(Store(OBJECTS).app()) as port:
        yield f"http://127.0.0.1:{port}"


def read(endpoint: str, table: str, *, limits: Limits | None = None, **options: Any) -> Dataset:
    descriptor = Descriptor(
        type="s3",
        database="bucket",
        table=table,
        options={"endpoint": endpoint, "anonymous": "true", **options},
    )
    with allow_hosts(["127.0.0.1", "localhost"]):
        return s3.CONNECTOR.extract(descriptor, ReadOptions(limits=limits or Limits()), time.monotonic() + 30)


EURO = {"decimal": "comma", "thousands": "point", "date_format": "%d.%m.%Y", "currency": "€"}


def test_texts_are_read_in_the_form_that_a_connector_says(endpoint: str) -> None:
    found = read(endpoint, "euro.csv", **EURO)
    assert column(found) == [Decimal("1143.22"), Decimal("-0.50")]
    assert [field.physical for field in found.fields] == ["decimal(18,2)", "date"]
    found = read(endpoint, "euro.json", decimal=",", thousands=".", percent="true")
    assert [column(found), column(found, "b")] == [[Decimal("1143.22")], [Decimal("0.075")]]


@pytest.mark.parametrize("options", [{"decimal": ";"}, {"currency": "5"}, {"percent": "often"}, {"date_format": "%q"}])
def test_a_form_that_is_none_is_refused(endpoint: str, options: dict[str, str]) -> None:
    with pytest.raises(InvalidIntentError):
        read(endpoint, "euro.csv", **options)


def column(dataset: Dataset, name: str = "a") -> list[Any]:
    table = dataset.table if dataset.table is not None else pa.concat_tables(map(pq.read_table, dataset.parquet or ()))
    found: list[Any] = table[name].to_pylist()
    return found


@pytest.mark.parametrize(
    ("table", "options", "values"),
    [
        ("one.csv", {}, [1, 2]),
        ("one.tsv", {}, [1]),
        ("one.json", {}, [9007199254740993]),
        ("one.ndjson", {}, [1, 2]),
        ("one.parquet", {}, [1, 2, 3]),
        ("one.arrow", {}, [1, 2]),
        ("one.xlsx", {}, [1]),
        ("plain", {"format": "csv"}, [1]),
        ("csv/", {}, [1.0, 2.5, 3.0, 4.0]),
        ("csv/*.csv", {}, [1.0, 2.5, 3.0]),
        ("csv/**/*.csv", {}, [1.0, 2.5, 3.0, 4.0]),
        ("csv/[!1].csv", {}, [2.5, 3.0]),
        ("csv/?.csv", {}, [1.0, 2.5, 3.0]),
        ("json/*.json", {}, [1, 2]),
        ("nd/*.ndjson", {}, [1, 2]),
        ("arrow/", {}, ["x", "y", "z"]),
        ("pq/", {}, [1.5, 2.5, 3.5]),
    ],
)
def test_objects_of_every_format_are_read_as_files(
    endpoint: str, table: str, options: dict[str, str], values: list[Any]
) -> None:
    dataset = read(endpoint, table, **options)
    assert column(dataset) == values
    assert dataset.row_count == len(values)
    assert dataset.stamps == ()
    assert dataset.content.sha256 is not None
    assert "etag" in dataset.notes[0]
    assert dataset.content == read(endpoint, table, **options).content


@pytest.mark.parametrize(
    ("table", "options", "code"),
    [
        ("missing.csv", {}, "source_not_found"),
        ("missing/", {}, "source_not_found"),
        ("*.none", {}, "source_not_found"),
        ("bad/", {}, "source_malformed"),
        ("mixed/", {}, "unsupported_source"),
        ("packed.csv.gz", {}, "unsupported_source"),
        ("plain", {}, "unsupported_source"),
        ("plain", {"format": "cvs"}, "invalid_intent"),
        ("part/", {}, "unsupported_source"),
        ("delta/", {}, "unsupported_source"),
        ("one.csv", {"format": "parquet"}, "source_malformed"),
        ("one.xlsx", {"sheet": "Other"}, "invalid_intent"),
        ("csv/", {"limits": Limits(members=2)}, "limit_exceeded"),
        ("one.csv", {"limits": Limits(text_bytes=3)}, "limit_exceeded"),
        ("../../etc/passwd", {"format": "csv"}, "connector_failed"),
    ],
)
def test_what_is_not_one_table_is_refused(endpoint: str, table: str, options: dict[str, Any], code: str) -> None:
    with pytest.raises(ServiceError) as caught:
        read(endpoint, table, **options)
    assert caught.value.code == code


def test_parquet_is_scanned_in_its_copy_which_lives_as_long_as_the_source(endpoint: str) -> None:
    dataset = read(endpoint, "pq/")
    assert dataset.parquet is not None
    folder = Path(dataset.parquet[0]).parent
    assert folder.stat().st_mode & 0o077 == 0
    engine = DuckDBEngine(dataset)
    del dataset
    gc.collect()
    assert engine.read_statistics("a").maximum == 3.5
    engine.close()
    del engine
    gc.collect()
    assert not folder.exists()


def test_nothing_is_left_of_other_formats(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    kept = read(endpoint, "csv/")
    with pytest.raises(ServiceError):
        read(endpoint, "bad/")
    assert kept.row_count == 4
    assert list(tmp_path.iterdir()) == []


def test_a_key_never_says_where_its_copy_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    names = ("x/..\\..\\evil.csv", "x/a\nb.csv", "x/~root.csv", "x/$(touch evil).csv", "x/%2e%2e%2fevil.csv")
    for name in names:
        with serving(Store({name: b"a\n1\n"}).app()) as port:
            try:
                assert read(f"http://127.0.0.1:{port}", "x/").row_count == 1
            except ServiceError as error:  # a key that has no address
                assert error.code in ("connector_failed", "source_not_found")  # noqa: PT017
    assert [path.name for path in tmp_path.iterdir()] == ["temporary"]


@pytest.mark.parametrize("when", ["before_get", "after_get"])
@pytest.mark.parametrize("table", ["csv/", "one.csv"])
def test_an_object_that_changes_meanwhile_is_noticed(when: str, table: str) -> None:
    store = Store(OBJECTS)

    def change(key: str) -> None:
        store.objects[key] = b"a,b\n9,9\n"

    setattr(store, when, change)
    with serving(store.app()) as port, pytest.raises(ServiceError) as caught:
        read(f"http://127.0.0.1:{port}", table)
    assert caught.value.code == "source_changed"


def test_an_object_that_is_added_meanwhile_is_noticed() -> None:
    store = Store(OBJECTS)
    store.after_get = lambda _: store.objects.setdefault("csv/new.csv", b"a,b\n1,1\n")
    with serving(store.app()) as port, pytest.raises(ServiceError) as caught:
        read(f"http://127.0.0.1:{port}", "csv/")
    assert caught.value.code == "source_changed"


def test_keys_of_the_environment_are_lent_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "planted", "AWS_SECRET_ACCESS_KEY": "planted", "AWS_SESSION_TOKEN": "planted",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    store = Store(OBJECTS)
    with serving(store.app()) as port:
        endpoint = f"http://127.0.0.1:{port}"
        assert read(endpoint, "csv/").row_count == 4
        assert store.signed == {False}
        without = Descriptor(type="s3", database="bucket", table="one.csv", options={"endpoint": endpoint})
        with allow_hosts(["127.0.0.1"]), pytest.raises(ServiceError) as caught:
            s3.CONNECTOR.extract(without, ReadOptions(), time.monotonic() + 10)
    assert caught.value.code == "invalid_intent"


@pytest.mark.parametrize(
    "options",
    [
        {"endpoint": "http://169.254.169.254/"}, {"endpoint": "http://127.0.0.1:1"}, {"endpoint": "https://127.0.0.1:1"},
        {"endpoint": "http://93.184.215.14"}, {"endpoint": "file:///etc"}, {"endpoint": "https://user@host/"},
        {"endpoint": "https://public.example"}, {"endpoint": "https://amazonaws.com.example"},
        {"endpoint": "https://evilamazonaws.com"}, {"endpoint": "http://s3.us-east-1.amazonaws.com"},
        {"endpoint": "https://[::ffff:169.254.169.254]/"}, {"endpoint": "gopher://x"}, {"region": "a/../b"},
    ],
)  # fmt: skip
def test_an_endpoint_that_is_private_or_open_is_refused(options: dict[str, str]) -> None:
    descriptor = Descriptor(type="s3", database="bucket", table="a.csv", options={"anonymous": "true", **options})
    with pytest.raises(ServiceError) as caught:
        s3.CONNECTOR.extract(descriptor, ReadOptions(), time.monotonic() + 10)
    assert caught.value.code in ("invalid_intent", "connector_failed")


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nETag: x\r\nLast-Modified: " + DATE.encode() + b"\r\nContent-Length: 100\r\n\r\na\n1\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\n",
        b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n",
    ],
)
def test_a_broken_answer_is_an_error(answer: bytes) -> None:
    with speaking(saying(answer)) as port, pytest.raises(ConnectorError):
        read(f"http://127.0.0.1:{port}", "one.csv")


def test_a_key_of_google_names_no_server_to_send_tokens_to() -> None:
    key = {"private_key": "x", "client_email": "a@b", "token_uri": "http://127.0.0.1/", "gcs_base_url": "http://x"}
    descriptor = Descriptor(type="gcs", password=Secret(json.dumps(key)), options={})
    kept = json.loads(gcs._access(descriptor)["service_account_key"])
    assert set(kept) == {"private_key", "client_email"}


@pytest.mark.parametrize("password", ["planted", "{}", '{"private_key": 1, "client_email": "x"}', "[]"])
def test_a_key_of_google_that_is_none_is_refused_and_not_repeated(password: str) -> None:
    descriptor = Descriptor(type="gcs", database="bucket", table="a.csv", password=Secret(password))
    with pytest.raises(ServiceError) as caught:
        gcs.CONNECTOR.extract(descriptor, ReadOptions(), time.monotonic() + 10)
    assert caught.value.code == "invalid_intent"
    assert "planted" not in str(caught.value.to_dict())


# --- where the client may go ------------------------------------------------------------------------------------------


class Elsewhere:
    """Another server, which counts who comes."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self.answer, methods=["GET", "HEAD"])])

    async def answer(self, request: Request) -> Response:
        self.asked.append(request.url.path)
        return Response(b"a\n1\n", headers={"ETag": '"x"', "Last-Modified": DATE})


@pytest.mark.parametrize("status", [302, *(pytest.param(each, marks=pytest.mark.wide) for each in (301, 307, 308))])
@pytest.mark.parametrize("table", ["one.csv", "csv/"])
def test_a_store_that_sends_elsewhere_is_not_followed(status: int, table: str) -> None:
    other = Elsewhere()
    with serving(other.app()) as there:

        async def lead(request: Request) -> Response:
            return Response(status_code=status, headers={"Location": f"http://127.0.0.1:{there}{request.url.path}"})

        with (
            serving(Starlette(routes=[Route("/{path:path}", lead, methods=["GET", "HEAD"])])) as here,
            pytest.raises(ConnectorError) as caught,
        ):
            read(f"http://127.0.0.1:{here}", table)
    assert caught.value.reason == "not_allowed"
    assert not other.asked


def test_an_endpoint_of_the_environment_is_not_gone_to(monkeypatch: pytest.MonkeyPatch) -> None:
    other, store = Elsewhere(), Store(OBJECTS)
    with serving(other.app()) as there, serving(store.app()) as here:
        for name in (
            "AWS_ENDPOINT",
            "AWS_ENDPOINT_URL",
            "AWS_ENDPOINT_URL_S3",
            "HTTP_PROXY",
            "http_proxy",
            "ALL_PROXY",
        ):
            monkeypatch.setenv(name, f"http://127.0.0.1:{there}")
        assert read(f"http://127.0.0.1:{here}", "csv/").row_count == 4
    assert not other.asked


@pytest.mark.parametrize("what", ["a list", "an object"])
def test_a_store_that_sends_for_ever_is_left(what: str) -> None:
    said = {
        "a list": b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n<ListBucketResult>",
        "an object": b'HTTP/1.1 200 OK\r\nETag: "x"\r\nLast-Modified: ' + DATE.encode() + b"\r\n\r\n",
    }
    endless = saying(said[what], repeat=b"<Contents><Key>k</Key></Contents>" * 10_000)
    with speaking(endless) as port, pytest.raises(ServiceError) as caught:
        read(f"http://127.0.0.1:{port}", "csv/" if what == "a list" else "one.csv")
    assert caught.value.code in (("limit_exceeded",) if what == "a list" else ("connector_failed", "limit_exceeded"))


def test_a_store_behind_tls_is_read_by_those_who_know_its_authority(tmp_path: Path) -> None:
    made = certificates(tmp_path)
    with serving(Store(OBJECTS).app()) as port:
        with encrypted(port, made.server, made.key) as tls:
            endpoint = f"https://localhost:{tls}"
            assert read(endpoint, "csv/", ca=str(made.authority)).row_count == 4
            for ca in (None, made.stranger):
                with pytest.raises(ConnectorError):
                    read(endpoint, "csv/", **({} if ca is None else {"ca": str(ca)}))
        for shown in (made.expired, made.elsewhere, made.selfmade):
            with encrypted(port, shown, made.key) as tls, pytest.raises(ConnectorError):
                read(f"https://localhost:{tls}", "csv/", ca=str(made.authority))
