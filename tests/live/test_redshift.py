"""Redshift's driver, settings and SQL, against a PostgreSQL that speaks to clients as Redshift does."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import psycopg
import pyarrow as pa
import pytest
from sqlglot import exp

from service_nb.connectors import catalog
from service_nb.connectors import redshift as connector
from service_nb.connectors.base import SqlLink
from service_nb.engines import canary
from service_nb.engines.sql_engine import SqlEngine
from service_nb.errors import (
    ConnectorError,
    QueryInterruptedError,
    QueryTimeoutError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.readers.dataset import Dataset
from tests.engines.cases import groups as answered
from tests.engines.written import SPELLINGS, expected, groups, plans, statement, table
from tests.servers.redshift import RedshiftServer, connected, redshift
from tests.simulators.pressing import asking_to_end

PASSWORD = "the reader's password"
COLUMNS = {
    "g": "varchar(100)",
    "x": "double precision",
    "i": "bigint",
    "d": "decimal(12,2)",
    "w": "decimal(38,10)",
    "day": "date",
    "moment": "timestamp",
}


@pytest.fixture(scope="module")
def server() -> Iterator[RedshiftServer]:
    with redshift() as found:
        with connected(found.behind) as connection:
            connection.execute(f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD.replace(chr(39), chr(39) * 2)}'")
            listed = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
            connection.execute(f"CREATE TABLE data ({listed})")
            rows = [tuple(row.values()) for row in table("redshift").table.to_pylist()]
            marks = ", ".join(["%s"] * len(COLUMNS))
            with connection.cursor() as cursor:
                cursor.executemany(f"INSERT INTO data VALUES ({marks})", rows)
            connection.execute(
                "CREATE TABLE odd (small smallint, single real, padded char(5), clock timetz, tags text[])"
            )
            connection.execute("INSERT INTO odd VALUES (7, 0.1, 'ab', '10:00+02', '{a}')")
            connection.execute("GRANT SELECT ON data, odd TO reader")
        yield found


def descriptor(server: RedshiftServer, **changes: Any) -> dict[str, Any]:
    given = {"type": "redshift", "host": server.host, "port": server.port, "database": "postgres", "user": "reader"}
    return {**given, "password": PASSWORD, "sslmode": "disable", **changes}


def soon(seconds: float = 60) -> float:
    return time.monotonic() + seconds


@pytest.fixture
def link(server: RedshiftServer, patient: None) -> Iterator[SqlLink]:
    opened = connector.open_link(catalog.parse_descriptor(descriptor(server)), soon())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return table("redshift")


def relation(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def test_columns_are_known_by_their_types(link: SqlLink, dataset: Dataset) -> None:
    assert link.describe(relation("data"), soon()) == dataset.fields


def test_an_address_in_one_text_leads_to_the_same_columns(server: RedshiftServer, dataset: Dataset) -> None:
    text = f"redshift://reader:{quote(PASSWORD, safe='')}@{server.host}:{server.port}/postgres?sslmode=disable"
    named = catalog.expand_descriptor(
        catalog.parse_descriptor({"type": "redshift", "connection_string": text, "table": "data"})
    )
    opened = catalog.open_source(named, soon())
    opened.link.close()
    assert opened.fields == dataset.fields


def test_plans_have_the_answers_that_they_mean(link: SqlLink, dataset: Dataset) -> None:
    for title, plan in plans(dataset).items():
        made, shape = statement(plan, dataset, SPELLINGS["redshift"])
        rows = link.fetch_rows(made.tree, made.parameters, 1000, soon())
        assert groups(plan, made, shape, rows) == expected(plan, dataset), title


def test_rows_leave_in_batches_of_the_fields_types(link: SqlLink, dataset: Dataset) -> None:
    found = pa.Table.from_batches(link.fetch_batches(exp.select("*").from_(relation("data")), (), soon()))
    assert found.num_rows == 60
    assert found.schema.field("w").type == pa.decimal128(38, 10)
    assert sorted(map(str, found.to_pylist())) == sorted(map(str, dataset.table.to_pylist()))


def test_narrow_types_become_the_wide_ones_and_others_are_refused_by_name(link: SqlLink) -> None:
    chosen = exp.select("small", "single", "padded").from_("odd")
    fields = link.describe(chosen.subquery("asked"), soon())
    assert [field.physical for field in fields] == ["int64", "float64", "string"]
    for name in ("clock", "tags"):
        with pytest.raises(UnsupportedSourceError) as caught:
            link.describe(exp.select(name).from_("odd").subquery("asked"), soon())
        assert caught.value.details["column"] == name


def test_no_more_rows_than_asked_for_and_one(link: SqlLink) -> None:
    assert len(link.fetch_rows(exp.select("i").from_("data"), (), 10, soon())) == 11


def test_a_statement_ends_at_its_deadline_and_the_session_goes_on(link: SqlLink) -> None:
    slow = exp.select(exp.func("pg_sleep", exp.Literal.number(30)))
    with pytest.raises(QueryTimeoutError):
        link.fetch_rows(slow, (), 1, soon(0.3))
    assert link.fetch_rows(exp.select("1"), (), 1, soon()) == [(1,)]


def test_a_statement_is_cancelled_from_another_thread(link: SqlLink) -> None:
    with asking_to_end(link.cancel), pytest.raises(QueryInterruptedError):
        link.fetch_rows(exp.select(exp.func("pg_sleep", exp.Literal.number(30))), (), 1, soon())
    link.cancel()
    assert link.fetch_rows(exp.select("1"), (), 1, soon()) == [(1,)]


def test_values_are_bound_and_never_written_into_the_text(link: SqlLink) -> None:
    hostile = "x'; DROP TABLE data; --"
    tree = exp.select(exp.cast(exp.Placeholder(), "varchar(100)"))
    assert link.fetch_rows(tree, [hostile], 1, soon()) == [(hostile,)]


HOSTILE = [
    "SELECT 1; DROP TABLE data", "SELECT 1; SELECT 2", "SELECT 1 AS a /* ; */; DELETE FROM data",
    "SELECT 1 -- x\n; DELETE FROM data", "SELECT '\\'; DROP TABLE data; --", "; DROP TABLE data", "COMMIT",
    "COMMIT; DROP TABLE data", "ROLLBACK; DELETE FROM data", "END; CREATE TABLE t (a int)",
    "SET TRANSACTION READ WRITE; DELETE FROM data", "START TRANSACTION READ WRITE; DROP TABLE data",
    "PREPARE TRANSACTION 'a'", "ABORT; DELETE FROM data", "DELETE FROM data", "DROP TABLE data", "TRUNCATE data",
    "UPDATE data SET i = 9", "INSERT INTO data (i) VALUES (1)", "CREATE TABLE t AS SELECT 1 AS a",
    "CREATE VIEW v AS SELECT 1 AS a", "CREATE TEMP TABLE t (a int)", "SELECT * INTO t FROM data",
    "ALTER TABLE data ADD b int", "CREATE SCHEMA x", "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "GRANT ALL ON data TO PUBLIC", "COMMENT ON TABLE data IS 'x'", "CREATE ROLE x", "DROP SCHEMA public CASCADE",
    "CREATE EXTENSION dblink", "CREATE INDEX x ON data (i)", "DROP OWNED BY CURRENT_USER CASCADE",
    "REASSIGN OWNED BY reader TO postgres", "WITH w AS (DELETE FROM data RETURNING 1) SELECT * FROM w",
    "WITH w AS (INSERT INTO data (i) VALUES (1) RETURNING i) SELECT * FROM w",
    "WITH w AS (UPDATE data SET i = 9 RETURNING i) SELECT * FROM w",
    "MERGE INTO data USING data d ON true WHEN MATCHED THEN DELETE", "EXPLAIN ANALYZE DELETE FROM data",
    "COPY data TO PROGRAM 'id'", "COPY data FROM '/etc/passwd'", "COPY data TO '/tmp/out'",
    "COPY data FROM 's3://x' IAM_ROLE 'y'", "UNLOAD ('SELECT 1') TO 's3://x' IAM_ROLE 'y'",
    "CREATE EXTERNAL SCHEMA x FROM DATA CATALOG DATABASE 'd'", "CREATE DATASHARE x", "LOAD 'x'",
    "SELECT pg_read_file('/etc/passwd')", "SELECT pg_ls_dir('/')", "SELECT lo_import('/etc/passwd')",
    "SELECT lo_create(1)", "SELECT lo_from_bytea(1, 'x')", "SELECT pg_stat_file('/etc/passwd')",
    "SELECT nextval('s')", "SELECT setval('s', 9)", "SELECT * FROM data FOR UPDATE",
    "LOCK TABLE data IN ACCESS EXCLUSIVE MODE", "VACUUM data", "CLUSTER data", "REINDEX TABLE data",
    "SET ROLE postgres", "SET SESSION AUTHORIZATION postgres", "SELECT pg_reload_conf()",
    "ALTER SYSTEM SET work_mem = '1MB'", "CALL danger()", "DO $$ BEGIN DELETE FROM data; END $$", "NOTIFY a",
    "LISTEN a", "CHECKPOINT",
]  # fmt: skip


def test_sixty_texts_and_more_are_tried() -> None:
    assert len(set(HOSTILE)) == len(HOSTILE) >= 60


@pytest.mark.wide  # thirteen seconds; the fast tier holds the parser to the same texts
def test_the_session_itself_does_not_write(link: Any, server: RedshiftServer) -> None:
    """As if the check of the tree had let them through."""
    with connected(server.behind) as watching:
        before = _content(watching)
        for text in HOSTILE:
            with pytest.raises(psycopg.Error):
                link._execute(text, [], 5)
            link._finish()
            link._release()
            assert _content(watching) == before, text
    assert link.fetch_rows(exp.select("1"), (), 1, soon()) == [(1,)]


def _content(watching: psycopg.Connection[Any]) -> list[Any]:
    tables = watching.execute("SELECT relname, relacl FROM pg_class WHERE relkind IN ('r', 'S', 'v') ORDER BY 1")
    functions = watching.execute("SELECT count(*) FROM pg_proc")
    return [*tables.fetchall(), functions.fetchone(), watching.execute("SELECT count(*), sum(i) FROM data").fetchone()]


def test_a_table_that_is_not_there_is_named_as_such(link: SqlLink) -> None:
    with pytest.raises(SourceNotFoundError):
        link.describe(relation("nowhere"), soon())


def test_a_wrong_password_is_a_refused_login(server: RedshiftServer) -> None:
    with pytest.raises(ConnectorError) as caught:
        connector.open_link(catalog.parse_descriptor(descriptor(server, password="wrong")), soon())
    assert caught.value.reason == "login_refused"
    assert "reader" not in str(caught.value)


def test_options_that_redshift_does_not_know_are_what_the_stand_in_refuses(server: RedshiftServer) -> None:
    with pytest.raises(psycopg.OperationalError) as caught:
        psycopg.connect(host=server.host, port=server.port, user="reader", password=PASSWORD, dbname="postgres",
                        options="-c geqo=off", sslmode="disable")  # fmt: skip
    assert "unrecognized configuration parameter" in str(caught.value)


def test_a_connector_is_tried(server: RedshiftServer) -> None:
    assert catalog.try_connector(catalog.parse_descriptor(descriptor(server, table="data")), 30)["success"] is True
    assert catalog.try_connector(catalog.parse_descriptor(descriptor(server, user="nobody")), 30)["success"] is False


def test_values_are_of_the_forms_that_the_engine_knows(link: SqlLink) -> None:
    tree = exp.select("x", "d", "day", "moment").from_("data").where(exp.column("i").eq(-9_000_000_000_000_000_000))
    ((x, d, day, at),) = link.fetch_rows(tree, (), 1, soon())
    assert (type(x), d, type(day), type(at)) == (float, None, datetime.date, datetime.datetime)
    assert link.fetch_rows(exp.select("d").from_("data").where("d = 97"), (), 1, soon()) == [(Decimal("97.00"),)]


@pytest.mark.wide
def test_it_computes_as_the_canary_wants_it(link: SqlLink) -> None:
    assert canary.run_canary(link, soon(60))


@pytest.mark.wide  # seconds of sums, on what is no such server anyway
def test_the_engine_has_the_answers_that_plans_mean(server: Any, dataset: Dataset) -> None:
    given = catalog.parse_descriptor(descriptor(server, table="data"))
    found = catalog.open_source(given, soon())
    engine = SqlEngine(
        lambda deadline: connector.open_link(given, deadline), found.relation, found.fields, link=found.link
    )
    try:
        for title, plan in plans(dataset).items():
            assert answered(engine, plan) == expected(plan, dataset), title
        assert "(limbs:" in engine.aggregate(plans(dataset)["sum of doubles"], 20).method
    finally:
        engine.close()
