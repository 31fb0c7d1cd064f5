"""Worksheets: a solved notebook loses its answers and keeps their key, and what is handed in gets a score."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from service_nb.cli.main import main as command
from service_nb.errors import EvidenceError
from service_nb.evidence.worksheet import find_exercises
from service_nb.schema.card import CARD_MIME

SOLVED = (
    "%load_ext service_nb",
    'rows = [{"region": "north", "x": 1.5}, {"region": "south", "x": 4.0}]\n%service_connect sales rows',
    "%service_ask count from sales",
    "%service_ask sum x by region from sales",
    "%service_check sums",
    "secret = 42",
    "%service_ask max x from sales",
    "%service_check largest",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the solved notebook, run by a kernel; its checks have no key yet, and fail."""
    place = tmp_path_factory.mktemp("lesson")
    write(place / "solved.ipynb", run(place, SOLVED))
    return place


def run(place: Path, cells: tuple[str, ...]) -> nbformat.NotebookNode:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    book.cells[0].metadata["tags"] = ["setup"]
    book.cells[min(5, len(cells) - 1)].metadata["tags"] = ["solution"]
    NotebookClient(book, allow_errors=True, resources={"metadata": {"path": str(place)}}).execute()
    return book


def write(path: Path, book: Any) -> None:
    nbformat.write(nbformat.from_dict(book), path)


def read(path: Path) -> dict[str, Any]:
    book: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return book


def test_a_worksheet_has_no_answers_and_its_key_has_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert command(["worksheet", "solved.ipynb", "--output", "lesson.ipynb"]) == 0
    assert "lesson.ipynb has 2 exercises: sums, largest." in capsys.readouterr().out
    lesson = read(folder / "lesson.ipynb")
    nbformat.validate(nbformat.from_dict(lesson))
    assert ["".join(cell["source"]) for cell in lesson["cells"]] == [
        *SOLVED[:3],
        "# Your answer to sums",
        SOLVED[4],
        "",
        "# Your answer to largest",
        "%service_check largest",
    ]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in lesson["cells"])
    assert lesson["cells"][0]["metadata"] == {"tags": ["setup"]}
    assert command(["worksheet", "solved.ipynb", "--output", "lesson.ipynb"]) == 2  # both files are there

    # A student runs it untouched, then answers one exercise, one wrongly.
    untouched = run(folder, ("%load_ext service_nb", SOLVED[1], SOLVED[2], "# Your answer to sums", SOLVED[4]))
    assert "No answer yet · sums" in untouched.cells[4].outputs[0]["data"]["text/plain"]
    wrong = ("%service_ask count by region from sales", "%service_check sums")
    handed_in = run(
        folder, (*SOLVED[:2], *wrong, SOLVED[3], "%service_check sums", *wrong[:1], "%service_check largest")
    )
    write(folder / "anna.ipynb", handed_in)
    write(folder / "ben.ipynb", untouched)
    capsys.readouterr()
    assert command(["score", "lesson.servicekey.json", "anna.ipynb", "ben.ipynb"]) == 0
    head, anna, ben = (line.split("  ") for line in capsys.readouterr().out.splitlines())
    assert [text.strip() for text in head if text] == ["notebook", "right", "largest", "sums"]
    assert [text.strip() for text in anna if text] == ["anna.ipynb", "1 of 2", "not right", "right (2)"]
    assert [text.strip() for text in ben if text] == ["ben.ipynb", "0 of 2", "no answer", "no answer"]


def test_a_score_believes_cards_and_no_words(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command(["worksheet", str(folder / "solved.ipynb"), "--output", "other.ipynb"])
    forged = read(folder / "solved.ipynb")
    for cell in forged["cells"]:
        for output in cell["outputs"]:
            if CARD_MIME in output.get("data", {}):
                output["data"][CARD_MIME]["view"]["question"] = "forged"
            output["metadata"] = {"service_nb_check": {"exercise": "sums", "status": "right", "attempts": 10**40}}
    write(tmp_path / "forged.ipynb", forged)
    (tmp_path / "none.ipynb").write_text("[]", encoding="utf-8")
    capsys.readouterr()
    assert command(["score", "other.servicekey.json", "forged.ipynb", "none.ipynb", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    (scored,) = told["notebooks"]
    assert (scored["right"], scored["altered"]) == (0, 3)
    assert {each["exercise"]: each["status"] for each in scored["exercises"]} == {
        "sums": "wrong",
        "largest": "not_asked",
    }
    assert told["faults"][0]["notebook"] == "none.ipynb"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("no check", "no_exercise"),
        ("no answer", "no_answer"),
        ("one answer", "shared_answer"),
        ("altered", "result_hash_mismatch"),
    ],
)
def test_a_notebook_without_its_answers_makes_no_worksheet(folder: Path, change: str, reason: str) -> None:
    book = copy.deepcopy(read(folder / "solved.ipynb"))
    cells = book["cells"]
    match change:
        case "no check":
            book["cells"] = cells[:4]
        case "no answer":
            cells[2]["outputs"] = cells[3]["outputs"] = []
        case "one answer":
            cells[5]["source"] = "%service_check twice"
        case "altered":
            card = next(each["data"][CARD_MIME] for each in cells[3]["outputs"] if CARD_MIME in each.get("data", {}))
            card["canonical"]["result"] = card["canonical"]["result"].replace("1.5", "1.6")
    with pytest.raises(EvidenceError) as caught:
        find_exercises(book)
    assert caught.value.reason == reason
