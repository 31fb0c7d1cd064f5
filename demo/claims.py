"""Write `notebooks/audit/claims.ipynb`: somebody's signed notebook, in which one number was changed afterwards.

The forger is no beginner. The value is changed in the hashed text and in everything that is shown, and every hash is
computed anew, so the card agrees with itself. What cannot be made anew without the author's key is the receipt.

The author's key is drawn here and thrown away; its public half is published beside the notebook.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, cast

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

from service_nb.cards.faces import to_bundle
from service_nb.client.user_keys import INJECTED, require_device
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import RESULT_DOMAIN, ROWS_DOMAIN, VIEW_DOMAIN, digest
from service_nb.schema.card import CARD_MIME, Card

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
AUDIT = NOTEBOOKS / "audit"
FORGED = "code-06"
TRUE, FALSE = "24.88804140561155", "14.88804140561155"  # the mean delay that somebody did not like

METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELLS = (
    """# January 2013 in New York City: five claims

Drawn from `data/flights_2013_01.parquet`. Every number has a card, signed with the key in `claims.keys`.""",
    "%load_ext service_nb\n%service_connect flights data/flights_2013_01.parquet",
    "So many flights left each airport:",
    "%service_ask count by origin from flights",
    "The airlines with the longest mean delay at departure, among those from Newark:",
    "%service_ask avg dep_delay by carrier from flights where origin = 'EWR' order desc limit 5",
    "So many flights arrived more than two hours late:",
    "%service_ask count by origin from flights where arr_delay > 120",
    "The longest and the shortest flight in the air, in minutes:",
    "%service_ask max air_time from flights",
    "%service_ask min air_time from flights",
    "Which delay is *the* delay of an airline was left open, as it should be:",
    "%service_ask avg delay by carrier from flights",
)


def main() -> int:
    """Execute, forge, write."""
    seed = base64.b64encode(os.urandom(32)).decode()
    os.environ[INJECTED] = seed
    notebook = executed(source())
    forge(notebook)
    AUDIT.mkdir(exist_ok=True)
    nbformat.write(notebook, AUDIT / "claims.ipynb")
    keys = f"# The key of the author of claims.ipynb.\n{require_device().public_key}\n"
    (AUDIT / "claims.keys").write_text(keys, encoding="utf-8")
    print(f"{FORGED} of claims.ipynb is forged: {TRUE} became {FALSE}.")
    return 0


def source() -> nbformat.NotebookNode:
    """Return the notebook before it runs."""
    notebook: nbformat.NotebookNode = nbformat.v4.new_notebook()
    for index, text in enumerate(CELLS, 1):
        make = nbformat.v4.new_code_cell if text.startswith("%") else nbformat.v4.new_markdown_cell
        notebook.cells.append(make(text, id=f"{'code' if text.startswith('%') else 'md'}-{index:02}"))
    return notebook


def executed(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Run it in a project of its own, with the data and a ledger."""
    with tempfile.TemporaryDirectory() as project:
        shutil.copytree(NOTEBOOKS / "data", Path(project) / "data")
        os.environ["SERVICE_LEDGER"] = str(Path(project) / ".service")
        NotebookClient(
            notebook,
            kernel_name="python3",
            resources={"metadata": {"path": project}},
            config=Config(KernelManager={"transport_encryption": "auto"}),  # as in run.py
        ).execute()
    notebook.metadata = METADATA
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    return notebook


def forge(notebook: nbformat.NotebookNode) -> None:
    """Change one value, and every hash that can be computed without the author's key."""
    (cell,) = (cell for cell in notebook.cells if cell.id == FORGED)
    data = cell.outputs[0]["data"]
    card = replaced(json.loads(json.dumps(data[CARD_MIME])))
    view = {key: value for key, value in card["view"].items() if key != "rows"}
    digests = card["digests"]
    digests["result_hash"] = digest(RESULT_DOMAIN, digests["plan_hash"], card["canonical"]["result"])
    digests["view_hash"] = digest(VIEW_DOMAIN, write_canonical_text(view))
    digests["rows_hash"] = digest(ROWS_DOMAIN, write_canonical_text(card["view"]["rows"]))
    data.update(to_bundle(cast(Card, card))[0])


def replaced(card: dict[str, Any]) -> dict[str, Any]:
    """Return the card with the other value, where it is hashed and where it is shown; the receipt stays as it is."""
    receipt = card.pop("receipt")
    text = json.dumps(card)
    if text.count(TRUE) != 2:
        raise SystemExit(f"{TRUE} stands in {text.count(TRUE)} places of the card; expected two")
    return {**json.loads(text.replace(TRUE, FALSE)), "receipt": receipt}


if __name__ == "__main__":
    sys.exit(main())
