"""The managed runtime: a warm call beside a bare echo over gRPC on the same socket, long vectors, start and memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import service_nb
from benchmarks.measure import Measured, Row, against, best, best_beside, peak_of_process, timed, within
from benchmarks.startup import in_fresh_process
from service_nb.client import user_keys as device
from service_nb.runtimes import managed
from service_nb.runtimes.install import Installed
from service_nb.runtimes.managed import Managed
from service_nb.runtimes.provision import find_installed, provision

HOME = Path(__file__).resolve().parent.parent / "build" / "bench-home"
NPV = {"module": "finance", "function": "npv", "args": [0.1, [-1000, 300, 420, 560, 680]]}
FIRST_COMPUTATION = """
import time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "service_nb")
started = time.perf_counter()
shell.run_line_magic("service_compute", "finance.npv rate=0.1 cashflows=[-1000,300,420,560,680]")
print(time.perf_counter() - started)
"""
LONG = 10_000_000
CALLS = 5_000
MOST_OVER_ECHO = 1.1


def main() -> list[Row]:
    os.environ["SERVICE_HOME"] = str(HOME)
    device.login()
    bundle = find_installed() or provision()
    managed.stop(bundle)
    rows = [start(bundle), first_computation(bundle), doctor()]
    runtime = Managed(admit=device.require_device)
    runtime.describe()
    service = service_nb.create_service(runtime=runtime)
    try:
        rows += [memory(bundle), *warm_calls(service, runtime), long_vector(service)]
    finally:
        runtime.close()
        managed.stop(bundle)
    return rows


def start(bundle: Installed) -> Row:
    """Return how long a first call waits when the runtime is installed and does not run."""
    times = []
    for _ in range(5):
        runtime = Managed(admit=device.require_device)
        started = time.perf_counter()
        runtime.describe()
        times.append(time.perf_counter() - started)
        runtime.close()
        managed.stop(bundle)
    return within("start of the runtime, until it serves", min(times), 1.5)


def first_computation(bundle: Installed) -> Row:
    """Return how long the first computation of a notebook waits: its magic, when the runtime is installed."""
    times = []
    for _ in range(5):
        times.append(in_fresh_process(FIRST_COMPUTATION, repeats=0))
        managed.stop(bundle)
    return within("%service_compute, the first of a notebook", min(times), 1.0)


def doctor() -> Row:
    """Return how long the report of all checks takes, with a runtime whose files it reads and that it computes with."""
    command = [sys.executable, "-m", "service_nb.cli.main", "doctor"]
    work = partial(subprocess.run, command, check=True, stdout=subprocess.DEVNULL)
    return within("service-nb doctor", Measured(best(work), peak_of_process(command)), 1.5)


def warm_calls(service: Any, runtime: Managed) -> list[Row]:
    """Return compute beside an echo of as many bytes on the same connection, taken in turns."""
    content = bytes(120)
    ours: list[float] = []
    echo: list[float] = []
    for run in range(CALLS + 200):
        for work, times in ((lambda: service.compute(NPV), ours), (lambda: runtime.send_echo(content), echo)):
            took = timed(work)
            if run >= 200:
                times.append(took)
    return [
        against(
            f"warm compute of finance.npv, {name}",
            at(ours, share),
            ("bare gRPC echo", at(echo, share)),
            most=MOST_OVER_ECHO,
        )
        for name, share in (("p50", 0.5), ("p99", 0.99))
    ]


def at(times: list[float], share: float) -> float:
    """Return the time within which a share of the calls ended."""
    return statistics.quantiles(times, n=100, method="inclusive")[round(share * 100) - 1]


def long_vector(service: Any) -> Row:
    """Return a mean of ten million values there and here, all hashes included in both."""
    spec = {"module": "stats", "function": "mean", "args": [np.random.default_rng(5).normal(size=LONG)]}
    here = service_nb.create_service(runtime="in_process")
    there_s, here_s = best_beside(lambda: service.compute(spec), lambda: here.compute(spec), repeats=5)
    return against("stats.mean of 10 M values through the runtime", there_s, ("in process", here_s), most=2)


def memory(bundle: Installed) -> Row:
    """Return what the runtime holds at rest: its front and one worker."""
    status = managed.read_status(bundle)
    return Row("runtime at rest, memory", "ended" if status is None else f"{status.memory_bytes / 1e6:,.0f} MB")
