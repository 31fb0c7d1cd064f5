"""Servers as processes of an unprivileged user, in a group of their own that always ends with the block."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534
START_S = 180
STOP_S = 10
LOWEST = 10_240
_RANDOM = random.SystemRandom()  # no seed of a test makes two processes choose alike


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens at, and that the system lends to no connection until it is taken."""
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])  # it lends from there on
    for _ in range(1_000):
        port = _RANDOM.randrange(LOWEST, first)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("All ports of 127.0.0.1 are taken.")


@contextmanager
def folder_of_a_server(prefix: str) -> Iterator[Path]:
    """A folder that only the server's user may enter, gone afterwards. Its path is short: sockets lie in it."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
    give(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def give(path: Path) -> None:
    """Make a folder and all in it the property of the user that servers run as."""
    if os.geteuid() == 0:
        for each in (path, *path.rglob("*")):
            os.chown(each, NOBODY, NOBODY, follow_symlinks=False)


def unprivileged(command: Sequence[str | Path]) -> list[str]:
    """The command as it runs without root's rights, and ends when the process that started it does."""
    words = [str(word) for word in command]
    user = ["--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"] if os.geteuid() == 0 else []
    return ["setpriv", "--pdeathsig", "KILL", *user, *words]


@contextmanager
def running(
    command: Sequence[str | Path],
    ready: Callable[[], bool],
    log: Path,
    *,
    environment: Mapping[str, str] | None = None,
    stop: signal.Signals = signal.SIGTERM,
    patience: float = START_S,
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server, wait until it is `ready`, and end its whole group with the block."""
    with log.open("wb") as output:
        server = subprocess.Popen(
            unprivileged(command), stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
            cwd="/", env={"PATH": os.environ["PATH"], "LC_ALL": "C", **(environment or {})},
        )  # fmt: skip
    try:
        _wait(server, ready, log, patience)
        yield server
    finally:
        end(server, stop)


def _wait(server: subprocess.Popen[bytes], ready: Callable[[], bool], log: Path, patience: float) -> None:
    until = time.monotonic() + patience
    while not ready():
        if server.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"{server.args} did not start:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.02)


def end(server: subprocess.Popen[bytes], how: signal.Signals = signal.SIGTERM) -> None:
    """End a server and whatever it has started."""
    with contextlib.suppress(ProcessLookupError):
        server.send_signal(how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(STOP_S)
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def listens(port: int) -> bool:
    """Whether something accepts connections at a port of 127.0.0.1."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
