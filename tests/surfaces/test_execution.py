"""Notebooks run by machines: refusals let them go on, errors fail them and stay in the file."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from service_nb.client.verification import Terms, verify_content
from service_nb.schema.card import CARD_MIME
from tests.tools.programs import WITHOUT_IRIS

ROOT = Path(__file__).parents[2]
PATHS = os.pathsep.join([str(ROOT), str(WITHOUT_IRIS), os.environ.get("PYTHONPATH", "")])
SETUP = [
    "%load_ext service_nb",
    "rows = [{'region': 'north', 'revenue': 1.5}, {'region': 'south', 'revenue': 0.25}]\n%service_connect sales $rows",
]
REFUSED = ["%service_ask sum revenu from sales", "%service_ask sum region from sales"]
FAILS = [*SETUP, "%service_ask sum revenue bye region", "%service_ask count from sales"]
RUNNERS = {
    "nbconvert": ["nbconvert", "--to", "notebook", "--execute", "in.ipynb", "--output", "out.ipynb"],
    "papermill": ["papermill", "in.ipynb", "out.ipynb", "--no-progress-bar"],
}


@pytest.fixture(autouse=True)
def kernels_find_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", PATHS)


def notebook(cells: list[str]) -> Any:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return made


def statuses(ran: Any) -> list[str]:
    cards = (output.get("data", {}).get(CARD_MIME) for cell in ran.cells for output in cell.get("outputs", []))
    return [card["view"]["status"] for card in cards if card is not None]


def errors(ran: Any) -> list[tuple[str, str]]:
    outputs = (output for cell in ran.cells for output in cell.get("outputs", []))
    return [(output["ename"], output["traceback"][0]) for output in outputs if output["output_type"] == "error"]


def run_by(name: str, cells: list[str], folder: Path) -> tuple[int, Any]:
    nbformat.write(notebook(cells), folder / "in.ipynb")
    command = [sys.executable, "-m", *RUNNERS[name]]
    run = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False)
    written = folder / "out.ipynb"
    return run.returncode, nbformat.read(written, as_version=4) if written.exists() else None


def test_nbclient_fails_at_an_error_and_keeps_it(tmp_path: Path) -> None:
    ran = notebook(FAILS)
    with pytest.raises(CellExecutionError) as caught:
        NotebookClient(ran, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert caught.value.ename == "InvalidIntentError"
    ((ename, line),) = errors(ran)
    assert ename == "InvalidIntentError"
    assert line.startswith("invalid_intent: ")
    assert statuses(ran) == []


@pytest.mark.parametrize("runner", sorted(RUNNERS))
def test_runners_fail_at_an_error(runner: str, tmp_path: Path) -> None:
    code, ran = run_by(runner, FAILS, tmp_path)
    assert code != 0
    if ran is not None:  # papermill keeps the failed notebook, nbconvert writes none
        assert errors(ran)[0][0] == "InvalidIntentError"


ODD_SOURCES = [
    "%service_ask sum revenue by region from sales",
    "%%service_ask\n\nsum revenue from sales\n",
    "# Zürich 漢字\n%service_ask count from sales",
    "answer = %service_ask avg revenue from sales\nanswer\n\n",
]


def sources_stated(ran: Any) -> list[tuple[str, str]]:
    """The digest of each cell's source as the file has it, and the one that the card below it was signed with."""
    pairs = []
    for cell in ran.cells:
        for output in cell.get("outputs", []):
            card = output.get("data", {}).get(CARD_MIME)
            if card is not None:
                statement = json.loads(base64.b64decode(card["receipt"]["envelope"]["payload"]))
                stated = statement["predicate"]["place"]["source"]
                pairs.append((hashlib.sha256(cell.source.encode()).hexdigest(), stated))
    return pairs


