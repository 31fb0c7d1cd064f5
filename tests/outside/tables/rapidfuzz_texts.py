"""Distances of strings of RapidFuzz."""

# fmt: off
from __future__ import annotations

import rapidfuzz
from oracle import OracleTable
from rapidfuzz.distance import Levenshtein

TABLE = OracleTable("rapidfuzz", rapidfuzz.__version__)
WORDS = ["kitten", "sitting", "saturday", "sunday", "flaw", "lawn", "intention", "execution", "", "a", "abcdef", "azced"]
TABLE.add("optimization.edit_distance", "rapidfuzz.distance.Levenshtein.distance", lambda a, b: Levenshtein.distance(a, b), draws={"a": WORDS, "b": WORDS})
