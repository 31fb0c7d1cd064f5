"""ClickHouse's HTTP interface over chdb, ClickHouse in a process: run by the Python of chdb's own environment.

Each request is a session of its own: what its URL sets is set there first, `readonly` among it, which ClickHouse then
holds to by itself. Nothing here looks at the query.
"""

from __future__ import annotations

import contextlib
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import chdb  # type: ignore[import-not-found]  # of the environment that this runs in

ACCOUNTS = {"admin": "a password of the tests", "reader": "the reader's password"}
OURS = (
    *("query", "database", "default_format", "query_id", "session_id", "client_protocol_version", "compress", "role"),
    *("enable_http_compression", "wait_end_of_query", "buffer_size", "quota_key"),
)
LATE = ("readonly",)  # the last to be set: afterwards nothing can be
ONE = threading.Lock()
CONNECTION = ":memory:"


class Handler(BaseHTTPRequestHandler):
    """One request, one session."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if urlsplit(self.path).path == "/ping":
            self._answer(200, b"Ok.\n")
        else:
            self._run(b"")

    def do_POST(self) -> None:
        self._run(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def _run(self, body: bytes) -> None:
        given = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        if not self._may_enter():
            self._fail(516, "Authentication failed")
            return
        text = "\n".join(filter(None, (given.get("query", ""), body.decode())))
        try:
            data = _asked(text, given)
        except Exception as error:  # noqa: BLE001  # whatever it is, the client is told
            code = re.search(r"Code: (\d+)", str(error))
            self._fail(int(code[1]) if code else 1, str(error))
        else:
            self._answer(200, data)

    def _may_enter(self) -> bool:
        user = self.headers.get("X-ClickHouse-User")
        password = self.headers.get("X-ClickHouse-Key")
        if user is None and (self.headers.get("Authorization") or "").startswith("Basic "):
            import base64

            user, _, password = base64.b64decode(self.headers["Authorization"][6:]).decode().partition(":")
        return user in ACCOUNTS and ACCOUNTS[user] == password

    def _fail(self, code: int, text: str) -> None:
        self._answer(500, f"Code: {code}. DB::Exception: {text}".encode(), **{"X-ClickHouse-Exception-Code": str(code)})

    def _answer(self, status: int, data: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), "X-ClickHouse-Timezone": "UTC", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _asked(text: str, given: dict[str, str]) -> bytes:
    with ONE:
        link = chdb.connect(CONNECTION)
    try:
        if given.get("database"):
            link.query(f"USE `{given['database']}`")
        settings = [(key, value) for key, value in given.items() if key not in OURS and not key.startswith("param_")]
        for key, value in sorted(settings, key=lambda pair: pair[0] in LATE):
            literal = value if re.fullmatch(r"-?[0-9.]+", value) else "'" + value.replace("'", "''") + "'"
            link.query(f"SET {key} = {literal}")
        parameters = {key[6:]: value for key, value in given.items() if key.startswith("param_")}
        form = given.get("default_format") or "TabSeparated"
        found = re.search(r"\bFORMAT\s+(\w+)\s*;?\s*$", text)
        return bytes(link.query(text, found[1] if found else form, params=parameters).bytes())
    finally:
        link.close()


if __name__ == "__main__":
    CONNECTION = sys.argv[2]  # a folder
    kept = chdb.connect(CONNECTION)  # the database lives as long as one session does
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
