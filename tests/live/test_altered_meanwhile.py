"""Another session alters what is asked, between the look at its columns and the statement that reads them.

An answer is right for one state of the table, or it is an error that says so; and it is never made of the rows of one
state by the columns of another.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from sqlglot import exp, parse_one

from service_nb.connectors import catalog
from service_nb.engines.canary import CanaryVerdict
from service_nb.engines.sql_engine import SqlEngine
from service_nb.errors import InvalidIntentError, SourceChangedError, SourceNotFoundError
from tests.engines.cases import held, plan_for
from tests.servers.fixtures import ClickHouseDatabase, MariaDatabase, PostgresDatabase

PATIENCE_S = 300.0
DATASET = held({"k": pa.array(["a", "b", "b"]), "v": pa.array([1, 2, 3]), "w": pa.array([10, 20, 30])})
SUM = plan_for(DATASET, metric="v", aggregation="sum")
BEFORE = 6  # by the rules of the columns that were described, the values of the other table would be rounded
TRUST = CanaryVerdict()
TRUST.learn_verdict(lambda: True, time.monotonic() + PATIENCE_S)  # how these servers add is tried elsewhere


class Between:
    """A session, and what happens elsewhere once it has described what is read."""

    def __init__(self, link: Any, act: Callable[[], None]) -> None:
        self._link, self._act = link, act
        self._acted = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)

    def describe(self, *given: Any) -> Any:
        found = self._link.describe(*given)
        if not self._acted:
            self._acted = True
            self._act()
        return found


class Elsewhere:
    """Statements of another session; what it waits for may be the very question that is asked."""

    def __init__(self, run: Callable[[str], Any], statements: list[str], waits: Callable[[], bool]) -> None:
        self._run, self._statements, self._waits = run, statements, waits
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._work)

    def act(self) -> None:
        """Begin, and return when all is done, or waits for a lock."""
        self._thread.start()
        until = time.monotonic() + PATIENCE_S
        while self._thread.is_alive() and not self._waits():
            assert time.monotonic() < until
            self._thread.join(0.02)

    def done(self) -> None:
        """Wait until all is done."""
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        assert self._error is None

    def _work(self) -> None:
        try:
            for statement in self._statements:
                self._run(statement)
        except Exception as error:  # noqa: BLE001  # shown by the test
            self._error = error


@contextmanager
def asked(descriptor: dict[str, Any], elsewhere: Elsewhere, kind: type[Between] = Between) -> Iterator[SqlEngine]:
    """An engine of the table as it is now, whose next question somebody else comes into."""
    parsed = catalog.parse_descriptor(descriptor)
    opened = catalog.open_source(parsed, time.monotonic() + PATIENCE_S)

    def link(deadline: float) -> Any:
        return catalog.find_connector(parsed.type).open_link(parsed, deadline)

    first = SqlEngine(link, opened.relation, opened.fields, link=opened.link, trust=TRUST)
    with closing(first):
        assert total(first) == BEFORE
    between: Any = kind(link(time.monotonic() + PATIENCE_S), elsewhere.act)
    engine = SqlEngine(link, opened.relation, opened.fields, link=between, trust=TRUST)
    try:
        yield engine
    finally:
        engine.close()


def total(engine: SqlEngine) -> Any:
    groups = engine.aggregate(SUM, PATIENCE_S).groups
    return groups[0].value if groups else None


def outcome(engine: SqlEngine) -> Any:
    """The sum, or the error's code."""
    try:
        return total(engine)
    except (SourceChangedError, SourceNotFoundError) as error:
        return error.code


def later() -> float:
    return time.monotonic() + PATIENCE_S


def made(run: Callable[[str], Any], *, numeric: str = "numeric(10, 2)", place: str = "", ends: str = "") -> str:
    """Two tables of the same names of columns, one of which is of another type in the second."""
    name = f"t{next(NUMBERS)}"
    values = "('a', {0}, 10), ('b', {1}, 20), ('b', {2}, 30)"
    for table, kind, numbers in ((name, WHOLE, (1, 2, 3)), (f"other_{name}", numeric, (2.75, 3.75, 4.75))):
        run(f"CREATE TABLE {place}{table} (k {TEXT.get(ends, 'varchar(9)')}, v {kind}, w {WHOLE}){ends}")
        run(f"INSERT INTO {place}{table} VALUES {values.format(*numbers)}")
    return name


def on(change: list[str], name: str) -> list[str]:
    """The statements of a change over a table and the other one."""
    return [statement.replace("TABLE_1", name).replace("TABLE_2", f"other_{name}") for statement in change]


NUMBERS = count(1)
WHOLE, CLICKHOUSE = "bigint", " ENGINE = MergeTree ORDER BY tuple()"
TEXT = {CLICKHOUSE: "String"}

# --- PostgreSQL ------------------------------------------------------------------------------------------------------

