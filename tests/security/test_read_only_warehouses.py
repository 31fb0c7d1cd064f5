"""Hostile queries for warehouses, of which none runs here: what their parsers of queries refuse, and what is sent.

A query is taken apart, checked node by node, and written anew from its tree. So what is written has to mean the tree
that was checked: it is read again, and has to be the same, with nothing in it that would not pass by itself.
"""

from __future__ import annotations

from collections import Counter

import pytest
from sqlglot import exp

from service_nb.connectors import user_query
from service_nb.errors import InvalidIntentError, ServiceError

EVERYWHERE = [
    "SELECT 1 AS a; DROP TABLE goods", "SELECT 1 AS a; SELECT 2 AS b", "; DROP TABLE goods", "DROP TABLE goods",
    "SELECT 1 AS a /* ; */; DROP TABLE goods", "SELECT 1 AS a -- x\n; DROP TABLE goods", "/**/DELETE FROM goods",
    "SELECT 'a''; DROP TABLE goods", "BEGIN SELECT 1; END", "INSERT INTO goods VALUES (9)", "UPDATE goods SET a = 9",
    "DELETE FROM goods", "TRUNCATE TABLE goods", "CREATE TABLE out AS SELECT 1 AS a",
    "CREATE VIEW out AS SELECT 1 AS a", "ALTER TABLE goods ADD b INT",
    "MERGE INTO goods USING goods g ON (g.a = goods.a) WHEN MATCHED THEN UPDATE SET a = 9",
    "WITH x AS (DELETE FROM goods) SELECT * FROM x", "GRANT SELECT ON goods TO PUBLIC",
    "REVOKE ALL ON goods FROM reader", "SELECT * INTO out FROM goods", "COMMIT", "ROLLBACK", "SAVEPOINT a",
    "EXPLAIN SELECT 1", "DESCRIBE goods",
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c",
    "SELECT REPEAT('x', 1000000000) AS a", "SELECT LPAD('x', 1000000000, 'x') AS a", "SELECT RAND() AS a",
    "SELECT CURRENT_USER AS a", "SELECT CURRENT_TIMESTAMP AS a", "SELECT a FROM goods FOR UPDATE",
    "SELECT * FROM information_schema.tables", "CALL danger()", "SELECT danger() AS a",
    "SELECT s.danger(1) AS a FROM goods", "SELECT 1 AS a; COMMIT",
]  # fmt: skip
TSQL = [
    "EXEC xp_cmdshell 'id'", "EXECUTE AS USER = 'dbo'", "EXEC sp_executesql N'DROP TABLE goods'", "SHUTDOWN",
    "SELECT * FROM OPENROWSET('SQLNCLI', 'server=x;', 'SELECT 1')", "SELECT * FROM OPENQUERY(other, 'SELECT 1')",
    "SELECT * FROM OPENROWSET(BULK '/etc/passwd', SINGLE_CLOB) AS x", "SELECT * FROM OPENDATASOURCE('x', 'y').a.b.c",
    "BULK INSERT goods FROM '/etc/passwd'", "WAITFOR DELAY '10:00:00'", "SELECT 1 AS a WAITFOR DELAY '0:0:9'",
    "SELECT @@VERSION AS a", "SELECT @@SERVERNAME AS a", "DECLARE @a INT = 1 SELECT @a AS a", "SET NOCOUNT ON",
    "SELECT * FROM goods WITH (TABLOCKX)", "SELECT * FROM goods WITH (UPDLOCK, HOLDLOCK)",
    "SELECT * FROM sys.objects", "SELECT TOP 1 a FROM goods OPTION (MAXRECURSION 0)",
    "SELECT a FROM goods FOR XML AUTO", "SELECT a FROM goods FOR JSON AUTO", "SELECT NEXT VALUE FOR numbers AS a",
    "SELECT * FROM STRING_SPLIT('a,b', ',')", "SELECT * FROM fn_dblog(NULL, NULL)",
    "SELECT * FROM sys.fn_xe_file_target_read_file('/x', NULL, NULL, NULL)",
    "SELECT * FROM fn_get_audit_file('/x', NULL, NULL)", "SELECT HAS_DBACCESS('master') AS a",
    "SELECT USER_NAME() AS a", "SELECT SUSER_SNAME() AS a", "SELECT DB_NAME() AS a",
    "SELECT OBJECT_DEFINITION(1) AS a", "SELECT SERVERPROPERTY('x') AS a", "SELECT NEWID() AS a", "DBCC CHECKDB",
    "BACKUP DATABASE shop TO DISK = '/tmp/x'", "RESTORE DATABASE shop FROM DISK = '/tmp/x'", "USE master", "KILL 53",
    "CREATE LOGIN x WITH PASSWORD = 'y'", "DENY SELECT ON goods TO reader", "RECONFIGURE", "REVERT",
    "GO\nDROP TABLE goods", "SELECT 1 AS a DROP TABLE goods", "SELECT a FROM goods CROSS APPLY danger(a)",
    "SELECT a FROM goods OUTER APPLY danger(a) AS d", "INSERT INTO goods EXEC danger",
    "SELECT * FROM goods TABLESAMPLE (10 PERCENT)", "UPDATE STATISTICS goods",
    "SELECT * FROM CHANGETABLE(CHANGES goods, 0) AS c", "SELECT * FROM master..sysdatabases",
    "BEGIN TRAN DROP TABLE goods COMMIT",
]  # fmt: skip
ORACLE = [
    "BEGIN DELETE FROM goods; END;", "DECLARE PRAGMA AUTONOMOUS_TRANSACTION; BEGIN DELETE FROM goods; END;",
    "BEGIN EXECUTE IMMEDIATE 'DROP TABLE goods'; END;", "SELECT UTL_HTTP.REQUEST('http://x') AS a FROM dual",
    "SELECT UTL_INADDR.GET_HOST_ADDRESS('x') AS a FROM dual",
    "SELECT HTTPURITYPE('http://x').GETCLOB() AS a FROM dual",
    "SELECT DBMS_PIPE.RECEIVE_MESSAGE('a', 60) AS a FROM dual", "SELECT DBMS_LOCK.SLEEP(60) AS a FROM dual",
    "SELECT DBMS_XMLGEN.GETXML('SELECT 1 FROM dual') AS a FROM dual",
    "SELECT DBMS_XMLQUERY.GETXML('x') AS a FROM dual", "SELECT SYS_CONTEXT('USERENV', 'SESSION_USER') AS a FROM dual",
    "SELECT USER AS a FROM v$session", "SELECT * FROM v$version", "SELECT * FROM all_tables",
    "SELECT * FROM dba_users", "SELECT * FROM sys.user$", "SELECT * FROM user_tab_privs", "SELECT * FROM goods@other",
    "SELECT numbers.NEXTVAL FROM dual", "SELECT numbers.CURRVAL AS a FROM dual", "SELECT * FROM TABLE(danger())",
    "SELECT * FROM XMLTABLE('/a' PASSING x)", "SELECT EXTRACTVALUE(XMLTYPE('<a/>'), '/a') AS a FROM dual",
    "SELECT BFILENAME('D', 'f') AS a FROM dual", "SELECT * FROM EXTERNAL ((a INT) TYPE oracle_loader)",
    "LOCK TABLE goods IN EXCLUSIVE MODE", "SELECT a FROM goods FOR UPDATE NOWAIT",
    "SELECT a FROM goods FOR UPDATE OF a SKIP LOCKED", "SET ROLE ALL", "ALTER SYSTEM KILL SESSION '1,1'",
    "ALTER SESSION SET CURRENT_SCHEMA = sys", "SET TRANSACTION READ WRITE", "EXPLAIN PLAN FOR SELECT 1 FROM dual",
    "PURGE RECYCLEBIN", "FLASHBACK TABLE goods TO BEFORE DROP", "SELECT * FROM goods AS OF TIMESTAMP SYSDATE - 1",
    "SELECT * FROM goods VERSIONS BETWEEN SCN MINVALUE AND MAXVALUE", "SELECT a FROM goods CONNECT BY 1 = 1",
    "SELECT LEVEL AS a FROM dual CONNECT BY LEVEL < 1000000000",
    "SELECT * FROM goods MODEL DIMENSION BY (a) MEASURES (b) RULES ()",
    "WITH FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END; SELECT f FROM dual",
    "SELECT /*+ PARALLEL(64) */ danger(a) FROM goods", "SELECT DBMS_RANDOM.VALUE AS a FROM dual",
    "SELECT CURSOR(SELECT 1 FROM dual) AS a FROM dual",
    "SELECT ORA_ROWSCN AS a, danger FROM goods WHERE danger(1) = 1", "SELECT * FROM goods SAMPLE (10)",
    "SELECT DBMS_METADATA.GET_DDL('TABLE', 'GOODS') AS a FROM dual",
    "SELECT SYS.DBMS_EXPORT_EXTENSION.X() AS a FROM dual", "SELECT sdo_util.from_wktgeometry('x') AS a FROM dual",
    "SELECT LISTAGG(a) WITHIN GROUP (ORDER BY a) AS a FROM goods, XMLTABLE('1 to 10')", "AUDIT SELECT ON goods",
    "COMMENT ON TABLE goods IS 'x'", "RENAME goods TO bads", "ANALYZE TABLE goods COMPUTE STATISTICS",
]  # fmt: skip
SNOWFLAKE = [
    "PUT file:///etc/passwd @stage", "GET @stage file:///tmp/", "LIST @stage", "REMOVE @stage",
    "COPY INTO goods FROM @stage", "COPY INTO 's3://x/' FROM goods", "COPY INTO @stage FROM (SELECT 1)",
    "SELECT $1 FROM @stage/file.csv", "SELECT * FROM @~", "SELECT $1 FROM @%goods (FILE_FORMAT => 'csv')",
    "SELECT $variable AS a", "SET a = 1", "UNSET a", "USE ROLE ACCOUNTADMIN", "USE DATABASE other", "SHOW TABLES",
    "ALTER SESSION SET QUERY_TAG = 'x'", "ALTER USER u SET PASSWORD = 'x'", "CREATE STAGE s",
    "CREATE PIPE p AS COPY INTO goods FROM @s", "CREATE TASK t AS SELECT 1", "EXECUTE TASK t",
    "EXECUTE IMMEDIATE 'DROP TABLE goods'", "EXECUTE IMMEDIATE $$BEGIN DROP TABLE goods; END$$",
    "CALL SYSTEM$WAIT(60)", "SELECT SYSTEM$WAIT(60) AS a", "SELECT SYSTEM$CANCEL_ALL_QUERIES(1) AS a",
    "SELECT SYSTEM$ABORT_SESSION(1) AS a", "SELECT SYSTEM$TYPEOF(a) AS a FROM goods",
    "SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))", "SELECT * FROM TABLE(GENERATOR(ROWCOUNT => 1000000000000))",
    "SELECT * FROM TABLE(FLATTEN(input => PARSE_JSON('[1]')))",
    "SELECT * FROM TABLE(information_schema.query_history())", "SELECT * FROM snowflake.account_usage.users",
    "SELECT * FROM goods AT (OFFSET => -60)", "SELECT * FROM goods BEFORE (STATEMENT => 'x')",
    "SELECT * FROM goods CHANGES (INFORMATION => DEFAULT) AT (OFFSET => -1)", "SELECT * FROM goods SAMPLE (10)",
    "SELECT numbers.NEXTVAL AS a", "SELECT GET_DDL('TABLE', 'goods') AS a", "SELECT CURRENT_ROLE() AS a",
    "SELECT CURRENT_ACCOUNT() AS a", "SELECT LAST_QUERY_ID() AS a", "SELECT UUID_STRING() AS a",
    "SELECT RANDOM() AS a", "SELECT SEQ8() AS a", "SELECT GET_PRESIGNED_URL(@s, 'x') AS a",
    "SELECT BUILD_STAGE_FILE_URL(@s, 'x') AS a", "SELECT SNOWFLAKE.CORTEX.COMPLETE('m', 'x') AS a",
    "SELECT AI_COMPLETE('m', 'x') AS a", "SELECT * FROM IDENTIFIER('goods')", "SELECT * FROM TABLE('goods')",
    "INSERT ALL INTO goods VALUES (1) SELECT 1", "UNDROP TABLE goods",
    "CREATE FUNCTION f() RETURNS INT LANGUAGE PYTHON AS 'x'", "SELECT 1 AS a ->> SELECT * FROM $1",
    "WITH p AS PROCEDURE () RETURNS INT LANGUAGE SQL AS $$BEGIN RETURN 1; END$$ CALL p()",
]  # fmt: skip
BIGQUERY = [
    "EXPORT DATA OPTIONS (uri = 'gs://x/*', format = 'CSV') AS SELECT 1",
    "LOAD DATA INTO goods FROM FILES (format = 'CSV', uris = ['gs://x'])", "EXECUTE IMMEDIATE 'DROP TABLE goods'",
    "DECLARE a INT64 DEFAULT 1; SELECT a", "SET a = 1", "BEGIN DROP TABLE goods; END", "BEGIN TRANSACTION",
    "CREATE TEMP FUNCTION f() AS (1); SELECT f()",
    "CREATE TEMP FUNCTION f() RETURNS INT64 LANGUAGE js AS 'return 1'; SELECT f()",
    "CREATE MODEL m OPTIONS (model_type = 'linear_reg') AS SELECT 1",
    "SELECT * FROM ML.PREDICT(MODEL m, TABLE goods)", "SELECT * FROM EXTERNAL_QUERY('c', 'DROP TABLE goods')",
    "SELECT * FROM APPENDS(TABLE goods, NULL, NULL)",
    "SELECT * FROM goods FOR SYSTEM_TIME AS OF TIMESTAMP '2020-01-01'",
    "SELECT * FROM goods TABLESAMPLE SYSTEM (10 PERCENT)", "SELECT SESSION_USER() AS a", "SELECT @@session_id AS a",
    "SELECT @@project_id AS a", "SELECT @a AS a", "SELECT ERROR('x') AS a", "SELECT GENERATE_UUID() AS a",
    "SELECT * FROM UNNEST(GENERATE_ARRAY(1, 1000000000)) AS a", "SELECT GENERATE_ARRAY(1, 1000000000) AS a",
    "SELECT * FROM `x.INFORMATION_SCHEMA.TABLES`", "SELECT * FROM x.INFORMATION_SCHEMA.JOBS",
    "SELECT * FROM `region-us`.INFORMATION_SCHEMA.JOBS", "SELECT * FROM INFORMATION_SCHEMA.SCHEMATA",
    "SELECT KEYS.NEW_KEYSET('AEAD_AES_GCM_256') AS a", "SELECT AEAD.DECRYPT_STRING(a, b, c) AS a FROM goods",
    "SELECT NET.HOST('x') AS a", "SELECT s.remote(1) AS a", "SELECT `p.d.f`(1) AS a", "CALL p.d.proc()",
    "CALL BQ.JOBS.CANCEL('x')", "SELECT * FROM goods WITH OFFSET", "SELECT AS STRUCT 1 AS a", "SELECT AS VALUE 1",
    "FROM goods |> DROP a", "SELECT * FROM ML.GENERATE_TEXT(MODEL m, TABLE goods)", "SELECT AI.GENERATE('x') AS a",
    "SELECT VECTOR_SEARCH(1) AS a", "SELECT * FROM VECTOR_SEARCH(TABLE goods, 'a', TABLE goods)", "ASSERT 1 = 2",
    "RAISE USING MESSAGE = 'x'", "WHILE TRUE DO SELECT 1; END WHILE", "LOOP SELECT 1; END LOOP",
    "IF TRUE THEN DROP TABLE goods; END IF", "CREATE SNAPSHOT TABLE x CLONE goods", "DROP SCHEMA d CASCADE",
    "SELECT * FROM goods, UNNEST([1, 2]) AS b", "SELECT ARRAY(SELECT a FROM goods) AS a",
    "SELECT (SELECT AS STRUCT 1 AS a) AS b", "UNDROP SCHEMA d",
    "SELECT DIFFERENTIAL_PRIVACY WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) COUNT(*) FROM goods",
    "SELECT * FROM GAP_FILL(TABLE goods, ts_column => 'a', bucket_width => INTERVAL 1 DAY)",
    "EXPORT MODEL m OPTIONS (uri = 'gs://x')",
]  # fmt: skip
REDSHIFT = [
    "UNLOAD ('SELECT 1') TO 's3://x/' IAM_ROLE 'y'", "COPY goods FROM 's3://x' IAM_ROLE 'y'",
    "CREATE EXTERNAL SCHEMA x FROM DATA CATALOG DATABASE 'd'", "CREATE DATASHARE x",
    "CREATE LIBRARY x LANGUAGE plpythonu FROM 's3://x'", "SELECT lambda_function(1) AS a FROM goods",
    "SELECT * FROM stl_query", "SELECT * FROM svv_tables", "SELECT * FROM pg_user", "SELECT pg_cancel_backend(1)",
    "SELECT pg_terminate_backend(1)", "SELECT set_config('a', 'b', false)",
    "CANCEL 18764", "VACUUM goods", "ANALYZE goods", "SET SESSION AUTHORIZATION rdsdb", "SHOW TABLE goods",
    "SELECT pg_last_copy_id()", "SELECT * FROM sys_query_history", "SELECT pg_sleep(60)", "SELECT nextval('numbers')",
    "LOCK goods", "DECLARE c CURSOR FOR SELECT 1", "FETCH ALL FROM c",
]  # fmt: skip
OWN = {"tsql": TSQL, "oracle": ORACLE, "snowflake": SNOWFLAKE, "bigquery": BIGQUERY, "redshift": REDSHIFT}
ALLOWED = [
    "SELECT a, b AS c FROM goods",
    "SELECT g.a, SUM(g.b) AS total FROM goods AS g JOIN other AS o ON g.a = o.a WHERE g.b > 1 GROUP BY g.a",
    "WITH few AS (SELECT a FROM goods WHERE b IS NULL) SELECT a, COUNT(*) AS n FROM few GROUP BY a HAVING COUNT(*) > 1",
    "SELECT CAST(a AS INTEGER) AS a, COALESCE(b, 'x; DROP TABLE goods; --') AS b FROM goods",
    "SELECT CASE WHEN a = '\u2028-- x' THEN 1 ELSE 2 END AS a FROM goods /* DROP TABLE goods */ -- ; DELETE",
    "SELECT a FROM goods UNION ALL SELECT a FROM other",
    "SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS n FROM goods",
    "SELECT a FROM goods WHERE a IN (SELECT a FROM other WHERE b BETWEEN 1 AND 2) AND NOT b LIKE 'x%'",
    "SELECT EXTRACT(YEAR FROM day) AS y, UPPER(a) AS a FROM goods WHERE day >= CAST('2024-01-01' AS DATE)",
    "SELECT 'a' AS a, 1 + 2 * -3 AS b, - - 1 AS c, 1 - -1 AS d FROM goods",
]


