"""Write the key of the teaching notebook from its right answers: what a teacher keeps, and what she publishes.

The answers of a real course would not be kept where students find them; these are an example, and tested.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import service_nb
from service_nb.cli.main import main as command
from service_nb.client.compute_line import parse_compute_line

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
KEY = NOTEBOOKS / "teaching.servicekey.json"
MALES = "where species = 'Gentoo' and sex = 'male'"

# Each accepted answer of each exercise, as a line. A correlation is the same either way round, so both are accepted.
ANSWERS = {
    "median": ["stats.median values=penguins.body_mass_g"],
    "trimmed": ["stats.trimmed_mean values=[3750, 3800, 3250, 3450, 36500] proportion=0.2"],
    "heaviest": ["avg body_mass_g by species from penguins"],
    "males": [
        f"stats.correlation x=penguins.bill_length_mm y=penguins.bill_depth_mm {MALES}",
        f"stats.correlation x=penguins.bill_depth_mm y=penguins.bill_length_mm {MALES}",
    ],
}


def main() -> int:
    """Answer the exercises, and make the key of the answers' cards."""
    service = service_nb.create_service(ledger="off")
    service.connect(NOTEBOOKS / "data" / "penguins.csv", name="penguins", nulls=["NA"])
    with tempfile.TemporaryDirectory() as folder:
        pairs: list[str] = []
        for name, lines in ANSWERS.items():
            for line in lines:
                card = Path(folder) / f"{len(pairs)}.json"
                card.write_text(json.dumps(answer(service, line).card), encoding="utf-8")
                pairs.append(f"{name}={card}")
        KEY.unlink(missing_ok=True)
        return command(["key", "make", *pairs, "--output", str(KEY)])


def answer(service: service_nb.Service, line: str) -> service_nb.QueryOutcome | service_nb.Computation:
    """Ask or compute what a line says."""
    if line.partition(" ")[0].count(".") == 1:
        computed: service_nb.Computation = service.compute(parse_compute_line(line, null_policy="drop"))
        return computed
    outcome: service_nb.QueryOutcome = service.ask(line)
    return outcome


if __name__ == "__main__":
    sys.exit(main())
