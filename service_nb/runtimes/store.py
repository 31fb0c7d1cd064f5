"""Where runtimes lie on this machine, and how they get there: whole or not at all, one writer at a time.

==============================  =======================================================================================
below the data folder
==============================  =======================================================================================
`wheels/<sha256>/`              one unpacked wheel, shared by all bundles that name it
`bundles/<key>/`                manifest, signature, our kernels, and `installed.json`, which makes it whole
`highest.json`                  the highest version that was installed from outside, for each contract
`provision.lock`                held while something is installed or removed
`wheels/<sha256>.whl` (cache)   the wheel as it was fetched; its digest is checked at each use
==============================  =======================================================================================

What is being written has a name that starts with `.part-`; an interrupted run leaves no more than that, and the next
one removes it.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from service_nb.core.canonical import canonical_bytes
from service_nb.core.digest import FileDigest
from service_nb.core.folders import Folders, folders, private
from service_nb.core.parse import parse_strict
from service_nb.core.whole_files import beside, sync
from service_nb.errors import RuntimeProvisionError, ServiceError, UnsupportedPlatformError
from service_nb.runtimes.manifest import base_version
from service_nb.runtimes.trust import Seen

if sys.platform != "win32":
    import fcntl

PART = ".part-"
HIGHEST = "highest.json"
MAX_JSON = 1024**2
Wait = Callable[[], object]  # called again and again while somebody else is writing
_POLL_S = 0.05
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


class Store:
    """The folders of installed runtimes of one user."""

    def __init__(self, places: Folders | None = None) -> None:
        places = folders() if places is None else places
        self.data = places.data
        self.cache = places.cache
        self.run = places.run
        self.wheels = places.data / "wheels"
        self.bundles = places.data / "bundles"
        self.fetched = places.cache / "wheels"

    @contextmanager
    def locked(self, wait: Wait | None = None) -> Iterator[None]:
        """Be the only one that writes; whoever else wants to waits here, and is told so through `wait`."""
        if os.pathsep in str(self.data):
            raise RuntimeProvisionError(
                f"The folder for runtimes has a {os.pathsep!r} in its path, which Python's search path cannot hold.",
                reason="folder_unsuitable",
                hint="Set SERVICE_HOME to a folder without it.",
            )
        with writing():
            for folder in (self.data, self.cache, self.wheels, self.bundles, self.fetched):
                private(folder)
            with _lock(self.data / "provision.lock", wait), _lock(self.cache / "provision.lock", wait):
                self._sweep()
                yield

    def _sweep(self) -> None:
        for folder in (self.wheels, self.bundles, self.fetched, self.data, self.cache):
            for left in folder.glob(f"{PART}*"):
                remove_tree(left)

    @contextmanager
    def part(self, parent: Path) -> Iterator[Path]:
        """A folder to fill, beside where it shall be; what is still there at the end is removed."""
        folder = Path(tempfile.mkdtemp(prefix=PART, dir=parent))
        try:
            yield folder
        finally:
            remove_tree(folder)

    def wheel_folder(self, sha256: str) -> Path:
        """Return where a wheel is, or would be, unpacked."""
        return self.wheels / sha256

    def fetched_file(self, sha256: str) -> Path:
        """Return where a wheel is, or would be, kept as it was fetched."""
        return self.fetched / f"{sha256}.whl"

    def fetched_wheel(self, sha256: str) -> BinaryIO | None:
        """Open a wheel of the cache, once its digest was checked; one that is damaged is removed."""
        path = self.fetched_file(sha256)
        try:
            file = _opened(path)
        except OSError:
            with suppress(OSError):
                path.unlink()
            return None
        if _digest(file) == sha256:
            file.seek(0)
            return file
        file.close()
        path.unlink()
        return None

    def highest(self, contract_hash: str) -> Seen | None:
        """Return the highest version of a contract's runtime that was installed here, and who signed it.

        Of each contract its own: a user may have several releases of this package, each with its own runtime.
        """
        met = read_json(self.data / HIGHEST).get(contract_hash)
        if not isinstance(met, dict) or not all(isinstance(met.get(name), str) for name in Seen._fields):
            return None
        return Seen(met["version"], met["key_id"])

    def raise_highest(self, contract_hash: str, seen: Seen) -> None:
        """Remember what was installed, if it is higher than what was before."""
        before = self.highest(contract_hash)
        if before is None or base_version(before.version) < base_version(seen.version):
            known = read_json(self.data / HIGHEST)
            write_file(self.data / HIGHEST, canonical_bytes({**known, contract_hash: seen._asdict()}))

    def is_running(self, folder: Path) -> bool:
        """Whether a process runs a bundle: then it holds a file of its own locked."""
        try:
            descriptor = os.open(self.run / folder.name / "alive", os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def remove(self, *, fetched: bool = False) -> None:
        """Remove all runtimes, and wheels as they were `fetched` too if asked; stop the processes before.

        The highest versions stay known, so that no lower one comes back in their place.
        """
        with self.locked():
            for folder in (self.bundles, self.wheels, *((self.fetched,) if fetched else ())):
                remove_tree(folder)

    def installed(self) -> list[tuple[Path, dict[str, Any]]]:
        """Return the installed bundles and what they say of themselves, the latest first."""
        found = []
        with suppress(OSError), os.scandir(self.bundles) as entries:
            for entry in entries:
                if not entry.name.startswith(PART) and entry.is_dir(follow_symlinks=False):
                    path = Path(entry.path)
                    with suppress(OSError):
                        found.append(((path / "installed.json").stat().st_mtime_ns, path))
        return [(path, told) for _, path in sorted(found, reverse=True) if (told := read_json(path / "installed.json"))]


@contextmanager
def _lock(path: Path, wait: Wait | None) -> Iterator[None]:
    if sys.platform == "win32":
        raise UnsupportedPlatformError("The managed runtime does not run on Windows.", hint="Use runtime='in_process'.")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        # Tried again and again rather than waited for, so that Ctrl-C and a progress bar work meanwhile.
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if wait is not None:
                    wait()
                time.sleep(_POLL_S)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def writing() -> Iterator[None]:
    """Turn what a disk refuses into an error that says what to do.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reasons `disk_full`, `folder_unwritable`, `folder_failed`.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise RuntimeProvisionError(
                "The disk or a quota is full; nothing was installed.",
                reason="disk_full",
                hint="Free about 400 MB, or set SERVICE_HOME to a folder on another disk; then try again.",
            ) from error
        if error.errno in _FORBIDDEN:
            raise RuntimeProvisionError(
                "The folder for runtimes cannot be written.",
                reason="folder_unwritable",
                hint="Set SERVICE_HOME to a writable folder.",
            ) from error
        raise RuntimeProvisionError(
            f"The folder for runtimes failed: {error.strerror}.",
            reason="folder_failed",
            hint="Check the disk, or set SERVICE_HOME to a folder on another one.",
        ) from error


