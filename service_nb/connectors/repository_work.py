"""Reading a repository, in a process of its own: bounded by the system in memory, in files and in time.

Only that process loads this module, and the driver with it. Nothing of a repository is executed: there is no checkout,
so no hook, no filter, no submodule and no large file is ever asked for, and no configuration is read, neither the
repository's nor the machine's. Of an archive, only files of git's own store are unpacked, under checked names below one
folder; links and devices are never made, and what it inflates to is counted as it comes.
"""

from __future__ import annotations

import os
import re
import resource
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

import urllib3
from dulwich.client import HTTPUnauthorized, Urllib3HttpGitClient
from dulwich.errors import GitProtocolError, HangupException, NotGitRepository
from dulwich.object_store import DiskObjectStore
from dulwich.objects import Blob
from dulwich.refs import DiskRefsContainer, Ref, check_ref_format
from dulwich.repo import Repo

from service_nb.connectors.repository_tables import (
    LINK,
    MOST_CHANGES,
    Columns,
    ObjectReader,
    build_file_columns,
    build_file_row,
    damaged_error,
    list_commits,
    list_contributors,
    list_files,
    read_facts,
    size_error,
)
from service_nb.errors import (
    ConnectorError,
    ForbiddenError,
    LimitExceededError,
    ServiceError,
    SourceMalformedError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.errors.deployment import Failure

if TYPE_CHECKING:  # the process that reads has no need of it
    from service_nb.connectors.repositories import RepositoryRequest

BLOCK = 1 << 20
FREE = 10 * 1024**2  # bytes that a member may inflate to, whatever its ratio
MOST_NAME = 4_096
HEX = r"[0-9a-f]"
# What a store consists of. Hooks, configuration, worktrees, alternates and modules are none of it.
STORE_FILE = re.compile(
    rf"HEAD|packed-refs|shallow|objects/{HEX}{{2}}/{HEX}{{38}}|objects/pack/pack-{HEX}{{40}}\.(pack|idx)|refs(/[^/]+)+"
)
BAD_PART = re.compile(r"[\x00-\x1f\x7f\\:*?\"<>|]")


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A file in an archive: its path as it is written there, its mode as git has it, and how to read it."""

    path: str
    mode: int
    packed: int | None  # bytes that it takes in the archive, where that is known
    open: Callable[[], IO[bytes] | None]
    target: bytes | None = None  # of a link


class InflateBudget:
    """Counts bytes as they are inflated."""

    def __init__(self, most: int, ratio: int) -> None:
        self._most, self._ratio, self._used = most, ratio, 0

    def read(self, member: ArchiveMember) -> Iterator[bytes]:
        """Yield a member's bytes in blocks. Raises `limit_exceeded`."""
        taken = 0
        stream = member.open()
        if stream is None:
            raise damaged_error("a file of the archive has no content")
        with stream:
            while block := stream.read(BLOCK):
                taken += len(block)
                self._used += len(block)
                if self._used > self._most:
                    raise size_error("bytes when it is inflated", self._most)
                if member.packed is not None and taken > FREE + self._ratio * max(member.packed, 1):
                    raise LimitExceededError(
                        f"A file of the archive inflates to more than {self._ratio} times what it takes.",
                        limit=self._ratio,
                        limit_name="inflate_ratio",
                    )
                yield block


@contextmanager
def open_members(path: Path, most: int) -> Iterator[list[ArchiveMember]]:
    """Open an archive, and list its files and links.

    Raises `unsupported_source`, `source_malformed`, `limit_exceeded`.
    """
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                yield list(_iter_zip(archive, most))
        elif tarfile.is_tarfile(path):
            with tarfile.open(path, "r:*") as archive:
                yield list(_iter_tar(archive, most))
        else:
            raise UnsupportedSourceError(
                "The file is not a supported archive.", expected="zip, tar, tar.gz, tar.bz2 or tar.xz"
            )
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError, ValueError, NotImplementedError) as error:
        raise SourceMalformedError("The archive is damaged.", met=type(error).__name__) from error


