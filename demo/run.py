"""Log in, install the managed runtime, execute the quickstart notebook, and print its answers as text.

Writes the executed notebook and an HTML report. The device key and the runtime go below `build/demo/home`, not into the
home folder of whoever looks at a demo.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter
from traitlets.config import Config

from service_nb.cli.main import main as service_nb
from service_nb.schema.card import CARD_MIME

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = ROOT / "notebooks" / "quickstart.ipynb"
RESULTS = ROOT / "build" / "demo"
HOME = RESULTS / "home"
RULE = "─" * 100


def main() -> int:
    """Run the demo and return its exit code."""
    os.environ["SERVICE_HOME"] = str(HOME)
    for command in (["login"], ["runtime", "install"]):
        print(f"\n$ service-nb {' '.join(command)}", flush=True)
        if service_nb(command) != 0:
            return 1
    print(f"\nExecuting {NOTEBOOK.relative_to(ROOT)} ...", flush=True)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=600,
        resources={"metadata": {"path": NOTEBOOK.parent}},
        config=Config(KernelManager={"transport_encryption": "auto"}),  # other users of the machine cannot listen
    )
    try:
        client.execute()
    except CellExecutionError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        service_nb(["runtime", "stop"])
        RESULTS.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, RESULTS / NOTEBOOK.name)
    for asked, answer in answers(notebook):
        print(f"\n{RULE}\n{asked}\n\n{answer}")
    report = RESULTS / f"{NOTEBOOK.stem}.html"
    report.write_text(to_html(notebook), encoding="utf-8")
    print(f"\n{RULE}")
    print(f"The report:            {report.relative_to(ROOT)}   (open it in a browser)")
    print(f"The executed notebook: {(RESULTS / NOTEBOOK.name).relative_to(ROOT)}")
    print("Ask your own:          make lab, then open quickstart.ipynb")
    return 0


def answers(notebook: nbformat.NotebookNode) -> Iterator[tuple[str, str]]:
    """Yield what was asked and the answer's card as text, in the notebook's order."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if CARD_MIME in data:
                yield cell.source, data["text/plain"]


def to_html(notebook: nbformat.NotebookNode) -> str:
    """Return the notebook as one HTML page that loads nothing from anywhere."""
    exporter = HTMLExporter(require_js_url="", jquery_url="", mathjax_url="", mermaid_js_url="")
    page: str = exporter.from_notebook_node(notebook)[0]
    return page


if __name__ == "__main__":
    sys.exit(main())
