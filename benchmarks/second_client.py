"""The TypeScript client beside Python's: a warm computation over the same runtime, hashes included, in turns."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import IO

import service_nb
from benchmarks.measure import Row, against
from service_nb.runtimes import managed
from service_nb.runtimes.provision import provision
from tests.tools import node

ADAPTER = Path(__file__).with_suffix(".mjs")
NPV = {"module": "finance", "function": "npv", "args": [0.1, [-1000, 300, 420, 560, 680]]}
WARM, CALLS, ROUNDS = 500, 200, 12
MOST = 1.2


def main() -> list[Row]:
    node.built()
    os.environ["SERVICE_PYTHON"] = sys.executable
    bundle = provision()
    try:
        return [warm_calls()]
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
