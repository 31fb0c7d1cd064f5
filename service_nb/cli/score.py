"""Score handed-in notebooks by an answer key: which exercises are right, and after how many attempts.

examples:
  service-nb score lesson.servicekey.json handed_in/*.ipynb
  service-nb score lesson.servicekey.json anna.ipynb --json

An exercise is right if the notebook holds a card that verifies and is an accepted answer. Attempts are what the
notebook itself says: nobody signs them. No answer is told: the key does not hold one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from service_nb.cards.format import write_count
from service_nb.cli.console import align_columns
from service_nb.cli.verb import DONE, FAILED, Option, Reply, Verb
from service_nb.core.words import make_visible
from service_nb.errors import EvidenceError, ServiceError
from service_nb.evidence.answer_key import KEY_BYTES, parse_key
from service_nb.evidence.documents import find_outputs, read_json
from service_nb.evidence.worksheet import ExerciseScore, Judge, NotebookScore, score_notebook
from service_nb.ledger.exports.files import read_document
from service_nb.readers.source_files import read_bytes

_WORDS = {"right": "right", "wrong": "not right", "not_asked": "no answer"}


def run(arguments: argparse.Namespace) -> Reply:
    """Score each notebook; one that cannot be read is named, and the others are scored."""
    judge = Judge(parse_key(read_bytes(arguments.key, KEY_BYTES, "key_bytes")[0]))
    scores: dict[str, NotebookScore] = {}
    faults: dict[str, str] = {}
    for path in arguments.notebooks:
        try:
            scores[str(path)] = _score_file(path, judge)
        except ServiceError as error:
            faults[str(path)] = error.message
    lines = [("notebook", "right", *judge.key.names)]
    for name, score in scores.items():
        lines.append((make_visible(name), f"{score.right} of {len(score.exercises)}", *map(_write, score.exercises)))
    text = list(align_columns(lines))
    text += [
        f"{make_visible(name)}: {write_count(score.altered, 'card')} altered, which count for nothing."
        for name, score in scores.items()
        if score.altered
    ]
    text += [f"{make_visible(name)}: {message}" for name, message in faults.items()]
    document = {
        "status": "ok" if not faults else "failed",
        "notebooks": [_describe(name, score) for name, score in scores.items()],
        "faults": [{"notebook": name, "message": message} for name, message in faults.items()],
    }
    return Reply(document, "\n".join(text), FAILED if faults else DONE)


def _score_file(path: Path, judge: Judge) -> NotebookScore:
    notebook = read_json(read_document(path))
    if not isinstance(notebook, dict) or "nbformat" not in notebook:
        raise EvidenceError("It is not a notebook.", reason="unknown_document")
    find_outputs(notebook)  # of another form it is refused here
    return score_notebook(notebook, judge)


def _write(score: ExerciseScore) -> str:
    attempts = f" ({score.attempts})" if score.attempts and score.attempts > 1 else ""
    return _WORDS[score.status] + attempts


def _describe(name: str, score: NotebookScore) -> dict[str, object]:
    exercises = [each._asdict() for each in score.exercises]
    return {"notebook": name, "right": score.right, "altered": score.altered, "exercises": exercises}


VERB = Verb(
    run=run,
    options=(
        Option("key KEY", "the answer key, *.servicekey.json", type=Path),
        Option("notebooks NOTEBOOK", "what was handed in", type=Path, nargs="+"),
    ),
)
