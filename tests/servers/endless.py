"""Databases that never stop: each speaks its protocol well until it is asked, and then sends for ever.

What they have sent is counted: what a client has taken is no less than that, but for what the sockets hold.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

from tests.servers.bolt import taken
from tests.servers.hostile import speaking

SOCKETS = 64 * 1024**2  # more than the buffers of two sockets ever hold
_BLOCK = 1024**2
Flood = Callable[["Endless"], Iterator[bytes]]


@dataclass
class Endless:
    """Where such a server listens, and how much it has sent."""

    port: int = 0
    sent: int = 0

    def flood(self, peer: socket.socket, pieces: Iterator[bytes]) -> None:
        """Send until the client is gone."""
        for piece in pieces:
            peer.sendall(piece)
            self.sent += len(piece)


@contextmanager
def endless(greet: Callable[[socket.socket], None], pieces: Callable[[Endless], Iterator[bytes]]) -> Iterator[Endless]:
    """Serve every client so: greet it, wait for its next words, and send what `pieces` yields."""
    server = Endless()

    def speak(peer: socket.socket) -> None:
        greet(peer)
        server.flood(peer, pieces(server))

    with speaking(speak) as port:
        server.port = port
        yield server


def repeated(*pieces: bytes) -> Callable[[Endless], Iterator[bytes]]:
    """The first pieces once, and then the last of them for ever, in large blocks."""

    def made(_: Endless) -> Iterator[bytes]:
        yield from pieces[:-1]
        block = pieces[-1] * max(1, _BLOCK // len(pieces[-1]))
        while True:
            yield block

    return made


# --- PostgreSQL -------------------------------------------------------------------------------------------------------


def of_postgres(kind: bytes, body: bytes) -> bytes:
    """One message of a PostgreSQL."""
    return kind + struct.pack(">I", len(body) + 4) + body


def _started(peer: socket.socket) -> None:
    taken(peer, struct.unpack(">I", taken(peer, 4))[0] - 4)


def postgres_login(peer: socket.socket) -> None:
    """Hear a client out that logs in, and take it."""
    _started(peer)
    peer.sendall(of_postgres(b"R", struct.pack(">I", 0)))


def postgres_session(peer: socket.socket) -> None:
    """Let a client log in, and hear its first statement."""
    postgres_login(peer)
    told = (("server_version", "18.0"), ("client_encoding", "UTF8"), ("standard_conforming_strings", "on"))
    for name, value in told:
        peer.sendall(of_postgres(b"S", f"{name}\0{value}\0".encode()))
    peer.sendall(of_postgres(b"K", struct.pack(">II", 1, 1)) + of_postgres(b"Z", b"I"))
    peer.recv(65_536)


def postgres_settings(_: Endless) -> Iterator[bytes]:
    """Settings of the session, each of another name."""
    value = b"x" * 20_000
    for number in count():
        yield of_postgres(b"S", b"setting%d\0%b\0" % (number, value))


_COLUMN = struct.pack(">H", 1) + b"a\0" + struct.pack(">IHIhih", 0, 0, 25, -1, -1, 0)
_CELL = b"x" * 1_000
POSTGRES_ROWS = repeated(of_postgres(b"T", _COLUMN), of_postgres(b"D", struct.pack(">HI", 1, len(_CELL)) + _CELL))
POSTGRES_FETCHED = repeated(
    of_postgres(b"1", b"") + of_postgres(b"2", b"") + of_postgres(b"T", _COLUMN),
    of_postgres(b"D", struct.pack(">HI", 1, len(_CELL)) + _CELL),
)
POSTGRES_EMPTY_ROWS = repeated(of_postgres(b"T", struct.pack(">H", 0)), of_postgres(b"D", struct.pack(">H", 0)))
POSTGRES_ROW = repeated(of_postgres(b"T", _COLUMN), b"D" + struct.pack(">IHI", 2**30 + 10, 1, 2**30), b"x" * _BLOCK)


# --- MySQL ------------------------------------------------------------------------------------------------------------


def of_mysql(number: int, body: bytes) -> bytes:
    """One packet of a MySQL."""
    return struct.pack("<I", len(body))[:3] + bytes((number % 256,)) + body


_OK = b"\x00\x00\x00\x02\x00\x00\x00"
_CAPABILITIES = 0x0001 | 0x0008 | 0x0200 | 0x2000 | 0x8000 | 0x80000
_GREETING = (
    b"\x0a8.0.0\0" + struct.pack("<I", 1) + b"12345678\0" + struct.pack("<H", _CAPABILITIES & 0xFFFF) + b"\x2d"
    + struct.pack("<HH", 2, _CAPABILITIES >> 16) + b"\x15" + b"\0" * 10 + b"123456789012\0mysql_native_password\0"
)  # fmt: skip


def mysql_greeted(peer: socket.socket) -> None:
    """Greet a client."""
    peer.sendall(of_mysql(0, _GREETING))
    _packet(peer)


def mysql_session(peer: socket.socket) -> None:
    """Let a client log in and settle its session, until it asks for something."""
    mysql_greeted(peer)
    peer.sendall(of_mysql(2, _OK))
    while b"SELECT" not in _packet(peer):
        peer.sendall(of_mysql(1, _OK))


def _packet(peer: socket.socket) -> bytes:
    head = taken(peer, 4)
    return taken(peer, int.from_bytes(head[:3], "little"))


def _field(kind: int) -> bytes:
    texts = b"".join(bytes((len(text),)) + text for text in (b"def", b"", b"", b"", b"a", b""))
    return texts + b"\x0c" + struct.pack("<HIBHBH", 45, 4_000, kind, 0, 0, 0)


def mysql_columns(_: Endless) -> Iterator[bytes]:
    """An answer of columns without end."""
    yield of_mysql(1, b"\xfe" + struct.pack("<Q", 2**62))
    column = _field(253)
    block = b"".join(of_mysql(number, column) for number in range(2, 2 + 256))
    while True:
        yield block


def mysql_row(_: Endless) -> Iterator[bytes]:
    """A row that goes on in packet after packet."""
    yield of_mysql(1, b"\x01") + of_mysql(2, _field(253)) + of_mysql(3, b"\xfe\0\0\x02\0")
    body = b"x" * (2**24 - 1)
    for number in count(4):
        yield b"\xff\xff\xff" + bytes((number % 256,)) + body


def mysql_rows(_: Endless) -> Iterator[bytes]:
    """Rows without end, of a megabyte each."""
    yield of_mysql(1, b"\x01") + of_mysql(2, _field(253)) + of_mysql(3, b"\xfe\0\0\x02\0")
    body = b"\xfd" + struct.pack("<I", 1_000_000)[:3] + b"x" * 1_000_000
    for number in count(4):
        yield of_mysql(number, body)


# --- HTTP -------------------------------------------------------------------------------------------------------------


def http_asked(peer: socket.socket) -> None:
    """Hear a request."""
    head = b""
    while b"\r\n\r\n" not in head:
        piece = peer.recv(65_536)
        if not piece:
            raise ConnectionError
        head += piece


HTTP_JSON = repeated(
    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{"a": [0', b",0" * 100_000
)
