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
        [*_emulator(setting), sys.executable, "-S", "-s", "-P", "-B", "-m", "tests.matrix.evaluate"],
        input=orders,
        capture_output=True,
        text=True,
        env={**setting.environment, "PYTHONPATH": module_path()},
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


def _emulator(setting: Setting) -> list[str]:
    return ["nice", qemu(), "-cpu", setting.model] if setting.model else []


def module_path() -> str:
    """Return where a child finds the libraries of this environment, the kernels and these programs."""
    return os.pathsep.join([sysconfig.get_path("platlib"), str(ROOT / "kernels"), str(ROOT)])


def qemu() -> str:
    """Return the emulator; it is installed into `build` where the system has none."""
    done = subprocess.run([ROOT / "tests/tools/qemu.sh"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"No emulator for the CPUs of the matrix. {done.stderr.strip()}")
    return done.stdout.strip()
