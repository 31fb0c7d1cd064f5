"""SQL that would write, reach out, lock or wait for ever, on a real MariaDB: refused as a query, harmless if sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from sqlglot import exp

from tests.security.live_probes import Session, refused_by_the_parser
from tests.servers.fixtures import READER, MariaDatabase

Record = Callable[[str, object], None]

HOSTILE = [
    # several statements, and comments that hide one; comments that MySQL runs
    "SELECT 1; DROP TABLE goods", "SELECT 1; SELECT 2", "; DELETE FROM goods", "SELECT 1 /* ; */; DROP TABLE goods",
    "SELECT 1 -- x\n; DROP TABLE goods", "SELECT 1 # x\n; DROP TABLE goods", "/**/DROP TABLE goods",
    "/*!50000 DROP TABLE goods */", "/*! DELETE FROM goods */", "/*M! DELETE FROM goods */",
    "DELIMITER //\nDROP TABLE goods//",
    'SELECT "a"; DROP TABLE goods',
    # transactions, and ways out of this one
    "COMMIT", "COMMIT; DROP TABLE goods", "ROLLBACK", "BEGIN", "START TRANSACTION READ WRITE", "SAVEPOINT a",
    "SET TRANSACTION READ WRITE", "SET SESSION TRANSACTION READ WRITE", "SET autocommit = 1", "XA START 'a'",
    "SET SESSION tx_read_only = 0", "SET GLOBAL tx_read_only = 0", "SET GLOBAL general_log = 1", "SET @a = 1",
    # writing, plainly and within
    "INSERT INTO goods VALUES (9, 'z')", "UPDATE goods SET a = 9", "DELETE FROM goods",
    "REPLACE INTO goods VALUES (1, 'z')",
    "INSERT INTO goods SELECT 9, 'z'", "DELETE goods FROM goods", "INSERT INTO goods VALUES (9, 'z') RETURNING a",
    "UPDATE goods SET a = 9 ORDER BY a LIMIT 1", "INSERT INTO goods VALUES (1, 'z') ON DUPLICATE KEY UPDATE b = 'z'",
    "TRUNCATE goods", "DROP TABLE goods", "CREATE TABLE stolen (a int)", "CREATE TABLE stolen AS SELECT 1",
    "CREATE TEMPORARY TABLE stolen (a int)", "ALTER TABLE goods ADD c int", "RENAME TABLE goods TO stolen",
    "CREATE VIEW stolen AS SELECT 1", "CREATE INDEX i ON goods (b)", "CREATE DATABASE stolen", "OPTIMIZE TABLE goods",
    "CREATE FUNCTION f() RETURNS int RETURN 1", "CREATE USER thief", "GRANT ALL ON *.* TO reader", "SET PASSWORD = 'x'",
    "WITH x AS (SELECT 1 AS a) DELETE FROM goods WHERE a IN (SELECT a FROM x)", "ANALYZE TABLE goods",
    "REPAIR TABLE goods",
    # files
    "SELECT * FROM goods INTO OUTFILE '{out}'", "SELECT b INTO DUMPFILE '{out}' FROM goods",
    "SELECT 1 INTO OUTFILE '{out}'",
    "SELECT LOAD_FILE('/etc/passwd')", "LOAD DATA INFILE '/etc/passwd' INTO TABLE goods",
    "SELECT a FROM goods WHERE LOAD_FILE('/etc/passwd')",
    "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE goods", "SELECT a INTO @b FROM goods", "INSTALL SONAME 'x'",
    "CREATE FUNCTION sys_exec RETURNS int SONAME 'x.so'", "SELECT sys_exec('id')",
    # locks
    "SELECT * FROM goods FOR UPDATE", "SELECT * FROM goods LOCK IN SHARE MODE", "LOCK TABLES goods WRITE",
    "FLUSH TABLES WITH READ LOCK",
    "SELECT GET_LOCK('a', 600)", "SELECT RELEASE_ALL_LOCKS()", "SELECT IS_FREE_LOCK('a')",
    "SELECT a FROM goods WHERE GET_LOCK('a', 1)",
    "HANDLER goods OPEN", "FLUSH PRIVILEGES",
    # for ever, or too large
    "SELECT SLEEP(600)", "SELECT a FROM goods WHERE SLEEP(600)", "SELECT BENCHMARK(1000000000000, MD5('x'))",
    "SELECT REPEAT('x', 100000000)",
    "WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r) SELECT COUNT(*) FROM r",
    "SELECT SPACE(100000000)",
    "SELECT MASTER_POS_WAIT('a', 1, 600)", "SELECT LPAD('x', 100000000, 'y')",
    "SELECT COUNT(*) FROM seq_1_to_1000000000000",
    # variables, sequences, code, other sessions
    "SELECT @@version", "SELECT @@global.secure_file_priv", "SELECT @a := 1", "SELECT NEXT VALUE FOR numbers",
    "SELECT NEXTVAL(numbers)",
    "SELECT SETVAL(numbers, 9)", "SELECT LASTVAL(numbers)", "SELECT LAST_INSERT_ID(9)", "CALL danger()",
    "SELECT danger()", "DO danger()", "DO SLEEP(600)",
    "SELECT a FROM goods WHERE danger() > 0", "PREPARE x FROM 'DELETE FROM goods'",
    "EXECUTE IMMEDIATE 'DELETE FROM goods'",
    "KILL 1", "KILL QUERY 1", "SHUTDOWN", "SELECT CONNECTION_ID()", "SELECT USER()", "SELECT UUID()", "SELECT RAND()",
    "SELECT NOW()",
    # what belongs to the database itself
    "SELECT * FROM mysql.user", "SELECT * FROM mysql.global_priv", "SELECT * FROM information_schema.processlist",
    "SHOW GRANTS",
    "SELECT * FROM performance_schema.threads", "SHOW VARIABLES", "SHOW DATABASES", "DESCRIBE goods",
    "EXPLAIN SELECT 1", "USE mysql",
    "SELECT SQL_NO_CACHE a FROM goods", "SELECT a FROM goods PROCEDURE ANALYSE()",
    "SELECT /*+ MAX_EXECUTION_TIME(0) */ a FROM goods",
    "SELECT a FROM goods PARTITION (p0)", "SELECT EXTRACTVALUE(1, CONCAT(0x7e, VERSION()))", "SELECT ?",
    "BACKUP STAGE START",
]  # fmt: skip


@pytest.fixture(scope="module")
def shop(mariadb_database: MariaDatabase) -> MariaDatabase:
    for statement in (
        "CREATE TABLE goods (a int PRIMARY KEY, b varchar(20))",
        "INSERT INTO goods VALUES (1, 'x'), (2, 'y')",
        "CREATE SEQUENCE numbers",
        f"GRANT SELECT, INSERT, UPDATE, DELETE, EXECUTE ON {mariadb_database.name}.* TO {READER}@'%'",
        "CREATE FUNCTION danger() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM goods; RETURN 1; END",
    ):
        mariadb_database.run(statement)
    return mariadb_database


@pytest.fixture(scope="module")
def session(shop: MariaDatabase) -> Iterator[Session]:
    opened = Session(shop.descriptor())
    yield opened
    opened.close()


@pytest.mark.parametrize("query", HOSTILE)
def test_hostile_query_is_refused_before_it_is_sent(query: str, shop: MariaDatabase, record_property: Record) -> None:
    refused_by_the_parser(shop.descriptor(), query, record_property)


def test_hostile_text_that_is_sent_changes_nothing(
    session: Session, shop: MariaDatabase, record_property: Record
) -> None:
    # An account that may write these rows: what stops it is the transaction; the rest, that it may no more than that.
    with closing(shop.connect()) as connection:
        before = _state(connection, shop)
        for query in HOSTILE:
            session.send(query.replace("{out}", f"{shop.server.data}/stolen"))
            assert _state(connection, shop) == before, query
            record_property("bad_inputs", 1)


def test_a_session_is_as_it_was_after_every_hostile_text(session: Session) -> None:
    for query in (
        "COMMIT",
        "SET SESSION TRANSACTION READ WRITE",
        "SELECT SLEEP(600)",
        "SET autocommit = 0",
        "SET sql_mode = ''",
    ):
        session.send(query)
        rows = session.link.fetch_rows(exp.select("a").from_("goods").order_by("a"), (), 10, time.monotonic() + 10)
        assert rows == [(1,), (2,)]


STATE = (
    "SELECT a, b FROM goods ORDER BY a",
    "SELECT next_not_cached_value FROM numbers",
    "SHOW TABLES",
    "SHOW COLUMNS FROM goods",
    "SHOW DATABASES",
    "SELECT User, Host, Priv FROM mysql.global_priv ORDER BY 1, 2",
    "SELECT name FROM mysql.func",
    "SELECT @@global.general_log, @@global.read_only, @@global.tx_read_only",
)


def _state(connection: Any, shop: MariaDatabase) -> Any:
    # Locks by name are not here: a session that asks for one gets it, and who asks is stopped by the parser.
    found: list[Any] = [path.name for path in shop.server.data.iterdir() if path.name == "stolen"]
    with connection.cursor() as cursor:
        for query in STATE:
            cursor.execute(query)
            found.append(cursor.fetchall())
    return found
