"""Write what the search of capabilities in `packages/client` has of Python's: limits, weights, words, foreign names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from service_nb.compute import capability_index as index
from service_nb.compute import foreign_names as foreign

COMPUTE = Path(__file__).resolve().parent / "packages" / "client" / "src" / "compute"
TABLES, NAMES = COMPUTE / "search-tables.ts", COMPUTE / "foreign-names-table.ts"
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
        {
            name: getattr(index, f"_{name.upper()}")
            for name in ("named", "function", "foreign", "meant", "keyed", "general")
        },
    ),
    "GENERAL": ("Fields whose function is meant where several have one name.", index._FIELDS),  # noqa: SLF001
    "LEAST": (
        "What is left of a score where the fewest words of the query are met, or of the function's name.",
        {"covered": index._COVERED, "fitting": index._FITTING},  # noqa: SLF001
    ),
    "WELL": ("The least score of the best hit, as a part of the rarity of the words, that fits well.", index._WELL),  # noqa: SLF001
    "LEAST_SLIP": ("Letters of a name of another library that may have one wrong.", index._LEAST_SLIP),  # noqa: SLF001
    "SYNONYMS": ("What people say, and the words of the contract that they may mean.", [*index.SYNONYMS.items()]),
}


def write_outputs() -> Iterator[tuple[Path, str]]:
    """Yield the files, with their texts."""
    parts = ["// Written by typescript/shapes.py from service_nb/compute/capability_index.py.\n"]
    for name, (about, value) in CONSTANTS.items():
        parts.append(f"/** {about} */\nexport const {name} = {json.dumps(value, indent=2)} as const;\n")
    yield TABLES, "\n".join(parts)
    yield NAMES, _write_names()


def _write_names() -> str:
    """Write the table of names of other libraries, a row a line."""
    table = foreign._read_table()  # noqa: SLF001
    lists: Mapping[str, tuple[str, list[Mapping[str, object]]]] = {
        "LIBRARIES": ("Library", [_describe_library(key, each) for key, each in table.libraries.items()]),
        "COUNTERPARTS": ("Counterpart", [_describe_counterpart(row) for row in table.counterparts]),
        "ABSENT": ("AbsentMethod", [_describe_absent(row) for row in table.absent]),
    }
    types = ", ".join(sorted({name for name, _ in lists.values()}))
    parts = [
        "// Written by typescript/shapes.py from service_nb/compute/foreign_names.json.\n",
        f'import type {{ {types} }} from "./foreign-names.js";\n',
        f"export const MOST_NAME = {foreign.MOST_NAME};",
        f"export const FILLERS: readonly string[] = {json.dumps(foreign.FILLERS)};",
        f"export const SAID: readonly (readonly [string, string])[] = {json.dumps([*table.said.items()])};",
    ]
    for name, (shape, rows) in lists.items():
        lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
        lines = lines.replace("`", "\\u0060").replace("${", "\\u0024{")
        # As JSON: the literal would be a union of more types than the compiler represents.
        parts.append(f"export const {name} = JSON.parse(String.raw`[\n{lines}\n]`) as readonly {shape}[];")
    return "\n".join(parts) + "\n"


def _describe_library(key: str, library: foreign.ForeignLibrary) -> Mapping[str, object]:
    told = {"key": key, "title": library.title, "openings": library.openings, "modules": library.modules}
    return told | {"isBare": library.is_bare, "isTongue": library.is_tongue}


def _describe_counterpart(row: foreign.Counterpart) -> Mapping[str, object]:
    told = {"library": row.library, "name": row.name, "capability": row.capability, "isSame": row.is_same}
    rest = {"difference": row.difference, "settings": row.settings, "variant": row.variant}
    return told | {key: value for key, value in rest.items() if value}


def _describe_absent(row: foreign.AbsentMethod) -> Mapping[str, object]:
    return {"name": row.name, "words": row.words, "nearest": row.nearest, "reason": row.reason}
