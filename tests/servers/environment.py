"""Environments of emulators and servers: each has its own, for they want libraries that neither we nor others may have.

`<name>.lock` beside this file says what is installed, with hashes. An environment is made once, below `build/servers`,
and made anew when its lock changes. Processes that want the same one wait for each other.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCKS = Path(__file__).parent / "locks"
BUILT = Path(__file__).parents[2] / "build" / "servers"


@contextmanager
def alone(name: str) -> Iterator[Path]:
    """Be the only process that makes the folder of that name, and have its path."""
    BUILT.mkdir(parents=True, exist_ok=True)
    with (BUILT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield BUILT / name


def environment(name: str) -> Path:
    """The folder of programs (`bin`) of the environment that `locks/<name>.lock` describes."""
    lock = LOCKS / f"{name}.lock"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    with alone(name) as folder:
        made = folder / "made-from"
        if not made.is_file() or made.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            pip = [folder / "bin" / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
            subprocess.run([*pip, "--require-hashes", "-r", lock], check=True)
            made.write_text(wanted)
        return folder / "bin"
