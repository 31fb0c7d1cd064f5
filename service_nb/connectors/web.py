"""HTTP to sources: to checked addresses only, without proxies or cookies, in bounded answers."""

from __future__ import annotations

import base64
import json
import ssl
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urljoin

import httpx

from service_nb.connectors.addresses import Scope, normalise_host, resolve_host
from service_nb.connectors.extraction import Tally, answer_error, key_error, lost_error, size_limit_error, source_error
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.source import Limits

CONNECT_S = 10
SILENCE_S = 60  # without a byte; the deadline is held besides
FREE_BYTES = 10 * 1024**2  # of an answer, before anyone asks how well it was packed
MOST_URL = 8_192
MOST_PORT = 65_535
MOST_REDIRECTS = 3
UNSAFE = "\\\t\r\n <>\"'`{}|^"


@dataclass(frozen=True, slots=True)
class Page:
    """One answer: its address, status, headers, and body, inflated."""

    url: httpx.URL
    status: int
    headers: httpx.Headers
    body: bytes


def read_url(text: str, name: str = "url") -> httpx.URL:
    """Return a URL of http or https, with a plain host and without a user. Raises `invalid_intent`."""
    if len(text) > MOST_URL or not text.isascii() or any(char in UNSAFE or not char.isprintable() for char in text):
        raise key_error(name, "no plain URL", "printable ASCII, spaces and signs percent-encoded")
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, ValueError) as error:
        raise key_error(name, "no URL", "https://host/path") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise key_error(name, describe_value(url.scheme or "no scheme"), "a URL of http or https")
    if url.userinfo:
        raise InvalidIntentError(
            f"The connector's {name} holds a user or password.",
            hint="Pass user and password, token or headers, which are stored as secrets.",
            path=f"connector.{name}",
        )
    if url.port is not None and not 0 < url.port <= MOST_PORT:
        raise key_error(name, f"port {url.port}", f"a port from 1 to {MOST_PORT}")
    host = normalise_host(url.host)
    return url.copy_with(host=host, fragment=None)


def find_port(url: httpx.URL) -> int:
    """Return the port that a URL names or means."""
    return url.port or (443 if url.scheme == "https" else 80)


def find_origin(url: httpx.URL) -> tuple[str, str, int]:
    """Find a URL's origin: scheme, host and port."""
    return url.scheme, url.host, find_port(url)


