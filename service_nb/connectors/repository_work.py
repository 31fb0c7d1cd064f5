"""Reading a repository, in a process of its own: bounded by the system in memory, in files and in time.

Only that process loads this module, and the driver with it. Nothing of a repository is executed: there is no checkout,
so no hook, no filter, no submodule and no large file is ever asked for, and no configuration is read, neither the
repository's nor the machine's.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import urllib3
from dulwich.client import HTTPUnauthorized, Urllib3HttpGitClient
from dulwich.errors import GitProtocolError, HangupException, NotGitRepository
from dulwich.object_store import DiskObjectStore
from dulwich.objects import Blob, ShaFile
from dulwich.refs import DiskRefsContainer, Ref, check_ref_format
from dulwich.repo import Repo

from service_nb.connectors import repository_archive as archives
from service_nb.connectors import repository_tables as tables
from service_nb.connectors.repository_tables import MOST_CHANGES, Columns, Reader, broken
from service_nb.errors import (
    ConnectorError,
    ForbiddenError,
    ServiceError,
    SourceMalformedError,
    SourceNotFoundError,
)

SYMBOLIC = b"ref: "
STORE = ("HEAD", "packed-refs", "shallow", "objects", "refs")  # what is read of one
ALTERNATES = "objects/info/alternates"  # folders whose objects count as its own
MOST_STEPS = 5  # of refs that lead to refs
PREFIXES = (b"", b"refs/heads/", b"refs/tags/", b"refs/remotes/origin/", b"refs/")
SILENCE_S = 30.0


class Reading:
    """What is read, once; `opened` is the answer: columns, the commit they are of, and notes."""

    def __init__(self, asked: Mapping[str, Any]) -> None:
        _bound(asked)
        try:
            self.opened = read(asked)
        except ServiceError:
            raise
        except MemoryError:
            raise tables.beyond("bytes in memory", asked["memory_bytes"]) from None
        except OSError as error:
            if error.errno == 27:  # EFBIG: the system ended the file at its bound
                raise tables.beyond("bytes", asked["disk_bytes"]) from None
            raise broken(type(error).__name__) from None


def _bound(asked: Mapping[str, Any]) -> None:
    for what, most in ((resource.RLIMIT_AS, asked["memory_bytes"]), (resource.RLIMIT_FSIZE, asked["disk_bytes"])):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def read(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns, commit and notes of what is asked for."""
    scratch = Path(asked["scratch"])
    if asked["archive"]:
        with archives.members(Path(asked["archive"]), asked["files"]) as found:
            prefix = archives.store_of(found)
            budget = archives.Budget(asked["disk_bytes"], asked["inflate_ratio"])
            if prefix is None:
                return _plain_files(asked, found, budget)
            archives.unpack_store(found, prefix, scratch, budget)
        return _of_store(asked, scratch)
    if asked["url"]:
        head = _fetched(asked, scratch)
        return _of_store(asked, scratch, head)
    return _of_store(asked, _store_of(Path(asked["path"])))


def _store_of(path: Path) -> Path:
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
    for each in read:
        if each.is_symlink() and not Path(os.path.realpath(each)).is_relative_to(root):
            raise _leads_out()
    if (place / ALTERNATES).exists():
        raise _leads_out()


def _leads_out() -> ForbiddenError:
    return ForbiddenError(
        "The repository leads to another folder: by a link, or by objects that it borrows.",
        hint="Give the folder that holds everything; `git repack -a -d` makes borrowed objects its own.",
    )


def _of_store(asked: Mapping[str, Any], folder: Path, head: bytes | None = None) -> dict[str, Any]:
    store = DiskObjectStore(str(folder / "objects"))
    try:
        reader = _reader(asked, store, ShaFile.from_raw_string, _shallow(folder))
        found = head or resolved(_refs(folder), asked["ref"])
        commit = reader.peeled(found)
        return _answer(_table(asked, reader, commit), commit, reader)
    finally:
        store.close()


def _reader(asked: Mapping[str, Any], store: Any, parse: Callable[..., Any], shallow: frozenset[bytes]) -> Reader:
    def raw(name: bytes) -> tuple[int, bytes]:
        try:
            kind, data = store.get_raw(name)
        except (KeyError, MemoryError, OSError):
            raise
        except Exception as error:  # zlib, the library's own, and what it makes of nonsense
            raise broken("an object cannot be read") from error
        return kind, bytes(data)

    def parsed(kind: int, data: bytes) -> Any:
        try:
            return parse(kind, data)
        except MemoryError:
            raise
        except Exception as error:
            raise broken("an object is malformed") from error

    limits = {"files": asked["files"], "commits": asked["commits"], "changes": MOST_CHANGES}
    return Reader(raw, parsed, limits, shallow)


