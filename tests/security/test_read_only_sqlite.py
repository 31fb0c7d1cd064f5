"""SQL that would write, reach out or never end, on SQLite as a live source: refused as a query, harmless if sent."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlglot import exp

from service_nb.connectors import catalog, user_query
from service_nb.errors import ServiceError
from tests.security.live_probes import Session

Record = Callable[[str, object], None]

HOSTILE = [
    # writing, and what the schema is made of
    "INSERT INTO t VALUES (9, 'x')", "UPDATE t SET a = 9", "DELETE FROM t", "REPLACE INTO t VALUES (1, 'y')",
    "DROP TABLE t",
    "INSERT INTO t VALUES (1, 'x') RETURNING *", "WITH x AS (SELECT 1) DELETE FROM t",
    "WITH x AS (SELECT 1) UPDATE t SET a = 1",
    "CREATE TABLE x (a)", "CREATE TABLE x AS SELECT * FROM t", "CREATE TEMP TABLE x AS SELECT 1",
    "CREATE VIEW x AS SELECT 1",
    "CREATE INDEX x ON t (a)", "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END", "ALTER TABLE t RENAME TO u",
    "REINDEX",
    "CREATE VIRTUAL TABLE x USING fts5(a)", "ALTER TABLE t ADD COLUMN c", "ANALYZE", "VACUUM", "VACUUM INTO 'copy.db'",
    "DELETE FROM sqlite_master", "UPDATE sqlite_master SET sql = ''", "DROP VIEW v",
    # other files
    "ATTACH 'new.db' AS n", "ATTACH 'other.db' AS o; SELECT * FROM o.secrets", "ATTACH ':memory:' AS m", "DETACH main",
    "SELECT readfile('/etc/passwd')", "SELECT writefile('x', 'y')", "SELECT load_extension('x.so')",
    "SELECT * FROM fsdir('/')",
    "SELECT edit('x')", "SELECT * FROM csv('/etc/passwd')", "SELECT fts3_tokenizer('x')",
    # pragmas, as statements and as tables
    "PRAGMA journal_mode = WAL", "PRAGMA writable_schema = 1", "PRAGMA query_only = 0", "PRAGMA user_version = 7",
    "PRAGMA trusted_schema = 1", "PRAGMA temp_store_directory = '/tmp'", "PRAGMA wal_checkpoint",
    "PRAGMA table_info(t)",
    "SELECT * FROM pragma_database_list", "SELECT * FROM pragma_journal_mode('wal')",
    "SELECT * FROM pragma_table_info('t')",
    # transactions, several statements, comments that hide one
    "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "SAVEPOINT x", "SELECT 1; DROP TABLE t", "SELECT 1; SELECT 2",
    "; DROP TABLE t",
    "/**/DROP TABLE t", "-- x\nDROP TABLE t", "SELECT 1 -- x\n; DROP TABLE t", "SELECT 1;\0DROP TABLE t",
    "SELECT 1 /* ; */; DROP TABLE t",
    # for ever, too large, or not the row's values
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
    "SELECT zeroblob(900000000)",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c", "SELECT randomblob(1000)",
    "SELECT random()",
    "SELECT printf('%.*c', 900000000, 'x')", "SELECT last_insert_rowid()", "SELECT changes()",
    "SELECT sqlite_version()",
    "SELECT a FROM t ORDER BY random()", "SELECT json_group_array(a) FROM t", "SELECT * FROM json_each('[1]')",
    "SELECT * FROM generate_series(1, 10)", "SELECT group_concat(a) FROM t",
    # what belongs to the database itself, and what is no SELECT
    "SELECT * FROM sqlite_master", "SELECT sql FROM sqlite_schema", "SELECT * FROM sqlite_sequence",
    "SELECT * FROM sqlite_dbpage",
    "EXPLAIN SELECT 1", "VALUES (1), (2)", "", ";", "SELECT", "SELECT ?", "SELECT :a", "SELECT (",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # a relative name that slips through would be created there
    for name, script in (
        (
            "shop.db",
            "CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x'); CREATE VIEW v AS SELECT a FROM t;",
        ),
        ("other.db", "CREATE TABLE secrets (word TEXT);"),
    ):
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            connection.executescript(script)
    return tmp_path


@pytest.fixture
def session(folder: Path) -> Iterator[Session]:
    opened = Session({"type": "sqlite", "path": str(folder / "shop.db")})
    yield opened
    opened.close()


@pytest.mark.parametrize("query", HOSTILE)
def test_hostile_query_is_refused_before_it_is_sent(query: str, folder: Path, record_property: Record) -> None:
    def ask() -> None:
        descriptor = catalog.parse_descriptor({"type": "sqlite", "path": str(folder / "shop.db"), "query": query})
        user_query.build_relation(descriptor, "sqlite")

    with pytest.raises(ServiceError) as caught:
        ask()
    assert caught.value.code == "invalid_intent"
    record_property("bad_inputs", 1)


def test_hostile_text_that_is_sent_changes_nothing(folder: Path, session: Session, record_property: Record) -> None:
    before = _state(folder)
    for query in HOSTILE:
        session.send(query)
        assert _state(folder) == before, query
        record_property("bad_inputs", 1)
    assert session.link.fetch_rows(exp.select("a").from_("t"), (), 10, time.monotonic() + 10) == [(1,)]


def _state(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
