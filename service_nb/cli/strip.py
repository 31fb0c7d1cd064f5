"""`service-nb strip`: remove the values from a notebook's cards; the evidence stays."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from service_nb.cards.format import write_count
from service_nb.cli.verb import Reply, Verb, declare_option
from service_nb.errors import EvidenceError, InvalidIntentError

if TYPE_CHECKING:
    from service_nb.evidence.strip import Stripped


def run(arguments: argparse.Namespace) -> Reply:
    """Strip, and write to the place that was given."""
    if arguments.in_place == (arguments.output is not None):
        raise InvalidIntentError("Give either --output PATH or --in-place.", path="--output")
    from service_nb.ledger.exports.files import read_document, write_file  # noqa: PLC0415  # lazy: as of all verbs

    content = read_document(arguments.file)
    stripped = _strip_values(content, all_outputs=arguments.all_outputs)
    if arguments.in_place and read_document(arguments.file) != content:
        raise EvidenceError(
            f"{arguments.file.name} was saved by another program in the meantime, and was not changed.",
            reason="notebook_changed",
            hint="Close it there, then strip again.",
        )
    if arguments.output == "-":
        sys.stdout.write(stripped.text)
        return Reply()
    target = arguments.file.resolve() if arguments.in_place else Path(arguments.output)
    write_file(target, stripped.text.encode(), over=arguments.in_place or arguments.force)
    removed = f", {write_count(stripped.outputs, 'other output')} removed" if stripped.outputs else ""
    return Reply(
        {"status": "ok", "file": target.name, "cards": stripped.cards, "outputs": stripped.outputs},
        f"{target.name}: removed the values from {write_count(stripped.cards, 'card')}{removed}.",
    )


def _strip_values(content: bytes, *, all_outputs: bool) -> Stripped:
    from service_nb.cards.faces import to_bundle  # noqa: PLC0415
    from service_nb.evidence.strip import strip_file  # noqa: PLC0415

    return strip_file(content, lambda card: to_bundle(card)[0], all_outputs=all_outputs)


VERB = Verb(
    name="strip",
    summary="Remove the values from a notebook's cards; hashes, questions and signatures stay and still verify.",
    run=run,
    options=(
        declare_option("file", metavar="FILE", type=Path, help="a notebook, or a card"),
        declare_option("--output", "--out", metavar="PATH", help="output file; - prints"),
        declare_option("--in-place", action="store_true", help="change the file itself"),
        declare_option("--all-outputs", action="store_true", help="also remove every output that is not a card"),
        declare_option("--force", action="store_true", help="replace an existing output file"),
    ),
    help="""\
examples:
  service-nb strip report.ipynb --output report-public.ipynb
  service-nb strip report.ipynb --in-place --all-outputs
  service-nb strip report.ipynb --output - | less

Cards alone are stripped; a table, a chart or printed text keeps what it shows, unless --all-outputs takes it out. The
questions stay as they were asked: a value in a filter or in a call is part of what was done.
""",
)
