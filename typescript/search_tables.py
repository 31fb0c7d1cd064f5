"""Write what the search of capabilities in `packages/client` has of Python's: limits, weights, words and synonyms."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from service_nb.compute import capability_index as index

TABLES = Path(__file__).resolve().parent / "packages" / "client" / "src" / "compute" / "search-tables.ts"
CONSTANTS: Mapping[str, tuple[str, object]] = {
    "LIMITS": (
        "Characters and words of a query, hits, words that one word may begin, names in place of an unknown one.",
        {
            "query": index.MAX_QUERY,
            "words": index.MAX_WORDS,
            "hits": index.MAX_LIMIT,
            "prefixed": index.MOST_PREFIXED,
            "keyed": index.MOST_KEYED,
            "matches": index.MOST_MATCHES,
        },
    ),
    "STOP": ("Words of a query that tell nothing.", sorted(index._STOP)),  # noqa: SLF001
    "WEIGHTS": ("What a word counts by where it stands.", index._WEIGHTS),  # noqa: SLF001
    "BM25": ("Its parameters k1 and b.", {"saturation": index._SATURATION, "length": index._LENGTH}),  # noqa: SLF001
    "ALIKE": ("Of two close names: twice the letters in common, of all that both have.", index._ALIKE),  # noqa: SLF001
    "SHARES": (
        "What a word counts that another begins with, is spelt like, or means.",
        {"prefix": index._PREFIX, "spelling": index._SPELLING, "synonym": index._SYNONYM},  # noqa: SLF001
    ),
    "BONUSES": (
        "Added where the query is a name, a function's name, or means one; no score of words comes near these.",
        {name: getattr(index, f"_{name.upper()}") for name in ("named", "function", "meant", "keyed", "general")},
    ),
    "GENERAL": ("Fields whose function is meant where several have one name.", index._FIELDS),  # noqa: SLF001
    "LEAST": (
        "What is left of a score where the fewest words of the query are met, or of the function's name.",
        {"covered": index._COVERED, "fitting": index._FITTING},  # noqa: SLF001
    ),
    "SYNONYMS": ("What people say, and the words of the contract that they may mean.", [*index.SYNONYMS.items()]),
}


def write_outputs() -> Iterator[tuple[Path, str]]:
    """Yield the file, with its text."""
    parts = ["// Written by typescript/shapes.py from service_nb/compute/capability_index.py.\n"]
    for name, (about, value) in CONSTANTS.items():
        parts.append(f"/** {about} */\nexport const {name} = {json.dumps(value, indent=2)} as const;\n")
    yield TABLES, "\n".join(parts)
