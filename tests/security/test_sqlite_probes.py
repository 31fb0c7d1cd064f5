"""SQL that would write, reach out or run for ever, handed to the SQLite connector as a user's query. None succeeds."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from service_nb.readers.dataset import ReadOptions
from service_nb.readers.detect import read
from service_nb.readers.sqlite_files import MemoryGuard
from service_nb.schema.source import Limits
from tests.security.conftest import snapshot

INTENT, LIMIT, MALFORMED, UNREADABLE = "invalid_intent", "limit_exceeded", "source_malformed", "source_unreadable"
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
QUICK = ReadOptions(limits=Limits(sql_steps=2_000_000, memory_bytes=50_000_000))

# The 14 that were measured against `mode=ro`, of which it lets 8 pass.
PROBES = {
    "attach a new file": "ATTACH 'new.db' AS n",
    "attach another file": "ATTACH 'other.db' AS o",
    "copy the database": "VACUUM INTO 'copy.db'",
    "read another database": "SELECT * FROM o.secrets",
    "a zeroblob": "SELECT zeroblob(900000000)",
    "a recursion without end": f"{ENDLESS} SELECT count(*) FROM c",
    "insert": "INSERT INTO t VALUES (9, 'x')",
    "update": "UPDATE t SET a = 9",
    "delete": "DELETE FROM t",
    "drop": "DROP TABLE t",
    "a pragma that writes": "PRAGMA user_version = 7",
    "leave read-only": "PRAGMA query_only = 0",
    "load an extension": "SELECT load_extension('x.so')",
    "create a temporary table": "CREATE TEMP TABLE x AS SELECT 1",
}
STATEMENTS = [
    # writing
    "INSERT INTO t SELECT * FROM t", "INSERT OR REPLACE INTO t VALUES (1, 'y')", "REPLACE INTO t VALUES (1, 'y')",
    "INSERT INTO t VALUES (1, 'x') RETURNING *", "UPDATE t SET a = 1 RETURNING a", "DELETE FROM t RETURNING a",
    "UPDATE OR IGNORE t SET a = 1", "INSERT INTO t DEFAULT VALUES", "UPSERT INTO t VALUES (1)",
    "WITH x AS (SELECT 1) INSERT INTO t SELECT 1, 'x'", "WITH x AS (SELECT 1) DELETE FROM t",
    "WITH x AS (SELECT 1) UPDATE t SET a = 1", "DELETE FROM sqlite_master", "UPDATE sqlite_master SET sql = ''",
    # schema
    "CREATE TABLE x (a)", "CREATE TABLE x AS SELECT * FROM t", "CREATE TEMP VIEW x AS SELECT 1", "DROP VIEW v",
    "CREATE VIEW x AS SELECT 1", "CREATE INDEX x ON t (a)", "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE x USING fts5(a)", "CREATE VIRTUAL TABLE x USING csv('/etc/passwd')", "DROP TABLE IF EXISTS t",
    "ALTER TABLE t RENAME TO u", "ALTER TABLE t ADD COLUMN c", "ALTER TABLE t DROP COLUMN b", "REINDEX", "ANALYZE",
    "ANALYZE t", "VACUUM", "VACUUM main", "VACUUM main INTO 'copy.db'",
    # other files
    "ATTACH DATABASE 'file:new.db?mode=rwc' AS n", "ATTACH ':memory:' AS m", "ATTACH '' AS m", "DETACH main",
    "ATTACH 'other.db' AS o; SELECT * FROM o.secrets", "SELECT readfile('/etc/passwd')", "SELECT * FROM temp.t",
    "SELECT writefile('x', 'y')", "SELECT edit('x')", "SELECT * FROM fsdir('/')", "SELECT * FROM csv('/etc/passwd')",
    # pragmas, as statements and as tables
    "PRAGMA journal_mode = WAL", "PRAGMA writable_schema = 1", "PRAGMA trusted_schema = 1", "PRAGMA temp_store = FILE",
    "PRAGMA temp_store_directory = '/tmp'", "PRAGMA table_info(t)", "PRAGMA database_list", "PRAGMA wal_checkpoint",
    "PRAGMA incremental_vacuum", "PRAGMA optimize", "PRAGMA encoding", "PRAGMA hard_heap_limit = 1",
    "SELECT * FROM pragma_database_list", "SELECT * FROM pragma_table_info('t')", "SELECT * FROM pragma_user_version",
    "SELECT * FROM pragma_journal_mode('wal')", "SELECT * FROM pragma_writable_schema(1)",
    # transactions
    "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "COMMIT", "ROLLBACK", "SAVEPOINT x", "RELEASE x", "END",
    # several statements, and comments that hide one
    "SELECT 1; DROP TABLE t", "SELECT 1;; DROP TABLE t", "SELECT 1; SELECT 2", "; DROP TABLE t", "/**/DROP TABLE t",
    "-- x\nDROP TABLE t", "SELECT 1 -- x\n; DROP TABLE t", "SELECT 1 /* ; */; DROP TABLE t", "SELECT 1;\0DROP TABLE t",
    # functions that are not only values
    "SELECT randomblob(1000)", "SELECT zeroblob(1)", "SELECT fts3_tokenizer('x')", "SELECT sqlite_version()",
    "SELECT sqlite_compileoption_get(1)", "SELECT last_insert_rowid()", "SELECT changes()", "SELECT total_changes()",
    "SELECT printf('%.*c', 900000000, 'x')", "SELECT format('%900000000d', 1)", "SELECT random()",
    "SELECT sqlite_source_id()", "SELECT load_extension('x', 'y')", "SELECT icu_load_collation('x', 'y')",
    "SELECT sqlite_log(1, 'x')", "SELECT a FROM t ORDER BY random()", "SELECT a FROM t WHERE load_extension('x')",
    "SELECT json_group_array(a) FROM t", "SELECT * FROM json_each('[1]')", "SELECT * FROM generate_series(1, 10)",
    # the schema and what is no SELECT
    "SELECT * FROM sqlite_master", "SELECT sql FROM sqlite_schema", "SELECT * FROM sqlite_temp_master",
    "SELECT * FROM sqlite_sequence", "SELECT * FROM sqlite_stat1", "SELECT * FROM sqlite_dbpage", "VALUES (1), (2)",
    "EXPLAIN SELECT 1", "EXPLAIN QUERY PLAN SELECT 1", "", ";", "--", "/*", "SELECT", "SELECT FROM t", "x", "'", '"',
    "SELECT a FROM nowhere", "SELECT nothing FROM t", "SELECT ?", "SELECT :a", "SELECT * FROM t WHERE", "SELECT (",
]  # fmt: skip
GREEDY = {
    "rows without end": f"{ENDLESS} SELECT x FROM c",
    "a sort without end": f"{ENDLESS} SELECT x FROM c ORDER BY x DESC",
    "a product of tables": "SELECT count(*) FROM big a, big b, big c, big d",
    "a distinct without end": f"{ENDLESS} SELECT DISTINCT x FROM c",
    "text that doubles": "WITH RECURSIVE c(x) AS (SELECT 'x' UNION ALL SELECT x || x FROM c) SELECT length(x) FROM c",
    "text that is replaced": "SELECT replace(replace(replace(s, 'a', s), 'a', s), 'a', s) FROM big",
    "text in one": f"{ENDLESS} SELECT group_concat(x) FROM c",
    "hexadecimal of hexadecimal": "WITH RECURSIVE c(x) AS (SELECT 'x' UNION ALL SELECT hex(x) FROM c) SELECT x FROM c",
    "a pattern without end": f"SELECT 1 FROM t WHERE b LIKE '{'%a' * 5_000}'",
    "an expression without end": "SELECT " + "(" * 3_000 + "1" + ")" * 3_000,
    "a sum without end": "SELECT " + "+".join("1" * 5_000),
    "selects without end": " UNION ALL ".join(["SELECT 1"] * 2_000),
    "a text without end": "SELECT '" + "x" * 200_000 + "'",
    "columns without end": "SELECT " + ", ".join(f"1 AS c{i}" for i in range(3_000)),
}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y');"
            "CREATE VIEW v AS SELECT a FROM t; CREATE TABLE big (s TEXT);"
            "CREATE TABLE n (id INTEGER PRIMARY KEY AUTOINCREMENT);"
        )
        connection.executemany("INSERT INTO big VALUES (?)", [("a" * 60,)] * 500)
    connection.close()
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE secrets (word TEXT)")
    other.close()
    return path


@pytest.fixture(autouse=True)
def in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a relative name that slips through would be created there


@pytest.mark.parametrize("name", PROBES)
def test_probe_of_read_only_mode_fails(name: str, database: Path, refused: Any) -> None:
    code = LIMIT if "without end" in name else INTENT
    refused({"provider": "sqlite", "path": database, "query": PROBES[name]}, code, QUICK)


@pytest.mark.parametrize("query", STATEMENTS)
def test_query_that_is_no_plain_select_fails(query: str, database: Path, refused: Any) -> None:
    refused({"provider": "sqlite", "path": str(database), "query": query}, INTENT, QUICK, path="query")


@pytest.mark.parametrize("name", ["json_each", "JSON_TREE", "dbstat", "sqlite_master"])
def test_authorizer_refuses_functions_that_are_read_like_tables_on_every_release(name: str) -> None:
    from service_nb.readers import sqlite_files as sqlite

    assert sqlite._decide_action(sqlite3.SQLITE_READ, name, "value", "main", None) == sqlite3.SQLITE_DENY
    assert sqlite._decide_action(sqlite3.SQLITE_READ, "orders", "value", "main", None) == sqlite3.SQLITE_OK


@pytest.mark.parametrize("query", list(PROBES.values()) + STATEMENTS)
def test_authorizer_alone_refuses_what_the_parser_would_catch(query: str, database: Path, tmp_path: Path) -> None:
    # The parser may misread a dialect; the authorizer must hold without it.
    from service_nb.readers import sqlite_files as sqlite

    before = hashlib.sha256(database.read_bytes()).hexdigest()
    connection = sqlite.open_database(database)
    guard = MemoryGuard(2**28, 2_000_000)
    sqlite._lock(connection, guard, QUICK.limits)
    try:
        rows = connection.execute(query).fetchmany(10)
    except (sqlite3.Error, sqlite3.Warning, ValueError):
        rows = []
    finally:
        connection.close()
    harmless = (
        "VALUES",
        "EXPLAIN",
        "SELECT ?",
        "SELECT :a",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT",
        "RELEASE",
        "END",
    )
    assert not rows or query.startswith(harmless)
    assert hashlib.sha256(database.read_bytes()).hexdigest() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.db", "shop.db"]


@pytest.mark.parametrize("name", GREEDY)
def test_query_that_takes_too_much_is_stopped(name: str, database: Path, refused: Any) -> None:
    refused({"provider": "sqlite", "path": database, "query": GREEDY[name]}, code_of(name), QUICK)


def code_of(name: str) -> str:
    by_its_form = ("a pattern", "an expression", "a sum without", "selects without", "columns without")
    return INTENT if name.startswith(by_its_form) else LIMIT


REQUESTS: dict[str, tuple[dict[str, Any], str]] = {
    "no path": ({"table": "t"}, INTENT),
    "neither table nor query": ({"path": "shop.db"}, INTENT),
    "table and query": ({"path": "shop.db", "table": "t", "query": "SELECT 1"}, INTENT),
    "an unknown key": ({"path": "shop.db", "tabel": "t"}, INTENT),
    "a URI": ({"path": "file:shop.db?mode=rwc", "table": "t"}, "source_not_found"),
    "a URI of memory": ({"path": ":memory:", "table": "t"}, "source_not_found"),
    "a parameter in the path": ({"path": "shop.db?mode=rwc", "table": "t"}, "source_not_found"),
    "a file that is not there": ({"path": "new.db", "table": "t"}, "source_not_found"),
    "a folder": ({"path": ".", "table": "t"}, UNREADABLE),
    "a number for a path": ({"path": 5, "table": "t"}, INTENT),
    "a number for a table": ({"path": "shop.db", "table": 5}, INTENT),
    "a list for a query": ({"path": "shop.db", "query": ["SELECT 1"]}, INTENT),
    "a table that is not there": ({"path": "shop.db", "table": "u"}, "source_not_found"),
    "SQL for a table": ({"path": "shop.db", "table": "t; DROP TABLE t"}, "source_not_found"),
    "a quote in a table": ({"path": "shop.db", "table": 't" UNION SELECT * FROM "big'}, "source_not_found"),
    "the schema for a table": ({"path": "shop.db", "table": "sqlite_master"}, "source_not_found"),
    "an empty table name": ({"path": "shop.db", "table": ""}, "source_not_found"),
    "a table of another file": ({"path": "shop.db", "table": "o.secrets"}, "source_not_found"),
    "a path with a NUL": ({"path": "shop\0.db", "table": "t"}, UNREADABLE),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_request_that_names_nothing_readable_is_refused(name: str, database: Path, refused: Any) -> None:
    request, code = REQUESTS[name]
    refused({"provider": "sqlite", **request}, code)


CONTENTS = {
    "no database": b"a,b\n1,2\n" * 100,
    "an empty file": b"",
    "a header alone": b"SQLite format 3\0" + b"\0" * 84,
}


@pytest.mark.parametrize("name", CONTENTS)
def test_file_that_is_no_database_is_refused(name: str, tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(CONTENTS[name])
    refused({"provider": "sqlite", "path": path, "query": "SELECT a FROM t"}, MALFORMED if CONTENTS[name] else INTENT)
    refused({"provider": "sqlite", "path": path, "table": "t"}, MALFORMED if CONTENTS[name] else "source_not_found")


@pytest.mark.parametrize("seed", range(20))
def test_damaged_database_is_read_or_refused_and_never_mended(seed: int, database: Path, tmp_path: Path) -> None:
    import random

    from service_nb.errors import ServiceError

    damage = random.Random(seed)
    data = bytearray(database.read_bytes())
    for _ in range(20):
        data[damage.randrange(100, len(data))] ^= 1 << damage.randrange(8)
    database.write_bytes(data)
    for table in ("t", "v", "big"):
        try:
            read({"provider": "sqlite", "path": database, "table": table}, QUICK)
        except ServiceError as error:
            assert error.code in (MALFORMED, INTENT, LIMIT, "source_not_found", "source_unreadable")  # noqa: PT017
    assert database.read_bytes() == bytes(data)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.db", "shop.db"]


def test_bytes_and_broken_text_in_cells_are_refused(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "x.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a, b)")
        connection.execute("INSERT INTO t VALUES (1, x'00ff')")
        connection.execute("CREATE TABLE u (a TEXT)")
        connection.execute("INSERT INTO u VALUES (CAST(x'c3' AS TEXT))")
        connection.execute('CREATE TABLE w ("" TEXT)')
        connection.execute("CREATE TABLE long (a TEXT)")
        connection.execute("INSERT INTO long VALUES (?)", ("x" * 1_000_001,))
    connection.close()
    refused({"provider": "sqlite", "path": path, "table": "t"}, MALFORMED, column="b", met="BLOB")
    refused({"provider": "sqlite", "path": path, "table": "u"}, MALFORMED, column="a")
    refused({"provider": "sqlite", "path": path, "table": "w"}, MALFORMED, position=1)
    refused({"provider": "sqlite", "path": path, "table": "long"}, LIMIT, limit_name="cell_chars")
    refused({"provider": "sqlite", "path": path, "query": "SELECT a, a FROM t"}, MALFORMED, position=2)


def test_view_cannot_smuggle_a_function_in(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "x.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE VIEW v AS SELECT randomblob(10) AS a")
        connection.execute(f"CREATE VIEW rows AS {ENDLESS} SELECT x FROM c")
        connection.execute(f"CREATE VIEW none AS {ENDLESS} SELECT count(*) AS n FROM c")
    connection.close()
    refused({"provider": "sqlite", "path": path, "table": "v"}, INTENT)
    refused({"provider": "sqlite", "path": path, "table": "rows"}, LIMIT, QUICK)
    refused({"provider": "sqlite", "path": path, "table": "none"}, LIMIT, QUICK)


def test_database_in_wal_mode_is_read_without_a_file_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "wal.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (a)")
    connection.execute("INSERT INTO t VALUES (1)")
    connection.commit()
    request = {"provider": "sqlite", "path": path, "table": "t"}
    assert read(request, ReadOptions()).row_count == 1  # what waits in the log counts
    connection.close()
    assert [file.name for file in tmp_path.iterdir()] == ["wal.db"]
    assert read(request, ReadOptions()).row_count == 1
    assert [file.name for file in tmp_path.iterdir()] == ["wal.db"]


def test_log_that_nobody_has_open_is_read_from_a_copy_and_not_merged(tmp_path: Path) -> None:
    path = tmp_path / "wal.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (a)")
    connection.execute("INSERT INTO t VALUES (7)")
    connection.commit()
    folder = tmp_path / "copied"
    folder.mkdir()
    for ending in ("", "-wal"):
        shutil.copy(f"{path}{ending}", folder / f"wal.db{ending}")
    before = snapshot(folder)
    dataset = read({"provider": "sqlite", "path": folder / "wal.db", "table": "t"}, ReadOptions())
    assert dataset.table is not None
    assert dataset.table.to_pylist() == [{"a": 7}]  # it stands in the log alone
    assert snapshot(folder) == before
    connection.close()


def test_a_statement_that_takes_too_long_is_stopped_by_the_clock(database: Path, refused: Any) -> None:
    slow = ReadOptions(limits=Limits(sql_steps=10**12, sql_seconds=0.2))
    request = {"provider": "sqlite", "path": database, "query": f"{ENDLESS} SELECT count(*) AS n FROM c"}
    refused(request, LIMIT, slow, limit_name="sql_seconds")


def test_locks_of_this_process_outlive_a_read(database: Path) -> None:
    # POSIX drops all locks of a process on a file when it closes any descriptor of that file.
    writer = sqlite3.connect(database, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    read({"provider": "sqlite", "path": database, "table": "t"}, ReadOptions())
    other = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
    tried = subprocess.run(
        [sys.executable, "-c", other, os.fspath(database)], capture_output=True, text=True, check=False
    )
    writer.close()
    assert "database is locked" in tried.stderr
