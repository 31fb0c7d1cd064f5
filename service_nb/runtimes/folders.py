"""The folders of installed runtimes: written whole or not at all, by one process at a time, which tells its progress.

==============================  =======================================================================================
below the data folder
==============================  =======================================================================================
`wheels/<sha256>/`              one unpacked wheel, shared by all bundles that name it
`bundles/<key>/`                manifest, signature, our kernels, and `installed.json`, which makes it whole
`highest.json`                  the highest version that was installed from outside, for each contract
`provision.lock`                held while something is installed or removed
`wheels/<sha256>.whl` (cache)   the wheel as it was fetched; its digest is checked at each use
==============================  =======================================================================================

What is being written has a name that starts with `.part-`. An interrupted run leaves no more than that, and the next
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
from typing import BinaryIO

import msgspec

from service_nb.core.canonical import parse_strict, write_canonical_bytes
from service_nb.core.digest import FileDigest
from service_nb.core.own_files import Folders, find_folders, flush_path, make_private, write_beside
from service_nb.errors import RuntimeProvisionError, ServiceError, UnsupportedPlatformError
from service_nb.runtimes.interface import Report, Step
from service_nb.runtimes.manifest import parse_base_version
from service_nb.runtimes.trust import HighestVersion

if sys.platform != "win32":
    import fcntl

PART = ".part-"
HIGHEST, INSTALLED = "highest.json", "installed.json"
MAX_JSON = 1024**2
Wait = Callable[[], object]  # called again and again while somebody else is writing
_POLL_S = 0.03
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


class WheelNote(msgspec.Struct, frozen=True):
    """A bundle's note of a wheel: its digest, that of its RECORD as it was unpacked, and those of its bytecode."""

    sha256: str
    record: str
    bytecode: dict[str, str] = {}  # path below the folder to SHA-256


