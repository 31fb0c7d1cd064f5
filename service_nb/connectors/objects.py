"""Objects of S3, Google Cloud Storage and Azure: copied to a private folder, and read there as the files they are.

One object, all below a prefix, or those that a pattern names; of one format. Each is copied as it was listed, or the
reading fails: a changed object is refused by its tag, and a changed listing is noticed at the end. Parquet is
scanned in place: its copy lies in the folder for as long as anything refers to the dataset's files.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.connectors.addresses import is_allowed, resolve_host
from service_nb.connectors.base import Connector, import_driver
from service_nb.connectors.copies import read_copies
from service_nb.connectors.extraction import (
    answer_error,
    key_error,
    lost_error,
    read_flag,
    require_key,
    run_work,
    size_limit_error,
    source_error,
    translate_faults,
)
from service_nb.connectors.gateway import Gateway
from service_nb.connectors.options import read_authorities, read_option
from service_nb.connectors.web import find_port, read_url
from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import (
    ConnectorError,
    ServiceError,
    SourceChangedError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.errors.deployment import Failure
from service_nb.readers.dataset import Dataset, ReadOptions, build_form
from service_nb.readers.detect import BY_SUFFIX, PACKED
from service_nb.readers.parquet_files import delta_table_error, is_visible, refuse_partition
from service_nb.readers.text_forms import read_sign
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.source import DEFAULT_LIMITS, Limits

LISTED_BYTES = 64 * 1024**2  # of one page of a list


def _changed_error(kind: Kind, what: str) -> SourceChangedError:
    """Return the error of what is not any more as it was listed."""
    return SourceChangedError(
        f"{what} of the {kind.title} source changed while it was read.",
        hint="Connect it again when no program writes to it.",
    )


def _gateway_error(kind: Kind, gateway: Gateway) -> ServiceError | None:
    if gateway.refused:
        fault = "redirects to another server; redirects are not followed"
        hint = "Name that server as the endpoint, or the bucket's own region."
        return source_error(kind, fault, "not_allowed", hint)
    if gateway.spent:
        return size_limit_error("listed_bytes", LISTED_BYTES, LISTED_BYTES, "The store sends more than it announced")
    return None if gateway.reached else lost_error(kind, is_lost=False)


_FAULTS: Mapping[str, tuple[str, Failure]] = {
    "UnauthenticatedError": ("does not accept the key", "login_refused"),
    "PermissionDeniedError": ("does not allow this to be read", "not_allowed"),
    "InvalidPathError": ("has no objects of that name", "misconfigured"),
    "UnknownConfigurationKeyError": ("is not described in full", "misconfigured"),
    "NotSupportedError": ("cannot do what reading needs", "misconfigured"),
}
ABSENT = re.compile(r"NoSuchBucket|ContainerNotFound|status: 404|404 Not Found")
# What the store's own text says of the failure; the texts themselves are not passed on.
HINTS: Sequence[tuple[str, str, Failure]] = (
    (r"dns error|ConnectError|connection refused|tcp connect", "cannot be reached", "unreachable"),
    (r"TimedOut|operation timed out|deadline has elapsed", "said nothing for too long", "timed_out"),
    (
        r"status: 40[13]|InvalidAccessKeyId|SignatureDoesNotMatch|AuthenticationFailed",
        "refuses the key",
        "login_refused",
    ),
    (r"status: 3\d\d|redirect", "redirects to another server; redirects are not followed", "not_allowed"),
    (r"Missing|InvalidKey|private key|Unable to parse|builder error", "is not described in full", "misconfigured"),
    (r"IncompleteBody|IncompleteMessage|connection (?:reset|closed)|error decoding", "was lost in mid-answer", "lost"),
)


def _translate(kind: Kind, gateway: Gateway, error: BaseException) -> BaseException:
    """Return an error of the store as ours; what its texts hold, addresses and keys among it, stays out."""
    while isinstance(error, BaseExceptionGroup):  # of objects that were copied at a time
        error = error.exceptions[0]
    name, text = type(error).__name__, str(error)
    refused = _gateway_error(kind, gateway)
    if refused is not None or isinstance(error, ServiceError):
        return refused or error
    if name == "NotFoundError" or isinstance(error, FileNotFoundError) or ABSENT.search(text):
        return SourceNotFoundError(f"The {kind.title} source has no object of that name.", hint="Check bucket and key.")
    if name in ("PreconditionError", "NotModifiedError"):
        return _changed_error(kind, "An object")
    hints = ((fault, reason) for pattern, fault, reason in HINTS if re.search(pattern, text, re.IGNORECASE))
    fault, reason = _FAULTS.get(name) or next(hints, ("answers what cannot be understood", "malformed"))
    return source_error(kind, fault, reason)


def build_matcher(asked: str) -> Callable[[Sequence[str]], list[bool]]:
    """Build the matcher of object keys. Raises `invalid_intent`."""
    pattern = rf"(?s)\A(?:{_write_pattern(asked)})\z"

    def match_keys(keys: Sequence[str]) -> list[bool]:
        found: list[bool] = pc.match_substring_regex(pa.array(keys, pa.string()), pattern).to_pylist()
        return found

    try:
        match_keys([""])
    except pa.ArrowInvalid as error:
        raise key_error("table", describe_value(asked), "a key, a prefix or a pattern") from error
    return match_keys


def _write_pattern(asked: str) -> str:
    """Build the regular expression of a prefix or pattern: `*` and `?` stay within a folder, `**` does not."""
    if asked.endswith("/"):
        return re.escape(asked) + ".+"
    parts, at = list[str](), 0
    while at < len(asked):
        char = asked[at]
        if asked.startswith("**/", at):
            parts.append("(?:.*/)?")
            at += 2
        elif asked.startswith("**", at):
            parts.append(".*")
            at += 1
        elif char == "[" and (end := asked.find("]", at + 2)) > 0:
            inside = asked[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            parts.append(f"[{'^' + inside[1:] if inside[0] == '!' else inside}]")
            at = end
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char)))
        at += 1
    return "".join(parts)


FORMATS = {
    **{name: f".{name}" for name in ("csv", "tsv", "json", "ndjson", "parquet", "arrow")},
    "excel": ".xlsx",
}
OPTIONS: Mapping[str, str] = {
    "format": "csv, tsv, json, ndjson, parquet, arrow or excel; by default the ending of the key says so",
    "sheet": "of a workbook, which sheet",
    "delimiter": "of delimited text, where it cannot be seen from the first lines",
    "encoding": "of delimited text; by default UTF-8",
    "nulls": "of delimited text: texts that are read as null, beside the empty cell, separated by commas",
    "thousands": "of texts: the sign between thousands, or its word: point, comma, space, apostrophe",
    "decimal": "of texts: the sign before decimal places, or its word: point, comma",
    "date_format": "of texts: how dates are written, such as %d.%m.%Y",
    "percent": "of texts: `true` reads percents as exact hundredths",
    "trim": "of texts: `true` removes blanks around values",
    "currency": "of texts: the sign that stands with numbers, such as €",
    "ca": "path of a file of certificates that are trusted beside the system's",
}
OWN: Mapping[str, tuple[str, ...]] = {
    "s3": (".amazonaws.com", ".amazonaws.com.cn"),
    "gcs": (".storage.googleapis.com",),
    "azure": (".blob.core.windows.net", ".blob.core.chinacloudapi.cn", ".blob.core.usgovcloudapi.net"),
}
WILDCARDS = "*?["
AT_ONCE = 4  # objects that are copied at a time
BLOCK = 4 * 1024**2
MOST_LISTED = 1_000_000  # objects below a prefix that are looked at for a pattern
MOST_COPIED = 64 * 1024**3  # bytes of Parquet, which is not held in memory
MOST_TAGS = 5  # that a note lists
SLACK_BYTES = 1024**2  # that an object's answer may have beside the object
RETRIES = 2
CLIENT = {"connect_timeout": "10s", "timeout": "1h", "read_timeout": "60s", "user_agent": "service-nb"}


@dataclass(frozen=True, slots=True)
class _Object:
    key: str
    size: int
    tag: str | None
    modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectStore:
    """A kind of store: what its buckets are called, how its client is made, and where that may go."""

    kind: Kind
    bucket: re.Pattern[str]
    open_store: Callable[[Any, str, Descriptor, Mapping[str, object]], object]
    find_endpoint: Callable[[Descriptor], str]
    token_hosts: tuple[str, ...] = ()  # that are asked for tokens
    expand: Callable[[Descriptor], Descriptor] = lambda descriptor: descriptor  # a connection string into keys


def build_connector(store: ObjectStore) -> Connector:
    """Build the connector of a kind of store.

    `database` names a bucket or container; `table` is a key, a prefix that ends in /, or a pattern.
    """
    return Connector(
        kind=store.kind,
        reads_files=False,
        extract=partial(_extract, store),
        probe=partial(_probe, store),
        find_hosts=lambda given: (read_url(store.find_endpoint(store.expand(given)), "endpoint").host,),
    )


def _extract(cloud: ObjectStore, descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Copy the objects that a descriptor names and read them."""
    kind, descriptor = cloud.kind, cloud.expand(descriptor)
    asked = require_key(descriptor, "table", "a key, a prefix that ends in /, or a pattern")
    options = _read_options(descriptor, options)
    stores = import_driver(kind, "obstore.store")
    with ExitStack() as failing:
        folder = Path(tempfile.mkdtemp(prefix="service-nb-objects-"))
        failing.callback(shutil.rmtree, folder, ignore_errors=True)
        work = _copy_objects(cloud, stores, descriptor, asked, options.limits, folder=folder)
        found, paths = run_work(kind, work, deadline)
        dataset = read_copies(folder, paths, options)
        failing.pop_all()  # the folder now lasts for as long as the dataset needs it
    return replace(dataset, stamps=(), notes=(_describe_objects(kind, found), *dataset.notes))


