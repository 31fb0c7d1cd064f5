"""Write anew what quotes the contract, after `contract.json` has changed: `make contract` calls it.

Its hash stands in the handbook, in the JupyterLab extension and in the card that the README shows; the README tells how
many capabilities there are; the vectors of the link and the notebook of a deployment were answered with it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from service_nb import create_service
from service_nb.cards.card_blocks import compose_face
from service_nb.cards.faces.text import write_text
from service_nb.runtimes.interface import map_packaged_contract

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
EXTENSION = ROOT / "labextension/src/contract.ts"
QUOTES = (README, EXTENSION, *sorted((ROOT / "docs/handbook").glob("*.md")))
HASH = re.compile(r"sha256:([0-9a-f]{64})")
CALL = "finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]"
HASHES = re.compile(r"^  hashes .*\n(?:    .*\n)*", re.MULTILINE)


def renew() -> None:
    """Write the files that quote the contract: texts first, then what is made by running the package."""
    new = json.loads(map_packaged_contract()[:])["contract_hash"].removeprefix("sha256:")
    (old,) = HASH.findall(EXTENSION.read_text(encoding="utf-8"))
    for path in QUOTES:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(old, new).replace(old[:12], new[:12]), encoding="utf-8")
    renew_readme()
    for module in ("tests.vectors.make_link", "demo.deployment"):
        subprocess.run([sys.executable, "-m", module], cwd=ROOT, check=True)


def renew_readme() -> None:
    """Write the counts of capabilities, and the hashes of the one computation that the README shows."""
    entries = json.loads(map_packaged_contract()[:])["capabilities"].values()
    certified, fields = sum(each["tier"] == "certified" for each in entries), len({each["module"] for each in entries})
    service = create_service(runtime="in_process", ledger="off", mode="local")
    (hashes,) = HASHES.findall(write_text(compose_face(service.compute(CALL).card), 100) + "\n")
    text = README.read_text(encoding="utf-8")
    text = re.sub(r"call one of [\d,]+ named functions", f"call one of {len(entries):,} named functions", text)
    text = re.sub(
        r"[\d,]+ of the [\d,]+, in [\d,]+ fields", f"{certified:,} of the {len(entries):,}, in {fields:,} fields", text
    )
    text = re.sub(
        r"seeded capabilities \(\d+ of all\)", f"seeded capabilities ({len(entries) - certified} of all)", text
    )
    at = text.index(f"```\n{text.split(CALL, 1)[0].rsplit(chr(10), 1)[1]}{CALL}")
    README.write_text(text[:at] + HASHES.sub(hashes, text[at:], count=1), encoding="utf-8")


if __name__ == "__main__":
    renew()
