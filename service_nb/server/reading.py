"""What a request says: its headers, its body. All of it is hostile until it has passed here."""

from __future__ import annotations

import asyncio
import math
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from service_nb.core.parse import parse_strict
from service_nb.errors import ForbiddenError, InvalidIntentError, LimitExceededError, UnauthenticatedError
from service_nb.server.errors import Refused, too_slow, wrong_media_type
from service_nb.server.ports import Bounds
from service_nb.server.routes import Route

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
MOST_KEY_CHARS = 512
MOST_FORM_FIELDS = 10
MOST_QUERY_FIELDS = 100
MOST_BYTES_OF_STRANGERS = 16 * 1024  # of a body that needs no key: a code, a name
FREE_BYTES = 64 * 1024  # of each body, which no other request stands in the way of
JSON, FORM = "application/json", "application/x-www-form-urlencoded"

_REQUEST_ID = re.compile(r"[A-Za-z0-9._~-]{1,128}", re.ASCII)
_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*)", re.ASCII | re.IGNORECASE)
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,200}", re.ASCII)


_IDS: list[str] = []


class Gone(Exception):  # noqa: N818  # nothing went wrong here
    """The client went before it had sent all."""


class Headers:
    """The headers of a request, by name; one that comes twice has no value that could be believed."""

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

    def one(self, name: str) -> str | None:
        """Return a value, None where there is none; raises `invalid_intent` where there is more than one."""
        if name in self and self.get(name) is None:
            raise InvalidIntentError(f"The header {name} is given more than once.", path=name)
        return self.get(name)

    def request_id(self) -> str:
        """Return the caller's id of the request, or a new one."""
        given = self.get("x-request-id")
        return given if given is not None and _REQUEST_ID.fullmatch(given) else _new_id()

    def bearer(self) -> str:
        """Return the key, or raise `unauthenticated`."""
        met = _BEARER.fullmatch(self.get("authorization") or "")
        if met is None or len(met[1]) > MOST_KEY_CHARS:
            raise UnauthenticatedError(
                "The deployment needs a key.",
                hint="Set SERVICE_API_KEY, or run service-nb login --deployment; it is sent as Authorization: Bearer …",
            )
        return met[1]

    def timeout_s(self, most: float) -> float:
        """Return within how many seconds an answer is wanted, `most` at most."""
        given = self.one("x-service-timeout")
        try:
            seconds = most if given is None or len(given) > 32 else float(given)
        except ValueError:
            seconds = math.nan
        if given is not None and (len(given) > 32 or not seconds > 0):
            raise InvalidIntentError("X-Service-Timeout must be a number of seconds above 0.", path="X-Service-Timeout")
        return min(seconds, most)

    def idempotency_key(self) -> str | None:
        """Return what tells a retried request from a new one; None where there is nothing."""
        given = self.one("idempotency-key")
        if given is not None and not _IDEMPOTENCY_KEY.fullmatch(given):
            raise InvalidIntentError(
                "Idempotency-Key must be 1 to 200 printable ASCII characters.", path="Idempotency-Key"
            )
        return given

    def check_tenant(self, tenant: str) -> None:
        """Raise `forbidden` where another tenant is named than the key's. Whether there is such a one is not told."""
        if (self.one("x-service-tenant") or tenant) != tenant:
            raise ForbiddenError("The key does not belong to the tenant in X-Service-Tenant.", path="X-Service-Tenant")

    def check_framing(self) -> None:
        """Raise where two headers say how long the body is: whoever stands in front may have believed the other one."""
        if "content-length" in self and "transfer-encoding" in self:
            error = InvalidIntentError(
                "The request has a Content-Length and a Transfer-Encoding.", path="Content-Length"
            )
            raise Refused(error, 400, (b"connection", b"close"))

    def media_type(self) -> str:
        """Return the type of the body, in lower case and without parameters."""
        return (self.get("content-type") or "").partition(";")[0].strip().lower()

    def check_body(self, route: Route, bounds: Bounds) -> None:
        """Raise what is wrong with a body before any of it is read."""
        accepted = (JSON, FORM) if route.takes_forms else (JSON,)
        if self.media_type() not in accepted or (self.get("content-encoding") or "identity").lower() != "identity":
            raise wrong_media_type(" or ".join(accepted) + ", not compressed")
        length, most = self.one("content-length") or "", most_bytes(route, bounds)
        if length.isascii() and length.isdigit() and (len(length) > 18 or int(length) > most):
            raise _too_large(most)


