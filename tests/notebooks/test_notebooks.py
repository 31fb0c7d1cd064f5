"""The notebooks that are shipped: all but one stored without outputs, run as they stand, say what their prose says."""

from __future__ import annotations

import ast
import base64
import json
import re
from collections.abc import Callable
from typing import Any

import nbformat
import pytest

import service_nb
from demo.report import to_html
from demo.teaching_key import ANSWERS, answer
from service_nb.evidence.answer_key import is_right, list_claims, parse_key
from service_nb.evidence.documents import check_card
from service_nb.schema.card import CARD_MIME
from tests.notebooks.shipped import NOTEBOOKS, Shipped

Run = Callable[..., Shipped]
STORED = sorted(NOTEBOOKS.glob("*.ipynb"))
KEYS = NOTEBOOKS / "audit" / "claims.keys"
SAVED = "deployment"  # stored with its outputs, for readers who have no database; its tests are in test_deployment.py


def value(notebook: Any, ending: str) -> Any:
    """The value of the cell that ends in a line, as Python reads it."""
    (cell,) = [cell for cell in notebook.cells if cell.source.endswith(ending)]
    return ast.literal_eval(cell.outputs[-1]["data"]["text/plain"])


def text(notebook: Any, line: str) -> str:
    """What the cells with a line show, as text."""
    (cell,) = [cell for cell in notebook.cells if line in cell.source.splitlines()]
    return "\n".join(output.get("text") or output["data"]["text/plain"] for output in cell.outputs)


@pytest.mark.parametrize("path", [path for path in STORED if path.stem != SAVED], ids=lambda path: path.stem)
def test_a_stored_notebook_is_valid_and_has_no_outputs(path: Any) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert [output for cell in notebook.cells for output in cell.get("outputs", [])] == []
    assert all(cell.get("execution_count") is None for cell in notebook.cells)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_a_notebook_leaves_its_ledger_behind_and_a_report_that_it_names(path: Any, run: Run) -> None:
    shipped = run(path.stem) if path.stem != "report" else run("report", month="2013-01")
    beside = {"data", "audit", "teaching.servicekey.json", "deployment.keys", shipped.path.name}
    report = {"audit-report.html"} if path.stem == "audit" else set()
    assert {each.name for each in shipped.project.iterdir()} - {".service"} == beside | report
    for folder in ("data", "audit"):
        left = {each.name for each in (shipped.project / folder).iterdir()}
        assert left == {each.name for each in (NOTEBOOKS / folder).iterdir()}


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_a_notebook_writes_no_error_and_names_no_folder_of_the_machine(path: Any, run: Run) -> None:
    shipped = run(path.stem) if path.stem != "report" else run("report", month="2013-01")
    assert not [each for each in shipped.outputs if each["output_type"] == "error" or each.get("name") == "stderr"]
    assert str(shipped.project) not in json.dumps(shipped.outputs)


# --- what their prose says --------------------------------------------------------------------------------------------


def test_quickstart_answers_asks_back_and_rejects(run: Run) -> None:
    quickstart = run("quickstart")
    statuses = [card["view"]["status"] for card in quickstart.cards]
    asked = ["ok"] * 5 + ["needs_clarification", "rejected", "identical", "ok"]  # one is a replay
    assert statuses == [*asked, *["ok"] * 7, "rejected"]  # three of them over the groups of a column
    values = [card["canonical"]["value"] for card in quickstart.cards if card["kind"] == "computation"]
    # The first by exact fractions, the others by pandas 3.1.1, which does not promise the last digits.
    assert float(values[0]) == 505.0201488969332
    assert float(values[1]) == -2.0
    assert float(values[2]) == pytest.approx(0.9148027588556977, rel=1e-12)
    # Departures of 2013 by origin, as the package of these data counts them.
    assert quickstart.cards[1]["view"]["rows"] == [["EWR", "120835"], ["JFK", "111279"], ["LGA", "104662"]]
    assert sum("image/png" in output.get("data", {}) for output in quickstart.outputs) == 2


def test_why_exact_shows_what_it_says(run: Run) -> None:
    notebook = run("why_exact").notebook
    hashes = value(notebook, "for name, values in orders.items()}")
    assert len(hashes) == 4
    assert len(set(hashes.values())) == 1
    changed = value(notebook, '"service_nb": changed(ours(frame, "stored"), ours(mixed, "mixed")),\n}')
    assert changed["service_nb"] == 0
    assert max(changed.values()) > 0
    wild = value(notebook, "for name, add in LIBRARIES.items()}}")
    assert wild["service_nb"] == wild["the truth"] == 1000.0
    misses = value(notebook, 'certified("distributions.binomial_cdf", trials) != judged)),\n}')
    assert misses["service_nb"] == 0
    assert misses["SciPy"] > 0


def test_the_report_is_of_the_month_it_was_asked_for(run: Run) -> None:
    told = month_of(run("report", month="2013-01"))
    assert told == (27_004, "count from flights where arr_delay >= 60")  # as the package of these data counts them


@pytest.mark.slow
def test_the_report_takes_other_parameters(run: Run) -> None:
    told = month_of(run("report", month="2013-07", late="30"))
    assert told == (29_425, "count from flights where arr_delay >= 30")


