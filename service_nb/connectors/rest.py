"""A declared JSON API: GET requests, the place of the records in an answer, and one of five ways to the next page.

There is no code in a descriptor. Its URL leads to a public host, or to one that the deployment's configuration allows;
what an answer points to is followed only within the same server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

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
    status_error,
)
from service_nb.connectors.options import read_option
from service_nb.connectors.web import Page, Web, build_basic_auth, find_origin, open_web, read_url
from service_nb.core.canonical import parse_strict
from service_nb.core.words import describe_value
from service_nb.errors import CanonicalJsonError, LimitExceededError, SourceMalformedError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.json_records import build_dataset, flatten, parse_exact
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.source import DEFAULT_LIMITS, Limits

KIND = Kind(
    type="rest",
    title="REST API",
    group="api and files",
    keys=("user", "password", "table", "query"),
    options={
        "url": "https://host/path of the records, or of the API when table is given",
        "method": "GET, which is also the default",
        "token": "a bearer token",
        "headers": 'further headers, as a JSON object: {"X-Api-Key": "…"}',
        "records": "the place of the records in an answer, such as data.items; by default the answer itself",
        "pagination": "none, page, offset, cursor or link; by default none",
        "page_param": "the parameter of the page's number; by default page",
        "first_page": "the number of the first page: 0 or 1, which is the default",
        "offset_param": "the parameter of the offset; by default offset",
        "size_param": "the parameter of the page's size; by default per_page, of offsets limit",
        "size": "records a page, from 1 to 10000; by default 100",
        "cursor_param": "the parameter of the cursor; by default cursor",
        "cursor": "the place of the next cursor in an answer; by default next_cursor",
        "max_pages": "the most pages that are read, from 1 to 10000, which is the default; more is an error",
        "flatten": "true: objects in records are columns by dotted names; false, the default: they are JSON text",
    },
    secrets=("token", "headers"),
    driver="httpx",
)
WAYS = ("none", "page", "offset", "cursor", "link")
MOST_PAGES = 10_000
MOST_SIZE = 10_000
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
# What says whom a connection is for, or how it is spoken, is not for a descriptor to say.
OWN_HEADERS = (
    *("host", "connection", "content-length", "transfer-encoding", "te", "upgrade", "accept-encoding", "trailer"),
    *("proxy-authorization", "keep-alive", "expect"),
)
LINK = re.compile(r"<([^<>]*)>((?:\s*;[^,<>]*)*)")
NEXT = re.compile(r';\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)', re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ApiRequest:
    url: httpx.URL
    headers: Mapping[str, str]
    records: tuple[str, ...]
    way: str
    size: int
    most_pages: int
    flatten: bool
    options: Mapping[str, object]

    def read_name(self, option: str, default: str) -> str:
        value = self.options.get(option)
        return value if isinstance(value, str) and value else default


def extract(descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Read all pages of a declared API."""
    request = _build_request(descriptor)
    records = run_work(KIND, _read_pages(request, options.limits), deadline)
    if request.flatten:
        records = [flatten(record, options.limits) if isinstance(record, Mapping) else record for record in records]
    return build_dataset(records, options)


def probe(descriptor: Descriptor, deadline: float) -> str:
    """Say how many records the first page has."""
    records = run_work(KIND, _read_pages(_build_request(descriptor), DEFAULT_LIMITS, most=1), deadline)
    return f"The REST API answers; {len(records):,} records on the first page."


