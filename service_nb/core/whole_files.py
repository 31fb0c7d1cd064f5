"""Files that are there whole or not at all, whatever stops the machine: written beside their place, then moved."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def beside(target: Path, content: bytes | Callable[[BinaryIO], object], *, prefix: str | None = None) -> Iterator[Path]:
    """Yield a file in the folder of `target` that holds `content` already, and is the caller's to move to its place.

    Its user alone can read it, unless the caller gives it other rights. If it is not moved, nothing of it is left.

    Parameters
    ----------
    content : bytes or callable
        What it holds, or what writes that.
    prefix : str, optional
        What its name begins with, by which its owner finds what an interrupted run has left; from `target`'s name
        unless told.
    """
    descriptor, name = tempfile.mkstemp(prefix=prefix or f".{target.name}.", dir=target.parent)  # exclusive, mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            if callable(content):
                content(file)
            else:
                file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Have a file's content, or the names in a folder, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder survive a power cut, where a folder can be opened to say so."""
    if sys.platform != "win32":
        sync(folder)
