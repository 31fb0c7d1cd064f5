"""Wheels, unpacked by our own hand: regular files with plain names, each as long and with the digest that RECORD says.

Nothing of a wheel runs here, and nothing that `pip` would make of one is made: no scripts, no headers, no bytecode. The
libraries' own tests stay in the wheel: a third of all files, and nothing that computes imports them.
"""

from __future__ import annotations

import csv
import os
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, NoReturn

from service_nb.core.digest import FileDigest
from service_nb.core.whole_files import sync
from service_nb.errors import RuntimeProvisionError

if TYPE_CHECKING:
    from zlib import _Decompress as Inflate

MAX_WHEEL = 512 * 1024**2
MAX_DIRECTORY = 8 * 1024**2
MAX_ENTRIES = 20_000
MAX_UNPACKED = 2 * 1024**3
MAX_RATIO = 40  # unpacked to packed, of the whole; that of the wheels here is 3 to 4
SMALL = 16 * 1024**2  # so much may be unpacked whatever the ratio
MAX_RECORD = 8 * 1024**2
MAX_NAME = 512
BLOCK = 64 * 1024  # above this, memory goes back to the system after each block, and that costs more than the block
READ_ONLY = 0o444

_END = struct.Struct("<4s4H2LH")  # the last record of a ZIP archive
_LOCATOR = 20  # bytes of the record that may stand before it
LOCAL_HEADER = 30  # bytes before the name of each member
_SPREAD = ("purelib", "platlib")  # parts of `<name>.data/` that belong on the path
_TESTS = "/tests/"
_UNLISTED = ("RECORD", "RECORD.jws", "RECORD.p7s")  # files that RECORD gives no digest of
_PLAIN = re.compile(r"[^\x00-\x1f\x7f\\:]+")

Grown = Callable[[int], object]  # bytes written since the last call
Begun = Callable[[int], Grown]  # bytes that will be written
_THREADS = 8


class Entry(NamedTuple):
    """A file of a wheel."""

    name: str  # as the archive and RECORD have it
    path: str | None  # where it is unpacked to; None for scripts, headers and data
    offset: int
    packed: int
    size: int
    is_deflated: bool
    crc: int
    sha256: str | None  # as RECORD has it; None for RECORD itself


class Unpacking(NamedTuple):
    """A wheel and the empty folder that it goes to."""

    wheel: BinaryIO
    name: str
    folder: Path


def unpack(wheels: Sequence[Unpacking], begun: Begun) -> None:
    """Unpack wheels, their files side by side.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reason `wheel_malformed`: one is no wheel, or has entries that no wheel needs; `wheel_digest`: a file is not
        what RECORD says. What was written is the caller's to remove.
    OSError
        A folder cannot be written.
    """
    jobs = [(job, entry) for job in wheels for entry in read(job.wheel, job.name) if entry.path is not None]
    for folder in {(job.folder / str(entry.path)).parent for job, entry in jobs}:
        folder.mkdir(parents=True, exist_ok=True)
    # The largest first, so that no thread is left with one at the end.
    jobs.sort(key=lambda each: -each[1].size)
    grown = begun(sum(entry.size for _, entry in jobs))
    pool = ThreadPoolExecutor(_THREADS)
    try:
        for size in pool.map(lambda each: _write(*each), jobs):
            grown(size)
    finally:
        pool.shutdown(cancel_futures=True)
    keep_all([job.folder / str(entry.path) for job, entry in jobs])


def read(wheel: BinaryIO, name: str) -> list[Entry]:
    """Return the files of a wheel, all of them checked; see `unpack` for what is raised."""
    size = os.fstat(wheel.fileno()).st_size
    count = _count(wheel, size, name)
    try:
        with zipfile.ZipFile(wheel) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, ValueError, struct.error) as error:
        raise _malformed(name, "it is not a ZIP archive") from error
    if len(infos) != count or count > MAX_ENTRIES:
        _refuse(name, f"it has {len(infos)} entries, and says {count}; {MAX_ENTRIES} are allowed")
    if sum(info.file_size for info in infos) > min(MAX_UNPACKED, MAX_RATIO * size + SMALL):
        _refuse(name, "it says that it unpacks to far more than its size")
    files = [_entry(info, name) for info in infos if not _is_folder(info, name)]
    _check_names(files, name)
    _check_places(wheel, files, size, name)
    return _with_digests(wheel, files, name)


