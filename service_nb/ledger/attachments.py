"""Keep files beside a ledger's database: large texts, imported evidence, and sources that were in memory.

Each file is named by the SHA-256 of its content, written once, and never changed. It is written under another name,
synced and renamed before anything refers to it, so an interrupted writer leaves only a file that nothing refers to.
Whoever reads one compares content and name; imported evidence is verified again each time.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from service_nb.core.canonical import DEFAULT_MAX_BYTES
from service_nb.core.digest import compute_sha256_hex
from service_nb.core.own_files import flush_folder, write_beside
from service_nb.ledger.database import PART, make_folder, refuse, translate_errors

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SHELF = re.compile(r"[0-9a-f]{2}", re.ASCII)
_DOCUMENT = re.compile(r"([0-9a-f]{64})\.json", re.ASCII)
_FLAGS = ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")  # as far as the system has them
_READ = sum((getattr(os, name, 0) for name in _FLAGS), os.O_RDONLY)

IMPORTED, SOURCES = "imported", "sources"  # folders
MOST_BYTES = 512 * 1024**2  # of values in memory


def _read_hashed(path: Path, sha256: str, most: int) -> bytes | None:
    """Read a regular file of at most `most` bytes; None if it has another SHA-256 or cannot be read."""
    try:
        with os.fdopen(os.open(path, _READ), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            content = file.read(most + 1)
    except OSError:  # not there, a link, a folder, not readable: to the reader all the same
        return None
    return content if len(content) <= most and compute_sha256_hex(content) == sha256 else None


def _write_once(target: Path, content: bytes | Callable[[BinaryIO], object], *, mode: int, beside: Path) -> None:
    """Write a file that nobody changes, durably, over one that was damaged at most."""
    with write_beside(beside, content, prefix=PART) as made:
        made.chmod(mode)
        made.replace(target)
    flush_folder(target.parent)


class Blobs:
    """The files of one ledger."""

    def __init__(self, folder: Path) -> None:
        self._root = folder / "blobs"
        self._shelves = self._root / "sha256"

    def keep(self, sha256: str, content: bytes) -> None:
        """Have the file there, durably. One that is there and not whole is replaced."""
        if self.read(sha256, len(content)) == content:
            return
        path = self._find_path(sha256)
        for folder in (self._root, self._shelves, path.parent):
            make_folder(folder)
        _write_once(path, content, mode=0o444, beside=self._root / "part")

    def read(self, sha256: str, size: int) -> bytes | None:
        """Return the content of a file if it is what its name says; None if it is not, or not there."""
        path = self._find_path(sha256)
        if any(folder.is_symlink() for folder in (self._root, self._shelves, path.parent)):
            return None
        content = _read_hashed(path, sha256, size)
        return content if content is not None and len(content) == size else None

    def list_names(self) -> Iterator[str]:
        """Yield the names of all files, those of interrupted writers included."""
        if self._root.is_symlink() or self._shelves.is_symlink():
            return
        yield from (name for name in _list_names(self._root) if name.startswith(PART))
        for shelf in filter(_SHELF.fullmatch, _list_names(self._shelves)):
            if not (self._shelves / shelf).is_symlink():
                yield from filter(_SHA256.fullmatch, _list_names(self._shelves / shelf))

    def _find_path(self, sha256: str) -> Path:
        if not _SHA256.fullmatch(sha256):
            raise ValueError("a blob is named by 64 hex digits")
        return self._shelves / sha256[:2] / sha256


def _list_names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  # names are all that is wanted
    except OSError:
        return []


def keep_document(ledger: Path, content: bytes) -> tuple[str, bool]:
    """Keep a verified document beside the ledger in a folder; return its SHA-256, and whether it is new here.

    Raises `ledger_unavailable`.
    """
    name = compute_sha256_hex(content)
    with translate_errors():
        make_folder(ledger)
        ignore = ledger / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        make_folder(ledger / IMPORTED)
        target = ledger / IMPORTED / f"{name}.json"
        if _read_hashed(target, name, DEFAULT_MAX_BYTES) is not None:
            return name, False
        _write_once(target, content, mode=0o400, beside=target)
    return name, True


def iter_documents(ledger: Path) -> Iterator[tuple[str, bytes]]:
    """Yield what was imported beside the ledger in a folder: the SHA-256 of each document, and its bytes.

    Raises `ledger_unavailable`.
    """
    folder = ledger / IMPORTED
    if folder.is_symlink() or not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        named = _DOCUMENT.fullmatch(path.name)
        if named is None:
            continue
        content = _read_hashed(path, named[1], DEFAULT_MAX_BYTES)
        if content is None:
            refuse("damaged", f"The imported document {named[1][:12]}… has changed since it was imported.")
        yield named[1], content


def keep_source(ledger: Path, content_sha256: str, table: pa.Table, tenant: str | None = None) -> bool:
    """Write a source's values beside the ledger, unless they are there or too large; return whether they are there.

    Raises
    ------
    OSError
        They cannot be written; nothing is left of the attempt.
    """
    target = _find_source_path(ledger, content_sha256, tenant)
    if target is None or table.nbytes > MOST_BYTES:
        return False
    if target.exists():
        return True
    for folder in (ledger / SOURCES, target.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    _write_once(target, lambda stream: pq.write_table(table, stream, compression="zstd"), mode=0o400, beside=target)
    return True


def find_kept_source(ledger: Path, content_sha256: str, tenant: str | None = None) -> Path | None:
    """Return the file that keeps a source's values for a tenant, if there is one."""
    target = _find_source_path(ledger, content_sha256, tenant)
    return target if target is not None and target.is_file() and not target.is_symlink() else None


def _find_source_path(ledger: Path, content_sha256: str, tenant: str | None) -> Path | None:
    """Return where values of that digest are kept; what is no digest is no name of a file either."""
    if not _SHA256.fullmatch(content_sha256):
        return None
    # Whoever knows a digest could ask for the values behind it: no tenant reads those of another.
    folder = ledger / SOURCES if tenant is None else ledger / SOURCES / compute_sha256_hex(tenant.encode())
    return folder / f"{content_sha256}.parquet"