@pytest.fixture(scope="module", params=["nbclient", *sorted(RUNNERS)])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A notebook with refusals and with odd cells, run by one of the runners, as its file has it."""
    folder, cells = tmp_path_factory.mktemp("ran"), [*SETUP, *REFUSED, *ODD_SOURCES]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SERVICE_DEVICE_KEY", base64.b64encode(bytes(range(32))).decode())
        patch.setenv("SERVICE_LEDGER", str(folder / "ledger"))
        patch.setenv("PYTHONPATH", PATHS)
        if request.param == "nbclient":
            nbformat.write(notebook(cells), folder / "in.ipynb")
            read = nbformat.read(folder / "in.ipynb", as_version=4)
            NotebookClient(read, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
            nbformat.write(read, folder / "out.ipynb")
            return nbformat.read(folder / "out.ipynb", as_version=4)
        code, made = run_by(request.param, cells, folder)
        assert code == 0
        return made


def test_runners_go_on_after_refusals(ran: Any) -> None:
    assert statuses(ran) == ["needs_clarification", "rejected", *["ok"] * len(ODD_SOURCES)]
    nbformat.validate(ran)


def test_each_card_states_the_hash_of_the_cell_as_the_file_has_it(ran: Any) -> None:
    pairs = sources_stated(ran)
    assert len(pairs) == len(REFUSED) + len(ODD_SOURCES)
    assert [saved for saved, _ in pairs] == [stated for _, stated in pairs]


SHOWN_ELSEWHERE = [
    "from IPython.display import display\nfrom service_nb import notebook",
    (
        "for metric in ('revenue', 'count'):\n"
        "    line = 'count from sales' if metric == 'count' else 'sum revenue by region from sales'\n"
        "    display(notebook.current().ask(line))"
    ),
    (
        "from ipywidgets import interact\n"
        "@interact(limit=(1, 2))\n"
        "def largest(limit=2):\n"
        "    display(notebook.current().ask(f'max revenue by region from sales limit {limit}'))"
    ),
    (
        "import ipywidgets\nout = ipywidgets.Output()\nwith out:\n"
        "    display(notebook.current().ask('min revenue from sales'))\ndisplay(out)"
    ),
    "%service_compute stats.mean values=sales.revenue --over region",
]


@pytest.fixture(scope="module")
def shown_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A notebook that shows results in loops, in `interact`, in an `Output` widget and over groups, as it is saved."""
    folder = tmp_path_factory.mktemp("elsewhere")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SERVICE_DEVICE_KEY", base64.b64encode(bytes(range(32))).decode())
        patch.setenv("SERVICE_LEDGER", str(folder / "ledger"))
        patch.setenv("PYTHONPATH", PATHS)
        ran = notebook([*SETUP, *SHOWN_ELSEWHERE])
        resources = {"metadata": {"path": str(folder)}}
        NotebookClient(ran, timeout_func=_limit_wait, resources=resources).execute()
    path = folder / "out.ipynb"
    nbformat.write(ran, path)
    return path.read_bytes()


def _limit_wait(cell: Any) -> int:
    """Return the seconds that nbclient waits for a cell; a computation may have to install the runtime first.

    What it sends to a widget can hide a reply that has come, until it looks again at the end of this time.
    """
    return 300 if "compute" in cell.source else 20


def test_whatever_shows_a_result_holds_its_card_and_every_card_is_verified(shown_elsewhere: bytes) -> None:
    verdicts = verify_content("out.ipynb", shown_elsewhere, Terms()).verdicts
    places = Counter(verdict.subject.partition(",")[0] for verdict in verdicts)
    assert places == {"cell 4": 2, "cell 7": 2, "widget 1": 1, "widget 2": 1}
    assert {verdict.causes for verdict in verdicts} == {()}
    for verdict in verdicts:
        checks = {check.name: check.status for check in verdict.checks}
        assert checks["faces"] == "passed"
        # What a slider ran belongs to no cell's source. A widget's place is left open by its layout.
        is_widget = verdict.subject.startswith("widget")
        assert checks.get("cell", "passed") == ("not_checkable" if is_widget else "passed")


def test_a_result_in_a_widget_that_was_altered_is_told(shown_elsewhere: bytes) -> None:
    altered = shown_elsewhere.replace(b"Smallest revenue", b"Largest revenue")
    assert altered != shown_elsewhere
    verdicts = verify_content("out.ipynb", altered, Terms()).verdicts
    assert [verdict.subject.partition(" ")[0] for verdict in verdicts if verdict.status == "altered"] == ["widget"]
