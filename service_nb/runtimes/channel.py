"""The runtime's methods over gRPC: what a process that may use gRPC reaches it by. See `relay` for one that may not."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Sequence
from typing import Any

import grpc
from service_nb_kernels.runtime.frames import Buffer, content_of, cut
from service_nb_kernels.runtime.runtime_pb2 import Description, Nothing

from service_nb.core.stopping import ended_by
from service_nb.runtimes.base import nothing
from service_nb.runtimes.session import SERVICE, Metadata, Sessions

Method = Callable[..., bytes]
IN_ONE_PIECE = 2**21  # bytes of a request; longer ones are streamed
HEARD_S = 10.0  # within which a runtime that is not stopped answers
STOPPED_S = 5.0
OPTIONS = (
    ("grpc.max_receive_message_length", 2**30),
    ("grpc.enable_http_proxy", 0),
    ("grpc.enable_retries", 0),  # a call is tried once: what ends a worker shall not end the next
)

_first_user: int | None = None  # the process whose threads gRPC runs on


class Channel:
    """A connection to the runtime at an address.

    Its methods raise `grpc.RpcError` when the runtime does not answer them, or not in time.
    """

    def __init__(self, address: str, token: str) -> None:
        global _first_user  # noqa: PLW0603  # gRPC's threads are the process's as well
        _first_user = _first_user or os.getpid()
        self._address = address
        self._channel = grpc.insecure_channel(address, options=OPTIONS)
        self._metadata: Metadata = (("token", token),)
        self._sessions = Sessions(self._channel, self._metadata)
        self._stream: Any = self._channel.stream_stream(f"{SERVICE}Stream")
        self._echo: Method = self._channel.unary_unary(f"{SERVICE}Echo")

    def describe(self) -> Description:
        """Ask the runtime what it is."""
        return Description.FromString(self._plain("Describe", HEARD_S))

    def echo(self, content: bytes) -> bytes:
        """Return what was sent, by the runtime's front: what a round trip costs at least."""
        return self._echo(content, metadata=self._metadata)

    def stop(self) -> None:
        """Ask the runtime to end."""
        self._plain("Stop", STOPPED_S)

    def listens(self) -> bool:
        """Whether the process behind the address answers: by a connection of its own, for which no call has to end."""
        options = (*OPTIONS, ("grpc.use_local_subchannel_pool", 1))
        with (
            grpc.insecure_channel(self._address, options=options) as channel,
            contextlib.suppress(grpc.FutureTimeoutError),
        ):
            grpc.channel_ready_future(channel).result(timeout=HEARD_S)
            return True
        return False

    def call(
        self,
        request: bytes,
        apart: Sequence[Buffer],
        limit_s: float | None,
        meanwhile: Callable[[], object] = nothing,
    ) -> bytes:
        """Send a request and return the reply, both as bytes; `meanwhile` is called once it was sent."""
        if not apart and len(request) <= IN_ONE_PIECE:
            return self._sessions.exchange(request, limit_s, meanwhile)
        head = list(cut(request))
        pieces = itertools.chain(head, *map(cut, apart))
        answers = self._stream(pieces, timeout=limit_s, metadata=(*self._metadata, ("head", str(len(head)))))
        try:
            meanwhile()
            with ended_by(answers.cancel):
                return b"".join(map(content_of, answers))
        finally:
            answers.cancel()

    def close(self) -> None:
        """Close the connection, and what waits on it."""
        self._sessions.close()
        self._channel.close()

    def _plain(self, name: str, limit_s: float) -> bytes:
        method: Method = self._channel.unary_unary(f"{SERVICE}{name}")
        return method(Nothing().SerializeToString(), timeout=limit_s, metadata=self._metadata)


def is_usable() -> bool:
    """Whether this process may use gRPC: it has none of its threads, but all of its locks, if its parent used it."""
    return _first_user in (None, os.getpid())
