"""A server that speaks as much of Neo4j's protocol as a routing table and one answer take."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.servers.hostile import speaking

VERSION = b"\x00\x00\x04\x05"  # 5.4
SUCCESS, RECORD = 0x70, 0x71
GOODBYE, RUN, PULL, ROUTE = 0x02, 0x10, 0x3F, 0x66


@contextmanager
def bolt(routed: Sequence[str] = (), rows: Sequence[Any] = (1,)) -> Iterator[tuple[int, list[int]]]:
    """Yield the port, and the messages' kinds as they come; `routed` are the members that a client is sent to.

    An empty address among them stands for the server itself.
    """
    heard: list[int] = []

    def speak(peer: socket.socket) -> None:
        here = f"127.0.0.1:{peer.getsockname()[1]}"
        taken(peer, 20)
        peer.sendall(VERSION)
        while (kind := _message(peer)) != GOODBYE:
            heard.append(kind)
            if kind == PULL:
                for row in rows:
                    peer.sendall(_framed(RECORD, [row]))
            peer.sendall(_framed(SUCCESS, _told(kind, [at or here for at in routed])))

    with speaking(speak) as port:
        yield port, heard


def _told(kind: int, routed: Sequence[str]) -> dict[str, Any]:
    if kind == ROUTE:
        servers = [{"addresses": list(routed), "role": role} for role in ("ROUTE", "READ", "WRITE")]
        return {"rt": {"ttl": 300, "db": "neo4j", "servers": servers}}
    told = {RUN: {"fields": ["one"], "qid": 0}, PULL: {"type": "r", "has_more": False}}
    return told.get(kind, {"server": "Neo4j/5.20.0", "connection_id": "bolt-1"})


def taken(peer: socket.socket, count: int) -> bytes:
    """Return exactly so many bytes of a client."""
    found = b""
    while len(found) < count:
        piece = peer.recv(count - len(found))
        if not piece:
            raise ConnectionError
        found += piece
    return found


def _message(peer: socket.socket) -> int:
    whole = b""
    while size := struct.unpack(">H", taken(peer, 2))[0]:
        whole += taken(peer, size)
    return whole[1] if whole else _message(peer)


def _framed(kind: int, value: Any) -> bytes:
    body = bytes((0xB1, kind)) + packed(value)
    return struct.pack(">H", len(body)) + body + b"\x00\x00"


def packed(value: Any) -> bytes:
    """Return a value as the protocol has it."""
    match value:
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return b"\xcb" + struct.pack(">q", value)
        case str():
            data = value.encode()
            return b"\xd1" + struct.pack(">H", len(data)) + data
        case list():
            return b"\xd5" + struct.pack(">H", len(value)) + b"".join(map(packed, value))
        case dict():
            pairs = (packed(key) + packed(each) for key, each in value.items())
            return b"\xd9" + struct.pack(">H", len(value)) + b"".join(pairs)
    raise TypeError(type(value))
