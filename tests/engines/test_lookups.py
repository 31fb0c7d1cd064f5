"""What is looked up in an index leaves no row out that the exact condition holds of, and an index does answer it.

Columns of every type that a database has, with the values at their ends; each condition is asked with what an index may
answer and without it.
"""

from __future__ import annotations

import datetime
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from service_nb.connectors import catalog
from service_nb.connectors.sql_link import write_query
from service_nb.connectors.sqlite import SqliteLink
from service_nb.engines.canary import CanaryVerdict
from service_nb.engines.sql_engine import SqlEngine
from service_nb.query.conditions import OperandError, bind_condition
from service_nb.query.sql import Method, Shape
from service_nb.query.sql_conditions import find_text_after
from service_nb.schema.query import Condition, Op, Plan
from service_nb.schema.source import Field
from tests.servers.fixtures import ClickHouseDatabase, MariaDatabase, PostgresDatabase

PATIENCE_S = 900.0
TRUST = CanaryVerdict()
TRUST.learn_verdict(lambda: True, time.monotonic() + PATIENCE_S)  # how these servers add is tried elsewhere
ONE: tuple[Op, ...] = ("eq", "gt", "gte", "lt", "lte")
INTEGERS = (-(2**63), -(2**31), -129, -1, 0, 1, 50, 127, 128, 1900, 1901, 2000, 2155, 2156, 40_000, 2**31, 2**63 - 1)
NUMBERS: tuple[Any, ...] = (
    *INTEGERS,
    *map(Decimal, ("-0.5", "1.5", "0.005", "0.1", "2.675", "1e9", "16777217", "1e-40")),
)
TEXTS = (
    "a",
    "ab",
    "abc",
    "A",
    "aB",
    "b",
    "ä",
    "ß",
    "5",
    "05",
    "5.0",
    " 5",
    "",
    "a ",
    "a\t",
    "z",
    "\U0001f600",
    "\ud7ff",
)
DAYS = ("1969-12-31", "1970-01-01", "1970-01-03", "2020-02-29", "2100-01-01", "0001-01-01", "9999-12-31")
MOMENTS = (*(f"{day}T00:00:00" for day in DAYS), "2020-02-29T12:00:00.5", "2020-02-29T12:00:00.000001")
OPERANDS: dict[str, Sequence[Any]] = {
    "number": NUMBERS,
    "string": TEXTS,
    "date": [datetime.date.fromisoformat(day) for day in DAYS],
    "datetime": [datetime.datetime.fromisoformat(moment) for moment in MOMENTS],
}


