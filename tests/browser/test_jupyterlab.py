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
