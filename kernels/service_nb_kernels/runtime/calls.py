"""Calls as frames over plain sockets, beside gRPC: a round trip costs less than one of gRPC's.

A client connects, sends the runtime's token, and then requests: the messages of `runtime.proto`, with long arrays
beside them, one at a time. Whoever closes the connection, or sends more before he was answered, waits no longer: what
computes for him is ended.
"""

from __future__ import annotations

import contextlib
import hmac
import select
import socket
import threading
from collections.abc import Callable

from service_nb_kernels.runtime.frames import MOST_REQUEST_BYTES, Buffer, Closed, receive, receive_exactly, send

MOST_AT_ONCE = 512  # connections; each has a thread
TOKEN_S = 10.0  # within which a client says the token
AGAIN_S = 0.1  # after which another connection is taken where one could not be

Answer = Callable[[bytes, Buffer, "Caller"], bytes]


class Caller:
    """Who waits for an answer at the other end of a connection."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel

    def is_waiting(self) -> bool:
        """Tell whether he is there, and silent."""
        return not select.select([self.channel], [], [], 0)[0]


class CallServer:
    """Takes connections on a listening socket, and has `answer` answer their requests."""

    def __init__(self, listener: socket.socket, token: bytes, answer: Answer) -> None:
        self._listener, self._token, self._answer = listener, token, answer
        self._free = threading.BoundedSemaphore(MOST_AT_ONCE)
        self._closed = threading.Event()

    def start(self) -> None:
        """Serve in threads, until `close`."""
        threading.Thread(target=self._accept, daemon=True, name="calls").start()

    def close(self) -> None:
        """Take no more connections; those that are open end with the process."""
        self._closed.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            self._free.acquire()
            try:
                channel, _ = self._listener.accept()
            except OSError:
                self._free.release()
                if self._closed.wait(AGAIN_S):
                    return
                continue  # no descriptor was free, or the client had left
            threading.Thread(target=self._serve, args=(channel,), daemon=True, name="call").start()

    def _serve(self, channel: socket.socket) -> None:
        try:
            with channel, contextlib.suppress(Closed, OSError):
                if channel.family == socket.AF_INET:
                    channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                channel.settimeout(TOKEN_S)
                if not hmac.compare_digest(receive_exactly(channel, len(self._token)), self._token):
                    return
                channel.settimeout(None)
                caller = Caller(channel)
                while True:
                    message, rest = receive(channel, MOST_REQUEST_BYTES)
                    send(channel, self._answer(message, rest, caller))
        finally:
            self._free.release()
