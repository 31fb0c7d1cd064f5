"""Count the files of the package that one question and one computation pass: ``python -m tests.tools.trace_files``.

The client is warmed by a question and a computation of the same kind, so that imports and caches are not counted. A
file counts when one of its functions is called between the call of `ask` or `compute` and its return.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import service_nb

PACKAGE = Path(service_nb.__file__).parent
ROWS = [{"region": "north" if n % 2 else "south", "revenue": 1.5 * n} for n in range(12)]
QUESTION, WARMING_QUESTION = "sum revenue by region from sales", "max revenue by region from sales"
CALL, WARMING_CALL = "stats.mean values=sales.revenue", "stats.median values=sales.revenue"
MOST_FILES = 25


def trace_files(run: Callable[[], object]) -> list[str]:
    """Return the files of the package in the order in which `run` first calls a function of each."""
    files: dict[str, None] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.setdefault(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return [os.path.relpath(file, PACKAGE) for file in files if file.startswith(str(PACKAGE) + os.sep)]


def trace_flows() -> dict[str, list[str]]:
    """Return the files that a question on 12 rows and a computation over them pass, each recorded in a ledger."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SERVICE_HOME"] = folder
        with service_nb.create_service(project=folder, runtime="in_process", mode="local") as service:
            service.connect(ROWS, name="sales")
            service.ask(WARMING_QUESTION)
            service.compute(WARMING_CALL)
            return {
                "question": trace_files(lambda: service.ask(QUESTION)),
                "computation": trace_files(lambda: service.compute(CALL)),
            }


def main() -> int:
    """Print the files of each flow and their number; fail above the limit."""
    flows = trace_flows()
    for flow, files in flows.items():
        print(f"{flow}: {len(files)} files (at most {MOST_FILES})")
        print("\n".join(f"  {file}" for file in files))
    return int(any(len(files) > MOST_FILES for files in flows.values()))


if __name__ == "__main__":
    sys.exit(main())
