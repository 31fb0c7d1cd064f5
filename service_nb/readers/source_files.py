"""Opening what a path names: regular files only, one descriptor, hashed as it is read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from service_nb.core.digest import FileDigest
from service_nb.core.words import describe_value
from service_nb.errors import LimitExceededError, SourceNotFoundError, SourceUnreadableError
from service_nb.schema.source import Content, FileStamp, Limits

BLOCK = 1 << 20
ABSENT = -1


@contextmanager
def open_file(path: str | os.PathLike[str]) -> Iterator[tuple[IO[bytes], FileStamp]]:
    """Open a regular file for reading and yield it with its stamp. Raises `source_not_found`, `source_unreadable`."""
    where = find_file(path)
    with _faults_of(where):
        # Should a pipe stand there by now: without O_NONBLOCK, opening it would wait for a writer.
        descriptor = os.open(where, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        status = os.fstat(descriptor)
        _require_regular(where, status.st_mode)
        yield stream, _make_stamp(where, status)


def find_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of a regular file, without opening it: to open a device is to act on it."""
    where = Path(path)
    with _faults_of(where):
        where = where.expanduser()
        mode = where.stat().st_mode
    _require_regular(where, mode)
    return where


@contextmanager
def _faults_of(path: Path) -> Iterator[None]:
    name = describe_value(path.name)
    try:
        yield
    except FileNotFoundError:
        raise SourceNotFoundError(f"There is no file {name}.", hint="Check the path.", met=name) from None
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no valid path"
        raise SourceUnreadableError(f"{name} cannot be read: {reason}.", met=reason, expected="a file") from None


def _require_regular(path: Path, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    kind = next((name for test, name in kinds if test(mode)), "a device")
    raise SourceUnreadableError(
        f"{describe_value(path.name)} is {kind}; expected a regular file.", met=kind, expected="a file"
    )


def _make_stamp(path: Path, status: os.stat_result) -> FileStamp:
    return FileStamp(path=str(path.resolve()), size=status.st_size, mtime_ns=status.st_mtime_ns, inode=status.st_ino)


def read_bytes(path: str | os.PathLike[str], limit: int, limit_name: str) -> tuple[bytes, FileStamp]:
    """Return all bytes of a file, of at most `limit`. Raises `limit_exceeded`."""
    with open_file(path) as (stream, stamp):
        data = _read_all(stream, stamp.size, limit) if stamp.size <= limit else b""
    size = max(stamp.size, len(data))
    if size > limit:
        raise LimitExceededError(
            f"{Path(stamp.path).name!r} has {size:,} bytes; at most {limit:,} are read.",
            hint=f"Raise Limits({limit_name}=…), or store it as Parquet, which is scanned in place."
            if hasattr(Limits, limit_name)
            else None,
            limit=limit,
            limit_name=limit_name,
            value=size,
        )
    return data, stamp


def _read_all(stream: IO[bytes], size: int, limit: int) -> bytes:
    first: bytes = stream.read(size + 1) or b""
    if len(first) == size:
        return first
    parts, total = [first], len(first)  # the file grew, or a read came back short
    while total <= limit and (block := stream.read(BLOCK)):
        parts.append(block)
        total += len(block)
    return b"".join(parts)


def hash_bytes(data: bytes) -> Content:
    """Return the digest of a file's bytes."""
    state = FileDigest()
    state.update(data)
    return Content(algorithm="sha256-file", sha256=state.hexdigest(), size=state.size)


def read_stamp(path: Path) -> FileStamp:
    """Build the stamp of a file as it is now, without opening it; a missing file has the size `ABSENT`."""
    try:
        return _make_stamp(path, path.stat())
    except OSError:
        return FileStamp(path=str(path.resolve()), size=ABSENT, mtime_ns=0, inode=0)


def has_changed(stamps: Iterable[FileStamp]) -> bool:
    """Tell whether any of the files has changed: gone, replaced, resized or written to."""
    for stamp in stamps:
        try:
            now = os.stat(stamp.path)  # noqa: PTH116  # once before every question: Path.stat costs three times as much
        except OSError:
            if stamp.size != ABSENT:
                return True
            continue
        if (now.st_size, now.st_mtime_ns, now.st_ino) != (stamp.size, stamp.mtime_ns, stamp.inode):
            return True
    return False
