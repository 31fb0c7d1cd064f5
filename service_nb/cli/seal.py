"""Sign the list of a notebook's cards, so that a removed, added or moved card is detected.

examples:
  service-nb seal report.ipynb

It needs `service-nb login`. The list goes into the notebook's metadata, and no other byte of the file changes. Close
the notebook first, or reload it afterwards: an editor that saves its own copy writes over the seal.
"""

from __future__ import annotations

import argparse
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

from service_nb.cards.format import write_count
from service_nb.cli.verb import Option, Reply, Verb
from service_nb.client.user_keys import require_device
from service_nb.client.verification import Terms, read_document, verify_document
from service_nb.core.own_files import describe_place, write_beside
from service_nb.errors import EvidenceError, InvalidIntentError
from service_nb.evidence.documents import build_seal, find_cards, read_json
from service_nb.evidence.json_spans import set_metadata
from service_nb.evidence.standalone import SEAL_KEY, Output


def run(arguments: argparse.Namespace) -> Reply:
    """Seal the notebook, if its cards hold."""
    path = _resolve(arguments.file)
    met = path.stat()  # before it is read: whoever saves meanwhile is noticed
    content = read_document(path)
    cards = _read_cards(content, arguments.file.name)
    signer = require_device()
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    sealed = set_metadata(content.decode(), SEAL_KEY, build_seal(cards, time=moment, signer=signer))
    _replace(path, sealed.encode(), met)
    name, cards_sealed = arguments.file.name, len(cards)
    document = {"status": "ok", "file": name, "cards": cards_sealed, "device": signer.id}
    return Reply(document, f"Sealed {write_count(cards_sealed, 'card')} of {name} with the device key {signer.id}.")


def _resolve(given: Path) -> Path:
    try:
        path = given.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise InvalidIntentError(f"There is no notebook {given.name}.", hint="Save it first.", path="FILE") from error
    if not path.is_file():
        raise InvalidIntentError(f"{given.name} is not a file.", hint="Give one notebook.", path="FILE")
    return path


def _read_cards(content: bytes, name: str) -> list[Output]:
    """Read the cards of a notebook; raise if one does not verify: a seal would vouch for it."""
    notebook = read_json(content)
    if not isinstance(notebook, dict) or "nbformat" not in notebook:
        raise EvidenceError(f"{name} is not a notebook.", reason="unknown_document", hint="Give a .ipynb file.")
    for verdict in verify_document(content, Terms()).verdicts:
        if verdict.status == "altered" and verdict.subject != "index":
            raise EvidenceError(
                f"{name}, {verdict.subject}: {_describe_fault(verdict.causes[0])}, so the notebook is not sealed.",
                reason=verdict.causes[0],
                hint="Run `service-nb verify` for details. Ask again, or delete the output.",
            )
    return find_cards(notebook)


def _describe_fault(cause: str) -> str:
    faults = {
        "face_differs": "another form of the output does not show what the card shows",
        "card_missing": "the output shows a card and holds none",
    }
    return faults.get(cause, "the card does not hold")


def _replace(path: Path, content: bytes, met: os.stat_result) -> None:
    """Write a notebook's new content, with its permissions, unless it was saved meanwhile."""
    with write_beside(path, content) as made:
        shutil.copymode(path, made)
        now = path.stat()
        if (now.st_mtime_ns, now.st_size, now.st_ino) != (met.st_mtime_ns, met.st_size, met.st_ino):
            raise EvidenceError(
                f"{describe_place(path)} was saved by another program in the meantime, and was not changed.",
                reason="notebook_changed",
                hint="Close it there, then seal again.",
            )
        made.replace(path)


VERB = Verb(run=run, options=(Option("file FILE.ipynb", "the notebook, executed and saved", type=Path),))
