"""What one user waits for: a fresh process that connects, asks once, and then asks on, one question after another.

``python -m benchmarks.loading.first job.json`` prints seconds of waiting and of processor time as one JSON document.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ASKED = 100


def main() -> None:
    """Do it, and print it."""
    job = json.loads(Path(sys.argv[1]).read_text())
    specs = [body["spec"] for kind, _, body, _ in json.loads(Path(job["path"]).read_bytes()) if kind == "ask"]
    os.environ |= {"SERVICE_DEPLOYMENT_URL": f"http://127.0.0.1:{job['port']}", "SERVICE_API_KEY": job["keys"][0]}
    with tempfile.TemporaryDirectory(prefix="snb-load") as folder:
        told, began = {}, _now()
        import service_nb  # late: what it takes is part of what is measured

        client = service_nb.create_service(project=folder, ledger=Path(folder) / "ledger")
        for name in ("orders", "issues"):
            client.connect(name=name)
        client.ask(specs[0])
        told["first"], began = _since(began), _now()
        for spec in specs[1 : ASKED + 1]:
            client.ask(spec)
        told["each"] = [spent / len(specs[1 : ASKED + 1]) for spent in _since(began)]
        client.close()
    print(json.dumps(told))


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(began: tuple[float, float]) -> Any:
    return [now - then for now, then in zip(_now(), began, strict=True)]


if __name__ == "__main__":
    main()
