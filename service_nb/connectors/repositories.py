"""Repositories as tables of their files, commits and contributors: what all kinds of them share."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypedDict
from urllib.parse import urlsplit

import pyarrow as pa

from service_nb.connectors.base import Connector, import_driver
from service_nb.connectors.extraction import deadline_error, key_error, read_flag, read_secret, read_whole, require_key
from service_nb.connectors.isolated import Isolated
from service_nb.connectors.options import read_option
from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import ConnectorError, InvalidIntentError, QueryTimeoutError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.physical import normalise
from service_nb.schema.connector import Descriptor, Kind

TABLES = ("files", "commits", "contributors")
OPTIONS: Mapping[str, str] = {
    "ref": "branch, tag, full ref or commit id; by default HEAD",
    "emails": "true: e-mail addresses instead of pseudonyms",
    "max_commits": "the most commits that are read, from 1 to 10000000; by default 1000000; more is an error",
    "max_bytes": "the most bytes that are fetched or inflated, from 1 to 100000000000; by default 2000000000",
}
MOST_COMMITS, MOST_BYTES = 10_000_000, 100_000_000_000
MOST_FILES = 2_000_000
LEAST_MEMORY = 1 << 30  # of the process that reads: what Python and its libraries take without a repository
OWNED = re.compile(r"[A-Za-z0-9_~][A-Za-z0-9_.~-]*(?:/[A-Za-z0-9_.~-]+)+")
HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?")
_TYPES = {
    **dict.fromkeys(("bytes", "lines", "parents", "files_changed", "insertions", "deletions", "commits"), pa.int64()),
    **dict.fromkeys(("committed_at", "first", "last"), pa.timestamp("us")),
    "binary": pa.bool_(),
}


class RepositoryRequest(TypedDict):
    """The request to the process that reads: one of `url`, `path` and `archive`, what of it, and its bounds."""

    url: str | None
    user: str | None
    token: str | None
    path: str | None
    archive: str | None
    table: str
    ref: str
    emails: bool
    commits: int
    disk_bytes: int
    files: int
    memory_bytes: int
    inflate_ratio: int
    scratch: str


def build_provider(type_: str, title: str, home: str, user: str) -> Connector:
    """Build the connector of a provider: its repositories are fetched over https as far as a table needs, and not kept.

    `home` is its host unless a descriptor names another; `user` is what it calls whoever comes with a token.
    """
    options = {
        "repository": "owner/name, as in the address of its page",
        "url": f"https://{home}/owner/name, instead of host and repository",
        "token": "that may read the repository; none for a public one",
    }
    kind = _build_kind(type_, title, ("host", "port", "table"), options, secrets=("token",))

    def find_place(descriptor: Descriptor) -> dict[str, str]:
        token = read_secret(descriptor, "token")
        account = {} if token is None else {"user": user, "token": token.reveal()}
        return {"url": _build_url(descriptor, home), **account}

    def find_hosts(descriptor: Descriptor) -> tuple[str, ...]:
        return (urlsplit(_build_url(descriptor, home)).hostname or "",)

    return Connector(kind=kind, reads_files=False, extract=partial(_extract, kind, find_place), find_hosts=find_hosts)


def build_local(type_: str, title: str, place: str, expected: str) -> Connector:
    """Build the connector of repositories on the deployment's machine, in folders (`path`) or in archives."""
    kind = _build_kind(type_, title, ("path", "table"), {})

    def find_place(descriptor: Descriptor) -> dict[str, str]:
        return {place: require_key(descriptor, "path", expected)}

    return Connector(kind=kind, reads_files=True, extract=partial(_extract, kind, find_place))


def _build_kind(
    type_: str, title: str, keys: tuple[str, ...], options: Mapping[str, str], secrets: tuple[str, ...] = ()
) -> Kind:
    return Kind(
        type=type_,
        title=title,
        group="repository",
        keys=keys,
        options={**options, **OPTIONS},
        secrets=secrets,
        extra="repositories",
        driver="dulwich",
    )


