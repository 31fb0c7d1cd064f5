"""Notebooks altered without a key, in a real JupyterLab: what is verified is shown, and nothing else without a word.

What the verifiers say of all of them is compared in `tests/security/test_misplaced_cards.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from service_nb.client.verification import build_terms, verify_content
from service_nb.evidence.verdicts import FileReport
from tests.browser.conftest import Specs
from tests.browser.jupyter import Server
from tests.simulators import misplaced

SOME = 16  # of them, one is looked at where time counts
AT_ONCE = 25  # notebooks of one page of a browser
UNSEALED = {"not_sealed", "card_repeated", "card_out_of_order"}


@pytest.mark.parametrize("every", [SOME, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])
def test_what_jupyterlab_shows_is_what_was_verified(
    jupyterlab: Server,
    run_specs: Specs,
    tmp_path: Path,
    every: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    genuine = misplaced.genuine(tmp_path)
    texts = {"genuine": json.dumps(genuine)}
    texts |= {book.name: book.text for book in misplaced.mutants(genuine)[::every]}
    files = {f"misplaced-{at:03}.ipynb": name for at, name in enumerate(texts)}
    for file, name in files.items():
        (jupyterlab.project / file).write_text(texts[name], encoding="utf-8")
    seen: dict[str, Any] = {}
    for at in range(0, len(files), AT_ONCE):
        (jupyterlab.project / "misplaced.json").write_text(json.dumps([*files][at : at + AT_ONCE]), encoding="utf-8")
        run_specs("misplaced", jupyterlab)
        seen |= json.loads((jupyterlab.project / "misplaced.seen.json").read_text(encoding="utf-8"))
    terms = build_terms()
    reports = {file: verify_content(file, texts[name].encode(), terms) for file, name in files.items()}
    wrong = [f"{name}: {told}" for file, name in files.items() for told in differing(reports[file], seen[file])]
    opened = sum(bool(each["text"]) for each in seen.values())
    forged = sum(misplaced.FORGED in plain(each["text"]) for each in seen.values())
    with capsys.disabled():
        told = f"{opened} opened, {forged} show a forged number, {len(wrong)} without a word"
        print(f"\n{len(files) - 1} altered notebooks in JupyterLab: {told}")
    first = next(iter(files))
    assert reports[first].status == "verified"
    assert [mark for mark in seen[first]["verdicts"] if "Verified" in mark] == seen[first]["verdicts"]
    assert len(seen[first]["verdicts"]) == len(misplaced.NUMBERS)
    assert not wrong, "\n".join(wrong)


def differing(report: FileReport, seen: Mapping[str, Any]) -> Iterator[str]:
    """Say where a number is verified that is not shown, or another is shown without a word."""
    if not seen["text"]:
        return  # JupyterLab did not open it
    text = plain(seen["text"])
    verified = [each for each in report.verdicts if each.status == "verified" and each.subject in report.answers]
    for verdict in verified:
        answer = report.answers[verdict.subject]
        number = plain(answer["value"] if "value" in answer else str(answer["rows"][0][0]))
        if number not in text:
            yield f"{verdict.subject} is verified, and {number} is not shown"
    causes = {check.cause for verdict in report.verdicts for check in verdict.checks if check.status != "passed"}
    if misplaced.FORGED in text and report.status == "verified" and not causes & UNSEALED:
        yield "a forged number is shown"
    marks = sum("Verified" in line for line in seen["verdicts"])
    if not any(verdict.subject == "document" for verdict in report.verdicts) and marks != len(verified):
        yield f"{len(verified)} cards are verified, and {marks} say so in JupyterLab"


def plain(text: str) -> str:
    return text.replace(",", "")
