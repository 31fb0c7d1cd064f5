"""Comparing capabilities with independent packages: arguments drawn here, values of both, how far they are apart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from service_nb_kernels.declare import Capability
from service_nb_kernels.errors import KernelError
from service_nb_kernels.execute import Executor

from tests.outside.draw import draw_arguments

BATCH = 50
TRIES = 6  # times the calls that are wanted: arguments that one side refuses are drawn again
DEADLINE_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Agreed:
    """A call for which both have the same value."""

    call: int
    arguments: dict[str, Any]
    theirs: Any
    error: float


@dataclass(kw_only=True)
class Compared:
    """What came of one capability."""

    capability: str
    origin: str
    package: str
    within: float
    compared: int = 0
    refused: int = 0  # by us, where the package has a value
    worst: float = 0.0
    agreed: list[Agreed] = field(default_factory=list)
    apart: list[tuple[dict[str, Any], Any, Any]] = field(default_factory=list)


class Oracles:
    """The process in which the packages are installed, and what it can be asked."""

    def __init__(self, python: str, names: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            [python, str(Path(__file__).with_name("oracle.py")), *names],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        )
        self.comparisons: list[dict[str, Any]] = self._read()

    def ask(
        self, comparison: Mapping[str, Any], drawn: Sequence[Mapping[str, Any]]
    ) -> list[tuple[dict[str, Any], Any]]:
        """Ask for the values at drawn arguments, and which arguments they became."""
        assert self._process.stdin is not None
        told = {"table": comparison["table"], "capability": comparison["capability"], "drawn": drawn}
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        return [(arguments, value) for arguments, value in self._read()]

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"The process with the packages ended with {self._process.wait()}.")
        return json.loads(line)


def compare(
    oracles: Oracles,
    comparison: Mapping[str, Any],
    capability: Capability,
    executor: Executor,
    *,
    calls: int,
    seed: int,
) -> Compared:
    """Compare one capability at that many arguments for which both have a value."""
    found = Compared(
        **{name: comparison[name] for name in ("capability", "origin", "package", "within")},
    )
    step = min(BATCH, calls)
    for first in range(0, calls * TRIES, step):
        numbers = range(first, first + step)
        drawn = [draw_arguments(capability, comparison["draws"], f"{seed} {comparison['group']} {n}") for n in numbers]
        for call, (arguments, theirs) in zip(numbers, oracles.ask(comparison, drawn), strict=True):
            if theirs is None or not _is_whole(theirs) or found.compared >= calls:
                continue
            _compare_once(
                found,
                comparison,
                capability,
                executor,
                Agreed(call=call, arguments=arguments, theirs=theirs, error=0.0),
            )
        if found.compared >= calls:
            break
    return found


def _compare_once(
    found: Compared,
    comparison: Mapping[str, Any],
    capability: Capability,
    executor: Executor,
    asked: Agreed,
) -> None:
    arguments, theirs = asked.arguments, asked.theirs
    try:
        ours = executor.execute(
            capability.id, [arguments[parameter.name] for parameter in capability.params], timeout_s=DEADLINE_S
        )
    except KernelError:
        found.refused += 1
        return
    found.compared += 1
    error = measure_error(ours, theirs, comparison["near_zero"])
    found.worst = max(found.worst, error)
    if error <= found.within:
        found.agreed.append(replace(asked, error=measure_error(ours, theirs, 0.0)))
    else:
        found.apart.append((arguments, ours, theirs))


def measure_error(ours: Any, theirs: Any, near_zero: float) -> float:
    """Measure how far two results are apart: the largest relative error of a part, infinity if they differ in form."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        if not theirs.keys() <= ours.keys():
            return float("inf")
        return max((measure_error(ours[name], each, near_zero) for name, each in theirs.items()), default=0.0)
    if isinstance(ours, list | tuple) and isinstance(theirs, list | tuple):
        if len(ours) != len(theirs):
            return float("inf")
        return max((measure_error(a, b, near_zero) for a, b in zip(ours, theirs, strict=True)), default=0.0)
    if isinstance(ours, bool | str) or isinstance(theirs, bool | str):
        return 0.0 if type(ours) is type(theirs) and ours == theirs else float("inf")
    if not isinstance(ours, int | float) or not isinstance(theirs, int | float):
        return float("inf")
    apart = abs(ours - theirs)
    return 0.0 if apart <= near_zero else apart / abs(ours) if ours else float("inf")


def _is_whole(value: Any) -> bool:
    """Whether no part of a value is missing."""
    parts: Iterator[Any] = iter(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
    return value is not None and all(_is_whole(part) for part in parts)
