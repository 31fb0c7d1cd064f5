"""One request and its answer: what is sent, with which headers, and what the log and the figures hear of it."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from service_nb.server.answering import JSON, digest_header
from service_nb.server.errors import Headers as Pairs
from service_nb.server.places import Asker
from service_nb.server.reading import Headers, Receive

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ACCESS = logging.getLogger("service_nb.access")
SAFE: Pairs = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
]
NO_STORE = (b"cache-control", b"no-store")
HSTS = (b"strict-transport-security", b"max-age=31536000")


class Exchange:
    """One request and its answer."""

    def __init__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        self.scope = scope
        self.receive = receive
        self._send = send
        self.headers = Headers(scope["headers"])
        self.request_id = self.headers.request_id()
        self.method: str = scope["method"]
        self.route = "none"  # its path as the table has it, never as the client wrote it
        self.asker = Asker()
        self.code: str | None = None
        self.status = 0  # none was sent: the client was gone
        self.sent = 0
        self.has_body_left = self.method not in ("GET", "HEAD")
        self.began = time.perf_counter()

    async def answer(self, status: int, body: bytes, media_type: bytes = JSON, headers: Pairs | None = None) -> None:
        """Send an answer, whole."""
        has_body = status not in (204, 304)
        own: Pairs = [(b"content-length", str(len(body)).encode()), (b"content-type", media_type)] if has_body else []
        if has_body and not any(name == b"content-digest" for name, _ in headers or ()):
            own.append(digest_header(body))
        await self.begin(status, own + (headers or []))
        await self.piece(body if has_body else b"", is_last=True)

    async def begin(self, status: int, headers: Pairs) -> None:
        """Send status and headers."""
        names = {name for name, _ in headers}
        sent = [(b"x-request-id", self.request_id.encode()), *SAFE, *headers]
        if b"cache-control" not in names:
            sent.append(NO_STORE)
        if self.scope.get("scheme") == "https":
            sent.append(HSTS)
        if self.has_body_left and b"connection" not in names:  # else what is left would be read as the next request
            sent.append((b"connection", b"close"))
        self.status = status
        await self._send({"type": "http.response.start", "status": status, "headers": sent})

    async def piece(self, body: bytes, *, is_last: bool) -> None:
        """Send a piece of the body."""
        self.sent += len(body)
        await self._send({"type": "http.response.body", "body": body, "more_body": not is_last})

    def seconds(self) -> float:
        """Seconds since the request came."""
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
            "ms": round(self.seconds() * 1_000, 3),
            "bytes": self.sent,
            "key": self.asker.key_id or None,
            "code": self.code,
            "client": client[0] if client else None,
        }
        ACCESS.info("%s", json.dumps(line))
