"""A deployment that lies: it stands before a real one, and changes what that says, digests and all."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from service_nb.core.digest import compute_sha256
from service_nb.deployment.values import DIGEST, format_digest

Change = Callable[[str, Any], Any]  # of a path and what is said there, to what is said instead: JSON, or bytes
_PASSED = ("authorization", "content-type", "x-request-id", "x-service-timeout", "idempotency-key", "content-digest")


@dataclass
class Liar:
    """Where it is, what it changes, and what the real one said last at each path."""

    url: str = ""
    change: Change = lambda _path, told: told
    headers: dict[str, str] = field(default_factory=dict)
    said: dict[str, Any] = field(default_factory=dict)


@contextmanager
def lying(real: str) -> Iterator[Liar]:
    """Stand before a deployment on a free port of 127.0.0.1."""
    liar = Liar()
    client = httpx.Client(base_url=real, timeout=60, trust_env=False, verify=False)  # nothing is encrypted here

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            passed = {name: value for name, value in self.headers.items() if name.lower() in _PASSED}
            met = client.request(self.command, self.path, content=body, headers=passed)
            told = liar.said[self.path] = json.loads(met.content) if met.content else None
            changed = liar.change(self.path, told)
            self._say(met.status_code, changed if isinstance(changed, bytes) else json.dumps(changed).encode())

        def do_POST(self) -> None:
            self.do_GET()

        def _say(self, status: int, content: bytes) -> None:
            self.send_response(status)
            own = {
                "Content-Type": "application/json",
                "Content-Length": str(len(content)),
                "X-Request-Id": self.headers.get("X-Request-Id", ""),
                DIGEST: format_digest(compute_sha256(content)),
            }
            for name, value in (own | liar.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    liar.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield liar
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        client.close()


def leaves(told: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield every place in a JSON value: of each object and list, and of what is in them."""
    yield place
    if isinstance(told, dict):
        for key, value in told.items():
            yield from leaves(value, (*place, key))
    elif isinstance(told, list):
        for index, value in enumerate(told[:3]):
            yield from leaves(value, (*place, index))


def put(told: Any, place: tuple[Any, ...], value: Any) -> Any:
    """Return a JSON value with another one in a place."""
    if not place:
        return value
    made: Any = dict(told) if isinstance(told, dict) else list(told)
    made[place[0]] = put(made[place[0]], place[1:], value)
    return made


def at(told: Any, place: tuple[Any, ...]) -> Any:
    """Return what is in a place."""
    for step in place:
        told = told[step]
    return told