def _iter_zip(archive: zipfile.ZipFile, most: int) -> Iterator[ArchiveMember]:
    if len(archive.infolist()) > most:
        raise size_error("files", most)
    for info in archive.infolist():
        if info.is_dir():
            continue
        if info.flag_bits & 1:
            raise UnsupportedSourceError("The archive is encrypted.", expected="an archive without a password")
        mode = info.external_attr >> 16
        is_link = mode & 0o170000 == LINK
        target = None
        if is_link:
            with archive.open(info) as stream:
                target = stream.read(MOST_NAME)
        opener = partial(archive.open, info)
        yield ArchiveMember(info.filename, LINK if is_link else mode & 0o777, info.compress_size, opener, target)


def _iter_tar(archive: tarfile.TarFile, most: int) -> Iterator[ArchiveMember]:
    for count, info in enumerate(archive):
        if count >= most:
            raise size_error("files", most)
        if info.isreg():
            yield ArchiveMember(info.name, info.mode & 0o777, None, partial(archive.extractfile, info))
        elif info.issym():
            target = info.linkname.encode("utf-8", "surrogateescape")
            yield ArchiveMember(info.name, LINK, None, partial(archive.extractfile, info), target)


def find_store(found: list[ArchiveMember]) -> str | None:
    """Return where in the archive the one store is: the prefix of its `HEAD`; None where the archive has none."""
    paths = {member.path.removeprefix("./") for member in found}
    heads = [path.removesuffix("HEAD") for path in paths if path == "HEAD" or path.endswith("/HEAD")]
    stores = [head for head in heads if any(path.startswith(f"{head}objects/") for path in paths)]
    return min(stores, key=lambda prefix: (prefix.count("/"), prefix), default=None)


def unpack_store(found: list[ArchiveMember], prefix: str, folder: Path, budget: InflateBudget) -> None:
    """Write the files of a store below `folder`, and nothing else."""
    for name in ("objects/pack", "refs"):
        (folder / name).mkdir(parents=True)
    for member in found:
        path = member.path.removeprefix("./")
        inner = path.removeprefix(prefix)
        if member.target is not None or not path.startswith(prefix) or not _is_safe(inner):
            continue
        if not STORE_FILE.fullmatch(inner):
            continue
        place = folder / inner
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():
            raise SourceMalformedError("The archive has a file twice.", met=member.path[:200])
        with place.open("xb") as written:
            for block in budget.read(member):
                written.write(block)


