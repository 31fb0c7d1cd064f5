"""Work in a process of its own that can be killed: for drivers that nothing else stops.

Run as a program, this module is such a process. It reads frames of its caller and answers each: calls of one object,
whose class the first frame names. What a driver prints goes nowhere, and the process ends when its caller does.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pickle
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import IO, Any, Self

from service_nb import errors
from service_nb.core.stopping import find_current_stop
from service_nb.core.words import split_words
from service_nb.errors import ConnectorError, EngineError, QueryInterruptedError, QueryTimeoutError, ServiceError

MOST_BYTES = 1 << 30  # of one answer
MOST_MEMORY = 4 << 30  # of the process, whose driver may hold an answer whole
_HEAD = struct.Struct(">Q")
_LOOK_S = 0.1
_PLAIN = frozenset(
    (("decimal", "Decimal"), *(("datetime", name) for name in ("date", "datetime", "time", "timedelta", "timezone")))
)
_KEPT = split_words("""
    PATH HOME LANG LC_ALL TZ LD_LIBRARY_PATH SYSTEMROOT SSL_CERT_FILE SSL_CERT_DIR PYTHONPATH
""")


class Isolated:
    """An object in another process: `target` is ``"module:callable"``, called there with the arguments of `open`.

    Arguments and answers are plain values: numbers, texts, bytes, dates, lists, dicts. An answer that holds anything
    else is none: what a stranger's server has made of the driver ends at the pipe. Secrets are revealed by the caller;
    they cross a pipe and are in no argument list and no environment.
    """

    def __init__(self, target: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # our own module
            [sys.executable, "-I", "-c", _PROGRAM, *filter(None, sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={key: os.environ[key] for key in _KEPT if key in os.environ},
            start_new_session=True,
        )
        self._target = target
        self._lock = threading.Lock()

    def open(self, *arguments: object, deadline: float) -> Any:
        """Make the object; return what its constructor's `opened` attribute holds, if it has one."""
        return self._ask(("open", self._target, arguments), deadline)

    def call(self, method: str, *arguments: object, deadline: float) -> Any:
        """Call a method of the object. Raises `timeout`, `interrupted`, `connector_failed`."""
        return self._ask(("call", method, arguments), deadline)

    def kill(self) -> None:
        """End the process, whatever it does; of no effect when it has ended. Safe from any thread."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """End the process and give back what it had of this one."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, question: tuple[object, ...], deadline: float) -> Any:
        stop = find_current_stop()
        with self._lock, stop.telling(self.kill) if stop is not None else contextlib.nullcontext():
            try:
                answer = self._exchange(question, deadline)
            except (OSError, EOFError, pickle.UnpicklingError, ValueError, TypeError, LookupError) as error:
                self.kill()
                if stop is not None and stop.is_requested:
                    raise QueryInterruptedError("The question was interrupted.") from error
                raise ConnectorError("The driver's process ended.", reason="lost", hint="Try again.") from error
        fine, value = answer
        if fine:
            return value
        raise _rebuild_error(value)

    def _exchange(self, question: tuple[object, ...], deadline: float) -> tuple[bool, Any]:
        given, taken = self._process.stdin, self._process.stdout
        if given is None or taken is None:
            raise EOFError
        _write(given, question)
        read = partial(_read_exactly, taken, deadline=deadline, kill=self.kill)
        (length,) = _HEAD.unpack(read(_HEAD.size))
        if length > MOST_BYTES:
            raise EOFError
        fine, value = _Plain(io.BytesIO(read(length))).load()
        return bool(fine), value


class _Plain(pickle.Unpickler):
    """Reads plain values: a pickle that wants any other name of this process, of which it could make use, is none."""

    def find_class(self, module: str, name: str) -> object:
        if (module, name) not in _PLAIN:
            raise pickle.UnpicklingError(name)
        return super().find_class(module, name)


def _read_exactly(pipe: IO[bytes], count: int, deadline: float, kill: Callable[[], None]) -> bytes:
    """Read so many bytes of a pipe until a deadline, at which the process is killed."""
    parts = bytearray()
    while len(parts) < count:
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            kill()
            raise QueryTimeoutError("The source did not answer in time.", hint="Raise `timeout`.")
        ready, _, _ = select.select([pipe], [], [], min(seconds, _LOOK_S))
        if ready:
            part = os.read(pipe.fileno(), min(count - len(parts), 1 << 20))
            if not part:
                raise EOFError
            parts += part
    return bytes(parts)


def _write(pipe: IO[bytes], value: object) -> None:
    data = pickle.dumps(value, protocol=5)
    pipe.write(_HEAD.pack(len(data)) + data)
    pipe.flush()


# `-I` keeps the environment and the current folder out; the paths are those of this process.
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from service_nb.connectors.isolated import serve; serve()"


def serve() -> None:
    """Answer the caller until it is gone."""
    given, taken = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    _limit_memory(MOST_MEMORY)
    held: object = None
    while head := given.read(_HEAD.size):
        verb, name, arguments = pickle.loads(given.read(*_HEAD.unpack(head)))  # noqa: S301  # of our own caller
        try:
            if verb == "open":
                module, _, target = name.partition(":")
                held = getattr(importlib.import_module(module), target)(*arguments)
                answer = (True, getattr(held, "opened", None))
            else:
                answer = (True, getattr(held, name)(*arguments))
        except ServiceError as error:
            answer = (False, (type(error).__name__, error.message, error.hint, error.details))
        except MemoryError:
            message = f"The driver needs more than {MOST_MEMORY:,} bytes."
            details = {"limit": MOST_MEMORY, "limit_name": "driver_bytes"}
            answer = (False, ("LimitExceededError", message, "Read less of the source.", details))
        except Exception as error:  # noqa: BLE001  # whatever a driver does, the caller gets an answer
            answer = (False, ("EngineError", f"The driver failed: {type(error).__name__}.", None, {}))
        _write(taken, answer)


def _limit_memory(most: int) -> None:
    """Let the system refuse this process more memory, where it can: what a server sends then ends here."""
    try:
        resource = importlib.import_module("resource")
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (least, hard))


def _rebuild_error(told: tuple[str, str, str | None, dict[str, object]]) -> ServiceError:
    name, message, hint, details = told
    kind = getattr(errors, name, None)
    if not isinstance(kind, type) or not issubclass(kind, ServiceError):
        kind = EngineError
    made: ServiceError = kind(message, hint=hint, **details)
    return made
