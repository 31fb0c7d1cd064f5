"""Read a request, which is hostile until it has passed here, and send its answer."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from ipaddress import ip_address
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

import msgspec

from service_nb.core.canonical import parse_strict
from service_nb.core.stopping import Stop
from service_nb.errors import ForbiddenError, InvalidIntentError, LimitExceededError, UnauthenticatedError
from service_nb.server.admission import Asker, group_address
from service_nb.server.answers import CLOSE, EncodedAnswer, HttpError, RawHeaders, build_large_head
from service_nb.server.config import Config, is_local_name
from service_nb.server.limits import SharedLimits
from service_nb.server.routes import FORM, JSON, Route

AsgiMessage = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[AsgiMessage]]
Send = Callable[[AsgiMessage], Awaitable[None]]
Reason = Literal["gone", "deadline", "drain"]
ACCESS = logging.getLogger("service_nb.access")
MOST_KEY_CHARS = 512
MOST_FORM_FIELDS = 10
MOST_QUERY_FIELDS = 100
MOST_BYTES_OF_STRANGERS = 16 * 1024  # of a body that needs no key: a code, a name
FREE_BYTES = 64 * 1024  # of each body, which no other request stands in the way of

SAFE: RawHeaders = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
]
NO_STORE = (b"cache-control", b"no-store")
HSTS = (b"strict-transport-security", b"max-age=31536000")

_REQUEST_ID = re.compile(r"[A-Za-z0-9._~-]{1,128}", re.ASCII)
_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*)", re.ASCII | re.IGNORECASE)
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,200}", re.ASCII)
_HOST = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]{2,45})\]|(?P<name>[^\[\]:/\\@\s]{1,255}))(?::\d{1,5})?", re.ASCII)
_IDS: list[str] = []


class Gone(Exception):  # noqa: N818  # nothing went wrong here
    """The client disconnected before its request was complete or answered."""


class Headers:
    """The headers of a request by name; one that comes twice has no value that could be believed."""

    def __init__(self, raw: Sequence[tuple[bytes, bytes]]) -> None:
        self._values: dict[bytes, bytes | None] = {}
        self.size = 0
        for name, value in raw:
            self.size += len(name) + len(value)
            self._values[name] = None if name in self._values else value

    def __contains__(self, name: str) -> bool:
        return name.encode() in self._values

    def get(self, name: str) -> str | None:
        """Return a value; None where there is none, or more than one."""
        value = self._values.get(name.encode())
        return None if value is None else value.decode("latin-1").strip()

    def get_single(self, name: str) -> str | None:
        """Return a value, None where there is none; raise `invalid_intent` where there is more than one."""
        if name in self and self.get(name) is None:
            raise InvalidIntentError(f"The header {name} is given more than once.", path=name)
        return self.get(name)

    def get_request_id(self) -> str:
        """Return the caller's id of the request, or a new one."""
        given = self.get("x-request-id")
        return given if given is not None and _REQUEST_ID.fullmatch(given) else _create_id()

    def get_bearer(self) -> str:
        """Return the key, or raise `unauthenticated`."""
        met = _BEARER.fullmatch(self.get("authorization") or "")
        if met is None or len(met[1]) > MOST_KEY_CHARS:
            raise UnauthenticatedError(
                "The deployment needs a key.",
                hint="Set SERVICE_API_KEY, or run service-nb login --deployment; it is sent as Authorization: Bearer …",
            )
        return met[1]

    def get_timeout(self, most_s: float) -> float:
        """Return within how many seconds an answer is wanted, at most `most_s`."""
        given = self.get_single("x-service-timeout")
        try:
            seconds = most_s if given is None or len(given) > 32 else float(given)
        except ValueError:
            seconds = math.nan
        if given is not None and (len(given) > 32 or not seconds > 0):
            raise InvalidIntentError("X-Service-Timeout must be a number of seconds above 0.", path="X-Service-Timeout")
        return min(seconds, most_s)

    def get_idempotency_key(self) -> str | None:
        """Return the key that a retried request shares with the first one; None where there is none."""
        given = self.get_single("idempotency-key")
        if given is not None and not _IDEMPOTENCY_KEY.fullmatch(given):
            raise InvalidIntentError(
                "Idempotency-Key must be 1 to 200 printable ASCII characters.", path="Idempotency-Key"
            )
        return given

    def get_media_type(self) -> str:
        """Return the type of the body, in lower case and without parameters."""
        return (self.get("content-type") or "").partition(";")[0].strip().lower()

    def check_tenant(self, tenant: str) -> None:
        """Raise `forbidden` where another tenant is named than the key's. Whether there is such a one is not told."""
        if (self.get_single("x-service-tenant") or tenant) != tenant:
            raise ForbiddenError("The key does not belong to the tenant in X-Service-Tenant.", path="X-Service-Tenant")

    def check_framing(self) -> None:
        """Refuse a body with two stated lengths: a proxy may have believed the other one."""
        if "content-length" in self and "transfer-encoding" in self:
            error = InvalidIntentError(
                "The request has a Content-Length and a Transfer-Encoding.", path="Content-Length"
            )
            raise HttpError(error, 400, CLOSE)

    def check_host(self, names: frozenset[str] | None) -> None:
        """Raise where a request was meant for another server, or a page of another server has a browser send it.

        A page that is looked at on the machine of a deployment can have its own name lead to 127.0.0.1, and then call
        what listens there as its own server; it cannot keep its name out of the request. `names` None: every one.
        """
        host, origin = self.get("host"), self.get("origin")
        if host is not None and not _is_accepted(host, names):
            message = "This deployment does not answer to that host name."
        elif "origin" in self and (origin is None or urlsplit(origin).netloc != host):
            message = "A page of another server may not call a deployment."
        else:
            return
        hint = "Ask it by its address, or have server.public_url or server.names in deployment.toml say the name."
        raise HttpError(ForbiddenError(message, hint=hint), 421, CLOSE)

    def check_body(self, route: Route, body_bytes: int) -> None:
        """Raise what is wrong with a body before any of it is read."""
        accepted = (JSON, FORM) if route.takes_forms else (JSON,)
        if self.get_media_type() not in accepted or (self.get("content-encoding") or "identity").lower() != "identity":
            expected = " or ".join(accepted) + ", not compressed"
            error = InvalidIntentError(f"The body has to be {expected}.", path="Content-Type", expected=expected)
            raise HttpError(error, 415)
        length, most = self.get_single("content-length") or "", _choose_most_bytes(route, body_bytes)
        if length.isascii() and length.isdigit() and (len(length) > 18 or int(length) > most):
            raise _build_too_large(most)


