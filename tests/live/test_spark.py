"""Sessions of Spark Connect with real servers, and what is refused before one is reached."""

from __future__ import annotations

import datetime
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
import sqlglot
from sqlglot import exp

from service_nb.connectors import base, catalog
from service_nb.connectors.spark import ARRIVE_S, KIND, LET_GO_S, SparkLink, SparkSession, open_link, read_address
from service_nb.core.secret import Secret
from service_nb.errors import (
    ConnectorError,
    InvalidIntentError,
    QueryTimeoutError,
    ServiceError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.schema.connector import Descriptor
from service_nb.schema.source import Field
from tests.engines import connect
from tests.servers.sail import Connect, sail
from tests.servers.spark import spark
from tests.simulators.pressing import asking_to_end

# Until a statement's tasks run: interrupted between two jobs, Spark 4.2 begins the next one all the same.
BEGUN_S = 8.0
SERVERS = {"sail": sail, "spark": spark}
MARKED = [pytest.param("sail", marks=pytest.mark.wide), pytest.param("spark", marks=pytest.mark.slow)]
ENDLESS = (
    "SELECT count(*) AS c FROM range(0, 10000) AS a CROSS JOIN range(0, 10000000000) AS b WHERE a.id * b.id % 7 = 3"
)


@pytest.fixture(scope="module", params=MARKED)
def server(request: pytest.FixtureRequest) -> Iterator[Connect]:
    with SERVERS[request.param]() as made:
        yield made


@pytest.fixture
def link(server: Connect) -> Iterator[SparkLink]:
    opened = connect.link(server)
    yield opened
    opened.close()


def soon(seconds: float = connect.PATIENCE_S) -> float:
    return time.monotonic() + seconds


def parsed(text: str) -> exp.Select:
    tree = sqlglot.parse_one(text, read="spark")
    assert isinstance(tree, exp.Select)
    return tree


def asked(text: str) -> exp.Expr:
    return parsed(text).subquery("q")


def test_it_tells_what_it_is(server: Connect, link: SparkLink) -> None:
    assert link.name.startswith("spark 4." if server.session_of_server else "sail ")


def test_many_parameters_keep_their_order(link: SparkLink) -> None:
    values = list(range(40))
    tree = exp.select(*(exp.alias_(exp.Placeholder(), f"c{value}") for value in values))
    assert link.fetch_rows(tree, values, 1, soon()) == [tuple(values)]


@pytest.mark.parametrize(
    ("physical", "kind", "value"),
    [
        ("int64", "number", -(2**63)),
        ("decimal(38,0)", "number", 10**38 - 1),
        ("decimal(38,10)", "number", Decimal("-1234567890123456789012345678.0123456789")),
        ("float64", "number", 5e-324),
        ("float64", "number", float("inf")),
        ("string", "string", "a'b\\\x00é? \U0001f600 -- ; :p0 ${x}"),
        ("boolean", "boolean", True),
        ("date", "date", datetime.date(1, 1, 1)),
        ("datetime", "datetime", datetime.datetime(999, 12, 31, 23, 59, 59, 999999)),  # noqa: DTZ001
    ],
)
def test_what_is_bound_arrives_as_it_is(link: SparkLink, physical: str, kind: Any, value: object) -> None:
    spelling, field = link.spelling, Field(name="x", type=kind, physical=physical)
    tree = exp.select(exp.alias_(spelling.read(field, spelling.build_placeholder(value, field)), "x"))
    assert link.fetch_rows(tree, [spelling.convert_operand(value)], 1, soon()) == [(value,)]


def test_literals_are_read_as_they_were_written(link: SparkLink) -> None:
    fields = [Field(name="x", type="number", physical="float64"), Field(name="t", type="string", physical="string")]
    rows = [(5e-324, "a\\'b\n\t"), (1.7976931348623157e308, "\U0001f600"), (0.1, ""), (1e23, "%_"), (2.5, None)]
    relation = link.spelling.build_literal_rows(fields, rows)
    assert sorted(link.fetch_rows(exp.select("*").from_(relation), (), 10, soon())) == sorted(rows)


def test_columns_are_described_by_their_types(link: SparkLink) -> None:
    query = (
        "SELECT CAST(1 AS TINYINT) AS a, CAST(1 AS FLOAT) AS b, 'x' AS c, DATE '2024-01-01' AS d, TRUE AS e, "
        "CAST('2024-01-01' AS TIMESTAMP_NTZ) AS f, CAST(1 AS DECIMAL(38, 3)) AS g, CAST(1 AS DECIMAL(18, 0)) AS h"
    )
    found = [field.physical for field in link.describe(asked(query), soon())]
    assert found == ["int64", "float64", "string", "date", "boolean", "datetime", "decimal(38,3)", "int64"]


@pytest.mark.parametrize("value", ["ARRAY(1)", "NAMED_STRUCT('a', 1)", "CAST('a' AS BINARY)", "NULL"])
def test_a_type_without_counterpart_is_refused_by_the_columns_name(link: SparkLink, value: str) -> None:
    with pytest.raises(UnsupportedSourceError) as caught:
        link.describe(asked(f"SELECT {value} AS odd"), soon())
    assert caught.value.details["column"] == "odd"


def test_a_table_that_is_not_there_is_not_found(link: SparkLink) -> None:
    with pytest.raises(SourceNotFoundError):
        link.describe(exp.to_table("nowhere"), soon())


@pytest.mark.parametrize("format_", ["text", "csv", "json", "parquet", "binaryFile", "orc", "delta"])
@pytest.mark.parametrize("path", ["/etc/passwd", "file:/etc/passwd", "/etc/*"])
def test_a_file_is_no_table(link: SparkLink, format_: str, path: str) -> None:
    with pytest.raises(SourceNotFoundError):
        link.describe(exp.table_(path, db=format_, quoted=True), soon())
    if link.name.startswith("spark"):  # and the session itself refuses what would get past the name
        with pytest.raises(ServiceError):
            link.fetch_rows(parsed(f"SELECT * FROM {format_}.`{path}`"), (), 1, soon())


def test_a_query_that_is_refused_is_the_users_fault(link: SparkLink) -> None:
    with pytest.raises(InvalidIntentError):
        link.describe(asked("SELECT nothing_like_it FROM (SELECT 1 AS a) AS t"), soon())


def test_casts_raise_instead_of_returning_null(link: SparkLink) -> None:
    with pytest.raises(ServiceError):
        link.fetch_rows(parsed("SELECT CAST(t.a AS BIGINT) AS b FROM (SELECT 'x' AS a) AS t"), (), 1, soon())


def test_a_deadline_ends_the_statement(link: SparkLink) -> None:
    with pytest.raises(QueryTimeoutError):
        link.fetch_rows(parsed(ENDLESS), (), 1, soon(BEGUN_S))
    if link.name.startswith("spark"):  # Sail may go on with what it has begun
        assert link.fetch_rows(parsed("SELECT 1 AS one"), (), 1, soon()) == [(1,)]


def test_another_thread_ends_a_statement(link: SparkLink) -> None:
    with asking_to_end(link.cancel, after=BEGUN_S), pytest.raises(QueryTimeoutError):
        link.fetch_rows(parsed(ENDLESS), (), 1, soon())


def test_what_was_told_to_end_is_no_answer_though_its_stream_ends_well(link: SparkLink) -> None:
    session = link._session

    def interrupt() -> None:  # the first half of `cancel`, which is all that counts when the server is faster
        running = session._running
        if running is not None:
            session._cancelled.set()
            session._interrupt(running[0])

    with asking_to_end(interrupt, after=BEGUN_S), pytest.raises(QueryTimeoutError):
        link.fetch_rows(parsed(ENDLESS), (), 1, soon())


def test_batches_come_one_after_the_other_and_may_be_left(link: SparkLink) -> None:
    batches = link.fetch_batches(parsed("SELECT id, CAST(id AS STRING) AS s FROM range(0, 100000)"), (), soon())
    assert next(batches).num_rows < 100_000
    batches.close()
    assert link.fetch_rows(parsed("SELECT 1 AS one"), (), 1, soon()) == [(1,)]


@pytest.mark.slow
def test_collations_do_not_decide_what_is_equal() -> None:
    with spark() as server:
        link = connect.link(server)
        field = Field(name="a", type="string", physical="string")
        source = "SELECT a COLLATE UTF8_LCASE AS a FROM VALUES ('x'), ('X'), ('x ') AS t(a)"
        key = link.spelling.build_key(field, link.spelling.read(field, exp.column("a")))
        tree = exp.select(exp.alias_(key, "k"), exp.alias_(exp.Count(this=exp.Star()), "n"))
        tree = tree.from_(asked(source)).group_by(key.copy())
        assert sorted(link.fetch_rows(tree, (), 10, soon())) == [("X", 1), ("x", 1), ("x ", 1)]
        link.close()


# --- without a server -----------------------------------------------------------------------------------------------


def test_a_connection_string_is_read_as_it_is_meant() -> None:
    address = read_address("sc://spark.example:443/;token=a%3Db;use_ssl=true;user_id=ann;x-databricks-cluster-id=7")
    assert (address.host, address.port, address.tls, address.user) == ("spark.example", 443, True, "ann")
    assert address.token == Secret("a=b")
    assert address.headers == (("x-databricks-cluster-id", Secret("7")),)
    assert read_address("sc://spark.example/;token=t").tls
    assert not read_address("sc://localhost:15002/;token=t").tls
    assert read_address("sc://localhost").port == 15002


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "spark.example",
            "http://spark.example",
            "sc://",
            "sc:///;token=hush",
            "sc://a/b;token=hush",
            "sc://a:x/",
        ),
        *("sc://a:99999/", "sc://a/;token", "sc://ann:hush@a/", "sc://a/?token=hush", "sc://a/#hush"),
    ],
)
def test_another_text_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        read_address(text)
    assert "hush" not in str(caught.value.to_dict())


