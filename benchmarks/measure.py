"""What benchmarks share: the row of the table, fair timing, and how much memory was needed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
# A process of its own starts the one that is measured: Linux counts what the starting one has for the started one too.
PEAK_OF = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


class Row(NamedTuple):
    """One line of the table. `ratio` is ours over the peer's; `met` is None where there is no bar.

    `memory` is the peak of ours, and of the peer where it was measured: the growth during a run, or all of a process.
    """

    what: str
    ours: str
    peer: str = ""
    ratio: float | None = None
    bar: str = ""
    met: bool | None = None
    memory: str = ""


class Measured(float):
    """Seconds, and the peak of resident memory in bytes; None where the system does not tell."""

    peak: int | None

    def __new__(cls, seconds: float, peak: int | None) -> Self:
        """Make the number, and attach the peak to it."""
        made = super().__new__(cls, seconds)
        made.peak = peak
        return made


def best(work: Callable[[], Any], repeats: int = 5) -> Measured:
    """Return the shortest of several runs in seconds: what disturbs a run only ever makes it longer."""
    return _summarize(measured(work) for _ in range(repeats))


def best_beside(*works: Callable[[], Any], repeats: int = 5) -> list[Measured]:
    """Return the shortest run of each, taken in turns, so that all meet the same machine."""
    runs = [[measured(work) for work in works] for _ in range(repeats)]
    return [_summarize(times) for times in zip(*runs, strict=True)]


def measured(work: Callable[[], Any]) -> Measured:
    """Return how long a call takes, and by how much this process grew at most meanwhile."""
    before = _reset_peak()
    seconds = timed(work)
    return Measured(seconds, None if before is None else max(0, _read_status("VmHWM") - before))


def _summarize(runs: Iterable[Measured]) -> Measured:
    """The shortest time and the largest growth: an allocator keeps what the first run took for the others."""
    found = list(runs)
    peaks = [each.peak for each in found if each.peak is not None]
    return Measured(min(found), max(peaks, default=None))


def _reset_peak() -> int | None:
    """Have Linux forget the peak so far, and return what is resident now."""
    try:
        RESET.write_text("5")
        return _read_status("VmRSS")
    except OSError:  # another system, or a container that does not allow it
        return None


def _read_status(name: str) -> int:
    lines = STATUS.read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


def peak_of_process(command: Sequence[str], cwd: str | None = None) -> int | None:
    """Run a command once more, and return the peak of it or of a process that it waited for; None on Windows."""
    if sys.platform == "win32":
        return None
    found = subprocess.run([sys.executable, "-c", PEAK_OF, *command], check=True, stdout=subprocess.PIPE, cwd=cwd)
    return int(found.stdout)


def timed(work: Callable[[], Any]) -> float:
    """Return how long a call takes, in seconds."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def against(what: str, ours: float, peer: tuple[str, float], most: float | None = None) -> Row:
    """Return the row of a comparison; `most` is the largest ratio that is allowed."""
    name, theirs = peer
    ratio = ours / theirs
    bar = "" if most is None else f"<= {most:g}x"
    met = None if most is None else ratio <= most
    return Row(what, duration(ours), f"{name} {duration(theirs)}", ratio, bar, met, describe_memory(ours, theirs))


def within(what: str, ours: float, most: float) -> Row:
    """Return the row of a bound in seconds."""
    return Row(what, duration(ours), bar=f"<= {duration(most)}", met=ours <= most, memory=describe_memory(ours))


def describe_memory(ours: float, theirs: float | None = None) -> str:
    """Return the peaks of ours and of the peer in megabytes; nothing of what was not measured."""
    own, other = getattr(ours, "peak", None), getattr(theirs, "peak", None)
    if own is None:
        return ""
    return f"{own / 1e6:.3g} MB" + ("" if other is None else f", peer {other / 1e6:.3g} MB")


def duration(seconds: float) -> str:
    """Return seconds in the unit that reads best."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
