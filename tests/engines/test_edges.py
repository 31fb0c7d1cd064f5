"""What databases hold that nobody expects: other encodings, dates that are none, NaN among decimals, texts too long.

Answers are those of the values, or typed errors; and conditions find their index.
"""

from __future__ import annotations

import datetime
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest

from service_nb.connectors import catalog
from service_nb.connectors.sql_link import write_query
from service_nb.engines.canary import CanaryVerdict
from service_nb.engines.pushing import Target
from service_nb.engines.sql_engine import SqlEngine
from service_nb.errors import SourceMalformedError
from service_nb.query.sql import Method, build_statement
from service_nb.readers.dataset import Dataset
from service_nb.schema.query import Plan
from service_nb.schema.source import Value
from tests.engines.cases import direct_groups, groups, held, plan_for
from tests.servers.fixtures import READER, ClickHouseDatabase, MariaDatabase, PostgresDatabase

LONGEST_S = 600.0
TRUSTS: dict[str, CanaryVerdict] = {}


@contextmanager
def engine(descriptor: dict[str, Any], trust: CanaryVerdict | None = None) -> Iterator[SqlEngine]:
    parsed = catalog.parse_descriptor(descriptor)
    met = catalog.open_source(parsed, time.monotonic() + LONGEST_S)
    made = SqlEngine(
        lambda deadline: catalog.open_source(parsed, deadline).link,
        met.relation,
        met.fields,
        link=met.link,
        trust=trust,
    )
    try:
        yield made
    finally:
        made.close()


def known(descriptor: dict[str, Any]) -> CanaryVerdict:
    """What is known of a server whose databases are all alike."""
    return TRUSTS.setdefault(descriptor["type"], CanaryVerdict())


def where(column: str, op: str, value: Any = None) -> dict[str, Any]:
    operand = {} if value is None else {"values" if isinstance(value, list) else "value": value}
    return {"aggregation": "count", "filter": {"conditions": [{"column": column, "op": op, **operand}]}}


def counts(descriptor: dict[str, Any], dataset: Dataset, *specs: dict[str, Any]) -> list[Value]:
    with engine(descriptor, known(descriptor)) as live:
        return [live.aggregate(plan_for(dataset, **spec), LONGEST_S).groups[0].value for spec in specs]


def refuses(descriptor: dict[str, Any], dataset: Dataset, **spec: Any) -> None:
    with engine(descriptor, known(descriptor)) as live, pytest.raises(SourceMalformedError):
        live.aggregate(plan_for(dataset, **spec), LONGEST_S)


TEXTS = held({"s": pa.array(["a"])})


# --- encodings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_texts_of_a_file_are_ordered_by_code_point_in_every_encoding(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.execute("CREATE TABLE t (s text)")
        connection.executemany("INSERT INTO t VALUES (?)", [("\uffee",), ("😀",), ("é",), ("z",)])
        connection.commit()
    with engine({"type": "sqlite", "path": str(path), "table": "t"}) as live:
        largest = live.aggregate(plan_for(TEXTS, metric="s", aggregation="max"), LONGEST_S)
        beyond = live.aggregate(plan_for(TEXTS, **where("s", "gt", "é")), LONGEST_S)
    assert largest.groups[0].value == "😀"
    assert beyond.groups[0].value == 2
    assert ("canary" in largest.method) == (encoding != "UTF-8")


