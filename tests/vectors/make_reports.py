"""Write the vectors of reports: `python -m tests.vectors.make_reports`, from the repository's root.

Each case is a report as `service-nb verify --json` prints it, and the SHA-256 of its page. They hold the command and
the sidebar to one page, byte for byte; that the page says what is true of a report, the tests of the page say.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from service_nb.evidence.report_pages import write_report as to_html
from service_nb.evidence.standalone import Check, Verdict
from service_nb.evidence.verdicts import FileReport, Report, to_dict
from service_nb.schema.reports import CardSigner, ShownAnswer
from tests.vectors import faces_cards

FILE = Path(__file__).parent / "reports.json"
ANSWERS = (
    ShownAnswer(
        heads=["region", "sum"], aligned=["left", "point"], rows=[["north", "1.50"], ["", "-10"]], note="2 rows"
    ),
    ShownAnswer(value="1,500.6", note="revenue"),
    ShownAnswer(text="Nothing to show: the result has no rows."),
)
KEYS = ("3Q3tn217Fs+GSfmxB4KItxuLP90Mm22xUzvwTZCMyiA=", "Dhtx7Dy12w2Md/GeUwAUhb9n4xrHEPHiifmr4B3YnaA=")
CONDITIONS = {"service_nb": "0.1.0", "verified": "2026-01-02T03:04:05Z", "trusted_keys": [f"{KEYS[0]} you"], "none": []}


def reports() -> Iterator[tuple[str, Report]]:
    """Yield reports of every status, and odd texts in every place."""
    held = Check(name="form", status="passed")
    signed = Check(name="signer", status="passed", message="signed by you")
    statuses = {
        "verified": (held, signed),
        "unaltered": (held, Check(name="signer", status="not_checkable", cause="unknown_signer", message="of nobody")),
        "consistent": (held, Check(name="signature", status="not_checkable", cause="unsigned")),
        "not checkable": (held, Check(name="cell", status="not_checkable", cause="cell_edited", message="Edited.")),
        "altered": (held, Check(name="faces", status="failed", cause="face_differs", message="The text/html differs.")),
        "of an unknown cause": (Check(name="of_another", status="failed", cause="nobody_knows"),),
    }
    for name, checks in statuses.items():
        yield name, report(file(Verdict(subject="cell 1, output 1", checks=checks)))
    both = [Verdict(subject=f"cell {at}, output 1", checks=checks) for at, checks in enumerate(statuses.values(), 1)]
    yield "all of them", report(file(*both))
    yield "strict", Report(files=(file(*both),), conditions=CONDITIONS, strict=True)
    for name in ("-rf.ipynb", "a'; rm -rf ~.ipynb", "plain/of-all_kinds.ipynb", "ü b.ipynb"):
        yield f"of {name}", report(replace(file(), name=name))
    yield "nothing", report()
    yield "a file without verdicts", report(FileReport(name="empty.ipynb", verdicts=()))
    for text in [*faces_cards.TEXTS, "`code`, not `closed", "'\"&<>"]:
        yield f"with {text}", report(everywhere(text))


def report(*files: FileReport) -> Report:
    return Report(files=files, conditions=CONDITIONS)


def file(*verdicts: Verdict) -> FileReport:
    subjects = [verdict.subject for verdict in verdicts]
    ids = [at % 2 for at in range(9)]
    signers = [CardSigner(key=KEYS[id_], id=f"{id_:016x}", name=("", "you")[id_], trusted=id_ == 1) for id_ in ids]
    return FileReport(
        name="a folder/report.ipynb",
        verdicts=verdicts,
        words=dict.fromkeys(subjects, "Sum of revenue by region in sales"),
        answers={subject: ANSWERS[at % 3] for at, subject in enumerate(subjects) if at != 4},
        signers=dict(zip(subjects, signers, strict=False)),
        sha256="ab" * 32,
    )


def everywhere(text: str) -> FileReport:
    checks = (
        Check(name=text or "x", status="failed", cause=text or "x", message=text),
        Check(name="cell", status="not_checkable", cause=f"{text}2", message=text),
    )
    answer = ShownAnswer(heads=[text], aligned=["left"], rows=[[text]], value=text, text=text, note=text)
    signer = CardSigner(key=text or "x", id=text, name=text, trusted=False)
    verdict = Verdict(subject=text, checks=checks)
    return FileReport(
        name=text, verdicts=(verdict,), words={text: text}, answers={text: answer}, signers={text: signer}, sha256=text
    )


def cases() -> Iterator[dict[str, Any]]:
    """Yield a case for each report."""
    for name, each in reports():
        yield {"name": name, "report": to_dict(each), "sha256": hashlib.sha256(to_html(each).encode()).hexdigest()}


def main() -> None:
    lines = ",\n".join(json.dumps(case, ensure_ascii=True) for case in cases())
    FILE.write_text(f'{{"cases": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
