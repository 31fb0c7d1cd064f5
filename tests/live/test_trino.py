"""Trino by its own driver, against its protocol with DuckDB behind."""

from __future__ import annotations

import datetime
import socket
import time
from collections.abc import Iterator
from decimal import Decimal

import pytest
import sqlglot
from sqlglot import exp

from service_nb.connectors import catalog
from service_nb.connectors.trino import KIND, TrinoLink, open_link
from service_nb.core.secret import Secret
from service_nb.errors import (
    ConnectorError,
    EngineError,
    InvalidIntentError,
    QueryInterruptedError,
    QueryTimeoutError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.schema.connector import Descriptor
from service_nb.schema.source import Field
from tests.servers.trino import Coordinator, trino
from tests.simulators.pressing import asking_to_end

ENDLESS = "SELECT count(*) AS c FROM big AS a CROSS JOIN big AS b WHERE a.i * b.i % 7 = 3"


@pytest.fixture
def server() -> Iterator[Coordinator]:
    with trino() as made:
        made.database.execute("CREATE TABLE ten AS SELECT i, CAST(i AS DOUBLE) AS d FROM range(10) AS t(i)")
        made.database.execute("CREATE VIEW big AS SELECT i FROM range(100000000) AS t(i)")
        yield made


@pytest.fixture
def link(server: Coordinator) -> Iterator[TrinoLink]:
    opened = open_link(told(server), soon())
    yield opened
    opened.close()


def told(server: Coordinator, **more: object) -> Descriptor:
    return Descriptor(**{"type": "trino", "host": "127.0.0.1", "port": server.port, "user": "reader", **more})


def soon(seconds: float = 60) -> float:
    return time.monotonic() + seconds


def parsed(text: str) -> exp.Select:
    tree = sqlglot.parse_one(text, read="trino")
    assert isinstance(tree, exp.Select)
    return tree


def test_it_tells_its_version(link: TrinoLink) -> None:
    assert link.name == "trino 480"


def test_rows_come_from_all_pages_and_no_more_than_asked_for(link: TrinoLink) -> None:
    assert len(link.fetch_rows(parsed("SELECT i, d FROM ten"), (), 100, soon())) == 10
    assert len(link.fetch_rows(parsed("SELECT i, d FROM ten"), (), 4, soon())) == 5
    assert sum(batch.num_rows for batch in link.fetch_batches(parsed("SELECT i, d FROM ten"), (), soon())) == 10


@pytest.mark.parametrize(
    ("physical", "kind", "value"),
    [
        ("int64", "number", -(2**63)),
        ("int64", "number", 2**63 - 1),
        ("float64", "number", 5e-324),
        ("float64", "number", 1e23),
        ("float64", "number", float("-inf")),
        ("decimal(38,10)", "number", Decimal("-1234567890123456789012345678.0123456789")),
        ("string", "string", "a'b\\\x00é? \U0001f600 -- ; :p0"),
        ("boolean", "boolean", True),
        ("date", "date", datetime.date(1, 1, 1)),
        ("datetime", "datetime", datetime.datetime(999, 12, 31, 23, 59, 59, 999999)),  # noqa: DTZ001
    ],
)
def test_what_is_bound_arrives_as_it_is(link: TrinoLink, physical: str, kind: str, value: object) -> None:
    spelling, field = link.spelling, Field(name="x", type=kind, physical=physical)
    tree = exp.select(exp.alias_(spelling.read(field, spelling.build_placeholder(value, field)), "x"))
    assert link.fetch_rows(tree, [spelling.convert_operand(value)], 1, soon()) == [(value,)]


def test_columns_are_described_by_their_types(link: TrinoLink) -> None:
    query = "SELECT CAST(1 AS REAL) AS a, 1.5e0 AS b, 'x' AS c, CAST(1 AS DECIMAL(38,3)) AS d, CAST(1 AS SMALLINT) AS e"
    fields = link.describe(parsed(query.replace("SMALLINT", "INTEGER")).subquery("q"), soon())
    assert [field.physical for field in fields] == ["float64", "float64", "string", "decimal(38,3)", "int64"]


def test_a_type_without_counterpart_is_refused_by_the_columns_name(link: TrinoLink) -> None:
    with pytest.raises(UnsupportedSourceError) as caught:
        link.describe(
            parsed("SELECT i, CAST(i AS TIME) AS odd FROM (SELECT TIME '01:02:03' AS i)").subquery("q"), soon()
        )
    assert caught.value.details["column"] in ("i", "odd")


def test_a_table_that_is_not_there_is_not_found(link: TrinoLink) -> None:
    with pytest.raises(SourceNotFoundError):
        link.describe(exp.to_table("nowhere"), soon())


def test_a_query_that_is_refused_is_the_users_fault_and_a_plan_is_ours(link: TrinoLink) -> None:
    with pytest.raises(InvalidIntentError):
        link.describe(parsed("SELECT nothing_like_it FROM ten").subquery("q"), soon())
    with pytest.raises(EngineError):
        link.fetch_rows(parsed("SELECT nothing_like_it FROM ten"), (), 1, soon())


def test_a_deadline_ends_the_statement_at_the_coordinator(server: Coordinator, link: TrinoLink) -> None:
    with pytest.raises(QueryTimeoutError):
        link.fetch_rows(parsed(ENDLESS), (), 1, soon(0.5))
    last = list(server.queries.values())[-1]
    assert last.cancelled
    assert "query_max_run_time" in last.properties
    assert link.fetch_rows(parsed("SELECT 1 AS one"), (), 1, soon()) == [(1,)]


def test_another_thread_ends_a_statement(server: Coordinator, link: TrinoLink) -> None:
    with asking_to_end(link.cancel), pytest.raises(QueryInterruptedError):
        link.fetch_rows(parsed(ENDLESS), (), 1, soon(60))
    assert list(server.queries.values())[-1].cancelled


def test_rows_that_nobody_reads_are_cancelled(server: Coordinator, link: TrinoLink) -> None:
    link.fetch_rows(parsed("SELECT i FROM ten"), (), 1, soon())
    assert list(server.queries.values())[-1].cancelled


def test_an_answer_leads_nowhere_else(server: Coordinator, link: TrinoLink) -> None:
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.settimeout(0.2)
        server.elsewhere = f"http://127.0.0.1:{trap.getsockname()[1]}/v1/statement/"
        with pytest.raises(ConnectorError):
            link.fetch_rows(parsed("SELECT 1 AS one"), (), 1, soon())
        with pytest.raises(TimeoutError):
            trap.accept()


def test_a_password_never_goes_over_http() -> None:
    for secret in (
        {"password": Secret("tell nobody")},
        {"options": {"token": Secret("tell nobody"), "scheme": "http"}},
    ):
        options = {"scheme": "http", **secret.get("options", {})}
        descriptor = Descriptor(type="trino", host="127.0.0.1", user="reader", **{**secret, "options": options})
        with pytest.raises(InvalidIntentError) as caught:
            open_link(descriptor, soon())
        assert "tell nobody" not in str(caught.value.to_dict())


def test_a_refused_login_is_told_apart(server: Coordinator) -> None:
    with pytest.raises(ConnectorError) as caught:
        open_link(told(server, user="nobody"), soon())
    assert caught.value.reason == "login_refused"


def test_nothing_of_the_servers_own_words_is_repeated(link: TrinoLink) -> None:
    with pytest.raises(SourceNotFoundError) as caught:
        link.describe(exp.to_table("nowhere"), soon())
    assert "secret.example" not in str(caught.value.to_dict())


def test_nobody_there_is_unreachable_and_a_silent_one_is_late() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(ConnectorError) as caught:
            open_link(Descriptor(type="trino", host="127.0.0.1", port=port, user="reader"), soon(0.5))
        assert caught.value.reason in ("timed_out", "unreachable")
    with pytest.raises(ConnectorError) as caught:
        open_link(Descriptor(type="trino", host="127.0.0.1", port=port, user="reader"), soon(5))
    assert caught.value.reason == "unreachable"


def test_the_kind_is_what_the_catalog_knows() -> None:
    assert catalog.find_connector("trino").kind is KIND
    descriptor = catalog.parse_descriptor({"type": "trino", "host": "h", "user": "u", "token": "t", "table": "c.s.t"})
    assert isinstance(descriptor.options["token"], Secret)
