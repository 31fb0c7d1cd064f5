"""The ledger's Merkle tree as it is stored, and the highest checkpoint of each ledger that this user has seen.

A subtree of 2**level leaves at `index` is complete with leaf (index + 1) * 2**level - 1, so its hash stands in that
leaf's row, at place `level`: appending writes one row, and a proof reads one row a hash. A ledger that is put back to
an earlier state is consistent in itself; only a checkpoint kept elsewhere shows it. That is one small file a ledger,
written after the commit and without a sync: a power cut may lose the newest line, and never reports a sound ledger as
rolled back.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from service_nb.core.digest import HASH_BYTES, Nodes, compute_root, list_completed_nodes
from service_nb.core.own_files import find_folders, make_private
from service_nb.errors import (
    EvidenceError,
    RuntimeProvisionError,
)
from service_nb.evidence.standalone import MAX_NOTE, ORIGIN_PREFIX, Checkpoint
from service_nb.evidence.verify import open_checkpoint
from service_nb.ledger.database import is_empty, read_id, refuse


def read_nodes(connection: sqlite3.Connection) -> Nodes:
    """Return the hashes of a ledger, by level and index."""

    def node(level: int, index: int) -> bytes:
        number = (index + 1 << level) - 1
        found = connection.execute("SELECT hashes FROM tree WHERE number = ?", (number,)).fetchone()
        value = found[0][level * HASH_BYTES : (level + 1) * HASH_BYTES] if found and type(found[0]) is bytes else b""
        if len(value) != HASH_BYTES:
            refuse("damaged", f"The tree of the ledger has no hash at level {level}, index {index}.")
        return bytes(value)

    return node


class GrowingTree:
    """A tree to which leaves are appended, held by the roots of its complete subtrees alone, one a level."""

    def __init__(self, size: int = 0, peaks: Mapping[int, bytes] | None = None) -> None:
        self.size = size
        self._peaks = dict(peaks or {})
        self.made: dict[tuple[int, int], bytes] = {}  # what was appended, if it is kept for proofs

    @classmethod
    def of(cls, size: int, nodes: Nodes) -> GrowingTree:
        """Return the tree of the first `size` leaves."""
        levels = (level for level in range(size.bit_length()) if size >> level & 1)
        return cls(size, {level: nodes(level, (size >> level) - 1) for level in levels})

    def append(self, leaf: bytes, *, keeps: bool = False) -> bytes:
        """Append a leaf, and return the hashes that it completes, one after the other."""
        made = list_completed_nodes(self.size, leaf, self._find_peak)
        for level, _, _ in made[:-1]:
            self._peaks.pop(level, None)
        self._peaks[made[-1][0]] = made[-1][2]
        self.size += 1
        if keeps:
            self.made.update({(level, index): value for level, index, value in made})
        return b"".join(value for _, _, value in made)

    def root(self) -> bytes:
        """Return the root of what there is."""
        return compute_root(self.size, self._find_peak)

    def node(self, level: int, index: int) -> bytes:
        """Return a hash that the proof of a leaf appended here needs: made here, or a subtree that was there."""
        return self.made.get((level, index)) or self._old[level, index]

    def begin(self) -> None:
        """Remember the subtrees that are there, for proofs of what is appended from now on."""
        self.made = {}
        self._old = {(level, (self.size >> level) - 1): value for level, value in self._peaks.items()}

    def copy(self) -> GrowingTree:
        """Return a tree that grows on its own."""
        return GrowingTree(self.size, self._peaks)

    def _find_peak(self, level: int, _: int) -> bytes:
        return self._peaks[level]


if sys.platform != "win32":
    import fcntl

_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_OPEN = _READ | os.O_RDWR | os.O_CREAT
_MOST = 4 * MAX_NOTE  # bytes
# What this process wrote last of each ledger: found there again, it need not be read anew.
_WRITTEN: dict[str, tuple[bytes, Checkpoint]] = {}


def read_highest(ledger_id: str) -> Checkpoint | None:
    """Return the highest checkpoint that was kept of a ledger; None if there is none that can be read."""
    try:
        descriptor = os.open(_note_path(ledger_id), _READ)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        _lock(descriptor, exclusive=False)
        return _parse_note(os.read(descriptor, _MOST), ledger_id)
    finally:
        os.close(descriptor)


def keep_highest(ledger_id: str, note: str, checkpoint: Checkpoint) -> bool:
    """Keep a checkpoint, of which `note` is the text, unless a higher one is kept; False if it cannot be written."""
    try:
        path = _note_path(ledger_id)
        try:
            descriptor = os.open(path, _OPEN, 0o600)
        except FileNotFoundError:
            make_private(path.parents[1])
            make_private(path.parent)
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
    kept = known if there == written else _parse_note(there, ledger_id)
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


def _parse_note(content: bytes, ledger_id: str) -> Checkpoint | None:
    try:
        kept = open_checkpoint(content.decode()).checkpoint
    except (EvidenceError, UnicodeDecodeError):  # cut by a power cut: as good as nothing, and the next one is whole
        return None
    return kept if kept.origin == ORIGIN_PREFIX + ledger_id else None


def _note_path(ledger_id: str) -> Path:
    return _note_path_in(find_folders().data, ledger_id)


@lru_cache(maxsize=64)
def _note_path_in(data: Path, ledger_id: str) -> Path:
    return data / "ledgers" / ledger_id


def check_not_rolled_back(connection: sqlite3.Connection, size: int, before: Checkpoint) -> None:
    """Refuse a ledger that is not the continuation of what was seen of it before. Raises `ledger_unavailable`."""
    if before.size > size:
        refuse("rolled_back", f"The ledger has {size} entries, and {before.size} were seen here.", met=size)
    if compute_root(before.size, read_nodes(connection)) != before.root:
        refuse("rolled_back", f"The first {before.size} entries of the ledger are not those that were seen here.")


class LedgerHead(NamedTuple):
    """The head of a ledger: its id and its newest checkpoint."""

    ledger_id: str
    checkpoint: Checkpoint
    note: str  # the checkpoint's text


def read_head(connection: sqlite3.Connection) -> LedgerHead | None:
    """Return the newest checkpoint of a ledger; None if nothing was ever appended. Raises `ledger_unavailable`."""
    if is_empty(connection):
        return None
    ledger_id = read_id(connection)
    row = connection.execute("SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1").fetchone()
    if row is None:
        refuse("damaged", "The ledger has no checkpoint.")
    return LedgerHead(ledger_id, _read_checkpoint(row, ledger_id), row[1])


def _read_checkpoint(row: tuple[object, object], ledger_id: str) -> Checkpoint:
    """Return the checkpoint of a row (size, note), which is one of this ledger; its signature is not checked."""
    size, note = row
    try:
        checkpoint = open_checkpoint(note if isinstance(note, str) else "").checkpoint
    except EvidenceError as error:
        refuse("damaged", f"The checkpoint at size {size} is malformed.", error)
    if (checkpoint.origin, checkpoint.size) != (ORIGIN_PREFIX + ledger_id, size):
        refuse("damaged", f"The checkpoint at size {size} is of another ledger, or another size.")
    return checkpoint
