"""Without any key, a sealed notebook is made to show another number, and no verifier says that it is verified.

What JupyterLab shows of the same notebooks is looked at in `tests/browser/test_misplaced_cards.py`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service_nb.client.verification import build_terms, verify_content
from service_nb.evidence.standalone import UNDECIDING
from tests.simulators import foreign, misplaced
from tests.simulators.misplaced import Misplaced
from tests.simulators.verifiers import Said, by_python, by_standalone, by_typescript, causes_of, status_of
from tests.tools.node import built, node

SCRIPT = Path(__file__).parents[1] / "tools" / "verdicts.mjs"
UNSEALED = {"not_sealed", "card_repeated", "card_out_of_order"}


@pytest.fixture(scope="module")
def genuine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return misplaced.genuine(tmp_path_factory.mktemp("genuine"))


def test_no_verifier_is_silent_about_a_number_that_is_not_the_cards(
    genuine: dict[str, Any], record_property: Callable[[str, object], None], capsys: pytest.CaptureFixture[str]
) -> None:
    terms, books = build_terms(), misplaced.mutants(genuine)
    assert len(books) >= 100
    assert len({book.name for book in books}) == len(books)
    whole = json.dumps(genuine)
    assert verify_content("genuine.ipynb", whole.encode(), terms).status == "verified"
    assert in_lab([whole], terms) == ["verified"]

    contents = [book.text.encode() for book in books]
    keys, contracts = list(terms.trusted), list(terms.contracts)
    others = by_typescript(contents, keys, contracts)
    wrong, causes = [], Counter[str]()
    for book, content, by_node, lab in zip(
        books, contents, others, in_lab([book.text for book in books], terms), strict=True
    ):
        report = verify_content(book.name, content, terms)
        said = by_python(content, keys, contracts)
        if not said == by_standalone(content, keys, contracts) == by_node:
            wrong.append(f"{book.name}: the verifiers say different things")
        met = {check.cause for verdict in report.verdicts for check in verdict.checks if check.status != "passed"}
        causes.update(str(cause) for cause in met)
        if is_silent(book, report.status, met):
            wrong.append(f"{book.name}: the command is silent")
        if lab != report.status:
            wrong.append(f"{book.name}: JupyterLab's extension says {lab}, the command {report.status}")
        alone = said if " beside the card" in book.name else without_faces(said)  # else these decide, which are open
        if is_silent(book, status_of(alone), causes_of(alone)):
            wrong.append(f"{book.name}: the verifiers alone are silent")
    record_property("bad_inputs", len(books))
    with capsys.disabled():
        told = ", ".join(f"{count} {cause}" for cause, count in causes.most_common())
        print(f"\n{len(books)} altered notebooks, {len(wrong)} without a word ({told})")
    assert not wrong, "\n".join(wrong)


def is_silent(book: Misplaced, status: str, causes: set[Any]) -> bool:
    return status == "verified" and (book.is_sealed or not causes & UNSEALED)


def without_faces(said: Said) -> Said:
    return [verdict for verdict in said if [name for name, _, _ in verdict] != ["faces"]]


def in_lab(texts: list[str], terms: Any) -> list[str]:
    """What the extension of JupyterLab comes to for each notebook."""
    built()
    lines = [{"name": f"{at}.ipynb", "text": text, "sha256": None, "report": None} for at, text in enumerate(texts)]
    asked = {
        "keys": [*terms.trusted],
        "own": [terms.own],
        "contracts": terms.contracts,
        "names": {},
        "notebooks": lines,
    }
    answers = json.loads(node(SCRIPT, stdin=json.dumps(asked).encode()))
    ranked = ("altered", "not_checkable", "consistent", "unaltered", "verified")
    return [min((each["status"] for each in answer["document"]), key=ranked.index) for answer in answers]


def test_honest_notebooks_of_other_tools_are_not_accused(
    genuine: dict[str, Any], record_property: Callable[[str, object], None], capsys: pytest.CaptureFixture[str]
) -> None:
    terms = build_terms()
    books = foreign.notebooks([cell for cell in genuine["cells"] if cell["cell_type"] == "code"])
    keys, contracts = list(terms.trusted), list(terms.contracts)
    assert len(books) >= 60
    accused, counts = [], Counter[str]()
    contents = [json.dumps(book).encode() for _, book, _ in books]
    for (name, _, count), content, other in zip(books, contents, by_typescript(contents, keys, contracts), strict=True):
        report = verify_content(name, content, terms)
        counts[report.status] += 1
        met = [verdict.status for verdict in report.verdicts]
        if "altered" in (report.status, status_of(by_standalone(content, keys, contracts)), status_of(other)):
            accused.append(f"{name}: {[(each.subject, each.causes) for each in report.verdicts if each.causes]}")
        if met.count("verified") != count:
            accused.append(f"{name}: {count} cards were put in, the verdicts are {met}")
    record_property("honest", len(books))
    with capsys.disabled():
        print(f"\n{len(books)} honest notebooks of other tools, {len(accused)} accused ({dict(counts)})")
    assert not accused, "\n".join(accused)


def test_what_a_notebook_without_a_seal_does_not_say_leaves_a_card_as_it_is() -> None:
    assert UNSEALED <= UNDECIDING
