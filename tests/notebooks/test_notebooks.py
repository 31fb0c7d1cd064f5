"""The notebooks that are shipped: they are stored without outputs, run as they stand, and say what their prose says."""

from __future__ import annotations

import ast
import os
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from service_nb.records.card import CARD_MIME
from service_nb.runtimes.provision import provision

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def run(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    provision()  # installed before, as on the machine of a user who has computed once
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(path, as_version=4)
    started = time.perf_counter()
    # In a folder of its own: a notebook finds nothing beside it, and leaves nothing there.
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(folder)}}).execute()
    assert time.perf_counter() - started < 60
    assert list(folder.iterdir()) == []
    return notebook


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def value(notebook: Any, ending: str) -> Any:
    """The value of the cell that ends in a line, as Python reads it."""
    (cell,) = [cell for cell in notebook.cells if cell.source.endswith(ending)]
    return ast.literal_eval(cell.outputs[-1]["data"]["text/plain"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_stored_notebook_is_valid_and_has_no_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert outputs(notebook) == []
    assert all(cell.get("execution_count") is None for cell in notebook.cells)


def test_quickstart_answers_asks_back_and_rejects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = run(ROOT / "notebooks" / "quickstart.ipynb", tmp_path, monkeypatch)
    cards = [output["data"][CARD_MIME] for output in outputs(notebook) if CARD_MIME in output.get("data", {})]
    statuses = [card["view"]["status"] for card in cards]
    assert statuses == ["ok"] * 5 + ["needs_clarification", "rejected"] + ["ok"] * 5 + ["rejected"]
    values = [card["canonical"]["value"] for card in cards if card["kind"] == "computation"]
    # The first by exact fractions, the others by pandas 3.1.1, which does not promise the last digits.
    assert float(values[0]) == 505.0201488969332
    assert float(values[1]) == -2.0
    assert float(values[2]) == pytest.approx(0.9148027588556977, rel=1e-12)
    # Departures of 2013 by origin, as the package of these data counts them.
    assert cards[1]["view"]["rows"] == [["EWR", "120835"], ["JFK", "111279"], ["LGA", "104662"]]
    assert sum("image/png" in output.get("data", {}) for output in outputs(notebook)) == 2
    assert not any(
        output["output_type"] in ("error", "stream") and output.get("name") == "stderr" for output in outputs(notebook)
    )


def test_why_exact_shows_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = run(ROOT / "notebooks" / "why_exact.ipynb", tmp_path, monkeypatch)
    hashes = value(notebook, "for name, values in orders.items()}")
    assert len(hashes) == 4
    assert len(set(hashes.values())) == 1
    changed = value(notebook, '"service_nb": changed(ours(frame, "stored"), ours(mixed, "mixed")),\n}')
    assert changed["service_nb"] == 0
    assert max(changed.values()) > 0
    wild = value(notebook, "for name, add in LIBRARIES.items()}}")
    assert wild["service_nb"] == wild["the truth"] == 1000.0
    misses = value(notebook, 'certified("distributions.binomial_cdf", trials) != judged)),\n}')
    assert misses["service_nb"] == 0
    assert misses["SciPy"] > 0
