"""The workers of a runtime: lent for one call, replaced when they end.

Workers are started by one thread only, the runtime's main one: Linux ties "end with your parent" to the thread that
started a process, and the threads that answer calls come and go.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from service_nb_kernels.runtime.frames import Buffer, Closed, receive, send
from service_nb_kernels.runtime.settings import Settings

PATIENCE_S = 30.0  # for a worker to say hello
MOST_FAILURES = 3
SPARE_S = 300.0  # after which a second worker that nobody needs is let go


class WorkerEndedError(Exception):
    """A worker ended during a call; `why` says how, for people, and `is_late` whether at the call's deadline."""

    def __init__(self, why: str, *, is_late: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.is_late = is_late


class WorkerProcess:
    """One worker, and the way to it."""

    def __init__(self, settings: Settings) -> None:
        self._channel, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603  # our own module, with settings of our own
                [
                    sys.executable,
                    *interpreter_flags(),
                    "-m",
                    f"{__package__}.worker",
                    str(theirs.fileno()),
                    settings.to_text(),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self.used = time.monotonic()
        self._lock = threading.Lock()
        self._call: object = None
        self._was_stopped = False
        self.is_usable = True

    def hello(self) -> dict[str, Any]:
        """Wait until the worker can serve, and return what it says of itself.

        Raises
        ------
        WorkerEndedError
        """
        self._channel.settimeout(PATIENCE_S)
        try:
            said: dict[str, Any] = json.loads(receive(self._channel)[0])
        except (Closed, ValueError) as error:
            is_silent = isinstance(error.__cause__, TimeoutError)
            self.kill()
            why = f"it said nothing for {PATIENCE_S:.0f} seconds" if is_silent else self.how_it_ended()
            raise WorkerEndedError(why) from None
        self._channel.settimeout(None)
        return said

    def exchange(
        self, message: Buffer, rest: Sequence[Buffer], call: object, caller: socket.socket | None = None
    ) -> bytes:
        """Send a request and return the reply; until then `stop` knows the call by what it is given here.

        Where `caller` closes meanwhile, or sends anything, the worker is ended.

        Raises
        ------
        WorkerEndedError
        """
        with self._lock:
            self._call = call
        try:
            send(self._channel, message, rest)
            if caller is not None and not self._is_first(caller):
                self.stop(call)
            reply, goodbye = receive(self._channel)
        except Closed:
            self.is_usable = False
            why = self.how_it_ended()
            raise WorkerEndedError(why, is_late=self.process.returncode == -signal.SIGALRM) from None
        finally:
            with self._lock:
                self._call = None
            self.used = time.monotonic()
        if goodbye:
            self.is_usable = False
        return reply

    def _is_first(self, caller: socket.socket) -> bool:
        """Wait for the reply or for the caller's end, and tell whether the reply came first."""
        waiting = select.poll()
        waiting.register(self._channel, select.POLLIN)
        waiting.register(caller, select.POLLIN)
        return any(descriptor == self._channel.fileno() for descriptor, _ in waiting.poll())

    def stop(self, call: object) -> None:
        """End the worker if it still works at this call: a computation inside of C listens to nothing else."""
        with self._lock:
            if self._call is call:
                self._was_stopped, self.is_usable = True, False
                self.process.kill()

    def kill(self) -> None:
        """End the worker."""
        with contextlib.suppress(OSError):
            self._channel.close()
        self.process.kill()
        self.process.wait()

    def how_it_ended(self) -> str:
        """How the process ended, in words."""
        if self._was_stopped:
            return "it was stopped"
        try:
            code = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "it closed its connection"
        return f"it was ended by signal {-code}" if code < 0 else f"it ended with status {code}"


class Pool:
    """At most `settings.workers` workers; one is always warm."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._changed = threading.Condition()
        self._idle: list[WorkerProcess] = []
        self._busy = 0
        self._waiting = 0
        self._failures = 0  # workers in a row that could not start
        self._ended = False
        self._lost: list[WorkerProcess] = []

    # --- of the threads that answer calls -----------------------------------------------------------------------

    def lend(self, is_wanted: Callable[[], bool]) -> WorkerProcess | None:
        """Return a worker, waiting for one while it is wanted; None when it is wanted no more, or the pool ended.

        Raises
        ------
        WorkerEndedError
            No worker can be started any more.
        """
        with self._changed:
            self._waiting += 1
            try:
                while not self._idle:
                    if self._ended or not is_wanted():
                        return None
                    if self.is_broken:
                        raise WorkerEndedError("no worker could be started")
                    self._changed.notify_all()  # the main thread may have to start one
                    self._changed.wait(0.5)
                self._busy += 1
                return self._idle.pop()
            finally:
                self._waiting -= 1

    def give_back(self, worker: WorkerProcess) -> None:
        """Take a worker back after its call."""
        with self._changed:
            self._busy -= 1
            if worker.is_usable and not self._ended:
                self._idle.append(worker)
            else:
                self._lost.append(worker)
            if self._waiting or self._lost:  # else nobody cares, and waking the main thread takes time from calls
                self._changed.notify_all()

    @property
    def is_broken(self) -> bool:
        """Whether no worker could be started, several times in a row."""
        return self._failures >= MOST_FAILURES

    @property
    def busy(self) -> int:
        """How many calls run or wait."""
        return self._busy + self._waiting

    # --- of the main thread -------------------------------------------------------------------------------------

    def add(self, worker: WorkerProcess) -> None:
        """Take a worker that has said hello."""
        with self._changed:
            self._idle.append(worker)
            self._changed.notify_all()

    def tend(self, wait_s: float) -> None:
        """Wait until something changes, replace what ended, start what is needed, let go what is not."""
        with self._changed:
            if not self._lost and not self._is_short():
                self._changed.wait(wait_s)
            lost, self._lost = self._lost, []
            ended = [worker for worker in self._idle if worker.process.poll() is not None]
            self._idle = [worker for worker in self._idle if worker not in ended]
            if len(self._idle) > 1 and time.monotonic() - self._idle[0].used > SPARE_S:
                lost.append(self._idle.pop(0))
            is_short = self._is_short()
        for worker in [*lost, *ended]:
            worker.kill()
        if is_short:
            self._start()

    def _is_short(self) -> bool:
        there = len(self._idle) + self._busy
        return there == 0 or (self._waiting > 0 and not self._idle and there < self._settings.workers)

    def _start(self) -> None:
        worker = WorkerProcess(self._settings)
        with contextlib.suppress(WorkerEndedError):
            if not worker.hello()["faults"]:
                self._failures = 0
                self.add(worker)
                return
        worker.kill()
        with self._changed:
            self._failures += 1
            self._changed.notify_all()

    def pids(self) -> list[int]:
        """The processes that wait for a call."""
        with self._changed:
            return [worker.process.pid for worker in self._idle]

    def end(self) -> None:
        """End every worker that waits; those that work are ended when they are given back."""
        with self._changed:
            self._ended = True
            workers, self._idle = [*self._idle, *self._lost], []
            self._changed.notify_all()
        for worker in workers:
            worker.kill()


def interpreter_flags() -> list[str]:
    """Return the flags of every process of a runtime.

    No site-packages (-S, -s), nothing from the working folder (-P), no files written (-B). Not -I: it would ignore
    PYTHONHASHSEED, a pin. The environment holds nothing but what the starter put there.
    """
    return ["-S", "-s", "-P", "-B", "-X", "utf8"]


def resident_bytes(pids: Sequence[int]) -> int:
    """Return the resident memory of this process and of others; 0 where the system does not tell."""
    total = 0
    for pid in [os.getpid(), *pids]:
        try:
            with open(f"/proc/{pid}/statm", encoding="ascii") as statm:  # noqa: PTH123  # read often
                total += int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError):
            continue
    return total