@pytest.mark.parametrize("dialect", OWN)
def test_sixty_hostile_texts_and_more_are_refused(dialect: str) -> None:
    tried = [*EVERYWHERE, *OWN[dialect]]
    assert len(set(tried)) == len(tried) >= 60
    for text in tried:
        with pytest.raises(ServiceError) as caught:
            user_query.check_query(text, dialect)
        assert caught.value.code in ("invalid_intent", "limit_exceeded"), text


@pytest.mark.parametrize("dialect", OWN)
@pytest.mark.parametrize("text", ALLOWED)
def test_what_is_written_is_what_was_checked(dialect: str, text: str) -> None:
    if dialect == "oracle":  # whose tables get names of ours; a query that has them keeps them
        text = user_query.check_query(text, dialect).sql(dialect=dialect)
    tree = user_query.check_query(text, dialect)
    written = tree.sql(dialect=dialect, comments=False)
    again = user_query.check_query(written, dialect)
    assert again.sql(dialect=dialect, comments=False) == written
    # T-SQL wants every column of a WITH to be named, which is added.
    added = Counter(map(type, again.walk())) - Counter(map(type, tree.walk()))
    assert set(added) <= ({exp.Alias, exp.Identifier} if dialect == "tsql" else set())
    assert not Counter(map(type, tree.walk())) - Counter(map(type, again.walk()))
    assert [node.this for node in again.find_all(exp.Literal)] == [node.this for node in tree.find_all(exp.Literal)]


