"""The notebook with a database: run against a real PostgreSQL and a real deployment, and as it is stored."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

import nbformat

from service_nb.client.verification import build_terms, verify_files
from service_nb.schema.card import CARD_MIME
from tests.notebooks.shipped import NOTEBOOKS, Shipped, command

Run = Callable[..., Shipped]
STORED = NOTEBOOKS / "deployment.ipynb"
KEYS = NOTEBOOKS / "deployment.keys"
STATUSES = ["ok", "needs_clarification", "rejected", "ok", "ok", "rejected", "identical", "differs"]
TRUTH = "3534544.65"  # by exact fractions: 27,004 distances of the file at 0.13 each; what was booked twice cancels


def stored() -> Any:
    notebook = nbformat.read(STORED, as_version=4)
    nbformat.validate(notebook)
    return notebook


def cards_of(notebook: Any) -> list[Any]:
    outputs = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    return [data[CARD_MIME] for data in outputs if CARD_MIME in data]


def results(cards: list[Any]) -> list[Mapping[str, str]]:
    """What does not depend on who asked, and when: the hashes of questions, refusals and values."""
    kept = ("plan_hash", "result_hash", "refusal_hash", "invocation_hash", "computation_hash")
    return [{name: card["digests"][name] for name in kept if name in card["digests"]} for card in cards]


def last(notebook: Any, name: str) -> Any:
    (cell,) = [cell for cell in notebook.cells if cell.id == name]
    return cell.outputs[-1]


# --- as it is stored --------------------------------------------------------------------------------------------------


def test_every_stored_card_verifies_strictly_with_the_published_key() -> None:
    report = verify_files([os.fspath(STORED)], build_terms([os.fspath(KEYS)]), strict=True)
    verdicts = [verdict for file in report.files for verdict in file.verdicts]
    assert [verdict.status for verdict in verdicts] == ["verified"] * len(STATUSES)


def test_the_stored_outputs_are_those_of_one_run_without_an_error() -> None:
    counts = [cell.execution_count for cell in stored().cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    outputs = [output for cell in stored().cells for output in cell.get("outputs", [])]
    assert [each for each in outputs if each["output_type"] == "error" or each.get("name") == "stderr"] == []


def test_the_stored_outputs_hold_no_folder_no_address_and_no_key() -> None:
    told = json.dumps([cell.get("outputs", []) for cell in stored().cells])
    assert [word for word in ("/tmp/", "/home/", "/root/", "/Users/", "127.0.0.1", "snb_") if word in told] == []


# --- as it runs now ---------------------------------------------------------------------------------------------------


def test_a_run_has_the_results_that_are_stored(run: Run) -> None:
    shipped = run("deployment")
    assert [card["view"]["status"] for card in shipped.cards] == STATUSES
    # Of a computation the contract is part of the hash, and it may have grown since; its value may not change.
    now, then = results(shipped.cards), results(cards_of(stored()))
    assert [each for each in now if "computation_hash" not in each] == [
        each for each in then if "computation_hash" not in each
    ]
    values = [[card["canonical"].get("value") for card in cards] for cards in (shipped.cards, cards_of(stored()))]
    assert values[0] == values[1]


def test_every_card_of_a_run_verifies(run: Run) -> None:
    shipped = run("deployment")
    report = verify_files([os.fspath(shipped.path)], build_terms(requires_signature=True))
    verdicts = [verdict for file in report.files for verdict in file.verdicts]
    assert [check for verdict in verdicts for check in verdict.checks if check.status == "failed"] == []


def test_the_database_has_another_sum_and_the_deployment_the_true_one(run: Run) -> None:
    notebook = run("deployment").notebook
    plain = ast.literal_eval(last(notebook, "plain")["data"]["text/plain"])
    assert len(set(plain)) == len(plain)
    assert float(TRUTH) not in plain
    (total,) = [card for card in run("deployment").cards if card["view"].get("ask", "").startswith("sum cost")]
    assert total["view"]["rows"][0][0] == TRUTH
    assert "limbs" in total["view"]["method"]
    assert total["view"]["engine"].startswith("postgres ")


def test_file_and_database_have_one_hash(run: Run) -> None:
    lines = last(run("deployment").notebook, "same")["text"].split("\n")
    (first, _, database), (second, _, engine) = (line.partition(" ") for line in lines[:2])
    assert first == second
    assert (database.split()[0], engine.split()[0]) == ("postgres", "duckdb")


def test_what_changed_is_named(run: Run) -> None:
    changed = run("deployment").cards[-1]["view"]
    assert changed["cause"] == "live_source"
    assert [row[0] for row in changed["rows"]] == ['row 4 (carrier "F9"), arr_delay']


def test_its_servers_have_ended_and_their_folder_is_gone(run: Run) -> None:
    # The folder is removed when both have ended.
    assert last(run("deployment").notebook, "stop")["data"]["text/plain"] == "False"


def test_away_from_the_deployment_a_replay_says_what_it_lacks(run: Run) -> None:
    shipped = run("deployment")
    replays = json.loads(command(shipped.project, "replay", shipped.path.name, "--json").stdout)["replays"]
    told = [(each["status"], each["cause"]) for each in replays]
    assert told == [("refused", "source_missing")] * 6 + [("refused", "not_replayable")] * 2
