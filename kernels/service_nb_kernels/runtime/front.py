"""The runtime's front: speaks gRPC with the clients of one user, and hands their calls to workers.

It imports no number: what a call contains is for the worker to read, so nothing that a client sends can end more than
the worker that runs it.
"""

from __future__ import annotations

import hmac
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import grpc

from service_nb_kernels import contract_hash
from service_nb_kernels.runtime.calls import Caller
from service_nb_kernels.runtime.frames import MOST_REQUEST_BYTES, Buffer, content_of, cut
from service_nb_kernels.runtime.pool import Pool, WorkerEndedError, WorkerProcess, resident_bytes
from service_nb_kernels.runtime.runtime_pb2 import Description, Fault, Nothing, Reply
from service_nb_kernels.runtime.settings import Settings

SERVICE = "service_nb.runtime.v1.Runtime"
TOKEN = "token"  # noqa: S105  # the name of the metadata
NOBODY = WorkerEndedError("nobody waits for the answer")
HEAD = "head"  # how many pieces the request itself has; one unless it is said


class Front(grpc.GenericRpcHandler):
    """The methods of `runtime.proto`. Requests and replies stay bytes where nothing in them is needed here."""

    def __init__(self, settings: Settings, token: str, pool: Pool, hello: dict[str, Any]) -> None:
        self._settings = settings
        self._token = token.encode()
        self._pool = pool
        self._hello = hello
        self._last = time.monotonic()
        self.stopped = threading.Event()
        unary, stream = grpc.unary_unary_rpc_method_handler, grpc.stream_stream_rpc_method_handler
        self._methods: dict[str, Any] = {
            f"/{SERVICE}/Execute": unary(self._execute),
            f"/{SERVICE}/Session": stream(self._session),
            f"/{SERVICE}/Stream": stream(self._stream),
            f"/{SERVICE}/Describe": unary(self._describe),
            f"/{SERVICE}/Echo": unary(self._echo),
            f"/{SERVICE}/Stop": unary(self._stop),
        }

    def service(self, handler_call_details: Any) -> Any:
        """Return the handler of a method; gRPC asks for each call."""
        return self._methods.get(handler_call_details.method)

    def idle_s(self) -> float:
        """Seconds since something was computed."""
        return 0.0 if self._pool.busy else time.monotonic() - self._last

    def _admit(self, context: Any) -> None:
        for key, value in context.invocation_metadata():
            if key == TOKEN and hmac.compare_digest(value.encode(), self._token):
                return
        context.abort(grpc.StatusCode.UNAUTHENTICATED, "the token is not this runtime's")

    # --- the methods --------------------------------------------------------------------------------------------

    def _execute(self, request: bytes, context: Any) -> bytes:
        self._admit(context)
        return self._computed(request, (), _Caller(context))

    def _session(self, requests: Iterable[bytes], context: Any) -> Iterator[bytes]:
        self._admit(context)
        caller = _Caller(context)
        for request in requests:
            yield self._computed(request, (), caller)

    def _stream(self, pieces: Iterable[bytes], context: Any) -> Iterator[bytes]:
        self._admit(context)
        taken: list[Buffer] = []
        size = 0
        for piece in pieces:
            try:
                content = content_of(piece)
            except ValueError:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, "no piece of a request")
            size += len(content)
            if size > MOST_REQUEST_BYTES:
                context.abort(
                    grpc.StatusCode.RESOURCE_EXHAUSTED, f"a request of more than {MOST_REQUEST_BYTES:,} bytes"
                )
            taken.append(content)
        head = _head(context)
        if not 1 <= head <= len(taken):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"{len(taken)} pieces, of which {head} are the request")
        yield from cut(self._computed(b"".join(taken[:head]), taken[head:], _Caller(context)))

    def answer(self, message: bytes, rest: Buffer, caller: Caller) -> bytes:
        """Answer a request that came over a plain socket."""
        return self._compute(
            lambda worker: worker.exchange(message, (rest,) if rest else (), object(), caller.channel),
            caller.is_waiting,
        )

    def _computed(self, message: bytes, rest: Sequence[Buffer], caller: _Caller) -> bytes:
        return self._compute(lambda worker: caller.exchange(worker, message, rest), caller.is_waiting)

    def _compute(self, exchange: Callable[[WorkerProcess], bytes], is_waiting: Callable[[], bool]) -> bytes:
        try:
            worker = self._pool.lend(is_waiting)
        except WorkerEndedError as error:
            return self._lost(error)
        if worker is None:
            return self._lost(NOBODY)
        try:
            return exchange(worker)
        except WorkerEndedError as error:
            return self._lost(error)
        finally:
            self._last = time.monotonic()
            self._pool.give_back(worker)

    def _lost(self, error: WorkerEndedError) -> bytes:
        code = "timeout" if error.is_late else "compute_runtime_unavailable"
        fault = Fault(code=code, message=f"The process that computed is gone: {error.why}.")
        reply: bytes = Reply(instance=self._settings.instance, fault=fault).SerializeToString()
        return reply

    def _describe(self, _: bytes, context: Any) -> bytes:
        self._admit(context)
        settings = self._settings
        description = Description(
            instance=settings.instance,
            contract_hash=contract_hash(),
            bundle_version=settings.bundle_version,
            bundle_sha256=settings.bundle_sha256,
            kernel_build=settings.kernel_build,
            platform=settings.platform,
            architecture=settings.architecture,
            profile=settings.profile,
            libraries=self._hello["libraries"],
            pid=os.getpid(),
            modules=settings.modules,
            memory_bytes=resident_bytes(self._pool.pids()),
            idle_s=self.idle_s(),
        )
        content: bytes = description.SerializeToString()
        return content

    def _echo(self, request: bytes, context: Any) -> bytes:
        self._admit(context)
        return request

    def _stop(self, _: bytes, context: Any) -> bytes:
        self._admit(context)
        self.stopped.set()
        content: bytes = Nothing().SerializeToString()
        return content


class _Caller:
    """Who waits for answers. When he is gone before his worker is done, the worker is stopped."""

    def __init__(self, context: Any) -> None:
        self._working: tuple[WorkerProcess, object] | None = None
        self.is_waiting = context.is_active
        self._is_known = context.add_callback(self._left)  # at the end of every call

    def exchange(self, worker: WorkerProcess, message: bytes, rest: Sequence[Buffer]) -> bytes:
        """Have a worker answer a request."""
        call = object()
        self._working = worker, call
        if not self._is_known or not self.is_waiting():
            raise NOBODY
        try:
            return worker.exchange(message, rest, call)
        finally:
            self._working = None

    def _left(self) -> None:
        working = self._working
        if working is not None:
            worker, call = working
            worker.stop(call)


def _head(context: Any) -> int:
    said = dict(context.invocation_metadata()).get(HEAD, "1")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 9 else 0
