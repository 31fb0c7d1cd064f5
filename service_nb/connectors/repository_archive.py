"""Archives of repositories: with their `.git` folder unpacked as far as git's own files go, or read as plain files.

An archive is a stranger's. Nothing of it is written but what a store of git consists of, under names of which each part
was checked, below one folder; links and devices are never made; and what it inflates to is counted as it comes.
"""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from service_nb.connectors.repository_tables import LINK, beyond
from service_nb.errors import LimitExceededError, SourceMalformedError, UnsupportedSourceError

BLOCK = 1 << 20
FREE = 10 * 1024**2  # bytes that a member may inflate to, whatever its ratio
MOST_NAME = 4_096
HEX = r"[0-9a-f]"
# What a store consists of. Hooks, configuration, worktrees, alternates and modules are none of it.
STORE = re.compile(
    rf"HEAD|packed-refs|shallow|objects/{HEX}{{2}}/{HEX}{{38}}|objects/pack/pack-{HEX}{{40}}\.(pack|idx)|refs(/[^/]+)+"
)
BAD_PART = re.compile(r"[\x00-\x1f\x7f\\:*?\"<>|]")


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: its path as it is written there, its mode as git has it, and how to read it."""

    path: str
    mode: int
    size: int
    packed: int | None  # bytes that it takes in the archive, where that is known
    open: Callable[[], IO[bytes]]
    target: bytes | None = None  # of a link


class Budget:
    """Counts bytes as they are inflated."""

    def __init__(self, most: int, ratio: int) -> None:
        self._most, self._ratio, self._used = most, ratio, 0

    def read(self, member: Member) -> Iterator[bytes]:
        """Yield a member's bytes in blocks.

        Raises
        ------
        LimitExceededError [limit_exceeded]
            The archive inflates to too much, or this member by too large a factor.
        """
        taken = 0
        with member.open() as stream:
            while block := stream.read(BLOCK):
                taken += len(block)
                self._used += len(block)
                if self._used > self._most:
                    raise beyond("bytes when it is inflated", self._most)
                if member.packed is not None and taken > FREE + self._ratio * max(member.packed, 1):
                    raise LimitExceededError(
                        f"A file of the archive inflates to more than {self._ratio} times what it takes.",
                        limit=self._ratio,
                        limit_name="inflate_ratio",
                    )
                yield block


@contextmanager
def members(path: Path, most: int) -> Iterator[list[Member]]:
    """Open an archive, and list its files and links.

    Raises
    ------
    UnsupportedSourceError [unsupported_source], SourceMalformedError [source_malformed], LimitExceededError
    [limit_exceeded]
    """
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                yield list(_of_zip(archive, most))
        elif tarfile.is_tarfile(path):
            with tarfile.open(path, "r:*") as archive:
                yield list(_of_tar(archive, most))
        else:
            raise UnsupportedSourceError(
                "The file is not a supported archive.", expected="zip, tar, tar.gz, tar.bz2 or tar.xz"
            )
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError, ValueError, NotImplementedError) as error:
        raise SourceMalformedError("The archive is damaged.", met=type(error).__name__) from error


def _of_zip(archive: zipfile.ZipFile, most: int) -> Iterator[Member]:
    if len(archive.infolist()) > most:
        raise beyond("files", most)
    for info in archive.infolist():
        if info.is_dir():
            continue
        if info.flag_bits & 1:
            raise UnsupportedSourceError("The archive is encrypted.", expected="an archive without a password")
        mode = info.external_attr >> 16
        link = mode & 0o170000 == LINK
        opened = _zip_opener(archive, info)
        target = None
        if link:
            with opened() as stream:
                target = stream.read(MOST_NAME)
        yield Member(info.filename, LINK if link else mode & 0o777, info.file_size, info.compress_size, opened, target)


def _zip_opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(info)


def _of_tar(archive: tarfile.TarFile, most: int) -> Iterator[Member]:
    for count, info in enumerate(archive):
        if count >= most:
            raise beyond("files", most)
        if info.isreg():
            yield Member(info.name, info.mode & 0o777, info.size, None, _tar_opener(archive, info))
        elif info.issym():
            target = info.linkname.encode("utf-8", "surrogateescape")
            yield Member(info.name, LINK, len(target), None, _tar_opener(archive, info), target)


def _tar_opener(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def opened() -> IO[bytes]:
        stream = archive.extractfile(info)
        if stream is None:
            raise tarfile.TarError
        return stream

    return opened


def store_of(found: list[Member]) -> str | None:
    """Return where in the archive the one store is: the prefix of its `HEAD`; None where the archive has none."""
    paths = {member.path.removeprefix("./") for member in found}
    heads = [path.removesuffix("HEAD") for path in paths if path == "HEAD" or path.endswith("/HEAD")]
    stores = [head for head in heads if any(path.startswith(f"{head}objects/") for path in paths)]
    return min(stores, key=lambda prefix: (prefix.count("/"), prefix), default=None)


def unpack_store(found: list[Member], prefix: str, folder: Path, budget: Budget) -> None:
    """Write the files of a store below `folder`, and nothing else."""
    for name in ("objects/pack", "refs"):
        (folder / name).mkdir(parents=True)
    for member in found:
        path = member.path.removeprefix("./")
        inner = path.removeprefix(prefix)
        if not path.startswith(prefix) or member.target is not None or not STORE.fullmatch(inner) or not _safe(inner):
            continue
        place = folder / inner
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():
            raise SourceMalformedError("The archive has a file twice.", met=member.path[:200])
        with place.open("xb") as written:
            for block in budget.read(member):
                written.write(block)


def _safe(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return len(path) < MOST_NAME and not any(part in ("..", ".") or BAD_PART.search(part) for part in parts)
