"""Worksheets: a notebook with solved exercises becomes one without answers, and handed-in ones get a score.

An exercise is a code cell with `%service_check NAME`. Its answer is the last card before it, in the output of that cell
or of one above. A worksheet has every cell but the answers, and no outputs: an answer's cell keeps one line that says
what belongs there. Nothing here draws a salt or reads a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

from service_nb.errors import EvidenceError
from service_nb.evidence.answer_key import AnswerKey, is_right, list_claims, normalise_exercise_name
from service_nb.evidence.documents import check_card, find_cards

CHECK_METADATA = "service_nb_check"  # of an output of %service_check: exercise, status, attempts; no evidence
SOLUTION_TAG = "solution"  # of further cells that a worksheet leaves empty

_CHECK = re.compile(r"^[ \t]*(?:\w+[ \t]*=[ \t]*)?%service_check[ \t]+([^\s$-]\S*)", re.MULTILINE)
_KEPT_METADATA = ("kernelspec", "language_info")
_ANSWER_KINDS = ("query", "computation", "clarification", "rejection")


class Solved(NamedTuple):
    """An exercise of a notebook: its name, the number of the answer's cell, and the answer's card."""

    name: str
    cell: int
    card: Mapping[str, Any]


class ExerciseScore(NamedTuple):
    """The state of one exercise in a handed-in notebook; `attempts` is what the notebook says, which is no evidence."""

    exercise: str
    status: str  # right, wrong, not_asked
    attempts: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookScore:
    """The state of the exercises of a key in one notebook."""

    exercises: tuple[ExerciseScore, ...]
    altered: int  # cards that do not verify, which count for nothing

    @property
    def right(self) -> int:
        """The number of exercises that are right."""
        return sum(each.status == "right" for each in self.exercises)


@dataclass(slots=True)
class Judge:
    """Answers whether a claim is an accepted answer, each question of a key once: a test takes a third of a second."""

    key: AnswerKey
    _known: dict[tuple[str, str], bool] = field(default_factory=dict)

    def is_right(self, exercise: str, claims: Sequence[str]) -> bool:
        """Tell whether one of the digests is an accepted answer to an exercise."""
        for claim in claims:
            asked = exercise, claim
            if asked not in self._known:
                self._known[asked] = is_right(self.key, exercise, [claim])
            if self._known[asked]:
                return True
        return False


# --- worksheets -------------------------------------------------------------------------------------------------------


def find_exercises(notebook: Mapping[str, Any]) -> list[Solved]:
    """Find the solved exercises of a parsed notebook.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It has no exercise (reason `no_exercise`), one without an answer above it (`no_answer`), two exercises with one
        answer (`shared_answer`), or an answer that does not verify (its first cause).
    """
    cards = [output for output in find_cards(notebook) if output.cell is not None]
    found: list[Solved] = []
    latest: tuple[int, Mapping[str, Any]] | None = None
    for number, cell in enumerate(notebook["cells"]):
        for output in cards:
            if output.cell is cell and isinstance(output.card, Mapping) and output.card.get("kind") in _ANSWER_KINDS:
                latest = number, output.card
        for name in _list_checks(cell):
            if latest is None:
                _refuse(
                    f"The exercise {name} has no answer above it.",
                    "no_answer",
                    "Run the solved notebook with its answers, save it, then make the worksheet.",
                )
            if found and found[-1].cell == latest[0] and found[-1].name != name:
                _refuse(
                    f"The exercises {found[-1].name} and {name} have the same answer.",
                    "shared_answer",
                    f"Put the answer of {name} between their two %service_check cells.",
                )
            found = [each for each in found if each.name != name]  # of two checks of one exercise the last counts
            found.append(Solved(name, *latest))
    if not found:
        _refuse(
            "The notebook has no exercise.",
            "no_exercise",
            "Put a cell with %service_check NAME below each answer, run the notebook, and save it.",
        )
    for each in found:
        verdict = check_card(each.card)
        if verdict.status == "altered":
            _refuse(f"The answer to {each.name} does not verify.", verdict.causes[0], "Run the notebook again.")
    return found


def _list_checks(cell: Mapping[str, Any]) -> list[str]:
    if cell.get("cell_type") != "code":
        return []
    return [normalise_exercise_name(name) for name in _CHECK.findall(_read_source(cell))]


def _read_source(cell: Mapping[str, Any]) -> str:
    source = cell.get("source", "")
    return "".join(str(line) for line in source) if isinstance(source, list) else str(source)


def build_worksheet(notebook: Mapping[str, Any], exercises: Sequence[Solved]) -> dict[str, Any]:
    """Build the notebook without answers, outputs, and what earlier runs left in its metadata."""
    answers = {each.cell: each.name for each in exercises}
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        metadata = cell.get("metadata")
        tags = metadata.get("tags") or [] if isinstance(metadata, Mapping) else []
        emptied = dict(cell)
        if number in answers:
            emptied["source"] = _clear_answer(_read_source(cell), answers[number])
        elif SOLUTION_TAG in tags:
            emptied["source"] = ""
        if cell.get("cell_type") == "code":
            emptied |= {"outputs": [], "execution_count": None, "metadata": {"tags": tags} if tags else {}}
        cells.append(emptied)
    kept = {name: value for name, value in notebook.get("metadata", {}).items() if name in _KEPT_METADATA}
    return {**notebook, "cells": cells, "metadata": kept}


def _clear_answer(source: str, name: str) -> str:
    """Return a line for the answer, and the check if it stands in the same cell."""
    checks = [line for line in source.splitlines() if _CHECK.match(line)]
    return "\n".join([f"# Your answer to {name}", *checks])


# --- scores -----------------------------------------------------------------------------------------------------------


def score_notebook(notebook: Mapping[str, Any], judge: Judge) -> NotebookScore:
    """Score a handed-in notebook: an exercise is right if a card that verifies holds an accepted answer."""
    claims, altered = [], 0
    for output in find_cards(notebook):
        if check_card(output.card).status == "altered":
            altered += 1
        elif output.card["kind"] in _ANSWER_KINDS:
            with suppress(EvidenceError):  # a card that does not hold its texts answers nothing
                claims.append(list_claims(output.card))
    said = dict(_list_said(notebook))
    scores = []
    for exercise in judge.key.names:
        status, attempts = said.get(exercise, ("not_asked", None))
        if any(judge.is_right(exercise, each) for each in claims):
            status = "right"
        elif status == "right":  # what the notebook says, and no card of it shows
            status = "wrong"
        scores.append(ExerciseScore(exercise, status, attempts))
    return NotebookScore(exercises=tuple(scores), altered=altered)


def _list_said(notebook: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, int | None]]]:
    """Yield what the notebook's checks say of each exercise: nobody signed it."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()) if isinstance(cell, Mapping) else ():
            metadata = output.get("metadata") if isinstance(output, Mapping) else None
            said = metadata.get(CHECK_METADATA) if isinstance(metadata, Mapping) else None
            if isinstance(said, Mapping) and isinstance(said.get("exercise"), str):
                status, attempts = said.get("status"), said.get("attempts")
                is_count = type(attempts) is int and 0 <= attempts <= 1_000_000
                yield (
                    said["exercise"],
                    (
                        status if status in ("right", "wrong") else "not_asked",
                        attempts if is_count else None,
                    ),
                )


def _refuse(message: str, reason: str, hint: str) -> NoReturn:
    raise EvidenceError(message, reason=reason, hint=hint)
