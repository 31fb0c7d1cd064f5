"""Two hundred clients of one deployment at once: that every answer is right, how fast they come, what memory it takes.

Questions about a million rows in PostgreSQL and about records of an API, thousands of different ones; refusals, plans
that are resolved and verified, computations on literals and on columns of the live table. Some clients are the
product's own, with ledgers; the others are sockets that make every hash again. All are in processes of their own, as
are the deployment, its runtime and the database. ``python -m benchmarks.deployment_load --seconds 30`` is a short run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.loading.clients import Job
from benchmarks.loading.mix import Asked, here, mix, orders, pages
from benchmarks.loading.world import Server, World, world
from benchmarks.measure import Row
from service_nb.client import user_keys as device
from service_nb.ledger.store import Ledger
from service_nb.runtimes.provision import find_installed, provision

HOME = Path(__file__).resolve().parent.parent / "build" / "bench-home"
SECONDS, CLIENTS, ROWS, RECORDS, PLANS, KEYS = 300.0, 200, 1_000_000, 5_000, 1_000, 8
PRODUCT = 16  # of the clients, in two processes
RAW_PROCESSES = 3
BARE_S = 8.0
EARLY = 0.2  # of the time, after which memory has to stay what it is
GROWTH = 1.1
MB = 1e6


def main(
    seconds: float = SECONDS, clients: int = CLIENTS, rows: int = ROWS, plans: int = PLANS, workers: int = 1
) -> list[Row]:
    """Return what was met in the whole run."""
    os.environ["SERVICE_HOME"] = str(HOME)
    device.login()
    _ = find_installed() or provision()
    with tempfile.TemporaryDirectory(dir=HOME.parent) as place:  # on the disk that ledgers are on
        folder = Path(place)
        table, issues = orders(rows), pages(RECORDS)
        (folder / "asked.json").write_text(json.dumps(answers(folder, table, issues, plans)))
        (folder / "served").mkdir()
        how = {"runtime": "managed", "keys": KEYS, "workers": workers}
        with world(folder / "served", table, issues, how) as made:
            del table
            return measured(folder, made, seconds, clients)


def answers(folder: Path, table: pa.Table, issues: list[dict[str, Any]], plans: int) -> list[Asked]:
    """Compute the right answers, in this process and without any server."""
    started = time.monotonic()
    service = here(folder, {"orders": table, "issues": issues})
    asked = mix(service, plans)
    service.close()
    say(f"{len(asked):,} different requests answered beforehand in {time.monotonic() - started:.0f} s")
    return asked


def measured(folder: Path, made: World, seconds: float, clients: int) -> list[Row]:
    """Run the bare route, then the load, and return the rows of both."""
    alone = first(made, folder)
    with bare() as port:
        before = gathered(started(folder, bare_jobs(port, clients)))
    processes, used = started(folder, jobs(made, folder, clients, seconds)), made.server.processor_s()
    memory = watched(made.server, processes, seconds)
    met = gathered(processes)
    met["processor_s"] = made.server.processor_s() - used
    rows = [*alone, *summary(met, before, seconds, clients), *kept(made, memory, seconds)]
    for kind, times in sorted(met["times"].items()):
        say(f"{kind:24} {len(times):8,}  {figures(times)}")
    return rows


# --- the processes ----------------------------------------------------------------------------------------------------


@contextmanager
def bare() -> Iterator[int]:
    """A bare route, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.loading.bare"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield int(process.stdout.readline()) if process.stdout else 0
        finally:
            process.terminate()


def bare_jobs(port: int, clients: int) -> list[Job]:
    """As many clients as there are, of the bare route."""
    return [Job("raw", port, ["none"], count, BARE_S, "", 0) for count in _shares(clients, RAW_PROCESSES)]


def jobs(made: World, folder: Path, clients: int, seconds: float) -> list[Job]:
    """The clients of the deployment: sockets, and the product's own."""
    few = min(PRODUCT, clients // 2)
    raw = [("raw", count) for count in _shares(clients - few, RAW_PROCESSES)]
    own = [("product", count) for count in _shares(few, 2)]
    path = str(folder / "asked.json")
    return [
        Job(how, made.server.port, made.keys, count, seconds, path, number * 1_009)
        for number, (how, count) in enumerate(raw + own)
        if count
    ]


def first(made: World, folder: Path) -> list[Row]:
    """Rows of what a client costs that is alone: in a fresh process until its first answer, and for each after it."""
    file = folder / "first.json"
    file.write_text(json.dumps({"port": made.server.port, "keys": made.keys, "path": str(folder / "asked.json")}))
    command = [sys.executable, "-m", "benchmarks.loading.first", str(file)]
    told = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)
    (first_s, first_cpu), (each_s, each_cpu) = told["first"], told["each"]
    return [
        Row("a fresh client until its first answer", f"{first_s:.2f} s", f"{first_cpu:.2f} s of its processor time"),
        Row("a client's answer after it", f"{each_s * 1e3:.1f} ms", f"{each_cpu * 1e3:.1f} ms of its processor time"),
    ]


