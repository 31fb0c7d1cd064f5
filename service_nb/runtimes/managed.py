"""The managed runtime as a client sees it: one resident process for all of a user's notebooks, reached over gRPC."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import NamedTuple

import grpc
from google.protobuf.message import Error as MessageError
from service_nb_kernels.runtime.frames import Buffer
from service_nb_kernels.runtime.runtime_pb2 import Call, Description, Reply, Request
from service_nb_kernels.runtime.wire import from_message, to_message

from service_nb.core.stopping import find_current_stop
from service_nb.errors import EngineError, InvalidIntentError, LimitExceededError, QueryInterruptedError, ServiceError
from service_nb.runtimes.connection import Channel, Relay, StatusError, connect
from service_nb.runtimes.install import Installed
from service_nb.runtimes.interface import Invocation, Report, RunResult, make_fault, make_timeout, mark_failed_call
from service_nb.runtimes.process import Endpoint, ensure_running, find_running, kill_runtime, make_gone_error
from service_nb.runtimes.provision import find_installed, provision
from service_nb.schema.compute import RuntimeDescription

ENGINE = "managed"
SOME, IN_ONE_BATCH = 16, 64_000_000  # calls, and bytes of calls, from which on the next ones wait for another batch
GRACE_S = 2.0  # the runtime notices a deadline itself, and says so better than a cut connection


class RuntimeStatus(NamedTuple):
    """The state of a running runtime."""

    description: RuntimeDescription
    pid: int
    contract_hash: str
    memory_bytes: int
    idle_s: float
    address: str  # unix, tcp


class Managed:
    """A `Runtime` in a process of its own, pinned, from the signed bundle. Provisioned and started at the first call.

    `modules` are the fields that it shall have, all when empty. `admit` raises what keeps this user from computing
    here; it is asked before anything is installed, started or called. `report` is told how far provisioning is.
    """

    def __init__(
        self, modules: Sequence[str] = (), *, admit: Callable[[], object], report: Report | None = None
    ) -> None:
        self._modules = tuple(sorted(set(modules)))
        self._admit = admit
        self.report = report
        self._lock = threading.Lock()
        self._link: _Link | None = None

    def run(self, calls: Sequence[Invocation], *, timeout_s: float | None = None) -> RunResult:
        """Run calls in the runtime; see `Runtime.run`."""
        values: list[object] = []
        try:
            began, known = time.monotonic(), self._link
            link = self._connect()
            setup_s = 0.0 if link is known else time.monotonic() - began
            for batch in _split_calls(calls, timeout_s):
                some, error = self._exchange(link, batch)
                values += some
                if error is not None:
                    raise mark_failed_call(error, len(values), len(calls))
        except KeyboardInterrupt:  # wherever it comes: while calls are written, sent, computed or read
            self._abandon_link()
            raise QueryInterruptedError(
                "The computation was interrupted.", hint="Sources, session and runtime are intact."
            ) from None
        return RunResult(values, link.description, setup_s)

    def describe(self) -> RuntimeDescription:
        """Describe the runtime as it was when last reached; see `Runtime.describe`."""
        link = self._link  # whether it still lives is asked by the call that follows, and by it alone
        return (self._connect() if link is None else link).description

    def send_echo(self, content: bytes) -> bytes:
        """Send bytes to the runtime and back: what a round trip costs at least."""
        return self._connect().connection.ask("Echo", content, None)

    def close(self) -> None:
        """Close the connection; the runtime itself lives on for other notebooks, until it is idle for long."""
        self._drop(self._link)

    def _abandon_link(self) -> None:
        """Let the next call open another connection, and leave this one as it is.

        Ctrl-C may come while this thread holds a lock of gRPC, and it then stays held: the next call would wait for
        ever, and so would closing. Calls of other threads go on.
        """
        with self._lock:
            if self._link is not None:
                _ABANDONED.append(self._link)
                self._link.connection.leave()
                self._link = None

    def _drop(self, link: _Link | None) -> None:
        with self._lock:
            if self._link is link:  # else another thread has taken up another one meanwhile
                self._link = None
        if link is not None:
            link.close()

    def _connect(self) -> _Link:
        self._admit()
        link = self._link
        if link is not None and link.is_usable():
            return link
        self._drop(link)
        with self._lock:
            if self._link is None:
                bundle = find_installed(self._modules) or provision(self._modules, report=self.report)
                self._link = _open_link(bundle)
            return self._link

    def _exchange(self, link: _Link, batch: _CallBatch) -> tuple[list[object], ServiceError | None]:
        """Return the values of a batch of calls, and the error of the call after them, if one failed."""
        request = batch.request
        limit_s = request.timeout_s * len(request.calls) + GRACE_S if request.timeout_s else None
        try:
            return _read_reply(link.connection.call(request.SerializeToString(), batch.apart, limit_s), request)
        except StatusError as error:
            stop = find_current_stop()
            if stop is not None and stop.is_requested:  # it was our own end of it that was closed
                raise QueryInterruptedError("The computation was interrupted.") from error
            if not link.is_connection_usable(error):
                self._drop(link)
            raise _explain(request.calls[0].capability, error) from error
        except (MessageError, ValueError) as error:
            if link.is_closed:  # by another thread, whose call has met the end of the runtime
                raise make_gone_error() from error
            raise EngineError("The runtime's answer cannot be read.", engine=ENGINE) from error


class _Link:
    """An open connection to one living runtime."""

    def __init__(self, bundle: Installed) -> None:
        self._endpoint = ensure_running(bundle)
        self._pid = os.getpid()
        self.is_closed = False
        self.connection = connect(self._endpoint.address, self._endpoint.calls, self._endpoint.token)
        try:
            self.description = _describe(Description.FromString(self.connection.ask("Describe")))
        except StatusError as error:
            if not self.is_connection_usable(error):
                kill_runtime(self._endpoint.folder)  # the next one starts another
            self.close()
            raise

    def is_usable(self) -> bool:
        """Tell whether the runtime lives and the connection is this process's own, not its parent's."""
        return self._pid == os.getpid() and self._endpoint.is_alive()

    def is_connection_usable(self, error: StatusError) -> bool:
        """Tell whether the connection is still usable; end a runtime that lives but does not respond."""
        if error.status is grpc.StatusCode.DEADLINE_EXCEEDED:
            if self.connection.is_heard():
                return True  # it is busy, or the call was
            kill_runtime(self._endpoint.folder)  # the next call starts another
        return error.status is grpc.StatusCode.RESOURCE_EXHAUSTED

    def close(self) -> None:
        """Close the connection. That of the process which this one was forked from is left to it."""
        self.is_closed = True
        if self._pid != os.getpid():
            _ABANDONED.append(self)  # to close it, or to forget it, would wait for threads that are not here
            return
        self.connection.close()
        self._endpoint.close()


def _open_link(bundle: Installed) -> _Link:
    """Connect; once more if the runtime was about to end, or did not listen."""
    for _ in range(2):
        try:
            return _Link(bundle)
        except StatusError as error:
            met = error
    raise make_gone_error() from met


_ABANDONED: list[_Link] = []


class _CallBatch(NamedTuple):
    """Calls that go together, and the bytes of their long arrays."""

    request: Request
    apart: list[Buffer]


def _split_calls(calls: Sequence[Invocation], timeout_s: float | None) -> Iterator[_CallBatch]:
    """Put calls into requests: all into one, unless they are long."""
    messages: list[Call] = []
    apart: list[Buffer] = []
    size = 0
    for call in calls:
        if len(messages) >= SOME and size > IN_ONE_BATCH:
            yield _CallBatch(Request(calls=messages, timeout_s=timeout_s or 0.0), apart)
            messages, apart, size = [], [], 0
        kept = len(apart)
        messages.append(_write_call(call, apart))
        size += messages[-1].ByteSize() + sum(map(len, apart[kept:]))
    if messages:
        yield _CallBatch(Request(calls=messages, timeout_s=timeout_s or 0.0), apart)


def _write_call(call: Invocation, apart: list[Buffer]) -> Call:
    try:
        arguments = [to_message(argument, apart) for argument in call.arguments]
        seed = None if call.seed is None else str(call.seed)
        return Call(capability=call.capability_id, arguments=arguments, seed=seed)
    except (TypeError, ValueError, RecursionError, MessageError) as error:
        raise InvalidIntentError(
            f"{call.capability_id}: an argument has a form in which it cannot be sent to the runtime.",
            met=type(error).__name__,
            expected="numbers, texts, truth values, lists or arrays of them",
        ) from error


def _read_reply(content: bytes, request: Request) -> tuple[list[object], ServiceError | None]:
    reply = Reply.FromString(content)
    values = [from_message(value) for value in reply.values]
    has_fault = reply.HasField("fault")
    if len(values) >= len(request.calls) if has_fault else len(values) != len(request.calls):
        raise ValueError(f"{len(values)} values for {len(request.calls)} calls")
    if not has_fault:
        return values, None
    fault = reply.fault
    details = {key: json.loads(text) for key, text in fault.details.items()}
    return values, make_fault(request.calls[len(values)].capability, fault.code, fault.message, details, engine=ENGINE)


def _describe(description: Description) -> RuntimeDescription:
    return RuntimeDescription(
        bundle_version=description.bundle_version,
        bundle_sha256=description.bundle_sha256,
        platform=description.platform,
        architecture=description.architecture,
        kernel_build=description.kernel_build,
        libraries=dict(sorted(description.libraries.items())),
        is_pinned=description.profile != "portable",
        profile=description.profile,
        modules=tuple(description.modules),
    )


def _explain(capability_id: str, error: StatusError) -> ServiceError:
    code = error.status
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return make_timeout(capability_id)
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return LimitExceededError(f"{capability_id}: {error.details}.", hint="Compute on less data at a time.")
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.CANCELLED):
        return make_gone_error()
    return EngineError(f"The runtime failed with {code.name}.", engine=ENGINE)


# --- of the command line ----------------------------------------------------------------------------------------------


@contextmanager
def _control(bundle: Installed) -> Iterator[tuple[Endpoint, Channel | Relay] | None]:
    """Connect to the runtime of a bundle to ask about it; None when none lives."""
    endpoint = find_running(bundle)
    if endpoint is None:
        yield None
        return
    try:
        with closing(connect(endpoint.address, endpoint.calls, endpoint.token)) as connection:
            yield endpoint, connection
    finally:
        endpoint.close()


def read_status(bundle: Installed) -> RuntimeStatus | None:
    """Ask the runtime of a bundle how it is; None when none lives."""
    with suppress(StatusError), _control(bundle) as found:
        if found is not None:
            endpoint, connection = found
            described = Description.FromString(connection.ask("Describe"))
            return RuntimeStatus(
                description=_describe(described),
                pid=described.pid,
                contract_hash=described.contract_hash,
                memory_bytes=described.memory_bytes,
                idle_s=described.idle_s,
                address="unix" if endpoint.address.startswith("unix") else "tcp",
            )
    return None


def stop(bundle: Installed) -> bool:
    """End the runtime of a bundle and wait until it is gone; whether there was one."""
    with _control(bundle) as found:
        if found is None:
            return False
        endpoint, connection = found
        with suppress(StatusError):
            connection.ask("Stop")
            if endpoint.wait_for_end():
                return True
    return kill_runtime(endpoint.folder)