def _new_id() -> str:
    """Return a random id. Many are made at once: asking the system for each has the event loop wait for threads."""
    with suppress(IndexError):
        return _IDS.pop()
    digits = secrets.token_hex(8 * 256)
    _IDS.extend(f"req_{digits[start : start + 16]}" for start in range(0, len(digits), 16))
    return _IDS.pop()


def most_bytes(route: Route, bounds: Bounds) -> int:
    """Return how many bytes a body may have."""
    return bounds.body_bytes if route.scope is not None else min(bounds.body_bytes, MOST_BYTES_OF_STRANGERS)


async def whole_body(receive: Receive, route: Route, bounds: Bounds, take: Callable[[int], None]) -> bytes:
    """Return a body, which has to arrive in time, and never to hold more than it may: by itself, and with all others.

    `take` is told how much more is held, beyond what every body may have.
    """
    most = most_bytes(route, bounds)
    deadline = time.monotonic() + bounds.body_timeout_s
    pieces: list[bytes] = []
    size, is_more = 0, True
    while is_more:
        try:
            async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                message = await receive()
        except TimeoutError:
            raise too_slow(bounds.body_timeout_s) from None
        if message["type"] == "http.disconnect":
            raise Gone
        piece = message.get("body", b"")
        if size + len(piece) > most:
            raise _too_large(most)
        take(max(0, size + len(piece) - FREE_BYTES) - max(0, size - FREE_BYTES))
        size += len(piece)
        pieces.append(piece)
        is_more = message.get("more_body", False)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _too_large(most: int) -> Refused:
    error = LimitExceededError(
        f"The body has more than {most:,} bytes.", path="body", limit=most, limit_name="body_bytes"
    )
    return Refused(error, 413, (b"connection", b"close"))  # what is still to come is not read


def parsed_body(body: bytes, media_type: str, route: Route, bounds: Bounds) -> Any:
    """Return a body as the type that the route takes.

    Raises
    ------
    InvalidIntentError [invalid_intent], CanonicalJsonError [canonical_json_invalid], LimitExceededError
    [limit_exceeded]
    """
    raw = _form(body) if media_type == FORM else parse_strict(body, max_bytes=bounds.body_bytes)
    kind = _chosen(route.asked, raw)
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        # The text names what was expected and where, and never a value but a choice that there is not.
        message, _, place = str(error)[:1_000].partition(" - at `$")
        path = place.rstrip("`").lstrip(".") or "body"
        raise InvalidIntentError(f"{message} ({path}).", path=path, hint="GET /openapi.json has its form.") from None


def _chosen(kinds: Any, raw: Any) -> Any:
    """Return the type whose required keys are there; the first where none is."""
    if not isinstance(kinds, tuple):
        return kinds
    keys = raw.keys() if isinstance(raw, Mapping) else set()
    return next((kind for kind in kinds if _needed(kind) <= keys), kinds[0])


@cache
def _needed(kind: Any) -> frozenset[str]:
    """Return the keys that a type requires."""
    return frozenset(field.name for field in msgspec.structs.fields(kind) if field.required)


def _form(body: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, strict_parsing=True, max_num_fields=MOST_FORM_FIELDS,
            errors="strict",
        )  # fmt: skip
    except (ValueError, UnicodeError):
        raise InvalidIntentError("The body is not a form of a few fields.", path="body") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise InvalidIntentError("A field of the form is given more than once.", path="body")
    return fields


def query_of(raw: bytes, route: Route) -> dict[str, str]:
    """Return the parameters of a query; raises `invalid_intent` at one that the route does not know."""
    if not raw:
        return {}
    known = {parameter.name for parameter in route.parameters if parameter.place == "query"}
    try:
        text = raw.decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_QUERY_FIELDS, errors="strict")
    except (ValueError, UnicodeError):
        raise InvalidIntentError("The query string cannot be read.", path="query") from None
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidIntentError("A parameter is given more than once.", path="query")
    if not known >= found.keys():
        raise InvalidIntentError(
            "The query has a parameter that this route does not take.", path="query", expected=sorted(known)
        )
    return found
