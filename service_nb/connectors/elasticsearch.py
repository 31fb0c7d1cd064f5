"""Elasticsearch and OpenSearch: all documents of an index as it was at one moment, page by page.

Values are the documents' own as they were sent (`_source`), with every digit; the index itself may hold less, such as
a 32-bit float of a number that it met first in a document. No aggregation is ever asked for: `terms` is approximate.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import quote

import httpx

from service_nb.connectors.base import Connector
from service_nb.connectors.extraction import (
    answer_error,
    key_error,
    read_flag,
    read_secret,
    read_whole,
    require_key,
    run_work,
    size_limit_error,
    status_error,
)
from service_nb.connectors.options import read_option
from service_nb.connectors.web import Web, build_basic_auth, open_web, read_url
from service_nb.core.canonical import write_canonical_text
from service_nb.core.words import describe_value
from service_nb.errors import ConnectorError, SourceMalformedError, SourceNotFoundError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.json_records import build_dataset, flatten, parse_exact
from service_nb.schema.connector import Descriptor, Dsn, Kind
from service_nb.schema.source import DEFAULT_LIMITS, Limits

KIND = Kind(
    type="elasticsearch",
    title="Elasticsearch",
    group="nosql, graph, search",
    keys=("host", "port", "user", "password", "connection_string", "table"),
    options={
        "endpoint": "https://host:port/path, instead of host and port",
        "api_key": "an API key in its encoded form, instead of user and password",
        "tls": "false: the connection is not encrypted; by default it is",
        "ca_certificate": "PEM text of the authority that signed the server's certificate, where it is one's own",
        "size": "documents a page, from 1 to 10000; by default 1000",
        "max_rows": "the most documents that are read, from 1 to 100000000; by default 10000000; more is an error",
    },
    secrets=("api_key",),
    driver="httpx",
    port=9200,
    dsn=Dsn(form="https://user:password@host:9200", schemes={"https": {}, "http": {"tls": "false"}}, path=()),
)
KEEP = "2m"
MOST_SIZE = 10_000
MOST_ROWS = 100_000_000
INDEX = re.compile(r"[^A-Z\\/*?\"<>| ,#:\x00-\x1f-_+][^A-Z\\/?\"<>| ,#:\x00-\x1f]{0,254}")
FRACTIONS = ("double", "float", "half_float", "scaled_float")
NARROW = ("float", "half_float", "scaled_float")
TEXTS = ("keyword", "text", "wildcard", "constant_keyword", "ip", "version", "match_only_text", "search_as_you_type")
FIRST_MS, LAST_MS = -62_135_596_800_000, 253_402_300_799_999  # of the years 1 to 9999
EPOCH = datetime.datetime(1970, 1, 1)  # noqa: DTZ001  # instants are kept as UTC without a zone


def extract(descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Read all documents of an index, an alias, or of the indices that a pattern names."""
    index = _check_index(descriptor)
    types, rows = run_work(KIND, _read_documents(descriptor, index, options.limits), deadline)
    names = list(dict.fromkeys(["_id", *sorted({*types, *(name for row in rows for name in row)} - {"_id"})]))
    notes: list[str] = []
    for name in names:
        _convert_column(name, types.get(name, ""), rows, notes)
    return build_dataset(rows, options, notes, names)


async def _read_documents(
    descriptor: Descriptor, index: str, limits: Limits
) -> tuple[dict[str, str], list[dict[str, object]]]:
    """Return the types of the fields by their dotted names, and the documents in the order of their ids."""
    size = read_whole(descriptor, "size", 1_000, MOST_SIZE)
    most = read_whole(descriptor, "max_rows", 10_000_000, MOST_ROWS)
    async with _open_server(descriptor, limits) as server:
        is_opensearch = (await server.read_version()).get("distribution") == "opensearch"
        types = await server.read_types(index)
        view = await server.open_view(index, is_opensearch=is_opensearch)
        try:
            hits = await server.read_hits(view, size, most)
        finally:
            await server.close_view(view, is_opensearch=is_opensearch)
        hits.sort(key=lambda hit: (hit["_index"], hit["_id"]))
        return types, [_build_row(hit, limits) for hit in hits]


