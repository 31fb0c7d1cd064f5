"""The shipped systemd unit: that systemd understands it, and that what it starts lives with what it forbids.

What the handbook says of setting up, backing up, restoring and restarting is done here, word by word.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import service_nb
from tests.servers import hardened
from tests.servers.debian import libraries, unpacked
from tests.servers.fixtures import PostgresDatabase
from tests.servers.hardened import analyze, settings_of, unit_of
from tests.servers.process import end, free_port, listens

pytestmark = pytest.mark.wide

UNIT = Path(__file__).parents[2] / "deploy" / "service-nb.service"
PROGRAM = Path(sys.executable).parent / "service-nb"
EXPOSURE = 2.2  # by systemd's own scale, on which 10 is everything
TENANT = "research"


@dataclass(frozen=True)
class Host:
    """The folder that is `/var/lib/service-nb` of the unit, and where the server listens."""

    state: Path
    port: int
    words: tuple[str, ...]  # what the unit starts

    @property
    def environment(self) -> dict[str, str]:
        """What the unit says of it."""
        own = {"SERVICE_HOME": str(self.state / "home"), "TMPDIR": str(self.state / "tmp")}
        return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **own}

    def run(self, *words: str) -> str:
        """Run a verb, as the handbook tells, and return what it says."""
        done = subprocess.run(
            [PROGRAM, *words], cwd=self.state, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def served(self) -> Iterator[subprocess.Popen[bytes]]:
        """Start what the unit starts, with what it forbids."""
        root = unpacked("systemd")
        settings = settings_of(unit_of(UNIT), root)
        command = [sys.executable, hardened.__file__, json.dumps(settings), *self.words]
        environment = {**libraries(root), **self.environment}
        with (self.state / "log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=self.state, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        try:
            until = time.monotonic() + 120
            while not listens(self.port):
                assert process.poll() is None, (self.state / "log").read_text()
                assert time.monotonic() < until
                time.sleep(0.05)
            yield process
        finally:
            end(process)


@pytest.fixture
def host() -> Iterator[Host]:
    with tempfile.TemporaryDirectory(prefix="snbunit", dir="/tmp") as folder:  # sockets lie in it: its path is short
        state = Path(folder)
        (state / "tmp").mkdir()
        [words] = unit_of(UNIT)["ExecStart"]
        placed = words.replace("/opt/service-nb/bin/service-nb", str(PROGRAM)).replace(
            "/var/lib/service-nb", str(state)
        )
        made = Host(state, free_port(), tuple(placed.split()))
        made.run("serve", "init", "--config", str(state / "deployment.toml"))
        made.run("runtime", "install")
        config = state / "deployment.toml"
        text = config.read_text()
        assert text.count('"127.0.0.1:8765"') == 1
        text = text.replace('"127.0.0.1:8765"', f'"127.0.0.1:{made.port}"').replace("# bind", "bind")
        config.write_text(text)
        yield made


def test_systemd_understands_the_unit_and_finds_little_exposed(tmp_path: Path) -> None:
    root, copy = unpacked("systemd"), tmp_path / UNIT.name
    copy.write_text(UNIT.read_text().replace("/opt/service-nb/bin/service-nb", str(PROGRAM)))
    understood = analyze(root, "verify", copy)
    assert (understood.returncode, understood.stderr) == (0, "")
    exposed = analyze(root, "security", "--offline=true", f"--threshold={EXPOSURE * 10:.0f}", copy)
    assert exposed.returncode == 0, exposed.stdout


def asked(host: Host, key: str, monkeypatch: pytest.MonkeyPatch, database: PostgresDatabase | None = None) -> str:
    """Ask and compute as a client does; without a database a source that the deployment has kept. The hash."""
    monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", f"http://127.0.0.1:{host.port}")
    monkeypatch.setenv("SERVICE_API_KEY", key)
    client = service_nb.create_service(ledger="off", timeout=120.0)
    try:
        if database is None:
            client.connect(name="orders")
        else:
            client.connect(connector=database.descriptor(table="orders"), name="orders")
        assert client.compute("stats.mean values=orders.id").value == 50.5
        found: str = client.ask("sum id by city from orders")["data"]["result_hash"]
        return found
    finally:
        client.close()


def test_it_serves_is_backed_up_restarted_and_restored(
    host: Host, postgres_database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres_database.run(
        "CREATE TABLE orders AS SELECT i::bigint AS id, 'c' || i % 5 AS city FROM generate_series(1, 100) AS t(i)"
    )
    told = host.run("serve", "key", "create", "--tenant", TENANT, "--label", "first key", "--json")
    key = json.loads(told)["key"]
    with host.served() as process:
        status = Path(f"/proc/{process.pid}/status").read_text().split()
        assert (status[status.index("Seccomp:") + 1], status[status.index("NoNewPrivs:") + 1]) == ("2", "1")
        first = asked(host, key, monkeypatch, postgres_database)
        host.run("serve", "backup", str(host.state / "backup.sqlite"))
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
    with host.served():
        assert asked(host, key, monkeypatch) == first
    store = host.state / "data" / "server.sqlite"
    for each in store.parent.glob("server.sqlite*"):
        each.unlink()
    shutil.copy(host.state / "backup.sqlite", store)
    with host.served():
        assert asked(host, key, monkeypatch) == first


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("import os; os.fork() or os._exit(0)", 0),
        ("import socket; socket.socket(socket.AF_INET).close()", 0),
        ("import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", 1),
        ("import ctypes; raise SystemExit(int(ctypes.CDLL(None).unshare(0x10000000) != 0))", 1),
        ("import ctypes; ctypes.CDLL(None).ptrace(0, 0, 0, 0)", -signal.SIGSYS),
        ("import ctypes; ctypes.CDLL(None).reboot(0)", -signal.SIGSYS),
    ],
)
def test_what_the_unit_forbids_does_not_happen(text: str, ends: int) -> None:
    root = unpacked("systemd")
    command = [sys.executable, hardened.__file__, json.dumps(settings_of(unit_of(UNIT), root)), sys.executable]
    environment = {**libraries(root), "PATH": os.environ["PATH"]}
    done = subprocess.run([*command, "-c", text], env=environment, capture_output=True, check=False)
    assert done.returncode == ends, done.stderr