def _probe(cloud: ObjectStore, descriptor: Descriptor, deadline: float) -> str:
    """Say that the store answers, and how many objects the descriptor names where it names any."""
    stores = import_driver(cloud.kind, "obstore.store")
    return run_work(cloud.kind, _describe_store(cloud, stores, cloud.expand(descriptor)), deadline)


def _read_options(descriptor: Descriptor, options: ReadOptions) -> ReadOptions:
    nulls = read_option(descriptor, "nulls")
    signs = {name: read_sign(read_option(descriptor, name)) for name in ("thousands", "decimal")}
    switches = {name: read_flag(descriptor, name) for name in ("percent", "trim")}
    form = {**signs, **switches, **{name: read_option(descriptor, name) for name in ("date_format", "currency")}}
    return replace(
        options,
        sheet=read_option(descriptor, "sheet") or options.sheet,
        delimiter=read_option(descriptor, "delimiter") or options.delimiter,
        encoding=read_option(descriptor, "encoding") or options.encoding,
        nulls=tuple(nulls.split(",")) if nulls else options.nulls,
        form=build_form(form) if any(form.values()) else options.form,
        defer_digest=False,
    )


async def _copy_objects(
    cloud: ObjectStore, stores: object, descriptor: Descriptor, asked: str, limits: Limits, *, folder: Path
) -> tuple[list[_Object], list[Path]]:
    """Copy all objects into the folder, as they were listed."""
    async with _open_store(cloud, stores, descriptor, asked, limits, retries=RETRIES) as store:
        found = await store.list_objects()
        suffix = _find_suffix(descriptor, asked, found)
        _check_size(found, suffix, folder, limits)
        paths = [folder / _name_copy(number, each.key, suffix) for number, each in enumerate(found, start=1)]
        gate = asyncio.Semaphore(AT_ONCE)

        async def copy(each: _Object, path: Path) -> None:
            async with gate:
                await store.copy(each, path)

        async with asyncio.TaskGroup() as group:
            for each, path in zip(found, paths, strict=True):
                group.create_task(copy(each, path))
        if await store.list_objects() != found:
            raise _changed_error(cloud.kind, "The list of objects")
        return found, paths


