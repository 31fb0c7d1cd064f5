"""A worker: a process that runs one call after the other and holds nothing between them.

It talks to the runtime's front over one socket. Before it serves it tells what took effect of the pins; when the front
ends, however it ends, so does the worker.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np  # noqa: F401  # loaded before the profile is read: its pins are those of this NumPy
from google.protobuf.message import DecodeError

from service_nb_kernels import environment
from service_nb_kernels.errors import KernelError
from service_nb_kernels.execute import Executor
from service_nb_kernels.runtime import profile
from service_nb_kernels.runtime.frames import Closed, receive, send
from service_nb_kernels.runtime.runtime_pb2 import Fault, Reply, Request
from service_nb_kernels.runtime.settings import Settings, from_text
from service_nb_kernels.runtime.wire import Apart, from_message, to_message

PR_SET_PDEATHSIG = 1
HARD_S = 1.0  # after its deadline, a call that has not ended by itself ends with its worker
LONGEST_S = 1e6  # that a timer of the system takes everywhere
NO_REST = memoryview(b"")
GOODBYE = b"\0"  # behind a reply: the front shall send nothing more


class Worker:
    """Answers requests with the kernels of this process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._executor = Executor()
        self._served = frozenset(settings.modules)
        self._known: dict[str, str | Fault] = {}
        self._watch = profile.Watch(settings.profile)
        self._taint: Fault | None = None

    @property
    def is_tainted(self) -> bool:
        """Whether something in this process was seen to change numbers: it has answered for the last time."""
        return self._taint is not None

    def look(self) -> None:
        """Look whether the pins still hold."""
        found = self._watch.faults()
        if found:
            name, met, expected = found[0]
            reason = "floating_point_mode" if name == "floating point" else "pin_not_taken"
            self._taint = Fault(
                code="compute_runtime_unavailable",
                message=f"the process that computed cannot be trusted: {name} is {met}; expected {expected}",
                details={"reason": json.dumps(reason)},
            )

    def hello(self) -> dict[str, Any]:
        """What this process is, read back from it and not from what it was asked to be."""
        if importlib.util.find_spec("scipy") is not None:  # a filtered runtime may do without
            importlib.import_module("scipy.linalg")  # so that its BLAS is told of, too
        state = profile.effective()
        found = profile.faults(state, self._settings.profile)
        return {
            "libraries": environment() | dict(state.libraries),
            "faults": [list(fault) for fault in found],
        }

    def answer(self, message: bytes, rest: memoryview = NO_REST) -> bytes:
        """Return the reply to a request; the first call that fails ends it.

        Parameters
        ----------
        rest : memoryview
            The bytes of the arrays that are not in the message.
        """
        reply = Reply(instance=self._settings.instance)
        try:
            request, apart = Request.FromString(message), Apart(rest)
        except DecodeError:
            reply.fault.CopyFrom(Fault(code="invalid_intent", message="the request cannot be read"))
            return bytes(reply.SerializeToString())
        timeout_s = request.timeout_s or None
        for call in request.calls:
            fault = self._run(call, apart, timeout_s, reply)
            if fault is not None:
                reply.fault.CopyFrom(fault)
                break
        return reply.SerializeToString()

    def _run(self, call: Any, apart: Apart, timeout_s: float | None, reply: Reply) -> Fault | None:
        """Add the value of a call to the reply, or return what went wrong."""
        tier = self._known.get(call.capability) or self._judged(call.capability)
        if isinstance(tier, Fault) or self._taint is not None:
            return tier if isinstance(tier, Fault) else self._taint
        started = time.monotonic()
        try:
            _set_alarm(timeout_s)
            value = self._executor.execute(
                call.capability,
                [from_message(argument, apart) for argument in call.arguments],
                seed=int(call.seed) if call.HasField("seed") else None,
                timeout_s=timeout_s,
            )
            message = to_message(value)
        except Exception as error:  # noqa: BLE001  # one call's fault is that call's answer, whatever it is
            if timeout_s is not None and time.monotonic() - started >= timeout_s:
                return Fault(code="timeout", message="stopped at its deadline")
            if isinstance(error, KernelError):
                return _fault(error)
            return Fault(code="engine_failed", message=f"{type(error).__name__}: {error}"[:500])
        finally:
            _set_alarm(None)
        # Before the value is handed out, for the call may have loaded a library. Certified values are made of integers
        # and balls, and rounded once: the mode of the floating-point unit is all that could change them.
        if tier != "certified" or not profile.probe_fpu():
            self.look()
        if self._taint is None:
            reply.values.append(message)
        return self._taint

    def _judged(self, capability: str) -> str | Fault:
        """Return the tier of a capability, or why this runtime never runs it; both are remembered."""
        tier = self._executor.tier(capability)
        self._known[capability] = judged = self._refusal(capability, tier) or str(tier)
        return judged

    def _refusal(self, capability: str, tier: str | None) -> Fault | None:
        if self._served and capability.partition(".")[0] not in self._served:
            modules = ", ".join(sorted(self._served))
            return Fault(code="unsupported_operation", message=f"this runtime has the modules {modules} only")
        if tier is None:
            return Fault(code="unsupported_operation", message="its contract has no such capability")
        if tier != "certified" and self._settings.profile == "portable":
            return Fault(
                code="unsupported_platform",
                message=f"{tier} capabilities keep their promise on x86-64-v3 only, and this processor is none",
            )
        return None


def _fault(error: KernelError) -> Fault:
    details = {key: json.dumps(value, default=repr) for key, value in error.details.items()}
    return Fault(code=error.code, message=str(error), details=details)


def serve(channel: socket.socket, worker: Worker, cpu_s: int) -> None:
    """Answer until the front is gone."""
    send(channel, json.dumps(worker.hello()).encode())
    while True:
        _limit_cpu(cpu_s)  # of the next call: this, and a look at the pins, while nobody waits
        worker.look()
        answer = worker.answer(*receive(channel))
        send(channel, answer, [GOODBYE] if worker.is_tainted else ())


def _set_alarm(timeout_s: float | None) -> None:
    """End this process when a call goes on after its deadline: inside of C it listens to nothing else."""
    signal.setitimer(signal.ITIMER_REAL, 0.0 if timeout_s is None else min(timeout_s, LONGEST_S) + HARD_S)


def _limit_cpu(cpu_s: int) -> None:
    """Give the next call its own time: what was used before does not count against it."""
    used = int(time.process_time())
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (used + cpu_s, most))


def _confine(settings: Settings) -> None:
    """Bound the memory, leave no core file, and end with the front even when it is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_AS, (settings.memory_bytes, settings.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the client's, which cancels its own call


def main(arguments: Sequence[str]) -> int:
    """Serve on the socket whose descriptor is the first argument, with the settings of the second."""
    channel = socket.socket(fileno=int(arguments[0]))
    settings = from_text(arguments[1])
    _confine(settings)
    if os.getppid() == 1:  # the front ended before it could be watched
        return 1
    try:
        serve(channel, Worker(settings), settings.cpu_s)
    except Closed:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
