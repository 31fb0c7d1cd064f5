"""Execute `notebooks/deployment.ipynb` and store it with its outputs, which verify where there is no database.

It is signed by a key that is drawn here and thrown away; its public half is published beside the notebook.
"""

from __future__ import annotations

import base64
import os
import shutil
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

from service_nb.cli.main import main as command
from service_nb.client.user_keys import INJECTED, require_device

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOK = NOTEBOOKS / "deployment.ipynb"
KEYS = NOTEBOOKS / "deployment.keys"


def main() -> int:
    """Execute, check, write."""
    os.environ[INJECTED] = base64.b64encode(os.urandom(32)).decode()
    keys = f"# The key of who executed deployment.ipynb.\n{require_device().public_key}\n"
    KEYS.write_text(keys, encoding="utf-8")
    notebook = executed()
    found = [word for word in (str(Path.home()), tempfile.gettempdir(), str(NOTEBOOKS)) if word in str(notebook)]
    if found:
        raise SystemExit(f"The outputs name folders of this machine: {found}")
    nbformat.write(notebook, NOTEBOOK)
    return command(["verify", os.path.relpath(NOTEBOOK), "--strict", "--key", os.path.relpath(KEYS)])


def executed() -> nbformat.NotebookNode:
    """Run it in a project of its own, with the data; leave out what is of this run alone."""
    notebook: nbformat.NotebookNode = nbformat.read(NOTEBOOK, as_version=4)
    with tempfile.TemporaryDirectory() as project:
        shutil.copytree(NOTEBOOKS / "data", Path(project) / "data")
        NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=300,
            resources={"metadata": {"path": project}},
            config=Config(KernelManager={"transport_encryption": "auto"}),  # as in run.py
        ).execute(env={**os.environ, "SERVICE_LEDGER": str(Path(project) / ".service")})
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


if __name__ == "__main__":
    sys.exit(main())
