"""Homes of users in which a runtime is installed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.simulators.commands import run_command
from tests.simulators.resident import link_installed

ROOT = Path(__file__).parents[2]


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a process whose user lives at `home`: nothing of the tester's own is kept or found."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SERVICE_", "XDG_"))}
    own = {"HOME": str(home), "SERVICE_HOME": str(home / "kept"), "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    own["SERVICE_RUNTIME_IDLE_MINUTES"] = "2"  # nothing outlives tests that were interrupted for long
    return {**kept, **own, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels")]), **more}


def command(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `service-nb` as the user who lives at `home`."""
    return run_command(home, arguments, environment(home, **more))


def installed_home(factory: pytest.TempPathFactory) -> Path:
    """Make a home of its own with a runtime in it, not logged in; what is installed for all tests is linked into it."""
    home = factory.mktemp("home")
    link_installed(home / "kept")
    return home
