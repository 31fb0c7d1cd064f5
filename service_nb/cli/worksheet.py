"""Make a worksheet and its answer key from a notebook whose exercises are solved.

examples:
  service-nb worksheet solved.ipynb --output lesson.ipynb
  service-nb worksheet solved.ipynb --output lesson.ipynb --force

An exercise is a cell with %service_check NAME; the last result above it is its answer. Run the solved notebook, save
it, then make the worksheet: it has the same cells without answers and outputs, and beside it stands the key, which
holds only salted, slow hashes. Cells with the tag `solution` are emptied too. `service-nb key add` accepts other
answers; `service-nb score` scores what was handed in.
"""

from __future__ import annotations

import argparse
import json
import secrets
from pathlib import Path

from service_nb.cards.format import write_count
from service_nb.cli.verb import Option, Reply, Verb
from service_nb.errors import EvidenceError, InvalidIntentError
from service_nb.evidence.answer_key import KEY_SUFFIX, SALT_BYTES, AnswerKey, add_answers, list_claims, write_key
from service_nb.evidence.documents import find_outputs, read_json
from service_nb.evidence.worksheet import build_worksheet, find_exercises
from service_nb.ledger.exports.files import read_document, write_file


def run(arguments: argparse.Namespace) -> Reply:
    """Find the exercises, write the worksheet, write the key."""
    output: Path = arguments.output
    if output.suffix != ".ipynb":
        raise InvalidIntentError(
            f"--output is {output.name}.", hint="Name a notebook: --output lesson.ipynb", path="--output"
        )
    notebook = read_json(read_document(arguments.file))
    if not isinstance(notebook, dict) or "nbformat" not in notebook:
        raise EvidenceError(f"{arguments.file.name} is not a notebook.", reason="unknown_document")
    find_outputs(notebook)  # of another form it is refused here
    exercises = find_exercises(notebook)
    key = AnswerKey()
    for each in exercises:
        key = add_answers(key, each.name, list_claims(each.card)[:1], secrets.token_bytes(SALT_BYTES))
    lesson = json.dumps(build_worksheet(notebook, exercises), indent=1, ensure_ascii=False) + "\n"
    key_file = output.with_name(output.stem + KEY_SUFFIX)
    if key_file.exists() and not arguments.force:
        raise InvalidIntentError(
            f"{key_file.name} already exists.", hint="Give another name, or --force to replace both.", path="--output"
        )
    write_file(output, lesson.encode(), over=arguments.force)
    write_file(key_file, write_key(key).encode(), over=arguments.force)
    names = [each.name for each in exercises]
    text = (
        f"{output.name} has {write_count(len(names), 'exercise')}: {', '.join(names)}.\n"
        f"{key_file.name} is its key: publish both in one folder.\n"
        f"Score what is handed in: service-nb score {key_file.name} handed_in/*.ipynb"
    )
    return Reply({"status": "ok", "file": output.name, "key": key_file.name, "exercises": names}, text)


VERB = Verb(
    run=run,
    options=(
        Option("file FILE", "the notebook with its answers, run and saved", type=Path),
        Option("--output --out FILE", "the worksheet to write; its key is written beside it", type=Path, required=True),
        Option("--force", "replace existing files"),
    ),
)
