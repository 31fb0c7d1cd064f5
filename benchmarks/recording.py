"""What it costs to write an outcome down: the same small question with a ledger and without, turn by turn."""

from __future__ import annotations

import base64
import os
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import service_nb
from benchmarks.measure import Row, within

ROWS = [{"region": region, "revenue": 100.1 * n} for n, region in enumerate(["north", "south", "east"] * 4)]
TIMES, MANY = 400, 1_000


def main() -> list[Row]:
    os.environ["SERVICE_DEVICE_KEY"] = base64.b64encode(secrets.token_bytes(32)).decode()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:  # on the disk that projects are on
        recorded = client(ledger=Path(folder) / "one")
        bare = client(ledger="off")
        with_it, without = typical(lambda: asked(recorded), lambda: asked(bare))
        many = client(ledger=Path(folder) / "many")
        specs = [
            {"module": "finance", "function": "npv", "kwargs": {"rate": 0.1, "cashflows": [-float(n)]}}
            for n in range(MANY)
        ]
        batch, plain = typical(lambda: many.compute_many(specs), lambda: bare.compute_many(specs), times=5)
        for service in (recorded, bare, many):
            service.close()
    return [
        within("recording a small question, signed: what it adds (p50)", with_it - without, 0.3e-3),
        within(f"recording {MANY:,} computations in one transaction: what each adds", (batch - plain) / MANY, 3e-3),
    ]


def client(ledger: Any) -> service_nb.Service:
    """Return a client with a small source."""
    service = service_nb.create_service(ledger=ledger, runtime="in_process")
    service.connect({"records": ROWS}, name="sales")
    return service


def asked(service: service_nb.Service) -> Any:
    """Ask, and take the card, as a notebook does."""
    return service.ask("sum revenue by region from sales").card


def typical(*runs: Callable[[], object], times: int = TIMES) -> list[float]:
    """Return the median seconds of each, run in turns."""
    taken: list[list[float]] = [[] for _ in runs]
    for _ in range(times):
        for run, seconds in zip(runs, taken, strict=True):
            started = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - started)
    return [statistics.median(seconds) for seconds in taken]
