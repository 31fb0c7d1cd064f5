"""Microsoft's driver, against TDS over DuckDB: what is sent and how it is read; neither T-SQL nor its arithmetic."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from sqlglot import exp

from service_nb.connectors import catalog, mssql
from service_nb.connectors.base import SqlLink
from service_nb.engines import canary
from service_nb.engines.canary import CanaryVerdict
from service_nb.engines.sql_engine import SqlEngine
from service_nb.errors import (
    ConnectorError,
    InvalidIntentError,
    QueryInterruptedError,
    QueryTimeoutError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.readers.dataset import Dataset
from tests.engines.cases import groups as answered
from tests.engines.cases import held, plan_for
from tests.engines.written import SPELLINGS, Stand, expected, groups, plans, statement, table
from tests.servers.tds import TdsServer, tds
from tests.simulators.pressing import asking_to_end

SLOW = exp.select("COUNT(*)").from_(exp.to_table("slow"))


def soon(seconds: float = 60) -> float:
    return time.monotonic() + seconds


@pytest.fixture(scope="module")
def server() -> Iterator[TdsServer]:
    stand = Stand.holding(table("mssql"))
    run = stand.connection.execute
    run("CREATE TABLE odd (small SMALLINT, single FLOAT, fine TIMESTAMP_NS, clock TIME, data BLOB)")
    run("INSERT INTO odd VALUES (7, 0.1, '2024-01-01 10:00:00.1234567', '10:00:00', 'ab')")
    run("CREATE TABLE known (id UUID, fine TIMESTAMP_NS, n BIGINT)")
    run("INSERT INTO known SELECT '6F9619FF-8B86-D011-B42D-00C04FC964FF', NULL, 1 FROM range(2)")
    run("INSERT INTO known VALUES ('00000000-0000-0000-0000-00000000000a', NULL, 5), (NULL, NULL, 7)")
    run("CREATE VIEW slow AS SELECT a.range FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = -1")
    with tds(stand) as found:
        yield found
    stand.connection.close()


def descriptor(server: TdsServer, **changes: Any) -> dict[str, Any]:
    given = {"type": "mssql", "host": server.host, "port": server.port, "database": "tests", "encrypt": "no"}
    return {**given, "user": server.user, "password": server.password, **changes}


@pytest.fixture
def link(server: TdsServer, patient: None) -> Iterator[SqlLink]:
    opened = mssql.open_link(catalog.parse_descriptor(descriptor(server)), soon())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return table("mssql")


def relation(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def test_the_server_tells_its_version(link: SqlLink) -> None:
    assert link.name == "mssql 16.0.1000.6"


def test_columns_are_known_by_their_types(link: SqlLink, dataset: Dataset) -> None:
    assert link.describe(relation("data"), soon()) == dataset.fields


def test_plans_have_the_answers_that_they_mean(link: SqlLink, dataset: Dataset) -> None:
    for title, plan in plans(dataset).items():
        made, shape = statement(plan, dataset, SPELLINGS["mssql"])
        rows = link.fetch_rows(made.tree, made.parameters, 1000, soon())
        assert groups(plan, made, shape, rows) == expected(plan, dataset), title


def test_rows_leave_in_batches_of_the_fields_types(link: SqlLink, dataset: Dataset) -> None:
    found = pa.Table.from_batches(link.fetch_batches(exp.select("*").from_(relation("data")), (), soon()))
    assert found.schema.field("w").type == pa.decimal128(38, 10)
    assert sorted(map(str, found.to_pylist())) == sorted(map(str, dataset.table.to_pylist()))


def test_narrow_types_become_the_wide_ones_and_others_are_refused_by_name(link: SqlLink) -> None:
    chosen = exp.select("small", "single").from_("odd")
    assert [field.physical for field in link.describe(chosen.subquery("asked"), soon())] == ["int64", "float64"]
    for name in ("fine", "clock", "data"):
        with pytest.raises(UnsupportedSourceError) as caught:
            link.describe(exp.select(name).from_("odd").subquery("asked"), soon())
        assert caught.value.details["column"] == name


def test_identifiers_are_texts_in_lower_case_and_what_has_no_counterpart_is_left_out(server: TdsServer) -> None:
    given = catalog.parse_descriptor(descriptor(server, table="known"))
    found = catalog.open_source(given, soon())
    assert [(field.name, field.physical) for field in found.fields] == [("id", "string"), ("n", "int64")]
    (note,) = found.notes
    assert "datetime2(7)" in note
    trust = CanaryVerdict()
    trust.learn_verdict(lambda: True, soon())  # the canary has a test of its own
    engine = SqlEngine(
        lambda until: mssql.open_link(given, until), found.relation, found.fields, link=found.link, trust=trust
    )
    try:
        dataset = held({"id": pa.array([], pa.string()), "n": pa.array([], pa.int64())})
        plan = plan_for(dataset, aggregation="sum", metric="n", group_by=["id"])
        asked = {group.keys: group.value for group in engine.aggregate(plan, 20).groups}
        large, small = "6f9619ff-8b86-d011-b42d-00c04fc964ff", "00000000-0000-0000-0000-00000000000a"
        assert asked == {(large,): 2, (small,): 5, (None,): 7}
    finally:
        engine.close()


@pytest.mark.parametrize("number", [-150, -151, -152])
def test_types_that_the_driver_takes_for_texts_are_left_out(number: int, link: Any) -> None:
    columns = [("a", str, None, None, 1, 0, True), ("b", str, None, None, 1, 0, True)]
    link._cursor = SimpleNamespace(_column_sql_types=[number, 12], close=lambda: None, description=columns)
    strange, plain = link._describe_columns(link._cursor)
    assert (strange.physical, plain.physical) == (None, "string")
    link._cursor = None


def test_every_statement_ends_with_a_transaction_rolled_back(link: SqlLink, server: TdsServer) -> None:
    before = server.rolled_back
    link.fetch_rows(exp.select("1 AS a"), (), 1, soon())
    link.fetch_rows(exp.select("1 AS a"), (), 1, soon())
    assert server.rolled_back >= before + 2


def test_values_are_bound_and_never_written_into_the_text(link: SqlLink, server: TdsServer) -> None:
    hostile = "x'; DROP TABLE data; --"
    tree = exp.select(exp.alias_(exp.cast(exp.Placeholder(), "nvarchar"), "v"))
    assert link.fetch_rows(tree, [hostile], 1, soon()) == [(hostile,)]
    assert not any("DROP" in text for text in server.asked)


def test_no_more_rows_than_asked_for_and_one(link: SqlLink) -> None:
    assert len(link.fetch_rows(exp.select("i").from_(relation("data")), (), 10, soon())) == 11


def test_a_statement_ends_at_its_deadline_and_the_session_goes_on(link: SqlLink) -> None:
    with pytest.raises(QueryTimeoutError):
        link.fetch_rows(SLOW, (), 1, soon(0.5))
    assert link.fetch_rows(exp.select("1 AS a"), (), 1, soon()) == [(1,)]


def test_a_statement_is_cancelled_from_another_thread(link: SqlLink) -> None:
    with asking_to_end(link.cancel), pytest.raises(QueryInterruptedError):
        link.fetch_rows(SLOW, (), 1, soon())
    link.cancel()
    assert link.fetch_rows(exp.select("1 AS a"), (), 1, soon()) == [(1,)]


def test_a_table_that_is_not_there_is_named_as_such(link: SqlLink) -> None:
    with pytest.raises(SourceNotFoundError):
        link.describe(relation("nowhere"), soon())


def test_a_wrong_password_is_a_refused_login_without_the_drivers_text(server: TdsServer) -> None:
    with pytest.raises(ConnectorError) as caught:
        mssql.open_link(catalog.parse_descriptor(descriptor(server, password="wrong")), soon())
    assert caught.value.reason == "login_refused"
    assert "127.0.0.1" not in str(caught.value)


@pytest.mark.parametrize("password", ["}", "a;b", "{x}", "a}};Server=elsewhere", "'\"=", " "])
def test_a_password_cannot_become_another_part_of_the_connection(password: str, server: TdsServer) -> None:
    server.password, kept = password, server.password
    try:
        mssql.open_link(catalog.parse_descriptor(descriptor(server, password=password)), soon()).close()
    finally:
        server.password = kept


def string(text: str, **more: Any) -> str:
    return mssql.build_connection_text(catalog.parse_descriptor({"type": "mssql", "connection_string": text, **more}))


def test_a_connection_string_is_taken_apart_and_written_anew(server: TdsServer) -> None:
    password = server.password.replace("}", "}}")
    text = f"Server=127.0.0.1,{server.port};Database=tests;UID=reader;PWD={{{password}}};Encrypt=no"
    opened = mssql.open_link(catalog.parse_descriptor({"type": "mssql", "connection_string": text}), soon())
    opened.close()
    other = f" data source = tcp:127.0.0.1,{server.port} ; Initial Catalog=tests;User ID=reader;"
    other += f"Password={{{password}}}; Encrypt=Optional;ApplicationIntent=ReadWrite;"
    assert string(text) == string(other)
    assert string(text).endswith("TrustServerCertificate={no};ApplicationIntent={ReadOnly};")
    assert "Encrypt={yes}" in string("Server=a;Database=b;UID=c;PWD=d")
    assert "Server={tcp:other,9}" in string("Server=a,1;Database=b;UID=c;PWD=d", host="other", port=9)


GOOD = "Server=a;Database=b;UID=c;PWD=sesame"


@pytest.mark.parametrize(
    "text",
    [
        *("Trusted_Connection=yes", "Integrated Security=SSPI", "Authentication=ActiveDirectoryMSI", "DSN=x"),
        *("FileDSN=/etc/passwd", "SaveFile=/tmp/x", "Driver=/tmp/x.so", "AttachDBFilename=/tmp/x.mdf", "WSID=x"),
        *("ServerCertificate=/etc/passwd", "HostNameInCertificate=x", "Failover_Partner=x", "MultiSubnetFailover=yes"),
        *("KeystoreAuthentication=x", "ClientCertificate=file:/x", "ClientKey=file:/x", "Trace=yes", "Language=x"),
        *("no=such;key", "nothing", "=", "PWD=other", "UID={c};UID={e}", "Encrypt=perhaps", "x", "a={b}c", "a={b"),
        *("APP={};Trusted_Connection=yes", "APP=};DSN=x", "{APP}=x", "Encrypt=yes;;=;", "trusted_connection\t=yes"),
    ],
)
def test_keys_that_read_files_or_log_in_as_another_are_refused(text: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        string(f"{GOOD};{text}")
    assert "sesame" not in str(caught.value.to_dict())


@pytest.mark.parametrize(
    "host", ["a\\b", "np:a", "lpc:a", "(localdb)\\x", "a,1,2", "tcp:tcp:a", "/tmp/x", "a b", "a;DSN=x", "", ".", "-a"]
)
def test_a_server_is_one_host_reached_by_tcp(host: str) -> None:
    with pytest.raises(InvalidIntentError):
        string(f"Server={{{host}}};Database=b;UID=c;PWD=d")
    if host:
        with pytest.raises(InvalidIntentError):
            mssql.build_connection_text(
                catalog.parse_descriptor({"type": "mssql", "host": host, "database": "b", "user": "c"})
            )


@pytest.mark.wide
def test_it_computes_as_the_canary_wants_it(link: SqlLink) -> None:
    assert canary.run_canary(link, soon(60))


@pytest.mark.wide  # seconds of sums, on what is no such server anyway
def test_the_engine_has_the_answers_that_plans_mean(server: Any, dataset: Dataset) -> None:
    given = catalog.parse_descriptor(descriptor(server, table="data"))
    found = catalog.open_source(given, soon())
    engine = SqlEngine(lambda deadline: mssql.open_link(given, deadline), found.relation, found.fields, link=found.link)
    try:
        for title, plan in plans(dataset).items():
            assert answered(engine, plan) == expected(plan, dataset), title
        assert "(limbs:" in engine.aggregate(plans(dataset)["sum of doubles"], 20).method
    finally:
        engine.close()