def _count(wheel: BinaryIO, size: int, name: str) -> int:
    """Return how many entries there are; refuse what makes a directory costly or ambiguous to read, unread."""
    if not _END.size < size <= MAX_WHEEL:
        _refuse(name, f"it has {size} bytes")
    tail = os.pread(wheel.fileno(), _LOCATOR + _END.size, max(0, size - _LOCATOR - _END.size))
    magic, disk, start_disk, here, total, length, start, comment = _END.unpack(tail[-_END.size :])
    if magic != b"PK\x05\x06" or comment or disk or start_disk or here != total:
        _refuse(name, "it does not end as a ZIP archive of one piece ends")
    # A locator would have readers look for another end, of the format for larger archives.
    if length > MAX_DIRECTORY or start + length + _END.size != size or tail.startswith(b"PK\x06\x07"):
        _refuse(name, "its directory is not where it says")
    return int(total)


def _is_folder(info: zipfile.ZipInfo, name: str) -> bool:
    if not info.filename.endswith("/"):
        return False
    if info.file_size or info.compress_size:
        _refuse(name, "a folder in it has content")
    return True


def _entry(info: zipfile.ZipInfo, name: str) -> Entry:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        _refuse(name, "it has a link or a device")
    if info.flag_bits & 0x41 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        _refuse(name, "it has a file that is encrypted or packed in an unknown way")
    is_deflated = info.compress_type == zipfile.ZIP_DEFLATED
    if not is_deflated and info.compress_size != info.file_size:
        _refuse(name, "a stored file has two sizes")
    if info.orig_filename != info.filename or not _is_plain(info.filename):
        _refuse(name, "a name in it leaves the folder or has odd characters")
    return Entry(
        info.filename,
        _place(info.filename),
        info.header_offset,
        info.compress_size,
        info.file_size,
        is_deflated,
        info.CRC,
        None,
    )


def _is_plain(path: str) -> bool:
    """Whether a name stays below its folder on every system."""
    parts = path.split("/")
    return (
        len(path) <= MAX_NAME
        and _PLAIN.fullmatch(path) is not None
        and all(part not in ("", ".", "..") and len(part.encode("utf-8", "replace")) <= 255 for part in parts)
        and not any(part.endswith((" ", ".")) for part in parts)
    )


def _place(path: str) -> str | None:
    """Where a file of a wheel goes: `.data/purelib` and `platlib` onto the path, the rest of `.data` nowhere."""
    if _TESTS in path:
        return None
    top, _, rest = path.partition("/")
    if not top.endswith(".data") or not rest:
        return path
    kind, _, inner = rest.partition("/")
    return inner if kind in _SPREAD and inner else None


def _check_names(files: Iterable[Entry], name: str) -> None:
    """No two names that one folder of a Mac or of Windows would take for one, and no file where a folder must be."""
    seen: set[str] = set()
    folders: set[str] = set()
    originals: set[str] = set()
    for entry in files:
        if entry.name in originals:
            _refuse(name, "it lists a name twice")
        originals.add(entry.name)
        if entry.path is None:
            continue
        key = entry.path.lower() if entry.path.isascii() else unicodedata.normalize("NFC", entry.path).casefold()
        if key in seen:
            _refuse(name, "two names in it differ in case only")
        seen.add(key)
        parent = key.rpartition("/")[0]
        while parent not in folders:
            folders.add(parent)
            parent = parent.rpartition("/")[0]
    if seen & folders:
        _refuse(name, "a name in it is both a file and a folder")


def _check_places(wheel: BinaryIO, files: Iterable[Entry], size: int, name: str) -> None:
    """Members lie one after another: bytes that two of them share are how small archives hold very large ones."""
    end = 0
    for entry in sorted(files, key=lambda entry: entry.offset):
        start = _content_offset(wheel.fileno(), entry, name)
        if entry.offset < end or start + entry.packed > size:
            _refuse(name, "files in it overlap")
        end = start + entry.packed


def _content_offset(source: int, entry: Entry, name: str) -> int:
    header = os.pread(source, LOCAL_HEADER, entry.offset)
    if len(header) != LOCAL_HEADER or header[:4] != b"PK\x03\x04":
        _refuse(name, "a file in it is not where the directory says")
    name_length, extra_length = int.from_bytes(header[26:28], "little"), int.from_bytes(header[28:30], "little")
    stored = os.pread(source, name_length, entry.offset + LOCAL_HEADER)
    if stored != entry.name.encode():
        _refuse(name, "a file in it has two names")
    return entry.offset + LOCAL_HEADER + name_length + extra_length


def _with_digests(wheel: BinaryIO, files: list[Entry], name: str) -> list[Entry]:
    """Give each file the digest that RECORD has of it; both must name the same files."""
    found = _record(files, name)
    content = b"".join(_content(wheel.fileno(), found, name))
    digests = _digests(content, name)
    folder = found.name.removesuffix("RECORD")
    unlisted = {folder + file for file in _UNLISTED}
    names = {entry.name for entry in files}
    if names - unlisted != digests.keys() - unlisted:
        _refuse(name, "its files are not those that RECORD names")
    listed = []
    for entry in files:
        sha256, size = digests.get(entry.name, (None, None)) if entry.name not in unlisted else (None, None)
        if size is not None and size != entry.size:
            _refuse(name, "a file in it has not the size that RECORD says")
        listed.append(entry._replace(sha256=sha256))
    return listed


