"""One engine over Parquet files, alone in its process: prints its best time and how much memory it took.

Started by `big_ask`: ``python -m benchmarks.scan ask|duckdb PLACE MEMORY_BYTES``.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
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
    """Return the largest resident memory so far, in bytes."""
    status = Path("/proc/self/status")
    if status.is_file():
        # Not getrusage: on Linux its peak is inherited from the process that started this one.
        return next(int(line.split()[1]) * 1024 for line in status.open() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # macOS counts bytes


if __name__ == "__main__":
    engine, place, memory = sys.argv[1:]
    before = peak()
    work = {"ask": ours, "duckdb": plain}[engine](place, int(memory))
    seconds = best(work, repeats=3)
    print(json.dumps({"seconds": seconds, "memory": peak() - before}))
