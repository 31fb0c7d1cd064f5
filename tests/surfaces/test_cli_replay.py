"""The verb `replay`: documents, ledgers and ids in; a line a result, reports and an exit code out."""

from __future__ import annotations

import json
import re
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.cli.main import build_parser, run_verb
from service_nb.cli.verb import DONE, FAILED
from service_nb.errors import EvidenceError, InvalidIntentError, ResultNotFoundError
from service_nb.schema.card import CARD_MIME, Card

CSV = "region,flow\nnorth,1.5\nsouth,0.1\nsouth,0.2\n"
NPV = "finance.npv rate=0.1 cashflows=budget.flow"


def command(*arguments: object) -> int:
    """Run the verb, as `service-nb replay` does."""
    return run_verb(build_parser().parse_args(["replay", *map(str, arguments), "--in-process"]))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SERVICE_LEDGER")
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    (project / "budget.csv").write_text(CSV, encoding="utf-8")
    (project / "service.toml").write_text("", encoding="utf-8")
    return project


@pytest.fixture
def cards(folder: Path) -> list[Card]:
    """An answer, a computation and a refusal of a client that recorded them."""
    with closing(service_nb.create_service(runtime="in_process")) as service:
        service.connect("budget.csv")
        made = [
            service.ask("sum flow by region from budget"),
            service.compute(NPV),
            service.ask("sum flwo from budget"),
        ]
        return [each.card for each in made]


def notebook(path: Path, cards: list[Any]) -> Path:
    cells = [
        {"cell_type": "code", "outputs": [{"output_type": "display_data", "data": {CARD_MIME: card}}]} for card in cards
    ]
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}), encoding="utf-8")
    return path


