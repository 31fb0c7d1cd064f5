"""Small files that one user keeps for himself: read only if they are his, written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

from service_nb.core.whole_files import beside, sync_folder

Identity = tuple[int, ...]
# What opening a link, a folder or a socket ends in, each system in its way.
_NO_FILE = (errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.EOPNOTSUPP)
_QUIETLY = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class OwnFileError(Exception):
    """A file that is not as its user would have written it; `reason` names how, the text says it of `it`."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


def identity(path: str | Path) -> Identity | None:
    """Return what tells a file from every other and from its former self, links not followed; None for no file."""
    try:
        return _identity(os.lstat(path))
    except OSError:
        return None


def require_own_folder(folder: Path) -> None:
    """Refuse a folder in which somebody else could put another file.

    Raises
    ------
    OwnFileError
        Reason `unsafe`.
    """
    met = folder.lstat()
    if not stat.S_ISDIR(met.st_mode) or not _is_own(met) or (_has_modes() and stat.S_IMODE(met.st_mode) & 0o022):
        raise OwnFileError("unsafe", "is a link, belongs to another user, or others can write to it")


def read_own(path: Path, max_bytes: int, *, secret: bool) -> tuple[bytes, Identity]:
    """Return the content of a small regular file of this user, and its identity: of the very file that was read.

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
                raise _foreign()
            if secret and _has_modes() and stat.S_IMODE(met.st_mode) & 0o077:
                raise OwnFileError("exposed", "may have been read by other users of this machine")
            content = file.read(max_bytes + 1)
    except FileNotFoundError:
        raise OwnFileError("missing", "is not there") from None
    except OSError as error:
        if error.errno in _NO_FILE:
            raise OwnFileError("no_file", "is a link or not a file; links are not followed") from error
        if error.errno == errno.EACCES and not _is_own(os.lstat(path)):
            raise _foreign() from error
        raise OwnFileError("unreadable", f"cannot be read: {error.strerror}") from error
    if len(content) > max_bytes:
        raise OwnFileError("too_large", f"has more than {max_bytes:,} bytes")
    return content, _identity(met)


def write_own(target: Path, content: bytes, *, over: bool = False) -> bool:
    """Put a file in place whole, readable by its user alone; False if one is there, unless this may go `over` it.

    Raises
    ------
    OSError
        The disk is full, the folder cannot be written, or what is there is no file.
    """
    try:
        with beside(target, content) as made:
            if over:
                made.replace(target)
            else:
                os.link(made, target)  # of several that try at once, one succeeds
    except FileExistsError:
        return False
    sync_folder(target.parent)
    return True


def _foreign() -> OwnFileError:
    return OwnFileError("foreign", "belongs to another user: was it made with sudo?")


def _identity(met: os.stat_result) -> Identity:
    return (met.st_dev, met.st_ino, met.st_mode, met.st_uid, met.st_size, met.st_mtime_ns, met.st_ctime_ns)


def _is_own(met: os.stat_result) -> bool:
    return sys.platform == "win32" or met.st_uid == os.getuid()


def _has_modes() -> bool:
    return sys.platform != "win32"
