"""The runtime's methods: calls over plain sockets, the others over gRPC; in a forked process, through a helper process.

A socket carries one request at a time. What ends a call before its answer (Ctrl-C, a deadline, a request to stop) ends
its socket, by which the runtime knows that nobody waits any more.

gRPC's threads stay behind in a fork, and the locks that they held stay held: such a process may hang in any gRPC call.
A helper is started afresh, has neither, and costs its start once. It ends with whoever started it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import unquote_to_bytes

import grpc
from service_nb_kernels.runtime.frames import MOST_REQUEST_BYTES, Buffer, Closed, receive, send
from service_nb_kernels.runtime.runtime_pb2 import Nothing

from service_nb.core.stopping import ended_by

SERVICE = "/service_nb.runtime.v1.Runtime/"
METHODS = ("Describe", "Echo", "Stop")  # beside those that compute
NOTHING = Nothing().SerializeToString()
HEARD_S = 10.0  # within which a runtime that is not stopped answers
OPTIONS = (
    ("grpc.max_receive_message_length", 2**30),
    ("grpc.enable_http_proxy", 0),
    ("grpc.enable_retries", 0),  # a call is tried once: what ends a worker shall not end the next
)
Metadata = tuple[tuple[str, str | bytes], ...]

_first_user: int | None = None  # the process whose threads gRPC runs on


class StatusError(Exception):
    """The status of a call that was not answered: gRPC's own, past our deadline, or of a stream that was closed."""

    def __init__(self, status: grpc.StatusCode, details: str = "") -> None:
        super().__init__(status.name)
        self.status, self.details = status, details

    @classmethod
    def read(cls, error: grpc.RpcError) -> StatusError:
        """Read the status of what gRPC raised."""
        return cls(error.code(), str(error.details() or ""))


def connect(address: str, calls: str, token: str) -> Channel | Relay:
    """Connect to the runtime at an address, in the way in which this process may."""
    # A process whose parent used gRPC has all of its locks, and none of its threads.
    return (Channel if _first_user in (None, os.getpid()) else Relay)(address, calls, token)


class Channel:
    """A connection to the runtime at an address.

    Its methods raise `StatusError` when the runtime does not answer them, or not in time.
    """

    def __init__(self, address: str, calls: str, token: str) -> None:
        global _first_user  # noqa: PLW0603  # gRPC's threads are the process's as well
        _first_user = _first_user or os.getpid()
        self._address = address
        self._channel = grpc.insecure_channel(address, options=OPTIONS)
        self._metadata: Metadata = (("token", token),)
        self._sockets = CallSockets(calls, token)
        self._methods: dict[str, Any] = {  # gRPC has no types
            name: self._channel.unary_unary(f"{SERVICE}{name}") for name in METHODS
        }

    def ask(self, method: str, content: bytes = NOTHING, limit_s: float | None = HEARD_S) -> bytes:
        """Call one of `METHODS`: describe the runtime, return the content as it came, end."""
        try:
            reply: bytes = self._methods[method](content, timeout=limit_s, metadata=self._metadata)
        except grpc.RpcError as error:
            raise StatusError.read(error) from error
        return reply

    def is_heard(self) -> bool:
        """Tell whether the process at the address answers, over a connection of its own: running calls need not end."""
        options = (*OPTIONS, ("grpc.use_local_subchannel_pool", 1))
        with (
            grpc.insecure_channel(self._address, options=options) as channel,
            contextlib.suppress(grpc.FutureTimeoutError),
        ):
            grpc.channel_ready_future(channel).result(timeout=HEARD_S)
            return True
        return False

    def call(self, request: bytes, apart: Sequence[Buffer], limit_s: float | None) -> bytes:
        """Send a request and the long arrays that go with it, and return the reply."""
        if 4 + len(request) + sum(map(len, apart)) > MOST_REQUEST_BYTES:
            raise StatusError(
                grpc.StatusCode.RESOURCE_EXHAUSTED, f"a request of more than {MOST_REQUEST_BYTES:,} bytes"
            )
        return self._sockets.exchange(request, apart, limit_s)

    def leave(self) -> None:
        """Leave the connection to those who use it: what they no longer use is closed."""
        self._sockets.leave()

    def close(self) -> None:
        """Close the connection, and what waits on it."""
        self._sockets.close()
        self._channel.close()


