"""`service-nb log`, `show` and `verify` on a real ledger: what a project recorded, found again and held to it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.cli.main import main
from tests.simulators.evidence import notebook

DONE, FAILED, USAGE = 0, 1, 2
Run = Callable[..., tuple[int, dict[str, Any]]]
SALES = "region,revenue\nnorth,1.5\nsouth,0.1\nsouth,0.2\n"


def ask(folder: Path, *lines: str, tenant: str | None = None) -> list[dict[str, Any]]:
    """Ask in a client of its own, and return the cards."""
    client = service_nb.create_service(project=folder, tenant_id=tenant, ledger=folder / ".service")
    client.connect(folder / "sales.csv")
    made: list[dict[str, Any]] = [dict(client.ask(line).card) for line in lines]
    client.close()
    return made


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which three questions were asked, and a notebook of their cards; the working folder."""
    monkeypatch.delenv("SERVICE_LEDGER")
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "sales.csv").write_text(SALES, encoding="utf-8")
    made = ask(folder, "sum revenue by region from sales", "sum region from sales", "count from sales")
    (folder / "report.ipynb").write_text(json.dumps(notebook(made)), encoding="utf-8")
    return folder


@pytest.fixture
def run(project: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a verb with --json and return its exit code and what it prints."""

    def call(*arguments: str) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        code = main([*arguments, "--json"])
        return code, json.loads(capsys.readouterr().out)

    return call


def causes(told: dict[str, Any]) -> set[str]:
    checks = [check for file in told["files"] for verdict in file["verdicts"] for check in verdict["checks"]]
    return {check["cause"] for check in checks if check["status"] == "failed"}


# --- log and show -------------------------------------------------------------------------------------------------


def test_the_log_has_every_outcome_the_newest_first(run: Run) -> None:
    code, told = run("log")
    assert code == DONE
    assert [line["kind"] for line in told["entries"]] == ["query", "rejection", "query"]
    assert [line["index"] for line in told["entries"]] == [2, 1, 0]
    assert all(line["signed"] for line in told["entries"])


def test_the_log_is_limited_and_picked_by_kind(run: Run) -> None:
    assert [line["index"] for line in run("log", "--limit", "2")[1]["entries"]] == [2, 1]
    assert [line["index"] for line in run("log", "--kind", "query", "--limit", "1")[1]["entries"]] == [2]
    assert run("log", "--kind", "replay")[1]["entries"] == []


def test_the_log_prints_a_line_each(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log"]) == DONE
    lines = [line for line in capsys.readouterr().out.splitlines() if "query_" in line or "refusal_" in line]
    assert len(lines) == 3
    assert all(line.split()[-1] == "yes" for line in lines)


def test_another_project_is_looked_into_by_its_folder(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.parent)
    assert len(run("log", "--project", "project")[1]["entries"]) == 3
    assert run("log")[1]["entries"] == []
    assert not (project.parent / ".service").exists()


def test_what_is_of_a_tenant_is_in_nobody_elses_log(run: Run, project: Path) -> None:
    ask(project, "avg revenue from sales", tenant="somebody")
    assert len(run("log")[1]["entries"]) == 3


@pytest.mark.parametrize("limit", ["0", "-1", "many", "1000000"])
def test_a_limit_is_a_number_of_lines(project: Path, limit: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["log", "--limit", limit])
    assert stopped.value.code == USAGE


def test_a_recorded_card_is_shown_as_the_notebook_has_it(
    run: Run, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = [cell["outputs"][-1]["data"] for cell in json.loads(Path("report.ipynb").read_text())["cells"][1:]]
    first = next(value for value in outputs[0].values() if isinstance(value, dict))
    id_ = run("log")[1]["entries"][-1]["id"]
    assert main(["show", id_, "--card"]) == DONE
    assert json.loads(capsys.readouterr().out) == first


def test_show_says_what_it_was_made_from_and_where_it_stands(run: Run) -> None:
    id_ = run("log")[1]["entries"][0]["id"]
    code, told = run("show", id_)
    assert code == DONE
    assert (told["id"], told["index"]) == (id_, 2)
    assert [source["name"] for source in told["inputs"]] == ["sales"]
    assert told["card"]["receipt"]["log"]["index"] == 2


def test_show_prints_the_card_and_its_receipt(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    entry = run("log")[1]["entries"][0]
    assert main(["show", entry["id"]]) == DONE
    shown = capsys.readouterr().out
    assert all(part in shown for part in (entry["id"], entry["signed"], "service-nb/", "number 3 of the 3"))


def test_what_was_never_recorded_is_not_found(run: Run, project: Path) -> None:
    other = ask(project, "avg revenue from sales", tenant="somebody")[0]
    for id_ in ("query_0000000000000000", "nonsense", other["view"]["query_id"]):
        code, told = run("show", id_)
        assert (code, told["error"]["code"]) == (FAILED, "result_not_found")


@pytest.mark.parametrize("verb", [["log"], ["show", "query_0000000000000000"]])
def test_where_no_ledger_is_kept_that_is_said(run: Run, monkeypatch: pytest.MonkeyPatch, verb: list[str]) -> None:
    monkeypatch.setenv("SERVICE_LEDGER", "off")
    code, told = run(*verb)
    assert (code, told["error"]["code"], told["error"]["details"]["reason"]) == (FAILED, "ledger_unavailable", "off")


# --- verify -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [".service", ".", ".service/ledger.sqlite"])
def test_a_ledger_and_the_notebook_of_its_cards_are_verified(run: Run, given: str) -> None:
    code, told = run("verify", "report.ipynb", given, "--strict")
    assert code == DONE
    assert told["counts"] == {"verified": 4, "unaltered": 0, "consistent": 0, "not_checkable": 0, "altered": 0}
    assert all(verdict["checks"][-1]["check"] == "ledger" for verdict in told["files"][0]["verdicts"])


def test_verifying_changes_nothing_of_a_ledger(run: Run, project: Path) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    run("verify", "report.ipynb", ".service")
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_receipts_hold_in_a_ledger_that_went_on(run: Run, project: Path) -> None:
    ask(project, *["count from sales"] * 3)
    assert run("verify", "report.ipynb", ".service", "--strict")[0] == DONE


def test_a_ledger_that_was_put_back_is_shorter_than_what_a_card_saw(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = project.parent / "earlier"
    shutil.copytree(project / ".service", earlier)
    (project / "late.json").write_text(json.dumps(ask(project, "max revenue from sales")[0]), encoding="utf-8")
    assert run("verify", "late.json", ".service", "--strict")[0] == DONE
    # Seen from a machine that has not seen this ledger before: only the receipt can tell.
    monkeypatch.setenv("SERVICE_HOME", str(project.parent / "another home"))
    code, told = run("verify", "late.json", str(earlier))
    assert code == FAILED
    assert causes(told) == {"rolled_back"}


def test_a_card_of_another_project_is_not_in_this_ledger(run: Run, project: Path) -> None:
    other = project.parent / "other"
    other.mkdir()
    (other / "sales.csv").write_text(SALES, encoding="utf-8")
    (project / "card.json").write_text(json.dumps(ask(other, "count from sales")[0]), encoding="utf-8")
    code, told = run("verify", "card.json", ".service")
    assert code == FAILED
    assert causes(told) == {"entry_not_in_ledger"}


def test_a_ledger_in_which_somebody_wrote_fails(run: Run, project: Path) -> None:
    with sqlite3.connect(project / ".service" / "ledger.sqlite") as connection:
        connection.execute("UPDATE entries SET payload = replace(payload, 'sales', 'salez') WHERE number = 1")
    connection.close()
    code, told = run("verify", ".service")
    assert code == FAILED
    assert causes(told) <= set(told["causes"])
    assert causes(told)
