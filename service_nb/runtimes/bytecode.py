"""The bytecode of unpacked wheels: compiled once, when they are installed, so that the runtime starts in half the time.

Python does not compare it with the source it was made of (the wheel's files never change), so its digests are noted
and verified like those of the wheel's own files.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from service_nb.core.digest import compute_sha256_hex
from service_nb.runtimes.folders import InstallProgress

_LONGEST_S = 300
_TAG = str(sys.implementation.cache_tag)


def compile_wheels(folders: Sequence[Path], progress: InstallProgress) -> None:
    """Compile the modules of unpacked wheels that have no bytecode for this Python yet.

    A module that does not compile stays as it is: to import it is then the same error as before.
    """
    missing = [str(folder) for folder in folders if next(_find_bytecode(folder), None) is None]
    if missing:
        progress.begin("Compiling")
        options = ["-q", "--invalidation-mode", "unchecked-hash", "-j", "0"]
        subprocess.run(  # noqa: S603  # the interpreter that runs us, with its own module
            [sys.executable, "-I", "-m", "compileall", *options, *missing],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_LONGEST_S,
            check=False,
        )


def digest_bytecode(folder: Path) -> dict[str, str]:
    """Compute the digest of each file of bytecode that this Python would read; paths are below the folder."""
    return {
        path.relative_to(folder).as_posix(): compute_sha256_hex(path.read_bytes()) for path in _find_bytecode(folder)
    }


def is_for_other_python(path: Path) -> bool:
    """Tell whether a file is bytecode that this Python never reads: another one shares the folder of the wheel."""
    return path.parent.name == "__pycache__" and path.suffix == ".pyc" and f".{_TAG}." not in path.name


def _find_bytecode(folder: Path) -> Iterator[Path]:
    return folder.rglob(f"__pycache__/*.{_TAG}.pyc")