async def _describe_store(cloud: ObjectStore, stores: object, descriptor: Descriptor) -> str:
    asked, title = descriptor.table or "*", cloud.kind.title
    async with _open_store(cloud, stores, descriptor, asked, DEFAULT_LIMITS, retries=0) as store:
        if asked == "*":
            await store.require_answer()
            return f"{title} answers."
        found = await store.list_objects()
    _find_suffix(descriptor, asked, found)
    return f"{title} answers; {len(found):,} object{'s' if len(found) != 1 else ''}."


@asynccontextmanager
async def _open_store(
    cloud: ObjectStore, stores: object, descriptor: Descriptor, asked: str, limits: Limits, *, retries: int
) -> AsyncIterator[_OpenStore]:
    """Yield a store that gets to its endpoint and nowhere else.

    Its client follows redirects wherever they lead, also to where clouds hand out credentials; takes addresses out of
    the environment; and reads a list of objects whole, however long it is.
    """
    kind, form = cloud.kind, read_option(descriptor, "format")
    if form is not None and form not in FORMATS:
        close = find_nearest(form, tuple(FORMATS))
        raise key_error("format", describe_value(form), ", ".join(FORMATS) + (f" ({close[0]}?)" if close else ""))
    bucket = require_key(descriptor, "database", "the name of a bucket or container")
    if not cloud.bucket.fullmatch(bucket):
        raise key_error("database", describe_value(bucket), "the name of a bucket or container")
    url = read_url(cloud.find_endpoint(descriptor), "endpoint")
    gateway = Gateway({(url.host, find_port(url)), *((host, 443) for host in cloud.token_hosts)})
    with translate_faults(partial(_translate, kind, gateway)):
        client = await _build_client_options(kind, descriptor)
        async with gateway.open():
            options = {**client, "proxy_url": gateway.url}
            settings = {"client_options": options, "retry_config": {"max_retries": retries}}
            yield _OpenStore(kind, cloud.open_store(stores, bucket, descriptor, settings), gateway, limits, asked)