def altered(card: Card) -> Card:
    return Card(**{**card, "canonical": card["canonical"] | {"result": "[]"}})


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def test_a_notebook_whose_results_are_all_the_same_exits_with_0(
    folder: Path, cards: list[Card], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(notebook(folder / "report.ipynb", cards)) == DONE
    told = capsys.readouterr()
    lines = [line.split() for line in told.out.splitlines()]
    assert [line[:2] for line in lines if line[:1] == ["="]] == [["=", "cell"]] * 3
    assert told.err == ""  # no terminal, no progress


def test_something_that_differs_or_is_refused_exits_with_1(
    folder: Path, cards: list[Card], capsys: pytest.CaptureFixture[str]
) -> None:
    file = notebook(folder / "report.ipynb", [cards[0], altered(cards[0])])
    assert command(file) == FAILED
    assert command(file, "--unverified") == FAILED
    assert "result_tampered" in capsys.readouterr().out


def test_an_error_in_a_notebook_is_nothing_to_replay_and_no_failure(
    folder: Path, cards: list[Card], capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(service_nb.create_service(runtime="in_process")) as service, pytest.raises(InvalidIntentError) as met:
        service.ask("sum of the parts")
    assert command(notebook(folder / "report.ipynb", [met.value.card, cards[1]]), "--json") == DONE
    assert printed(capsys)["counts"] == {"identical": 1, "differs": 0, "refused": 0, "not_replayable": 1}


def test_a_card_an_id_and_a_ledger(folder: Path, cards: list[Card], capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "card.json").write_text(json.dumps(cards[1]), encoding="utf-8")
    assert command("card.json", "--json") == DONE
    card = printed(capsys)
    assert [each["subject"] for each in card["replays"]] == ["card.json"]
    result_id = card["replays"][0]["result_id"]
    assert command(result_id, "--json") == DONE
    assert printed(capsys)["replays"][0]["met"] == card["replays"][0]["met"]
    for what in (".service", ".", ".service/ledger.sqlite"):
        assert command(what, "--json") == DONE
        assert printed(capsys)["counts"]["identical"] == 3


def test_the_ledger_of_another_project_is_read_and_not_written(
    folder: Path, cards: list[Card], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "mine"
    other.mkdir()
    assert (
        command(folder / ".service", "--project", other, "--source", f"budget={folder / 'budget.csv'}", "--json") == 0
    )
    assert printed(capsys)["counts"]["identical"] == 3
    with (
        closing(service_nb.create_service(project=folder)) as theirs,
        closing(service_nb.create_service(project=other)) as mine,
    ):
        assert theirs.log(kind="replay") == []
        assert len(mine.log(kind="replay")) == 3


def test_a_moved_file_is_named_and_a_changed_one_is_refused(
    folder: Path, cards: list[Card], capsys: pytest.CaptureFixture[str]
) -> None:
    file = notebook(folder / "report.ipynb", cards)
    (folder / "budget.csv").rename(folder / "old.csv")
    (folder / "new.csv").write_text(CSV.replace("0.2", "0.25"), encoding="utf-8")
    assert command(file, "--json") == FAILED
    assert {each["cause"] for each in printed(capsys)["replays"]} == {"source_missing"}
    assert command(file, "--source", "budget=old.csv", "--json") == DONE
    assert {each["sources"][0]["found"] for each in printed(capsys)["replays"]} == {"given"}
    assert command(file, "--source", "budget=new.csv", "--json") == FAILED
    assert {each["cause"] for each in printed(capsys)["replays"]} == {"source_content_mismatch"}
    assert command(file, "--source", "budget=new.csv", "--changed-sources", "--json") == FAILED
    assert [each["status"] for each in printed(capsys)["replays"]] == ["differs", "differs", "identical"]


def test_several_documents_are_one_report(folder: Path, cards: list[Card], capsys: pytest.CaptureFixture[str]) -> None:
    files = [notebook(folder / f"{name}.ipynb", [card]) for name, card in zip("ab", cards, strict=False)]
    assert command(*files, "--json") == DONE
    report = printed(capsys)
    assert [each["subject"] for each in report["replays"]] == ["a.ipynb, cell 1, output 1", "b.ipynb, cell 1, output 1"]


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e`"


def test_the_page_runs_and_loads_nothing_and_quotes_what_is_hostile(folder: Path, cards: list[Card]) -> None:
    bad = altered(cards[0])
    bad = Card(**{**bad, "view": bad["view"] | {"question": HOSTILE}})
    assert command(notebook(folder / "report.ipynb", [*cards, bad]), "--report", "out.html") == FAILED
    text = (folder / "out.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.tags.isdisjoint({"script", "img", "link", "iframe", "a", "object", "form"})
    known = {"lang", "charset", "http-equiv", "content", "name", "class", "role", "aria-label", "tabindex"}
    assert page.attributes <= known
    assert not re.search(r"url\(|@import|https?:", text)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert any("alert(1)" in each for each in page.texts)
    assert "evidence_invalid" in text


def test_reports_are_written_in_the_form_that_their_ending_names(
    folder: Path, cards: list[Card], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")  # what is printed is as wide as the terminal; a file has no terminal
    file = notebook(folder / "report.ipynb", cards)
    assert command(file, "--report", "out.json", "--json") == DONE
    report, written = printed(capsys), json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert report == written
    assert (report["service_nb_replay"], report["is_identical"]) == (1, True)
    assert command(file, "--report", "out.txt") == DONE
    assert (folder / "out.txt").read_text(encoding="utf-8").splitlines() == capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "arguments",
    [(), ("x.ipynb", "--source", "budget"), ("x.ipynb", "--source", "=x"), ("x.ipynb", "--report", "out.pdf")],
)
def test_a_malformed_command_is_usage(folder: Path, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as met:
        command(*arguments)
    assert met.value.code == 2


@pytest.mark.parametrize("what", ["missing.ipynb", "query_12", ".", "list.json", "other.json", "ledger.json"])
def test_what_is_nothing_to_replay_is_usage(folder: Path, what: str) -> None:
    (folder / "list.json").write_text("[]", encoding="utf-8")
    (folder / "other.json").write_text("{}", encoding="utf-8")
    (folder / "ledger.json").write_text('{"service_nb_ledger": 1}', encoding="utf-8")
    with pytest.raises(InvalidIntentError):
        command(what)


def test_broken_documents_and_unknown_ids_are_errors(folder: Path, cards: list[Card]) -> None:
    (folder / "broken.ipynb").write_text('{"nbformat": 4', encoding="utf-8")
    with pytest.raises(EvidenceError):
        command("broken.ipynb")
    with pytest.raises(ResultNotFoundError):
        command("query_0000000000000000")
    with pytest.raises(InvalidIntentError):
        command(notebook(folder / "report.ipynb", cards), "--report", "nowhere/out.html")
