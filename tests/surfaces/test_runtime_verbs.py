"""`service-nb runtime …` and `version`, on a runtime that is really installed and really runs."""

from __future__ import annotations

import io
import json
import os
import pty
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from service_nb.cli.console import ProgressBar
from service_nb.core.digest import compute_sha256_hex
from tests.simulators.bundles import private_key
from tests.simulators.homes import command, environment, installed_home

NPV = "finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A user with a runtime, and logged in."""
    made = installed_home(tmp_path_factory)
    command(made, "login")
    yield made
    command(made, "runtime", "stop")


def told(home: Path, *arguments: str, code: int = 0, **more: str) -> dict[str, Any]:
    run = command(home, *arguments, "--json", **more)
    assert run.returncode == code, run.stderr or run.stdout
    assert "Traceback" not in run.stderr
    assert str(home) not in run.stdout + run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


# --- nothing is installed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["status", "verify"])
def test_where_nothing_is_installed_it_says_so_and_fails(tmp_path: Path, action: str) -> None:
    assert told(tmp_path, "runtime", action, code=1)["status"] == "not_installed"
    assert command(tmp_path, "runtime", action).stdout.startswith("Not installed.")
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_runs_there_is_nothing_to_stop(tmp_path: Path) -> None:
    assert told(tmp_path, "runtime", "stop") == {"status": "ok", "stopped": 0}
    assert list(tmp_path.iterdir()) == []


def test_version_says_that_no_runtime_is_installed(tmp_path: Path) -> None:
    assert told(tmp_path, "version")["runtime"] is None
    assert "not installed" in command(tmp_path, "version").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["runtime"],
        ["runtime", "begin"],
        ["runtime", "status", "now"],
        ["runtime", "install", "--from-file"],
        ["runtime", "install", "--modules", "astrology"],
        ["runtime", "install", "--mod", "finance"],
        ["runtime", "build", "--modules", "finance"],
    ],
    ids=" ".join,
)
def test_a_malformed_command_exits_with_two(tmp_path: Path, arguments: list[str]) -> None:
    run = command(tmp_path, *arguments)
    assert run.returncode == 2
    assert run.stderr
    assert "Traceback" not in run.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"no bundle", bytes(4096)], ids=["empty", "text", "zeros"])