async def _build_client_options(kind: Kind, descriptor: Descriptor) -> dict[str, object]:
    """Build the client's options for an endpoint of the cloud, or one that the deployment's configuration allows."""
    ca = read_option(descriptor, "ca")
    trusted = {} if ca is None else {"root_certificate": read_authorities(ca)}
    endpoint = read_option(descriptor, "endpoint")
    if endpoint is None:
        return {**CLIENT, **trusted, "allow_http": False}
    url = read_url(endpoint, "endpoint")
    if is_allowed(url.host, find_port(url)):
        return {**CLIENT, **trusted, "allow_http": url.scheme == "http"}
    if url.scheme != "https" or not f".{url.host}".endswith(OWN[kind.type]):
        met = describe_value(url.host)
        raise ConnectorError(
            f"{met} is neither an endpoint of {kind.title} nor allowed by the deployment's configuration.",
            reason="not_allowed",
            hint="An administrator may allow the host by name: private_hosts in deployment.toml.",
            met=met,
        )
    await resolve_host(url.host, find_port(url))
    return {**CLIENT, **trusted, "allow_http": False}


@dataclass(frozen=True, slots=True)
class _OpenStore:
    """An open store, what all that it sends goes through, and which of its objects are asked for."""

    kind: Kind
    store: Any  # of obstore, which has no base class
    gateway: Gateway
    limits: Limits
    asked: str

    async def require_answer(self) -> None:
        self.gateway.set_allowance(LISTED_BYTES)
        async for _ in self.store.list(chunk_size=1):
            break

    async def list_objects(self) -> list[_Object]:
        self.gateway.set_allowance(LISTED_BYTES)
        if not self.asked.endswith("/") and not any(char in self.asked for char in WILDCARDS):
            return [_read_meta(await self.store.head_async(self.asked))]
        match_keys = build_matcher(self.asked)
        found, seen, most = list[_Object](), 0, self.limits.members
        prefix = re.split(r"[*?\[]", self.asked)[0].rpartition("/")[0]
        async for chunk in self.store.list(prefix or None, chunk_size=1_000):
            self.gateway.set_allowance(LISTED_BYTES)
            seen += len(chunk)
            fits = zip(chunk, match_keys([each["path"] for each in chunk]), strict=True)
            found += [_read_meta(each) for each, is_one in fits if is_one and _is_data(each["path"])]
            if seen > MOST_LISTED or len(found) > most:
                raise size_limit_error("members", most, len(found), "There are more objects")
        if not found:
            met = describe_value(self.asked)
            raise SourceNotFoundError(f"There are no objects at {met}.", met=met)
        return sorted(found, key=lambda each: each.key)

    async def copy(self, each: _Object, path: Path) -> None:
        self.gateway.add_allowance((1 + RETRIES) * (each.size + SLACK_BYTES))
        answer = await self.store.get_async(each.key, options={"if_match": f'"{each.tag}"'} if each.tag else None)
        if _read_meta(answer.meta) != each:
            raise _changed_error(self.kind, describe_value(each.key))
        left = each.size
        with path.open("xb") as file:
            async for block in answer.stream(BLOCK):
                left -= len(block)
                if left < 0:
                    break
                await asyncio.to_thread(file.write, block)
        if left:
            raise answer_error(self.kind, "an object of another length than was announced")