def _is_safe(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return len(path) < MOST_NAME and not any(part in ("..", ".") or BAD_PART.search(part) for part in parts)


SYMBOLIC = b"ref: "
STORE = ("HEAD", "packed-refs", "shallow", "objects", "refs")  # what is read of one
ALTERNATES = "objects/info/alternates"  # folders whose objects count as its own
MOST_STEPS = 5  # of refs that lead to refs
PREFIXES = (b"", b"refs/heads/", b"refs/tags/", b"refs/remotes/origin/", b"refs/")
SILENCE_S = 30.0


class RepositoryReading:
    """A single reading of a repository; `opened` is the answer: columns, their commit, and notes."""

    def __init__(self, asked: RepositoryRequest) -> None:
        _limit_process(asked)
        try:
            self.opened = read_repository(asked)
        except ServiceError:
            raise
        except MemoryError:
            raise size_error("bytes in memory", asked["memory_bytes"]) from None
        except OSError as error:
            if error.errno == 27:  # EFBIG: the system ended the file at its bound
                raise size_error("bytes", asked["disk_bytes"]) from None
            raise damaged_error(type(error).__name__) from None


def _limit_process(asked: RepositoryRequest) -> None:
    for what, most in ((resource.RLIMIT_AS, asked["memory_bytes"]), (resource.RLIMIT_FSIZE, asked["disk_bytes"])):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def read_repository(asked: RepositoryRequest) -> dict[str, object]:
    """Return columns, commit and notes of what is asked for."""
    scratch = Path(asked["scratch"])
    if asked["archive"]:
        with open_members(Path(asked["archive"]), asked["files"]) as found:
            prefix = find_store(found)
            budget = InflateBudget(asked["disk_bytes"], asked["inflate_ratio"])
            if prefix is None:
                return _build_plain_files(asked, found, budget)
            unpack_store(found, prefix, scratch, budget)
        return _read_store(asked, scratch)
    if asked["url"]:
        return _read_store(asked, scratch, _fetch(asked, asked["url"], scratch))
    return _read_store(asked, _find_store_folder(Path(asked["path"] or "")))


def _find_store_folder(path: Path) -> Path:
    for place in (path / ".git", path):
        if (place / "objects").is_dir() and (place / "HEAD").is_file():
            _check_within(place, path)
            return place
    raise SourceNotFoundError(
        "There is no repository at that path.", hint="Give the folder that holds .git, or a bare repository."
    )


def _check_within(place: Path, root: Path) -> None:
    """Refuse a store that leads out of its folder: what may be read was decided by the folder's own path."""
    root = Path(os.path.realpath(root))
    read = [place, *map(place.joinpath, (*STORE, ALTERNATES))]
    for part in ("objects", "refs"):
        for folder, folders, files in os.walk(place / part):
            read += [Path(folder, name) for name in (*folders, *files)]
    leads_out = any(each.is_symlink() and not Path(os.path.realpath(each)).is_relative_to(root) for each in read)
    if not leads_out and not (place / ALTERNATES).exists():
        return
    raise ForbiddenError(
        "The repository leads to another folder: by a link, or by objects that it borrows.",
        hint="Give the folder that holds everything; `git repack -a -d` makes borrowed objects its own.",
    )


def _read_store(asked: RepositoryRequest, folder: Path, head: bytes | None = None) -> dict[str, object]:
    store = DiskObjectStore(str(folder / "objects"))
    try:
        place = folder / "shallow"
        shallow = frozenset(place.read_bytes().split()) if place.is_file() else frozenset[bytes]()
        limits = {"files": asked["files"], "commits": asked["commits"], "changes": MOST_CHANGES}
        reader = ObjectReader(store, limits, shallow)
        refs = DiskRefsContainer(str(folder))
        found = head or resolve_ref(lambda name: refs.read_ref(Ref(name)), asked["ref"])
        commit = reader.find_commit(found)
        return _build_answer(_read_table(asked, reader, commit), commit, reader)
    finally:
        store.close()


def _read_table(asked: RepositoryRequest, reader: ObjectReader, commit: bytes) -> Columns:
    match asked["table"]:
        case "files":
            return list_files(reader, commit)
        case "commits":
            return list_commits(reader, commit, has_emails=asked["emails"])
    return list_contributors(reader, commit, has_emails=asked["emails"])


def _build_answer(columns: Columns, commit: bytes | None, reader: ObjectReader) -> dict[str, object]:
    notes = [f"{count:,} {text}." for text, count in reader.notes.items()]
    if reader.shallow and "path" not in columns:
        notes.append("The repository is shallow: only the history that it has is read.")
    return {"columns": columns, "commit": commit.decode() if commit else None, "notes": notes}


def resolve_ref(read: Callable[[bytes], bytes | None], ref: str) -> bytes:
    """Return the id that a branch, a tag, a full ref or an id leads to."""
    name = ref.encode()
    if len(name) == 40 and all(byte in b"0123456789abcdef" for byte in name):
        return name
    for prefix in PREFIXES:
        place: bytes | None = prefix + name
        for _ in range(MOST_STEPS):
            if place is None or (place != b"HEAD" and not check_ref_format(Ref(place))):
                break
            value = read(place)
            if value is None or not value.startswith(SYMBOLIC):
                if value is not None and len(value) == 40:
                    return value
                break
            place = value.removeprefix(SYMBOLIC).strip()
    raise SourceNotFoundError(
        "The repository has no such branch, tag or commit, or none at all.",
        hint="Check the connector's `ref`.",
        met=ref,
    )


# --- plain files of an archive --------------------------------------------------------------------------------------


def _build_plain_files(
    asked: RepositoryRequest, found: list[ArchiveMember], budget: InflateBudget
) -> dict[str, object]:
    if asked["table"] != "files":
        raise SourceMalformedError(
            "The archive holds no history: there is no .git in it.",
            hint="Read its table `files`, or archive the repository with its .git folder.",
            expected="a .git folder",
        )
    reader = ObjectReader(None, {})
    rows = []
    for member in found:
        data = member.target if member.target is not None else b"".join(budget.read(member))
        path = member.path.encode("utf-8", "surrogateescape")
        name = Blob.from_string(data).id.decode()
        rows.append(build_file_row(path, member.mode, read_facts(data), name, reader))
    return _build_answer(build_file_columns(rows), None, reader)


# --- fetching -------------------------------------------------------------------------------------------------------


def _fetch(asked: RepositoryRequest, address: str, folder: Path) -> bytes:
    """Fetch what the one ref needs into a new store below `folder`, and return the ref's id."""
    url = urlsplit(address)
    base = f"{url.scheme}://{url.netloc}/"
    pool = _Pool(timeout=urllib3.Timeout(connect=SILENCE_S, read=SILENCE_S), headers={"User-Agent": "git/service-nb"})
    client = Urllib3HttpGitClient(
        base, pool_manager=pool, username=asked["user"], password=asked["token"], quiet=True, dumb=False
    )
    wanted: list[bytes] = []

    def choose_refs(refs: Any, depth: int | None = None) -> Any:  # noqa: ARG001
        wanted.append(resolve_ref(refs.get, asked["ref"]))
        return wanted

    depth = 1 if asked["table"] == "files" else None
    with Repo.init_bare(str(folder)) as made:
        try:
            # The older protocol: the newer one may tell a client to fetch parts from elsewhere.
            client.fetch(url.path.lstrip("/").encode(), made, choose_refs, depth=depth, protocol_version=0)
        except HTTPUnauthorized:
            raise _fetch_error("login_refused", "It wants a token, or another one.") from None
        except NotGitRepository:
            raise SourceNotFoundError(
                "There is no such repository, or the token may not see it.",
                hint="Check `repository`, `host` and `token`.",
            ) from None
        except (GitProtocolError, HangupException, AssertionError, ValueError, KeyError) as error:
            raise _transport_error(error) from None
        except urllib3.exceptions.HTTPError:
            raise _fetch_error("unreachable", "Check the host, and whether a firewall is between.") from None
        finally:
            client.close()
    return wanted[0]


class _Pool(urllib3.PoolManager):
    """Follows no redirect: a token was given for this one host."""

    def urlopen(self, method: str, url: str, redirect: bool = True, **given: object) -> Any:  # type: ignore[override]  # noqa: ARG002
        return super().urlopen(method, url, redirect=False, **{**given, "retries": False})


def _transport_error(error: Exception) -> ServiceError:
    text = str(error).lower()
    if any(word in text for word in ("timed out", "failed to establish", "resolve", "refused", "max retries", "ssl")):
        return _fetch_error("unreachable", "Check the host, its certificate, and whether a firewall is between.")
    if "unexpected http resp" in text:
        return _fetch_error("misconfigured", "The host answered neither yes nor no: the repository may have moved.")
    return _fetch_error("malformed", "Check the host: what answers is not a git server.")


def _fetch_error(reason: Failure, hint: str) -> ConnectorError:
    return ConnectorError("The repository cannot be fetched.", reason=reason, hint=hint)