class Web:
    """A client of one server. What it is sent is counted, and every address is checked before it is connected to."""

    def __init__(self, kind: Kind, client: httpx.AsyncClient, limits: Limits, scope: Scope) -> None:
        self._kind, self._client, self._limits, self._scope = kind, client, limits, scope
        self.tally = Tally(limits)

    async def ask(
        self, method: str, url: httpx.URL, *, content: object = None, headers: Mapping[str, str] | None = None
    ) -> Page:
        """Send one request and return the whole answer; `content` is sent as JSON.

        Raises `connector_failed`, `limit_exceeded`.
        """
        addresses = await resolve_host(url.host, find_port(url), self._scope)
        sent = {
            "Host": _build_host_header(url),
            "Accept-Encoding": "gzip",
            "Accept": "application/json",
            **(headers or {}),
        }
        body = None if content is None else json.dumps(content).encode()
        if body is not None:
            sent["Content-Type"] = "application/json"
        for position, address in enumerate(addresses, start=1):
            target, named = url.copy_with(host=address), {"sni_hostname": url.host}
            request = self._client.build_request(method, target, content=body, headers=sent, extensions=named)
            try:
                return await self._send(request, url)
            except httpx.ConnectError as error:
                if position == len(addresses):
                    raise lost_error(self._kind, is_lost=False) from error
        raise lost_error(self._kind, is_lost=False)

    async def _send(self, request: httpx.Request, url: httpx.URL) -> Page:
        try:
            response = await self._client.send(request, stream=True)
            try:
                return Page(url, response.status_code, response.headers, await self._read_body(response))
            finally:
                self._client.cookies.clear()
                await response.aclose()
        except httpx.ConnectError:
            raise
        except httpx.TimeoutException as error:
            raise source_error(self._kind, "said nothing for too long", "timed_out") from error
        except httpx.NetworkError as error:
            raise lost_error(self._kind, is_lost=True) from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise answer_error(self._kind, "not HTTP, or cut short") from error

    async def _read_body(self, response: httpx.Response) -> bytes:
        """Read a body, inflated piece by piece: it ends as soon as it is too long, or out of proportion."""
        packing = response.headers.get("content-encoding", "identity").strip().lower()
        if packing not in ("identity", "gzip", "x-gzip", ""):
            raise answer_error(self._kind, "an encoding that was not asked for")
        inflating = zlib.decompressobj(31) if packing.endswith("gzip") else None
        received, parts, size = 0, list[bytes](), 0
        async for block in response.aiter_raw():
            received += len(block)
            for part in (block,) if inflating is None else self._inflate_block(inflating, block):
                size += len(part)
                self.tally.count_bytes(len(part))
                self._check_size(size, received)
                parts.append(part)
        if inflating is not None and received and not inflating.eof:
            raise answer_error(self._kind, "cut short")
        return b"".join(parts)

    def _inflate_block(self, inflating: zlib._Decompress, block: bytes) -> Iterator[bytes]:
        while block and not inflating.eof:
            try:
                yield inflating.decompress(block, FREE_BYTES)
            except zlib.error as error:
                raise answer_error(self._kind, "broken gzip") from error
            block = inflating.unconsumed_tail

    def _check_size(self, size: int, received: int) -> None:
        limits = self._limits
        if size > limits.json_bytes:
            raise size_limit_error("json_bytes", limits.json_bytes, size, "An answer has more bytes")
        if size > FREE_BYTES and size > limits.inflate_ratio * received:
            ratio = size // max(received, 1)
            raise size_limit_error("inflate_ratio", limits.inflate_ratio, ratio, "An answer inflates out of proportion")

    async def get(self, url: httpx.URL, headers: Mapping[str, str]) -> Page:
        """Get a page; redirected, at most three times, only within the same server. Raises `connector_failed`."""
        start = find_origin(url)
        for _ in range(MOST_REDIRECTS + 1):
            page = await self.ask("GET", url, headers=headers)
            if page.status not in (301, 302, 303, 307, 308):
                return page
            url = self.resolve_target(start, url, page.headers.get("location", ""))
        raise answer_error(self._kind, "redirects without end")

    def resolve_target(self, start: tuple[str, str, int], base: httpx.URL, target: str) -> httpx.URL:
        """Return where an answer points to, provided that it is the server that was asked.

        Raises `connector_failed`.
        """
        try:
            url = read_url(urljoin(str(base), target), "next page")
        except (InvalidIntentError, ValueError) as error:
            raise answer_error(self._kind, "a malformed address") from error
        if find_origin(url) != start:
            fault = "redirects to another server; redirects are not followed"
            raise source_error(self._kind, fault, "not_allowed", "Connect that server as another source.")
        return url


def build_basic_auth(descriptor: Descriptor) -> dict[str, str]:
    """Build the header of a descriptor's user and password; none where it has not both."""
    if descriptor.user is None or descriptor.password is None:
        return {}
    pair = f"{descriptor.user}:{descriptor.password.reveal()}".encode()
    return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}


def _build_host_header(url: httpx.URL) -> str:
    host = f"[{url.host}]" if ":" in url.host else url.host
    return host if url.port is None else f"{host}:{url.port}"


@asynccontextmanager
async def open_web(
    kind: Kind, limits: Limits, scope: Scope = "public", authority: str | None = None
) -> AsyncIterator[Web]:
    """Yield a client without proxies, cookies or redirects; `authority`: whose certificates count, as PEM."""
    timeout = httpx.Timeout(SILENCE_S, connect=CONNECT_S)
    trusted = _build_trust(authority)
    async with httpx.AsyncClient(timeout=timeout, trust_env=False, follow_redirects=False, verify=trusted) as client:
        client.headers = httpx.Headers({"User-Agent": "service-nb"})
        yield Web(kind, client, limits, scope)


@lru_cache(maxsize=16)
def _build_trust(authority: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cadata=authority)
    except (ssl.SSLError, ValueError) as error:
        raise key_error("ca_certificate", "no certificate", "PEM text") from error