class InstallationNote(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle's note of itself, `installed.json`; `kernels` and `wheels` are the members that were selected."""

    bundle_version: str
    bundle_sha256: str
    contract_hash: str
    platform: str
    python: str
    key_id: str
    modules: tuple[str, ...]
    origin: str
    kernels: tuple[str, ...]
    wheels: dict[str, WheelNote]
    paths: tuple[str, ...]  # of PYTHONPATH, below the data folder


class RuntimeStore:
    """The folders of installed runtimes of one user."""

    def __init__(self, places: Folders | None = None) -> None:
        places = find_folders() if places is None else places
        self.data = places.data
        self.cache = places.cache
        self.run = places.run
        self.wheels = places.data / "wheels"
        self.bundles = places.data / "bundles"
        self.fetched = places.cache / "wheels"

    @contextmanager
    def lock(self, wait: Wait | None = None) -> Iterator[None]:
        """Hold the lock for writing, and remove what interrupted runs left; `wait` is called while others hold it."""
        if os.pathsep in str(self.data):
            raise RuntimeProvisionError(
                f"The folder for runtimes has a {os.pathsep!r} in its path, which Python's search path cannot hold.",
                reason="folder_unsuitable",
                hint="Set SERVICE_HOME to a folder without it.",
            )
        with disk_errors():
            for folder in (self.data, self.cache, self.wheels, self.bundles, self.fetched):
                make_private(folder)
            with lock_file(self.data / "provision.lock", wait), lock_file(self.cache / "provision.lock", wait):
                for folder in (self.wheels, self.bundles, self.fetched, self.data, self.cache):
                    for left in folder.glob(f"{PART}*"):
                        remove_tree(left)
                yield

    @contextmanager
    def make_part(self, parent: Path) -> Iterator[Path]:
        """Make a folder to fill, beside its final place; remove it at the end if it is still there."""
        folder = Path(tempfile.mkdtemp(prefix=PART, dir=parent))
        try:
            yield folder
        finally:
            remove_tree(folder)

    def find_wheel_folder(self, sha256: str) -> Path:
        """Return the folder to which a wheel is unpacked."""
        return self.wheels / sha256

    def find_fetched_file(self, sha256: str) -> Path:
        """Return where a wheel is kept as it was fetched."""
        return self.fetched / f"{sha256}.whl"

    def open_fetched_wheel(self, sha256: str) -> BinaryIO | None:
        """Open a wheel of the cache, once its digest was checked; one that is damaged is removed."""
        path = self.find_fetched_file(sha256)
        with suppress(OSError):
            file = open_regular(path)
            if digest_file(file).hexdigest() == sha256:
                file.seek(0)
                return file
            file.close()
        with suppress(OSError):
            path.unlink()
        return None

    def find_highest(self, contract_hash: str) -> HighestVersion | None:
        """Find the highest version that was installed here of a contract's runtime: each release may have its own."""
        noted = read_json(self.data / HIGHEST).get(contract_hash)
        version, key_id = (noted.get("version"), noted.get("key_id")) if isinstance(noted, dict) else (None, None)
        return HighestVersion(version, key_id) if isinstance(version, str) and isinstance(key_id, str) else None

    def raise_highest(self, contract_hash: str, version: HighestVersion) -> None:
        """Remember what was installed, if it is higher than what was before."""
        before = self.find_highest(contract_hash)
        if before is None or parse_base_version(before.version) < parse_base_version(version.version):
            known = read_json(self.data / HIGHEST)
            write_file(self.data / HIGHEST, write_canonical_bytes({**known, contract_hash: version._asdict()}))

    def is_running(self, folder: Path) -> bool:
        """Tell whether a process runs a bundle: then it holds a file of its own locked."""
        try:
            descriptor = os.open(self.run / folder.name / "alive", os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            return is_locked(descriptor)
        finally:
            os.close(descriptor)

    def list_bundles(self) -> list[tuple[Path, InstallationNote]]:
        """List the installed bundles and what they note of themselves, the latest first."""
        found = []
        with suppress(OSError), os.scandir(self.bundles) as entries:
            for entry in entries:
                if not entry.name.startswith(PART) and entry.is_dir(follow_symlinks=False):
                    path = Path(entry.path)
                    with suppress(OSError):
                        found.append(((path / INSTALLED).stat().st_mtime_ns, path))
        return [(path, note) for _, path in sorted(found, reverse=True) if (note := read_note(path)) is not None]


def read_note(folder: Path) -> InstallationNote | None:
    """Read what a bundle notes of itself; None where it is not as it is written here."""
    try:
        return msgspec.convert(read_json(folder / INSTALLED), InstallationNote)
    except msgspec.ValidationError:
        return None


def is_locked(descriptor: int) -> bool:
    """Tell within a microsecond whether another process holds a file locked."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


@contextmanager
def lock_file(path: Path, wait: Wait | None = None) -> Iterator[None]:
    """Hold a file locked; the system releases it when this process ends, however it does.

    `wait` is called again and again while another holds it, and may raise.
    """
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
def disk_errors() -> Iterator[None]:
    """Turn what a disk refuses into an error that says what to do."""
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


def move_into_place(part: Path, target: Path) -> None:
    """Give a finished folder its name, for good; one that had the name is removed."""
    old = None
    if target.exists() or target.is_symlink():
        old = target.with_name(f"{PART}old-{target.name}")
        target.rename(old)
    part.rename(target)
    flush_path(target.parent)
    if old is not None:
        remove_tree(old)


def write_file(target: Path, content: bytes) -> None:
    """Write a small file, whole or not at all."""
    with write_beside(target, content, prefix=PART) as made:
        made.replace(target)
    flush_path(target.parent)


def read_json(path: Path) -> dict[str, object]:
    """Read a small file of ours; empty if it is not there, or not as we write it."""
    try:
        with open_regular(path) as file:
            value = parse_strict(file.read(MAX_JSON + 1), max_bytes=MAX_JSON)
    except (OSError, ServiceError):
        return {}
    return value if isinstance(value, dict) else {}


def open_regular(path: Path, *, follows: bool = False) -> BinaryIO:
    """Open a regular file; nobody is waited for at the other end of a FIFO, and a link is not followed."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, flags | (0 if follows else getattr(os, "O_NOFOLLOW", 0))), "rb")
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(errno.EINVAL, "not a regular file", path.name)


def create_file(path: Path, mode: int = 0o600) -> BinaryIO:
    """Create a file that is not there yet, not even as a link."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, mode), "wb")


def digest_file(file: BinaryIO) -> FileDigest:
    """Read a file to its end, and compute its digest and size."""
    digest = FileDigest()
    while piece := file.read(1024**2):
        digest.update(piece)
    return digest


def remove_tree(path: Path) -> None:
    """Remove a folder, a file or a link, and whatever is below it; links are not followed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink() if not path.is_dir() or path.is_symlink() else path.rmdir()


# --- progress -----------------------------------------------------------------------------------------------------


class InstallProgress:
    """Tells a report of steps, some twenty times a second at most."""

    def __init__(self, report: Report | None) -> None:
        self._report = report
        self._step = Step("")
        self._told = 0.0

    def begin(self, label: str, total: int = 0) -> Callable[[int], None]:
        """Begin a step; return what is called with the bytes that have come since."""
        self._step = Step(label, 0, total)
        self._tell(is_due=True)
        return self.grow

    def grow(self, more: int) -> None:
        """Add bytes to the present step."""
        self.reach(self._step.done + more)

    def reach(self, done: int) -> None:
        """Set the bytes of the present step that are done; they never go back."""
        total, done = self._step.total, max(done, self._step.done)
        self._step = self._step._replace(done=min(done, total) if total else done)
        self._tell(is_due=0 < total <= done)

    def wait(self) -> None:
        """Tell that somebody else is installing."""
        if self._step.label != _WAITING:
            self.begin(_WAITING)

    def _tell(self, *, is_due: bool) -> None:
        now = time.monotonic()
        if self._report is not None and (is_due or now - self._told >= _POLL_S):
            self._told = now
            self._report(self._step)


_WAITING = "Waiting for another installation"
