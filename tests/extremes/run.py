"""Extreme calls in child processes: what ends a process, hangs it or fills it is told beside the call that did it."""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import IO, Any

from service_nb_kernels.declare import Capability
from service_nb_kernels.errors import KernelError
from service_nb_kernels.execute import Executor

from tests.extremes.arguments import extreme_arguments, shown

DEADLINE_S = 3.0  # of a call, as its caller sets it
LATE_S = 1.0  # of the processor, after the deadline: then the process ends, as in a runtime's worker
ANSWERLESS_S = 300.0  # of the clock: a call that waits without working
ADDRESSES = 4 * 2**30  # bytes that a process may have, as a runtime's worker
MUCH = 2**30  # bytes that one call may add before it is told
MOST_ENDS = 5  # of processes, for one capability; then it is left
Make = Callable[[Capability, int], tuple[list[Any], int | None]]
Call = tuple[int, list[Any], int | None]  # its number, its arguments, its seed
CODES = frozenset({"domain_error", "invalid_intent", "limit_exceeded", "undecided"})


@dataclass
class Tried:
    """One capability: how its calls ended, and those that should not have ended so."""

    capability: str
    calls: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0
    findings: list[dict[str, Any]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As it is kept."""
        return asdict(self) | {"ends": dict(self.ends)}

    def add(self, number: int, end: str, spent_s: float, words: Callable[[], str]) -> None:
        """Count a call; what is neither a value nor a refusal with a code is a finding."""
        self.calls += 1
        self.ends[end] += 1
        self.slowest_s = max(self.slowest_s, round(spent_s, 3))
        if end != "value" and end not in CODES:
            self.findings.append({"number": number, "end": end, "s": round(spent_s, 2), "arguments": words()})


def attempt(
    declared: Capability,
    numbers: range,
    executor: Executor,
    make: Make = extreme_arguments,
    deadline_s: float = DEADLINE_S,
) -> Tried:
    """Run the calls of these numbers in a process, and in another one after each that ended it.

    Parameters
    ----------
    make : callable
        The arguments and the seed of a call, from the capability and the number.
    """
    tried, number = Tried(declared.id), numbers.start
    ended = 0
    while number < numbers.stop and ended < MOST_ENDS:
        started = time.monotonic()
        calls = ((each, *make(declared, each)) for each in range(number, numbers.stop))
        with _child(partial(_serve, declared, calls, executor, deadline_s)) as (lines, pid):
            for line in lines:
                at, end, spent_s = json.loads(line)
                if end is None:
                    number, started = at, time.monotonic()
                    continue
                tried.add(at, end, spent_s, partial(_words, declared, make, at))
                number = at + 1
            status = os.waitpid(pid, 0)[1]
        if number < numbers.stop:
            end = _how(status)
            ended += 1
            tried.add(number, end, time.monotonic() - started, partial(_words, declared, make, number))
            number += 1
    return tried


def _words(declared: Capability, make: Make, number: int) -> str:
    return shown(make(declared, number)[0], declared)


def _how(status: int) -> str:
    if not os.WIFSIGNALED(status):
        return f"exit {os.waitstatus_to_exitcode(status)}"
    ended_by = signal.Signals(os.WTERMSIG(status))
    return "hang" if ended_by in (signal.SIGPROF, signal.SIGALRM) else f"crash {ended_by.name}"


@contextlib.contextmanager
def _child(serve: Callable[[int], None]) -> Iterator[tuple[IO[str], int]]:
    """A process with a copy of all that is loaded; the lines that it writes, and its id."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            os.close(read)
            serve(write)
            os._exit(0)
        os._exit(70)
    os.close(write)
    with os.fdopen(read) as lines:
        yield lines, pid


def _serve(declared: Capability, calls: Iterable[Call], executor: Executor, deadline_s: float, write: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # FLINT says on stderr why it ends the process
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)

    def tell(*parts: Any) -> None:
        os.write(write, json.dumps(parts).encode() + b"\n")

    for number, arguments, seed in calls:
        before = _resident()
        tell(number, None, 0)
        started = time.monotonic()
        signal.setitimer(signal.ITIMER_PROF, deadline_s + LATE_S)  # other programs may have the processor meanwhile
        signal.setitimer(signal.ITIMER_REAL, deadline_s + ANSWERLESS_S)
        end = _end(executor, declared, arguments, seed, deadline_s)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        spent_s = time.monotonic() - started
        if _resident() - before > MUCH:
            end = f"memory {(_resident() - before) // 2**20} MiB"
        tell(number, end, spent_s)


def _end(executor: Executor, declared: Capability, arguments: list[Any], seed: int | None, deadline_s: float) -> str:
    try:
        value = executor.execute(declared.id, arguments, seed=seed, timeout_s=deadline_s)
    except KernelError as error:
        return error.code
    except Exception as error:  # noqa: BLE001  # what has no code is what is looked for
        return f"untyped {type(error).__name__}: {error}"[:200]
    return "value" if _is_finite(value) else "not finite"


def _is_finite(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def _resident() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
