"""SQLite in the TypeScript client beside Python's: the same tables and queries, the same types, hashes and codes."""

from __future__ import annotations

import json
import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.errors import ServiceError
from tests.tools import node

ADAPTER = Path(node.__file__).with_name("second_sqlite.mjs")

CELLS: list[Callable[[random.Random], object]] = [
    lambda draw: draw.randrange(-(10**6), 10**6),
    lambda draw: draw.choice([2**53 + 1, -(2**63), 2**63 - 1]),
    lambda draw: draw.choice([0.1, -0.0, 1e308, 5e-324, float("inf"), 2.0]),
    lambda draw: draw.choice(["North", "süd", "a\x00b", "", " x ", "漢字", "\ufffd", "12", "1.50", "\ufeffx"]),
    lambda draw: draw.choice(["2024-01-02", "2024-02-29", "2024-01-02T03:04:05"]),
    lambda draw: draw.choice([b"\x00\xff", b"text"]),
    lambda draw: None,
]
QUERIES = (
    "SELECT * FROM t",
    "SELECT a, b FROM t WHERE a IS NOT NULL ORDER BY a, b LIMIT 7",
    "WITH q AS (SELECT a, count(*) AS n FROM t GROUP BY a) SELECT a, n FROM q ORDER BY n, a",
    "SELECT typeof(a) || ';' AS joined, count(b) OVER () AS size FROM t -- a comment; with signs ' \"",
    "SELECT sum(a) OVER (ORDER BY rowid) AS running FROM t;",
    "SELECT a FROM t UNION SELECT b FROM t ORDER BY 1",
    "SELECT 1 AS one, 2 AS one",
    "SELECT CASE typeof(b) WHEN 'text' THEN upper(b) || length(b) END AS x, typeof(a) AS kind FROM v",
)
REFUSED = (
    "DELETE FROM t",
    "INSERT INTO t VALUES (1, 2)",
    "WITH q AS (SELECT 1) INSERT INTO t SELECT 1, 2 FROM q",
    "ATTACH 'other.db' AS other",
    "PRAGMA journal_mode = WAL",
    "VACUUM INTO 'copy.db'",
    "SELECT 1; DELETE FROM t",
    "SELECT 1) ; DELETE FROM t; --",
    "SELECT load_extension('x')",
    "SELECT zeroblob(1000000000) AS x",
    "SELECT hex(randomblob(9)) AS x",
    "SELECT name FROM sqlite_master",
    "SELECT name FROM SQLite_Schema",
    "SELECT * FROM pragma_table_info('t')",
    "SELECT value FROM json_each('[1, 2]')",
    "SELECT printf('%.*c', 1000000000, 'x') AS x",
    "SELECT x FROM evil",
    "SELECT 'open AS x",
    "SELECT nothing FROM t",
    "SELECT * FROM nowhere",
    "EXPLAIN SELECT 1",
    "",
)


def make_database(draw: random.Random, path: Path) -> None:
    """Write a database of one table, whose columns hold one or two kinds of values, and a view."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA encoding = '{draw.choice(['UTF-8', 'UTF-8', 'UTF-16le', 'UTF-16be'])}'")
        types = [draw.choice(["", "INTEGER", "REAL", "TEXT", "NUMERIC"]) for _ in "ab"]
        connection.execute(f"CREATE TABLE t (a {types[0]}, b {types[1]})")
        kinds = [draw.choices(CELLS, weights=[6, 2, 4, 6, 4, 1, 3], k=draw.choice([1, 1, 2])) for _ in "ab"]
        rows = [[draw.choice(kind)(draw) for kind in kinds] for _ in range(draw.randrange(30))]
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.execute("CREATE VIEW v AS SELECT a, b FROM t WHERE b IS NOT NULL")
        connection.commit()


def read_first(request: dict[str, Any]) -> dict[str, Any]:
    """Connect a database with Python's client."""
    service = service_nb.create_service(ledger="off")
    try:
        source = service.connect({"provider": "sqlite", **request}, name="data")
    except ServiceError as error:
        return {"code": error.code}
    return {"id": source["source_id"], "schema": source["schema_revision"], "rows": source["row_count"]}


def read_second(requests: list[dict[str, Any]], *flags: str) -> list[dict[str, Any]]:
    """Connect databases with the TypeScript client."""
    node.built()
    script = (flags[0], str(ADAPTER)) if flags else (ADAPTER,)
    answers: list[dict[str, Any]] = json.loads(node.node(*script, stdin=json.dumps(requests).encode()))
    return answers