def test_a_token_of_the_environment_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", "of someone else")
    assert read_address("sc://spark.example").token is None


def test_nobody_there_is_unreachable_and_a_silent_one_is_late() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for given in ({"host": "127.0.0.1", "port": port}, {"connection_string": Secret(f"sc://127.0.0.1:{port}")}):
            with pytest.raises(ConnectorError) as caught:
                open_link(Descriptor(type="spark", **given), soon(0.5))
            assert caught.value.reason in ("timed_out", "unreachable")
    with pytest.raises(ConnectorError) as caught:
        open_link(Descriptor(type="spark", host="127.0.0.1", port=port), soon(5))
    assert caught.value.reason == "unreachable"


def test_a_server_that_is_busy_hears_of_an_interruption_later() -> None:
    arrived, late = threading.Event(), threading.Event()

    def run_for_a_while(request: object, context: object) -> Iterator[object]:
        late.wait(4 * LET_GO_S)  # the only thread of the server, which looks at nothing else
        yield b""

    def interrupt(request: object, context: object) -> object:
        arrived.set()
        return b""

    handlers = {
        "ExecutePlan": grpc.unary_stream_rpc_method_handler(run_for_a_while),
        "Interrupt": grpc.unary_unary_rpc_method_handler(interrupt),
    }
    server = grpc.server(ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("spark.connect.SparkConnectService", handlers),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        session = SparkSession(read_address(f"sc://127.0.0.1:{port}"), partial(base.import_driver, KIND))
        with pytest.raises(grpc.RpcError):
            list(session.execute("SELECT 1", (), soon(LET_GO_S / 2)))
        assert not arrived.is_set()
        assert arrived.wait(ARRIVE_S)
        session.close()
    finally:
        late.set()
        server.stop(None)


def test_another_protocol_is_no_spark() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_say, args=(server, b"HTTP/1.1 400 Bad Request\r\n\r\n"), daemon=True).start()
        with pytest.raises(ConnectorError):
            open_link(Descriptor(type="spark", host="127.0.0.1", port=server.getsockname()[1]), soon(5))


def _say(server: socket.socket, words: bytes) -> None:
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        with client:
            client.recv(1_000)
            client.sendall(words)


def test_a_program_without_a_file_may_use_the_driver() -> None:
    text = "from service_nb.connectors import base, spark as s; from functools import partial; "
    text += (
        "s.SparkSession(s.read_address('sc://localhost:1'), partial(base.import_driver, s.KIND)).close(); print('fine')"
    )
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", text], capture_output=True, text=True, check=False, cwd=Path.cwd()
    )
    assert found.stdout == "fine\n", found.stderr


def test_the_kind_is_what_the_catalog_knows() -> None:
    assert catalog.find_connector("spark").kind is KIND
    descriptor = catalog.parse_descriptor(
        {"type": "spark", "host": "h", "token": "t", "use_ssl": True, "table": "c.s.t"}
    )
    assert isinstance(descriptor.options["token"], Secret)
