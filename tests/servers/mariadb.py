"""A real MariaDB 10.11, out of Debian's packages, on 127.0.0.1 and on a socket."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.debian import libraries, unpacked
from tests.servers.environment import alone
from tests.servers.process import folder_of_a_server, free_port, give, running, unprivileged

# As in `postgres`: nothing outlives the server, and its zone of time is an odd one.
SETTINGS = {
    "innodb-flush-log-at-trx-commit": "0",
    "innodb-buffer-pool-size": "32M",
    "innodb-log-file-size": "16M",
    "innodb-doublewrite": "0",
    "default-time-zone": "+05:30",
    "character-set-server": "utf8mb4",
    "collation-server": "utf8mb4_general_ci",  # blind to case: what leaves comparing to collations is seen
    "secure-file-priv": "",  # FILE is a matter of rights alone
    "local-infile": "1",
    "skip-name-resolve": "1",
    "max-connections": "60",
    "performance-schema": "0",
}


@dataclass(frozen=True, slots=True)
class MariaServer:
    """Where it is, and an account that may do everything."""

    port: int
    socket: Path
    data: Path
    host: str = "127.0.0.1"
    user: str = "admin"
    password: str = "a password of the tests"
    database: str = "mysql"


@contextmanager
def mariadb(**settings: str) -> Iterator[MariaServer]:
    """Run a server of its own for the block; `settings` are options of `mariadbd`, `_` for `-`."""
    root = unpacked("mariadb")
    with folder_of_a_server("snbmy") as folder:
        server = MariaServer(port=free_port(), socket=folder / "socket", data=folder / "data")
        _fill(server, root)
        own = {key.replace("_", "-"): value for key, value in settings.items()}
        given = {**SETTINGS, "bind-address": "127.0.0.1", **own}
        command = [
            *_program(root),
            *(f"--datadir={server.data}", f"--port={server.port}", f"--socket={server.socket}"),
            *(f"--pid-file={folder}/pid", f"--tmpdir={folder}", *(f"--{key}={value}" for key, value in given.items())),
        ]
        with running(command, lambda: _greets(server), folder / "log", environment=libraries(root)):
            yield server


def _program(root: Path) -> list[str]:
    share = root / "usr/share/mysql"
    plugins = root / "usr/lib/mysql/plugin"
    return [
        *(f"{root}/usr/sbin/mariadbd", "--no-defaults", f"--basedir={root}/usr", f"--lc-messages-dir={share}"),
        *(f"--plugin-dir={plugins}", f"--character-sets-dir={share}/charsets"),
    ]


def _fill(server: MariaServer, root: Path) -> None:
    """Copy an empty server, which is made once."""
    with alone("mariadb-data") as kept:
        if not (kept / "made").is_file():
            shutil.rmtree(kept, ignore_errors=True)
            with folder_of_a_server("snbmy") as folder:
                _bootstrap(folder, root, server)
                shutil.copytree(folder / "data", kept)
            (kept / "made").touch()
        shutil.copytree(kept, server.data)
    give(server.data)


def _bootstrap(folder: Path, root: Path, server: MariaServer) -> None:
    """Write the tables that a server has of itself, and the account: as `mariadb-install-db` does."""
    data = folder / "data"
    (data / "mysql").mkdir(parents=True)
    give(data)
    scripts = ("mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql")
    texts = [(root / "usr/share/mysql" / name).read_text(encoding="utf-8") for name in scripts]
    account = (
        "FLUSH PRIVILEGES;\n"
        f"CREATE USER '{server.user}'@'%' IDENTIFIED BY '{server.password}';\n"
        f"GRANT ALL PRIVILEGES ON *.* TO '{server.user}'@'%' WITH GRANT OPTION;\n"
    )
    command = [*_program(root), f"--datadir={data}", f"--tmpdir={folder}", "--bootstrap", "--innodb-log-file-size=16M"]
    given = "\n".join(["CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;", *texts, account]).encode()
    done = subprocess.run(
        unprivileged(command), input=given, capture_output=True, cwd="/", env=libraries(root), check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace")[-2000:])


def _greets(server: MariaServer) -> bool:
    """Whether the server sends its greeting, which it does when it is ready."""
    with contextlib.suppress(OSError), socket.create_connection((server.host, server.port), timeout=1) as link:
        link.settimeout(1)
        return len(link.recv(5)) == 5
    return False
