"""A check of a card is one record in `evidence/standalone.py`; whoever has to know it and does not is named here."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service_nb.evidence import standalone
from service_nb.evidence.documents import check_document
from service_nb.evidence.self_check import read_forgeries
from service_nb.evidence.standalone import CARD_CHECKS, KINDS
from service_nb.evidence.verdicts import CHECKS
from tests.tools.checks import PAGE, page_with_tables

ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "service_nb" / "evidence"
DIGESTS = list(dict.fromkeys([*(name for kind in KINDS.values() for name in kind[1]), "view_hash", "rows_hash"]))
MADE = ["form", *DIGESTS, *(check.name for check in CARD_CHECKS)]  # of a card, in their order


def words_in(*paths: Path) -> set[str]:
    """The texts between quotes in sources."""
    return {word for path in paths for word in path.read_text(encoding="utf-8").replace("'", '"').split('"')}


def in_vectors() -> set[str]:
    """The checks that some vector holds to pass, and another not to."""
    met: set[tuple[str, bool]] = set()
    for path in (ROOT / "tests" / "vectors" / "evidence").glob("*.json"):
        for case in json.loads(path.read_bytes()).get("cases", []):
            checks = [check for verdict in case.get("verdicts", []) for check in verdict["checks"]]
            met |= {(name, status == "passed") for name, status, _ in checks}
    return {name for name, _ in met if {(name, True), (name, False)} <= met}


def in_forgeries() -> set[str]:
    cases = read_forgeries()
    unknown = {"contract"}  # that a reader does not know a contract is no forgery
    return {case["expected"]["check"] for case in cases if case["expected"] is not None} | unknown


def in_the_third_program() -> set[str]:
    tree = ast.parse((ROOT / "tests" / "simulators" / "recomputed.py").read_text(encoding="utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {word for text in texts for word in text.split()}


CONSUMERS: dict[str, Callable[[], set[str]]] = {
    "service_nb/evidence/catalogue.json": lambda: set(CHECKS),
    "docs/handbook/verifying.md": lambda: {
        row.split("`")[1] for row in PAGE.read_text().splitlines() if row[:3] == "| `"
    },
    "typescript/packages": lambda: words_in(*(ROOT / "typescript" / "packages").glob("*/src/**/*.ts")),
    "labextension": lambda: words_in(*(ROOT / "labextension" / "src").rglob("*.ts")),
    "tests/vectors/evidence": in_vectors,
    "service_nb/evidence/forgeries.jsonl": in_forgeries,
    "tests/simulators/recomputed.py": in_the_third_program,
}


@pytest.mark.parametrize("consumer", CONSUMERS)
def test_every_check_of_a_card_is_known_to(consumer: str) -> None:
    known = CONSUMERS[consumer]()
    assert [name for name in MADE if name not in known] == []


def test_the_catalogue_has_the_checks_of_a_card_in_their_order() -> None:
    assert [name for name in CHECKS if name in MADE] == MADE


def test_genuine_evidence_meets_every_check_and_no_other() -> None:
    met: dict[str, Any] = {}
    for case in (each for each in read_forgeries() if each["name"].startswith("genuine_")):
        content = case["document"] if isinstance(case["document"], str) else json.dumps(case["document"])
        verdicts = check_document(content.encode(), keys=case["keys"], contracts=case["contracts"])
        met |= {check.name: None for verdict in verdicts for check in verdict.checks}
    beside = {"faces", "cell", "ledger", "remembered"}  # what needs more than the document
    assert set(met) == set(CHECKS) - beside
    assert set(MADE) <= set(met)


def test_the_handbook_has_the_tables_of_the_catalogue() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page_with_tables(page) == page, "run: python -m tests.tools.checks"


def test_a_check_that_needs_a_receipt_comes_after_the_signature() -> None:
    names = [check.name for check in standalone.CARD_CHECKS]
    assert all(names.index(each.name) > names.index("signature") for each in CARD_CHECKS if each.needs_receipt)
