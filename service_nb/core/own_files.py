"""Find, read and write one user's folders and files: only that user's are read, and writes are atomic.

Folders are where the system wants them; below `SERVICE_HOME` when that is set. Nothing is made before it is needed.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

import platformdirs

from service_nb.errors import RuntimeProvisionError

Identity = tuple[int, ...]
# What opening a link, a folder or a socket ends in, each system in its way.
_NO_FILE = (errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.EOPNOTSUPP)
_QUIETLY = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class OwnFileError(Exception):
    """A missing, unsafe or unreadable own file; `reason` is a stable name, the text follows the file's name."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


def identify_file(path: str | Path) -> Identity | None:
    """Read a file's identity, which changes with its content, without following links; None if there is no file."""
    try:
        return _build_identity(os.lstat(path))
    except OSError:
        return None


def require_own_folder(folder: Path) -> None:
    """Refuse a folder that another user could write to.

    Raises
    ------
    OwnFileError
        Reason `unsafe`.
    """
    met = folder.lstat()
    if not stat.S_ISDIR(met.st_mode) or not _is_own(met) or (_has_modes() and stat.S_IMODE(met.st_mode) & 0o022):
        raise OwnFileError("unsafe", "is a link, belongs to another user, or others can write to it")


def read_own(path: Path, max_bytes: int, *, secret: bool) -> tuple[bytes, Identity]:
    """Read a small regular file of this user: its content, and the identity of the file that was opened.

    Parameters
    ----------
    secret : bool
        Whether a file that others may read is refused too.

    Raises
    ------
    OwnFileError
        Reasons `missing`, `no_file` (a link, a folder, a device), `foreign`, `exposed`, `too_large`, `unreadable`.
    """
    try:
        with os.fdopen(os.open(path, _QUIETLY | getattr(os, "O_BINARY", 0)), "rb") as file:
            met = os.fstat(file.fileno())
            if not stat.S_ISREG(met.st_mode):
                raise OwnFileError("no_file", "is not a regular file")
            if not _is_own(met):
                raise _foreign_error()
            if secret and _has_modes() and stat.S_IMODE(met.st_mode) & 0o077:
                raise OwnFileError("exposed", "may have been read by other users of this machine")
            content = file.read(max_bytes + 1)
    except FileNotFoundError:
        raise OwnFileError("missing", "is not there") from None
    except OSError as error:
        if error.errno in _NO_FILE:
            raise OwnFileError("no_file", "is a link or not a file; links are not followed") from error
        if error.errno == errno.EACCES and not _is_own(os.lstat(path)):
            raise _foreign_error() from error
        raise OwnFileError("unreadable", f"cannot be read: {error.strerror}") from error
    if len(content) > max_bytes:
        raise OwnFileError("too_large", f"has more than {max_bytes:,} bytes")
    return content, _build_identity(met)


def write_own(target: Path, content: bytes, *, over: bool = False) -> bool:
    """Write a file atomically, readable by its user alone; False if it exists already and `over` is not set.

    Raises
    ------
    OSError
        The disk is full, the folder cannot be written, or what is there is no file.
    """
    try:
        with write_beside(target, content) as made:
            if over:
                made.replace(target)
            else:
                os.link(made, target)  # of several that try at once, one succeeds
    except FileExistsError:
        return False
    flush_folder(target.parent)
    return True


def _foreign_error() -> OwnFileError:
    return OwnFileError("foreign", "belongs to another user: was it made with sudo?")


def _build_identity(met: os.stat_result) -> Identity:
    return (met.st_dev, met.st_ino, met.st_mode, met.st_uid, met.st_size, met.st_mtime_ns, met.st_ctime_ns)


def _is_own(met: os.stat_result) -> bool:
    return sys.platform == "win32" or met.st_uid == os.getuid()


def _has_modes() -> bool:
    return sys.platform != "win32"


@contextmanager
def write_beside(
    target: Path, content: bytes | Callable[[BinaryIO], object], *, prefix: str | None = None
) -> Iterator[Path]:
    """Yield a temporary file with `content` in the folder of `target`, for the caller to move into place.

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


def flush_path(path: Path) -> None:
    """Flush a file's content, or the names in a folder, to disk, so that they survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, on systems where a folder can be opened."""
    if sys.platform != "win32":
        flush_path(folder)


APPLICATION = "service-nb"
PRIVATE = 0o700


class Folders(NamedTuple):
    """The folders of one user."""

    config: Path  # the device key and its licence
    data: Path  # installed runtimes
    cache: Path  # wheels as they were fetched; may be deleted
    run: Path  # sockets, tokens and locks of what runs now


def find_folders() -> Folders:
    """Find this user's folders, none of which needs to exist yet; cached, as each computation asks for them."""
    home = os.environ.get("SERVICE_HOME")
    if home:
        return _build_folders_below(home, "" if os.path.isabs(home) else str(Path.cwd()))  # noqa: PTH117  # a path costs more
    return _find_usual_folders(tuple(map(os.environ.get, _DECIDE)))


_DECIDE = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")


@lru_cache(maxsize=8)
def _build_folders_below(home: str, working: str) -> Folders:
    root = Path(working, home)
    return Folders(root / "config", root / "data", root / "cache", root / "run")


@lru_cache(maxsize=8)
def _find_usual_folders(environment: tuple[str | None, ...]) -> Folders:
    places = platformdirs.PlatformDirs(APPLICATION, appauthor=False)
    data, sockets = Path(places.user_data_dir), environment[-1]
    run = Path(sockets) / APPLICATION if sockets and Path(sockets).is_dir() else data / "run"
    return Folders(Path(places.user_config_dir), data, Path(places.user_cache_dir), run)


def make_private(folder: Path) -> Path:
    """Make a folder that only its user can enter, and return it.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reason `folder_unsafe`: it is a link, somebody else's, or no folder; `folder_unwritable`: it cannot be made.
    """
    try:
        folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        met = folder.lstat()
    except OSError as error:
        raise RuntimeProvisionError(
            f"The folder {describe_place(folder)} cannot be made: {error.strerror}.",
            reason="folder_unwritable",
            hint="Set SERVICE_HOME to a writable folder.",
        ) from error
    if not stat.S_ISDIR(met.st_mode) or (sys.platform != "win32" and met.st_uid != os.getuid()):
        raise RuntimeProvisionError(
            f"{folder.name} is a link or belongs to another user.",
            reason="folder_unsafe",
            hint="Set SERVICE_HOME to a folder of yours.",
        )
    if sys.platform != "win32" and stat.S_IMODE(met.st_mode) & 0o077:
        folder.chmod(PRIVATE)
    return folder


def can_write_into(folder: Path) -> bool:
    """Tell whether files can be made in a folder, which may have to be made first; nothing is made."""
    nearest = next((each for each in (folder, *folder.parents) if os.path.lexists(each)), None)
    return nearest is not None and nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def describe_place(path: Path) -> str:
    """Describe a path from `$SERVICE_HOME` or `~` on; only its last two parts if it is below neither."""
    # Not of Path, which refuses where no home is known.
    roots = (("$SERVICE_HOME", os.environ.get("SERVICE_HOME")), ("~", os.path.expanduser("~")))  # noqa: PTH111
    for sign, root in roots:
        if root and path.is_relative_to(Path(root).absolute()):
            return "/".join((sign, *path.relative_to(Path(root).absolute()).parts))
    return "/".join(("…", *path.parts[-2:]))
