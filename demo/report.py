"""Run the report for a month, verify and replay every number of it, and write it as one HTML page.

``python demo/report.py 2013-07`` takes another month. Everything goes below `build/report`: a project of its own, with
the data, its ledger and the executed notebook, which is what one would hand in.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
import papermill  # type: ignore[import-untyped]  # published without types
from nbconvert import HTMLExporter
from traitlets.config import Config

from service_nb.cli.main import main as service_nb

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
RESULTS = ROOT / "build" / "report"
MONTH = "2013-01"


def main(arguments: Sequence[str]) -> int:
    """Make the report and return the exit code."""
    month = arguments[0] if arguments else MONTH
    os.environ["SERVICE_HOME"] = str(ROOT / "build" / "demo" / "home")
    shutil.copytree(NOTEBOOKS / "data", RESULTS / "data", dirs_exist_ok=True)
    os.chdir(RESULTS)  # the project is where one stands; paths that are kept are relative to it
    name = f"report-{month}.ipynb"
    for command in (["login"], ["runtime", "install"]):
        if told(command) != 0:
            return 1
    try:
        papermill.execute_notebook(
            os.path.relpath(NOTEBOOKS / "report.ipynb"),
            name,
            parameters={"month": month},
            kernel_name="python3",
            progress_bar=False,
            config=Config(KernelManager={"transport_encryption": "auto"}),  # as in run.py
        )
        checks = (["verify", name, "--junit", "verify.xml", "--report", "verify.html"], ["replay", name])
        code = max(told(command) for command in checks)
    finally:
        service_nb(["runtime", "stop"])
    page = RESULTS / f"report-{month}.html"
    page.write_text(to_html(Path(name)), encoding="utf-8")
    print(f"\nThe report:            {page.relative_to(ROOT)}")
    print(f"The executed notebook: {(RESULTS / name).relative_to(ROOT)}")
    return code


def told(command: list[str]) -> int:
    """Run a command of service-nb as a person would, and show that."""
    print(f"\n$ service-nb {' '.join(command)}", flush=True)
    return service_nb(command)


def to_html(path: Path) -> str:
    """Return the notebook as one HTML page that loads nothing from anywhere, without its code."""
    exporter = HTMLExporter(
        require_js_url="",
        jquery_url="",
        mathjax_url="",
        mermaid_js_url="",
        exclude_input=True,
        exclude_input_prompt=True,
    )
    page: str = exporter.from_notebook_node(nbformat.read(path, as_version=4))[0]
    return page


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