@pytest.mark.parametrize("encoding", ["LATIN1", "WIN1252"])
def test_texts_of_a_database_are_ordered_by_code_point_in_every_encoding(
    encoding: str, postgres_database: PostgresDatabase
) -> None:
    outside = PostgresDatabase(postgres_database.server, "postgres")
    name = f"in_{encoding.lower()}"
    outside.run(f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0")
    try:
        database = PostgresDatabase(postgres_database.server, name)
        database.run("CREATE TABLE t (s text)")
        database.run(f"GRANT SELECT ON t TO {READER}")
        database.run("INSERT INTO t VALUES ('é'), ('z'), (%s)", "€" if encoding == "WIN1252" else "ÿ")
        with engine(database.descriptor(table="t")) as live:
            largest = live.aggregate(plan_for(TEXTS, metric="s", aggregation="max"), LONGEST_S).groups[0].value
            smiles = live.aggregate(plan_for(TEXTS, **where("s", "eq", "😀")), LONGEST_S).groups[0].value
        assert (largest, smiles) == ("€" if encoding == "WIN1252" else "ÿ", 0)
    finally:
        outside.run(f"DROP DATABASE {name} WITH (FORCE)")


def test_bytes_that_are_no_text_are_an_error_that_says_so(postgres_database: PostgresDatabase) -> None:
    outside = PostgresDatabase(postgres_database.server, "postgres")
    outside.run("CREATE DATABASE in_ascii ENCODING 'SQL_ASCII' TEMPLATE template0")
    try:
        database = PostgresDatabase(postgres_database.server, "in_ascii")
        database.run("CREATE TABLE t (s text)")
        database.run(f"GRANT SELECT ON t TO {READER}")
        database.run("INSERT INTO t VALUES (E'\\xff')")
        refuses(database.descriptor(table="t"), TEXTS, metric="s", aggregation="max")
    finally:
        outside.run("DROP DATABASE in_ascii WITH (FORCE)")


# --- operands and values that are beyond a type ---------------------------------------------------------------------


def test_a_nul_is_an_operand_that_no_text_of_postgresql_holds(postgres_database: PostgresDatabase) -> None:
    postgres_database.run("CREATE TABLE nul AS SELECT unnest(ARRAY['a', 'ab', 'b', NULL]) AS s")
    found = counts(
        postgres_database.descriptor(table="nul"),
        TEXTS,
        *(where("s", op, "a\0b") for op in ("eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with")),
        where("s", "in", ["a\0b", "b"]),
        where("s", "not_in", ["a\0b", "b"]),
        where("s", "between", ["a\0b", "b\0"]),
    )
    assert found == [0, 3, 2, 2, 1, 1, 0, 0, 1, 2, 2]


def test_operands_that_a_column_does_not_take_are_not_found(postgres_database: PostgresDatabase) -> None:
    one = "00000000-0000-0000-0000-000000000001"
    postgres_database.run("CREATE TYPE mood AS ENUM ('ok', 'bad')")
    postgres_database.run(f"CREATE TABLE odd AS SELECT 'ok'::mood AS s, '{one}'::uuid AS u, 7::oid AS o")
    dataset = held({"s": pa.array(["a"]), "u": pa.array(["a"]), "o": pa.array([1], pa.int64())})
    found = counts(
        postgres_database.descriptor(table="odd"),
        dataset,
        *(where("s", "eq", value) for value in ("ok", "no such")),
        *(where("u", "eq", value) for value in (one, f"{{{one}}}", "zzz")),
        *(where("o", op, value) for op, value in (("eq", 7), ("eq", -1), ("eq", 2**40), ("gt", -5))),
    )
    assert found == [1, 0, 1, 0, 0, 1, 0, 0, 1]


def test_nan_among_decimals_is_ordered_with_nothing_and_is_no_result(postgres_database: PostgresDatabase) -> None:
    postgres_database.run("CREATE TABLE nan AS SELECT unnest(ARRAY['NaN', 1, -1]::numeric(10,2)[])::numeric(10,2) AS n")
    dataset = held({"n": pa.array([Decimal("1.00")], pa.decimal128(10, 2))})
    descriptor = postgres_database.descriptor(table="nan")
    found = counts(
        descriptor, dataset, *(where("n", op, 0) for op in ("gt", "gte", "lt", "ne")), where("n", "lt", 10**20)
    )
    assert found == [1, 1, 1, 3, 2]
    refuses(descriptor, dataset, metric="n", aggregation="sum")


def test_dates_that_are_none_are_no_nulls(mariadb_database: MariaDatabase) -> None:
    with closing(mariadb_database.connect()) as connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION sql_mode = ''")
        cursor.execute("CREATE TABLE zero (d date NOT NULL)")
        cursor.execute("INSERT INTO zero VALUES ('0000-00-00'), ('2020-00-05'), ('2020-01-01')")
    dataset = held({"d": pa.array([datetime.date(2020, 1, 1)])})
    descriptor = mariadb_database.descriptor(table="zero")
    assert counts(
        descriptor,
        dataset,
        {"aggregation": "count", "metric": "d"},
        where("d", "is_null"),
        where("d", "eq", "2020-01-01"),
    ) == [3, 0, 1]
    refuses(descriptor, dataset, aggregation="count", group_by=["d"])
    refuses(descriptor, dataset, aggregation="min", metric="d")


def test_years_of_two_digits_are_numbers(mariadb_database: MariaDatabase) -> None:
    mariadb_database.run("CREATE TABLE years (y year, KEY (y))")
    mariadb_database.run("INSERT INTO years VALUES (0), (1970), (2020), (1901), (2155)")
    dataset = held({"y": pa.array([1], pa.int64())})
    asked = [("lt", 70), ("gt", 70), ("gt", 0), ("eq", 0), ("eq", 70), ("lt", 99_999), ("gt", -5), ("gte", 2155)]
    found = counts(mariadb_database.descriptor(table="years"), dataset, *(where("y", op, value) for op, value in asked))
    assert found == [1, 4, 4, 1, 0, 5, 5, 1]


def test_a_text_longer_than_a_packet_is_no_null(mariadb_database: MariaDatabase) -> None:
    mariadb_database.run("CREATE TABLE `long` (s longtext)")
    mariadb_database.run("INSERT INTO `long` VALUES (REPEAT('x', 2000000)), ('a'), (NULL)")
    ((before,),) = mariadb_database.run("SELECT @@GLOBAL.max_allowed_packet")
    mariadb_database.run("SET GLOBAL max_allowed_packet = 1048576")
    try:
        refuses(mariadb_database.descriptor(table="long"), TEXTS, **where("s", "is_null"))
        refuses(mariadb_database.descriptor(table="long"), TEXTS, aggregation="count", metric="s")
    finally:
        mariadb_database.run(f"SET GLOBAL max_allowed_packet = {before}")
    assert counts(mariadb_database.descriptor(table="long"), TEXTS, where("s", "is_null")) == [1]


# --- data that changes while it is asked for ------------------------------------------------------------------------

PAIRS = "INSERT INTO pairs VALUES (%s, 1), (%s, -1)"
MOVING = held({"x": pa.array([0.1], pa.float64()), "n": pa.array([1], pa.int64())})


@contextmanager
def writing(connection: Any, execute: Any) -> Iterator[None]:
    """Add pairs that cancel, of magnitudes that grow and shrink without end, each pair in a transaction of its own."""
    stop = threading.Event()

    def work() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            value = (0.1 + number) * 2.0 ** (number * 37 % 120 - 60)
            with suppress(sqlite3.OperationalError):  # the file is being read: the next pair then
                execute(value)
        connection.close()

    writer = threading.Thread(target=work)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join()


def sums_are_nothing(descriptor: dict[str, Any]) -> None:
    floats, whole = (plan_for(MOVING, metric=name, aggregation="sum") for name in ("x", "n"))
    rows = plan_for(MOVING, aggregation="count")
    with engine(descriptor, known(descriptor)) as live:
        for plan in [floats, whole, rows] * 8:
            group = live.aggregate(plan, LONGEST_S).groups[0]
            assert group.rows % 2 == 0
            assert plan is rows or group.value == 0


def test_sums_are_of_one_moment_in_postgresql(postgres_database: PostgresDatabase) -> None:
    postgres_database.run("CREATE TABLE pairs AS SELECT 1.5::float8 AS x, 1::int8 AS n UNION ALL SELECT -1.5, -1")
    connection = postgres_database.connect()
    with writing(connection, lambda value: connection.execute(PAIRS, (value, -value))):
        sums_are_nothing(postgres_database.descriptor(table="pairs"))


def test_sums_are_of_one_moment_in_mariadb(mariadb_database: MariaDatabase) -> None:
    mariadb_database.run("CREATE TABLE pairs (x double, n bigint)")
    mariadb_database.run(PAIRS, 1.5, -1.5)
    connection = mariadb_database.connect()
    cursor = connection.cursor()
    with writing(connection, lambda value: cursor.execute(PAIRS, (value, -value))):
        sums_are_nothing(mariadb_database.descriptor(table="pairs"))


def test_sums_are_of_one_moment_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE pairs (x real, n integer)")
    insert = PAIRS.replace("%s", "?")
    connection.execute(insert, (1.5, -1.5))
    with writing(connection, lambda value: connection.execute(insert, (value, -value))):
        sums_are_nothing({"type": "sqlite", "path": str(path), "table": "pairs"})


# --- indexes --------------------------------------------------------------------------------------------------------

ORDERS = held(
    {
        "customer": pa.array(["a"]),
        "number": pa.array([1], pa.int64()),
        "day": pa.array([datetime.date(2024, 1, 1)]),
        "moment": pa.array([datetime.datetime.fromisoformat("2024-01-01")], pa.timestamp("us")),
    }
)
BETWEEN = where("number", "between", [700, 710])
LOOKED_UP = [
    where("customer", "eq", "c77"),
    where("customer", "in", ["c77", "c78"]),
    where("number", "eq", 77),
    BETWEEN,
    where("day", "eq", "2024-03-01"),
    where("moment", "gte", "2024-12-30T12:00:00"),
]


def written(descriptor: dict[str, Any], plan: Plan, mark: str, zone: str | None = None) -> tuple[str, list[Any]]:
    """The text of a plan as it is sent, and what is bound."""
    met = catalog.open_source(catalog.parse_descriptor(descriptor), time.monotonic() + LONGEST_S)
    try:
        assert [*met.fields] == [
            replace(field, zone=zone if field.name == "moment" else None) for field in ORDERS.fields
        ]
        target = Target(relation=met.relation, fields={field.name: field for field in met.fields})
        made = build_statement(plan, met.relation, target.build_shape(met.link, Method.COUNT))
        return write_query(made.tree, met.link.spelling.dialect).bind(made.parameters, mark)
    finally:
        met.link.close()


def test_conditions_find_their_index_in_postgresql(postgres_database: PostgresDatabase) -> None:
    postgres_database.run(
        "CREATE TABLE orders AS SELECT 'c' || i AS customer, i::int4 AS number, '2024-01-01'::date + i % 365 AS day, "
        "'2024-01-01'::timestamptz + i * interval '1 hour' AS moment FROM generate_series(1, 8760) AS i"
    )
    for name in ("customer", "number", "day", "moment"):
        postgres_database.run(f"CREATE INDEX ON orders ({name})")
    postgres_database.run("ANALYZE orders")
    for spec in LOOKED_UP:
        text, bound = written(postgres_database.descriptor(table="orders"), plan_for(ORDERS, **spec), "${1}", "UTC")
        with postgres_database.connect() as connection:
            lines = psycopg.RawCursor(connection).execute(f"EXPLAIN {text}", bound).fetchall()
        assert "Index Cond" in str(lines), spec


def test_conditions_find_their_index_in_mariadb(mariadb_database: MariaDatabase) -> None:
    mariadb_database.run(
        "CREATE TABLE orders (customer varchar(20), number int, day date, moment datetime, "
        "KEY (customer), KEY (number), KEY (day), KEY (moment))"
    )
    mariadb_database.run(
        "INSERT INTO orders SELECT CONCAT('c', seq), seq, '2024-01-01' + INTERVAL MOD(seq, 365) DAY, "
        "'2024-01-01' + INTERVAL seq HOUR FROM seq_1_to_8760"
    )
    for spec in LOOKED_UP:
        if spec == BETWEEN:  # integers are looked up for being equal only, for some are years
            continue
        text, bound = written(mariadb_database.descriptor(table="orders"), plan_for(ORDERS, **spec), "%s")
        lines = mariadb_database.run(f"EXPLAIN {text}", *bound)
        assert any(line[3] in ("ref", "range") for line in lines), spec


@pytest.mark.wide
def test_a_part_of_a_column_is_not_taken_for_a_column_of_that_name(clickhouse_database: ClickHouseDatabase) -> None:
    # To ClickHouse `source.size` is the length of a text `source`, whatever the relation is called.
    run, name = clickhouse_database.run, clickhouse_database.name
    run(f"CREATE TABLE {name}.parts (source Nullable(String), size Int64, `null` Int64) ENGINE = Memory")
    run(f"INSERT INTO {name}.parts VALUES ('text', 100, 7), (NULL, 200, 8)")
    dataset = held({"source": pa.array(["text", None]), "size": pa.array([100, 200]), "null": pa.array([7, 8])})
    with engine(clickhouse_database.descriptor(table="parts")) as live:
        for spec in ({"aggregation": "sum"}, {"aggregation": "max", "group_by": ["null"]}):
            plan = plan_for(dataset, metric="size", **spec)
            assert groups(live, plan) == direct_groups(dataset, plan)