class Exchange:
    """One request and its answer: what came, what was sent, and what the log says of both."""

    def __init__(self, scope: AsgiMessage, receive: Receive, send: Send) -> None:
        self.scope = scope
        self.receive = receive
        self._send = send
        self.headers = Headers(scope["headers"])
        self.request_id = self.headers.get_request_id()
        self.method: str = scope["method"]
        self.route = "none"  # its path as the table has it, never as the client wrote it
        self.path: Mapping[str, str] = {}  # its parameters
        self.asker = Asker()
        self.code: str | None = None
        self.status = 0  # none was sent: the client was gone
        self.sent = 0
        self.held = 0  # bytes of the body that others have to wait for
        self.has_unread_body = self.method not in ("GET", "HEAD")
        self.began = time.perf_counter()
        self.deadline = math.inf
        self.stop = Stop()
        self.reason: Reason | None = None  # why it was asked to stop, first

    @property
    def address(self) -> str:
        """The group that the client's address is counted in; a trusted proxy names the address."""
        client = self.scope.get("client")
        return group_address(client[0]) if client else ""

    async def send(self, content: EncodedAnswer, status: int = 200) -> None:
        """Send an answer, whole; `status` is for content that has none."""
        status = content.status or status
        has_body = status not in (204, 304)
        headers = list(content.headers)
        if has_body:
            headers += [(b"content-length", str(len(content.body)).encode()), (b"content-type", content.media_type)]
        await self.begin(status, headers)
        await self.send_piece(content.body if has_body else b"", is_last=True)

    async def begin(self, status: int, headers: RawHeaders) -> None:
        """Send status and headers."""
        names = {name for name, _ in headers}
        sent = [(b"x-request-id", self.request_id.encode()), *SAFE, *headers]
        if b"cache-control" not in names:
            sent.append(NO_STORE)
        if self.scope.get("scheme") == "https":
            sent.append(HSTS)
        if self.has_unread_body and b"connection" not in names:  # else it would be read as the next request
            sent += CLOSE
        self.status = status
        await self._send({"type": "http.response.start", "status": status, "headers": sent})

    async def send_piece(self, body: bytes, *, is_last: bool) -> None:
        """Send a piece of the body."""
        self.sent += len(body)
        await self._send({"type": "http.response.body", "body": body, "more_body": not is_last})

    async def wait_gone(self) -> None:
        """Wait until the client is gone; what it still sends is not read."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    def measure_left(self) -> float:
        """Return the seconds to the deadline, 0 after it."""
        return max(0.0, self.deadline - time.monotonic())

    def measure_seconds(self) -> float:
        """Return the seconds since the request came."""
        return time.perf_counter() - self.began

    def log(self) -> None:
        """Write a line: no query, no header, no body, no name that is a caller's."""
        if not ACCESS.isEnabledFor(logging.INFO):
            return
        client = self.scope.get("client")
        line = {
            "request_id": self.request_id,
            "method": self.method if self.method.isalpha() and len(self.method) <= 16 else "other",
            "route": self.route,
            "status": self.status,
            "ms": round(self.measure_seconds() * 1_000, 3),
            "bytes": self.sent,
            "key": self.asker.key_id or None,
            "code": self.code,
            "client": client[0] if client else None,
        }
        ACCESS.info("%s", json.dumps(line))


