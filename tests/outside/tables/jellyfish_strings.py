"""Distances of texts and codes of names by jellyfish."""

from __future__ import annotations

from importlib.metadata import version

import jellyfish
from oracle import OracleTable

TABLE = OracleTable("jellyfish", version("jellyfish"))
WORDS = [
    "MARTHA", "MARHTA", "DWAYNE", "DUANE", "DIXON", "DICKSONX", "kitten", "sitting", "Saturday", "Sunday",
    "ca", "abc", "a cat", "an act", "night", "nacht", "context", "contact", "receive", "recieve", "teh", "the",
    "industry", "interest", "Jellyfish", "Smellyfish", "Michelle", "Michael", "banana", "ananas", "Ångström", "",
]  # fmt: skip
NAMES = [
    "Robert", "Rupert", "Rubin", "Ashcraft", "Ashcroft", "Tymczak", "Pfister", "Honeyman", "Washington", "Lee",
    "Gutierrez", "Jackson", "VanDeusen", "Lloyd", "Catherine", "Kathryn", "Smyth", "Schmidt", "Oconnor", "Bwh",
]  # fmt: skip
TEXTS = {"first": WORDS, "second": WORDS}
for _name, _function in (
    ("damerau_levenshtein_distance", jellyfish.damerau_levenshtein_distance),
    ("jaro_similarity", jellyfish.jaro_similarity),
    ("jaro_winkler_similarity", jellyfish.jaro_winkler_similarity),
):
    TABLE.add(
        f"text_metrics.{_name}",
        f"jellyfish.{_function.__name__}",
        lambda first, second, find=_function: find(first, second),
        draws=TEXTS,
    )
TABLE.add("text_metrics.soundex", "jellyfish.soundex", lambda name: jellyfish.soundex(name), draws={"name": NAMES})
TABLE.add(
    "text_metrics.match_rating_code",
    "jellyfish.match_rating_codex",
    lambda name: jellyfish.match_rating_codex(name),
    draws={"name": NAMES},
)
