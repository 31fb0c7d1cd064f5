"""The command `service-nb-client` beside `service-nb`: the same words, hashes, verdicts and exit codes."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import service_nb
from service_nb.cli.main import main
from service_nb.client import user_keys
from service_nb.client.health_check import HealthCheck
from service_nb.client.second_client import check_node, check_second_client
from service_nb.compute.contract import Contract
from service_nb.runtimes.interface import map_packaged_contract
from tests.simulators import homes
from tests.simulators.homes import installed_home
from tests.tools.node import NODE, built

CSV = "region,amount,day\nNorth,0.1,2024-01-05\nSouth,2,2024-02-01\nNorth,0.2,\n'=x,,2024-03-01\n"
OWN_WORDS = (  # what may differ: the name of the command, times, ids, engines
    (r"service-nb-client", "service-nb"),
    (r"[0-9.,]+ m?s\b", "TIME"),
    (r"(query|refusal|service)_[0-9a-f]{16}", "ID"),
    (r"run +.*", "RUN"),
    (r"method +.*", "METHOD"),
    (r"entry \d+ of the ledger [0-9a-f]+", "ENTRY"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built()  # what it prints belongs to no command
    folder = tmp_path_factory.mktemp("commands")
    (folder / "sales.csv").write_text(CSV)
    (folder / "bad.json").write_text('{"kind": "query"}')
    return folder


Ran = tuple[int, str, str]


def environment(folder: Path) -> dict[str, str]:
    return {"SERVICE_HOME": str(folder / "home"), "SERVICE_LEDGER": "off", "SERVICE_DEVICE_KEY": "", "NO_COLOR": "1"}


def client(folder: Path, *words: str, **more: str) -> Ran:
    command = [NODE.program, built() / "packages/client/dist/command/main.js", *words]
    env = {**os.environ, **environment(folder), **more}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def python(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """The command of Python, within this process."""
    for name, value in environment(folder).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)

    def run(*words: str) -> Ran:
        code = main(words)
        return code, *capsys.readouterr()

    return run


def plain(text: str) -> str:
    for pattern, word in OWN_WORDS:
        text = re.sub(pattern, word, text)
    return " ".join(text.split())  # a longer name is broken elsewhere


QUESTIONS = [
    ("sum amount by region",),
    ("avg", "amount", "where", "amount", ">", "-5"),
    ("count by month of day order by day_month asc",),
    ("sum amont by region",),
    ("sum amount where region = 'West'",),
    ("sum amount where amount > $least", "--var", "least=0.15"),
]


@pytest.mark.parametrize("words", QUESTIONS, ids=" ".join)
def test_a_card_reads_alike(folder: Path, python: Callable[..., Ran], words: tuple[str, ...]) -> None:
    code, text, _ = client(folder, "ask", "sales.csv", *words)
    expected, met, _ = python("ask", "sales.csv", *words)
    assert (code, plain(text)) == (expected, plain(met))


def test_json_is_the_outcome_with_the_same_hashes(folder: Path, python: Callable[..., Ran]) -> None:
    code, text, _ = client(folder, "ask", "sales.csv", "sum amount by region", "--json")
    told, met = json.loads(text), json.loads(python("ask", "sales.csv", "sum amount by region", "--json")[1])
    assert code == 0
    for name in ("plan_hash", "result_hash", "schema_revision", "result", "plan", "row_count"):
        assert told["data"][name] == met["data"][name]


@pytest.mark.parametrize(
    "words",
    [
        ("ask", "sales.csv", "sum amount by"),
        ("ask", "none.csv", "count"),
        ("ask", "sales.csv", "count where amount > $x"),
        ("ask", "sales.csv", "count", "--var", "x"),
        ("verify", "bad.json", "--key", "nonsense"),
    ],
    ids=" ".join,
)
def test_an_error_has_the_code_and_the_first_line_of_pythons(
    folder: Path, python: Callable[..., Ran], words: tuple[str, ...]
) -> None:
    code, out, err = client(folder, *words)
    expected, met, said = python(*words)
    assert (code, out) == (expected, met)
    assert err.partition("\n")[0].partition("]")[0] == said.partition("\n")[0].partition("]")[0]
    told = json.loads(client(folder, *words, "--json")[1])
    assert (told["status"], told["error"]["code"]) == ("error", re.findall(r"error\[(\w+)\]", err)[0])


@pytest.mark.parametrize(
    "words",
    [(), ("nonsense",), ("ask",), ("ask", "sales.csv", "count", "--sheet", "x"), ("ask", "x", "count", "--table")],
)
def test_what_is_no_call_ends_with_2_and_its_usage(folder: Path, words: tuple[str, ...]) -> None:
    code, out, err = client(folder, *words)
    assert (code, out) == (2, "")
    assert err.startswith("usage: service-nb-client ")
    assert "error: " in err


def test_help_names_every_verb(folder: Path) -> None:
    code, out, _ = client(folder, "--help")
    names = re.findall(r"^  ([a-z]+)  ", out.partition("verbs:")[2], re.MULTILINE)
    assert code == 0
    assert {"ask", "verify", "doctor", "version"} <= set(names)
    for name in names:
        assert client(folder, name, "--help")[1].startswith(f"usage: service-nb-client {name}")


# --- verify -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cards(folder: Path) -> list[str]:
    """Cards that both clients made: of both, signed and not, and one that was altered."""
    unsigned = json.loads(client(folder, "ask", "sales.csv", "sum amount", "--json")[1])["card"]
    service = service_nb.create_service(ledger="off", mode="local", runtime="in_process")
    service.connect(folder / "sales.csv")
    of_python = json.loads(json.dumps(service.ask("sum amount from sales").card))
    key = {"SERVICE_DEVICE_KEY": "A" * 43 + "="}
    signed = json.loads(client(folder, "ask", "sales.csv", "sum amount", "--json", **key)[1])["card"]
    altered = json.loads(json.dumps(signed))
    altered["view"]["rows"][0][0] = "9"
    made = {"unsigned": unsigned, "of_python": of_python, "signed": signed, "altered": altered}
    for name, card in made.items():
        (folder / f"{name}.json").write_text(json.dumps(card))
    return [f"{name}.json" for name in made]


def test_every_card_has_pythons_verdict_words_and_code(
    folder: Path, python: Callable[..., Ran], cards: list[str]
) -> None:
    for name in [*cards, "bad.json"]:
        for more in ((), ("--strict",)):
            code, text, _ = client(folder, "verify", name, *more)
            expected, met, _ = python("verify", name, *more)
            assert (name, code) == (name, expected)
            assert text.splitlines()[1] == met.splitlines()[1]
            assert text.splitlines()[-1] == met.splitlines()[-1]


def test_a_report_as_json_has_pythons_verdicts(folder: Path, python: Callable[..., Ran], cards: list[str]) -> None:
    told = json.loads(client(folder, "verify", *cards, "--json")[1])
    met = json.loads(python("verify", *cards, "--json")[1])
    for name in ("status", "accepted", "strict", "counts"):
        assert told[name] == met[name]
    for own, other in zip(told["files"], met["files"], strict=True):
        assert (own["file"], own["sha256"], own["status"]) == (other["file"], other["sha256"], other["status"])
        assert [each["words"] for each in own["verdicts"]] == [each["words"] for each in other["verdicts"]]
        assert [each["signer"] for each in own["verdicts"]] == [each["signer"] for each in other["verdicts"]]


# --- login, and the two doctors ---------------------------------------------------------------------------------------


def test_a_login_is_one_for_both_clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = json.loads(client(tmp_path, "login", "--json")[1])
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SERVICE_DEVICE_KEY", raising=False)
    device = user_keys.require_device()
    assert (told["origin"], told["device"], told["public_key"]) == ("made", device.id, device.public_key)
    assert stat.S_IMODE((tmp_path / "home/config/device.pem").stat().st_mode) == 0o600
    assert str(tmp_path) not in json.dumps(told)

    (tmp_path / "home/config/licence.json").write_text("{}")
    assert json.loads(client(tmp_path, "login", "--json")[1])["origin"] == "licensed"
    assert user_keys.login().origin == "kept"
    assert json.loads(client(tmp_path, "login", "--json")[1])["origin"] == "kept"

    (tmp_path / "home/config/device.pem").write_text("broken")
    code, _, err = client(tmp_path, "login")
    assert (code, err.partition(":")[0]) == (1, "error[login_required]")
    assert (tmp_path / "home/config/device.pem").read_text() == "broken"


def put_command(project: Path, script: str) -> None:
    folder = project / "node_modules" / ".bin"
    folder.mkdir(parents=True)
    (folder / "service-nb-client").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "service-nb-client").chmod(0o755)


def look(project: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, HealthCheck]:
    (project / "below").mkdir()
    monkeypatch.chdir(project / "below")
    monkeypatch.setenv("SERVICE_HOME", str(project / "home"))
    contract = Contract(map_packaged_contract()).hash
    return {check.name.removeprefix("parity: "): check for check in check_second_client(contract)}


def test_pythons_doctor_finds_the_second_client_of_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_command(tmp_path, f'exec "{NODE.program}" "{built()}/packages/client/dist/command/main.js" "$@"')
    found = look(tmp_path, monkeypatch)
    assert list(found) == ["typescript", "typescript contract", "typescript hashes"]
    assert all(check.ok and not check.warning for check in found.values())


@pytest.mark.parametrize(
    "script",
    [
        """echo '{"version": "9", "contract_hash": "sha256:00", "data": {"plan_hash": "1", "result_hash": "2"}}'""",
        "echo nonsense",
        "exit 1",
    ],
)
def test_pythons_doctor_says_where_a_second_client_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    put_command(tmp_path, script)
    found = look(tmp_path, monkeypatch)
    assert not found["typescript contract"].ok
    assert not found["typescript hashes"].ok
    assert "this package has" in found["typescript hashes"].found


def test_node_is_named_where_it_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert next(iter(check_node())).found.startswith("none")
    for version, fits in (
        ("v20.18.9", "needs 20.19"),
        ("v20.19.0", "fits"),
        ("v26.1.0", "fits"),
        ("\x1b[2J", "not say"),
    ):
        (tmp_path / "node").write_text(f"#!/bin/sh\necho '{version}'\n")
        (tmp_path / "node").chmod(0o755)
        assert fits in next(iter(check_node())).found


def test_the_second_doctor_finds_python_and_compares(folder: Path) -> None:
    code, text, _ = client(folder, "doctor", "--parity", "--json", SERVICE_PYTHON=sys.executable)
    checks = {check["name"]: check for check in json.loads(text)["checks"]}
    assert (code, [name for name, check in checks.items() if not check["ok"]]) == (0, [])
    assert checks["parity: contract"]["found"] == checks["contract"]["found"] == Contract(map_packaged_contract()).hash
    assert {"node", "sqlite", "exact sum", "login", "parity: python", "parity: hashes"} <= checks.keys()
    none = json.loads(client(folder, "doctor", "--parity", "--json", PATH="", SERVICE_PYTHON="")[1])
    assert [check["name"] for check in none["checks"] if check["warning"]] == ["login", "parity: python"]


@pytest.mark.slow
def test_a_computation_reads_alike_and_the_runtime_is_one_for_both(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = installed_home(tmp_path_factory)
    more = {**homes.environment(home), "SERVICE_PYTHON": sys.executable}
    line = "finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]"
    assert client(home, "login", **more)[0] == 0
    code, text, _ = client(home, "compute", line, **more)
    expected = plain(homes.command(home, "compute", line).stdout)
    assert (code, plain(text).partition(" signed ")[0]) == (0, expected.partition(" signed ")[0])
    told = json.loads(client(home, "compute", line, "--json", **more)[1])
    assert (told["value"], told["status"]) == (505.0201488969332, "ok")
    status = json.loads(client(home, "runtime", "status", "--json", **more)[1])
    assert status["status"] == "running"
    checks = {check["name"]: check for check in json.loads(client(home, "doctor", "--json", **more)[1])["checks"]}
    assert checks["runtime"]["ok"]
    assert not checks["runtime"]["warning"]
    assert json.loads(client(home, "runtime", "stop", "--json", **more)[1])["stopped"] >= 1
