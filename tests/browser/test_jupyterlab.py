"""Cards, sidebar and panel in a real JupyterLab, with a real kernel where one is needed, driven by a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service_nb.cli.main import main
from tests.browser import documents
from tests.browser.conftest import Specs
from tests.browser.jupyter import DEVICE, Server
from tests.simulators.evidence import AUTHOR


def test_a_notebook_made_in_jupyterlab_proves_its_numbers_to_whoever_opens_it(
    jupyterlab: Server, run_specs: Specs
) -> None:
    (jupyterlab.project / "sales.csv").write_text(documents.SALES_CSV, encoding="utf-8")
    run_specs("journey", jupyterlab)


def test_every_face_can_be_read_by_all_and_used_by_keyboard(
    jupyterlab: Server, run_specs: Specs, tmp_path: Path
) -> None:
    kinds = documents.kinds(tmp_path)
    documents.write(jupyterlab.project / "kinds.ipynb", documents.notebook(kinds.values()))
    documents.write(jupyterlab.project / "one.ipynb", documents.notebook([kinds["table"]]))
    documents.write(jupyterlab.project / "answer.servicecard.json", kinds["table"])
    run_specs("faces", jupyterlab)


def test_what_jupyterlab_saves_verifies(
    jupyterlab: Server, run_specs: Specs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cards = documents.odd_cards(tmp_path)
    path = documents.write(jupyterlab.project / "numbers.ipynb", documents.notebook(cards))
    before = path.read_bytes()
    run_specs("round-trip", jupyterlab)
    assert path.read_bytes() != before
    assert main(["verify", str(path), "--json", "--strict", "--key", DEVICE, "--key", AUTHOR.public_key]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == {"verified": len(cards), "incomplete": 0, "mismatch": 0}
