"""Random tables in real databases, and where their answers differ from what the plans mean."""

from __future__ import annotations

import datetime
import sqlite3
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from service_nb.connectors import catalog
from service_nb.engines.canary import CanaryVerdict
from service_nb.engines.memory import MemoryEngine
from service_nb.engines.sql_engine import SqlEngine
from service_nb.errors import ServiceError
from service_nb.schema.query import Plan
from tests.engines import fuzzing
from tests.engines.cases import as_enum, as_plain, bits, duckdb, groups, stored
from tests.engines.fuzzing import Table
from tests.engines.loading import backquoted, backslashed, quoted
from tests.servers.clickhouse import clickhouse
from tests.servers.fixtures import (
    READER,
    READER_PASSWORD,
    ClickHouseDatabase,
    MariaDatabase,
    PostgresDatabase,
)
from tests.servers.mariadb import mariadb
from tests.servers.postgres import postgres

LONGEST_S = 600.0  # the first answer waits for the canary, on whatever machine this is


@dataclass
class Place:
    """Where tables of a kind of database are made, and what is known of it already."""

    database: Any
    trust: CanaryVerdict = field(default_factory=CanaryVerdict)


@dataclass
class Found:
    """Plans that had another answer, each with both; and plans that were not pushed down, each with the reason."""

    differing: list[tuple[str, Any, Any]] = field(default_factory=list)
    extracted: list[tuple[str, str]] = field(default_factory=list)


def differences(place: Place, kind: str, seed: int, count: int) -> Found:
    """Make the table of a number, ask the plans over it, and drop it."""
    made = fuzzing.table(kind, seed)
    found = Found()
    with loaded(place, kind, made, f"fuzz{seed}") as descriptor, opened(descriptor, made, place.trust) as engine:
        reference = MemoryEngine(made.dataset)
        for plan in fuzzing.plans(kind, seed, count):
            wanted = groups(reference, plan)
            try:
                answer = engine.aggregate(plan, LONGEST_S)
            except ServiceError as error:
                found.differing.append((described(plan), error.code, wanted))
                continue
            told = {tuple(map(bits, group.keys)): (group.rows, bits(group.value)) for group in answer.groups}
            if told != wanted or len(told) != len(answer.groups):
                found.differing.append((described(plan), told, wanted))
            if "extracted" in answer.method:
                found.extracted.append((described(plan), answer.method))
    return found


def of_duckdb(folder: Path, kind: str, seed: int, count: int) -> list[tuple[str, str, Any, Any]]:
    """Ask the plans over the table of a number of DuckDB, in each form in which it may hold the rows."""
    dataset = fuzzing.table(kind, seed).dataset
    forms = {
        "held": dataset,
        "enum": as_enum(dataset),
        "plain": as_plain(dataset),
        "stored": stored(folder, dataset.table, f"{kind}{seed}", row_group_size=17),
        "bare": stored(folder, dataset.table, f"{kind}{seed}bare", row_group_size=50, write_statistics=False),
    }
    plans, reference = fuzzing.plans(kind, seed, count), MemoryEngine(dataset)
    wanted = [groups(reference, plan) for plan in plans]
    found = []
    for form, rows in forms.items():
        with duckdb(rows) as engine:
            told = [groups(engine, plan) for plan in plans]
        differing = [each for each in zip(plans, told, wanted, strict=True) if each[1] != each[2]]
        found += [(form, described(plan), met, meant) for plan, met, meant in differing]
    return found


def described(plan: Plan) -> str:
    """What a plan asks."""
    return f"{plan.aggregation} {plan.metric!r} by {plan.group_by} where {plan.conditions}"


@contextmanager
def opened(descriptor: dict[str, Any], made: Table, trust: CanaryVerdict) -> Iterator[SqlEngine]:
    """The engine of a table, found to have the columns that it was made with."""
    parsed = catalog.parse_descriptor(descriptor)
    met = catalog.open_source(parsed, time.monotonic() + LONGEST_S)
    engine = SqlEngine(
        lambda deadline: catalog.open_source(parsed, deadline).link,
        met.relation,
        met.fields,
        link=met.link,
        trust=trust,
    )
    try:
        assert met.fields == made.dataset.fields
        yield engine
    finally:
        engine.close()


