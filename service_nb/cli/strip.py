"""`service-nb strip`: rows out of a notebook's cards, evidence stays."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service_nb.cli.console import DONE, print_json
from service_nb.errors import EvidenceError, InvalidIntentError

if TYPE_CHECKING:
    from service_nb.evidence.strip import Stripped
    from service_nb.schema.card import Card

SUMMARY = "Remove the values from a notebook's cards; hashes, questions and signatures stay and still verify."
EXAMPLES = """\
examples:
  service-nb strip report.ipynb --output report-public.ipynb
  service-nb strip report.ipynb --in-place --all-outputs
  service-nb strip report.ipynb --output - | less

Cards alone are stripped; a table, a chart or printed text keeps what it shows, unless --all-outputs takes it out. The
questions stay as they were asked: a value in a filter or in a call is part of what was done.
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `strip`."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a notebook, or a card")
    parser.add_argument("--output", "--out", metavar="PATH", help="output file; - prints")
    parser.add_argument("--in-place", action="store_true", help="change the file itself")
    parser.add_argument("--all-outputs", action="store_true", help="also remove every output that is not a card")
    parser.add_argument("--force", action="store_true", help="replace an existing output file")


def run(arguments: argparse.Namespace) -> int:
    """Strip, and write where it was told."""
    if arguments.in_place == (arguments.output is not None):
        raise InvalidIntentError("Give either --output PATH or --in-place.", path="--output")
    from service_nb.ledger.exports.files import read_document  # noqa: PLC0415  # lazy: as of all verbs

    content = read_document(arguments.file)
    stripped = _stripped(content, all_outputs=arguments.all_outputs)
    if arguments.in_place and read_document(arguments.file) != content:
        raise EvidenceError(
            f"{arguments.file.name} was saved by another program in the meantime, and was not changed.",
            reason="notebook_changed",
            hint="Close it there, then strip again.",
        )
    _write(stripped, arguments)
    return DONE


def _stripped(content: bytes, *, all_outputs: bool) -> Stripped:
    from service_nb.cards.bundle import to_bundle  # noqa: PLC0415
    from service_nb.evidence.strip import stripped_file  # noqa: PLC0415

    def faces(card: Card) -> dict[str, Any]:
        return to_bundle(card)[0]

    return stripped_file(content, faces, all_outputs=all_outputs)


def _write(stripped: Stripped, arguments: argparse.Namespace) -> None:
    from service_nb.ledger.exports.files import write_file  # noqa: PLC0415

    target = arguments.file.resolve() if arguments.in_place else Path(arguments.output)
    if arguments.output == "-":
        sys.stdout.write(stripped.text)
        return
    write_file(target, stripped.text.encode(), over=arguments.in_place or arguments.force)
    if arguments.json:
        told = {"file": target.name, "cards": stripped.cards, "outputs": stripped.outputs}
        print_json({"status": "ok", **told})
        return
    print(f"{target.name}: removed the values from {_count(stripped.cards, 'card')}{_others(stripped.outputs)}.")


def _others(outputs: int) -> str:
    return f", {_count(outputs, 'other output')} removed" if outputs else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