def test_a_query_that_would_be_written_with_less_than_it_says_is_refused() -> None:
    with pytest.raises(InvalidIntentError):
        user_query.check_query("SELECT CAST(a AS NUMERIC(12, 2)) AS a FROM goods", "bigquery")
    assert user_query.check_query("SELECT CAST(a AS NUMERIC(12, 2)) AS a FROM goods", "snowflake")


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("SELECT purge FROM goods", 'SELECT "source 1".purge FROM goods "source 1"'),
        ("SELECT stock.purge FROM goods stock", 'SELECT "source 1".purge FROM goods "source 1"'),
        ("SELECT 1 AS a FROM dual ORDER BY purge", 'SELECT 1 AS a FROM dual "source 1" ORDER BY "source 1".purge'),
        ('SELECT 1 AS "a" FROM dual ORDER BY a', 'SELECT 1 AS "a" FROM dual "source 1" ORDER BY "source 1".a'),
        ("SELECT a AS b FROM goods ORDER BY b", 'SELECT "source 1".a AS b FROM goods "source 1" ORDER BY b'),
        ("SELECT g.* FROM s.goods g WHERE ROWNUM < 9", 'SELECT "source 1".* FROM s.goods "source 1" WHERE ROWNUM < 9'),
        (
            "SELECT g.a FROM goods g WHERE EXISTS (SELECT 1 FROM o WHERE g.b = 1)",
            'SELECT "source 1".a FROM goods "source 1" WHERE EXISTS(SELECT 1 FROM o "source 2" WHERE "source 1".b = 1)',
        ),
    ],
)
def test_what_oracle_could_call_without_parentheses_is_written_as_a_column(query: str, written: str) -> None:
    assert user_query.check_query(query, "oracle").sql(dialect="oracle") == written


