"""SQLite as a live source: types that are counted, values that are checked, a file that others write to."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlglot import exp, parse_one

from service_nb.connectors import catalog
from service_nb.errors import (
    QueryInterruptedError,
    QueryTimeoutError,
    ServiceError,
    SourceMalformedError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from tests.simulators.pressing import asking_to_end

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) AS n FROM c"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "shop.db"
    run(
        place,
        "CREATE TABLE t (a INTEGER, b REAL, c TEXT, d); INSERT INTO t VALUES (1, 0.1, 'é', 1), (NULL, 2, NULL, 2.5);"
        "CREATE TABLE empty (a INTEGER); CREATE TABLE mixed (a); INSERT INTO mixed VALUES (1), ('x');"
        "CREATE TABLE blobs (a); INSERT INTO blobs VALUES (x'00');"
        "CREATE TABLE wide (a); INSERT INTO wide VALUES (9007199254740993), (0.5);",
    )
    return place


@pytest.fixture
def link(path: Path) -> Iterator[Any]:
    opened = catalog.find_connector("sqlite").open_link(
        catalog.parse_descriptor({"type": "sqlite", "path": str(path)}), soon()
    )
    yield opened
    opened.close()


def run(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def soon(seconds: float = 60) -> float:
    return time.monotonic() + seconds


def as_read(link: Any, table: str) -> exp.Select:
    spelling, fields = link.spelling, link.describe(exp.to_table(table), soon())
    columns = [exp.alias_(spelling.read(one, exp.column(spelling.build_name(one.name))), one.name) for one in fields]
    return exp.select(*columns).from_(table)


def test_types_are_those_of_all_values(link: Any) -> None:
    fields = link.describe(exp.to_table("t"), soon())
    assert [field.physical for field in fields] == ["int64", "float64", "string", "float64"]
    assert [field.physical for field in link.describe(exp.to_table("empty"), soon())] == ["string"]
    assert link.fetch_rows(as_read(link, "t"), (), 10, soon()) == [(1, 0.1, "é", 1.0), (None, 2.0, None, 2.5)]
    (batch,) = link.fetch_batches(as_read(link, "t"), (), soon())
    assert batch.to_pylist()[0] == {"a": 1, "b": 0.1, "c": "é", "d": 1.0}


@pytest.mark.parametrize("table", ["mixed", "blobs", "wide"])
def test_a_column_that_no_type_holds_is_refused(table: str, link: Any) -> None:
    with pytest.raises(UnsupportedSourceError):
        link.describe(exp.to_table(table), soon())


def test_of_a_table_that_has_others_such_a_column_is_left_out(path: Path) -> None:
    run(path, "CREATE TABLE some (a, b, c); INSERT INTO some VALUES (1, 'x', x'00'), ('y', 'z', NULL)")
    found = catalog.open_source(
        catalog.parse_descriptor({"type": "sqlite", "path": str(path), "table": "some"}), soon()
    )
    assert [field.name for field in found.fields] == ["b"]
    assert len(found.notes) == 2
    found.link.close()
    query = {"type": "sqlite", "path": str(path), "query": "SELECT a, b FROM some"}
    with pytest.raises(UnsupportedSourceError):
        catalog.open_source(catalog.parse_descriptor(query), soon())


def test_what_is_written_later_is_read_and_checked_to_be_of_its_type(link: Any, path: Path) -> None:
    tree = as_read(link, "t")
    run(path, "INSERT INTO t VALUES (3, 4.5, 'z', 1)")
    assert len(link.fetch_rows(tree, (), 10, soon())) == 3
    run(path, "INSERT INTO t VALUES ('three', 4.5, 'z', 1)")
    with pytest.raises(SourceMalformedError):
        link.fetch_rows(tree, (), 10, soon())


def test_nothing_is_written_beside_a_file_in_either_mode(link: Any, path: Path) -> None:
    before = sorted(each.name for each in path.parent.iterdir())
    link.fetch_rows(as_read(link, "t"), (), 10, soon())
    assert sorted(each.name for each in path.parent.iterdir()) == before
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO t VALUES (7, 7.5, 'w', 7)")
        writer.commit()
        assert (7, 7.5, "w", 7.0) in link.fetch_rows(as_read(link, "t"), (), 10, soon())


def test_what_runs_is_ended(link: Any) -> None:
    with pytest.raises(QueryTimeoutError):
        link.fetch_rows(parse_one(ENDLESS, read="sqlite"), (), 1, soon(0.3))
    with asking_to_end(link.cancel), pytest.raises(QueryInterruptedError):
        link.fetch_rows(parse_one(ENDLESS, read="sqlite"), (), 1, soon(60))
    assert link.fetch_rows(exp.select("1 AS a"), (), 1, soon()) == [(1,)]


@pytest.mark.parametrize(
    "changes", [{"path": "/nowhere.db"}, {"path": "/dev/null"}, {"path": "/"}, {"table": "nowhere"}]
)
def test_what_is_not_there_is_told(changes: dict[str, str], path: Path) -> None:
    with pytest.raises(ServiceError):
        catalog.open_source(
            catalog.parse_descriptor({"type": "sqlite", "path": str(path), "table": "t", **changes}), soon()
        )


def test_a_table_that_is_not_there_is_not_found(link: Any) -> None:
    with pytest.raises(SourceNotFoundError):
        link.describe(exp.to_table("nowhere"), soon())