def check_head(exchange: Exchange, most: int, names: frozenset[str] | None) -> None:
    """Refuse a large head, another server's name, and a body of two lengths.

    What comes in one packet is parsed whole; uvicorn's own limit is on what is incomplete.
    """
    headers, scope = exchange.headers, exchange.scope
    if headers.size + len(scope["raw_path"]) + len(scope["query_string"]) > most:
        raise build_large_head(most)
    headers.check_host(names)
    headers.check_framing()


async def read_body(exchange: Exchange, route: Route, config: Config, limits: SharedLimits) -> bytes:
    """Read a body, which has to arrive in time, and may not hold too much: by itself, and with all others."""
    most, limit_s = _choose_most_bytes(route, config.limits.body_bytes), config.timeouts.body_s
    deadline = time.monotonic() + limit_s
    pieces: list[bytes] = []
    size, is_more = 0, True
    while is_more:
        try:
            async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                message = await exchange.receive()
        except TimeoutError:
            error = InvalidIntentError(f"The body did not arrive within {limit_s:g} s.", path="body", limit_s=limit_s)
            raise HttpError(error, 408, CLOSE) from None
        if message["type"] == "http.disconnect":
            raise Gone
        piece = message.get("body", b"")
        if size + len(piece) > most:
            raise _build_too_large(most)
        count = max(0, size + len(piece) - FREE_BYTES) - exchange.held
        if count:
            await limits.take_bytes(exchange.asker, count)
        exchange.held += count
        size += len(piece)
        pieces.append(piece)
        is_more = message.get("more_body", False)
    exchange.has_unread_body = False
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def parse_body(body: bytes, media_type: str, route: Route, body_bytes: int) -> msgspec.Struct:
    """Parse a body as the type that the route takes; of several, the one whose required keys are there."""
    raw = _parse_form(body) if media_type == FORM else parse_strict(body, max_bytes=body_bytes)
    keys = frozenset(raw) if isinstance(raw, Mapping) else frozenset()
    kind = next((kind for kind in route.takes if _list_required_keys(kind) <= keys), route.takes[0])
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        # The text names what was expected and where, and never a value but a choice that there is not.
        message, _, place = str(error)[:1_000].partition(" - at `$")
        path = place.rstrip("`").lstrip(".") or "body"
        raise InvalidIntentError(f"{message} ({path}).", path=path, hint="GET /openapi.json has its form.") from None


def parse_query(raw: bytes, route: Route) -> dict[str, str]:
    """Parse the parameters of a query; raise `invalid_intent` at one that the route does not know."""
    if not raw:
        return {}
    known = {parameter.name for parameter in route.parameters if parameter.place == "query"}
    found = _parse_pairs(raw, "query", "The query string cannot be read.", "A parameter is given more than once.")
    if not known >= found.keys():
        raise InvalidIntentError(
            "The query has a parameter that this route does not take.", path="query", expected=sorted(known)
        )
    return found


def _parse_form(body: bytes) -> dict[str, str]:
    message = "The body is not a form of a few fields."
    return _parse_pairs(body, "body", message, "A field of the form is given more than once.", is_form=True)


def _parse_pairs(raw: bytes, path: str, unreadable: str, repeated: str, *, is_form: bool = False) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            raw.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=is_form,
            max_num_fields=MOST_FORM_FIELDS if is_form else MOST_QUERY_FIELDS,
            errors="strict",
        )
    except (ValueError, UnicodeError):
        raise InvalidIntentError(unreadable, path=path) from None
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidIntentError(repeated, path=path)
    return found


@cache
def _list_required_keys(kind: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(field.name for field in msgspec.structs.fields(kind) if field.required)


def _choose_most_bytes(route: Route, body_bytes: int) -> int:
    return body_bytes if route.scope is not None else min(body_bytes, MOST_BYTES_OF_STRANGERS)


def _build_too_large(most: int) -> HttpError:
    error = LimitExceededError(
        f"The body has more than {most:,} bytes.", path="body", limit=most, limit_name="body_bytes"
    )
    return HttpError(error, 413, CLOSE)  # what is still to come is not read


@lru_cache(maxsize=256)
def _is_accepted(host: str, names: frozenset[str] | None) -> bool:
    if names is None:
        return True
    met = _HOST.fullmatch(host)
    if met is None:
        return False
    name = (met["six"] or met["name"]).lower().removesuffix(".")
    return name in names or is_local_name(name) or _is_address(name)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _create_id() -> str:
    """Return a random id. Many are made at once: asking the system for each has the event loop wait for threads."""
    with suppress(IndexError):
        return _IDS.pop()
    digits = secrets.token_hex(8 * 256)
    _IDS.extend(f"req_{digits[start : start + 16]}" for start in range(0, len(digits), 16))
    return _IDS.pop()