def _shallow(folder: Path) -> frozenset[bytes]:
    place = folder / "shallow"
    return frozenset(place.read_bytes().split()) if place.is_file() else frozenset()


def _table(asked: Mapping[str, Any], reader: Reader, commit: bytes) -> Columns:
    match asked["table"]:
        case "files":
            return tables.files(reader, commit)
        case "commits":
            return tables.commits(reader, commit, emails=asked["emails"])
    return tables.contributors(reader, commit, emails=asked["emails"])


def _answer(columns: Columns, commit: bytes | None, reader: Reader) -> dict[str, Any]:
    notes = [f"{count:,} {text}." for text, count in reader.notes.items()]
    if reader.shallow and "path" not in columns:
        notes.append("The repository is shallow: only the history that it has is read.")
    return {"columns": columns, "commit": commit.decode() if commit else None, "notes": notes}


def _refs(folder: Path) -> Callable[[bytes], bytes | None]:
    refs = DiskRefsContainer(str(folder))
    return lambda name: refs.read_ref(Ref(name))


def resolved(read: Callable[[bytes], bytes | None], ref: str) -> bytes:
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
        hint="Look at the connector's ref.",
        met=ref,
    )


# --- plain files of an archive --------------------------------------------------------------------------------------


def _plain_files(asked: Mapping[str, Any], found: list[archives.Member], budget: archives.Budget) -> dict[str, Any]:
    if asked["table"] != "files":
        raise SourceMalformedError(
            "The archive holds no history: there is no .git in it.",
            hint="Read its table `files`, or archive the repository with its .git folder.",
            expected="a .git folder",
        )
    reader = Reader(lambda _: (0, b""), lambda *_: None, {})
    rows = []
    for member in found:
        data = member.target if member.target is not None else b"".join(budget.read(member))
        path = member.path.encode("utf-8", "surrogateescape")
        name = Blob.from_string(data).id.decode()
        rows.append(tables.file_row(path, member.mode, tables.facts_of(data), name, reader))
    return _answer(tables.file_columns(rows), None, reader)


# --- fetching -------------------------------------------------------------------------------------------------------


def _fetched(asked: Mapping[str, Any], folder: Path) -> bytes:
    """Fetch what the one ref needs into a new store below `folder`, and return the ref's id."""
    url = urlsplit(asked["url"])
    base = f"{url.scheme}://{url.netloc}/"
    pool = _Pool(timeout=urllib3.Timeout(connect=SILENCE_S, read=SILENCE_S), headers={"User-Agent": "git/service-nb"})
    client = Urllib3HttpGitClient(
        base, pool_manager=pool, username=asked["user"], password=asked["token"], quiet=True, dumb=False
    )
    wanted: list[bytes] = []

    def wants(refs: Any, depth: int | None = None) -> Any:  # noqa: ARG001
        wanted.append(resolved(refs.get, asked["ref"]))
        return wanted

    depth = 1 if asked["table"] == "files" else None
    with Repo.init_bare(str(folder)) as made:
        try:
            # The older protocol: the newer one may tell a client to fetch parts from elsewhere.
            client.fetch(url.path.lstrip("/").encode(), made, wants, depth=depth, protocol_version=0)
        except HTTPUnauthorized:
            raise _failed("login_refused", "It wants a token, or another one.") from None
        except NotGitRepository:
            raise SourceNotFoundError(
                "There is no such repository, or the token may not see it.", hint="Look at repository, host and token."
            ) from None
        except (GitProtocolError, HangupException, AssertionError, ValueError, KeyError) as error:
            raise _of_transport(error) from None
        except urllib3.exceptions.HTTPError:
            raise _failed("unreachable", "Check the host, and whether a firewall is between.") from None
        finally:
            client.close()
    return wanted[0]


class _Pool(urllib3.PoolManager):
    """Follows no redirect: a token was given for this one host."""

    def urlopen(self, method: str, url: str, redirect: bool = True, **given: Any) -> Any:  # type: ignore[override]  # noqa: ARG002
        return super().urlopen(method, url, redirect=False, **{**given, "retries": False})


def _of_transport(error: Exception) -> ServiceError:
    text = str(error).lower()
    if any(word in text for word in ("timed out", "failed to establish", "resolve", "refused", "max retries", "ssl")):
        return _failed("unreachable", "Check the host, its certificate, and whether a firewall is between.")
    if "unexpected http resp" in text:
        return _failed("misconfigured", "The host answered neither yes nor no: the repository may have moved.")
    return _failed("malformed", "Check the host: what answers is not a git server.")


def _failed(reason: Any, hint: str) -> ConnectorError:
    return ConnectorError("The repository cannot be fetched.", reason=reason, hint=hint)
