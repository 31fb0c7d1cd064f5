"""Exercises: a key is made of real results, and a student's result is right however it was spelt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.cli.main import main as command
from service_nb.client.compute_line import parse_compute_line
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import COMPUTATION_DOMAIN, INVOCATION_DOMAIN, digest
from service_nb.errors import EvidenceError, InvalidIntentError, ServiceError
from service_nb.evidence.answer_key import AnswerKey, Cost, add_answers, list_claims, parse_key, write_key
from service_nb.notebook.exercise_magics import AnswerCheck, check_answer, compose_answer_check, find_key, read_key
from service_nb.schema.card import Card
from tests.surfaces.conftest import Session

ROWS = [
    {"region": "north", "x": 1.5, "y": 2},
    {"region": "south", "x": 4.0, "y": 1},
    {"region": "south", "x": 9.0, "y": 3},
]
CHEAP = Cost(memory_kib=19 * 1024, iterations=2)


def key(folder: Path, **answers: Card) -> Path:
    made = AnswerKey(cost=CHEAP)
    for index, (name, card) in enumerate(answers.items()):
        made = add_answers(made, name, list_claims(card)[:1], bytes([index]) * 16)
    path = folder / "lesson.servicekey.json"
    path.write_text(write_key(made), encoding="utf-8")
    return path


def check(name: str, card: Mapping[str, object] | None, *, key: str | None = None, folder: Path | None = None) -> Any:
    return check_answer(read_key(key, folder or Path.cwd()), name, card)


@pytest.fixture(scope="module")
def service() -> service_nb.Service:
    client = service_nb.create_service(runtime="in_process")
    client.connect(ROWS, name="sales")
    client.connect(ROWS, name="mine")
    return client


def test_an_answer_is_right_or_wrong_and_nothing_is_said_beside_it(tmp_path: Path, service: service_nb.Service) -> None:
    median = service.compute("stats.median", kwargs={"values": [1.5, 4.0, 9.0]}).card
    mean = service.compute("stats.mean", kwargs={"values": [1.5, 4.0, 9.0]}).card
    key(tmp_path, median=median)
    assert check("median", median, folder=tmp_path) == {"exercise": "median", "status": "right"}
    assert check("median", mean, folder=tmp_path) == {"exercise": "median", "status": "wrong"}
    assert check("median", None, folder=tmp_path) == {"exercise": "median", "status": "not_asked"}


@pytest.mark.parametrize(
    ("status", "word"), [("right", "Right"), ("wrong", "Not right"), ("not_asked", "No answer yet")]
)
def test_the_page_is_one_line(status: str, word: str, tmp_path: Path, service: service_nb.Service) -> None:
    asked = service.ask("sum x by region from sales").card
    other = service.ask("count by region from sales").card
    key(tmp_path, sums=asked)
    checked = check("sums", {"right": asked, "wrong": other, "not_asked": None}[status], folder=tmp_path)
    faces, metadata = AnswerCheck({**checked, "attempts": 2}, compose_answer_check)._repr_mimebundle_()
    assert metadata["service_nb_check"] == {"exercise": "sums", "status": status, "attempts": 2}
    assert len(faces["text/plain"].splitlines()) == 1
    assert word in faces["text/plain"]
    assert word in faces["text/html"]
    assert "sums" in faces["text/markdown"]
    assert not any(value in faces["text/html"] for value in asked["digests"].values())


@pytest.mark.parametrize(
    "line",
    [
        "stats.correlation x=sales.x y=sales.y",
        "stats.correlation y=sales.y x=sales.x",
        "stats.correlation x=mine.x y=mine.y",
        "stats.correlation x=[1.5, 4, 9] y=[2, 1, 3]",
    ],
)
def test_a_computation_is_right_however_its_arguments_came(
    line: str, tmp_path: Path, service: service_nb.Service
) -> None:
    key(tmp_path, r=service.compute("stats.correlation", args=[[1.5, 4.0, 9.0], [2.0, 1.0, 3.0]]).card)
    met = service.compute(parse_compute_line(line))
    assert check("r", met.card, folder=tmp_path)["status"] == "right"


@pytest.mark.parametrize("line", ["stats.correlation x=sales.y y=sales.x", "stats.covariance x=sales.x y=sales.y"])
def test_another_call_with_the_same_data_is_another_answer(
    line: str, tmp_path: Path, service: service_nb.Service
) -> None:
    key(tmp_path, r=service.compute(parse_compute_line("stats.correlation x=sales.x y=sales.y")).card)
    assert check("r", service.compute(parse_compute_line(line)).card, folder=tmp_path)["status"] == "wrong"


def test_a_computation_is_right_on_another_platform_and_after_an_update(
    tmp_path: Path, service: service_nb.Service
) -> None:
    here = service.compute("stats.mean", kwargs={"values": [1.0, 4.0]}).card
    key(tmp_path, mean=here)
    there = elsewhere(here, execution_scope="macos-arm64:local", contract_hash="sha256:" + 64 * "0")
    assert there["digests"]["computation_hash"] != here["digests"]["computation_hash"]
    assert check("mean", there, folder=tmp_path)["status"] == "right"


def test_a_question_is_right_however_it_was_written_and_whatever_its_source_is_called(
    tmp_path: Path, service: service_nb.Service
) -> None:
    key(tmp_path, sums=service.ask("sum x by region from sales where y > 1 and x > 1").card)
    for line in ("sum x by region from mine where y > 1 and x > 1", "sum x by region from sales where x > 1 and y > 1"):
        assert check("sums", service.ask(line).card, folder=tmp_path)["status"] == "right"
    for line in (
        "sum x by region from sales where y > 1",
        "sum x by region from sales where y > 1 and x > 1 order asc",
    ):
        assert check("sums", service.ask(line).card, folder=tmp_path)["status"] == "wrong"


def test_a_refusal_may_be_the_right_answer(tmp_path: Path, service: service_nb.Service) -> None:
    refused = service.ask("sum region from sales")
    assert refused["status"] == "rejected"
    key(tmp_path, no_sum=refused.card)
    assert check("no_sum", refused.card, folder=tmp_path)["status"] == "right"
    assert check("no_sum", service.ask("sum x from sales").card, folder=tmp_path)["status"] == "wrong"


# --- finding the key --------------------------------------------------------------------------------------------------


def test_the_one_key_beside_the_notebook_is_taken(tmp_path: Path) -> None:
    with pytest.raises(InvalidIntentError):
        find_key(tmp_path)
    (tmp_path / "one.servicekey.json").touch()
    (tmp_path / "other.json").touch()
    assert find_key(tmp_path).name == "one.servicekey.json"
    (tmp_path / "two.servicekey.json").touch()
    with pytest.raises(InvalidIntentError) as caught:
        find_key(tmp_path)
    assert "two.servicekey.json" in (caught.value.hint or "")
    assert str(tmp_path) not in str(caught.value.to_dict())


def test_a_key_that_is_named_is_taken_wherever_it_is(tmp_path: Path, service: service_nb.Service) -> None:
    card = service.ask("sum x from sales").card
    made = key(tmp_path, total=card)
    made.rename(tmp_path / "elsewhere.json")
    assert check("total", card, key=str(tmp_path / "elsewhere.json"))["status"] == "right"
    with pytest.raises(ServiceError) as caught:
        check("total", card, key=str(made))
    assert caught.value.code == "source_not_found"


def test_an_exercise_that_the_key_does_not_have_is_named_before_anything_is_asked(
    tmp_path: Path, service: service_nb.Service
) -> None:
    key(tmp_path, total=service.ask("sum x from sales").card)
    with pytest.raises(EvidenceError) as caught:
        check("totall", None, folder=tmp_path)
    assert caught.value.reason == "unknown_exercise"


# --- the magic --------------------------------------------------------------------------------------------------------


def test_the_magic_checks_the_result_of_the_cell_before_it(session: Session, tmp_path: Path) -> None:
    key(tmp_path, total=asked(session), rows=asked(session, "count from sales"))
    assert session.run("%service_check total") == {"exercise": "total", "status": "not_asked", "attempts": 0}
    session.run("%service_ask count from sales")
    assert session.run("%service_check total") == {"exercise": "total", "status": "wrong", "attempts": 1}
    assert session.run("%service_check total")["attempts"] == 1  # the same result is no new attempt
    session.run("%service_ask sum revenue by region from sales")
    assert session.run("%service_check total") == {"exercise": "total", "status": "right", "attempts": 2}
    session.error("%service_ask sum revenue by region from nowhere where")
    assert session.run("%service_check total")["status"] == "right"  # an error is no result
    session.run("# the answer to the next exercise")
    assert session.run("%service_check rows")["status"] == "not_asked"
    session.run("x = %service_ask count from sales")
    session.run("1 + 1")
    assert session.run("%service_check rows")["status"] == "not_asked"
    assert session.run("%service_check rows $x")["status"] == "right"
    page = session.run("%service_check")
    assert (page["right"], [each["attempts"] for each in page["exercises"]]) == (2, [1, 2])
    (tmp_path / "lesson.servicekey.json").rename(tmp_path / "kept.json")
    assert isinstance(session.error("%service_check total"), InvalidIntentError)
    assert session.run("%service_check total $x --key kept.json")["status"] == "wrong"


def asked(session: Session, line: str = "sum revenue by region from sales") -> Card:
    """The card of the right answer, asked by somebody else: the teacher."""
    teacher = service_nb.create_service()
    teacher.connect(session["rows"], name="sales")
    return teacher.ask(line).card


# --- making one -------------------------------------------------------------------------------------------------------


@pytest.fixture
def cards(tmp_path: Path, service: service_nb.Service, monkeypatch: pytest.MonkeyPatch) -> dict[str, Card]:
    """Cards of two results, and a file of each in the current folder."""
    made = {
        "sums": service.ask("sum x by region from sales").card,
        "mean": service.compute("stats.mean", kwargs={"values": [1.0, 4.0]}).card,
    }
    for name, card in made.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(card), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return made


def test_a_key_is_made_of_cards_and_hashes_and_told_by_its_names_alone(
    cards: dict[str, Card], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = cards["mean"]["digests"]["computation_hash"]
    answers = ["sums=sums.json", "mean=mean.json", f"again={bare}"]
    assert command(["key", "make", *answers, "--output", "lesson.servicekey.json"]) == 0
    capsys.readouterr()
    assert command(["key", "show", "lesson.servicekey.json"]) == 0
    assert capsys.readouterr().out == "again\nmean\nsums\n"
    assert command(["key", "show", "--json", "lesson.servicekey.json"]) == 0
    assert json.loads(capsys.readouterr().out)["exercises"] == ["again", "mean", "sums"]
    assert check("sums", cards["sums"], folder=tmp_path)["status"] == "right"
    assert check("mean", cards["mean"], folder=tmp_path)["status"] == "right"
    assert check("again", cards["mean"], folder=tmp_path)["status"] == "right"
    assert check("again", cards["sums"], folder=tmp_path)["status"] == "wrong"


def test_two_keys_of_the_same_answers_share_no_hash(cards: dict[str, Card], tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert command(["key", "make", "sums=sums.json", "--output", f"{name}.servicekey.json"]) == 0
    one, two = (parse_key((tmp_path / f"{name}.servicekey.json").read_bytes()) for name in ("one", "two"))
    assert one.exercises["sums"].salt != two.exercises["sums"].salt
    assert one.exercises["sums"].answers != two.exercises["sums"].answers


def test_an_accepted_answer_is_added_beside_the_first(cards: dict[str, Card], tmp_path: Path) -> None:
    assert command(["key", "make", "either=sums.json", "--output", "lesson.servicekey.json"]) == 0
    assert check("either", cards["mean"], folder=tmp_path)["status"] == "wrong"
    assert command(["key", "add", "lesson.servicekey.json", "either=mean.json"]) == 0
    assert check("either", cards["sums"], folder=tmp_path)["status"] == "right"
    assert check("either", cards["mean"], folder=tmp_path)["status"] == "right"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["sums=sums.json", "--output", "lesson.json"], 2),
        (["sums", "--output", "lesson.servicekey.json"], 2),
        (["sums=", "--output", "lesson.servicekey.json"], 2),
        (["s ums=sums.json", "--output", "lesson.servicekey.json"], 1),
        (["sums=missing.json", "--output", "lesson.servicekey.json"], 1),
        (["sums=.", "--output", "lesson.servicekey.json"], 1),
        (["sums=forged.json", "--output", "lesson.servicekey.json"], 1),
        (["sums=query_0123456789abcdef", "--output", "lesson.servicekey.json"], 1),
    ],
)
def test_what_makes_no_key_writes_none(arguments: list[str], code: int, cards: dict[str, Card], tmp_path: Path) -> None:
    forged = json.loads((tmp_path / "sums.json").read_text(encoding="utf-8"))
    forged["canonical"]["result"] = forged["canonical"]["result"].replace("1.5", "1.6")
    (tmp_path / "forged.json").write_text(json.dumps(forged), encoding="utf-8")
    assert command(["key", "make", *arguments]) == code
    assert list(tmp_path.glob("lesson*")) == []


def test_a_key_that_is_there_is_not_written_over(cards: dict[str, Card], tmp_path: Path) -> None:
    assert command(["key", "make", "sums=sums.json", "--output", "lesson.servicekey.json"]) == 0
    before = (tmp_path / "lesson.servicekey.json").read_bytes()
    assert command(["key", "make", "mean=mean.json", "--output", "lesson.servicekey.json"]) == 2
    assert (tmp_path / "lesson.servicekey.json").read_bytes() == before


def test_a_key_is_made_of_results_in_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERVICE_LEDGER")
    monkeypatch.chdir(tmp_path)
    client = service_nb.create_service(runtime="in_process", project=tmp_path)
    client.connect(ROWS, name="sales")
    asked, computed = (
        client.ask("sum x by region from sales", rows="none"),
        client.compute(parse_compute_line("stats.mean values=sales.x")),
    )
    client.close()
    ids = f"sums={asked['data']['query_id']}", f"mean={computed['request_id']}"
    assert command(["key", "make", *ids, "--output", "lesson.servicekey.json"]) == 0
    assert check("sums", asked.card, folder=tmp_path)["status"] == "right"
    assert check("mean", computed.card, folder=tmp_path)["status"] == "right"


def elsewhere(card: Card, **changes: str) -> Mapping[str, Any]:
    """The card that the same computation has on another platform, or under another contract."""
    text = write_canonical_text({**json.loads(card["canonical"]["identity"]), **changes})
    invocation = digest(INVOCATION_DOMAIN, text)
    computed = digest(COMPUTATION_DOMAIN, invocation, card["canonical"]["value"])
    digests = {**card["digests"], "invocation_hash": invocation, "computation_hash": computed}
    return {**card, "canonical": {**card["canonical"], "identity": text}, "digests": digests}
