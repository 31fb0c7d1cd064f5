"""Every shipped notebook as it was saved: each card verifies, and each result is the same in a fresh process."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service_nb.client.verification import build_terms, verify_files
from tests.notebooks.shipped import Shipped, command, rewritten

Run = Callable[..., Shipped]
ALL = [
    pytest.param("quickstart", {}, id="quickstart"),
    pytest.param("why_exact", {}, id="why_exact"),
    pytest.param("teaching", {}, id="teaching"),
    pytest.param("audit", {}, id="audit"),
    pytest.param("report", {"month": "2013-01"}, id="report of January"),
    pytest.param("report", {"month": "2013-07", "late": "30"}, id="report of July", marks=pytest.mark.slow),
]
CARDS = {"quickstart": 17, "why_exact": 1, "teaching": 11, "audit": 1, "report": 15}


def test_a_front_end_rewrites_the_numbers_of_a_notebook() -> None:
    """The judge of what follows: a save through it is not the identity."""
    numbers = [1.0, -0.0, 1e22, 1e21, 1e-7, 2.5e-10, 5e-324, 1.7976931348623157e308, 0.1, 123456789012345680.0]
    saved = rewritten(json.dumps(numbers))
    assert saved != json.dumps(numbers)
    assert saved.startswith("[1,0,1e+22,1e+21,1e-7,")
    assert all(math.isclose(a, b, rel_tol=0) for a, b in zip(json.loads(saved), numbers, strict=True))


@pytest.mark.parametrize(("name", "parameters"), ALL)
def test_every_card_verifies_as_it_was_saved(name: str, parameters: dict[str, str], run: Run) -> None:
    shipped = run(name, **parameters)
    assert len(shipped.cards) == CARDS[name]
    report = verify_files([os.fspath(shipped.path)], build_terms(requires_signature=True))
    verdicts = [verdict for file in report.files for verdict in file.verdicts]
    assert len(verdicts) == CARDS[name]
    checks = [(verdict.subject, check) for verdict in verdicts for check in verdict.checks]
    assert [(subject, check) for subject, check in checks if check.status == "failed"] == []
    # Of columns with thousands of values a card keeps the hash alone; the signature covers it. None of them is sealed.
    unchecked = {(check.name, check.cause) for _, check in checks if check.status == "not_checkable"}
    assert unchecked <= {("input_hash", "text_not_kept"), ("cards", "not_sealed")}


@pytest.mark.parametrize(("name", "parameters"), ALL)
def test_every_result_is_the_same_in_a_fresh_process_with_a_copy_of_the_project(
    name: str, parameters: dict[str, str], run: Run, tmp_path: Path
) -> None:
    shipped = run(name, **parameters)
    copy = tmp_path / "copy"
    shutil.copytree(shipped.project, copy)
    replay = command(copy, "replay", shipped.path.name, "--json")
    replays = json.loads(replay.stdout)["replays"]
    assert len(replays) == CARDS[name]
    told = [each["status"] for card, each in zip(shipped.cards, replays, strict=True) if is_replayable(card)]
    assert set(told) == {"identical"}
    assert replay.returncode == 0 or len(told) < len(replays)


def is_replayable(card: Any) -> bool:
    """Whether there is anything to run again: not of a replay, nor of what a policy refused that is not set here."""
    reason = card["view"].get("rejection_reason") or ""
    return card["kind"] != "replay" and not reason.startswith("policy_denied")


def test_a_report_replays_from_the_notebook_and_its_data_alone(run: Run, tmp_path: Path) -> None:
    shipped = run("report", month="2013-01")
    shutil.copytree(shipped.project / "data", tmp_path / "data")
    shutil.copy(shipped.path, tmp_path)
    replay = command(tmp_path, "replay", shipped.path.name, "--json")
    assert replay.returncode == 0, replay.stderr
    assert json.loads(replay.stdout)["counts"]["identical"] == CARDS["report"]


def test_a_machine_verifies_the_report_as_its_exit_code_says(run: Run, tmp_path: Path) -> None:
    shipped = run("report", month="2013-01")
    copy = shutil.copy(shipped.path, tmp_path)
    assert command(tmp_path, "verify", Path(copy).name, "--require-signature", "--junit", "out.xml").returncode == 0
    assert "<testcase" in (tmp_path / "out.xml").read_text(encoding="utf-8")
    content = shipped.path.read_text(encoding="utf-8")
    assert '\\"count\\":9893' in content
    Path(copy).write_text(content.replace('\\"count\\":9893', '\\"count\\":9894', 1), encoding="utf-8")
    assert command(tmp_path, "verify", Path(copy).name).returncode == 1
