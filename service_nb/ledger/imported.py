"""Evidence that was made elsewhere, kept beside the ledger: never an entry of it, always under its own signature.

A file a document, `imported/<SHA-256 of its bytes>.json`, written once, byte for byte as it was verified. Whoever reads
one gets bytes that have this SHA-256, and verifies them again: a file in a folder vouches for nothing.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from service_nb.core.digest import sha256_hex
from service_nb.core.parse import DEFAULT_MAX_BYTES
from service_nb.core.whole_files import beside, sync_folder
from service_nb.ledger.blobs import make_folder
from service_nb.ledger.faults import refuse, told

FOLDER = "imported"
_NAME = re.compile(r"([0-9a-f]{64})\.json", re.ASCII)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def keep_document(ledger: Path, content: bytes) -> tuple[str, bool]:
    """Keep a verified document beside the ledger in a folder; return its SHA-256, and whether it is new here.

    Raises
    ------
    LedgerError [ledger_unavailable]
        It cannot be written; nothing of it was.
    """
    name = sha256_hex(content)
    with told():
        target = _folder(ledger) / f"{name}.json"
        if _read(target, name) is not None:
            return name, False
        with beside(target, content) as made:
            made.chmod(0o400)
            made.replace(target)  # over one that was damaged, at most
        sync_folder(target.parent)
    return name, True


def imported_documents(ledger: Path) -> Iterator[tuple[str, bytes]]:
    """Yield what was imported beside the ledger in a folder: the SHA-256 of each document, and its bytes.

    Raises
    ------
    LedgerError [ledger_unavailable]
        Reason `damaged`: a document is not what was kept.
    """
    folder = ledger / FOLDER
    if folder.is_symlink() or not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        named = _NAME.fullmatch(path.name)
        if named is None:
            continue
        content = _read(path, named[1])
        if content is None:
            refuse("damaged", f"The imported document {named[1][:12]}… has changed since it was imported.")
        yield named[1], content


def _folder(ledger: Path) -> Path:
    make_folder(ledger)
    ignore = ledger / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    make_folder(ledger / FOLDER)
    return ledger / FOLDER


def _read(path: Path, sha256: str) -> bytes | None:
    """The bytes of a document, if there is a regular file of this SHA-256."""
    try:
        with os.fdopen(os.open(path, _READ), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            content = file.read(DEFAULT_MAX_BYTES + 1)
    except OSError:
        return None
    return content if sha256_hex(content) == sha256 else None