COLUMNS = "ALTER TABLE TABLE_1 RENAME v TO x; ALTER TABLE TABLE_1 RENAME w TO v; ALTER TABLE TABLE_1 RENAME x TO w"
BLOCKED = "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'"
ALTERED = {
    "type": ["ALTER TABLE TABLE_1 ALTER COLUMN v TYPE numeric(10, 2) USING v + 1.75"],
    "tables": ["BEGIN; ALTER TABLE TABLE_1 RENAME TO gone_TABLE_1; ALTER TABLE TABLE_2 RENAME TO TABLE_1; COMMIT"],
    "columns": [f"BEGIN; {COLUMNS}; COMMIT"],
    "dropped": ["ALTER TABLE TABLE_1 DROP COLUMN v"],
}
NAMED = {
    "schemas": ["BEGIN; ALTER SCHEMA public RENAME TO gone; ALTER SCHEMA staging RENAME TO public; COMMIT"],
    "search path": [
        "CREATE SCHEMA reader",
        "CREATE TABLE reader.TABLE_1 AS TABLE TABLE_2",
        "GRANT SELECT ON reader.TABLE_1 TO reader",
        "GRANT USAGE ON SCHEMA reader TO reader",
    ],
}


@pytest.mark.parametrize("change", ALTERED)
def test_postgresql_keeps_what_was_described_until_the_question_is_answered(
    change: str, postgres_database: PostgresDatabase
) -> None:
    run, name = postgres_database.run, made(postgres_database.run)
    elsewhere = Elsewhere(run, on(ALTERED[change], name), lambda: run(BLOCKED) != [(0,)])
    with asked(postgres_database.descriptor(table=name), elsewhere) as engine:
        assert total(engine) == BEFORE
        elsewhere.done()
        with pytest.raises(SourceChangedError):
            total(engine)


@pytest.mark.parametrize("change", NAMED)
def test_postgresql_refuses_an_answer_once_names_stand_for_other_tables(
    change: str, postgres_database: PostgresDatabase
) -> None:
    run, name = postgres_database.run, made(postgres_database.run)
    run("CREATE SCHEMA staging")
    run("GRANT USAGE ON SCHEMA staging TO reader")
    run(f"CREATE TABLE staging.{name} AS TABLE other_{name}")
    run(f"GRANT SELECT ON staging.{name} TO reader")
    elsewhere = Elsewhere(run, on(NAMED[change], name), lambda: False)
    try:
        with asked(postgres_database.descriptor(table=name), elsewhere) as engine:
            with pytest.raises(SourceChangedError):
                total(engine)
            elsewhere.done()
            with pytest.raises(SourceChangedError):
                total(engine)
    finally:
        run("DROP SCHEMA IF EXISTS reader, staging CASCADE")
        if change == "schemas":
            run("DROP SCHEMA public CASCADE")
            run("ALTER SCHEMA gone RENAME TO public")


def test_what_fails_within_a_question_leaves_the_table_held(postgres_database: PostgresDatabase) -> None:
    run, name = postgres_database.run, made(postgres_database.run)
    elsewhere = Elsewhere(run, on(ALTERED["type"], name), lambda: run(BLOCKED) != [(0,)])
    read, fails = (parse_one(f"SELECT sum({what}) AS s FROM {name}", read="postgres") for what in ("v", "v / (v - 2)"))
    link = catalog.find_connector("postgres").open_link(
        catalog.parse_descriptor(postgres_database.descriptor()), later()
    )
    with closing(link):
        with link.begin_question(later()):
            link.describe(exp.to_table(name), later())
            elsewhere.act()
            for _ in range(2):
                assert link.fetch_rows(read, (), 1, later()) == [(BEFORE,)]
                with pytest.raises(InvalidIntentError):
                    link.fetch_rows(fails, (), 1, later())
        elsewhere.done()
        assert link.fetch_rows(read, (), 1, later()) != [(BEFORE,)]


class Unheld(Between):
    """A session in which each statement stands for itself, as of databases without transactions."""

    holds = False

    def begin_question(self, _: float) -> Any:
        return nullcontext()


@pytest.mark.parametrize("change", ALTERED)
def test_where_nothing_is_held_columns_are_looked_at_again(change: str, postgres_database: PostgresDatabase) -> None:
    run, name = postgres_database.run, made(postgres_database.run)
    elsewhere = Elsewhere(run, on(ALTERED[change], name), lambda: False)
    with asked(postgres_database.descriptor(table=name), elsewhere, Unheld) as engine:
        assert outcome(engine) == ("source_not_found" if change == "dropped" else "source_changed")
        elsewhere.done()


# --- MariaDB ---------------------------------------------------------------------------------------------------------

WAITING = "SELECT count(*) FROM information_schema.processlist WHERE state = 'Waiting for table metadata lock'"
MARIADB = {
    "type": ["ALTER TABLE TABLE_1 MODIFY v DECIMAL(10, 2)", "UPDATE TABLE_1 SET v = v + 1.75"],
    "tables": ["RENAME TABLE TABLE_1 TO gone_TABLE_1, TABLE_2 TO TABLE_1"],
    "columns": ["ALTER TABLE TABLE_1 CHANGE v w BIGINT, CHANGE w v BIGINT"],
    "dropped": ["ALTER TABLE TABLE_1 DROP COLUMN v"],
}


