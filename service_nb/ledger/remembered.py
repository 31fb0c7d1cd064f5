"""Remember the ledgers that this machine writes: the highest checkpoint of each, and what was written without a key.

A ledger that is put back to an earlier state is consistent in itself; only a checkpoint kept elsewhere shows it. So the
highest one of each ledger that this user has written is kept in a small file, written after the commit and without a
sync: a power cut may lose the newest line, and never reports a sound ledger as rolled back.

It also tells this machine's ledgers from those that were received, which are never written to. A signed checkpoint
names its writer. One that was written without a key names nobody: of such a ledger the two newest checkpoints, before
and after an append, are kept before the commit, so that whoever is killed on the way finds the ledger in one of them.
"""

from __future__ import annotations

import os
import stat
import sys
from functools import lru_cache
from pathlib import Path

from service_nb.core.own_files import find_folders, make_private
from service_nb.errors import EvidenceError, RuntimeProvisionError
from service_nb.evidence.documents import SigningKey, open_checkpoint, verify_checkpoint
from service_nb.evidence.standalone import MAX_NOTE, ORIGIN_PREFIX, Checkpoint, decode_base64

if sys.platform != "win32":
    import fcntl

_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_OPEN = _READ | os.O_RDWR | os.O_CREAT
_MOST = 4 * MAX_NOTE  # bytes
_BETWEEN = b"\0"  # two notes of one file
_UNSIGNED = ".unsigned"
# What this process wrote last of each ledger: found there again, it need not be read anew.
_WRITTEN: dict[str, tuple[bytes, Checkpoint]] = {}


def is_written_here(ledger_id: str, note: str, signer: SigningKey | None) -> bool:
    """Tell whether this machine wrote the newest checkpoint of a ledger, of which `note` is the text."""
    if signer is not None:
        try:
            verify_checkpoint(note, decode_base64(signer.public_key) or b"")
        except EvidenceError:
            pass  # another key's, or from before there was one
        else:
            return True
    kept = _read(ledger_id), *_read(ledger_id + _UNSIGNED).split(_BETWEEN)
    return note.encode() in filter(None, kept)


def remember_unsigned(ledger_id: str, before: str | None, now: str) -> bool:
    """Keep the newest checkpoint of an unsigned ledger, and the one that it takes the place of; False if it fails."""
    notes = [note.encode() for note in (before, now) if note is not None]
    return _write(ledger_id + _UNSIGNED, _BETWEEN.join(notes))


def read_highest(ledger_id: str) -> Checkpoint | None:
    """Return the highest checkpoint that was kept of a ledger; None if there is none that can be read."""
    return _parse_note(_read(ledger_id), ledger_id)


def keep_highest(ledger_id: str, note: str, checkpoint: Checkpoint) -> bool:
    """Keep a checkpoint, of which `note` is the text, unless a higher one is kept; False if it cannot be written."""
    try:
        descriptor = _open(ledger_id)
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
    kept = known if there == written else _parse_note(there, ledger_id)
    if kept is None or kept.size < checkpoint.size:
        _replace_content(descriptor, note)
        _WRITTEN[ledger_id] = note, checkpoint


def _read(name: str) -> bytes:
    """Read a kept file; nothing where there is none that can be read."""
    try:
        descriptor = os.open(_find_path(name), _READ)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        _lock(descriptor, exclusive=False)
        return os.read(descriptor, _MOST)
    finally:
        os.close(descriptor)


def _write(name: str, content: bytes) -> bool:
    try:
        descriptor = _open(name)
        try:
            _lock(descriptor, exclusive=True)
            _replace_content(descriptor, content)
        finally:
            os.close(descriptor)
    except (OSError, RuntimeProvisionError):
        return False
    return True


def _open(name: str) -> int:
    path = _find_path(name)
    try:
        return os.open(path, _OPEN, 0o600)
    except FileNotFoundError:
        make_private(path.parents[1])
        make_private(path.parent)
        return os.open(path, _OPEN, 0o600)


def _replace_content(descriptor: int, content: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, content)
    os.ftruncate(descriptor, len(content))


def _lock(descriptor: int, *, exclusive: bool) -> None:
    """Wait for others that read or write the file, for microseconds; the lock goes with the descriptor."""
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)


def _parse_note(content: bytes, ledger_id: str) -> Checkpoint | None:
    try:
        kept = open_checkpoint(content.decode()).checkpoint
    except (EvidenceError, UnicodeDecodeError):  # cut by a power cut: as good as nothing, and the next one is whole
        return None
    return kept if kept.origin == ORIGIN_PREFIX + ledger_id else None


def _find_path(name: str) -> Path:
    return _find_path_in(find_folders().data, name)


@lru_cache(maxsize=64)
def _find_path_in(data: Path, name: str) -> Path:
    return data / "ledgers" / name
