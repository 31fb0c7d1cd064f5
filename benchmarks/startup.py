"""How long a user waits before the first line: each figure is taken inside a fresh process."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.connect import write_sales
from benchmarks.measure import Measured, Row, against, peak_of_process, within

IMPORT = "import time; started = time.perf_counter(); import {module}; print(time.perf_counter() - started)"
LOAD_EXTENSION = """
import time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
started = time.perf_counter()
shell.run_line_magic("load_ext", "service_nb")
print(time.perf_counter() - started)
"""
FIRST_CARD = """
import time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
started = time.perf_counter()
shell.run_line_magic("load_ext", "service_nb")
shell.run_line_magic("service_connect", "sales " + {path!r})
shell.run_line_magic("service_ask", "sum amount by region from sales")._repr_mimebundle_()
print(time.perf_counter() - started)
"""


def main() -> list[Row]:
    ours, numpy, pandas = (in_fresh_process(IMPORT.format(module=name)) for name in ("service_nb", "numpy", "pandas"))
    return [
        within("import service_nb", ours, 0.15),
        against("import service_nb", ours, ("import numpy", numpy)),
        against("import service_nb", ours, ("import pandas", pandas)),
        within("%load_ext service_nb", in_fresh_process(LOAD_EXTENSION), 0.4),
        within("%load_ext to the first card, CSV of 1 M rows", time_first_card(), 1.5),
    ]


def time_first_card() -> Measured:
    """Return the seconds from loading the extension to the first card of a large CSV, in a project of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "sales.csv")
        write_sales(path)
        return in_fresh_process(FIRST_CARD.format(path=path), repeats=3, folder=folder)


def in_fresh_process(code: str, repeats: int = 7, folder: str | None = None) -> Measured:
    """Return the median of what the code prints on its last line, after one run that fills the file cache.

    The peak of memory is that of the whole process, Python included, in a run of its own.
    """
    command = [sys.executable, "-c", code]
    outputs = [
        subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=folder).stdout for _ in range(repeats + 1)
    ]
    seconds = statistics.median(float(output.splitlines()[-1]) for output in outputs[repeats and 1 :])
    return Measured(seconds, peak_of_process(command, folder) if repeats else None)