def settle(part: Path, target: Path) -> None:
    """Give a finished folder its name, for good; one that had the name is gone afterwards."""
    old = None
    if target.exists() or target.is_symlink():
        old = target.with_name(f"{PART}old-{target.name}")
        target.rename(old)
    part.rename(target)
    sync(target.parent)
    if old is not None:
        remove_tree(old)


def write_file(target: Path, content: bytes) -> None:
    """Put a small file in place, whole or not at all."""
    with beside(target, content, prefix=PART) as made:
        made.replace(target)
    sync(target.parent)


def read_json(path: Path) -> dict[str, Any]:
    """Return what a small file of ours says; nothing if it is not there, or not as we write it."""
    try:
        with _opened(path) as file:
            value = parse_strict(file.read(MAX_JSON + 1), max_bytes=MAX_JSON)
    except (OSError, ServiceError):
        return {}
    return value if isinstance(value, dict) else {}


def _opened(path: Path) -> BinaryIO:
    """Open a regular file; no link is followed, and nobody is waited for at the other end of a FIFO."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    file = os.fdopen(os.open(path, flags), "rb")
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise FileNotFoundError(path.name)


def remove_tree(path: Path) -> None:
    """Remove a folder, a file or a link, and whatever is below it; links are not followed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink() if not path.is_dir() or path.is_symlink() else path.rmdir()


def _digest(file: BinaryIO) -> str:
    digest = FileDigest()
    while block := file.read(1024**2):
        digest.update(block)
    return digest.hexdigest()
