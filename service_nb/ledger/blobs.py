"""Texts that are too large for the database: a file each, named by its SHA-256, written once and never changed.

A file is written beside its place under another name, synced, renamed, and its folder synced, before the transaction
that refers to it begins. Whoever is killed on the way leaves a file that nothing refers to, which harms nobody.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from service_nb.core.digest import sha256_hex
from service_nb.core.folders import PRIVATE
from service_nb.core.whole_files import sync_folder
from service_nb.ledger.faults import refuse

PART = ".part-"
_NAME = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SHELF = re.compile(r"[0-9a-f]{2}", re.ASCII)
_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class Blobs:
    """The files of one ledger."""

    def __init__(self, folder: Path) -> None:
        self._root = folder / "blobs"
        self._shelves = self._root / "sha256"

    def keep(self, sha256: str, content: bytes) -> None:
        """Have the file there, durably. One that is there and not whole is replaced."""
        if self.read(sha256, len(content)) == content:
            return
        path = self._path(sha256)
        for folder in (self._root, self._shelves, path.parent):
            make_folder(folder)
        part = self._root / f"{PART}{secrets.token_hex(8)}"
        try:
            descriptor = os.open(part, _WRITE | _BINARY, 0o444)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        sync_folder(path.parent)

    def read(self, sha256: str, size: int) -> bytes | None:
        """Return the content of a file if it is what its name says; None if it is not, or not there."""
        path = self._path(sha256)
        if any(_is_link(folder) for folder in (self._root, self._shelves, path.parent)):
            return None
        try:
            with os.fdopen(os.open(path, _READ | _BINARY), "rb") as file:
                met = os.fstat(file.fileno())
                if not stat.S_ISREG(met.st_mode) or met.st_size != size:
                    return None
                content = file.read(size + 1)
        except OSError:  # not there, a link, a folder, not readable: to the reader all the same
            return None
        return content if len(content) == size and sha256_hex(content) == sha256 else None

    def names(self) -> Iterator[str]:
        """Yield the names of all files, those of interrupted writers included."""
        if _is_link(self._root) or _is_link(self._shelves):
            return
        yield from (name for name in _listed(self._root) if name.startswith(PART))
        for shelf in filter(_SHELF.fullmatch, _listed(self._shelves)):
            if not _is_link(self._shelves / shelf):
                yield from filter(_NAME.fullmatch, _listed(self._shelves / shelf))

    def _path(self, sha256: str) -> Path:
        if not _NAME.fullmatch(sha256):
            raise ValueError("a blob is named by 64 hex digits")
        return self._shelves / sha256[:2] / sha256


def make_folder(folder: Path) -> None:
    """Have a folder that only its user can enter, durably; what is there and is none is refused."""
    try:
        folder.mkdir(mode=PRIVATE)
    except FileExistsError:
        if not stat.S_ISDIR(folder.lstat().st_mode):
            refuse("not_a_ledger", f"{folder.name} of the ledger is a link or no folder.")
    else:
        sync_folder(folder.parent)


def _is_link(folder: Path) -> bool:
    return folder.is_symlink()


def _listed(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  # names are all that is wanted
    except OSError:
        return []
