"""A web server that answers with records, which a test may change: what a declared JSON API is."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ROWS = [
    {"region": "north", "revenue": 0.1},
    {"region": "south", "revenue": 0.2},
    {"region": "north", "revenue": 0.3},
]


@dataclass
class Records:
    """Where it answers, and with what; `asked` counts how often, `seen` has what was sent with it."""

    port: int = 0
    rows: list[dict[str, Any]] = field(default_factory=lambda: [dict(row) for row in ROWS])
    status: int = 200
    text: str = ""
    asked: int = 0
    seen: list[dict[str, str]] = field(default_factory=list)

    @property
    def host(self) -> str:
        """As the configuration allows it."""
        return f"127.0.0.1:{self.port}"

    def descriptor(self, **more: Any) -> dict[str, Any]:
        """The connector's descriptor."""
        return {"type": "rest", "url": f"http://{self.host}/records", **more}


@contextmanager
def records() -> Iterator[Records]:
    """Serve records on a free port of 127.0.0.1."""
    told = Records()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.asked += 1
            told.seen.append({"path": self.path, **dict(self.headers)})
            content = (told.text or json.dumps(told.rows)).encode()
            self.send_response(told.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
