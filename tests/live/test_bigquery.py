"""BigQuery's client, against bqemulator: REST and SQL over DuckDB, so wiring and grammar, not numerics."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from google.cloud.bigquery import SchemaField
from sqlglot import exp

from service_nb.connectors import bigquery as connector
from service_nb.connectors import catalog
from service_nb.connectors.base import SqlLink
from service_nb.errors import (
    EngineError,
    InvalidIntentError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.readers.dataset import Dataset
from tests.engines.written import QUESTIONS, SPELLINGS, expected, groups, plans, statement, table
from tests.servers.bigquery import BigQueryEmulator, bigquery

pytestmark = pytest.mark.wide
COLUMNS = {
    "g": "string",
    "x": "float64",
    "i": "int64",
    "d": "numeric(12,2)",
    "w": "numeric",
    "day": "date",
    "moment": "datetime",
}
# Its NUMERIC has 18 digits, its BIGNUMERIC 38.
NOT_HERE = {"sum of long decimals"}


def soon(seconds: float = 60) -> float:
    return time.monotonic() + seconds


@pytest.fixture(scope="module")
def server() -> Iterator[BigQueryEmulator]:
    with bigquery() as found:
        found.run("CREATE SCHEMA tests")
        listed = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        found.run(f"CREATE TABLE tests.data ({listed})")
        rows = [row.values() for row in table("bigquery").table.to_pylist()]
        cells = [", ".join(map(_literal, row, COLUMNS.values())) for row in rows]
        found.run("INSERT INTO tests.data VALUES " + ", ".join(f"({row})" for row in cells))
        found.run("CREATE TABLE tests.odd (t time, b bytes, a array<int64>)")
        found.run("CREATE TABLE tests.some (t time, n int64, b bytes, a array<int64>)")
        found.run("INSERT INTO tests.some (n) VALUES (4)")
        yield found


def _literal(value: Any, kind: str) -> str:
    if value is None or kind == "numeric":
        return "NULL"
    text = str(value)
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"CAST({quoted} AS {kind.partition('(')[0]})"


def descriptor(server: BigQueryEmulator, **changes: Any) -> dict[str, Any]:
    given = {"type": "bigquery", "project": server.project, "endpoint": server.endpoint, "database": "tests"}
    return {**given, **changes}


@pytest.fixture(scope="module")
def link(server: BigQueryEmulator) -> Iterator[SqlLink]:
    opened = connector.open_link(catalog.parse_descriptor(descriptor(server)), soon())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return table("bigquery")


def relation(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True), db=exp.to_identifier("tests", quoted=True))


def asked(title: str, dataset: Dataset) -> tuple[Any, Any, Any]:
    plan = plans(dataset)[title]
    made, shape = statement(plan, dataset, SPELLINGS["bigquery"])
    for node in list(made.tree.find_all(exp.Table)):
        if node.name == "data":
            node.set("db", exp.to_identifier("tests", quoted=True))
    return plan, made, shape


def test_columns_are_known_by_their_types(link: SqlLink) -> None:
    found = {field.name: field.physical for field in link.describe(relation("data"), soon())}
    assert {key: found[key] for key in ("g", "x", "i", "day", "moment")} == {
        "g": "string",
        "x": "float64",
        "i": "int64",
        "day": "date",
        "moment": "datetime",
    }
    assert found["w"] == "decimal(38,9)"


@pytest.mark.parametrize("title", [title for title in QUESTIONS if title not in NOT_HERE])
def test_plans_have_the_answers_that_they_mean(title: str, link: SqlLink, dataset: Dataset) -> None:
    plan, made, shape = asked(title, dataset)
    rows = link.fetch_rows(made.tree, made.parameters, 1000, soon())
    assert groups(plan, made, shape, rows) == expected(plan, dataset)


def test_rows_leave_in_batches(link: SqlLink) -> None:
    found = pa.Table.from_batches(link.fetch_batches(exp.select("x", "g").from_(relation("data")), (), soon()))
    assert found.num_rows == 60
    assert found.schema.types == [pa.float64(), pa.string()]


def test_types_without_a_counterpart_are_refused_by_name(link: SqlLink) -> None:
    for name in ("t", "b", "a"):
        with pytest.raises(UnsupportedSourceError) as caught:
            link.describe(exp.select(name).from_(relation("odd")).subquery("asked"), soon())
        assert caught.value.details["column"] == name


def test_of_a_table_they_are_left_out_and_named(server: BigQueryEmulator) -> None:
    found = catalog.open_source(catalog.parse_descriptor(descriptor(server, table="tests.some")), soon())
    assert [field.name for field in found.fields] == ["n"]
    assert all(name in note for name, note in zip(("TIME", "BYTES", "ARRAY"), found.notes, strict=True))
    assert found.link.fetch_rows(exp.select("n").from_(found.relation), (), 5, soon()) == [(4,)]
    found.link.close()


@pytest.mark.parametrize(
    ("column", "physical"),
    [
        (SchemaField("c", "NUMERIC"), "decimal(38,9)"),
        (SchemaField("c", "NUMERIC", precision=12, scale=2), "decimal(12,2)"),
        (SchemaField("c", "NUMERIC", precision=12), "int64"),
        (SchemaField("c", "BIGNUMERIC", precision=38, scale=20), "decimal(38,20)"),
        (SchemaField("c", "TIMESTAMP"), "datetime"),
    ],
)
def test_digits_are_those_that_a_column_says(column: SchemaField, physical: str) -> None:
    assert connector.describe_column(column).physical == physical


@pytest.mark.parametrize(
    "column",
    [
        SchemaField("c", "BIGNUMERIC"),
        SchemaField("c", "BIGNUMERIC", precision=60, scale=2),
        SchemaField("c", "STRING", mode="REPEATED"),
        SchemaField.from_api_repr({"name": "c", "type": "STRING", "mode": "NULLABLE", "collation": "und:ci"}),
    ],
)
def test_what_has_a_collation_or_no_digits_has_no_counterpart(column: SchemaField) -> None:
    assert connector.describe_column(column).physical is None


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM tests.data WHERE true",
        "DROP TABLE tests.data",
        "CREATE TABLE tests.t AS SELECT 1 AS a",
        "INSERT INTO tests.data (i) VALUES (1)",
        "UPDATE tests.data SET i = 1 WHERE true",
        "TRUNCATE TABLE tests.data",
    ],
)
def test_the_dry_run_stops_what_is_no_select(link: Any, text: str) -> None:
    """As if the check of the tree had let it through."""
    with pytest.raises(EngineError):
        link._check_statement(text, [], soon())
    assert link.fetch_rows(exp.select("COUNT(*)").from_(relation("data")), (), 1, soon()) == [(60,)]


def test_values_are_bound_and_never_written_into_the_text(link: SqlLink) -> None:
    hostile = "x'; DROP TABLE tests.data; --"
    assert link.fetch_rows(exp.select(exp.cast(exp.Placeholder(), "text")), [hostile], 1, soon()) == [(hostile,)]


def test_a_table_that_is_not_there_is_named_as_such(link: SqlLink) -> None:
    with pytest.raises(SourceNotFoundError):
        link.describe(relation("nowhere"), soon())


def test_bytes_that_are_no_number_are_refused(server: BigQueryEmulator) -> None:
    with pytest.raises(InvalidIntentError):
        connector.open_link(catalog.parse_descriptor(descriptor(server, maximum_bytes_billed="many")), soon())


def test_a_connector_is_tried(server: BigQueryEmulator) -> None:
    assert (
        catalog.try_connector(catalog.parse_descriptor(descriptor(server, table="tests.data")), 60)["success"] is True
    )
