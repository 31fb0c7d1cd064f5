"""SQL that would write, reach out or never end, on a real ClickHouse: refused as a query, harmless if sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.security.live_probes import Session, refused_by_the_parser
from tests.servers.fixtures import ClickHouseDatabase

pytestmark = pytest.mark.wide
Record = Callable[[str, object], None]

HOSTILE = [
    # several statements, and comments that hide one
    "SELECT 1; DROP TABLE goods", "SELECT 1; SELECT 2", "/**/DROP TABLE goods", "-- x\nDROP TABLE goods",
    "SELECT 1 /* ; */; DROP TABLE goods",
    # settings, and ways out of read-only
    "SET readonly = 0", "SELECT 1 SETTINGS readonly = 0", "SELECT a FROM goods SETTINGS max_execution_time = 0",
    "SET max_memory_usage = 0",
    "SELECT * FROM (SELECT a FROM goods SETTINGS readonly = 0)", "SET allow_ddl = 1", "SET ROLE admin",
    "SET PROFILE 'default'",
    "SELECT 1 SETTINGS allow_introspection_functions = 1", "SELECT a FROM goods SETTINGS enable_analyzer = 0",
    # writing
    "INSERT INTO goods VALUES (9, 'z')", "INSERT INTO goods SELECT 9, 'z'", "ALTER TABLE goods DELETE WHERE 1",
    "DELETE FROM goods WHERE 1",
    "ALTER TABLE goods UPDATE b = 'z' WHERE 1", "TRUNCATE TABLE goods", "DROP TABLE goods", "DETACH TABLE goods",
    "ATTACH TABLE goods",
    "CREATE TABLE stolen (a Int64) ENGINE = Memory", "CREATE TEMPORARY TABLE stolen (a Int64)",
    "RENAME TABLE goods TO stolen", "OPTIMIZE TABLE goods FINAL",
    "CREATE TABLE stolen ENGINE = Memory AS SELECT 1", "CREATE VIEW stolen AS SELECT 1", "CREATE DATABASE stolen",
    "EXCHANGE TABLES goods AND stolen",
    "CREATE FUNCTION stolen AS (x) -> x", "CREATE USER thief", "GRANT ALL ON *.* TO reader",
    "CREATE DICTIONARY stolen (a Int64) PRIMARY KEY a",
    "ALTER TABLE goods ADD COLUMN c Int64", "ALTER TABLE goods FREEZE", "BACKUP TABLE goods TO Disk('x', 'y')",
    "RESTORE ALL FROM Disk('x', 'y')",
    "CREATE MATERIALIZED VIEW stolen ENGINE = Memory AS SELECT 1 AS a", "KILL QUERY WHERE 1", "KILL MUTATION WHERE 1",
    "UNDROP TABLE goods",
    # files, addresses, other servers
    "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')", "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT file('/etc/passwd')",
    "SELECT * FROM s3('http://127.0.0.1:1/x', 'CSV', 'a String')",
    "SELECT * FROM remote('127.0.0.1:1', 'default', 'goods')", "SELECT * FROM mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
    "SELECT * FROM postgresql('127.0.0.1:1', 'a', 'b', 'c', 'd')", "SELECT * FROM sqlite('/tmp/x', 't')",
    "SELECT * FROM hdfs('hdfs://127.0.0.1:1/x', 'CSV', 'a String')",
    "SELECT * FROM executable('x.sh', 'CSV', 'a String')", "SELECT * FROM jdbc('x', 'y')",
    "SELECT * FROM odbc('x', 'y', 'z')", "SELECT * FROM input('a Int64') FORMAT CSV",
    "SELECT * FROM cluster('default', system.one)", "SELECT a FROM goods INTO OUTFILE '/tmp/stolen'",
    "SELECT a FROM goods INTO OUTFILE '/tmp/stolen' FORMAT CSV",
    "INSERT INTO FUNCTION file('stolen.csv') SELECT 1", "INSERT INTO FUNCTION url('http://127.0.0.1:1/') SELECT 1",
    "SELECT * FROM azureBlobStorage('x', 'y', 'z')",
    "SELECT * FROM iceberg('http://127.0.0.1:1/x')", "SELECT * FROM merge('.*', '.*')", "SELECT * FROM view(SELECT 1)",
    "SELECT catboostEvaluate('/tmp/x', 1)",
    # for ever, or too large
    "SELECT sleep(3)", "SELECT sleepEachRow(1) FROM numbers(1000)", "SELECT count() FROM system.numbers",
    "SELECT count() FROM numbers(1000000000000000)", "SELECT repeat('x', 1000000000)",
    "WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r) SELECT count() FROM r",
    "SELECT count() FROM generateRandom('a Int64') LIMIT 1", "SELECT range(1000000000)",
    "SELECT arrayJoin(range(100000000000))", "SELECT throwIf(1)", "SELECT rand()", "SELECT generateUUIDv4()",
    "SELECT now()", "SELECT rowNumberInAllBlocks()",
    # what belongs to the database itself
    "SELECT * FROM system.users", "SELECT * FROM system.query_log", "SELECT * FROM system.settings",
    "SELECT * FROM information_schema.tables", "SHOW GRANTS", "SHOW TABLES", "DESCRIBE TABLE goods",
    "SELECT * FROM INFORMATION_SCHEMA.COLUMNS", "SHOW CREATE TABLE goods", "EXPLAIN SELECT 1", "EXISTS goods",
    "SYSTEM SHUTDOWN", "SYSTEM RELOAD CONFIG", "SYSTEM FLUSH LOGS", "USE system", "CHECK TABLE goods",
    "SELECT currentUser()", "SELECT hostName()", "SELECT getSetting('readonly')", "SELECT version()",
    "SELECT dictGet('a', 'b', 1)", "SELECT joinGet('a', 'b', 1)", "SELECT addressToLine(1)", "SELECT getMacro('x')",
    "SELECT a FROM goods FORMAT JSON", "SELECT a FROM goods SAMPLE 0.1",
    "SELECT {p:Int64}", "SELECT a FROM goods PREWHERE a = 1", "SELECT lowCardinalityIndices('a')", "VALUES (1)",
    "SELECT arrayMap(x -> sleep(3), [1, 2])", "SELECT evalMLMethod(1)", "SELECT hasThreadFuzzer()",
    "SELECT COLUMNS('a') FROM goods", "SELECT getServerPort('tcp_port')", "SELECT fuzzBits('a', 0.1)",
]  # fmt: skip


@pytest.fixture(scope="module")
def shop(clickhouse_database: ClickHouseDatabase) -> ClickHouseDatabase:
    name = clickhouse_database.name
    clickhouse_database.run(f"CREATE TABLE {name}.goods (a Int64, b String) ENGINE = MergeTree ORDER BY a")
    clickhouse_database.run(f"INSERT INTO {name}.goods VALUES (1, 'x'), (2, 'y')")
    return clickhouse_database


@pytest.fixture(scope="module")
def session(shop: ClickHouseDatabase) -> Iterator[Session]:
    opened = Session(shop.descriptor())
    yield opened
    opened.close()


@pytest.mark.parametrize("query", HOSTILE)
def test_hostile_query_is_refused_before_it_is_sent(
    query: str, shop: ClickHouseDatabase, record_property: Record
) -> None:
    refused_by_the_parser(shop.descriptor(), query, record_property)


def test_hostile_text_that_is_sent_changes_nothing(
    session: Session, shop: ClickHouseDatabase, record_property: Record
) -> None:
    # The account may do everything here: what stops it is `readonly` alone.
    before = _state(shop)
    for query in HOSTILE:
        session.send(query)
        assert _state(shop) == before, query
        record_property("bad_inputs", 1)


def _state(shop: ClickHouseDatabase) -> list[Any]:
    return [
        shop.run(f"SELECT a, b FROM {shop.name}.goods ORDER BY a"),
        shop.run(
            "SELECT database, name, create_table_query FROM system.tables WHERE database != 'system' ORDER BY 1, 2"
        ),
        shop.run("SELECT name FROM system.databases ORDER BY 1"),
        shop.run("SELECT name FROM system.functions WHERE origin != 'System' ORDER BY 1"),
        shop.run("SELECT count() FROM system.mutations"),
    ]