def month_of(report: Shipped) -> tuple[int, str]:
    """The flights that a report counts, and its question for late ones."""
    assert report.cards[-1]["kind"] == "clarification"
    assert sum("image/png" in output.get("data", {}) for output in report.outputs) == 1
    late = [card["view"]["ask"] for card in report.cards if "arr_delay >=" in card["view"].get("ask", "")]
    return sum(int(row[1]) for row in report.cards[0]["view"]["rows"]), late[0]


def test_the_report_is_a_page_that_holds_its_cards_and_loads_nothing(run: Run) -> None:
    shipped = run("report", month="2013-01")
    page = to_html(shipped.path)
    for card in shipped.cards:
        digest = card["digests"].get("result_hash") or card["digests"].get("computation_hash")
        assert digest is None or digest[:12] in page
    assert "%service_ask count by origin from flights</" in page
    assert re.findall(r'<(?:script|img|iframe)[^>]* src="(?!data:|")', page) == []
    assert re.findall(r"<link ", page) == []


def test_the_lesson_tells_right_from_wrong_and_nothing_else(run: Run) -> None:
    lesson = run("teaching").notebook
    checks = [cell for cell in lesson.cells if cell.source.startswith("%service_check")]
    told = [cell.outputs[0]["data"]["text/plain"].lstrip("⊘? ") for cell in checks]
    assert told == [
        "Not right · median",
        "Right · median · attempt 2",
        *(
            f"No answer yet · {name}: run the cell of your answer, then this one"
            for name in ("trimmed", "heaviest", "males")
        ),
    ]


def test_the_key_of_the_lesson_accepts_the_answers_and_no_others() -> None:
    service = service_nb.create_service(runtime="in_process")
    service.connect(NOTEBOOKS / "data" / "penguins.csv", name="penguins", nulls=["NA"])
    key = parse_key((NOTEBOOKS / "teaching.servicekey.json").read_bytes())
    assert key.names == sorted(ANSWERS)
    claims = {line: list_claims(answer(service, line).card)[0] for lines in ANSWERS.values() for line in lines}
    for name, lines in ANSWERS.items():
        assert all(is_right(key, name, [claims[line]]) for line in lines)
        others = [claim for line, claim in claims.items() if line not in lines]
        assert not is_right(key, name, others[:1])


# --- the audit --------------------------------------------------------------------------------------------------------


def claims() -> dict[str, Any]:
    """The cards of the audited notebook by the id of their cell."""
    notebook = json.loads((NOTEBOOKS / "audit" / "claims.ipynb").read_text(encoding="utf-8"))
    found = ((cell["id"], output["data"]) for cell in notebook["cells"] for output in cell.get("outputs", []))
    return {name: data[CARD_MIME] for name, data in found if CARD_MIME in data}


def test_the_planted_forgery_is_shown_by_its_receipt_alone() -> None:
    key = KEYS.read_text(encoding="utf-8").splitlines()[-1]
    verdicts = {name: check_card(card, keys=[key]) for name, card in claims().items()}
    failed = {name: verdict.causes for name, verdict in verdicts.items() if verdict.status == "altered"}
    assert failed == {"code-06": ("receipt_of_another_card",)}
    assert len(verdicts) == 6
    bare = {**claims()["code-06"], "receipt": None}
    assert check_card(bare).status == "consistent"  # it agrees with itself
    stated = json.loads(base64.b64decode(claims()["code-06"]["receipt"]["envelope"]["payload"]))
    assert stated["predicate"]["digests"]["plan_hash"] == bare["digests"]["plan_hash"]
    assert stated["predicate"]["digests"]["result_hash"] != bare["digests"]["result_hash"]


def test_the_audit_finds_it_and_what_was_signed(run: Run) -> None:
    audit = run("audit")
    assert value(audit.notebook, 'if card["kind"] == "query"]') == [True] * 5
    found = text(audit.notebook, "found = %service_verify audit/claims.ipynb --key audit/claims.keys")
    assert "receipt_of_another_card" in found
    assert "5 verified, 1 altered" in found
    assert value(audit.notebook, 'signed(suspect)["digests"]["result_hash"]') is True
    assert audit.cards[-1]["view"]["rows"][0] == ["EV", "24.88804140561155", "3838"]


def test_the_report_of_the_audit_names_what_holds_and_what_does_not(run: Run) -> None:
    page = (run("audit").project / "audit-report.html").read_text(encoding="utf-8")
    assert "receipt_of_another_card" in page
    assert page.count("identical") >= 5
    assert "refused" in page


def test_the_agent_is_refused_narrows_and_leaves_what_verifies(run: Run) -> None:
    notebook = run("agents").notebook
    refused = value(notebook, "for told in refused]")
    assert refused == [("rejected", "field_not_available")] * 2
    assert value(notebook, 'told["rows"], told["truncated"]')[1] is False
    verified = value(notebook, "for result in map(auditor.get_result, ids)]")
    assert [kind for kind, _ in verified] == ["clarification", "query", "rejection", "rejection", "query", "query"]
    assert {status for _, status in verified} == {"verified"}
    assert value(notebook, "for card_id in answers]") == ["identical"] * 3
