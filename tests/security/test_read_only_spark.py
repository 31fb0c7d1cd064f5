"""Queries for Spark that would do more than read: none is passed on."""

from __future__ import annotations

import time
from typing import Any

import pytest

from service_nb.connectors.spark import SparkLink
from service_nb.connectors.user_query import check_query
from service_nb.errors import InvalidIntentError, SourceNotFoundError

HOSTILE = [
    "DROP TABLE t",
    "CREATE TABLE x AS SELECT 1 AS a",
    "INSERT INTO t VALUES (1)",
    "INSERT OVERWRITE TABLE t SELECT 1",
    "INSERT OVERWRITE DIRECTORY '/tmp/x' USING csv SELECT 1",
    "DELETE FROM t",
    "UPDATE t SET a = 1",
    "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
    "TRUNCATE TABLE t",
    "ALTER TABLE t ADD COLUMNS (b INT)",
    "SET spark.sql.ansi.enabled=false",
    "RESET",
    "ADD JAR '/tmp/x.jar'",
    "ADD FILE '/etc/passwd'",
    "LIST JARS",
    "CREATE FUNCTION f AS 'evil.Class' USING JAR '/tmp/x.jar'",
    "CREATE TEMPORARY FUNCTION f AS 'evil.Class'",
    "CACHE TABLE t",
    "UNCACHE TABLE t",
    "CLEAR CACHE",
    "REFRESH TABLE t",
    "REFRESH '/tmp'",
    "ANALYZE TABLE t COMPUTE STATISTICS",
    "LOAD DATA INPATH '/tmp/x' INTO TABLE t",
    "USE other",
    "CREATE DATABASE evil",
    "DROP DATABASE evil CASCADE",
    "CREATE VIEW v AS SELECT 1 AS a",
    "EXPLAIN SELECT 1",
    "DESCRIBE EXTENDED t",
    "SHOW TABLES",
    "SHOW CREATE TABLE t",
    "MSCK REPAIR TABLE t",
    "SELECT 1; DROP TABLE t",
    "SELECT reflect('java.lang.Runtime', 'getRuntime') AS a",
    "SELECT java_method('java.lang.System', 'exit', 1) AS a",
    "SELECT try_reflect('java.lang.System', 'getenv') AS a",
    "SELECT * FROM read_files('/etc/passwd')",
    "SELECT * FROM range(1000000000000)",
    "SELECT input_file_name() AS a",
    "SELECT current_user() AS a",
    "SELECT session_user() AS a",
    "SELECT version() AS a",
    "SELECT uuid() AS a",
    "SELECT rand() AS a",
    "SELECT transform(array(1), x -> java_method('a','b')) AS a",
    "SELECT TRANSFORM (a) USING 'sh -c id' AS (b) FROM t",
    "FROM t SELECT TRANSFORM(a) USING 'cat'",
    "SELECT http_request('http://127.0.0.1') AS a",
    "SELECT ai_query('m', 'x') AS a",
    "SELECT secret('a', 'b') AS a",
    "SELECT from_avro(a, 's') AS a FROM t",
    "SELECT assert_true(false) AS a",
    "SELECT raise_error('x') AS a",
    "SELECT repeat('a', 2000000000) AS a",
    "SELECT sequence(1, 1000000000) AS a",
    "SELECT space(2000000000) AS a",
    "SELECT xpath_string('<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>', 'a') AS a",
    "EXECUTE IMMEDIATE 'DROP TABLE t'",
    "BEGIN DROP TABLE t; END",
    "DECLARE x INT",
    "SET VAR x = 1",
    "CALL system.rollback()",
    "VACUUM t",
    "OPTIMIZE t",
    "COPY INTO t FROM '/tmp'",
    "GRANT ALL ON t TO PUBLIC",
    "SELECT /*+ BROADCAST(t) */ system.runtime.nodes FROM t FOR UPDATE",
    "SELECT * FROM t TABLESAMPLE (10 PERCENT) LATERAL VIEW explode(array(1)) x AS y",
]
FILES = [
    "SELECT * FROM csv.`/etc/passwd`",
    "SELECT * FROM text.`file:/etc/passwd`",
    "SELECT * FROM parquet.`s3a://bucket/key`",
    "SELECT * FROM csv.`data`",
    "SELECT * FROM (SELECT * FROM json.`data`) AS t",
]


def test_there_are_enough_of_them() -> None:
    assert len(HOSTILE) + len(FILES) >= 60


@pytest.mark.parametrize("text", HOSTILE)
def test_what_does_more_than_read_is_refused(text: str) -> None:
    with pytest.raises(InvalidIntentError):
        check_query(text, "spark")


@pytest.mark.parametrize("text", FILES)
def test_a_file_is_no_table(text: str) -> None:
    nobody: Any = None  # the name is judged before anyone is asked
    with pytest.raises(SourceNotFoundError):
        SparkLink(nobody, "0.7.2").describe(check_query(text, "spark").subquery("asked"), time.monotonic() + 1)


def test_an_honest_query_is_passed_on() -> None:
    assert check_query("SELECT region, sum(price) AS total FROM lake.sales GROUP BY region", "spark")
