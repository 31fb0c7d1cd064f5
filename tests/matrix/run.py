"""Child processes: one for a setting, which evaluates every job there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.matrix.jobs import Job
from tests.matrix.settings import Setting

ROOT = Path(__file__).parents[2]
MOST_ENDS = 5  # of the process under one setting, each at another job


@dataclass
class Evaluated:
    """What came out below a setting: values by the key of the job, and the state that the process read back."""

    setting: Setting
    values: dict[str, tuple[str, str]] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)  # jobs of which the process ended, and how


def evaluate(setting: Setting, jobs: Sequence[Job]) -> Evaluated:
    """Evaluate jobs below a setting; where a job ends the process, the others go on in a new one."""
    found, left = Evaluated(setting), deque(jobs)
    while left and len(found.ended) < MOST_ENDS:
        finished, how = _process(setting, left, found)
        for _ in range(finished):
            left.popleft()
        if left:
            found.ended[left.popleft().key] = how
    return found


def _process(setting: Setting, jobs: Sequence[Job], found: Evaluated) -> tuple[int, str]:
    """Return how many jobs one process finished, and how it ended."""
    orders = "".join(json.dumps(job.to_dict(setting.layout)) + "\n" for job in jobs)
    done = subprocess.run(
        [*_find_python(setting), "-S", "-s", "-P", "-B", "-m", "tests.matrix.evaluate"],
        input=orders,
        capture_output=True,
        text=True,
        env={**setting.environment, "PYTHONPATH": module_path(setting.architecture)},
        cwd="/",
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        if "key" in line:
            found.values[line["key"]] = line["shape"], line["doubles"]
        elif "libraries" in line:
            found.state = line
    finished = sum("key" in line for line in lines)
    if not lines:
        raise RuntimeError(f"{setting.name}: the process did not start: {done.stderr[-2000:]}")
    return finished, f"exit {done.returncode}: {done.stderr.strip()[-300:]}"


def _find_python(setting: Setting) -> list[str]:
    """Return the words that start Python: this one, or on an emulated CPU, of which an arm64 one has its own."""
    if not setting.model:
        return [sys.executable]
    emulator = ["nice", qemu(setting.architecture), "-cpu", setting.model]
    if not setting.architecture:
        return [*emulator, sys.executable]
    system = arm64()
    return [*emulator, "-L", system, f"{system}/usr/bin/python3.11"]


def module_path(architecture: str = "") -> str:
    """Return where a child finds the libraries of this environment, the kernels and these programs."""
    libraries = f"{arm64()}/site" if architecture else sysconfig.get_path("platlib")
    return os.pathsep.join([libraries, str(ROOT / "kernels"), str(ROOT)])


def qemu(architecture: str = "") -> str:
    """Return the emulator; it is installed into `build` where the system has none."""
    return _prepare("an emulator for the CPUs of the matrix", "qemu.sh", *filter(None, [architecture]))


def arm64() -> str:
    """Return the root of an arm64 system with Python and the libraries of this environment, made in `build`."""
    return _prepare("an arm64 system", "arm64.sh", sys.executable)


def _prepare(what: str, *command: str) -> str:
    program, *arguments = command
    done = subprocess.run([ROOT / "tests/tools" / program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"There is not {what}. {done.stderr.strip()}")
    return done.stdout.strip()
