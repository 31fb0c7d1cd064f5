"""What crosses between the runtime's processes, and the pieces of a stream: whole at every length, or an end."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from service_nb_kernels.runtime.frames import (
    LENGTHS,
    MOST_BYTES,
    PIECE_BYTES,
    SHORT,
    Buffer,
    Closed,
    content_of,
    cut,
    piece,
    receive,
    send,
)
from service_nb_kernels.runtime.runtime_pb2 import Piece

BORDERS = sorted({
    *(0, 1, 127, 128, 255, 256, 16_383, 16_384, 2_097_151, 2_097_152),
    *(SHORT - LENGTHS.size - 1, SHORT - LENGTHS.size, SHORT - LENGTHS.size + 1, SHORT - 1, SHORT, SHORT + 1),
    *(PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1),
})  # fmt: skip


@contextmanager
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    one, other = socket.socketpair()
    with one, other:
        for end in (one, other):
            end.settimeout(20)  # a hang is a failure, and no hang of the tests
        yield one, other


@contextmanager
def meanwhile(act: Callable[[], object]) -> Iterator[None]:
    thread = threading.Thread(target=act)
    thread.start()
    yield
    thread.join(20)
    assert not thread.is_alive()


def through(message: Buffer, rest: Sequence[Buffer] = ()) -> tuple[bytes, bytes]:
    with pair() as (one, other), meanwhile(lambda: send(one, message, rest)):
        head, behind = receive(other)
        return head, bytes(behind)


def in_two(channel: socket.socket, first: bytes, second: bytes) -> None:
    channel.sendall(first)
    channel.sendall(second)


def content(size: int) -> bytes:
    return (b"0123456789abcdef" * (size // 16 + 1))[:size]


@pytest.mark.parametrize("behind", [0, 1, SHORT, 3_000_000])
@pytest.mark.parametrize("size", BORDERS)
def test_a_message_of_every_length_arrives(size: int, behind: int) -> None:
    assert through(content(size), [content(behind)]) == (content(size), content(behind))


def test_what_goes_with_a_message_may_be_in_several_parts() -> None:
    assert through(b"head", [b"a", memoryview(b"bc"), b"", memoryview(bytearray(b"d"))]) == (b"head", b"abcd")


@given(st.binary(max_size=300), st.lists(st.binary(max_size=300), max_size=4))
def test_any_message_arrives(message: bytes, rest: list[bytes]) -> None:
    assert through(message, rest) == (message, b"".join(rest))


def test_a_message_arrives_however_it_is_broken_up() -> None:
    whole = LENGTHS.pack(4 + 5 + 3, 5) + b"headsend"
    for first in range(1, len(whole)):
        with pair() as (one, other), meanwhile(partial(in_two, one, whole[:first], whole[first:])):
            head, behind = receive(other)
            assert (head, bytes(behind)) == (b"heads", b"end")


def test_a_message_that_ends_early_is_an_end() -> None:
    whole = LENGTHS.pack(4 + 5 + 3, 5) + b"headsend"
    for most in range(len(whole)):
        with pair() as (one, other):
            one.sendall(whole[:most])
            one.shutdown(socket.SHUT_WR)
            with pytest.raises(Closed):
                receive(other)


@pytest.mark.parametrize(
    ("size", "head"),
    [
        *((0, 0), (3, 0), (4, 1), (8, 5), (2**64 - 1, 0), (2**63, 2**32 - 1), (MOST_BYTES + 1, 0), (4, 2**32 - 1)),
        *((int.from_bytes(b"HTTP/1.1", "little"), 0), (int.from_bytes(b"\xff" * 8, "little"), 2**32 - 1)),
    ],
)
def test_lengths_that_cannot_be_are_an_end_and_take_no_memory(size: int, head: int) -> None:
    with pair() as (one, other):
        one.sendall(LENGTHS.pack(size, head) + b"x" * 20)
        with pytest.raises(Closed):
            receive(other)


def test_another_end_that_is_gone_is_an_end() -> None:
    with pair() as (one, other):
        other.close()
        with pytest.raises(Closed):
            send(one, b"x" * 10_000_000)
        with pytest.raises(Closed):
            receive(one)


def test_a_channel_of_our_own_that_was_closed_is_an_end() -> None:
    with pair() as (one, _):
        one.close()
        with pytest.raises(Closed):
            send(one, b"x")
        with pytest.raises(Closed):
            receive(one)


@given(st.binary(max_size=64))
def test_any_bytes_are_a_message_or_an_end(received: bytes) -> None:
    with pair() as (one, other):
        one.sendall(received)
        one.shutdown(socket.SHUT_WR)
        try:
            head, behind = receive(other)
        except Closed:
            return
        assert LENGTHS.pack(4 + len(head) + len(behind), len(head)) + head + behind == received


# --- pieces -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", BORDERS)
def test_a_piece_is_what_the_protocol_says(size: int) -> None:
    made = piece(content(size))
    assert Piece.FromString(made).content == content(size)
    assert bytes(content_of(made)) == content(size)
    if size:
        assert made == Piece(content=content(size)).SerializeToString()


@pytest.mark.parametrize("size", [size for size in BORDERS if size])
def test_bytes_that_are_cut_are_whole_again(size: int) -> None:
    pieces = list(cut(content(size)))
    assert b"".join(map(content_of, pieces)) == content(size)
    assert len(pieces) == -(-size // PIECE_BYTES)
    assert all(len(each) < 4 * 2**20 for each in pieces)  # what gRPC takes at most


def test_nothing_is_cut_into_no_pieces() -> None:
    assert list(cut(b"")) == []


@given(st.binary(max_size=20))
def test_any_bytes_are_a_piece_as_the_protocol_has_it_or_are_refused(received: bytes) -> None:
    try:
        met = bytes(content_of(received))
    except ValueError:
        return
    assert Piece.FromString(received).content == met


@pytest.mark.parametrize(
    "received",
    [
        *(b"", b"\x0a", b"\x0b\x00", b"\x0a\x01", b"\x0a\x00x", b"\x0a\x02x", b"\x0a\x80", b"\x0a\xff\xff\xff\xff\xff"),
        *(b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x12\x01x", b"\x08\x01", b"GET / HTTP/1.1\r\n"),
        *(b"\x0a" + b"\x80" * 20 + b"\x00", b"\x0a\x01x\x0a\x01y", b"\x0a\x81"),
    ],
)
def test_what_is_no_piece_is_refused(received: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        content_of(received)