def _record(files: Iterable[Entry], name: str) -> Entry:
    records = [entry for entry in files if re.fullmatch(r"[^/]+\.dist-info/RECORD", entry.name)]
    if len(records) != 1 or records[0].size > MAX_RECORD:
        _refuse(name, "it has no RECORD, or several")
    return records[0]


def record_content(wheel: BinaryIO, name: str) -> bytes:
    """Return the RECORD of a wheel; see `unpack` for what is raised."""
    return b"".join(_content(wheel.fileno(), _record(read(wheel, name), name), name))


def record(content: bytes, name: str) -> dict[str, tuple[str | None, int | None]]:
    """Return what a RECORD says of the files that unpacking leaves: path to digest (hex) and size.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reason `wheel_malformed`.
    """
    placed = ((_place(path), said) for path, said in _digests(content, name).items())
    return {path: said for path, said in placed if path is not None}


def _digests(content: bytes, name: str) -> dict[str, tuple[str | None, int | None]]:
    said: dict[str, tuple[str | None, int | None]] = {}
    try:
        for path, digest, size in csv.reader(content.decode().splitlines(), strict=True):
            if path in said:
                _refuse(name, "RECORD names a file twice")
            said[path] = _sha256(digest), int(size) if size else None
            if said[path][0] is None and not path.rpartition("/")[2].startswith("RECORD"):
                _refuse(name, "RECORD leaves out a digest")
    except (ValueError, csv.Error, Base64Error) as error:
        raise _malformed(name, "its RECORD cannot be read") from error
    return said


def _sha256(digest: str) -> str | None:
    if not digest:
        return None
    algorithm, _, text = digest.partition("=")
    raw = b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if algorithm != "sha256" or len(raw) != 32:
        raise ValueError(algorithm)
    return raw.hex()


def _write(job: Unpacking, entry: Entry) -> int:
    digest = FileDigest()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    target = os.open(job.folder / str(entry.path), flags, READ_ONLY)
    try:
        for block in _content(job.wheel.fileno(), entry, job.name):
            digest.update(block)
            write_all(target, block)
    finally:
        os.close(target)
    if entry.sha256 is not None and digest.hexdigest() != entry.sha256:
        raise RuntimeProvisionError(
            f"A file in {job.name} is not what its RECORD says.",
            reason="wheel_digest",
            hint="Check where the package index gets its wheels from.",
            wheel=job.name,
        )
    return digest.size


def keep_all(paths: Sequence[Path]) -> None:
    """Have many files survive a power cut: after all were written, when the system has done most of it by itself."""
    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(sync, paths))


def write_all(target: int, block: bytes) -> None:
    """Write all of a block; the system may take a part at a time."""
    view = memoryview(block)
    while view:
        view = view[os.write(target, view) :]


def _content(source: int, entry: Entry, name: str) -> Iterator[bytes]:
    """The bytes of a file: never more than the directory says, and neither fewer."""
    inflate = zlib.decompressobj(-zlib.MAX_WBITS) if entry.is_deflated else None
    left, crc = entry.size, 0
    try:
        for block in _inflated(_packed(source, entry, name), inflate):
            left -= len(block)
            if left < 0:
                break
            crc = zlib.crc32(block, crc)
            yield block
    except zlib.error as error:
        raise _malformed(name, "a file in it cannot be unpacked") from error
    if left or crc != entry.crc or (inflate is not None and not inflate.eof):
        _refuse(name, "a file in it is not as long as it says, or damaged")


def _inflated(packed: Iterator[bytes], inflate: Inflate | None) -> Iterator[bytes]:
    """Blocks of bounded size, however far a packed one would unfold."""
    if inflate is None:
        yield from packed
        return
    for block in packed:
        left = block
        while left:
            yield inflate.decompress(left, 2 * BLOCK)
            left = inflate.unconsumed_tail


def _packed(source: int, entry: Entry, name: str) -> Iterator[bytes]:
    start, left = _content_offset(source, entry, name), entry.packed
    while left:
        block = os.pread(source, min(left, BLOCK), start)
        if not block:
            _refuse(name, "it ends too early")
        start, left = start + len(block), left - len(block)
        yield block


def _refuse(name: str, what: str) -> NoReturn:
    raise _malformed(name, what)


def _malformed(name: str, what: str) -> RuntimeProvisionError:
    return RuntimeProvisionError(
        f"The wheel {name} is not used: {what}.",
        reason="wheel_malformed",
        hint="Check where the package index gets its wheels from.",
        wheel=name,
    )