def test_mariadb_keeps_what_was_described_until_the_question_is_answered(mariadb_database: MariaDatabase) -> None:
    check_mariadb("InnoDB", "type", mariadb_database)


@pytest.mark.wide
@pytest.mark.parametrize("change", MARIADB)
@pytest.mark.parametrize("engine_of_table", ["InnoDB", "MyISAM"])
def test_mariadb_keeps_tables_of_every_kind_from_every_change(
    engine_of_table: str, change: str, mariadb_database: MariaDatabase
) -> None:
    check_mariadb(engine_of_table, change, mariadb_database)


def check_mariadb(engine_of_table: str, change: str, mariadb_database: MariaDatabase) -> None:
    """What was described stays until the question is answered."""
    run = mariadb_database.run
    name = made(run, ends=f" ENGINE = {engine_of_table}")
    elsewhere = Elsewhere(run, on(MARIADB[change], name), lambda: run(WAITING) != [(0,)])
    with asked(mariadb_database.descriptor(table=name), elsewhere) as engine:
        assert total(engine) == BEFORE
        elsewhere.done()
        with pytest.raises(SourceChangedError):
            total(engine)


# --- SQLite ----------------------------------------------------------------------------------------------------------

SQLITE = {
    "tables": ["ALTER TABLE TABLE_1 RENAME TO gone_TABLE_1; ALTER TABLE TABLE_2 RENAME TO TABLE_1"],
    "type": ["UPDATE TABLE_1 SET v = v + 0.75"],
    "columns": [COLUMNS],
    "dropped": ["ALTER TABLE TABLE_1 DROP COLUMN v"],
}


@pytest.mark.parametrize("change", SQLITE)
@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_sqlite_reads_one_state_of_the_file_or_refuses(journal: str, change: str, tmp_path: Path) -> None:
    path = tmp_path / "shop.db"

    def run(script: str) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(script)

    name = made(run, numeric="real")
    run(f"PRAGMA journal_mode = {journal}")
    with closing(sqlite3.connect(path)) as kept:  # a log lives as long as somebody has it open
        kept.execute(f"UPDATE {name} SET w = w + 1 WHERE v = 1")
        kept.commit()
        elsewhere = Elsewhere(run, on(SQLITE[change], name), lambda: False)
        with asked({"type": "sqlite", "path": str(path), "table": name}, elsewhere) as engine:
            assert outcome(engine) == (BEFORE if journal == "WAL" else "source_changed")
            elsewhere.done()
            with pytest.raises(SourceChangedError):
                total(engine)


# --- ClickHouse ------------------------------------------------------------------------------------------------------

EXCHANGED = {
    "type": ["ALTER TABLE TABLE_1 MODIFY COLUMN v Decimal(10, 2)", "ALTER TABLE TABLE_1 UPDATE v = v + 1.75 WHERE 1"],
    "tables": ["RENAME TABLE TABLE_1 TO gone_TABLE_1, TABLE_2 TO TABLE_1"],
    "columns": [
        "ALTER TABLE TABLE_1 RENAME COLUMN v TO x",
        "ALTER TABLE TABLE_1 RENAME COLUMN w TO v",
        "ALTER TABLE TABLE_1 RENAME COLUMN x TO w",
    ],
    "dropped": ["ALTER TABLE TABLE_1 DROP COLUMN v"],
}
ANSWERED = {"type": "source_changed", "tables": "source_changed", "columns": 60, "dropped": "source_not_found"}


@pytest.mark.wide
@pytest.mark.parametrize("filled", [True, False])
@pytest.mark.parametrize("change", EXCHANGED)
def test_clickhouse_checks_the_types_that_it_reads(
    change: str, filled: bool, clickhouse_database: ClickHouseDatabase
) -> None:
    run, place = clickhouse_database.run, f"{clickhouse_database.name}."
    name = made(run, numeric="Decimal(10, 2)", place=place, ends=CLICKHOUSE)
    statements = [one.replace("TABLE_", f"{place}TABLE_") for one in EXCHANGED[change]]
    statements = [one.replace(f"gone_{place}", f"{place}gone_") for one in statements]
    statements = [f"{one} SETTINGS mutations_sync = 1" if "ALTER" in one else one for one in statements]
    if not filled:  # the statement fails all the same: it is not left to rows to show it
        statements.append(f"TRUNCATE TABLE {place}TABLE_1")
    elsewhere = Elsewhere(run, on(statements, name), lambda: False)
    with asked(clickhouse_database.descriptor(table=name), elsewhere) as engine:
        expected = ANSWERED[change] if filled or change != "columns" else None
        assert outcome(engine) == expected
        elsewhere.done()
        with pytest.raises(SourceChangedError):
            total(engine)
