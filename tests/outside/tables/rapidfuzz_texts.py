"""Distances of strings of RapidFuzz."""

# fmt: off
from __future__ import annotations

import rapidfuzz
from oracle import OracleTable
from rapidfuzz.distance import OSA, Levenshtein

TABLE = OracleTable("rapidfuzz", rapidfuzz.__version__)
WORDS = ["kitten", "sitting", "saturday", "sunday", "flaw", "lawn", "intention", "execution", "", "a", "abcdef", "azced"]
TABLE.add("optimization.edit_distance", "rapidfuzz.distance.Levenshtein.distance", lambda a, b: Levenshtein.distance(a, b), draws={"a": WORDS, "b": WORDS})
TYPOS = ["ca", "abc", "kitten", "sitting", "a cat", "an act", "receive", "recieve", "teh", "the", "banana", "ananas"]
TABLE.add("text_metrics.string_alignment_distance", "rapidfuzz.distance.OSA.distance", lambda first, second: OSA.distance(first, second), draws={"first": TYPOS, "second": TYPOS})