@pytest.mark.parametrize("count", [20, pytest.param(50, marks=pytest.mark.slow)])
def test_both_clients_read_the_same_databases(tmp_path: Path, count: int) -> None:
    draw = random.Random(20261123)
    requests: list[dict[str, Any]] = []
    for number in range(count):
        path = tmp_path / f"{number}.db"
        make_database(draw, path)
        parts: dict[str, str] = draw.choice([{"table": "t"}, {"table": "v"}, {"query": draw.choice(QUERIES)}])
        requests.append({"path": str(path), **parts})
    first = [read_first(request) for request in requests]
    second = read_second(requests)
    for request, mine, theirs in zip(requests, first, second, strict=True):
        assert theirs == mine, request
    few = count // 3
    assert read_second(requests[:few], "--no-experimental-sqlite") == first[:few]
    codes = Counter(each.get("code") for each in first)
    assert codes[None] > count // 2
    assert codes["source_malformed"] > count // 20


@pytest.mark.parametrize("flags", [(), ("--no-experimental-sqlite",)], ids=["node:sqlite", "sql.js"])
def test_hostile_queries_and_files_are_refused_with_the_same_codes(tmp_path: Path, flags: tuple[str, ...]) -> None:
    path = tmp_path / "data.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x');")
        connection.execute("CREATE VIEW evil AS SELECT hex(zeroblob(10)) AS x")
        connection.execute("CREATE TABLE bad (a)")
        connection.execute("INSERT INTO bad VALUES (CAST(x'ff61' AS TEXT))")
        connection.execute("CREATE TABLE long (a)")
        connection.execute("INSERT INTO long VALUES (?)", ["é" * 600_000])
        connection.commit()
    before = path.read_bytes()
    broken = tmp_path / "broken.db"
    broken.write_bytes(before[:100] + bytes(len(before) - 100))
    no_database = tmp_path / "no.db"
    no_database.write_bytes(b"not a database at all " * 100)
    cut = tmp_path / "cut.db"
    cut.write_bytes(before[: len(before) // 2])
    others = [
        {"path": str(path), "table": name} for name in ("evil", "bad", "long", "sqlite_master", "none", 't"; --', "")
    ]
    others += [{"path": str(each), "table": "t"} for each in (broken, no_database, cut, tmp_path, tmp_path / "none")]
    requests = [{"path": str(path), "query": query} for query in REFUSED] + others
    first = [read_first(request) for request in requests]
    for request, mine, theirs in zip(requests, first, read_second(requests, *flags), strict=True):
        assert "code" in mine, request
        assert theirs == mine, request
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["broken.db", "cut.db", "data.db", "no.db"]


@pytest.mark.parametrize("flags", [(), ("--no-experimental-sqlite",)], ids=["node:sqlite", "sql.js"])
def test_a_query_without_end_is_ended(tmp_path: Path, flags: tuple[str, ...]) -> None:
    path = tmp_path / "data.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a)")
    endless = "WITH RECURSIVE q(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM q) SELECT {} FROM q"
    wide = "WITH RECURSIVE q(x) AS (SELECT 'abcd' UNION ALL SELECT x || x FROM q) SELECT max(length(x)) AS y FROM q"
    queries = [endless.format("count(*) AS n"), endless.format("x"), wide]
    limits = {"sqlSeconds": 1, "cells": 100_000}
    answers = read_second([{"path": str(path), "query": query, "limits": limits} for query in queries], *flags)
    assert [each.get("code") for each in answers] == ["limit_exceeded"] * 3


def test_changes_that_wait_in_a_log_are_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE t (a)")
        writer.execute("INSERT INTO t VALUES (1)")
        writer.commit()
        copy = tmp_path / "copy.db"
        copy.write_bytes(path.read_bytes())
        (tmp_path / "copy.db-wal").write_bytes((tmp_path / "data.db-wal").read_bytes())
        requests = [{"path": str(each), "table": "t"} for each in (path, copy)]
        first = [read_first(request) for request in requests]
        second = read_second(requests)
        assert second[0] == first[0]
        assert second[1] == {"code": "source_unreadable"}  # the first client reads a copy of what was left behind
        assert read_second(requests[:1], "--no-experimental-sqlite") == [{"code": "source_unreadable"}]
    assert first[1]["rows"] == 1
