"""PostgreSQL as a live source, against a real server: types, values, sessions, ends."""

from __future__ import annotations

import datetime
import math
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from sqlglot import exp, parse_one

from service_nb.connectors import catalog
from service_nb.connectors.bounds import MOST_ROWS
from service_nb.errors import (
    ConnectorError,
    InvalidIntentError,
    QueryInterruptedError,
    QueryTimeoutError,
    ServiceError,
    SourceMalformedError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from tests.servers.fixtures import PostgresDatabase
from tests.servers.hostile import saying, speaking
from tests.simulators.pressing import asking_to_end

COLUMNS = {
    # column type -> physical type, a literal, the value that is read
    "smallint": ("int64", "7", 7),
    "integer": ("int64", "-7", -7),
    "bigint": ("int64", "9223372036854775807", 2**63 - 1),
    "real": ("float64", "0.1", 0.10000000149011612),
    "double precision": ("float64", "'5e-324'", 5e-324),
    "numeric(12,2)": ("decimal(12,2)", "12.50", Decimal("12.50")),
    "numeric(38,0)": ("decimal(38,0)", "9" * 38, int("9" * 38)),
    "positive": ("decimal(10,2)", "3.25", Decimal("3.25")),
    "text": ("string", "'é ''quoted'' '", "é 'quoted' "),
    "varchar(10)": ("string", "'v'", "v"),
    "char(5)": ("string", "'c'", "c"),
    "mood": ("string", "'sad'", "sad"),
    "uuid": ("string", "'00000000-0000-0000-0000-000000000001'", "00000000-0000-0000-0000-000000000001"),
    "inet": ("string", "'10.0.0.1/8'", "10.0.0.1/8"),
    "boolean": ("boolean", "true", True),
    "date": ("date", "'2020-02-29'", datetime.date(2020, 2, 29)),
    "timestamp": (
        "datetime",
        "'2020-01-01 10:00:00.123456'",
        datetime.datetime.fromisoformat("2020-01-01T10:00:00.123456"),
    ),
    "timestamptz": ("datetime", "'2020-01-01 10:00+05:30'", datetime.datetime.fromisoformat("2020-01-01T04:30")),
}
REFUSED = (
    *("numeric", "numeric(50,2)", "numeric(3,-2)", "json", "jsonb", "xml", "bytea", "integer[]", "text[]", "int4range"),
    *("interval", "time", "timetz", "money", "bit(3)", "point", "box", "tsvector", "pair"),
)


@pytest.fixture(scope="module")
def shop(postgres_database: PostgresDatabase) -> PostgresDatabase:
    run = postgres_database.run
    run("CREATE TYPE mood AS ENUM ('sad', 'glad')")
    run("CREATE TYPE pair AS (a int, b int)")
    run("CREATE DOMAIN positive AS numeric(10,2) CHECK (VALUE > 0)")
    columns = ", ".join(f'"c{number}" {kind}' for number, kind in enumerate(COLUMNS))
    run(f"CREATE TABLE kinds ({columns})")
    run(f"INSERT INTO kinds VALUES ({', '.join(literal for _, literal, _ in COLUMNS.values())})")
    run("CREATE TABLE many AS SELECT i, (i % 7)::text AS g, i / 8.0::float8 AS x FROM generate_series(1, 30000) AS i")
    run('CREATE SCHEMA "Odd one"')
    run('CREATE TABLE "Odd one"."my.table" ("select" int, "Ümläut ""x""" text)')
    run('INSERT INTO "Odd one"."my.table" VALUES (1, \'ü\')')
    run('GRANT USAGE ON SCHEMA "Odd one" TO reader; GRANT SELECT ON "Odd one"."my.table" TO reader')
    run("CREATE TABLE hidden (a int); REVOKE ALL ON hidden FROM reader")
    return postgres_database


@pytest.fixture
def link(shop: PostgresDatabase, patient: None) -> Iterator[Any]:
    opened = catalog.find_connector("postgres").open_link(catalog.parse_descriptor(shop.descriptor()), soon())
    yield opened
    opened.close()


def soon(seconds: float = 60) -> float:
    return time.monotonic() + seconds


def read(link: Any, relation: exp.Expr, *, batches: bool = False) -> Any:
    """All columns as the engine reads them."""
    fields = link.describe(relation, soon())
    spelling = link.spelling
    tree = exp.select(
        *(exp.alias_(spelling.read(field, exp.column(spelling.build_name(field.name))), field.name) for field in fields)
    ).from_(relation.copy())
    return list(link.fetch_batches(tree, (), soon())) if batches else link.fetch_rows(tree, (), 1000, soon())


def test_every_type_is_mapped_and_every_value_is_read_exactly(link: Any) -> None:
    fields = link.describe(exp.to_table("kinds"), soon())
    assert [field.physical for field in fields] == [physical for physical, _, _ in COLUMNS.values()]
    expected = tuple(value for _, _, value in COLUMNS.values())
    assert read(link, exp.to_table("kinds")) == [expected]
    (batch,) = read(link, exp.to_table("kinds"), batches=True)
    (row,) = batch.to_pylist()
    assert tuple(row.values()) == expected


@pytest.mark.parametrize("kind", REFUSED)
def test_a_type_without_a_counterpart_is_refused_by_name(kind: str, link: Any, shop: PostgresDatabase) -> None:
    shop.run("DROP TABLE IF EXISTS odd")
    shop.run(f"CREATE TABLE odd (fine int, strange {kind})")
    asked = exp.select("strange", "fine").from_("odd").subquery("asked")
    with pytest.raises(UnsupportedSourceError) as caught:
        link.describe(asked, soon())
    assert caught.value.details["column"] == "strange"


@pytest.mark.parametrize("kind", REFUSED)
def test_of_a_table_such_a_column_is_left_out(kind: str, link: Any, shop: PostgresDatabase) -> None:
    shop.run("DROP TABLE IF EXISTS odd")
    shop.run(f"CREATE TABLE odd (fine int, strange {kind}, more double precision)")
    shop.run("INSERT INTO odd (fine, more) VALUES (1, 0.5), (1, 1e0), (2, 4e0)")
    found = catalog.open_source(catalog.parse_descriptor(shop.descriptor(table="odd")), soon())
    found.link.close()
    assert [field.name for field in found.fields] == ["fine", "more"]
    (note,) = found.notes
    assert "strange" in note
    assert "CAST(" in note
    assert read(link, exp.to_table("odd")) == [(1, 0.5), (1, 1.0), (2, 4.0)]
    shop.run("ALTER TABLE odd DROP COLUMN fine, DROP COLUMN more")
    with pytest.raises(UnsupportedSourceError):
        link.describe(exp.to_table("odd"), soon())


def test_names_that_need_quotes_are_found(shop: PostgresDatabase) -> None:
    found = catalog.open_source(catalog.parse_descriptor(shop.descriptor(table='Odd one."my.table"')), soon())
    assert [field.name for field in found.fields] == ["select", 'Ümläut "x"']
    assert read(found.link, found.relation) == [(1, "ü")]
    found.link.close()


def test_a_query_is_what_is_read(shop: PostgresDatabase) -> None:
    query = "SELECT g AS label, sum(i) AS total FROM many WHERE i <= 14 /* fourteen */ GROUP BY g"
    found = catalog.open_source(catalog.parse_descriptor(shop.descriptor(query=query)), soon())
    # The sum of integers of 32 bits is one of 64.
    assert [field.physical for field in found.fields] == ["string", "int64"]
    assert sorted(read(found.link, found.relation)) == [
        (str(n), sum(i for i in range(1, 15) if i % 7 == n)) for n in range(7)
    ]
    found.link.close()


def test_values_are_bound_in_their_order_and_nothing_is_made_of_them(link: Any) -> None:
    hole = exp.Placeholder
    tree = (
        exp.select(exp.alias_(exp.cast(hole(), "text"), "a"), exp.alias_(exp.cast(hole(), "bigint"), "b"))
        .from_("many")
        .where(exp.EQ(this=exp.column("i"), expression=hole()))
    )
    text = "'; DROP TABLE many; --%s $1 ? \\"
    assert link.fetch_rows(tree, (text, 2**53 + 1, 3), 10, soon()) == [(text, 2**53 + 1)]


def test_no_more_rows_are_read_than_asked_for(link: Any) -> None:
    assert len(link.fetch_rows(exp.select("i").from_("many"), (), 10, soon())) == 11
    assert len(link.fetch_rows(exp.select("i").from_("many"), (), 0, soon())) == 1


def test_many_rows_come_in_bounded_batches(link: Any) -> None:
    batches = list(link.fetch_batches(exp.select("i", "g", "x").from_("many"), (), soon()))
    sizes = [batch.num_rows for batch in batches]
    assert sum(sizes) == 30_000
    assert max(sizes) == MOST_ROWS
    assert math.fsum(value for batch in batches for value in batch.column("x").to_pylist()) == 30000 * 30001 / 16


def test_batches_may_be_given_up(link: Any) -> None:
    batches = link.fetch_batches(exp.select("i").from_("many"), (), soon())
    next(batches)
    batches.close()
    assert link.fetch_rows(exp.select("1 AS a"), (), 1, soon()) == [(1,)]


def test_what_runs_is_ended_from_another_thread(link: Any) -> None:
    with asking_to_end(link.cancel), pytest.raises(QueryInterruptedError):
        link.fetch_rows(parse_one("SELECT pg_sleep(60) AS a", read="postgres"), (), 1, soon(60))
    assert link.fetch_rows(exp.select("1 AS a"), (), 1, soon()) == [(1,)]


def test_what_runs_is_ended_at_its_deadline(link: Any) -> None:
    with pytest.raises(QueryTimeoutError):
        link.fetch_rows(parse_one("SELECT pg_sleep(60) AS a", read="postgres"), (), 1, soon(0.3))
    assert link.fetch_rows(exp.select("1 AS a"), (), 1, soon()) == [(1,)]


def test_a_request_to_end_that_is_on_its_way_meets_no_other_statement(link: Any) -> None:
    for _ in range(30):  # the server holds the deadline too, so each of them may be the first
        with pytest.raises(QueryTimeoutError):
            link.fetch_rows(parse_one("SELECT pg_sleep(60) AS a", read="postgres"), (), 1, soon(0.02))
        assert link.fetch_rows(parse_one("SELECT pg_sleep(0.01), 1 AS a", read="postgres"), (), 1, soon())[0][1] == 1


def test_a_session_that_the_server_ends_is_lost_and_retryable(link: Any, shop: PostgresDatabase) -> None:
    shop.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'service-nb'")
    with pytest.raises(ConnectorError) as caught:
        link.fetch_rows(exp.select("1 AS a"), (), 1, soon())
    assert (caught.value.reason, caught.value.retryable) == ("lost", True)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"table": "nowhere"}, SourceNotFoundError),
        ({"table": "public.nowhere"}, SourceNotFoundError),
        ({"query": "SELECT nothing FROM many"}, SourceNotFoundError),
        ({"table": "hidden"}, ConnectorError),
        ({"query": "SELECT 1 AS a, 2 AS a"}, ServiceError),
        ({"query": "SELECT i / 0 AS a FROM many WHERE i = 'x'"}, InvalidIntentError),
    ],
)
def test_what_is_not_there_is_told(changes: dict[str, str], kind: type[ServiceError], shop: PostgresDatabase) -> None:
    with pytest.raises(kind):
        catalog.open_source(catalog.parse_descriptor(shop.descriptor(**changes)), soon())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"password": "wrong"}, "login_refused"),
        ({"user": "nobody"}, "login_refused"),
        ({"database": "nowhere"}, "login_refused"),
        ({"sslmode": "require"}, "misconfigured"),
    ],
)
def test_a_login_that_fails_says_why_and_no_more(changes: dict[str, str], reason: str, shop: PostgresDatabase) -> None:
    given = shop.descriptor(**changes)
    with pytest.raises(ConnectorError) as caught:
        catalog.find_connector("postgres").open_link(catalog.parse_descriptor(given), soon())
    assert caught.value.reason == reason
    told = str(caught.value.to_dict())
    assert all(word not in told for word in (given["password"], given["host"], given["user"]))


