"""ClickHouse as a live source, against a real one: types, values, requests, ends."""

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
from service_nb.errors import (
    ConnectorError,
    QueryInterruptedError,
    QueryTimeoutError,
    ServiceError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from tests.servers.fixtures import ClickHouseDatabase
from tests.simulators.pressing import asking_to_end

pytestmark = pytest.mark.wide
MOMENT = datetime.datetime.fromisoformat("2020-01-01T10:00:00.123456")
COLUMNS = {
    # column type -> physical type, a literal, the value that is read
    "Int8": ("int64", "-128", -128),
    "UInt32": ("int64", "4294967295", 4294967295),
    "Int64": ("int64", "9223372036854775807", 2**63 - 1),
    "UInt64": ("decimal(20,0)", "18446744073709551615", 2**64 - 1),
    "Float32": ("float64", "0.1", 0.10000000149011612),
    "Float64": ("float64", "5e-324", 5e-324),
    "Nullable(Float64)": ("float64", "NULL", None),
    "Decimal(12, 2)": ("decimal(12,2)", "12.50", Decimal("12.50")),
    "Decimal(38, 3)": ("decimal(38,3)", "-0.001", Decimal("-0.001")),
    "String": ("string", "'é \\'quoted\\' \\t'", "é 'quoted' \t"),
    "LowCardinality(String)": ("string", "'q'", "q"),
    "LowCardinality(Nullable(String))": ("string", "NULL", None),
    "FixedString(4)": ("string", "'ab'", "ab"),
    "Enum8('sad' = 1, 'glad' = 2)": ("string", "'glad'", "glad"),
    "UUID": ("string", "'00000000-0000-0000-0000-000000000001'", "00000000-0000-0000-0000-000000000001"),
    "Bool": ("boolean", "true", True),
    "Date": ("date", "'2020-02-29'", datetime.date(2020, 2, 29)),
    "Date32": ("date", "'1950-02-28'", datetime.date(1950, 2, 28)),
    "DateTime('Asia/Kolkata')": ("datetime", "'2020-01-01 15:30:00'", MOMENT.replace(microsecond=0)),
    "DateTime64(6, 'UTC')": ("datetime", "'2020-01-01 10:00:00.123456'", MOMENT),
}
REFUSED = ("Int128", "UInt256", "Decimal(50, 2)", "Array(Int64)", "Map(String, Int64)", "Tuple(Int64)", "DateTime64(9)")


@pytest.fixture(scope="module")
def shop(clickhouse_database: ClickHouseDatabase) -> ClickHouseDatabase:
    run, name = clickhouse_database.run, clickhouse_database.name
    columns = ", ".join(f"`c{number}` {kind}" for number, kind in enumerate(COLUMNS))
    run(f"CREATE TABLE {name}.kinds ({columns}) ENGINE = Memory")
    run(f"INSERT INTO {name}.kinds VALUES ({', '.join(literal for _, literal, _ in COLUMNS.values())})")
    run(f"CREATE TABLE {name}.many ENGINE = Memory AS SELECT number + 1 AS i, i / 8 AS x FROM numbers(300000)")
    return clickhouse_database


@pytest.fixture
def link(shop: ClickHouseDatabase) -> Iterator[Any]:
    opened = catalog.find_connector("clickhouse").open_link(catalog.parse_descriptor(shop.descriptor()), soon())
    yield opened
    opened.close()


def soon(seconds: float = 30) -> float:
    return time.monotonic() + seconds


def as_read(link: Any, relation: exp.Expr) -> exp.Select:
    """All columns as the engine reads them."""
    spelling, fields = link.spelling, link.describe(relation, soon())
    columns = [exp.alias_(spelling.read(one, exp.column(spelling.build_name(one.name))), one.name) for one in fields]
    return spelling.add_settings(exp.select(*columns).from_(relation.copy()))


def test_every_type_is_mapped_and_every_value_is_read_exactly(link: Any) -> None:
    fields = link.describe(exp.to_table("kinds"), soon())
    assert [field.physical for field in fields] == [physical for physical, _, _ in COLUMNS.values()]
    expected = tuple(value for _, _, value in COLUMNS.values())
    tree = as_read(link, exp.to_table("kinds"))
    assert link.fetch_rows(tree, (), 10, soon()) == [expected]
    (batch,) = link.fetch_batches(tree, (), soon())
    assert tuple(batch.to_pylist()[0].values()) == expected


@pytest.mark.parametrize("kind", REFUSED)
def test_a_type_without_a_counterpart_is_refused_by_name(kind: str, link: Any, shop: ClickHouseDatabase) -> None:
    shop.run(f"CREATE OR REPLACE TABLE {shop.name}.odd (fine Int8, strange {kind}) ENGINE = Memory")
    with pytest.raises(UnsupportedSourceError) as caught:
        link.describe(exp.select("strange", "fine").from_("odd").subquery("asked"), soon())
    assert caught.value.details["column"] == "strange"
    assert [field.name for field in link.describe(exp.to_table("odd"), soon())] == ["fine"]
    assert len(link.left_out) == 1


@pytest.mark.parametrize(
    "value",
    [
        *(1, -(2**63), 2**64, True, 0.1, 5e-324, 1.7976931348623157e308, "", "é\\'\"\n\t\0 {p0:Int64}"),
        *(Decimal("-1.250"), datetime.date(1950, 1, 2), MOMENT),
    ],
)
def test_a_bound_value_arrives_as_it_is(value: Any, link: Any) -> None:
    tree = exp.select(exp.alias_(exp.Placeholder(), "v"), exp.alias_(exp.Literal.string("{p0:Int64}"), "w"))
    assert link.fetch_rows(tree, (value,), 1, soon()) == [(value, "{p0:Int64}")]


def test_no_more_rows_are_read_than_asked_for(link: Any) -> None:
    assert len(link.fetch_rows(exp.select("i").from_("many"), (), 10, soon())) == 11


def test_many_rows_come_in_bounded_batches(link: Any) -> None:
    batches = list(link.fetch_batches(as_read(link, exp.to_table("many")), (), soon()))
    assert len(batches) > 1
    assert math.fsum(value for batch in batches for value in batch.column("x").to_pylist()) == 300000 * 300001 / 16


def test_what_runs_is_ended_from_another_thread(link: Any) -> None:
    with asking_to_end(link.cancel), pytest.raises(QueryInterruptedError):
        link.fetch_rows(
            parse_one("SELECT sum(number) AS a FROM numbers(100000000000)", read="clickhouse"), (), 1, soon(60)
        )


def test_what_runs_is_ended_at_its_deadline(link: Any) -> None:
    with pytest.raises(QueryTimeoutError):
        link.fetch_rows(
            parse_one("SELECT sum(number) AS a FROM numbers(100000000000)", read="clickhouse"), (), 1, soon(0.3)
        )
    assert link.fetch_rows(exp.select("1 AS a"), (), 1, soon()) == [(1,)]


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"table": "nowhere"}, SourceNotFoundError),
        ({"table": "elsewhere.nowhere"}, ServiceError),
        ({"query": "SELECT nothing FROM many"}, SourceNotFoundError),
        ({"password": "wrong", "table": "many"}, ConnectorError),
        ({"secure": "true", "table": "many"}, ConnectorError),
    ],
)
def test_what_is_not_there_is_told(changes: dict[str, str], kind: type[ServiceError], shop: ClickHouseDatabase) -> None:
    given = shop.descriptor(**changes)
    with pytest.raises(kind) as caught:
        catalog.open_source(catalog.parse_descriptor(given), soon())
    assert given["password"] not in str(caught.value.to_dict())
    assert given["host"] not in str(caught.value.to_dict())