def conditions(field: Field) -> Iterator[tuple[Condition, ...]]:
    """Conditions of every kind over a column, bound to its type."""
    operands = OPERANDS.get(field.type, ())
    made = [Condition(column=field.name, op=op, operand=operand) for op, operand in product(ONE, operands)]
    ends = operands[:: max(1, len(operands) // 5)]
    made += [Condition(column=field.name, op="between", operand=pair) for pair in product(ends, ends)]
    made += [Condition(column=field.name, op="in", operand=tuple(operands[:5]))] if operands else []
    if field.type == "string":
        made += [Condition(column=field.name, op="starts_with", operand=text) for text in operands]
    for condition in made:
        try:
            yield bind_condition(condition, field)
        except OperandError:  # no such operand of that type
            continue


def counting(asked: tuple[Condition, ...]) -> Plan:
    return Plan(
        source_name="data", schema_revision="", aggregation="count", metric=None, group_by=(), conditions=asked,
        order="desc", limit=None, decision_path="exact_spec", plan_hash="", notes={},
    )  # fmt: skip


@contextmanager
def live(descriptor: dict[str, Any]) -> Iterator[tuple[SqlEngine, SqlEngine]]:
    """The engine of a source, and one that looks nothing up."""
    parsed = catalog.parse_descriptor(descriptor)

    def link(deadline: float) -> Any:
        return catalog.find_connector(parsed.type).open_link(parsed, deadline)

    opened = catalog.open_source(parsed, time.monotonic() + PATIENCE_S)
    engine = SqlEngine(link, opened.relation, opened.fields, link=opened.link, trust=TRUST)
    plain = SqlEngine(link, opened.relation, opened.fields, trust=TRUST)
    plain._target = replace(plain._target, indexed=False)
    with closing(engine), closing(plain):
        yield engine, plain


def check(descriptor: dict[str, Any]) -> None:
    """Each condition has as many rows with what is looked up as without."""
    with live(descriptor) as (engine, plain):
        fields = engine._target.fields.values()
        met = [(asked, rows(engine, asked), rows(plain, asked)) for field in fields for asked in conditions(field)]
    assert len(met) > 100
    assert any(found for _, _, found in met)
    assert [(asked, found, wanted) for asked, found, wanted in met if found != wanted] == []


def rows(engine: SqlEngine, asked: tuple[Condition, ...]) -> int:
    return sum(group.rows for group in engine.aggregate(counting(asked), PATIENCE_S).groups)


def filled(run: Callable[..., Any], kinds: dict[str, Iterable[Any]], index: str = "CREATE INDEX ON t ({0})") -> None:
    """A table `t` of one column of each type, with an index of each, and in each row a value of one of them."""
    names = {f"c{number}": kind for number, kind in enumerate(kinds)}
    run(f"CREATE TABLE t ({', '.join(f'{name} {kind}' for name, kind in names.items())})")
    for name, kind in names.items():
        run(index.format(name))
        for value in kinds[kind]:
            run(f"INSERT INTO t ({name}) VALUES ({value})")


def quoted(values: Iterable[Any]) -> list[str]:
    return ["'" + str(value).replace("'", "''") + "'" for value in values]


def whole(bits: int, *, signed: bool = True) -> list[int]:
    """The integers that fit."""
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return [value for value in (*INTEGERS, least, most) if least <= value <= most]


FLOATS = (*(value for value in NUMBERS if abs(value) < 10**9), 3.4e38, -3.4e38, 1e-45)
SHORT = ("0", "-0.5", "1.5", "0.01", "0.1", "2.68", "2.67", "127", "2000", "9999.99")
EVEN_TEXTS = [text for text in TEXTS if text]


@pytest.mark.wide
def test_sqlite_looks_up_what_leaves_nothing_out(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    values: dict[str, Iterable[Any]] = {
        "integer": whole(64), "numeric": whole(53), "": whole(32), "real": [*map(float, SHORT)],
        "blob": [0.5, 1, -7], "text": quoted(TEXTS), "text collate nocase": quoted(TEXTS),
        "int": quoted(["a", "ab", "5 a", "!", "z"]),  # texts that are no numbers stay texts in a column of numbers
    }  # fmt: skip
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        filled(connection.execute, values, "CREATE INDEX i{0} ON t ({0})")
        # Of which affinity a column of this view is, is not said: its first part has no rows.
        connection.execute("CREATE VIEW v AS SELECT c5 AS n, c0 AS s FROM t WHERE 0 UNION ALL SELECT c0, c5 FROM t")
        connection.execute("COMMIT")
    check({"type": "sqlite", "path": str(path), "table": "t"})
    check({"type": "sqlite", "path": str(path), "table": "v"})


@pytest.mark.wide
def test_postgresql_looks_up_what_leaves_nothing_out(postgres_database: PostgresDatabase) -> None:
    with postgres_database.connect() as connection:
        values: dict[str, Iterable[Any]] = {
            "smallint": whole(16), "bigint": whole(64), "real": [*quoted(FLOATS), "'NaN'", "'Infinity'"],
            "double precision": [*quoted(FLOATS), "'NaN'", "'-Infinity'"], "numeric(10,2)": SHORT,
            "text": quoted(EVEN_TEXTS), 'varchar(9) COLLATE "pg_unicode_fast"': quoted(EVEN_TEXTS),
            "char(5)": quoted(["a", "ab", "b"]),
            "date": quoted(DAYS), "timestamp": quoted(MOMENTS), "timestamptz": quoted(MOMENTS[:4]),
        }  # fmt: skip
        filled(lambda statement: connection.execute(statement.encode("utf8", "surrogatepass")), values)
    check(postgres_database.descriptor(table="t"))


@pytest.mark.wide
def test_mariadb_looks_up_what_leaves_nothing_out(mariadb_database: MariaDatabase) -> None:
    values: dict[str, Iterable[Any]] = {
        "tinyint": whole(8), "smallint unsigned": whole(16, signed=False), "int": whole(32), "bigint": whole(64),
        "bigint unsigned": whole(64, signed=False), "year": [0, 1901, 1950, 1970, 2000, 2050, 2155],
        "float": [value for value in FLOATS if value != 1e-45], "float(7,2)": SHORT, "double": FLOATS,
        "double(9,3)": SHORT, "decimal(10,2)": SHORT, "date": quoted(DAYS), "datetime": quoted(MOMENTS[:4]),
        "datetime(6)": quoted(MOMENTS), "timestamp": quoted(MOMENTS[2:4]),
        "varchar(9) character set latin1": quoted(text for text in TEXTS if text < "\u0100"),
    }  # fmt: skip
    filled(mariadb_database.run, values, "CREATE INDEX i{0} ON t ({0})")
    check(mariadb_database.descriptor(table="t"))


@pytest.mark.wide
def test_clickhouse_looks_up_what_leaves_nothing_out(clickhouse_database: ClickHouseDatabase) -> None:
    place = clickhouse_database.name
    late = [moment for moment in MOMENTS if "1970-01-03" <= moment < "2101"]
    for kind, values in {
        "DateTime": [moment[:19].replace("T", " ") for moment in late],
        "DateTime('Asia/Tokyo')": [moment[:19].replace("T", " ") for moment in late],
        "DateTime64(3)": [moment.replace("T", " ")[:23] for moment in late],
        "DateTime64(6, 'UTC')": ["1900-01-01 00:00:00", *(moment.replace("T", " ") for moment in late)],
    }.items():
        clickhouse_database.run(f"CREATE OR REPLACE TABLE {place}.t (k {kind}) ENGINE = MergeTree ORDER BY k")
        listed = ", ".join(f"('{value}')" for value in values)
        clickhouse_database.run(f"INSERT INTO {place}.t VALUES {listed}")
        check(clickhouse_database.descriptor(table="t"))


@pytest.mark.parametrize(
    ("column", "op", "operand"),
    [
        ("n", "eq", 7), ("n", "gt", 990), ("n", "between", (3, 5)), ("n", "in", (1, 2)), ("x", "lt", 0.5),
        ("s", "eq", "v7"), ("s", "starts_with", "v99"), ("s", "lte", "v1"), ("s", "gt", "99"),
    ],
)  # fmt: skip
def test_sqlite_answers_by_an_index(column: str, op: Op, operand: Any, tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE t (n INTEGER, x REAL, s TEXT); CREATE INDEX i ON t (n); CREATE INDEX j ON t (x);"
            "CREATE INDEX k ON t (s); INSERT INTO t SELECT value, value / 7.0, 'v' || value FROM "
            "(WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c LIMIT 1000) SELECT value FROM c)"
        )
        with live({"type": "sqlite", "path": str(path), "table": "t"}) as engines:
            told = []
            for engine in engines:
                plan = counting((Condition(column=column, op=op, operand=operand),))
                assert rows(engine, plan.conditions) > 0
                made = engine._target.statements.build_groups(plan, engine._target.relation, shape_of(engine))
                text, bound = write_query(made.tree, "sqlite").bind(made.parameters, "?")
                told.append(str(connection.execute(f"EXPLAIN QUERY PLAN {text}", bound).fetchall()))
    assert "SEARCH asked_source USING" in told[0]
    assert "SCAN asked_source" in told[1]


def shape_of(engine: SqlEngine) -> Shape:
    link: Any = SqliteLink(Path())
    return engine._target.build_shape(link, Method.COUNT)


@pytest.mark.parametrize("prefix", ["a", "az", "\ud7ff", "a\U0010ffff", "é", "\0"])
def test_no_text_that_begins_so_comes_after_the_end(prefix: str) -> None:
    end = find_text_after(prefix)
    assert end is not None
    assert not end.startswith(prefix)
    for following in ("", "\0", "a", "\U0010ffff" * 3):
        assert prefix + following < end
    assert find_text_after("") is find_text_after("\U0010ffff") is None