def _find_suffix(descriptor: Descriptor, asked: str, found: Sequence[_Object]) -> str:
    """Return the ending of the files that the objects are: by the descriptor's format, else by their keys."""
    form = read_option(descriptor, "format")
    if form is not None:
        return FORMATS[form]
    suffixes = {Path(each.key).suffix.lower() for each in found}
    if len({BY_SUFFIX.get(suffix) for suffix in suffixes}) > 1:
        raise UnsupportedSourceError(
            f"{describe_value(asked)} names objects of several formats.",
            hint="Name those of one, such as data/*.parquet, or set format.",
            met=sorted(suffixes)[:20],
        )
    suffix = min(suffixes)
    if suffix not in BY_SUFFIX:
        fault = "is compressed" if suffix in PACKED else "does not end like a known format"
        raise UnsupportedSourceError(
            f"{describe_value(found[0].key)} {fault}.",
            hint="Set format, or name objects of a known ending.",
            met=suffix or "no ending",
            expected=list(BY_SUFFIX),
        )
    return suffix


def _check_size(found: Sequence[_Object], suffix: str, folder: Path, limits: Limits) -> None:
    is_scanned = BY_SUFFIX[suffix] == "parquet"
    for each in found if is_scanned else ():
        refuse_partition(each.key)
    most, room = MOST_COPIED if is_scanned else limits.text_bytes, shutil.disk_usage(folder).free // 2
    name, limit = ("text_bytes", most) if most <= room else ("disk", room)
    total = sum(each.size for each in found)
    if total > limit:
        raise size_limit_error(name, limit, total, f"The objects have {total:,} bytes")


def _read_meta(meta: Mapping[str, Any]) -> _Object:
    """An object as it is compared: lists and answers write one tag in two ways, and one time more or less finely."""
    tag, modified = meta.get("e_tag"), meta.get("last_modified")
    bare = str(tag).removeprefix("W/").strip('"') if tag else None
    time = "" if bare or modified is None else modified.replace(microsecond=0).isoformat()
    return _Object(str(meta["path"]), int(meta["size"]), bare, time)


def _is_data(key: str) -> bool:
    folders, _, name = key.rpartition("/")
    if "_delta_log" in folders.split("/"):
        raise delta_table_error()
    return is_visible(name)


def _name_copy(number: int, key: str, suffix: str) -> str:
    """A name of our own for a copy: what a key says is shown, and never decides where a file lies."""
    shown_part = re.sub(r"[^A-Za-z0-9-]", "_", Path(key).stem)[:60]
    return f"{number:05d}-{shown_part}{suffix}"


def _describe_objects(kind: Kind, found: Sequence[_Object]) -> str:
    listed = [f"{each.key[:200]} ({each.size:,} bytes, etag {(each.tag or 'none')[:80]})" for each in found[:MOST_TAGS]]
    more = f" and {len(found) - MOST_TAGS:,} more" if len(found) > MOST_TAGS else ""
    size = sum(each.size for each in found)
    return f"Read from {kind.title}: {', '.join(listed)}{more}; {size:,} bytes in all."
