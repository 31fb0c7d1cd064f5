"""Keep files beside a ledger's database: large texts, imported evidence, and sources that were in memory.

Each file is named by the SHA-256 of its content, written once, and never changed. It is written under another name,
synced and renamed before anything refers to it, so an interrupted writer leaves only a file that nothing refers to.
Whoever reads one compares content and name; imported evidence is verified again each time.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from service_nb.core.canonical import DEFAULT_MAX_BYTES
from service_nb.core.digest import compute_sha256_hex
from service_nb.core.own_files import flush_folder, write_beside
from service_nb.ledger.database import PART, make_folder, refuse, translate_errors

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
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
        flush_folder(path.parent)

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
        return content if len(content) == size and compute_sha256_hex(content) == sha256 else None

    def names(self) -> Iterator[str]:
        """Yield the names of all files, those of interrupted writers included."""
        if _is_link(self._root) or _is_link(self._shelves):
            return
        yield from (name for name in _list_names(self._root) if name.startswith(PART))
        for shelf in filter(_SHELF.fullmatch, _list_names(self._shelves)):
            if not _is_link(self._shelves / shelf):
                yield from filter(_SHA256.fullmatch, _list_names(self._shelves / shelf))

    def _path(self, sha256: str) -> Path:
        if not _SHA256.fullmatch(sha256):
            raise ValueError("a blob is named by 64 hex digits")
        return self._shelves / sha256[:2] / sha256


def _is_link(folder: Path) -> bool:
    return folder.is_symlink()


def _list_names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  # names are all that is wanted
    except OSError:
        return []


IMPORTED = "imported"
_DOCUMENT = re.compile(r"([0-9a-f]{64})\.json", re.ASCII)
_READ_DOCUMENT = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def keep_document(ledger: Path, content: bytes) -> tuple[str, bool]:
    """Keep a verified document beside the ledger in a folder; return its SHA-256, and whether it is new here.

    Raises `ledger_unavailable`.
    """
    name = compute_sha256_hex(content)
    with translate_errors():
        target = _make_imported(ledger) / f"{name}.json"
        if _read_document(target, name) is not None:
            return name, False
        with write_beside(target, content) as made:
            made.chmod(0o400)
            made.replace(target)  # over one that was damaged, at most
        flush_folder(target.parent)
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
        content = _read_document(path, named[1])
        if content is None:
            refuse("damaged", f"The imported document {named[1][:12]}… has changed since it was imported.")
        yield named[1], content


def _make_imported(ledger: Path) -> Path:
    make_folder(ledger)
    ignore = ledger / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    make_folder(ledger / IMPORTED)
    return ledger / IMPORTED


def _read_document(path: Path, sha256: str) -> bytes | None:
    """The bytes of a document, if there is a regular file of this SHA-256."""
    try:
        with os.fdopen(os.open(path, _READ_DOCUMENT), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            content = file.read(DEFAULT_MAX_BYTES + 1)
    except OSError:
        return None
    return content if compute_sha256_hex(content) == sha256 else None


SOURCES = "sources"
MOST_BYTES = 512 * 1024**2  # of values in memory
_SOURCE = re.compile(r"[0-9a-f]{64}", re.ASCII)


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
    with write_beside(target, lambda stream: pq.write_table(table, stream, compression="zstd")) as made:
        made.chmod(0o400)
        made.replace(target)
    return True


def find_kept_source(ledger: Path, content_sha256: str, tenant: str | None = None) -> Path | None:
    """Return the file that keeps a source's values for a tenant, if there is one."""
    target = _find_source_path(ledger, content_sha256, tenant)
    return target if target is not None and target.is_file() and not target.is_symlink() else None


def _find_source_path(ledger: Path, content_sha256: str, tenant: str | None) -> Path | None:
    """Return where values of that digest are kept; what is no digest is no name of a file either."""
    if not _SOURCE.fullmatch(content_sha256):
        return None
    # Whoever knows a digest could ask for the values behind it: no tenant reads those of another.
    folder = ledger / SOURCES if tenant is None else ledger / SOURCES / compute_sha256_hex(tenant.encode())
    return folder / f"{content_sha256}.parquet"