def find_hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where it is asked."""
    return (_build_url(descriptor).host,)


def probe(descriptor: Descriptor, deadline: float) -> str:
    """Say what answers, and how many fields the index has where one is named, without reading a document."""
    return run_work(
        KIND, _describe_server(descriptor, _check_index(descriptor) if descriptor.table else None), deadline
    )


async def _describe_server(descriptor: Descriptor, index: str | None) -> str:
    async with _open_server(descriptor, DEFAULT_LIMITS) as server:
        version = await server.read_version()
        product = "OpenSearch" if version.get("distribution") == "opensearch" else "Elasticsearch"
        answers = f"{product} {describe_value(version.get('number'))} answers"
        return f"{answers}." if index is None else f"{answers}; {len(await server.read_types(index)):,} fields."


@asynccontextmanager
async def _open_server(descriptor: Descriptor, limits: Limits) -> AsyncIterator[_Server]:
    url, headers = _build_url(descriptor), _build_headers(descriptor)
    async with open_web(KIND, limits, "network", read_option(descriptor, "ca_certificate")) as web:
        yield _Server(web, url, headers, limits)


def _check_index(descriptor: Descriptor) -> str:
    index = require_key(descriptor, "table", "the name of an index")
    if not INDEX.fullmatch(index) or index.strip("*.") == "":
        raise key_error(
            "table", describe_value(index), "the name of an index, in lower case; of several: a name with * behind it"
        )
    return index


def _build_url(descriptor: Descriptor) -> httpx.URL:
    endpoint = read_option(descriptor, "endpoint")
    if endpoint is None:
        scheme = "https" if read_flag(descriptor, "tls", default=True) else "http"
        host = require_key(descriptor, "host", "a host")
        endpoint = f"{scheme}://{f'[{host}]' if ':' in host else host}:{descriptor.port or KIND.port}"
    return read_url(endpoint.rstrip("/"), "endpoint")


def _build_headers(descriptor: Descriptor) -> dict[str, str]:
    key = read_secret(descriptor, "api_key")
    if key is not None:
        if not re.fullmatch(r"[\x21-\x7e]+", key.reveal()):
            raise key_error("api_key", "no such key", "the encoded form of an API key")
        return {"Authorization": f"ApiKey {key.reveal()}"}
    return build_basic_auth(descriptor)


class _Server:
    """A search server; an index is read through a view of it that does not change."""

    def __init__(self, web: Web, url: httpx.URL, headers: Mapping[str, str], limits: Limits) -> None:
        self._web, self._url, self._headers, self._limits = web, url, headers, limits

    async def read_version(self) -> Mapping[str, object]:
        version = (await self._ask("GET", "/")).get("version")
        if not isinstance(version, Mapping):
            raise answer_error(KIND, "no version")
        return version

    async def read_types(self, index: str) -> dict[str, str]:
        """Return the type of each field; of one that several indices type differently, none."""
        types: dict[str, str] = {}
        for each in (await self._ask("GET", f"/{quote(index, safe='*')}/_mapping")).values():
            mappings = each.get("mappings") if isinstance(each, Mapping) else None
            properties = mappings.get("properties") if isinstance(mappings, Mapping) else None
            for name, kind in _iter_leaves("", properties if isinstance(properties, Mapping) else {}):
                types[name] = kind if types.get(name, kind) == kind else ""
        return types

    async def open_view(self, index: str, *, is_opensearch: bool) -> str:
        path, name = ("_search/point_in_time", "pit_id") if is_opensearch else ("_pit", "id")
        view = (await self._ask("POST", f"/{quote(index, safe='*')}/{path}?keep_alive={KEEP}")).get(name)
        if not isinstance(view, str) or len(view) > 1_000_000:
            raise answer_error(KIND, "a view without an id")
        return view

    async def close_view(self, view: str, *, is_opensearch: bool) -> None:
        path, body = ("/_search/point_in_time", {"pit_id": [view]}) if is_opensearch else ("/_pit", {"id": view})
        with suppress(ConnectorError):  # it ends by itself soon
            await self._web.ask("DELETE", self._resolve_url(path), content=body, headers=self._headers)

    async def read_hits(self, view: str, size: int, most: int) -> list[dict[str, Any]]:
        hits: list[dict[str, Any]] = []
        seen: set[tuple[str, str]] = set()
        after, order = None, "_shard_doc"
        while True:
            self._web.tally.count_page(most)
            asked = {
                "size": size,
                "pit": {"id": view, "keep_alive": KEEP},
                "sort": [{order: "asc"}],
                "track_total_hits": True,
                **({} if after is None else {"search_after": after}),
            }
            status, answer = await self._search(asked)
            if status == httpx.codes.BAD_REQUEST and order == "_shard_doc" and after is None:
                order = "_id"  # of an OpenSearch that does not know the order of a view
                continue
            if status != httpx.codes.OK:
                raise status_error(KIND, status)
            page, total, view = self._read_page(answer, view)
            for hit in page:
                place = (hit["_index"], hit["_id"])
                if place in seen:
                    raise answer_error(KIND, "a document that was read before")
                seen.add(place)
            hits += page
            if total > most or len(hits) > most:
                raise size_limit_error("max_rows", most, max(total, len(hits)), "The index has more documents")
            if not page:
                if len(hits) != total:
                    raise answer_error(KIND, f"{len(hits):,} documents of {total:,}")
                return hits
            after = page[-1].get("sort")
            if not isinstance(after, list):
                raise answer_error(KIND, "documents without their order")

    async def _search(self, asked: Mapping[str, object]) -> tuple[int, object]:
        page = await self._web.ask("POST", self._resolve_url("/_search"), content=asked, headers=self._headers)
        return page.status, parse_exact(page.body, self._limits) if page.status == httpx.codes.OK else None

    def _read_page(self, answer: Any, view: str) -> tuple[list[dict[str, Any]], int, str]:
        """The documents of a page, how many there are in all, and the view as it is called from here on."""
        match answer:
            case {"hits": _} if not _is_whole(answer):
                raise ConnectorError("A part of the index did not answer.", reason="lost", type=KIND.type)
            case {"hits": {"total": {"value": int(total), "relation": "eq"}, "hits": list(page)}}:
                for hit in page:
                    _check_hit(hit)
                self._web.tally.count_cells(sum(len(hit["_source"]) + 4 for hit in page))
                renewed = answer.get("pit_id", view)
                return page, total, renewed if isinstance(renewed, str) else view
        raise answer_error(KIND, "an answer without documents")

    async def _ask(self, method: str, path: str) -> Mapping[str, object]:
        page = await self._web.ask(method, self._resolve_url(path), headers=self._headers)
        if page.status == httpx.codes.NOT_FOUND and path != "/":
            raise SourceNotFoundError("There is no index of that name.", hint="Check the index; names are lower case.")
        if page.status != httpx.codes.OK:
            raise status_error(KIND, page.status)
        answer = parse_exact(page.body, self._limits)
        if not isinstance(answer, Mapping):
            raise answer_error(KIND, "an answer that is not an object")
        return answer

    def _resolve_url(self, path: str) -> httpx.URL:
        return httpx.URL(str(self._url).rstrip("/") + path)


def _check_hit(hit: object) -> None:
    match hit:
        case {"_id": str(), "_index": str(), "_source": dict()}:
            return
        case {"_id": str(), "_index": str()}:
            raise SourceMalformedError(
                "The index does not store the original documents.", hint="Its mapping turns _source off."
            )
    raise answer_error(KIND, "a malformed document")


def _build_row(hit: Mapping[str, Any], limits: Limits) -> dict[str, object]:
    row = flatten(hit["_source"], limits)
    if "_id" in row:
        raise SourceMalformedError("A document has a field _id, the name of the column of document ids.")
    return {"_id": hit["_id"], **row}


def _is_whole(answer: Mapping[str, object]) -> bool:
    shards = answer.get("_shards")
    failed = shards.get("failed", 0) if isinstance(shards, Mapping) else 0
    return not answer.get("timed_out") and failed == 0


def _iter_leaves(prefix: str, properties: Mapping[str, object], levels: int = 16) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, mapping in properties.items():
        if not isinstance(mapping, Mapping):
            raise answer_error(KIND, "a malformed mapping")
        inner = mapping.get("properties")
        kind = mapping.get("type", "object")
        if isinstance(inner, Mapping) and kind != "nested" and levels:
            found += _iter_leaves(f"{prefix}{name}.", inner, levels - 1)
        elif kind not in ("object", "alias"):
            found.append((f"{prefix}{name}", str(kind)))
    return found


def _convert_column(name: str, kind: str, rows: Sequence[dict[str, object]], notes: list[str]) -> None:
    """Give a column the type of its mapping, where all of its values are of that type as they were sent."""
    values = [row[name] for row in rows if row.get(name) is not None]
    convert = _find_converter(name, kind, values, notes)
    if convert is None:
        return
    for row in rows:
        if row.get(name) is not None:
            row[name] = convert(row[name])


def _find_converter(name: str, kind: str, values: Sequence[Any], notes: list[str]) -> Callable[[Any], object] | None:
    kinds = set(map(type, values))
    if kind in NARROW and kinds <= {int, float} and values:
        notes.append(
            f"{name}: the index holds less than it was sent ({kind}); these are the numbers as they were sent."
        )
    if kind in FRACTIONS and kinds == {int} and all(abs(value) <= 2**53 for value in values):
        return float
    if kind in TEXTS and kinds - {str}:
        return lambda value: value if isinstance(value, str) else write_canonical_text(value)
    if kind == "boolean" and str in kinds <= {str, bool} and set(values) <= {True, False, "true", "false"}:
        return lambda value: value if isinstance(value, bool) else value == "true"
    if kind == "date" and kinds == {int} and FIRST_MS <= min(values) <= max(values) <= LAST_MS:
        notes.append(f"{name}: whole numbers are read as milliseconds since 1970, as the index reads them.")
        return lambda value: EPOCH + datetime.timedelta(milliseconds=value)
    return None


CONNECTOR = Connector(kind=KIND, reads_files=False, extract=extract, probe=probe, find_hosts=find_hosts)