def _shares(whole: int, parts: int) -> list[int]:
    return [whole // parts + (index < whole % parts) for index in range(parts)]


def started(folder: Path, todo: list[Job]) -> list[subprocess.Popen[str]]:
    """Start a process for each job."""
    found = []
    for number, job in enumerate(todo):
        file = folder / f"job{number}.json"
        file.write_text(json.dumps(job._asdict()))
        command = [sys.executable, "-m", "benchmarks.loading.clients", str(file)]
        found.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    return found


def watched(server: Server, processes: list[subprocess.Popen[str]], seconds: float) -> list[tuple[float, int]]:
    """Look at the deployment's memory until the load ends."""
    began, found = time.monotonic(), []
    while (now := time.monotonic() - began) < seconds and all(each.poll() is None for each in processes):
        found.append((now, server.resident()))
        time.sleep(min(1.0, seconds / 30))
    return found


def gathered(processes: list[subprocess.Popen[str]]) -> dict[str, Any]:
    """Return what all processes met."""
    whole: dict[str, Any] = {"times": {}, "statuses": Counter(), "wrong": 0, "undeclared": 0, "what": []}
    for process in processes:
        out, _ = process.communicate()
        if process.returncode:
            raise RuntimeError(f"a process of clients ended with {process.returncode}")
        told = json.loads(out)
        for kind, times in told["times"].items():
            whole["times"].setdefault(kind, []).extend(times)
        whole["statuses"].update(told["statuses"])
        for key in ("wrong", "undeclared", "what"):
            whole[key] += told[key]
    return whole


# --- what is told -----------------------------------------------------------------------------------------------------


def summary(met: dict[str, Any], before: dict[str, Any], seconds: float, clients: int) -> Iterator[Row]:
    """Rows of answers: right or wrong, how many, how fast."""
    for text in met["what"]:
        say(f"NOT RIGHT: {text}")
    times = [each for some in met["times"].values() for each in some]
    none = before["times"]["bare"]
    rate, most = len(times) / seconds, len(none) / BARE_S
    name = f"{clients} clients, {seconds:.0f} s"
    yield Row(f"wrong answers, {name}", f"{met['wrong']} of {len(times):,}", bar="0", met=met["wrong"] == 0)
    statuses = ", ".join(f"{key} {value:,}" for key, value in sorted(met["statuses"].items()))
    yield Row("errors of the server that it had not declared", f"{met['undeclared']}", statuses, None, "0",
              met["undeclared"] == 0)  # fmt: skip
    yield Row("answers of a deployment", f"{rate:.0f}/s, {figures(times)}", f"bare route {most:.0f}/s, {figures(none)}",
              rate / most)  # fmt: skip
    each = met["processor_s"] / max(1, len(times))
    yield Row("processor time of the deployment for each", f"{each * 1e3:.1f} ms", f"{met['processor_s']:.0f} s in all")


def kept(made: World, memory: list[tuple[float, int]], seconds: float) -> Iterator[Row]:
    """Rows of what the deployment holds: in memory, and in its ledger."""
    early = [size for at, size in memory if EARLY * 0.75 * seconds <= at <= EARLY * 1.25 * seconds]
    late = [size for at, size in memory if at >= 0.9 * seconds]
    first, last = sorted(early)[len(early) // 2], sorted(late)[len(late) // 2]
    step = max(1, len(memory) // 10)
    say("memory: " + ", ".join(f"{at:.0f} s {size / MB:.0f} MB" for at, size in memory[::step]))
    yield Row(f"memory at {seconds:.0f} s, {EARLY * seconds:.0f} s", f"{last / MB:.0f} MB", f"{first / MB:.0f} MB",
              last / first, f"<= {GROWTH}x", last / first <= GROWTH)  # fmt: skip
    made.server.end()
    told_shares(made.server.shares())
    folder = made.server.folder / "data" / "tenants" / "one" / "ledger"
    began = time.monotonic()
    with Ledger(folder, lambda: None, tenant="one") as ledger:
        verdict, size = ledger.verify(keys=[device.require_device().public_key]), ledger.count_entries()
    faults = [each for each in verdict.checks if each.status != "passed"]
    for each in faults:
        say(f"ledger: {each.name} {each.status} {each.cause} {each.message}")
    yield Row("the deployment's ledger", f"{size:,} entries, {verdict.status} in {time.monotonic() - began:.0f} s",
              bar="verified", met=verdict.status == "verified")  # fmt: skip


def told_shares(seconds: dict[str, float]) -> None:
    """Say what the deployment's processor time went to."""
    whole = sum(seconds.values())
    for part, each in sorted(seconds.items(), key=lambda pair: -pair[1]):
        say(f"{part:36} {each / whole:6.1%}  {each:7.1f} s")


def figures(times: list[float]) -> str:
    """Return the median and the 99th percentile."""
    ordered = sorted(times)
    p50, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1e3 for share in (0.5, 0.99))
    return f"p50 {p50:.1f}, p99 {p99:.1f} ms"


def say(text: str) -> None:
    """Say how far it is."""
    print(f"    {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--plans", type=int, default=PLANS)
    parser.add_argument("--workers", type=int, default=1)
    from benchmarks.__main__ import print_table

    print_table(main(**vars(parser.parse_args())))