def _build_url(descriptor: Descriptor, home: str) -> str:
    url = read_option(descriptor, "url")
    if url is None:
        host = descriptor.host or home
        port = f":{descriptor.port}" if descriptor.port is not None else ""
        name = require_key(descriptor, "repository", "owner/name")
    else:
        parts = urlsplit(url)
        if parts.scheme != "https" or "@" in parts.netloc or parts.query or parts.fragment:
            raise key_error("url", "another address", "https://host/owner/name, without a user in it")
        host, port, name = parts.netloc, "", parts.path.strip("/")
    name = name.removesuffix(".git")
    if not HOST.fullmatch(host + port):
        raise key_error("host", describe_value(host), "the name of a host")
    if not OWNED.fullmatch(name) or any(part.strip(".") == "" for part in name.split("/")):
        raise key_error("repository", describe_value(name), "owner/name")
    return f"https://{host}{port}/{name}.git"


def _extract(
    kind: Kind,
    find_place: Callable[[Descriptor], Mapping[str, str]],
    descriptor: Descriptor,
    options: ReadOptions,
    deadline: float,
) -> Dataset:
    import_driver(kind)
    with tempfile.TemporaryDirectory(prefix="service-nb-repository-") as scratch:
        asked = build_request(find_place(descriptor), descriptor, options, scratch)
        try:
            with Isolated("service_nb.connectors.repository_work:RepositoryReading") as process:
                found = process.open(asked, deadline=deadline)
        except QueryTimeoutError:
            raise deadline_error(kind) from None
        except ConnectorError as error:
            if error.reason != "lost":
                raise
            raise ConnectorError(
                "The repository could not be read within the memory that it may take.", reason="malformed"
            ) from None
    return build_repository_dataset(found, options)


def build_request(
    place: Mapping[str, str], descriptor: Descriptor, options: ReadOptions, scratch: str
) -> RepositoryRequest:
    """Build the request for the reading process: plain values, all of them checked."""
    limits = options.limits
    return RepositoryRequest(
        url=place.get("url"),
        user=place.get("user"),
        token=place.get("token"),
        path=place.get("path"),
        archive=place.get("archive"),
        table=_check_table(descriptor),
        ref=_check_ref(descriptor),
        emails=read_flag(descriptor, "emails"),
        commits=read_whole(descriptor, "max_commits", 1_000_000, MOST_COMMITS),
        disk_bytes=read_whole(descriptor, "max_bytes", 2_000_000_000, MOST_BYTES),
        files=min(MOST_FILES, max(1, limits.cells // 10)),
        memory_bytes=max(limits.memory_bytes, LEAST_MEMORY),
        inflate_ratio=limits.inflate_ratio,
        scratch=scratch,
    )


def _check_table(descriptor: Descriptor) -> str:
    table = descriptor.table or "files"
    if table not in TABLES:
        close = find_nearest(table, TABLES)
        raise InvalidIntentError(
            f"A repository has no table {describe_value(table)}.",
            hint=f"Did you mean {close[0]}?" if close else None,
            path="connector.table",
            met=describe_value(table),
            expected=", ".join(TABLES),
        )
    return table


def _check_ref(descriptor: Descriptor) -> str:
    ref = read_option(descriptor, "ref") or "HEAD"
    if len(ref) > 1_000 or not ref.isprintable() or ref.startswith("-"):
        raise key_error("ref", describe_value(ref), "a branch, a tag or a commit")
    return ref


def build_repository_dataset(found: Mapping[str, Any], options: ReadOptions) -> Dataset:
    """Build the dataset from the process's answer, with columns of their declared types."""
    arrays = {name: pa.array(values, _TYPES.get(name, pa.string())) for name, values in found["columns"].items()}
    columns = normalise(pa.table(arrays), options)
    read_at = [] if found["commit"] is None else [f"Read at the commit {found['commit']}."]
    return columns.build_dataset(notes=[*read_at, *found["notes"]])
