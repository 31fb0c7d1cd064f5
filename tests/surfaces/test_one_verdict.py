"""One verdict in every place, word for word, over one set of notebooks: what is right of each is said beside it.

Compared with the command are `%service_verify` in a session, a card by itself, both audit reports, the sidebar and the
standalone program. JupyterLab itself, its models and its pages, is looked at in `tests/browser`.
"""

from __future__ import annotations

import copy
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from service_nb import create_service
from service_nb.cli.main import main
from service_nb.client.user_keys import TrustedKey, trust
from service_nb.client.verification import Terms, build_terms, verify_card
from service_nb.evidence import standalone
from service_nb.evidence.documents import find_cards, find_outputs
from service_nb.evidence.report_pages import write_page as page
from service_nb.evidence.standalone import Check, Verdict
from service_nb.evidence.verdicts import describe_verdict
from service_nb.schema.card import CARD_MIME
from tests.browser.documents import client, kinds
from tests.simulators.notebooks import DEVICE_KEY, NAMES, READER, Notebook, notebook, notebooks
from tests.surfaces.conftest import Session
from tests.tools.node import built, node

Json = dict[str, Any]
SCRIPT = Path(__file__).parents[1] / "tools" / "verdicts.mjs"
ROW = re.compile(r'<tr><td class="(\w+)">\S+ (.*?)</td><td class="where">(.*?)</td>')
FORMS = ("North", "South", "West")
AROUND = ("faces", "cell")  # the checks of what stands around a card
UNCALLED = {"text_not_kept", "rows_not_kept", "unsigned", "unknown_signer", "not_sealed", "card_repeated"}
UNCALLED |= {"card_out_of_order"}  # causes that leave a verdict as it is


class Told(NamedTuple):
    """A verdict as a place tells it."""

    subject: str
    status: str
    headline: str


class Asked(NamedTuple):
    """A notebook in its file; what the command says of it, whole, and what the extension says."""

    path: Path
    book: Notebook
    report: Json
    extension: Json

    @property
    def verdicts(self) -> Sequence[Json]:
        """The verdicts of the command."""
        return list(self.report["files"][0]["verdicts"])