def find_hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where it is asked."""
    return (_build_url(descriptor).host,)


def _build_request(descriptor: Descriptor) -> _ApiRequest:
    method = read_option(descriptor, "method") or "GET"
    if method.upper() != "GET":
        raise key_error("method", describe_value(method), "GET: a source is read, never written")
    way = read_option(descriptor, "pagination") or "none"
    if way not in WAYS:
        raise key_error("pagination", describe_value(way), " or ".join(WAYS))
    return _ApiRequest(
        url=_build_url(descriptor),
        headers=_build_headers(descriptor),
        records=_split_place(read_option(descriptor, "records")),
        way=way,
        size=read_whole(descriptor, "size", 100, MOST_SIZE),
        most_pages=read_whole(descriptor, "max_pages", MOST_PAGES, MOST_PAGES),
        flatten=read_flag(descriptor, "flatten"),
        options=descriptor.options,
    )


def _build_url(descriptor: Descriptor) -> httpx.URL:
    url = read_url(require_key(descriptor, "url", "https://host/path"))
    if descriptor.table:
        parts = descriptor.table.strip("/").split("/")
        if "//" in descriptor.table or any(part in (".", "..") or not part for part in parts):
            raise key_error("table", describe_value(descriptor.table), "a path below the URL, such as orders")
        if re.search(r"[?#\\%:]", descriptor.table):
            raise key_error("table", describe_value(descriptor.table), "a path without signs")
        url = url.copy_with(path=f"{url.path.rstrip('/')}/{'/'.join(parts)}")
    if descriptor.query:
        pairs = httpx.QueryParams(descriptor.query.removeprefix("?"))
        url = url.copy_with(params=[*url.params.multi_items(), *pairs.multi_items()])
    return read_url(str(url))


def _build_headers(descriptor: Descriptor) -> dict[str, str]:
    headers = _read_headers(descriptor)
    token = read_secret(descriptor, "token")
    if token is not None:
        return {**headers, "Authorization": f"Bearer {_check_header_value(token.reveal(), 'token')}"}
    return {**headers, **build_basic_auth(descriptor)}


def _read_headers(descriptor: Descriptor) -> dict[str, str]:
    secret = read_secret(descriptor, "headers")
    if secret is None:
        return {}
    expected = 'a JSON object of texts: {"X-Api-Key": "…"}'
    try:
        found = parse_strict(secret.reveal(), max_bytes=100_000, max_depth=1)
    except (CanonicalJsonError, LimitExceededError):
        raise key_error("headers", "no such object", expected) from None  # the cause would hold the secrets
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise key_error("headers", "no such object", expected)
    for name in found:
        if not HEADER_NAME.fullmatch(name) or name.lower() in OWN_HEADERS:
            raise key_error("headers", describe_value(name), "a header that is the caller's to set")
    return {name: _check_header_value(value, "headers") for name, value in found.items()}


def _check_header_value(value: str, name: str) -> str:
    if not value.isascii() or not value.isprintable():
        raise key_error(name, "a text with characters that a header cannot hold", "printable ASCII")
    return value


def _split_place(text: str | None) -> tuple[str, ...]:
    return tuple(part for part in (text or "").split(".") if part)


async def _read_pages(request: _ApiRequest, limits: Limits, most: int | None = None) -> list[object]:
    """Return the records of all pages, or of the first `most`."""
    records: list[object] = []
    seen: set[str] = set()
    url: httpx.URL | None = _build_first_url(request)
    async with open_web(KIND, limits) as web:
        while url is not None and (most is None or len(seen) < most):
            web.tally.count_page(request.most_pages)
            if str(url) in seen:
                raise answer_error(KIND, "a next page that was read before")
            seen.add(str(url))
            page = await web.get(url, request.headers)
            if page.status != httpx.codes.OK:
                raise status_error(KIND, page.status)
            document = parse_exact(page.body, limits)
            found = _find_records(document, request.records)
            web.tally.count_cells(sum(len(record) if isinstance(record, Mapping) else 1 for record in found))
            records += found
            if request.way in ("page", "offset"):  # until one is empty: a server may give fewer than were asked for
                url = _build_page_url(request, len(seen), len(records)) if found else None
            else:
                url = _find_next_url(request, web, page, document)
    return records


def _build_first_url(request: _ApiRequest) -> httpx.URL:
    if request.way in ("page", "offset"):
        return _build_page_url(request, 0, 0)
    if request.way in ("cursor", "link") and ("size" in request.options or "size_param" in request.options):
        return _add_parameters(request.url, {request.read_name("size_param", "per_page"): str(request.size)})
    return request.url


def _build_page_url(request: _ApiRequest, pages: int, records: int) -> httpx.URL:
    if request.way == "offset":
        place = {request.read_name("offset_param", "offset"): str(records)}
        size_param = request.read_name("size_param", "limit")
    else:
        first = request.read_name("first_page", "1")
        if first not in ("0", "1"):
            raise key_error("first_page", describe_value(first), "0 or 1")
        place = {request.read_name("page_param", "page"): str(int(first) + pages)}
        size_param = request.read_name("size_param", "per_page")
    return _add_parameters(request.url, {**place, size_param: str(request.size)})


def _find_next_url(request: _ApiRequest, web: Web, page: Page, document: object) -> httpx.URL | None:
    start = find_origin(request.url)
    if request.way == "link":
        target = _find_next_link(page.headers)
        return None if target is None else web.resolve_target(start, page.url, target)
    if request.way != "cursor":
        return None
    cursor = _find_at(document, _split_place(request.read_name("cursor", "next_cursor")))
    if cursor is None or cursor is False or cursor == "":
        return None
    if isinstance(cursor, bool) or not isinstance(cursor, str | int):
        raise answer_error(KIND, "a cursor that is not text")
    text = str(cursor)
    if text.startswith(("http://", "https://")):
        return web.resolve_target(start, request.url, text)
    return _add_parameters(_build_first_url(request), {request.read_name("cursor_param", "cursor"): text})


def _add_parameters(url: httpx.URL, parameters: Mapping[str, str]) -> httpx.URL:
    return url.copy_merge_params(dict(parameters))


def _find_next_link(headers: httpx.Headers) -> str | None:
    for value in headers.get_list("link"):
        for target, parameters in LINK.findall(value[:65_536]):
            if NEXT.search(parameters):
                return str(target)
    return None


def _find_records(document: object, place: tuple[str, ...]) -> list[object]:
    found = _find_at(document, place)
    if isinstance(found, list):
        return found
    if isinstance(found, Mapping):
        return [found]
    where = ".".join(place) or "the answer"
    raise SourceMalformedError(
        f"At {describe_value(where)} is {describe_value(found)}; expected a list of objects.",
        hint="Set records to the place of the list.",
        met=describe_value(found),
        expected="a list of objects",
    )


def _find_at(document: object, place: tuple[str, ...]) -> object:
    for name in place:
        document = document.get(name) if isinstance(document, Mapping) else None
    return document


CONNECTOR = Connector(kind=KIND, reads_files=False, extract=extract, probe=probe, find_hosts=find_hosts)
