"""A deployment that lies: a proxy in front of a real one that changes what it answers, one lie each, for any client."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from service_nb.core.digest import compute_sha256
from service_nb.deployment.values import format_digest

EXECUTE, SOURCE, COMPUTE = "/v1/query/execute", "/v1/sources/sales", "/v1/libraries/execute"
MIB = b" " * 1024**2


@dataclass
class Reply:
    """An answer on its way: what of it a lie changes."""

    status: int
    headers: dict[str, str]
    body: bytes
    has_digest: bool = True  # of what is sent, so that no digest betrays the lie
    spoken: list[bytes] | None = None  # in place of it, as bytes on the wire
    pause_s: float = 0.0  # after each piece

    def change(self, work: Callable[[Any], object]) -> None:
        """Change the JSON of the body."""
        told = json.loads(self.body)
        made = work(told)
        self.body = json.dumps(told if made is None else made).encode()


Lie = Callable[[Reply], object]


def of_data(work: Callable[[Any], object]) -> Lie:
    """Make a lie of a change to the data of an answer."""
    return lambda reply: reply.change(lambda told: work(told["data"]) and None)


def of_body(work: Callable[[Any], object]) -> Lie:
    """Make a lie of a change to a whole answer; what is returned takes its place."""
    return lambda reply: reply.change(work)


def put(**values: Any) -> Callable[[Any], object]:
    """Make a change that puts values."""
    return lambda told: told.update(values)


def in_row(**values: Any) -> Lie:
    """Make a lie about the first row."""
    return of_data(lambda data: data["result"][0].update(values))


def in_provenance(**values: Any) -> Lie:
    """Make a lie about how an answer was made."""
    return of_data(lambda data: data["provenance"].update(values))


def with_header(name: str, value: str, status: int | None = None, body: bytes | None = None) -> Lie:
    """Make a lie of another header."""

    def lie(reply: Reply) -> None:
        reply.headers[name] = value
        reply.status = reply.status if status is None else status
        reply.body = reply.body if body is None else body

    return lie


def saying(status: int, body: bytes, kind: str = "application/json", **how: Any) -> Lie:
    """Make a lie of another answer."""

    def lie(reply: Reply) -> None:
        reply.status, reply.body, reply.headers["Content-Type"] = status, body, kind
        for name, value in how.items():
            setattr(reply, name, value)

    return lie


def speaking(*pieces: bytes, pause_s: float = 0.0) -> Lie:
    """Make a lie of bytes on the wire."""

    def lie(reply: Reply) -> None:
        reply.spoken, reply.pause_s = list(pieces), pause_s

    return lie


def failing(status: int, code: object, **more: Any) -> Lie:
    """Make a lie of an error."""
    told = {"code": code, "message": "No.", "source": "engine", "retryable": False, **more}

    def lie(reply: Reply) -> None:
        reply.status = status
        reply.body = json.dumps({**told, "request_id": reply.headers.get("X-Request-Id", "")}).encode()

    return lie


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
# Of an answer to a question.
ANSWERS: dict[str, Lie] = {
    "another number": in_row(revenue=0.5),
    "another key": in_row(region="west"),
    "another count": in_row(count=4),
    "a text for a number": in_row(revenue="0.4"),
    "an object for a number": in_row(revenue={"value": 0.4}),
    "infinity": in_row(revenue="Infinity"),
    "half a row": in_row(count=0.5),
    "a column more": in_row(more=1),
    "a column that is the prototype": of_data(
        lambda data: data["result"].__setitem__(0, {**data["result"][0], "__proto__": 1})
    ),
    "no column": of_data(lambda data: data["result"][0].pop("revenue") and None),
    "a renamed column": of_data(lambda data: put(Revenue=data["result"][0].pop("revenue"))(data["result"][0])),
    "a row less": of_data(lambda data: data["result"].pop() and None),
    "a row twice": of_data(lambda data: data["result"].append(data["result"][0])),
    "no rows": of_data(put(result=[])),
    "rows that are lists": of_data(lambda data: put(result=[[*row.values()] for row in data["result"]])(data)),
    "another plan": of_data(put(plan_hash="0" * 64)),
    "another schema": of_data(put(schema_revision="0" * 64)),
    "another hash": of_data(put(result_hash="0" * 64)),
    "a hash that is none": of_data(put(result_hash="0" * 63 + "g")),
    "another number of rows": of_data(put(row_count=2)),
    "a number of rows below none": of_data(put(row_count=-1)),
    "not validated": of_data(put(validated=False)),
    "rows that were not used": in_provenance(used_rows=1),
    "rows that are not there": in_provenance(used_rows=1_000),
    "nulls of another column": in_provenance(dropped={"units": 1}),
    "more nulls than rows": in_provenance(dropped={"revenue": 6}),
    "another column's type": of_body(lambda told: told["columns"][1].update(physical="int64")),
    "another column's name": of_body(lambda told: told["columns"][0].update(name="area")),
    "a refusal of a plan": of_body(lambda told: {"status": "rejected", "resolution": told["resolution"]}),
    "a status that there is not": of_body(put(status="fine")),
    "no data": of_body(put(data=None)),
    "no latency": of_data(lambda data: data.pop("latency_ms") and None),
    "a list": of_body(lambda _: [1, 2]),
    "more groups than are read": of_data(lambda data: put(result=data["result"] * 1_000)(data)),
    "a page": saying(200, b"<html>hello</html>", "text/html"),
    "no type": saying(200, b"{}", "application/octet-stream"),
    "nothing": saying(204, b""),
    "half a JSON": lambda reply: setattr(reply, "body", reply.body[: len(reply.body) // 2]),
    "no UTF-8": saying(200, b'{"status": "\xff\xfe"}'),
    "a deep JSON": saying(200, b'{"status": "ok", "resolution": {"deep": ' + b"[" * 100_000),
    "another digest": saying(200, b"{}", has_digest=False),
    "compressed": with_header("Content-Encoding", "gzip"),
    "another call's answer": with_header("X-Request-Id", "request_0000000000000000"),
    "a redirect": with_header("Location", "https://elsewhere.example/", 302, b""),
    "a redirect that keeps the method": with_header("Location", "/v1/query/verify", 307, b""),
    "a proxy's key": saying(401, b"who?", "text/plain"),
    "a proxy's wall": saying(403, b"no", "text/html"),
    "a gateway's fault": saying(502, b"bad gateway", "text/html"),
    "nowhere": saying(404, b"nothing", "text/plain"),
    "an error of tomorrow": failing(500, "a_code_of_tomorrow"),
    "a refusal of tomorrow": failing(418, "a_code_of_tomorrow"),
    "an error without a code": failing(400, "No Code!"),
    "an error of a connector": failing(424, "connector_failed", details={"reason": "whatever"}),
    "an error that is none": failing(500, 5),
    "an older protocol": speaking(b"220 mail.example ESMTP\r\n" * 10),
    "a cut answer": speaking(HEAD + b"Content-Length: 100\r\n\r\n{}"),
    "no answer": speaking(),
    "two lengths": speaking(HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x"),
    "silence": speaking(b"", pause_s=8.0),
    "a drip": speaking(b"HTTP/1.1 200 OK\r\n", *[b"X"] * 160, pause_s=0.05),
    "a slow body": speaking(HEAD + b"Content-Length: 1000\r\n\r\n", *[b" "] * 160, pause_s=0.05),
}
# What never ends: the limit on the size of an answer has to come before the deadline.
ENDLESS: dict[str, Lie] = {
    "an endless answer": speaking(HEAD + b"\r\n", *[MIB] * 80),
    "a huge answer": speaking(HEAD + b"Content-Length: 100000000\r\n\r\n", *[MIB] * 80),
}
# Of a computed value.
VALUES: dict[str, Lie] = {
    "another value": of_body(put(value=7.25)),
    "a text for a value": of_body(put(value="1.5")),
    "a list for a value": of_body(put(value=[1.5])),
    "nothing for a value": of_body(put(value=None)),
    "another call": of_body(put(invocation_hash="0" * 64)),
    "another hash": of_body(put(computation_hash="0" * 64)),
    "another contract": of_body(put(contract_hash="sha256:" + "0" * 64)),
    "another platform": of_body(lambda told: told["determinism"].update(platform="z80")),
    "another library": of_body(lambda told: told["determinism"].update(libraries={"libm": "1"})),
    "another status": of_body(put(status="done")),
    "a page": saying(200, b"<html>", "text/html"),
}
# Of the description of a source.
SOURCES: dict[str, Lie] = {
    "another name": of_body(put(name="other")),
    "another schema": of_body(put(schema_revision="0" * 64)),
    "a column more": of_body(lambda told: told["fields"].append("more")),
    "a column twice": of_body(lambda told: put(typed_fields=told["typed_fields"][:1] * 5)(told)),
    "a type that there is not": of_body(lambda told: told["typed_fields"][0].update(physical="uuid")),
    "another type": of_body(lambda told: told["typed_fields"][0].update(type="number")),
    "rows below none": of_body(put(row_count=-5)),
    "no fields": of_body(lambda told: told.pop("fields") and None),
    "a list": of_body(lambda _: []),
    "a page": saying(200, b"<html>", "text/html"),
    "a redirect": with_header("Location", "https://elsewhere.example/", 301, b""),
}


@contextmanager
def lying(port: int, path: str, lie: Lie) -> Iterator[str]:
    """Stand in front of the deployment at a port, lie about what is at `path`, and yield the address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with suppress(OSError):
                reply = _forward(port, self.command, self.path, dict(self.headers), body)
                if self.path == path:
                    lie(reply)
                _send(self, reply)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: Any) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def _forward(port: int, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body or None, {**headers, "Host": f"127.0.0.1:{port}"})
        answer = connection.getresponse()
        names = ("Content-Type", "X-Request-Id", "Retry-After")
        kept = {name: value for name in names if (value := answer.getheader(name)) is not None}
        return Reply(answer.status, kept, answer.read())
    finally:
        connection.close()


def _send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    handler.close_connection = True
    if reply.spoken is not None:
        for piece in reply.spoken:
            handler.wfile.write(piece)
            time.sleep(reply.pause_s)
        return
    stated = reply.body if reply.has_digest else b"other"
    headers = {"Content-Length": str(len(reply.body)), "Content-Digest": format_digest(compute_sha256(stated))}
    handler.send_response(reply.status)
    for name, value in {**headers, **reply.headers, "Connection": "close"}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(reply.body)