@contextmanager
def loaded(place: Place, kind: str, made: Table, name: str) -> Iterator[dict[str, Any]]:
    """The table in its database for the block, and what a descriptor says of it."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield _into_a_file(Path(folder) / "data.db", made, name)
        return
    within = f"{place.database.name}.{name}" if kind == "clickhouse" else name
    _into_clickhouse(place, made, within) if kind == "clickhouse" else _into_rows(place, kind, made, name)
    try:
        yield place.database.descriptor(table=name)
    finally:
        place.database.run(f"DROP TABLE {within}")


def _declared(made: Table, quote: Callable[[str], str]) -> str:
    pairs = zip(made.dataset.fields, made.kinds, strict=True)
    return ", ".join(f"{quote(field.name)} {kind.declared}" for field, kind in pairs)


def _into_a_file(path: Path, made: Table, name: str) -> dict[str, Any]:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {name} ({_declared(made, quoted)})")
        connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(made.kinds))})", made.rows)
        connection.commit()
    return {"type": "sqlite", "path": str(path), "table": name}


def _into_rows(place: Place, kind: str, made: Table, name: str) -> None:
    """By typed inserts, and with an index of each column: what is looked up must be what is there."""
    maria = kind == "mariadb"
    quote = backquoted if maria else quoted
    with closing(place.database.connect()) as connection, connection.cursor() as cursor:
        if maria:
            cursor.execute("SET time_zone = '+00:00'")
        tail = " COLLATE utf8mb4_general_ci" if maria else ""
        cursor.execute(f"CREATE TABLE {name} ({_declared(made, quote)}){tail}")
        cursor.executemany(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * len(made.kinds))})", made.rows)
        for number, (field, one) in enumerate(zip(made.dataset.fields, made.kinds, strict=True)):
            part = "(50)" if maria and one.declared.startswith(("text", "varchar")) else ""
            cursor.execute(f"CREATE INDEX {name}_{number} ON {name} ({quote(field.name)}{part})")


def _into_clickhouse(place: Place, made: Table, within: str) -> None:
    pairs = zip(made.dataset.fields, made.kinds, strict=True)
    columns = ", ".join(_nullable(backslashed(field.name), kind.declared) for field, kind in pairs)
    place.database.run(f"CREATE TABLE {within} ({columns}) ENGINE = MergeTree ORDER BY tuple()")
    if made.rows:
        rows = ", ".join(f"({', '.join(map(_clickhouse, row))})" for row in made.rows)
        place.database.run(f"INSERT INTO {within} VALUES {rows}")


def _nullable(name: str, declared: str) -> str:
    if declared.startswith("LowCardinality("):
        return f"{name} LowCardinality(Nullable({declared[15:-1]}))"
    return f"{name} Nullable({declared})"


def _clickhouse(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"reinterpretAsFloat64(toUInt64({struct.unpack('<Q', struct.pack('<d', value))[0]}))"
    if isinstance(value, datetime.datetime):
        return f"toDateTime64('{value}', 6, 'UTC')"
    text = str(value).replace("\\", "\\\\").replace("'", "\\'").replace("\0", "\\0")
    return f"'{text}'"


@contextmanager
def place(kind: str) -> Iterator[Place]:
    """A server of its own, with the account that reads."""
    if kind == "sqlite":
        yield Place(None)
    elif kind == "postgres":
        with postgres() as server:
            outside = PostgresDatabase(server, "postgres")
            outside.run(f"CREATE ROLE {READER} LOGIN PASSWORD '{READER_PASSWORD.replace(chr(39), chr(39) * 2)}'")
            outside.run(f"ALTER ROLE {READER} SET enable_seqscan = off")  # or no index of a small table would be used
            outside.run("CREATE DATABASE fuzz")
            database = PostgresDatabase(server, "fuzz")
            database.run(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO {READER}")
            yield Place(database)
    elif kind == "mariadb":
        with mariadb() as server:
            outside_ = MariaDatabase(server, "mysql")
            outside_.run(f"CREATE USER {READER}@'%%' IDENTIFIED BY %s", READER_PASSWORD)
            outside_.run("CREATE DATABASE fuzz")
            outside_.run(f"GRANT SELECT ON fuzz.* TO {READER}@'%'")
            yield Place(MariaDatabase(server, "fuzz"))
    else:
        with clickhouse() as server_:
            database_ = ClickHouseDatabase(server_, "fuzz")
            database_.run("CREATE DATABASE fuzz")
            yield Place(database_)
