"""Count the files of the package that one question, computation, verification and replay pass.

``python -m tests.tools.trace_files`` lists them; `make check` holds their number to `MOST`.

The client is warmed by a question and a computation of the same kind, so that imports and caches are not counted. A
file counts when one of its functions is called between the call of `ask` or `compute` and its return.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import service_nb
from service_nb.client.verification import build_terms, verify_content

PACKAGE = Path(service_nb.__file__).parent
ROWS = [{"region": "north" if n % 2 else "south", "revenue": 1.5 * n} for n in range(12)]
QUESTION, WARMING_QUESTION = "sum revenue by region from sales", "max revenue by region from sales"
CALL, WARMING_CALL = "stats.mean values=sales.revenue", "stats.median values=sales.revenue"
MOST = {"question": 41, "computation": 40, "verification": 22, "replay": 49}
GOALS = {"question": 28, "computation": 28, "verification": 20, "replay": 35}


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


def verify(card: object) -> None:
    """Verify a card as a file that was received."""
    verify_content("card.json", json.dumps(card).encode(), build_terms())


def trace_flows() -> dict[str, list[str]]:
    """Return the files that each flow passes: a question on 12 rows, a computation over them, the first one's card."""
    with tempfile.TemporaryDirectory() as folder:
        for name in [each for each in os.environ if each.startswith("SERVICE_")]:
            del os.environ[name]  # of a test run: keys, ledgers, deployments
        os.environ["SERVICE_HOME"] = folder
        with service_nb.create_service(project=folder, runtime="in_process", mode="local") as service:
            service.connect(ROWS, name="sales")
            warmed = service.ask(WARMING_QUESTION)
            service.compute(WARMING_CALL)
            flows = {
                "question": trace_files(lambda: service.ask(QUESTION)),
                "computation": trace_files(lambda: service.compute(CALL)),
            }
            verify(warmed.card)
            service.replay(warmed)
            asked = service.ask(QUESTION)
            flows["verification"] = trace_files(lambda: verify(asked.card))
            flows["replay"] = trace_files(lambda: service.replay(asked))
            return flows


def main() -> int:
    """Print the files of each flow and their number; fail above the limit."""
    flows = trace_flows()
    for flow, files in flows.items():
        print(f"{flow}: {len(files)} files (at most {MOST[flow]}; the goal is {GOALS[flow]})")
        print("\n".join(f"  {file}" for file in files))
    return int(any(len(files) > MOST[flow] for flow, files in flows.items()))


if __name__ == "__main__":
    sys.exit(main())
