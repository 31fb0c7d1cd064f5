"""`service-nb doctor` and `%service_doctor`: what is well, what is wrong and named, and what is only remarkable."""

from __future__ import annotations

import gc
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb import unsafe
from service_nb.cli.main import main
from service_nb.client import health as doctor
from service_nb.errors import InvalidIntentError
from service_nb.notebook.displays import ShownDict, compose_health
from service_nb.runtimes.in_process import InProcess
from service_nb.runtimes.interface import map_packaged_contract
from tests.simulators.homes import command, environment, installed_home
from tests.surfaces.conftest import Session

ALL_KNOWN = {line.partition(" ")[0] for line, _ in doctor.KNOWN}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A user with a runtime, and logged in."""
    made = installed_home(tmp_path_factory)
    command(made, "login")
    yield made
    command(made, "runtime", "stop")


def report(home: Path, *arguments: str, code: int = 0, **more: str) -> dict[str, dict[str, Any]]:
    run = command(home, "doctor", *arguments, "--json", **more)
    found = json.loads(run.stdout)
    assert run.returncode == code, [check for check in found["checks"] if not check["ok"]]
    assert found["ok"] is (code == 0)
    assert run.stderr == ""
    assert str(home) not in run.stdout
    return {check["name"]: check for check in found["checks"]}


Report = Callable[..., dict[str, dict[str, Any]]]


@pytest.fixture
def report_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Report:
    """The same of a user who lives at `tmp_path`, within this process, which has loaded all libraries before."""

    def made(*arguments: str, code: int = 0) -> dict[str, dict[str, Any]]:
        own = environment(tmp_path)
        for name in os.environ.keys() - own.keys():
            monkeypatch.delenv(name)
        for name, value in own.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        assert main(["doctor", *arguments, "--json"]) == code
        printed = capsys.readouterr()
        assert str(tmp_path) not in printed.out
        return {check["name"]: check for check in json.loads(printed.out)["checks"]}

    return made


# --- before the login -----------------------------------------------------------------------------------------------


def test_before_the_login_all_is_well_and_what_is_missing_is_said(tmp_path: Path) -> None:
    checks = report(tmp_path)
    assert {name for name, check in checks.items() if check["warning"]} == {"login", "runtime"}
    assert "service-nb login" in checks["login"]["found"]
    assert {f"in process: {name}" for name in ALL_KNOWN} <= checks.keys()
    assert not any(name.startswith("runtime: ") for name in checks)
    assert list(tmp_path.iterdir()) == []


def test_what_a_bare_machine_lacks_is_named_with_what_to_do(tmp_path: Path) -> None:
    place = tmp_path / "späce ☃"
    place.mkdir()
    (place / "kept").touch()  # no folder can be made in its place, not even by root
    checks = report(place, PATH="")
    assert {name for name, check in checks.items() if check["warning"]} == {"login", "runtime"}
    for name, folder, what in (("login", "config", "login"), ("runtime", "data", "runtime install")):
        first, then = checks[name]["found"].split("; ")[1].split(", then ")
        assert first == f"$SERVICE_HOME/{folder} cannot be written: set SERVICE_HOME to a writable folder"
        assert then.startswith(f"run `service-nb {what}`")
    assert checks["node"]["found"].startswith("none; only the TypeScript client needs it")
    refused = command(place, "login")
    assert refused.returncode == 1
    assert "The folder $SERVICE_HOME/config cannot be made" in refused.stderr
    assert "Set SERVICE_HOME to a writable folder." in refused.stderr


def test_a_strict_report_lets_no_warning_pass(report_here: Report) -> None:
    checks = report_here("--strict", code=1)
    assert {name for name, check in checks.items() if not check["ok"]} == {"login", "runtime"}


def test_parity_without_a_runtime_says_that_there_is_none(report_here: Report) -> None:
    checks = report_here("--parity")
    assert checks["parity: package"]["found"] == checks["contract"]["found"]
    assert checks["parity: installed"]["warning"]
    assert checks["parity: running"]["warning"]


def test_a_broken_key_is_wrong_and_its_cure_is_told(tmp_path: Path, report_here: Report) -> None:
    command(tmp_path, "login")
    (tmp_path / "kept" / "config" / "device.pem").chmod(0o644)
    checks = report_here(code=1)
    assert not checks["login"]["ok"]
    assert checks["login"]["found"].startswith("login_required: ")
    assert "service-nb logout" in checks["login"]["found"]


def test_a_library_that_cannot_be_loaded_is_a_line_of_the_report(tmp_path: Path) -> None:
    (tmp_path / "grpc.py").write_text("raise ImportError('broken')", encoding="utf-8")
    paths = os.pathsep.join([str(tmp_path), environment(tmp_path)["PYTHONPATH"]])
    checks = report(tmp_path, code=1, PYTHONPATH=paths)
    assert [name for name, check in checks.items() if not check["ok"]] == ["runtime"]
    assert "ImportError" in checks["runtime"]["found"]
    assert checks["engine: write a file"]["ok"]


def test_the_report_loads_no_library_that_it_does_not_use(tmp_path: Path) -> None:
    code = "import sys; from service_nb.client.health import build_report; found = build_report()"
    code += "; assert found['ok'], found; print(*sorted({'pandas', 'matplotlib', 'scipy'} & sys.modules.keys()))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "\n"


def test_the_search_for_garbage_is_paused_for_the_report_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    met = []

    def look() -> Iterator[doctor.HealthCheck]:
        met.append(gc.isenabled())
        yield doctor.HealthCheck(name="node", found="none")

    monkeypatch.setattr(doctor, "check_node", look)
    try:
        for is_enabled in (True, False):
            (gc.enable if is_enabled else gc.disable)()
            doctor.build_report()
            assert gc.isenabled() is is_enabled
    finally:
        gc.enable()
    assert met == [False, False]


# --- with a runtime -------------------------------------------------------------------------------------------------


def test_a_runtime_is_verified_started_and_asked_what_is_known(home: Path) -> None:
    command(home, "runtime", "stop")
    checks = report(home, "--parity", "--strict")
    assert {f"runtime: {name}" for name in ALL_KNOWN} <= checks.keys()
    assert checks["runtime: files"]["ok"]
    assert checks["runtime: profile"]["found"] in ("x86_64-v3", "portable: certified capabilities only")
    assert checks["runtime: numpy"]["found"] == checks["numpy"]["found"]
    hashes = {checks[f"parity: {where}"]["found"] for where in ("package", "installed", "running")}
    assert hashes == {checks["contract"]["found"]}


def test_the_text_says_the_same_and_ends_in_a_verdict(home: Path) -> None:
    run = command(home, "doctor")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.endswith("\nAll checks passed.\n")
    assert "✗" not in run.stdout
    wrong = command(home, "doctor", "--strict", SERVICE_HOME=str(home / "elsewhere"))
    assert wrong.returncode == 1
    assert "\n✗ login" in wrong.stdout
    assert "Some checks failed" in wrong.stdout


def test_a_contract_of_another_hash_in_the_runtime_is_named(home: Path) -> None:
    folder = json.loads(command(home, "runtime", "status", "--json").stdout)["runtime"]["folder"]
    path = home / "kept" / folder.removeprefix("$SERVICE_HOME/") / "kernels/service_nb_kernels/contract.json"
    content = path.read_bytes()
    path.parent.chmod(0o700)
    path.unlink()
    path.write_bytes(content.replace(b'"tier":"certified"', b'"tier":"pinned"', 1))
    checks = report(home, "--parity", code=1)
    assert not checks["runtime: files"]["ok"]
    assert not checks["parity: installed"]["ok"]
    assert checks["contract"]["found"] in checks["parity: installed"]["found"]
    assert checks["parity: running"]["warning"], "what is not as signed is not started"
    assert command(home, "runtime", "install").returncode == 0
    assert path.read_bytes() == content
    assert command(home, "runtime", "verify").returncode == 0


# --- single looks ---------------------------------------------------------------------------------------------------


def stated(content: bytes) -> str:
    text: str = json.loads(content)["contract_hash"]
    return text


def test_the_hash_of_the_contract_is_that_of_what_it_says() -> None:
    content = map_packaged_contract()[:]
    assert doctor.check_contract(content, stated(content)).ok


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"tier":"certified"', b'"tier":"pinned"'),
        (b'"version":1', b'"version":2'),
        (b'"unit":"1"', b'"unit":"m"'),
        (b'"function":"', b'"function":"x'),
        (b" files sha256:", b" files sha256:0"),
    ],
)
def test_a_change_that_could_change_a_value_changes_the_hash(old: bytes, new: bytes) -> None:
    content = map_packaged_contract()[:]
    changed = content.replace(old, new, 1)
    assert changed != content
    check = doctor.check_contract(changed, stated(content))
    assert not check.ok
    assert stated(content) in check.found


def test_a_change_of_what_a_capability_means_changes_the_hash() -> None:
    content = map_packaged_contract()[:]
    for key in (b'"summary":"', b'"about":"', b'"source":"', b'"latex":"'):
        changed = content.replace(key, key + b"Also: ", 1)
        assert changed != content
        assert not doctor.check_contract(changed, stated(content)).ok


def test_a_change_of_keywords_and_cases_changes_no_hash() -> None:
    content = map_packaged_contract()[:]
    changed = content.replace(b'"keywords":["', b'"keywords":["also ').replace(b'"origin":"', b'"origin":"also ')
    assert changed != content
    assert doctor.check_contract(changed, stated(content)).ok


def test_a_value_that_is_one_bit_off_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    (line, right), *_ = doctor.KNOWN
    monkeypatch.setattr(doctor, "KNOWN", ((line, math.nextafter(right, math.inf)), (line, right)))
    wrong, fine = doctor.check_values(service_nb.create_service(runtime=InProcess()), "here")
    assert (wrong.ok, fine.ok) == (False, True)
    assert repr(right) in wrong.found


def test_of_a_selection_only_its_own_values_are_asked() -> None:
    service = service_nb.create_service(runtime=InProcess())
    names = [check.name for check in doctor.check_values(service, "here", ["finance", "geology"])]
    assert names == ["here: finance.npv"]


def test_a_library_of_another_version_than_the_contracts_is_remarked() -> None:
    lock = {"numpy": ["0.0.1 ; python_version < '3' files sha256:00", "0.0.2 files sha256:00"], "nothing": ["1 files"]}
    checks = {check.name: check for check in doctor.check_machine(lock)}
    assert checks["numpy"].ok
    assert checks["numpy"].warning
    assert "0.0.1 or 0.0.2" in checks["numpy"].found
    assert not checks["duckdb"].warning
    assert doctor.find_locked_version("numpy", "0.0.2", lock) is None


# --- in the notebook ------------------------------------------------------------------------------------------------


def test_the_magic_shows_the_same_report(session: Session, tmp_path: Path, report_here: Report) -> None:
    told = report_here()
    page: Any = session.run("%service_doctor")
    assert page["ok"]
    assert [check["name"] for check in page["checks"]] == list(told)
    shown = page._repr_mimebundle_()[0]
    assert "All checks passed" in shown["text/plain"]
    assert "engine: write a file" in shown["text/html"]
    assert not (tmp_path / "kept").exists()
    session.run("%service_doctor --strict --parity --as found")
    strict: Any = session["found"]
    assert (strict["ok"], strict["strict"]) == (False, True)
    assert any(check["name"] == "parity: package" for check in strict["checks"])


def test_what_is_wrong_is_shown_whole_and_escaped() -> None:
    long = "wrong " * 40 + "<script>alert(1)</script>"
    checks = [
        {"name": "a", "found": "fine", "ok": True, "warning": False},
        {"name": "b", "found": "remarkable", "ok": True, "warning": True},
        {"name": "c", "found": long, "ok": False, "warning": False},
    ]
    shown = ShownDict({"ok": False, "strict": False, "checks": checks}, compose_health)._repr_mimebundle_()[0]
    assert "Some checks failed" in shown["text/plain"]
    assert " ".join(shown["text/plain"].split()).count("wrong " * 40) == 1
    assert "3 checks · 1 warning · 1 failed" in shown["text/plain"]
    assert "<script>" not in shown["text/html"]


def test_the_magic_takes_options_only(session: Session) -> None:
    assert isinstance(session.error("%service_doctor please"), InvalidIntentError)


def test_a_check_is_fine_unless_it_says_otherwise() -> None:
    check = doctor.HealthCheck(name="a", found="b")
    assert (check.ok, check.warning) == (True, False)


# --- the unsafe door ------------------------------------------------------------------------------------------------


def test_the_runtime_is_reached_through_the_unsafe_module_alone() -> None:
    runtime = InProcess()
    service = service_nb.create_service({"allowed_functions": []}, runtime=runtime)
    assert unsafe.get_unsafe_runtime(service) is runtime
    assert unsafe.__all__ == ["get_unsafe_runtime"]
    assert not hasattr(service_nb, "get_unsafe_runtime")
    assert "get_unsafe_runtime" not in dir(service_nb)
    assert not hasattr(service, "get_unsafe_runtime")
