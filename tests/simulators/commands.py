"""The command `service-nb` in a process of its own, forked by one that has imported what most verbs need.

To import takes longer than most commands. All else is as if Python had been started: arguments, folder, environment,
streams that are pipes, and what runs at the end. Tests of the start itself start Python.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import random
import socket
import subprocess
import sys
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NoReturn

PATIENCE_S = 300
COMMAND = "service_nb.cli.main"
PRELOADED = (
    *("ask", "capabilities", "compute", "connect", "doctor", "export", "log", "login", "preview", "profile", "replay"),
    *("runtime", "search", "show", "sources", "verify", "version"),
)
# What Python and its libraries read when they start: a command for which it differs is started by itself.
AT_START = ("PYTHON", "LC_", "LD_", "LANG", "TZ", "OMP_", "OPENBLAS_", "MKL_", "MALLOC_", "ARROW_", "GLIBC_", "COV")
LATER = {"PYTHONDONTWRITEBYTECODE"}
ROOT = Path(__file__).parents[2]
OWN = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels")]), "PYTHONUTF8": "1"}
TESTERS = {**os.environ, **OWN}  # as it is before any test


def run_command(folder: Path, words: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run `service-nb` of this checkout with these words; what it writes is UTF-8."""
    told = {**OWN, **environment}
    if _list_at_start(told) == _list_at_start(TESTERS):
        return _start_parent().run(folder, list(words), told)
    return subprocess.run(
        [sys.executable, "-m", COMMAND, *words],
        cwd=folder,
        env=told,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )


def _list_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(AT_START) and name not in LATER}


@cache
def _start_parent() -> _Parent:
    return _Parent()


class _Parent:
    """A process that forks commands. It ends with this one: nothing else holds the other end of its socket."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            started = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                env=TESTERS,
                pass_fds=[theirs.fileno()],
                stdout=subprocess.PIPE,  # the streams of commands are pipes, and begin as such
                stderr=subprocess.PIPE,
            )
        for stream in (started.stdout, started.stderr):
            assert stream is not None
            stream.close()
        self._end = weakref.finalize(self, _end, self._socket, started)
        self._lock = threading.Lock()

    def run(self, folder: Path, words: list[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        request = json.dumps([str(folder), words, dict(environment)]).encode()
        (out, their_out), (err, their_err) = os.pipe(), os.pipe()
        with self._lock:
            self._socket.settimeout(PATIENCE_S)
            socket.send_fds(self._socket, [len(request).to_bytes(8, "big")], [their_out, their_err])
            self._socket.sendall(request)
            os.close(their_out)
            os.close(their_err)
            read = [_Reader(out), _Reader(err)]
            code = int.from_bytes(_receive(self._socket, 4), "big", signed=True)
        written, complained = (each.finish() for each in read)
        return subprocess.CompletedProcess([COMMAND, *words], code, written, complained)


def _end(asking: socket.socket, started: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        asking.shutdown(socket.SHUT_RDWR)  # also where a process that a test has forked still holds it
    asking.close()
    started.wait(PATIENCE_S)


class _Reader(threading.Thread):
    """Reads a pipe to its end."""

    def __init__(self, pipe: int) -> None:
        super().__init__(daemon=True)
        self._pipe, self._text = pipe, ""
        self.start()

    def run(self) -> None:
        with open(self._pipe, encoding="utf-8") as stream:  # noqa: PTH123 - it has no path
            self._text = stream.read()

    def finish(self) -> str:
        self.join(PATIENCE_S)
        assert not self.is_alive(), "the command has ended, and somebody still holds what it wrote to"
        return self._text


def _receive(stream: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        more = stream.recv(size - len(content))
        if not more:
            raise EOFError
        content += more
    return content


# --- in the process that forks ----------------------------------------------------------------------------------------


def serve(number: int) -> None:
    """Fork a command for each request, until nobody is left to ask."""
    main = importlib.import_module(COMMAND).main
    for verb in PRELOADED:
        importlib.import_module(f"service_nb.cli.{verb}")
    warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=number) as asked:
        while True:
            try:
                size, pipes, _, _ = socket.recv_fds(asked, 8, 2)
                folder, words, environment = json.loads(_receive(asked, int.from_bytes(size, "big")))
            except (EOFError, ConnectionError, json.JSONDecodeError):
                return
            child = os.fork()
            if child == 0:
                asked.close()
                for pipe, stream in zip(pipes, (1, 2), strict=True):
                    os.dup2(pipe, stream)
                    os.close(pipe)
                _become(main, folder, words, environment)
            for pipe in pipes:
                os.close(pipe)
            _, status = os.waitpid(child, 0)
            asked.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))


def _become(main: Callable[[], int], folder: str, words: list[str], environment: dict[str, str]) -> NoReturn:
    """Run a command and end as Python does, but for taking apart what was imported: that takes longer than most do."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in environment
    sys.argv = [str(sys.modules[COMMAND].__file__), *words]
    sys.path[0] = folder
    random.seed()
    try:
        code = main()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else error.code is not None
    except BaseException:  # noqa: BLE001 - as Python itself does
        traceback.print_exc()
        code = 1
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.current_thread():
            thread.join()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
