"""A question about twelve rows, beside libraries that are handed the same twelve rows."""

from __future__ import annotations

import itertools
import sqlite3
import statistics
from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd

import service_nb
from benchmarks.measure import Measured, Row, against, measured, timed, within

ROWS = [{"region": region, "revenue": 100.1 * n} for n, region in enumerate(["north", "south", "east"] * 4)]
SQL = "SELECT region, sum(revenue), count(*) FROM sales GROUP BY region ORDER BY 2 DESC"


def main() -> list[Row]:
    service = service_nb.create_service()
    service.connect({"records": ROWS}, name="sales")
    spec: dict[str, Any] = {"metric": "revenue", "aggregation": "sum", "group_by": "region", "source_name": "sales"}
    service.ask(spec)
    limits = itertools.count(4)  # more than the three groups: another plan each time, the same work
    first = typical(lambda: service.ask(spec | {"limit": next(limits)}))
    again = typical(lambda: service.ask(spec))
    return [
        within("ask, 12 rows, a plan for the first time", first, 0.5e-3),
        within("ask, 12 rows, the same plan again", again, 0.1e-3),
        *(against("ask, 12 rows, a plan for the first time", first, peer) for peer in peers()),
    ]


def peers() -> list[tuple[str, float]]:
    """Return each library's time for the same groups."""
    frame = pd.DataFrame(ROWS)
    lite = sqlite3.connect(":memory:")
    duck = duckdb.connect(":memory:")
    for connection in (lite, duck):
        connection.execute("CREATE TABLE sales (region TEXT, revenue DOUBLE)")
        connection.executemany("INSERT INTO sales VALUES (?, ?)", [tuple(row.values()) for row in ROWS])
    return [
        ("pandas", typical(lambda: frame.groupby("region")["revenue"].agg(["sum", "size"]))),
        ("sqlite3", typical(lambda: lite.execute(SQL).fetchall())),
        ("DuckDB", typical(lambda: duck.execute(SQL).fetchall())),
    ]


def typical(work: Callable[[], Any], repeats: int = 200) -> Measured:
    """Return the median of many short runs, and what all of them needed of memory."""
    times: list[float] = []
    peak = measured(lambda: times.extend(timed(work) for _ in range(repeats))).peak
    return Measured(statistics.median(times), peak)
