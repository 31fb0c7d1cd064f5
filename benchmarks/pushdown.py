"""What exactness costs inside a database: the sum by group of 10 million doubles, beside the database's own sum.

Real servers, on this machine, reached as a deployment reaches them. Both sums go through sessions of one kind; ours is
asked for as a question is, with the look at the columns before it. The plain sum changes with the order of the rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlglot import exp

from benchmarks.measure import Row, against, best_beside, duration
from service_nb.connectors import catalog
from service_nb.engines.sql_engine import SqlEngine
from service_nb.schema.query import Plan
from tests.servers.clickhouse import clickhouse
from tests.servers.fixtures import PostgresDatabase
from tests.servers.postgres import postgres

ROWS = 10_000_000
LONGEST_S = 600.0
MAGNITUDES = "wide: 16 powers of ten"
NARROW = "narrow: 2 powers of ten"
PLAN = Plan(
    source_name="data",
    schema_revision="0" * 64,
    aggregation="sum",
    metric="x",
    group_by=("k",),
    conditions=(),
    order="desc",
    limit=None,
    decision_path="exact_spec",
    plan_hash="",
    notes={},
)


def main() -> list[Row]:
    return [*in_postgres(), *in_clickhouse()]


def in_postgres() -> Iterator[Row]:
    """Rows of PostgreSQL, with the settings of its own, but a buffer as a server has."""
    with postgres(shared_buffers="1GB", max_wal_size="4GB") as server:
        database = PostgresDatabase(server, server.database)
        account = database.descriptor(user=server.user, password=server.password)
        for name, spread in ((MAGNITUDES, 16), (NARROW, 2)):
            table = f"spread{spread}"
            database.run(
                f"CREATE UNLOGGED TABLE {table} AS SELECT (i % 5)::text AS k, "  # noqa: S608
                f"(random() - 0.5) * power(10, random() * {spread} - {spread // 2}) AS x "
                f"FROM generate_series(1, {ROWS}) AS i"
            )
            database.run(f"VACUUM ANALYZE {table}")
            yield from compared(f"PostgreSQL, {name}", {**account, "table": table}, most=1.5)


def in_clickhouse() -> Iterator[Row]:
    """Rows of ClickHouse, in the process that chdb is."""
    with clickhouse() as server:
        account = {
            "type": "clickhouse", "host": server.host, "port": server.port, "database": server.database,
            "user": server.user, "password": server.password, "secure": "false",
        }  # fmt: skip
        for name, spread in ((MAGNITUDES, 16), (NARROW, 2)):
            table = f"spread{spread}"
            server.run(
                f"CREATE TABLE {table} ENGINE = MergeTree ORDER BY tuple() AS SELECT toString(number % 5) AS k, "  # noqa: S608
                f"(randCanonical(1) - 0.5) * pow(10, randCanonical(2) * {spread} - {spread // 2}) AS x "
                f"FROM numbers({ROWS})"
            )
            yield from compared(f"ClickHouse, {name}", {**account, "table": table}, most=2)


def compared(what: str, descriptor: dict[str, Any], most: float) -> Iterator[Row]:
    """Rows of one table: what the first question costs, and every later one."""
    with opened(descriptor) as (engine, plain):
        plain()  # the table is read once, by whoever comes first
        engine.is_trusted(time.monotonic() + LONGEST_S)
        started = time.perf_counter()
        method = engine.aggregate(PLAN, LONGEST_S).method
        first = time.perf_counter() - started
        ours, theirs = best_beside(lambda: engine.aggregate(PLAN, LONGEST_S), plain, repeats=3)
    yield against(f"sum by group, 10 M rows, {what}", ours, ("plain sum", theirs), most=most)
    yield Row(f"the same, first question, with statistics ({method})", duration(first))


@contextmanager
def opened(descriptor: dict[str, Any]) -> Iterator[tuple[SqlEngine, Any]]:
    """The engine of a table, and its database's own sum over a session of the same kind."""
    parsed = catalog.parse_descriptor(descriptor)
    found = catalog.open_source(parsed, time.monotonic() + LONGEST_S)
    engine = SqlEngine(
        lambda deadline: catalog.open_source(parsed, deadline).link, found.relation, found.fields, link=found.link
    )
    other = catalog.open_source(parsed, time.monotonic() + LONGEST_S)
    key, value = exp.column("k", quoted=True), exp.column("x", quoted=True)
    tree = exp.select(key, exp.Count(this=exp.Star()), exp.Sum(this=value)).from_(other.relation).group_by(key)
    try:
        yield engine, lambda: other.link.fetch_rows(tree, (), 10, time.monotonic() + LONGEST_S)
    finally:
        other.link.close()
        engine.close()
