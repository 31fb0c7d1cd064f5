"""A notebook of a thousand signed cards, verified; beside what reading and hashing its bytes alone takes."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import os
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import service_nb
from benchmarks.browser.notebook import notebook
from benchmarks.measure import Measured, Row, against, best_beside, peak_of_process, within
from service_nb.schema.card import CARD_MIME, Card

CARDS = 1_000
ROWS = [{"region": region, "revenue": 100.1 * n} for n, region in enumerate(["north", "south", "east"] * 4)]


def main() -> list[Row]:
    from service_nb.client.verification import build_terms, verify_content

    os.environ["SERVICE_DEVICE_KEY"] = base64.b64encode(secrets.token_bytes(32)).decode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.ipynb"
        path.write_text(
            json.dumps(notebook([{CARD_MIME: card} for card in cards(Path(folder) / "ledger")])), encoding="utf-8"
        )
        content, terms = path.read_bytes(), build_terms()
        found = verify_content(path.name, content, terms)
        if {verdict.status for verdict in found.verdicts} != {"verified"} or len(found.verdicts) != CARDS:
            raise AssertionError("the notebook of the benchmark does not verify")
        library, bare = best_beside(
            lambda: verify_content(path.name, content, terms),
            lambda: (json.loads(content), hashlib.sha256(content).digest()),
            repeats=3,
        )
        command = [sys.executable, "-m", "service_nb.cli.main", "verify", str(path), "--strict"]
        (process,) = best_beside(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), repeats=3)
        memory = peak_of_process(command)
    size = f"{CARDS:,} cards, {len(content) / 1e6:.1f} MB"
    return [
        within(f"verify a notebook, {size}, the process", Measured(process, memory), 2.0),
        within(f"verify a notebook, {size}, the call", library, 2.0),
        against(f"verify a notebook, {size}, the call", library, ("json.loads and one SHA-256", bare)),
    ]


def cards(ledger: Path) -> list[Card]:
    """Return the cards of as many different questions."""
    service = service_nb.create_service(ledger=ledger)
    service.connect({"records": ROWS}, name="sales")
    spec: dict[str, Any] = {"metric": "revenue", "aggregation": "sum", "group_by": "region", "source_name": "sales"}
    limits = itertools.count(4)  # more than the three groups: another plan each time
    made = [service.ask(spec | {"limit": next(limits)}).card for _ in range(CARDS)]
    service.close()
    return made