# --- calls ------------------------------------------------------------------------------------------------------------


class CallSockets:
    """The plain sockets to one runtime: each thread that computes takes an idle one, or opens another."""

    def __init__(self, address: str, token: str) -> None:
        self._address, self._token = address, token.encode()
        self._idle: list[socket.socket] = []
        self._busy: set[socket.socket] = set()
        self._is_left = False
        weakref.finalize(self, _close_own, os.getpid(), self._idle)

    def exchange(self, request: bytes, apart: Sequence[Buffer], limit_s: float | None) -> bytes:
        """Send a request, and wait for the reply; `StatusError` when the runtime ended, or the time is over."""
        try:
            channel = self._idle.pop() if self._idle else self._open()
        except OSError as error:
            raise StatusError(grpc.StatusCode.UNAVAILABLE) from error
        self._busy.add(channel)
        try:
            with ended_by(lambda: _shut(channel)):
                channel.settimeout(limit_s)
                send(channel, request, apart)
                reply, _ = receive(channel)
        except BaseException as error:  # an interruption, too, ends the call
            self._busy.discard(channel)
            _close_all([channel])
            if isinstance(error, Closed):
                is_late = isinstance(error.__cause__, TimeoutError)
                status = grpc.StatusCode.DEADLINE_EXCEEDED if is_late else grpc.StatusCode.UNAVAILABLE
                raise StatusError(status) from error
            raise
        self._busy.discard(channel)
        self._idle.append(channel)
        if self._is_left:
            _close_all(self._idle)
        return reply

    def _open(self) -> socket.socket:
        if self._address.startswith("unix:"):
            channel = socket.socket(socket.AF_UNIX)
            place: Any = unquote_to_bytes(self._address.removeprefix("unix:"))
        else:
            channel = socket.socket(socket.AF_INET)
            channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            host, _, port = self._address.rpartition(":")
            place = host, int(port)
        try:
            channel.settimeout(HEARD_S)
            channel.connect(place)
            channel.sendall(self._token)
        except BaseException:
            channel.close()
            raise
        return channel

    def leave(self) -> None:
        """Close each socket once nobody uses it."""
        self._is_left = True
        _close_all(self._idle)

    def close(self) -> None:
        """Close all sockets, and end what waits on them."""
        self.leave()
        for channel in list(self._busy):
            _shut(channel)


def _close_own(pid: int, channels: list[socket.socket]) -> None:
    """Close what is idle at the end of the process that opened it: a fork that ends leaves them to its parent."""
    if pid == os.getpid():
        _close_all(channels)


def _close_all(channels: list[socket.socket]) -> None:
    while channels:
        channel = channels.pop()
        _shut(channel)
        channel.close()


def _shut(channel: socket.socket) -> None:
    """End a connection for whoever waits on it, here or there, in this process or in a fork of it."""
    with contextlib.suppress(OSError):
        channel.shutdown(socket.SHUT_RDWR)


# --- through a helper -------------------------------------------------------------------------------------------------


