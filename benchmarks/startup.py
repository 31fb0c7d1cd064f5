"""How long a user waits before the first line: each figure is taken inside a fresh process."""

from __future__ import annotations

import statistics
import subprocess
import sys

from benchmarks.measure import Row, against, within

IMPORT = "import time; started = time.perf_counter(); import {module}; print(time.perf_counter() - started)"
LOAD_EXTENSION = """
import time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
started = time.perf_counter()
shell.run_line_magic("load_ext", "service_nb")
print(time.perf_counter() - started)
"""


def main() -> list[Row]:
    ours, numpy, pandas = (in_fresh_process(IMPORT.format(module=name)) for name in ("service_nb", "numpy", "pandas"))
    return [
        within("import service_nb", ours, 0.15),
        against("import service_nb", ours, ("import numpy", numpy)),
        against("import service_nb", ours, ("import pandas", pandas)),
        within("%load_ext service_nb", in_fresh_process(LOAD_EXTENSION), 0.4),
    ]


def in_fresh_process(code: str, repeats: int = 7) -> float:
    """Return the median of what the code prints on its last line, after one run that fills the file cache."""
    command = [sys.executable, "-c", code]
    outputs = [subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout for _ in range(repeats + 1)]
    return statistics.median(float(output.splitlines()[-1]) for output in outputs[repeats and 1 :])
