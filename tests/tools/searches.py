"""Searches of capabilities in everyday words, each with the answers that people look for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

FILE = Path(__file__).parents[1] / "vectors" / "searches.tsv"


def list_searches(part: int = 0) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the queries and their answers: those of both parts of the file, of the first, or of the second."""
    at = 0
    for line in FILE.read_text(encoding="utf-8").splitlines():
        at += line.startswith("# ---")
        if not line.startswith("#") and part in (0, at):
            query, answers = line.split("\t")
            yield query, frozenset(answers.split())


def measure_searches(search: Callable[[str], Sequence[str]], part: int = 0) -> tuple[float, float]:
    """Return the share of queries whose first hit is an answer, and of those that have one among ten."""
    hits = [(search(query)[:10], answers) for query, answers in list_searches(part)]
    first = sum(bool(answers & set(found[:1])) for found, answers in hits)
    ten = sum(bool(answers & set(found)) for found, answers in hits)
    return first / len(hits), ten / len(hits)