@pytest.mark.parametrize(
    "words",
    [
        "the database system is starting up",
        "the database system is in recovery mode",
        "the database system is shutting down",
        "the database system is not yet accepting connections",
        "terminating connection because of crash of another server process",
        "sorry, too many clients already",
        "remaining connection slots are reserved for roles with the SUPERUSER attribute",
    ],
)
def test_a_server_that_takes_nobody_for_a_while_refuses_no_login(words: str) -> None:
    fields = b"SFATAL\0VFATAL\0C57P03\0M" + words.encode() + b"\0\0"
    with speaking(saying(b"E" + (len(fields) + 4).to_bytes(4) + fields)) as port:
        given = {"type": "postgres", "host": "127.0.0.1", "port": port, "user": "u", "sslmode": "disable"}
        with pytest.raises(ConnectorError) as caught:
            catalog.find_connector("postgres").open_link(catalog.parse_descriptor(given), soon())
    assert (caught.value.reason, caught.value.retryable) == ("unreachable", True)


@pytest.mark.parametrize("where", ["localhost", "::1", "socket", "connection string"])
def test_it_is_reached_by_every_kind_of_address(where: str, shop: PostgresDatabase) -> None:
    given = shop.descriptor()
    if where == "connection string":
        text = f"postgresql://reader:{given['password'].replace(' ', '%20')}@127.0.0.1:{given['port']}/{shop.name}"
        given = {"type": "postgresql", "connection_string": text}
    else:
        given["host"] = str(shop.server.sockets) if where == "socket" else where
    opened = catalog.find_connector("postgres").open_link(catalog.parse_descriptor(given), soon())
    assert opened.name.startswith("postgres 18.")
    opened.close()


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://h/?passfile=/etc/passwd",
        "host=h service=x",
        "host=a,b user=c",
        "postgresql://h/?sslkey=/x",
        "host='",
    ],
)
def test_a_connection_string_that_would_read_files_or_go_elsewhere_is_refused(text: str) -> None:
    descriptor = catalog.parse_descriptor({"type": "postgres", "connection_string": text})
    with pytest.raises(InvalidIntentError):
        catalog.find_connector("postgres").open_link(descriptor, soon())


@pytest.mark.parametrize("literal", ["'infinity'::date", "'0044-03-15 BC'::date", "'infinity'::timestamp"])
def test_a_date_outside_of_the_calendar_is_an_error_not_another_date(literal: str, link: Any) -> None:
    with pytest.raises(SourceMalformedError):
        link.fetch_rows(parse_one(f"SELECT {literal} AS a", read="postgres"), (), 1, soon())


def test_a_number_that_is_none_is_an_error(link: Any) -> None:
    with pytest.raises(SourceMalformedError):
        link.fetch_rows(parse_one("SELECT 'NaN'::numeric(5,2) AS a", read="postgres"), (), 1, soon())


def test_trying_it_says_what_answers(shop: PostgresDatabase) -> None:
    found = catalog.try_connector(catalog.parse_descriptor(shop.descriptor(table="many")), 60)
    assert found["success"] is True
    assert "postgres 18." in found["message"]
