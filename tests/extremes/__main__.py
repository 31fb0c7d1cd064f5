"""`python -m tests.extremes`: every capability at extreme arguments, in child processes.

--calls N     numbers of the extreme calls of each capability; 100 unless told
--from N      the first number; 0 unless told
--only TEXT   capabilities whose names start so
--since REF   capabilities that have another meaning than in this commit, such as `main`
--part I/N    the Ith of N shares of the capabilities: for N runs beside each other
--deadline S  seconds of one call; 3 unless told
--to FILE     where the outcome is kept; build/extremes.jsonl unless told
--found       only the calls that are kept in `found`

A line a capability is added to that file, and what is there already is not run again: a run that was stopped
goes on. Calls that ended their process, hung, gave something that is not finite or failed without a code are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from service_nb_kernels.contract import capabilities
from service_nb_kernels.execute import Executor

from tests.extremes.found import FOUND
from tests.extremes.run import DEADLINE_S, attempt
from tests.tools.changed import find_changed

KEPT = Path(__file__).parents[2] / "build" / "extremes.jsonl"


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    if options.found:
        return found()
    numbers = range(options.first, options.first + options.calls)
    kept = Path(options.to)
    kept.parent.mkdir(exist_ok=True)
    done = {(row["capability"], tuple(row["numbers"])) for row in _rows(kept)}
    every, executor = capabilities(), Executor()
    part, parts = map(int, options.part.split("/"))
    # By name, so that a new capability moves no other to another part.
    chosen = [name for name in sorted(every) if name.startswith(options.only) and crc32(name.encode()) % parts == part]
    if options.since:
        changed = find_changed(options.since)
        chosen = [name for name in chosen if name in changed]
    ends: Counter[str] = Counter()
    out = os.open(kept, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for name in chosen:
        key = (name, (numbers.start, numbers.stop))
        if key in done:
            continue
        tried = attempt(every[name], numbers, executor, deadline_s=options.deadline)
        ends += Counter({end.partition(" ")[0]: count for end, count in tried.ends.items()})
        os.write(out, json.dumps(tried.to_dict() | {"numbers": key[1]}).encode() + b"\n")  # at once: others write too
        for finding in tried.findings:
            print(f"{name}: {finding['end']} after {finding['s']} s: {finding['arguments'][:300]}", flush=True)
    os.close(out)
    print(f"{sum(ends.values()):,} calls of {len(chosen):,} capabilities: {dict(ends)}")
    return 1 if set(ends) - {"value", "domain_error", "invalid_intent", "limit_exceeded", "undecided"} else 0


def found() -> int:
    """Run the calls that are kept in `found`, and print those that end otherwise than it says."""
    every, executor, wrong = capabilities(), Executor(), 0
    for call in FOUND:
        tried = attempt(every[call.capability], range(1), executor, lambda *_, call=call: (call.arguments, None))
        (end,) = tried.ends
        if end not in call.ends:
            wrong += 1
            print(f"{call.capability} ends with {end}; expected {' or '.join(call.ends)} (it was: {call.before})")
    print(f"{len(FOUND) - wrong} of {len(FOUND)} calls end as they should")
    return 1 if wrong else 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.extremes", description=__doc__)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--only", default="")
    parser.add_argument("--since")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--to", default=str(KEPT))
    parser.add_argument("--found", action="store_true")
    parser.add_argument("--deadline", type=float, default=DEADLINE_S)
    return parser.parse_args(arguments)


def _rows(kept: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()] if kept.exists() else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
