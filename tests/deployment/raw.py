"""HTTP as bytes on a socket, for what no client would send."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import h11

from tests.deployment.stand import Stand


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str:
        """The code of an error."""
        code: str = json.loads(self.body)["code"]
        return code


class Raw:
    """A connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._reader = h11.Connection(h11.CLIENT)

    def send(self, *pieces: bytes) -> None:
        """Send bytes as they are."""
        for piece in pieces:
            self.connection.sendall(piece)

    def answer(self) -> Answer:
        """Read one answer; the requests are not told to the parser, so each is taken for that of a GET."""
        self._reader.send(h11.Request(method="GET", target="/", headers=[("host", "x")]))
        self._reader.send(h11.EndOfMessage())
        head: Any = None
        body = b""
        while not isinstance(event := self._next(), h11.EndOfMessage):
            if isinstance(event, h11.Response):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
        if self._reader.our_state is h11.DONE and self._reader.their_state is h11.DONE:
            self._reader.start_next_cycle()
        return Answer(head.status_code, {name.decode(): value.decode() for name, value in head.headers}, body)

    def _next(self) -> Any:
        while (event := self._reader.next_event()) is h11.NEED_DATA:
            self._reader.receive_data(self.connection.recv(65_536))
        return event

    def is_closed(self) -> bool:
        """Whether the other side has closed: nothing more comes."""
        try:
            return self.connection.recv(65_536) == b""
        except ConnectionResetError:
            return True


@contextmanager
def raw(stand: Stand) -> Iterator[Raw]:
    """Open a connection."""
    with socket.create_connection(("127.0.0.1", stand.port), timeout=60) as connection:
        yield Raw(connection)


def request(method: str, path: str, *headers: str, body: bytes = b"") -> bytes:
    """A request as bytes."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body