@pytest.mark.parametrize(
    "query",
    [
        *("SELECT stock.purge FROM goods", "SELECT o.purge FROM goods g", "SELECT s.stock.purge FROM goods stock"),
        *("SELECT purge FROM goods g, other o", "SELECT g.a FROM goods g JOIN other o ON purge = 1"),
        *("SELECT a FROM goods g JOIN other o USING (a)", "SELECT a FROM goods NATURAL JOIN other"),
        *("SELECT g.a FROM goods g WHERE EXISTS (SELECT 1 AS one FROM other o, more m WHERE purge = 1)",),
        *(
            "SELECT x.a FROM (SELECT 1 AS b FROM dual) x (a)",
            "SELECT g.a FROM goods g CROSS JOIN other o ORDER BY purge",
        ),
    ],
)
def test_what_oracle_could_call_in_place_of_a_column_is_refused(query: str) -> None:
    with pytest.raises(InvalidIntentError):
        user_query.check_query(query, "oracle")


@pytest.mark.parametrize("dialect", ["snowflake", "bigquery", "redshift"])
def test_where_a_backslash_escapes_a_text_ends_where_the_database_says(dialect: str) -> None:
    (literal,) = user_query.check_query("SELECT '\\'; DROP TABLE goods; --' AS a FROM goods", dialect).find_all(
        exp.Literal
    )
    assert literal.this == "'; DROP TABLE goods; --"


@pytest.mark.parametrize(
    ("dialect", "name"),
    [
        ("oracle", "goods@other"), ("oracle", "dba_users"), ("oracle", "all_tables"), ("oracle", "v$session"),
        ("tsql", "master.dbo.x"), ("tsql", "sysobjects"), ("snowflake", "snowflake.account_usage.users"),
        ("bigquery", "x.INFORMATION_SCHEMA.TABLES"), ("bigquery", "`x.INFORMATION_SCHEMA.TABLES`"),
        ("redshift", "pg_catalog.pg_user"),
    ],
)  # fmt: skip
def test_tables_of_the_database_itself_are_not_read_by_name_either(dialect: str, name: str) -> None:
    if "@" in name:  # is sent in quotes, as a table of that very name
        assert all(part.quoted for part in user_query.parse_table(name, dialect).parts)
        return
    with pytest.raises(ServiceError) as caught:
        user_query.parse_table(name, dialect)
    assert caught.value.code == "invalid_intent"
