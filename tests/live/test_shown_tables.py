"""First rows and profiles of tables in databases: as the rows say it, inside the database and from rows alike."""

from __future__ import annotations

import datetime
import math
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from service_nb.connectors import catalog
from service_nb.engines import pushed_inspection
from service_nb.engines.engine import Row
from service_nb.engines.pushed_inspection import InspectedTable
from service_nb.engines.sql_engine import SqlEngine
from service_nb.errors import LimitExceededError, SourceChangedError
from service_nb.query.inspection import build_preview, build_profile
from service_nb.schema.source import DEFAULT_LIMITS, Limits, write_exact_text
from tests.engines import loading
from tests.engines.cases import held
from tests.servers.fixtures import ClickHouseDatabase, MariaDatabase, PostgresDatabase

Rows = list[tuple[Any, ...]]
DEADLINE_S = 600.0
PROFILE = build_profile("t", "0" * 64)


def make_table(*, is_wide: bool) -> pa.Table:
    """Rows of every type with ties and nulls; `is_wide`: NaN and infinities as well, and truth."""
    pick = random.Random(11)
    size = 400
    floats = [None, 0.0, -0.0, 1.5, -1e300, 5e-300, *([math.nan, math.inf, -math.inf] if is_wide else [])]
    texts = [None, "", "z", "Z", "é", "a b", "｡", "\U0001f600", "'; DROP TABLE t --"]
    start = datetime.date(1999, 12, 31)
    columns: dict[str, tuple[list[Any], pa.DataType]] = {
        "a": ([pick.choice([None, 1, 2, 2**62]) for _ in range(size)], pa.int64()),
        "f": ([pick.choice(floats) for _ in range(size)], pa.float64()),
        "t": ([pick.choice(texts) for _ in range(size)], pa.string()),
        "m": ([pick.choice([None, Decimal("1.50"), Decimal("-7.25")]) for _ in range(size)], pa.decimal128(12, 2)),
        "d": ([pick.choice([None, start, start + datetime.timedelta(days=60)]) for _ in range(size)], pa.date32()),
        "b": ([pick.choice([None, True, False]) for _ in range(size)], pa.bool_()),
        "nothing": ([None] * size, pa.int64()),
        "n": ([*range(size)], pa.int64()),
    }
    kept = {name: each for name, each in columns.items() if is_wide or name != "b"}
    return pa.table({name: pa.array(values, kind) for name, (values, kind) in kept.items()})


@contextmanager
def opened(descriptor: dict[str, Any], limits: Limits = DEFAULT_LIMITS) -> Iterator[SqlEngine]:
    parsed = catalog.parse_descriptor(descriptor)
    found = catalog.open_source(parsed, time.monotonic() + DEADLINE_S)
    engine = SqlEngine(
        lambda deadline: catalog.open_source(parsed, deadline).link,
        found.relation,
        found.fields,
        limits,
        link=found.link,
    )
    try:
        yield engine
    finally:
        engine.close()


def show(engine: SqlEngine, rows: int | None = None, *names: str) -> list[Row]:
    fields = [field for name, field in engine._target.fields.items() if not names or name in names]
    plan = PROFILE if rows is None else build_preview("t", "0" * 64, rows, is_live=True)
    return engine.inspect(plan, fields, 0, DEADLINE_S)


def bare(rows: Rows) -> list[tuple[str, ...]]:
    """Rows as texts, in which all NaN are one."""
    return [tuple(map(repr, row)) for row in rows]


def sorted_rows(table: pa.Table) -> Rows:
    """The reference: Python's sort of the rows by each value, zeros of one sign."""
    rows = [
        tuple(0.0 if value == 0.0 and isinstance(value, float) else value for value in row.values())
        for row in table.to_pylist()
    ]

    def rank(value: Any) -> tuple[int, Any]:
        return (2, 0) if value is None else (1, 0) if value != value else (0, value)

    return sorted(rows, key=lambda row: [rank(value) for value in row])


