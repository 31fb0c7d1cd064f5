"""Snowflake's driver, against fakesnow: its protocol and SQL over DuckDB, so wiring and grammar, not numerics."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from sqlglot import exp

from service_nb.connectors import catalog, snowflake
from service_nb.connectors.base import SqlLink
from service_nb.engines import canary
from service_nb.engines.memory import MemoryEngine
from service_nb.engines.pushing import Target
from service_nb.errors import SourceMalformedError, SourceNotFoundError, UnsupportedSourceError
from service_nb.readers.dataset import Dataset
from tests.engines.written import SPELLINGS, expected, groups, plans, statement, table
from tests.servers.fakesnow import FakeSnow, fakesnow

pytestmark = pytest.mark.wide
COLUMNS = {
    "g": "varchar",
    "x": "float",
    "i": "number(19,0)",
    "d": "number(12,2)",
    "w": "number(38,10)",
    "day": "date",
    "moment": "timestamp_ntz",
}

# It sends whole numbers beyond 64 bits as doubles.
NOT_HERE = {"sum of long decimals"}


def soon(seconds: float = 60) -> float:
    return time.monotonic() + seconds


@pytest.fixture(scope="module")
def server() -> Iterator[FakeSnow]:
    with fakesnow() as found:
        with found.connect() as connection, connection.cursor() as cursor:
            listed = ", ".join(f'"{name}" {kind}' for name, kind in COLUMNS.items())
            for text in ("CREATE SCHEMA IF NOT EXISTS S", "USE SCHEMA S", f'CREATE TABLE "data" ({listed})'):
                cursor.execute(text)
            for row in table("snowflake").table.to_pylist():
                cursor.execute(f'INSERT INTO "data" VALUES ({", ".join(map(_literal, row.values()))})')
            cursor.execute("CREATE TABLE ODD (T TIME, V VARIANT, B BINARY)")
            cursor.execute("CREATE TABLE SOME (T TIME, MOMENT TIMESTAMP_TZ, V VARIANT, N INTEGER)")
            cursor.execute("INSERT INTO SOME (MOMENT, N) VALUES ('2024-06-01 10:00:00.000001+02:00', 1)")
        yield found


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return f"'{value!r}'::FLOAT"
    return "'" + str(value).replace("\\", "\\\\").replace("'", "''") + "'"


def descriptor(server: FakeSnow, **changes: Any) -> dict[str, Any]:
    given = {"type": "snowflake", "host": server.host, "port": server.port, "account": "tests", "protocol": "http"}
    return {**given, "user": "u", "password": "p", "database": "D", "schema": "S", **changes}


@pytest.fixture(scope="module")
def link(server: FakeSnow) -> Iterator[SqlLink]:
    opened = snowflake.open_link(catalog.parse_descriptor(descriptor(server)), soon())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return table("snowflake")


def relation(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def test_columns_are_known_by_their_types(link: SqlLink, dataset: Dataset) -> None:
    found = {field.name: field.physical for field in link.describe(relation("data"), soon())}
    told = {field.name: field.physical for field in dataset.fields}
    # NUMBER(19,0) may hold more than 64 bits do.
    assert found == {**told, "i": "decimal(19,0)"}


def test_plans_have_the_answers_that_they_mean(link: SqlLink, dataset: Dataset) -> None:
    for title, plan in plans(dataset).items():
        if title in NOT_HERE:
            continue
        made, shape = statement(plan, dataset, SPELLINGS["snowflake"])
        rows = link.fetch_rows(made.tree, made.parameters, 1000, soon())
        assert groups(plan, made, shape, rows) == expected(plan, dataset), title


def test_rows_leave_in_batches(link: SqlLink) -> None:
    found = pa.Table.from_batches(link.fetch_batches(exp.select("*").from_(relation("data")), (), soon()))
    assert found.num_rows == 60
    assert found.schema.field("w").type == pa.decimal128(38, 10)


def test_types_without_a_counterpart_are_refused_by_name(link: SqlLink) -> None:
    for name in ("T", "V"):
        with pytest.raises(UnsupportedSourceError) as caught:
            link.describe(
                exp.select(exp.column(exp.to_identifier(name, quoted=True))).from_(relation("ODD")).subquery("a"),
                soon(),
            )
        assert caught.value.details["column"] == name


def test_a_table_that_is_not_there_is_named_as_such(link: SqlLink) -> None:
    with pytest.raises(SourceNotFoundError):
        link.describe(relation("NOWHERE"), soon())


def test_of_a_table_what_has_no_counterpart_is_left_out_and_offsets_become_utc(server: FakeSnow) -> None:
    given = catalog.parse_descriptor(descriptor(server, table="SOME"))
    found = catalog.open_source(given, soon())
    assert [(field.name, field.physical) for field in found.fields] == [("MOMENT", "datetime"), ("N", "decimal(38,0)")]
    assert len(found.notes) == 2
    spelling = found.link.spelling
    read = spelling.read(found.fields[0], exp.column("MOMENT", quoted=True))
    moment = datetime.datetime.fromisoformat("2024-06-01T08:00:00.000001")
    assert found.link.fetch_rows(exp.select(read.as_("at")).from_(found.relation), (), 5, soon()) == [(moment,)]
    found.link.close()


def test_values_are_bound_and_never_written_into_the_text(link: SqlLink) -> None:
    hostile = 'x\'; DROP TABLE "data"; --'
    tree = exp.select(exp.cast(exp.Placeholder(), "varchar"))
    assert link.fetch_rows(tree, [hostile], 1, soon()) == [(hostile,)]


def test_a_connector_is_tried(server: FakeSnow) -> None:
    assert catalog.try_connector(catalog.parse_descriptor(descriptor(server, table='"data"')), 60)["success"] is True


def test_it_computes_as_the_canary_wants_it_but_for_sums_that_it_sends_as_doubles(link: SqlLink) -> None:
    fields, rows = canary._build_fields(link.spelling), canary._build_rows(link.spelling)
    relation = canary._build_relation(link.spelling, fields, rows)
    target, here = (
        Target(relation=relation, fields={field.name: field for field in fields}),
        canary._build_dataset(fields, rows),
    )
    for plan in canary._iter_plans(fields):
        if plan.aggregation == "count_distinct":  # by a sum, which the simulator sends as a double: it is noticed
            with pytest.raises(SourceMalformedError):
                canary._is_answered_exactly(link, target, MemoryEngine(here), plan, soon(60))
        elif plan.metric != "long":  # as NOT_HERE says; Snowflake itself sends them as they are
            assert canary._is_answered_exactly(link, target, MemoryEngine(here), plan, soon(60)), plan
