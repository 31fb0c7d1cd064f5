"""One engine over Parquet files, alone in its process: prints its best time and how much memory it took.

Started by `big_ask`: ``python -m benchmarks.scan ask|duckdb PLACE MEMORY_BYTES``.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from typing import Any

import duckdb

import service_nb
from benchmarks.big_ask import fresh_questions
from benchmarks.measure import best


def ours(place: str, memory: int) -> Callable[[], Any]:
    service = service_nb.create_service(limits=service_nb.Limits(memory_bytes=memory))
    service.connect(place, name="big", content="deferred")
    return fresh_questions(service)


def plain(place: str, memory: int) -> Callable[[], Any]:
    connection = duckdb.connect(":memory:", config={"memory_limit": f"{memory}B"})
    sql = "SELECT key, sum(value), count(*) FROM read_parquet(?) GROUP BY key ORDER BY 2 DESC"
    return lambda: connection.execute(sql, [place]).fetchall()


def peak() -> int:
    """Return the largest resident memory so far, in bytes: Linux counts it in kibibytes, macOS in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    engine, place, memory = sys.argv[1:]
    before = peak()
    work = {"ask": ours, "duckdb": plain}[engine](place, int(memory))
    seconds = best(work, repeats=3)
    print(json.dumps({"seconds": seconds, "memory": peak() - before}))
