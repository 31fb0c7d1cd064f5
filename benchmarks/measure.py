"""What benchmarks share: the row of the table, and fair timing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple


class Row(NamedTuple):
    """One line of the table. `ratio` is ours over the peer's; `met` is None where there is no bar."""

    what: str
    ours: str
    peer: str = ""
    ratio: float | None = None
    bar: str = ""
    met: bool | None = None


def best(work: Callable[[], Any], repeats: int = 5) -> float:
    """Return the shortest of several runs in seconds: what disturbs a run only ever makes it longer."""
    return min(timed(work) for _ in range(repeats))


def best_beside(*works: Callable[[], Any], repeats: int = 5) -> list[float]:
    """Return the shortest run of each, taken in turns, so that all meet the same machine."""
    runs = [[timed(work) for work in works] for _ in range(repeats)]
    return [min(times) for times in zip(*runs, strict=True)]


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
    return Row(what, duration(ours), f"{name} {duration(theirs)}", ratio, bar, None if most is None else ratio <= most)


def within(what: str, ours: float, most: float) -> Row:
    """Return the row of a bound in seconds."""
    return Row(what, duration(ours), bar=f"<= {duration(most)}", met=ours <= most)


def duration(seconds: float) -> str:
    """Return seconds in the unit that reads best."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
