"""`service-nb login` and `logout`, `%service_login`: as a user meets them, and what is on the disk afterwards."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from service_nb.client.user_keys import INJECTED
from service_nb.errors import InvalidIntentError
from tests.simulators.commands import run_command
from tests.surfaces.conftest import Session

ROOT = Path(__file__).parents[2]
AT_ONCE = 8
SEED = base64.b64encode(bytes(range(1, 33))).decode()


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SERVICE_", "XDG_"))}
    paths = os.pathsep.join([str(ROOT), str(ROOT / "kernels")])
    return {**kept, "HOME": str(home), "PYTHONPATH": paths, "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1", **more}


def run(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return run_command(home, arguments, environment(home, SERVICE_HOME=str(home / "kept")) | more)


def everything(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def modes(folder: Path) -> dict[str, int]:
    return {path.relative_to(folder).as_posix(): path.stat().st_mode & 0o777 for path in folder.rglob("*")}


def test_login_says_what_it_made_and_where(tmp_path: Path) -> None:
    made = run(tmp_path, "login")
    assert (made.returncode, made.stderr) == (0, "")
    assert "$SERVICE_HOME/config/device.pem" in made.stdout
    assert "Nothing was sent anywhere" in made.stdout
    assert modes(tmp_path / "kept") == {"config": 0o700, "config/device.pem": 0o600, "config/licence.json": 0o600}


def test_login_is_done_once(tmp_path: Path) -> None:
    first = json.loads(run(tmp_path, "login", "--json").stdout)
    before = everything(tmp_path)
    second = json.loads(run(tmp_path, "login", "--json").stdout)
    assert (first["origin"], second["origin"]) == ("made", "kept")
    assert first["device"] == second["device"]
    assert everything(tmp_path) == before
    assert "already" in run(tmp_path, "login").stdout


def test_logout_says_what_it_removed(tmp_path: Path) -> None:
    run(tmp_path, "login")
    removed = json.loads(run(tmp_path, "logout", "--json").stdout)
    assert removed == {"status": "ok", "removed": ["device.pem", "licence.json"], "injected": False}
    assert everything(tmp_path) == {}
    again = run(tmp_path, "logout")
    assert (again.returncode, again.stdout) == (0, "There was no key.\n")


def test_without_a_home_of_its_own_all_is_below_the_users_home(tmp_path: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-m", "service_nb.cli.main", "login", "--json"],
        env=environment(tmp_path),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    files = json.loads(made.stdout)["files"]
    assert [name.rpartition("/")[2] for name in files] == ["device.pem", "licence.json"]
    assert all(name.startswith("~/") and (tmp_path / name[2:]).is_file() for name in files)
    assert len(everything(tmp_path)) == 2


def test_many_logins_at_once_end_with_one_key(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "service_nb.cli.main", "login", "--json"]
    told = environment(tmp_path, SERVICE_HOME=str(tmp_path / "kept"))
    started = [
        subprocess.Popen(command, env=told, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(AT_ONCE)
    ]
    ended = [(process.communicate(timeout=300), process.returncode) for process in started]
    assert [(code, errors) for (_, errors), code in ended] == [(0, b"")] * AT_ONCE
    found = [json.loads(output) for (output, _), _ in ended]
    assert len({(each["device"], each["public_key"], each["issued"]) for each in found}) == 1
    assert [each["origin"] for each in found].count("made") == 1
    assert everything(tmp_path).keys() == {"kept/config/device.pem", "kept/config/licence.json"}
    assert json.loads(run(tmp_path, "login", "--json").stdout)["device"] == found[0]["device"]


def test_a_key_of_the_environment_is_never_written(tmp_path: Path) -> None:
    told = json.loads(run(tmp_path, "login", "--json", SERVICE_DEVICE_KEY=SEED).stdout)
    assert (told["origin"], told["files"], told["issued"]) == ("environment", [], None)
    left = json.loads(run(tmp_path, "logout", "--json", SERVICE_DEVICE_KEY=SEED).stdout)
    assert left == {"status": "ok", "removed": [], "injected": True}
    assert everything(tmp_path) == {}


@pytest.mark.parametrize("verb", [["login"], ["login", "--json"]], ids=" ".join)
def test_a_broken_key_is_refused_and_told_apart(tmp_path: Path, verb: list[str]) -> None:
    run(tmp_path, "login")
    (tmp_path / "kept" / "config" / "device.pem").chmod(0o644)
    refused = run(tmp_path, *verb)
    assert refused.returncode == 1
    assert refused.stderr.startswith("error[login_required]: ")
    assert "Traceback" not in refused.stderr
    if "--json" in verb:
        assert json.loads(refused.stdout)["error"]["details"]["reason"] == "key_exposed"


@pytest.mark.parametrize("arguments", [["login", "now"], ["logout", "--all"], ["login", "--js"]], ids=" ".join)
def test_a_malformed_command_exits_with_two(tmp_path: Path, arguments: list[str]) -> None:
    assert run(tmp_path, *arguments).returncode == 2
    assert everything(tmp_path) == {}


def test_no_output_holds_the_secret(tmp_path: Path) -> None:
    run(tmp_path, "login")
    secret = (tmp_path / "kept" / "config" / "device.pem").read_text(encoding="ascii").splitlines()[1]
    for arguments in (
        ["login"],
        ["login", "--json"],
        ["doctor", "--json"],
        ["version", "--json"],
        ["logout", "--json"],
    ):
        told = run(tmp_path, *arguments)
        assert secret not in told.stdout + told.stderr
        assert str(tmp_path) not in told.stdout + told.stderr
    for given in (SEED, f"{SEED[:-2]}é=", f"-----BEGIN PRIVATE KEY-----\n{SEED}\n-----END PRIVATE KEY-----"):
        told = run(tmp_path, "login", "--json", SERVICE_DEVICE_KEY=given)
        assert SEED[:40] not in told.stdout + told.stderr
        assert "Traceback" not in told.stderr


def test_no_socket_is_opened(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "def watch(event, _):\n"
        "    if event.startswith(('socket.', 'urllib.', 'http.', 'subprocess.')):\n"
        "        sys.exit(f'{event} happened')\n"
        "sys.addaudithook(watch)\n"
        "from service_nb.cli.main import main\n"
        "for verb in ('login', 'login', 'version', 'logout'):\n"
        "    assert main([verb]) == 0"
    )
    told = environment(tmp_path, SERVICE_HOME=str(tmp_path / "kept"))
    done = subprocess.run([sys.executable, "-c", script], env=told, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")


ASKS = """
import service_nb
service = service_nb.create_service()
service.connect({"records": [{"x": 1}, {"x": 2}]}, name="small")
assert service.ask("sum x from small").rows == [{"x": 3, "count": 2}]
assert service.search_capabilities("net present value")
"""


def test_nothing_is_written_before_the_login_but_what_was_asked(tmp_path: Path) -> None:
    told = environment(tmp_path, SERVICE_HOME=str(tmp_path / "kept"))
    subprocess.run([sys.executable, "-c", ASKS], cwd=tmp_path, env=told, check=True, timeout=300)
    # Of the project; of the user only which unsigned ledger was begun here, so that it is known again.
    assert sorted(path.name for path in tmp_path.iterdir()) == [".service", "kept"]
    assert {path.suffix for path in (tmp_path / "kept").rglob("*") if path.is_file()} == {".unsigned"}
    shutil.rmtree(tmp_path / ".service")
    shutil.rmtree(tmp_path / "kept")
    for arguments in (["version"], ["doctor"], ["search", "npv"], ["capabilities"], ["logout"]):
        run(tmp_path, *arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "kept"))
    monkeypatch.delenv(INJECTED, raising=False)
    return tmp_path / "kept"


def test_the_magic_logs_in_and_shows_what_it_made(session: Session, home: Path) -> None:
    assert not home.exists()
    page: Any = session.run("%service_login")
    assert page["origin"] == "made"
    assert everything(home).keys() == {"config/device.pem", "config/licence.json"}
    shown = page._repr_mimebundle_()[0]
    for face in ("text/plain", "text/html", "text/markdown"):
        assert page["device"] in shown[face]
        assert "Nothing was sent anywhere" in shown[face]
    assert str(home) not in str(shown)


def test_the_magic_says_that_nothing_was_changed_and_binds_its_value(session: Session, home: Path) -> None:
    session.run("%service_login")
    before = everything(home)
    session.run("%service_login --as found")
    found: Any = session["found"]
    assert found["origin"] == "kept"
    assert everything(home) == before


def test_the_magic_takes_no_words(session: Session, home: Path) -> None:
    assert isinstance(session.error("%service_login please"), InvalidIntentError)
    assert not home.exists()


@pytest.mark.filterwarnings("ignore::IPython.core.completer.ProvisionalCompleterWarning")
def test_the_magic_and_its_options_are_completed(session: Session) -> None:
    assert "%service_login" in session.complete("%service_lo")
    assert "--as" in session.complete("%service_login --")