def counted(table: pa.Table) -> Rows:
    """The reference of a profile without types and distributions."""
    found: Rows = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        present = [value for value in column.to_pylist() if value is not None]
        numbers = [value + 0.0 if isinstance(value, float) else value for value in present if value == value]
        different = len(set(numbers)) + (len(numbers) < len(present))
        ends = [None, None] if pa.types.is_boolean(column.type) or not numbers else [min(numbers), max(numbers)]
        nulls = column.null_count
        found.append((name, table.num_rows, nulls, different, *map(write_exact_text, ends)))
    return found


def check(descriptor: dict[str, Any], table: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """All is found in the database itself, is the same when it is read, and is what the rows say."""
    with opened(descriptor) as engine:
        due = sorted_rows(table)
        for count in (1, 37, 10_000):
            read = bare(show(engine, count))
            assert read == bare(due[:count])
        some = sorted_rows(table.select(["t", "a"]).select(["a", "t"]))[:50]
        assert bare(show(engine, 50, "a", "t")) == bare(some)
        whole = show(engine)
        assert [(row[0], *row[3:8]) for row in whole] == counted(table)
        assert all(row[8] != "[]" or row[0] == "nothing" for row in whole)
        monkeypatch.setattr(pushed_inspection, "MOST_PROFILED", 0)
        read_rows = InspectedTable.read
        monkeypatch.setattr(InspectedTable, "read", None)
        pushed = show(engine)
        assert bare(show(engine, 37)) == bare(due[:37])
        assert [row[:8] for row in pushed] == [row[:8] for row in whole]
        assert {row[8] for row in pushed} == {"[]"}
        monkeypatch.setattr(InspectedTable, "read", read_rows)
        monkeypatch.setattr(InspectedTable, "push", lambda *_: None)
        assert show(engine) == pushed
        assert bare(show(engine, 37)) == bare(due[:37])


def test_sqlite_shows_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = make_table(is_wide=False).drop_columns(["m", "d", "nothing"])
    check(loading.into_sqlite(tmp_path, "t", held(table)), table, monkeypatch)


def test_postgresql_shows_a_table(postgres_database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    table = make_table(is_wide=True)
    check(loading.into_postgres(postgres_database, "shown", held(table)), table, monkeypatch)


def test_mariadb_shows_a_table(mariadb_database: MariaDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    table = make_table(is_wide=False)
    check(loading.into_mariadb(mariadb_database, "shown", held(table)), table, monkeypatch)


@pytest.mark.wide
def test_clickhouse_shows_a_table(clickhouse_database: ClickHouseDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    table = make_table(is_wide=True)
    check(loading.into_clickhouse(clickhouse_database, "shown", held(table)), table, monkeypatch)


def test_long_texts_are_sorted_here(postgres_database: PostgresDatabase) -> None:
    texts = ["x" * 2_000 + end for end in "cab"]
    with opened(loading.into_postgres(postgres_database, "long", held({"t": pa.array(texts)}))) as engine:
        assert [row[0][-1] for row in show(engine, 2)] == ["a", "b"]


def test_what_is_read_has_limits(postgres_database: PostgresDatabase) -> None:
    descriptor = loading.into_postgres(postgres_database, "limited", held({"t": pa.array(["x" * 300] * 50)}))
    with opened(descriptor, Limits(cells=49)) as engine, pytest.raises(LimitExceededError):
        show(engine, 60)


def test_other_columns_are_another_source(postgres_database: PostgresDatabase) -> None:
    with opened(loading.into_postgres(postgres_database, "changing", held({"n": pa.array([1])}))) as engine:
        show(engine)
        postgres_database.run("ALTER TABLE changing ALTER COLUMN n TYPE numeric(20, 2)")
        for rows in (None, 3):
            with pytest.raises(SourceChangedError):
                show(engine, rows)
