"""Remove the values from a notebook's cards; hashes, questions and signatures stay and still verify.

examples:
  service-nb strip report.ipynb --output report-public.ipynb
  service-nb strip report.ipynb --in-place --all-outputs
  service-nb strip report.ipynb --output - | less

Cards alone are stripped; a table, a chart or printed text keeps what it shows, unless --all-outputs takes it out. The
questions stay as they were asked: a value in a filter or in a call is part of what was done.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from service_nb.cards.faces import to_bundle
from service_nb.cards.format import write_count
from service_nb.cli.verb import Option, Reply, Verb
from service_nb.errors import EvidenceError, InvalidIntentError
from service_nb.evidence.stripping import strip_file
from service_nb.ledger.exports.files import read_document, write_file


def run(arguments: argparse.Namespace) -> Reply:
    """Strip, and write to the place that was given."""
    if arguments.in_place == (arguments.output is not None):
        raise InvalidIntentError("Give either --output PATH or --in-place.", path="--output")

    content = read_document(arguments.file)
    stripped = strip_file(content, lambda card: to_bundle(card)[0], all_outputs=arguments.all_outputs)
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


VERB = Verb(
    run=run,
    options=(
        Option("file FILE", "a notebook, or a card", type=Path),
        Option("--output --out PATH", "output file; - prints"),
        Option("--in-place", "change the file itself"),
        Option("--all-outputs", "also remove every output that is not a card"),
        Option("--force", "replace an existing output file"),
    ),
)