class Relay:
    """The methods of `Channel`, in a process that may not use gRPC. Each thread that calls has a helper meanwhile."""

    def __init__(self, address: str, calls: str, token: str) -> None:
        self._endpoint = (address, calls, token)
        self._idle: list[_Helper] = []

    def ask(self, method: str, content: bytes = NOTHING, limit_s: float | None = HEARD_S) -> bytes:
        """See `Channel.ask`."""
        return self._exchange(method, [content], limit_s)

    def is_heard(self) -> bool:
        """See `Channel.is_heard`."""
        return bool(self._exchange("is_heard"))

    def call(self, request: bytes, apart: Sequence[Buffer], limit_s: float | None) -> bytes:
        """See `Channel.call`."""
        return self._exchange("call", [request, *apart], limit_s)

    def leave(self) -> None:
        """See `Channel.leave`; helpers end with this process."""

    def close(self) -> None:
        """End the helpers that nobody waits for."""
        while self._idle:
            self._idle.pop().end()

    def _exchange(self, method: str, pieces: Sequence[Buffer] = (), limit_s: float | None = None) -> bytes:
        try:
            helper = self._idle.pop()
        except IndexError:
            helper = _Helper(*self._endpoint)
        try:
            with ended_by(helper.process.kill):
                reply = helper.exchange(method, pieces, limit_s)
        except StatusError:  # an answer like others
            self._idle.append(helper)
            raise
        except BaseException as error:  # an interruption, too, ends the call
            helper.end()
            if isinstance(error, (EOFError, OSError)):
                raise StatusError(grpc.StatusCode.UNAVAILABLE) from error
            raise
        self._idle.append(helper)
        return reply


class _Helper:
    """A process that speaks gRPC for this one, about one request at a time, over its standard streams."""

    def __init__(self, address: str, calls: str, token: str) -> None:
        # The same modules from the same places, for what this process found is not always what a new one would find.
        code = f"import sys; sys.path[:] = {sys.path!r}; from service_nb.runtimes.connection import run_helper"
        self.process = subprocess.Popen(  # noqa: S603  # the interpreter that runs us, and our own module
            [sys.executable, "-c", f"{code}; run_helper()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C is for whoever waits, who ends it
        )
        assert self.process.stdin is not None  # noqa: S101  # pipes were asked for
        assert self.process.stdout is not None  # noqa: S101
        self._requests = Connection(os.dup(self.process.stdin.fileno()), readable=False)
        self._replies = Connection(os.dup(self.process.stdout.fileno()), writable=False)
        self.process.stdin.close()
        self.process.stdout.close()
        with contextlib.suppress(OSError):  # whether it lives is seen by the first request
            self._requests.send_bytes(json.dumps([address, calls, token]).encode())

    def exchange(self, method: str, pieces: Sequence[Buffer], limit_s: float | None) -> bytes:
        """Send a request, and wait for the reply."""
        self._requests.send_bytes(json.dumps([method, limit_s, len(pieces)]).encode())
        for piece in pieces:
            self._requests.send_bytes(piece)
        status, details = json.loads(self._replies.recv_bytes())
        content = self._replies.recv_bytes()
        if status is not None:
            raise StatusError(grpc.StatusCode[status], details)
        return content

    def end(self) -> None:
        """End the process, and give back what it used."""
        self.process.kill()
        self.process.wait()
        self._requests.close()
        self._replies.close()


def run_helper() -> None:
    """Answer what comes on standard input on standard output, until whoever writes there is gone."""
    threading.Thread(target=_end_with_caller, daemon=True).start()
    requests, replies = Connection(os.dup(0), writable=False), Connection(os.dup(1), readable=False)
    os.dup2(2, 1)  # what else is printed is no reply
    runtime = Channel(*json.loads(requests.recv_bytes()))
    while True:
        method, limit_s, count = json.loads(requests.recv_bytes())
        pieces = [requests.recv_bytes() for _ in range(count)]
        status: list[str | None] = [None, None]
        content = b""
        try:
            content = _answer(runtime, method, limit_s, pieces)
        except StatusError as error:
            status = [error.status.name, error.details]
        replies.send_bytes(json.dumps(status).encode())
        replies.send_bytes(content)


def _answer(runtime: Channel, method: str, limit_s: float | None, pieces: list[bytes]) -> bytes:
    if method == "call":
        return runtime.call(pieces[0], pieces[1:], limit_s)
    if method == "is_heard":
        return b"heard" if runtime.is_heard() else b""
    return runtime.ask(method, pieces[0], limit_s)


def _end_with_caller() -> None:
    """End at once when nobody can read a reply any more, whatever is being waited for."""
    watched = select.poll()
    watched.register(0, 0)  # that the other end was closed is told unasked
    watched.poll()
    os._exit(0)
