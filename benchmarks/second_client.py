"""The TypeScript client beside Python's: a warm computation over the same runtime, a file of a million rows.

Sums by group are beside a loop in the same process that adds doubles as they are, each of which is rounded.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import IO

import service_nb
from benchmarks.measure import Row, against, timed
from service_nb.runtimes import managed
from service_nb.runtimes.provision import provision
from tests.tools import node

ADAPTER = Path(__file__).with_suffix(".mjs")
COLUMNS = ADAPTER.with_name("second_columns.mjs")
NPV = {"module": "finance", "function": "npv", "args": [0.1, [-1000, 300, 420, 560, 680]]}
WARM, CALLS, ROUNDS = 500, 200, 12
MOST, MOST_TO_CONNECT, MOST_OF_LOOP = 1.2, 1.5, 4.0
ROWS, REGIONS, CONNECTIONS = 1_000_000, ("north", "south", "east", "west", "centre"), 3


def main() -> list[Row]:
    node.built()
    return [warm_computation(), *million_rows()]


def million_rows() -> list[Row]:
    """Measure how a file is connected, and summed by group, with the answer's card and hashes."""
    draw = random.Random(20261122)  # noqa: S311  # no secret
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sales.csv"
        lines = (f"{draw.choice(REGIONS)},{draw.lognormvariate(3, 2)!r},{row}" for row in range(ROWS))
        path.write_text("region,revenue,order\n" + "\n".join(lines) + "\n", encoding="utf-8")
        command = [str(node.NODE.program), str(COLUMNS), str(path), str(ROUNDS)]
        runs = [json.loads(subprocess.check_output(command)) for _ in range(CONNECTIONS)]
        first = min(timed(lambda: service_nb.create_service().connect(path, name="sales")) for _ in range(CONNECTIONS))
    least = {key: min(run[key] for run in runs) for key in runs[0]}
    sums = "sum by 5 groups of 1 M rows, exact, TypeScript"
    return [
        against("connect a CSV of 1 M rows, TypeScript", least["connect"], ("Python", first), MOST_TO_CONNECT),
        against(sums, least["ask"], ("a loop that adds doubles", least["loop"]), MOST_OF_LOOP),
        Row("connecting it: processor time, from the start of the process", f"{least['processor'] * 1e3:,.0f} ms"),
        Row("connecting it: peak memory, from the start of the process", f"{least['peak'] / 1e6:,.0f} MB"),
    ]


def warm_computation() -> Row:
    os.environ["SERVICE_PYTHON"] = sys.executable
    bundle = provision()
    try:
        return warm_calls()
    finally:
        managed.stop(bundle)


def warm_calls() -> Row:
    service = service_nb.create_service()
    command = [str(node.NODE.program), str(ADAPTER), json.dumps(NPV)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as second:
        assert second.stdin is not None  # noqa: S101  # pipes were asked for
        assert second.stdout is not None  # noqa: S101
        _measure_first(service, WARM)
        _measure_second(second.stdin, second.stdout, WARM)
        rounds = [
            (_measure_second(second.stdin, second.stdout, CALLS), _measure_first(service, CALLS)) for _ in range(ROUNDS)
        ]
        second.stdin.close()
    # The quietest round of each: what disturbs a round only ever makes it longer.
    theirs, ours = (min(times) for times in zip(*rounds, strict=True))
    return against("warm compute of finance.npv, TypeScript", theirs, ("Python", ours), MOST)


def _measure_first(service: service_nb.Service, calls: int) -> float:
    times = []
    for _ in range(calls):
        started = perf_counter()
        service.compute(NPV)
        times.append(perf_counter() - started)
    return statistics.median(times)


def _measure_second(requests: IO[str], answers: IO[str], calls: int) -> float:
    requests.write(f"{calls}\n")
    requests.flush()
    return float(answers.readline())
