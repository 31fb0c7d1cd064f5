"""Homes of users in which a runtime is installed; the wheels come from the cache that all tests share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SIGNING_KEY = "bundle-signing-key.pem"
SHARED = ROOT / "build" / "test-home"  # as tests/conftest.py has it


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a process whose user lives at `home`: nothing of the tester's own is kept or found."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SERVICE_", "XDG_"))}
    own = {"HOME": str(home), "SERVICE_HOME": str(home / "kept"), "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    own["SERVICE_RUNTIME_IDLE_MINUTES"] = "2"  # nothing outlives tests that were interrupted for long
    return {**kept, **own, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels")]), **more}


def command(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `service-nb` as the user who lives at `home`."""
    return subprocess.run(
        [sys.executable, "-m", "service_nb.cli.main", *arguments],
        cwd=home,
        env=environment(home, **more),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def installed_home(factory: pytest.TempPathFactory) -> Path:
    """Make a home of its own with a runtime in it, not logged in; what was fetched before is linked into it."""
    home = factory.mktemp("home")
    _install(home, SERVICE_HOME=str(SHARED))  # of several that fetch at once one does, and the others wait for it
    kept = home / "kept"
    for file in (SHARED / "cache" / "wheels").glob("*.whl"):
        _link(file, _place(kept / "cache" / "wheels") / file.name)
    key = shutil.copyfile(SHARED / "config" / SIGNING_KEY, _place(kept / "config") / SIGNING_KEY)
    key.chmod(0o600)
    _install(home)
    return home


def _place(folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _link(file: Path, target: Path) -> None:
    try:
        os.link(file, target)
    except OSError:  # another disk
        shutil.copyfile(file, target)


def _install(home: Path, **more: str) -> None:
    run = command(home, "runtime", "install", **more)
    assert run.returncode == 0, run.stderr