@pytest.fixture
def reader(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Terms:
    """A reader with a key of his own, who trusts two others."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path_factory.mktemp("reader")))
    monkeypatch.setenv("SERVICE_DEVICE_KEY", DEVICE_KEY)
    trust(TrustedKey(key, name) for key, name in NAMES.items())
    return build_terms()


def test_every_place_tells_the_same_verdict_in_the_same_words(
    reader: Terms, session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reader.own == READER.public_key
    books = notebooks(cards(tmp_path))
    assert len(books) >= 40
    asked = ask(books, reader, tmp_path)

    wrong = [f"{each.book.name}: {met}" for each in asked if (met := unlike(each.book.expected, each.verdicts))]
    assert not wrong, "\n".join(wrong)
    differences = [told for each in asked for told in compared(each, reader, session)]
    verdicts = sum(len(each.verdicts) for each in asked)
    faces = sum(len(data) - 1 for each in asked for data in shown(each) if CARD_MIME in data)
    with capsys.disabled():
        counts = f"{len(books)} notebooks, {verdicts} verdicts, {faces} faces, {len(differences)} differences"
        print(f"\none verdict in every place: {counts}")
    assert not differences, "\n".join(differences)


def test_a_result_tells_of_itself_what_the_command_tells_of_its_notebook(reader: Terms, tmp_path: Path) -> None:
    with client(tmp_path) as service, create_service(runtime="in_process") as unrecorded:
        results: list[Any] = [each.compute("finance.npv rate=0.1 cashflows=[-9,5,7]") for each in (service, unrecorded)]
        for each in (service, unrecorded):
            each.connect([{"group": "one", "value": 1.5}], name="few")
            results.append(each.ask("sum value by group from few"))
        (tmp_path / "results.ipynb").write_bytes(Notebook("", notebook(*(each.card for each in results)), ()).content)
        verdicts = json.loads(printed(main, ["verify", "results.ipynb", "--json"]))["files"][0]["verdicts"]
        assert [describe_verdict(each.verify()) for each in results] == [each["headline"] for each in verdicts]
    assert {each["headline"] for each in verdicts} == {
        "Verified · signed by you",
        "Consistent, unsigned: anyone can have made it",
    }


QUESTIONS = [
    "count where (region = 'North' or region = 'South') and year >= 2020",
    "sum revenue by region where year = 2019 or year in (2020, 2021) and (revenue > 1 or region is null)",
    "sum revenue, count by region where year > 0 having (sum revenue >= 1.5 or count in (2, 3)) and count != 9 limit 2",
    "max region by year having max region starts with 'N' or max region is null",
    "percentile 90 of revenue, sum revenue by region having percentile 90 of revenue between 0.5 and 3.5",
]


def test_a_question_of_every_form_verifies_in_every_place(reader: Terms, tmp_path: Path) -> None:
    rows = [{"region": region, "year": 2018 + at, "revenue": at + 0.5} for at, region in enumerate([*FORMS, None])]
    with client(tmp_path) as service:
        service.connect(rows, name="sales")
        made: list[Any] = [service.ask(line) for line in QUESTIONS]
        assert [each["status"] for each in made] == ["ok"] * len(QUESTIONS)
        assert all(each.replay()["status"] == "identical" for each in made)
        refused: list[Any] = [service.ask(line.replace("year", "yeer")) for line in QUESTIONS]
        bound: Any = service.compute("stats.mean values=sales.revenue where year = 2020 or region = 'North'")
        shown = [each.card for each in (*made, *refused, bound)]
    told = copy.deepcopy(shown)
    for each in told:
        each["view"]["question"] += " and so on"
    moved = copy.deepcopy([each.card for each in made if each.card["view"]["rows"]])
    for each in moved:
        each["view"]["rows"][0][-1] += "0"
    kinds_of = {"as made": (shown, "verified"), "retold": (told, "altered"), "with another row": (moved, "altered")}
    books = [Notebook(name, notebook(*held), ()) for name, (held, _) in kinds_of.items()]
    for asked, (held, status) in zip(ask(books, reader, tmp_path), kinds_of.values(), strict=True):
        of_cards = [each["status"] for each in asked.verdicts]
        assert of_cards == [status] * len(held)
        assert [each["status"] for each in asked.extension["document"]] == of_cards


def cards(folder: Path) -> Mapping[str, Json]:
    """Real cards of every kind, and one whose result was too large for it."""
    with client(folder) as service:
        service.connect([{"group": f"group {at:06}", "value": at} for at in range(9_000)], name="many")
        capped: Any = service.ask("sum value by group from many").card
    assert "result" not in capped["canonical"]
    made: Any = kinds(folder)
    return {**made, "capped": capped}


def ask(books: Sequence[Notebook], reader: Terms, folder: Path) -> list[Asked]:
    """Write the notebooks and ask the command, then the extension, which makes a page of the command's report too."""
    paths = [folder / f"{at:02}.ipynb" for at in range(1, len(books) + 1)]
    for path, book in zip(paths, books, strict=True):
        path.write_bytes(book.content)
    reports = [json.loads(printed(main, ["verify", path.name, "--json"])) for path in paths]
    lines = [
        {"name": path.name, "text": book.content.decode(), "sha256": report["files"][0]["sha256"], "report": report}
        for path, book, report in zip(paths, books, reports, strict=True)
    ]
    names = {key: name for key, name in reader.trusted.items() if key != reader.own}
    terms = {"keys": list(reader.trusted), "own": [reader.own], "contracts": reader.contracts, "names": names}
    built()
    answers = json.loads(node(SCRIPT, stdin=json.dumps(terms | {"notebooks": lines}).encode()))
    return [Asked(*each) for each in zip(paths, books, reports, answers, strict=True)]


def unlike(expected: Sequence[str], verdicts: Sequence[Json]) -> str:
    """Say what was met where it is not what is right; the cause is that of the first check that decides."""
    met = [f"{each['status']}: {_cause(each)}" if _cause(each) else each["status"] for each in verdicts]
    is_right = len(met) == len(expected) and all(
        now == right or now.startswith(f"{right}: ") for now, right in zip(met, expected, strict=True)
    )
    return "" if is_right else f"{met}, where {list(expected)} is right"


def _cause(verdict: Json) -> str | None:
    decides = {"altered": "failed", "not_checkable": "not_checkable"}.get(verdict["status"])
    causes = [check["cause"] for check in verdict["checks"] if check["status"] == decides]
    return next((cause for cause in causes if decides == "failed" or cause not in UNCALLED), None)


# --- the places -------------------------------------------------------------------------------------------------------


def compared(asked: Asked, reader: Terms, session: Session) -> Iterator[str]:
    """Yield in what a place differs from the command."""
    right, extension = told(asked.verdicts), asked.extension
    listed: Any = session.run(f"%service_verify {asked.path.name}")
    whole = page(asked.report)
    places = {
        "%service_verify": told(listed),
        "what %service_verify shows": [*in_table(listed)],
        "the page of the command": in_page(whole),
        "the page of the sidebar": in_page(extension["page"]),
        "a notebook judged by the extension": told(extension["document"]),
    }
    for place, met in places.items():
        yield from differing(asked, place, right, met)
    if whole != extension["pageOfCommand"]:
        yield f"{asked.book.name}: the page of one report is another in Python and in TypeScript"
    yield from in_sidebar(asked, right)
    yield from alone(asked, reader)
    yield from by_standalone(asked, reader)


def differing(asked: Asked, place: str, right: Sequence[Told], met: Sequence[Told]) -> Iterator[str]:
    if list(right) != list(met):
        yield f"{asked.book.name}: {place}: {list(met)}, where the command says {list(right)}"


def told(verdicts: Sequence[Json]) -> list[Told]:
    return [Told(each["subject"], each["status"], each["headline"]) for each in verdicts]


def in_table(listed: Any) -> Iterator[Told]:
    """The rows that a session shows of verdicts, as their Markdown has them."""
    shown = listed._repr_mimebundle_()[0]["text/markdown"].replace("\\", "")
    for each in told(listed):
        if re.search(rf"\| {re.escape(each.subject)} +\|.*\| {re.escape(each.headline)} +\|", shown):
            yield each


def in_page(text: str) -> list[Told]:
    return [Told(unescape(subject), status, unescape(said)) for status, said, subject in ROW.findall(text)]


def in_sidebar(asked: Asked, right: Sequence[Told]) -> Iterator[str]:
    """Compare the list of the sidebar, of code cells alone, and its line about the seal, which has words of its own."""
    met = asked.extension
    if met["sidebar"] is None:
        return
    code = [at for at, cell in enumerate(asked.book.document["cells"], 1) if cell["cell_type"] == "code"]
    below_cells = [each for each in right if each.subject.startswith(tuple(f"cell {at}, " for at in code))]
    yield from differing(asked, "the sidebar", below_cells, told(met["sidebar"]))
    seal = next((each.status for each in right if each.subject == "index"), None)
    if met["seal"] != seal:
        yield f"{asked.book.name}: the sidebar says of the seal {met['seal']}, where the command says {seal}"


def alone(asked: Asked, reader: Terms) -> Iterator[str]:
    """Compare each card by itself, where neither its faces nor its cell decide."""
    if asked.verdicts[0]["subject"] in ("document", "notebook"):
        return
    by_subject = {each["subject"]: each for each in asked.verdicts}
    for placed in find_cards(asked.book.document):
        whole = by_subject[placed.subject]
        if any(check["check"] in AROUND and check["status"] != "passed" for check in whole["checks"]):
            continue
        met = verify_card(placed.card, reader, subject=placed.subject)
        yield from differing(
            asked, "a card by itself", told([whole]), [Told(met.subject, met.status, describe_verdict(met))]
        )


def by_standalone(asked: Asked, reader: Terms) -> Iterator[str]:
    """Compare statuses. The standalone program leaves faces open, and says so of a notebook with faces."""
    keys = [part for key in reader.trusted for part in ("--key", key)]
    known = [part for contract in reader.contracts for part in ("--contract", contract)]
    found = json.loads(printed(standalone.main, [str(asked.path), *keys, *known, "--json"]))
    met = {each["subject"]: each["status"] for each in found}
    judged = [each for each in asked.verdicts if each["checks"][0]["cause"] != "no_cards"]
    right = {each["subject"]: status_by_itself(each) for each in judged}
    if any(CARD_MIME in data and len(data) > 1 for data in shown(asked)):
        right["faces"] = "not_checkable"
    if met != right:
        yield f"{asked.book.name}: the standalone program says {met}, where the command says {right}"


def status_by_itself(verdict: Json) -> str:
    """Return the status that a verdict has without the comparison of faces."""
    checks = [
        Check(name=each["check"], status=each["status"], cause=each["cause"])
        for each in verdict["checks"]
        if each["check"] != "faces" or each["cause"] == "card_missing"
    ]
    return Verdict(subject=verdict["subject"], checks=tuple(checks)).status


def shown(asked: Asked) -> list[Mapping[str, Any]]:
    """Return the data that outputs of a notebook show."""
    is_read = asked.verdicts[0]["subject"] != "document"
    return [each.data for each in find_outputs(asked.book.document) if each.is_shown] if is_read else []


def printed(command: Callable[[list[str]], int], arguments: list[str]) -> str:
    """Run a command in this process and return what it prints."""
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as screen:
        command(arguments)
        screen.seek(0)
        return screen.read()
