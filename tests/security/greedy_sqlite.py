"""A process that runs one greedy query of SQLite and prints how it ended and the memory that it took."""

from __future__ import annotations

import json
import resource
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

MEGABYTE = 2**20
MANY = 2_000
WIDE = ", ".join(f"{table}.s AS {table}{place}" for place in range(15) for table in "abcd")
QUERIES = {
    "rows of many huge values": f"SELECT {WIDE} FROM big a, big b, big c, big d LIMIT 32",
    "one row of the most columns": "SELECT " + ", ".join(f"replace(s, 'x', 'y') AS c{i}" for i in range(MANY))
    + " FROM big LIMIT 1",
    "a sort of huge values": "SELECT count(*) AS n FROM (SELECT a.s || b.n AS k FROM big a, small b ORDER BY k DESC) "
    "WHERE k > ''",
    "distinct huge values": "SELECT count(DISTINCT substr(a.s, 2) || b.n || c.n) AS n FROM big a, small b, small c",
    "groups of huge values": "SELECT count(*) AS n FROM (SELECT substr(a.s, 9) || b.n || c.n AS k FROM big a, small b, "
    "small c GROUP BY k)",
    "a union of huge values": "SELECT count(*) AS n FROM (SELECT substr(a.s, 9) || b.n AS k FROM big a, small b UNION "
    "SELECT substr(a.s, 9) || b.n || c.n FROM big a, small b, small c)",
    "a window over huge values": "SELECT max(length(k)) AS n FROM (SELECT last_value(substr(a.s, 9) || b.n) OVER "
    "(ORDER BY b.n ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS k FROM big a, small b)",
    "a recursion that keeps its rows": "WITH RECURSIVE c(k, n) AS (SELECT s, 1 FROM big UNION "
    "SELECT substr(k, 2) || n, n + 1 FROM c) SELECT count(*) AS n FROM c",
    "a list of huge values": "SELECT count(*) AS n FROM small WHERE n IN (SELECT substr(a.s, 9) || b.n || c.n FROM "
    "big a, small b, small c)",
    "a table kept for a join": "WITH k AS MATERIALIZED (SELECT substr(a.s, 9) || b.n AS v FROM big a, small b) "
    "SELECT count(*) AS n FROM k x JOIN k y ON x.v = y.v",
    "texts in groups": "SELECT n, group_concat(k) AS g FROM (SELECT b.n AS n, substr(a.s, 9000) AS k FROM big a, "
    "small b) GROUP BY n",
}  # fmt: skip


def database(path: Path) -> Path:
    """Make a file of some megabytes."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE big (s TEXT)")
        connection.executemany("INSERT INTO big VALUES (?)", [(str(i) + "x" * 990_000,) for i in range(4)])
        connection.execute("CREATE TABLE small (n INTEGER)")
        connection.executemany("INSERT INTO small VALUES (?)", [(i,) for i in range(MANY)])
        connection.commit()
    return path


def peak() -> int:
    """Return the most memory that the process had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main(way: str, path: str, name: str) -> None:
    """Run a query as a file's source, or as a live one's."""
    from sqlglot import parse_one

    from service_nb.connectors import catalog
    from service_nb.errors import ServiceError
    from service_nb.readers.dataset import ReadOptions
    from service_nb.readers.detect import read
    from service_nb.schema.source import Limits

    read({"provider": "sqlite", "path": path, "query": "SELECT n FROM small"}, ReadOptions())
    before, started, ended = peak(), time.monotonic(), {}
    try:
        if way == "file":
            limits = Limits(memory_bytes=1024 * MEGABYTE)
            read({"provider": "sqlite", "path": path, "query": QUERIES[name]}, ReadOptions(limits=limits))
        else:
            link = catalog.find_connector("sqlite").open_link(
                catalog.parse_descriptor({"type": "sqlite", "path": path}), started + 100
            )
            link.fetch_rows(parse_one(QUERIES[name], read="sqlite"), (), 1_000, started + 100)
    except ServiceError as error:
        ended = {"code": error.code, "limit": error.details.get("limit_name")}
    print(json.dumps({**ended, "megabytes": peak() - before, "s": round(time.monotonic() - started, 1)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
