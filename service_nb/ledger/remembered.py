"""The highest checkpoint of each ledger that this user has made or seen, kept apart from the ledger itself.

A ledger that is put back to an earlier state is whole in itself; only what is kept elsewhere tells. It is one small
file a ledger, written after the commit and without a sync: a power cut may cost the newest line, and never says of a
sound ledger that it was rolled back.
"""

from __future__ import annotations

import os
import stat
import sys
from functools import lru_cache
from pathlib import Path

from service_nb.core.folders import folders, private
from service_nb.errors import EvidenceError, RuntimeProvisionError
from service_nb.evidence.checkpoint import MAX_CHARS, ORIGIN_PREFIX, Checkpoint, opened

if sys.platform != "win32":
    import fcntl

_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_OPEN = _READ | os.O_RDWR | os.O_CREAT
_MOST = 4 * MAX_CHARS  # bytes
# What this process wrote last of each ledger: found there again, it need not be read anew.
_WRITTEN: dict[str, tuple[bytes, Checkpoint]] = {}


def highest(ledger_id: str) -> Checkpoint | None:
    """Return the highest checkpoint that was kept of a ledger; None if there is none that can be read."""
    try:
        descriptor = os.open(_path(ledger_id), _READ)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        _lock(descriptor, exclusive=False)
        return _read(os.read(descriptor, _MOST), ledger_id)
    finally:
        os.close(descriptor)


def keep(ledger_id: str, note: str, checkpoint: Checkpoint) -> bool:
    """Keep a checkpoint, of which `note` is the text, unless a higher one is kept; False if it cannot be written."""
    try:
        path = _path(ledger_id)
        try:
            descriptor = os.open(path, _OPEN, 0o600)
        except FileNotFoundError:
            private(path.parents[1])
            private(path.parent)
            descriptor = os.open(path, _OPEN, 0o600)
        try:
            _raise_to(descriptor, ledger_id, note.encode(), checkpoint)
        finally:
            os.close(descriptor)
    except (OSError, RuntimeProvisionError):
        return False
    return True


def _raise_to(descriptor: int, ledger_id: str, note: bytes, checkpoint: Checkpoint) -> None:
    _lock(descriptor, exclusive=True)
    there = os.read(descriptor, _MOST)
    written, known = _WRITTEN.get(ledger_id, (None, None))
    kept = known if there == written else _read(there, ledger_id)
    if kept is None or kept.size < checkpoint.size:
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, note)
        if len(there) > len(note):
            os.ftruncate(descriptor, len(note))
        _WRITTEN[ledger_id] = note, checkpoint


def _lock(descriptor: int, *, exclusive: bool) -> None:
    """Wait for others that read or write the file, for microseconds; the lock goes with the descriptor."""
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)


def _read(content: bytes, ledger_id: str) -> Checkpoint | None:
    try:
        kept = opened(content.decode()).checkpoint
    except (EvidenceError, UnicodeDecodeError):  # cut by a power cut: as good as nothing, and the next one is whole
        return None
    return kept if kept.origin == ORIGIN_PREFIX + ledger_id else None


def _path(ledger_id: str) -> Path:
    return _path_in(folders().data, ledger_id)


@lru_cache(maxsize=64)
def _path_in(data: Path, ledger_id: str) -> Path:
    return data / "ledgers" / ledger_id