def test_a_file_that_is_no_bundle_is_refused_and_nothing_is_installed(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bundle.tar").write_bytes(content)
    error = told(tmp_path, "runtime", "install", "--from-file", "bundle.tar", code=1)["error"]
    assert error["code"] == "runtime_provision_failed"
    assert error["details"]["reason"] in ("archive_malformed", "archive_truncated")
    assert told(tmp_path, "runtime", "status", code=1)["status"] == "not_installed"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    error = told(tmp_path, "runtime", "install", "--from-file", "nothing.tar", code=1)["error"]
    assert error["details"]["reason"] == "archive_unreadable"


# --- installed ------------------------------------------------------------------------------------------------------


def test_a_second_installation_changes_nothing(home: Path) -> None:
    before = told(home, "runtime", "status")["runtime"]
    again = told(home, "runtime", "install")
    assert (again["installed"], again["runtime"]) == (False, before)


def test_version_tells_the_runtime_that_is_installed(home: Path) -> None:
    runtime = told(home, "runtime", "status")["runtime"]
    found = told(home, "version")
    assert found["runtime"] == {"version": runtime["version"], "sha256": runtime["sha256"]}
    assert found["contract_hash"] == runtime["contract_hash"]
    assert runtime["sha256"] in command(home, "version").stdout


def test_status_follows_the_process_that_computes(home: Path) -> None:
    command(home, "runtime", "stop")
    stopped = told(home, "runtime", "status")
    assert (stopped["status"], stopped["process"]) == ("stopped", None)
    assert "none; the first computation starts it" in command(home, "runtime", "status").stdout

    assert told(home, "doctor")["ok"]  # starts it
    running = told(home, "runtime", "status")
    process = running["process"]
    assert running["status"] == "running"
    assert process["version"] == running["runtime"]["version"]
    assert process["contract_hash"] == running["runtime"]["contract_hash"]
    assert process["address"] in ("unix", "tcp")
    assert process["memory_bytes"] > 10_000_000
    os.kill(process["pid"], 0)  # it is a process of ours
    assert str(process["pid"]) in command(home, "runtime", "status").stdout

    assert told(home, "runtime", "stop")["stopped"] == 1
    assert told(home, "runtime", "status")["status"] == "stopped"  # what holds no lock any more has ended
    assert told(home, "runtime", "stop")["stopped"] == 0


def test_paths_are_told_from_the_home_on(home: Path) -> None:
    assert told(home, "runtime", "status")["runtime"]["folder"].startswith("$SERVICE_HOME/data/bundles/")
    assert str(home) not in command(home, "runtime", "status").stdout


def bundle_file(home: Path, pattern: str) -> Path:
    folder: str = told(home, "runtime", "status")["runtime"]["folder"]
    return next((home / "kept" / folder.removeprefix("$SERVICE_HOME/")).glob(pattern))


def replace(path: Path, content: bytes) -> None:
    path.parent.chmod(0o700)
    path.unlink(missing_ok=True)  # its content may be linked elsewhere too
    path.write_bytes(content)


def test_what_was_altered_is_found_and_an_installation_mends_it(home: Path) -> None:
    assert told(home, "runtime", "verify")["files"] > 1_000
    changed = bundle_file(home, "kernels/service_nb_kernels/execute.py")
    missing, added = changed.with_name("domain.py"), changed.with_name("sitecustomize.py")
    before = {path: path.read_bytes() for path in (changed, missing)}
    replace(changed, before[changed][:-1] + b"#")
    missing.unlink()
    replace(added, b"")

    error = told(home, "runtime", "verify", code=1)["error"]
    assert (error["code"], error["details"]["reason"]) == ("runtime_provision_failed", "installation_altered")
    found = {finding["place"].rpartition("/")[2]: finding["reason"] for finding in error["details"]["findings"]}
    assert found == {"execute.py": "changed", "domain.py": "missing", "sitecustomize.py": "unexpected"}

    assert told(home, "runtime", "install")["installed"] is True
    assert told(home, "runtime", "verify")["status"] == "ok"
    assert {path: path.read_bytes() for path in before} == before
    assert not added.exists()


@pytest.mark.slow
def test_a_selection_lies_beside_the_whole_and_takes_less(home: Path) -> None:
    whole = told(home, "runtime", "status")["runtime"]
    part = told(home, "runtime", "install", "--modules", "finance")["runtime"]
    assert (whole["modules"], part["modules"]) == ([], ["finance"])
    assert whole["folder"] != part["folder"]
    assert told(home, "runtime", "status", "--modules", "finance")["runtime"] == part
    assert told(home, "runtime", "status", SERVICE_RUNTIME_MODULES="finance")["runtime"] == part
    assert told(home, "runtime", "status")["runtime"] == whole
    checks = told(home, "doctor", SERVICE_RUNTIME_MODULES="finance")["checks"]
    asked = {check["name"] for check in checks if check["name"].startswith("runtime: ") and "." in check["name"]}
    assert "runtime: finance.npv" in asked
    assert "runtime: special.gamma" not in asked


# --- built ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_bundle_is_built_the_same_twice_and_installs_elsewhere_without_an_index(home: Path, tmp_path: Path) -> None:
    first = told(home, "runtime", "build", "--out", "first")
    second = told(home, "runtime", "build", "--out", "second")
    assert first == second
    contents = [(home / folder / first["file"]).read_bytes() for folder in ("first", "second")]
    assert contents[0] == contents[1]
    assert compute_sha256_hex(contents[0]) == first["sha256"]
    assert first["version"].endswith("+dev")

    config = tmp_path / "kept" / "config"
    config.mkdir(mode=0o700, parents=True)
    (config / "bundle-signing-key.pem").write_bytes((home / "kept/config/bundle-signing-key.pem").read_bytes())
    (config / "bundle-signing-key.pem").chmod(0o600)
    file = str(home / "first" / first["file"])
    installed = told(tmp_path, "runtime", "install", "--from-file", file, PIP_INDEX_URL="http://127.0.0.1:1")
    assert installed["runtime"]["sha256"] == first["sha256"]
    assert told(tmp_path, "runtime", "verify")["status"] == "ok"
    for folder in ("first", "second"):
        (home / folder / first["file"]).unlink()


class Pem(NamedTuple):
    content: bytes
    mode: int = 0o600


def pem(key: Any) -> bytes:
    content: bytes = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return content


KEYS = {
    "no key": Pem(b"no key"),
    "of another kind": Pem(pem(ec.generate_private_key(ec.SECP256R1()))),
    "too short": Pem(pem(private_key("short", 2_048))),
    "that others can read": Pem(pem(private_key()), 0o644),
}


@pytest.mark.parametrize("case", KEYS)
def test_a_release_key_that_cannot_be_one_is_refused_before_anything_is_built(tmp_path: Path, case: str) -> None:
    (tmp_path / "key.pem").write_bytes(KEYS[case].content)
    (tmp_path / "key.pem").chmod(KEYS[case].mode)
    error = told(tmp_path, "runtime", "build", "--key", "key.pem", code=1)["error"]
    assert error["details"]["reason"] == "release_key_unusable"
    assert [path.name for path in tmp_path.iterdir()] == ["key.pem"]


# --- progress -------------------------------------------------------------------------------------------------------


class Step(NamedTuple):
    label: str
    done: int
    total: int


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_one_line_that_is_written_over_and_removed() -> None:
    terminal = Terminal()
    with ProgressBar(terminal) as bar:
        bar(Step("Fetching wheels", 0, 0))
        bar(Step("Unpacking", 25_000_000, 100_000_000))
    parts = terminal.getvalue().split("\r")
    assert "\n" not in terminal.getvalue()
    assert parts[1] == "Fetching wheels …\x1b[K"
    assert "25% of 100 MB" in parts[2]
    assert parts[3] == "\x1b[K"


def test_where_there_is_no_terminal_there_is_no_progress(home: Path) -> None:
    stream = io.StringIO()
    ProgressBar(stream)(Step("Unpacking", 1, 2))
    assert stream.getvalue() == ""
    assert command(home, "runtime", "verify").stderr == ""


def test_a_terminal_sees_progress_on_stderr_alone(home: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover  # another process
        arguments = ["-m", "service_nb.cli.main", "runtime", "verify"]
        os.execve(sys.executable, [sys.executable, *arguments], environment(home))
    seen = b""
    while block := _read(terminal):
        seen += block
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0
    assert b"Verifying" in seen
    assert b"\x1b[K" in seen
    assert b"each is as signed" in seen.split(b"\x1b[K")[-1]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # as Linux tells that the other side is gone
        return b""
