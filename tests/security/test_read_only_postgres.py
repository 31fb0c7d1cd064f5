"""SQL that would write, reach out, lock or never end, on a real PostgreSQL: refused as a query, harmless if sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlglot import exp

from tests.security.live_probes import Session, refused_by_the_parser
from tests.servers.fixtures import PostgresDatabase

Record = Callable[[str, object], None]

HOSTILE = [
    # several statements, and comments that hide one
    "SELECT 1; DROP TABLE goods", "SELECT 1; SELECT 2", "; DROP TABLE goods", "SELECT 1;;INSERT INTO goods VALUES (9)",
    "SELECT 1 /* ; */; DROP TABLE goods", "SELECT 1 -- x\n; DROP TABLE goods", "/**/DROP TABLE goods",
    "SELECT '\\'; DROP TABLE goods; --'", "SELECT E'\\''; DROP TABLE goods; --'", "SELECT $$a$$; DROP TABLE goods",
    # transactions, and ways out of this one
    "COMMIT", "COMMIT; DROP TABLE goods", "ROLLBACK", "END; CREATE TABLE out (a int)", "BEGIN READ WRITE",
    "ROLLBACK; BEGIN; DROP TABLE goods; COMMIT", "SET TRANSACTION READ WRITE", "SAVEPOINT a", "PREPARE TRANSACTION 'a'",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", "SET default_transaction_read_only = off",
    "START TRANSACTION READ WRITE", "ABORT; DELETE FROM goods",
    # writing, plainly and within
    "INSERT INTO goods VALUES (9)", "UPDATE goods SET a = 9", "DELETE FROM goods", "TRUNCATE goods", "DROP TABLE goods",
    "WITH x AS (INSERT INTO goods VALUES (9) RETURNING a) SELECT * FROM x",
    "WITH x AS (DELETE FROM goods RETURNING a) SELECT * FROM x", "WITH x AS (UPDATE goods SET a=9 RETURNING a) TABLE x",
    "SELECT * INTO out FROM goods", "CREATE TABLE out AS SELECT 1", "CREATE TEMP TABLE out (a int)",
    "MERGE INTO goods USING goods g ON true WHEN MATCHED THEN DELETE", "CREATE VIEW out AS SELECT 1",
    "ALTER TABLE goods ADD b int",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "GRANT ALL ON goods TO PUBLIC",
    "COMMENT ON TABLE goods IS 'x'",
    "REFRESH MATERIALIZED VIEW goods", "CREATE EXTENSION dblink", "REINDEX TABLE goods", "VACUUM", "ANALYZE goods",
    # locks
    "SELECT * FROM goods FOR UPDATE", "SELECT * FROM goods FOR SHARE", "LOCK TABLE goods IN ACCESS EXCLUSIVE MODE",
    "SELECT pg_advisory_lock(1)", "SELECT pg_try_advisory_lock(1)", "SELECT pg_advisory_xact_lock(1)",
    # files, programs, other servers
    "COPY goods TO '/tmp/out'", "COPY goods FROM '/etc/passwd'", "COPY goods TO PROGRAM 'sh'",
    "COPY (SELECT 1) TO STDOUT",
    "SELECT pg_read_file('/etc/passwd')", "SELECT pg_read_binary_file('/etc/passwd')", "SELECT * FROM pg_ls_dir('/')",
    "SELECT pg_stat_file('/etc/passwd')", "SELECT lo_import('/etc/passwd')", "SELECT lo_export(1, '/tmp/out')",
    "SELECT lo_create(4242)", "SELECT lo_from_bytea(4242, 'x')", "SELECT lo_unlink(4242)",
    "SELECT * FROM dblink('', 'x') AS t(a int)",
    "LOAD 'x'", "SELECT pg_file_write('/tmp/out', 'x', false)", "SELECT * FROM pg_ls_waldir()",
    # settings, sequences, other sessions
    "SET ROLE postgres", "SET SESSION AUTHORIZATION postgres", "RESET ALL",
    "SELECT set_config('role', 'postgres', false)",
    "SELECT set_config('transaction_read_only', 'off', true)", "SELECT set_config('statement_timeout', '0', false)",
    "SELECT nextval('numbers')", "SELECT setval('numbers', 9)", "SELECT currval('numbers')",
    "SELECT pg_terminate_backend(pg_backend_pid())", "SELECT pg_cancel_backend(1)", "SELECT pg_reload_conf()",
    "SELECT pg_notify('a', 'b')", "NOTIFY a", "LISTEN a", "DISCARD ALL", "DEALLOCATE ALL", "CHECKPOINT",
    "SELECT pg_switch_wal()", "SELECT pg_create_restore_point('a')", "SELECT pg_import_system_collations('public')",
    "SELECT pg_logical_emit_message(true, 'a', 'b')", "SELECT pg_stat_reset()", "SELECT pg_export_snapshot()",
    # code
    "DO $$ BEGIN DELETE FROM goods; END $$", "CALL danger()", "SELECT danger()", "SELECT public.danger()",
    "SELECT a FROM goods WHERE danger() > 0", "SELECT a FROM goods ORDER BY danger()", "EXECUTE x",
    "PREPARE x AS DELETE FROM goods",
    "SELECT query_to_xml('DELETE FROM goods', true, true, '')", "SELECT * FROM danger()",
    "SELECT xmlparse(document '<a/>')",
    "SELECT ts_stat('DELETE FROM goods')", "EXPLAIN ANALYZE DELETE FROM goods", "EXPLAIN SELECT 1",
    # for ever, or too large
    "SELECT pg_sleep(600)", "SELECT a FROM goods WHERE pg_sleep(600) IS NULL", "SELECT pg_sleep_for('10 minutes')",
    "SELECT count(*) FROM generate_series(1, 1000000000000)", "SELECT repeat('x', 1000000000)",
    "SELECT lpad('x', 900000000)",
    "WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r) SELECT count(*) FROM r",
    # what belongs to the database itself
    "SELECT * FROM pg_shadow", "SELECT passwd FROM pg_catalog.pg_shadow", "SELECT * FROM pg_authid", "SHOW ALL",
    "SELECT * FROM information_schema.tables", "SELECT * FROM pg_stat_activity",
    "SELECT current_setting('data_directory')",
    "SELECT current_user", "SELECT version()", "SELECT 'goods'::regclass", "SELECT now()", "SELECT random()",
    "SELECT $1",
]  # fmt: skip


@pytest.fixture(scope="module")
def shop(postgres_database: PostgresDatabase) -> PostgresDatabase:
    for statement in (
        "CREATE TABLE goods (a int PRIMARY KEY, b text)",
        "INSERT INTO goods VALUES (1, 'x'), (2, 'y')",
        "CREATE SEQUENCE numbers",
        "GRANT ALL ON SEQUENCE numbers TO reader",  # so that the rights are not what stops it
        "GRANT ALL ON goods TO reader",
        "GRANT ALL ON SCHEMA public TO reader",
        "CREATE FUNCTION danger() RETURNS int LANGUAGE sql VOLATILE AS 'INSERT INTO goods VALUES (99) RETURNING a'",
    ):
        postgres_database.run(statement)
    return postgres_database


@pytest.fixture(scope="module")
def session(shop: PostgresDatabase) -> Iterator[Session]:
    opened = Session(shop.descriptor())
    yield opened
    opened.close()


@pytest.mark.parametrize("query", HOSTILE)
def test_hostile_query_is_refused_before_it_is_sent(
    query: str, shop: PostgresDatabase, record_property: Record
) -> None:
    refused_by_the_parser(shop.descriptor(), query, record_property)


def test_hostile_text_that_is_sent_changes_nothing(
    session: Session, shop: PostgresDatabase, record_property: Record
) -> None:
    # A role with every right on the tables: what stops it is the session alone.
    with shop.connect() as connection:
        before, files = _state(connection), _files()
        for query in HOSTILE:
            session.send(query)
            assert _state(connection) == before, query
            record_property("bad_inputs", 1)
    assert _files() == files


def test_a_session_is_as_it_was_after_every_hostile_text(session: Session) -> None:
    for query in (
        "COMMIT",
        "SELECT set_config('statement_timeout', '0', false)",
        "SET ROLE postgres",
        "SELECT pg_sleep(600)",
    ):
        session.send(query)
        rows = session.link.fetch_rows(exp.select("a").from_("goods").order_by("a"), (), 10, time.monotonic() + 10)
        assert rows == [(1,), (2,)]


STATE = """
    SELECT ARRAY(SELECT row(a, b)::text FROM goods ORDER BY a), (SELECT row(last_value, is_called)::text FROM numbers),
        ARRAY(SELECT row(relname, relkind)::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1),
        ARRAY(SELECT row(proname)::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1),
        ARRAY(SELECT oid::text FROM pg_largeobject_metadata ORDER BY 1), ARRAY(SELECT extname::text FROM pg_extension),
        ARRAY(SELECT row(rolname, rolsuper)::text FROM pg_roles ORDER BY 1), (SELECT count(*) FROM pg_prepared_xacts),
        ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = 'goods'::regclass AND attnum > 0 ORDER BY 1),
        (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), (SELECT count(*) FROM pg_collation)
"""


def _state(connection: Any) -> Any:
    return connection.execute(STATE).fetchone()


def _files() -> bool:
    return Path("/tmp/out").exists()
