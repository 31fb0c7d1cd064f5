"""Read SQLite databases that have a write-ahead log (`-wal`) without a change of any file beside them.

A process that has such a database open holds a lock on the log's index (`-shm`), and readers share both with it. Where
no process has it open (a copy, or what a kill left) SQLite would make or write the index: so it is read from a copy.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_OPEN_BYTE = 128  # of the index: every process that has the database open holds a lock on it (SQLite's `UNIX_SHM_DMS`)
_LOCKS = Path("/proc/locks")
_TRIES = 5


def can_share_log(database: Path) -> bool:
    """Tell whether a process, this one included, has a database open whose log and index a reader may share.

    Where the system lists no locks, an index that can be written says so: opening it to look would end the locks that
    this process has on it.
    """
    index = _find_beside(database, "-shm")
    try:
        inode = index.stat().st_ino
    except OSError:
        return False
    if not os.access(index, os.R_OK | os.W_OK):
        return False
    try:
        lines = _LOCKS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return True
    return any(_is_lock_of(line.split(), inode) for line in lines)


def _is_lock_of(words: list[str], inode: int) -> bool:
    # 1: POSIX  ADVISORY  READ 4711 fe:01:1234567 128 128
    if len(words) != 8 or words[5].rpartition(":")[2] != str(inode):
        return False
    first, last = words[6:]
    return int(first) <= _OPEN_BYTE and (last == "EOF" or int(last) >= _OPEN_BYTE)


def copy_with_log(database: Path, folder: Path) -> Path | None:
    """Copy a database and its log into a folder, and return the copy; None if somebody kept writing meanwhile."""
    pairs = [(_find_beside(database, ending), folder / f"{database.name}{ending}") for ending in ("", "-wal")]
    for _ in range(_TRIES):
        before = [_read_state(source) for source, _ in pairs]
        for source, target in pairs:
            target.unlink(missing_ok=True)
            if _read_state(source) is not None:
                shutil.copyfile(source, target)
        if [_read_state(source) for source, _ in pairs] == before:
            return pairs[0][1]
    return None


def _read_state(path: Path) -> tuple[int, int, int] | None:
    try:
        met = path.stat()
    except OSError:
        return None
    return met.st_ino, met.st_size, met.st_mtime_ns


def _find_beside(database: Path, ending: str) -> Path:
    return database.with_name(database.name + ending)
