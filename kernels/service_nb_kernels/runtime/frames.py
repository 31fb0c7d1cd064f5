"""What crosses between clients, the runtime and its workers: two lengths, a message, and the bytes that go with it.

And the pieces of a stream, whose form is that of `Piece` in the protocol, without copying what is in them.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator, Sequence

LENGTHS = struct.Struct("<QI")
SHORT = 65_536
MOST_BYTES = 4 * 2**30  # of a message and its rest
MOST_REQUEST_BYTES = 2 * 2**30  # of those that a client sends
PIECE_BYTES = 2 * 2**20
Buffer = bytes | memoryview


class Closed(Exception):  # noqa: N818  # an event, not a fault
    """The other end is gone."""


def send(channel: socket.socket, message: Buffer, rest: Sequence[Buffer] = ()) -> None:
    """Send a message, and the bytes that go with it.

    Raises
    ------
    Closed
    """
    length = LENGTHS.pack(4 + len(message) + sum(map(len, rest)), len(message))
    try:
        channel.sendall(length + message if len(message) < SHORT else length)
        if len(message) >= SHORT:
            channel.sendall(message)
        for piece in rest:
            channel.sendall(piece)
    except OSError as error:
        raise Closed from error


def receive(channel: socket.socket, most: int = MOST_BYTES) -> tuple[bytes, memoryview]:
    """Return the next message of at most so many bytes, and what goes with it.

    Raises
    ------
    Closed
    """
    try:
        first = channel.recv(SHORT)
        while len(first) < LENGTHS.size:
            first += _more(channel)
        size, head = LENGTHS.unpack_from(first)
        if not (4 + head <= size <= most and len(first) <= 8 + size):  # one at a time
            raise Closed
        if len(first) == 8 + size:
            return first[LENGTHS.size : LENGTHS.size + head], memoryview(first)[LENGTHS.size + head :]
        content = bytearray(8 + size)
        content[: len(first)] = first
        _fill(channel, memoryview(content), len(first))
    except OSError as error:
        raise Closed from error
    view = memoryview(content)[LENGTHS.size :]
    return bytes(view[:head]), view[head:]


def receive_exactly(channel: socket.socket, size: int) -> bytes:
    """Return the next bytes.

    Raises
    ------
    Closed
    """
    content = bytearray(size)
    try:
        _fill(channel, memoryview(content), 0)
    except OSError as error:
        raise Closed from error
    return bytes(content)


def _fill(channel: socket.socket, content: memoryview, taken: int) -> None:
    while taken < len(content):
        count = channel.recv_into(content[taken:])
        if not count:
            raise Closed
        taken += count


def _more(channel: socket.socket) -> bytes:
    block = channel.recv(SHORT)
    if not block:
        raise Closed
    return block


def piece(content: Buffer) -> bytes:
    """Return a `Piece` as bytes: field 1, of bytes."""
    length, size = len(content), bytearray(b"\x0a")
    while length > 0x7F:
        size.append(length & 0x7F | 0x80)
        length >>= 7
    size.append(length)
    return b"".join((size, content))


def content_of(piece: bytes) -> memoryview:
    """Return the content of a `Piece`.

    Raises
    ------
    ValueError
        It is none.
    """
    length = place = 0
    if piece[:1] == b"\x0a":
        for place in range(1, min(len(piece), 7)):
            length |= (piece[place] & 0x7F) << 7 * (place - 1)
            if piece[place] < 0x80:
                break
        else:
            place = 0  # a length without an end
    if not place or place + 1 + length != len(piece):
        raise ValueError("no piece")
    return memoryview(piece)[place + 1 :]


def cut(content: Buffer) -> Iterator[bytes]:
    """Yield the pieces of some bytes."""
    view = memoryview(content)
    return (piece(view[start : start + PIECE_BYTES]) for start in range(0, len(view), PIECE_BYTES))
