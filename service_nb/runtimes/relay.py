"""The runtime as a process reaches it that was forked from one which had used gRPC: through a helper that speaks gRPC.

gRPC's threads stay behind in a fork, and the locks that they held stay held: now and then such a process dies, or waits
for ever, whatever it calls. A helper of its own is started afresh, has neither, and costs its start once. Requests go
to it, and replies come back, as messages of bytes over its standard streams; it ends with whoever started it.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

import grpc
from service_nb_kernels.runtime.frames import Buffer
from service_nb_kernels.runtime.runtime_pb2 import Description

from service_nb.core.stopping import ended_by
from service_nb.runtimes import channel
from service_nb.runtimes.base import nothing
from service_nb.runtimes.channel import Channel
from service_nb.runtimes.session import StatusError


class Relay:
    """The methods of `Channel`, in a process that may not use gRPC. Each thread that calls has a helper meanwhile."""

    def __init__(self, address: str, token: str) -> None:
        self._endpoint = json.dumps([address, token]).encode()
        self._idle: list[_Helper] = []

    def describe(self) -> Description:
        """See `Channel.describe`."""
        return Description.FromString(self._asked({"method": "describe"}))

    def echo(self, content: bytes) -> bytes:
        """See `Channel.echo`."""
        return self._asked({"method": "echo"}, [content])

    def stop(self) -> None:
        """See `Channel.stop`."""
        self._asked({"method": "stop"})

    def listens(self) -> bool:
        """See `Channel.listens`."""
        return bool(self._asked({"method": "listens"}))

    def call(
        self,
        request: bytes,
        apart: Sequence[Buffer],
        limit_s: float | None,
        meanwhile: Callable[[], object] = nothing,
    ) -> bytes:
        """See `Channel.call`."""
        return self._asked({"method": "call", "limit_s": limit_s}, [request, *apart], meanwhile)

    def close(self) -> None:
        """End the helpers that nobody waits for."""
        while self._idle:
            self._idle.pop().end()

    def _asked(
        self, ask: dict[str, Any], pieces: Sequence[Buffer] = (), meanwhile: Callable[[], object] = nothing
    ) -> bytes:
        try:
            helper = self._idle.pop()
        except IndexError:
            helper = _Helper(self._endpoint)
        try:
            with ended_by(helper.kill):
                reply = helper.exchange({**ask, "pieces": len(pieces)}, pieces, meanwhile)
        except StatusError:  # an answer like others
            self._idle.append(helper)
            raise
        except BaseException as error:
            helper.end()
            if isinstance(error, (EOFError, OSError)):
                raise StatusError(grpc.StatusCode.UNAVAILABLE) from error
            raise
        self._idle.append(helper)
        return reply


class _Helper:
    """A process that speaks gRPC for this one, about one request at a time."""

    def __init__(self, endpoint: bytes) -> None:
        # The same modules from the same places, for what this process found is not always what a new one would find.
        code = f"import sys; sys.path[:] = {sys.path!r}; from service_nb.runtimes.relay import main; main()"
        self._process = subprocess.Popen(  # noqa: S603  # the interpreter that runs us, and our own module
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C is for whoever waits, who ends it
        )
        assert self._process.stdin is not None  # noqa: S101  # pipes were asked for
        assert self._process.stdout is not None  # noqa: S101
        self._requests = Connection(os.dup(self._process.stdin.fileno()), readable=False)
        self._replies = Connection(os.dup(self._process.stdout.fileno()), writable=False)
        self._process.stdin.close()
        self._process.stdout.close()
        self._endpoint: bytes | None = endpoint

    def exchange(self, ask: dict[str, Any], pieces: Sequence[Buffer], meanwhile: Callable[[], object]) -> bytes:
        """Send a request, do something, and wait for the reply."""
        if self._endpoint is not None:
            self._requests.send_bytes(self._endpoint)
            self._endpoint = None
        self._requests.send_bytes(json.dumps(ask).encode())
        for piece in pieces:
            self._requests.send_bytes(piece)
        meanwhile()
        status, details = json.loads(self._replies.recv_bytes())
        content = self._replies.recv_bytes()
        if status is not None:
            raise StatusError(grpc.StatusCode[status], details)
        return content

    def kill(self) -> None:
        """End the process, and so the call which somebody waits for."""
        self._process.kill()

    def end(self) -> None:
        """End the process, and give back what it used."""
        self._process.kill()
        self._process.wait()
        self._requests.close()
        self._replies.close()


def connected(address: str, token: str) -> Channel | Relay:
    """Return a connection to the runtime at an address, made in the way in which this process may."""
    return Channel(address, token) if channel.is_usable() else Relay(address, token)


# --- the helper -------------------------------------------------------------------------------------------------------


def main() -> None:
    """Answer what comes on standard input on standard output, until whoever writes there is gone."""
    threading.Thread(target=_end_with_caller, daemon=True).start()
    requests, replies = Connection(os.dup(0), writable=False), Connection(os.dup(1), readable=False)
    os.dup2(2, 1)  # what else is printed is no reply
    address, token = json.loads(requests.recv_bytes())
    runtime = Channel(address, token)
    while True:
        ask = json.loads(requests.recv_bytes())
        pieces = [requests.recv_bytes() for _ in range(ask["pieces"])]
        status, content = _answer(runtime, ask, pieces)
        replies.send_bytes(json.dumps(status).encode())
        replies.send_bytes(content)


def _answer(runtime: Channel, ask: dict[str, Any], pieces: list[bytes]) -> tuple[list[str | None], bytes]:
    try:
        return [None, None], _METHODS[ask["method"]](runtime, ask, pieces)
    except grpc.RpcError as error:
        return [error.code().name, str(error.details() or "")], b""


_METHODS: dict[str, Callable[[Channel, dict[str, Any], list[bytes]], bytes]] = {
    "call": lambda runtime, ask, pieces: runtime.call(pieces[0], pieces[1:], ask["limit_s"]),
    "describe": lambda runtime, *_: runtime.describe().SerializeToString(),
    "echo": lambda runtime, _, pieces: runtime.echo(pieces[0]),
    "listens": lambda runtime, *_: b"listens" if runtime.listens() else b"",
    "stop": lambda runtime, *_: runtime.stop() or b"",
}


def _end_with_caller() -> None:
    """End at once when nobody can read a reply any more, whatever is being waited for."""
    watched = select.poll()
    watched.register(0, 0)  # that the other end was closed is told unasked
    watched.poll()
    os._exit(0)
