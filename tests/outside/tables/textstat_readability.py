"""Readability by textstat, of texts that are made of few words and that it counts itself."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

from oracle import OracleTable
from textstat.backend import counts, metrics

TABLE = OracleTable("textstat", version("textstat"))
LANGUAGE = "de_DE"  # its syllables need no word list
WORDS = ("Hund", "da", "Banane", "Katze", "Schokolade", "Haus", "zu", "Telefon", "Buch", "Universum", "Fenster")
TEXTS: dict[tuple[Any, ...], str] = {}
COUNTERS: dict[str, Callable[[str], int]] = {
    "words": counts.count_words,
    "sentences": counts.count_sentences,
    "characters": counts.count_letters,
    "syllables": lambda text: counts.count_syllables(text, LANGUAGE),
    "long_words": counts.count_long_words,
    "short_words": lambda text: counts.count_miniwords(text, max_size=3),
    "easy_words": lambda text: counts.count_monosyllable_words(text, LANGUAGE),
    "hard_words": lambda text: counts.count_polysyllable_words(text, LANGUAGE),
}


def count_characters(text: str) -> int:
    """Count letters and punctuation, as textstat does for some formulas."""
    return counts.count_chars(text, ignore_spaces=True)


def write(drawn: dict[str, int], **counters: Callable[[str], int]) -> dict[str, int]:
    """Write a text, and put what textstat counts in it in the place of the arguments."""
    chance = random.Random(str(sorted(drawn.items())))
    sentences = [
        " ".join(chance.choice(WORDS) for _ in range(chance.randint(4, 14))) for _ in range(chance.randint(3, 9))
    ]
    text = ". ".join(sentences) + "."
    arguments = {name: (COUNTERS | counters)[name](text) for name in drawn}
    TEXTS[tuple(arguments.items())] = text
    return arguments


def add(name: str, function: str, *more: Any, **counters: Callable[[str], int]) -> None:
    """Compare a formula at the text that has the counts."""
    TABLE.add(
        f"text_metrics.{name}",
        f"textstat.backend.metrics.{function}",
        lambda **asked: getattr(metrics, function)(TEXTS[tuple(asked.items())], *more),
        prepare=partial(write, **counters),
        within=1e-11,
        near_zero=1e-12,
    )


add("automated_readability_index", "automated_readability_index", characters=count_characters)
add("flesch_kincaid_grade", "flesch_kincaid_grade", LANGUAGE)
add("smog_grade", "smog_index", LANGUAGE)
add("lix", "lix")
add("rix", "rix")
add("gulpease_index", "gulpease_index", characters=count_characters)
add("vienna_formula", "wiener_sachtextformel", 1, LANGUAGE)
add("fernandez_huerta", "fernandez_huerta", LANGUAGE)
add("crawford_grade", "crawford", LANGUAGE)
add("gutierrez_polini", "gutierrez_polini")
add("eflaw_score", "mcalpine_eflaw")
