"""`service-nb serve` that tells, when it ends, what its processor time went to.

The places where one part of the work ends and another begins are timed by the clock of their thread, each without what
is timed within it. ``python -m benchmarks.loading.shares serve …`` leaves `shares.json` in the working folder.
"""

from __future__ import annotations

import functools
import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service_nb.cli.main import main as served
from service_nb.client import computation, question
from service_nb.client.record import Outcome, Recorder
from service_nb.client.user_keys import Device
from service_nb.engines import running
from service_nb.ledger.store import Ledger
from service_nb.runtimes.managed import Managed
from service_nb.server import app
from service_nb.server.tenants import Deployment

FILE = Path("shares.json")
LOOP, REST = "sockets, HTTP, event loop", "threads, locks, everything else"
# Where a part begins, and what it is; `resolve` and `encode_answer` are timed where they are called.
PARTS: tuple[tuple[Any, str, str], ...] = (
    (Deployment, "authenticate", "key looked up"),
    (app, "parse_body", "request read"),
    (question, "resolve_question", "question resolved, plan checked"),
    (question, "restore_plan", "question resolved, plan checked"),
    (question, "run_plan", "engine"),
    (running, "_settle", "engine"),
    (question, "build_table", "rows put in order and hashed"),
    (computation, "check_call", "call checked"),
    (computation, "read_columns", "engine"),
    (computation, "run_calls", "values hashed"),
    (Managed, "run", "runtime asked"),
    (Outcome, "build_card", "card"),
    (Recorder, "_build_entry", "statement"),
    (Ledger, "append", "ledger"),
    (Device, "sign", "signature"),
    (app, "encode_answer", "answer written"),
)


class Shares:
    """Seconds of processor time by part."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._within = threading.local()  # seconds that were timed within the part that is under way
        self._lock = threading.Lock()

    def timed(self, part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return the same function, timed."""

        @functools.wraps(work)
        def timed(*given: Any, **named: Any) -> Any:
            around, self._within.seconds = getattr(self._within, "seconds", 0.0), 0.0
            began = time.thread_time()
            try:
                return work(*given, **named)
            finally:
                took = time.thread_time() - began
                with self._lock:
                    self._seconds[part] += took - self._within.seconds
                self._within.seconds = around + took

        return timed

    def told(self, loop_s: float) -> dict[str, float]:
        """Return the seconds of each part; `loop_s` are those of the event loop's thread."""
        found = dict(self._seconds) | {LOOP: loop_s}
        return found | {REST: time.process_time() - sum(found.values())}


def main() -> int:
    """Serve, and leave the shares."""
    shares = Shares()
    for owner, name, part in PARTS:
        setattr(owner, name, shares.timed(part, getattr(owner, name)))
    before, before_loop = time.process_time(), time.thread_time()
    try:
        return served()
    finally:
        told = shares.told(time.thread_time() - before_loop)
        told[REST] -= before
        FILE.write_text(json.dumps(told))


if __name__ == "__main__":
    sys.exit(main())
