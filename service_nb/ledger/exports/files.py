"""Read documents within a limit; write files, folders and reproducible ZIP files, whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import NoReturn

from service_nb.core.canonical import DEFAULT_MAX_BYTES
from service_nb.core.own_files import describe_place, write_beside
from service_nb.errors import InvalidIntentError, LimitExceededError

_MODE = 0o644 << 16
_FIRST_YEAR, _LAST_YEAR = 1980, 2107  # that a zip file can state


def zip_files(files: Mapping[str, bytes], *, at: datetime) -> bytes:
    """Return a zip file of files by their paths, all of one time."""
    year = min(max(at.year, _FIRST_YEAR), _LAST_YEAR)
    stamp = (year, at.month, at.day, at.hour, at.minute, at.second)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, stamp)
            entry.external_attr, entry.create_system = _MODE, 3
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def rewrite_zip(content: bytes, *, at: datetime) -> bytes:
    """Return a zip file that a library has just made, with one time for all of its members."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return zip_files({name: archive.read(name) for name in archive.namelist()}, at=at)


_NEW_FILE, _NEW_FOLDER = 0o666, 0o777


def read_document(path: Path) -> bytes:
    """Return the bytes of a document. Raises `invalid_intent`, `limit_exceeded`."""
    try:
        # A pipe that nobody writes to would be waited for for ever.
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InvalidIntentError(f"{path.name} is not a regular file.", path="FILE")
            content = file.read(DEFAULT_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else "no path"
        raise InvalidIntentError(f"{path.name} cannot be read: {told}.", path="FILE") from error
    if len(content) > DEFAULT_MAX_BYTES:
        raise LimitExceededError(
            f"{path.name} has more than {DEFAULT_MAX_BYTES:,} bytes.", limit=DEFAULT_MAX_BYTES, value=len(content)
        )
    return content


def write_file(target: Path, content: bytes, *, over: bool = False) -> None:
    """Write a file, readable as files of this user are.

    Parameters
    ----------
    over : bool
        Whether a file that is there may be replaced; it keeps its rights.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is one and it may not be replaced, its place is a link, leads out of the working folder through one, or
        cannot be written.
    """
    met = _check_target(target)
    if met and not over:
        _refuse_existing(target)
    try:
        with write_beside(target, content) as made:
            made.chmod(target.stat().st_mode & 0o777 if met else _NEW_FILE & ~_read_umask())
            if over:
                made.replace(target)
            else:
                _put_new(made, target)
    except FileExistsError:
        _refuse_existing(target)
    except OSError as error:
        raise _write_error(target, error) from error


def write_folder(target: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a new folder, by their paths in it; a folder that is there must be empty.

    Raises `invalid_intent`.
    """
    if _check_target(target) and not (target.is_dir() and not any(target.iterdir())):
        _refuse_existing(target)
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        try:
            for path, content in files.items():
                _put_within(made, path, content)
            made.chmod(_NEW_FOLDER & ~_read_umask())
            made.replace(target)  # over an empty folder at most
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        raise _write_error(target, error) from error


def _put_new(made: Path, target: Path) -> None:
    """Put a file where none is: of two that try at once, one succeeds."""
    try:
        os.link(made, target)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        # A file system without links, as on many sticks: the name is claimed first, and the file moved over it.
        target.touch(exist_ok=False)
        made.replace(target)


def _put_within(folder: Path, path: str, content: bytes) -> None:
    parts = PurePosixPath(path).parts
    if not parts or any(part in ("..", "/") for part in parts):
        raise ValueError(f"{path} is not a path in a folder")
    file = folder.joinpath(*parts)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    file.chmod(_NEW_FILE & ~_read_umask())


def _check_target(target: Path) -> bool:
    """Tell whether the file exists; refuse a link, or a path that a link leads out of the working folder."""
    if target.is_symlink():
        _refuse(target, "is a link, and links are not written through")
    here = Path.cwd()
    # A path that says where it leads is taken at its word; one that stays in the working folder has to stay there.
    is_inside = not target.is_absolute() and ".." not in target.parts
    if is_inside and not target.parent.resolve().is_relative_to(here.resolve()):
        _refuse(target, "leads out of the working folder through a link", "Give the folder's own path.")
    if not target.parent.is_dir():
        _refuse(target, "is in a folder that does not exist", "Make the folder first.")
    return target.exists()


def _read_umask() -> int:
    # There is no way to read it but to set it; two threads that write at once set it to what it was.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _refuse_existing(target: Path) -> NoReturn:
    _refuse(target, "already exists", "Give another name, or --force to replace it.")


def _refuse(target: Path, what: str, hint: str = "Give another path.") -> NoReturn:
    raise InvalidIntentError(f"{_name_target(target)} {what}.", hint=hint, path="--output")


def _write_error(target: Path, error: OSError) -> InvalidIntentError:
    return InvalidIntentError(f"{_name_target(target)} cannot be written: {error.strerror}.", path="--output")


def _name_target(target: Path) -> str:
    return describe_place(target) if target.is_absolute() else os.fspath(target)
