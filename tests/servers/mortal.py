"""Servers that are killed and started again where they were: a PostgreSQL, and a deployment as a process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.postgres import SETTINGS, PostgresServer, programs
from tests.servers.process import START_S, folder_of_a_server, free_port, unprivileged

# One that is killed leaves no memory behind that its successor would have to wait for.
LIVING = SETTINGS | {"shared_memory_type": "mmap", "dynamic_shared_memory_type": "posix", "max_connections": "40"}


class MortalPostgres:
    """A PostgreSQL whose processes may be killed; what was committed is there again when it starts."""

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        until = time.monotonic() + START_S
        while not self._started():
            self.end()
            if time.monotonic() > until:
                raise RuntimeError((self.server.sockets / "log").read_text(errors="replace")[-2_000:])
            time.sleep(0.1)  # a process of the one before is about to end

    def _started(self) -> bool:
        server = self.server
        settings = {**LIVING, "unix_socket_directories": str(server.sockets), "listen_addresses": "127.0.0.1"}
        options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        command = unprivileged([programs() / "postgres", "-D", server.data, "-p", str(server.port), *options])
        pid = server.data / "postmaster.pid"
        pid.unlink(missing_ok=True)
        with (server.sockets / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/",
                env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            )  # fmt: skip
        while self._process.poll() is None:
            with contextlib.suppress(OSError):
                if pid.read_text().rstrip().endswith("ready"):
                    return True
            time.sleep(0.02)
        return False

    def kill(self) -> None:
        """Kill the server, and all that it has started."""
        assert self._process is not None
        for each in (self._process.pid, *self.sessions()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        self._process.wait()

    def sessions(self) -> list[int]:
        """The processes of the server's group, but for the first."""
        assert self._process is not None
        return children(self._process.pid)

    def end(self) -> None:
        """End it for good."""
        if self._process is not None and self._process.poll() is None:
            self.kill()


class Deployed:
    """`service-nb serve` as a process, started again on the same store and at the same port."""

    module = "service_nb.cli.main"
    options: tuple[str, ...] = ()

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and wait until it takes requests."""
        command = [sys.executable, "-m", self.module, "serve", "--port", str(self.port), "--json", "--quiet"]
        command += self.options
        with (self.folder / "serve.log").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=self.folder, stdout=subprocess.PIPE, stderr=log, text=True, env=dict(os.environ)
            )
        assert self._process.stdout is not None
        told = self._process.stdout.readline()
        if not told:
            raise RuntimeError((self.folder / "serve.log").read_text()[-2_000:])
        self.port = int(json.loads(told)["address"].rpartition(":")[2])

    @property
    def pid(self) -> int:
        """Of the process."""
        assert self._process is not None
        return self._process.pid

    def helpers(self) -> list[int]:
        """The processes that it has started for its connectors."""
        return [pid for pid in children(self.pid) if b"service_nb_kernels" not in _command(pid)]

    def kill(self) -> None:
        """Kill it."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def end(self) -> None:
        """End it as a signal does, and wait until it has."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.communicate(timeout=120)
            finally:
                self.kill()


@contextmanager
def mortal_postgres() -> Iterator[MortalPostgres]:
    """A PostgreSQL for the block, that may be killed within it."""
    from tests.servers import postgres

    with folder_of_a_server("snbpg") as folder:
        server = PostgresServer(port=free_port(), sockets=folder, data=folder / "data")
        postgres._fill(server, postgres.embedded())
        made = MortalPostgres(server)
        try:
            made.start()
            yield made
        finally:
            made.end()


def children(parent: int) -> list[int]:
    """The processes that a process has started, and that have not been waited for."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                    found.append(int(entry.name))
    return found


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""
