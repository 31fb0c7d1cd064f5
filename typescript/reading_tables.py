"""Write the rules of Python's readers that those of `packages/client` follow, and the words of notes on a reading."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

from service_nb.query.aggregations.aggregation import AS_READ, UNROUNDED
from service_nb.readers import (
    alike_texts,
    changed_texts,
    columns,
    conversions,
    decimal_texts,
    delimited,
    detect,
    doubtful_rows,
    envelopes,
    remarks,
    sentinels,
    sqlite_files,
    text_forms,
    totals,
)
from service_nb.readers import misplaced_descriptors as misplaced
from service_nb.readers import text_reasons as reasons
from service_nb.readers.descriptor import ALIASES, KEYS
from service_nb.schema.reading_notes import CHANGING, MOST_COLUMNS, MOST_NOTES, NOTE_KINDS
from service_nb.schema.source import DEFAULT_LIMITS

PACKAGES = Path(__file__).resolve().parent / "packages"
READERS = PACKAGES / "client" / "src" / "readers"
RECORDS = PACKAGES / "records" / "src"
LIMITS = ("text_bytes", "json_bytes", "columns", "name_chars", "cell_chars", "cells", "inflate_ratio", "groups")


def write_rules() -> str:
    """Write the module `rules.ts`."""
    limits = dataclasses.asdict(DEFAULT_LIMITS)
    of_python = ("excel", "parquet", "arrow_ipc")
    parts: dict[str, object] = {
        "LIMITS": {name: limits[name] for name in LIMITS},
        "FREE_CELLS": columns.FREE_CELLS,
        "HEAD": conversions.HEAD,
        "PATTERNS": {kind: pattern.replace("(?i:", "(?:") for kind, pattern in conversions.PATTERNS.items()},
        "WIDER": {kind: list(kinds) for kind, kinds in conversions.WIDER.items()},
        "SPECIAL": text_forms.SPECIAL,
        "PLACES": [decimal_texts.LEAST_PLACES, decimal_texts.MOST_PLACES],
        "WIDTHS": [decimal_texts.SHORT, decimal_texts.LONG],
        "MOST_PERCENT": conversions.MOST_PERCENT,
        "MOST_CURRENCY": text_forms.MOST_CURRENCY,
        "BLANKS": text_forms.BLANKS,
        "THIN": text_forms._THIN,  # noqa: SLF001
        "ALIKE": text_forms._ALIKE,  # noqa: SLF001
        "THOUSANDS": list(text_forms.THOUSANDS),
        "DECIMALS": list(text_forms.DECIMALS),
        "DATE_PARTS": {key: list(part) for key, part in text_forms._PARTS.items() if key != "%b"},  # noqa: SLF001
        "MONTHS": list(text_forms._MONTHS),  # noqa: SLF001
        "FORMS": "|".join(each.decimal + (each.thousands or "") for each in reasons._NUMBERS),  # noqa: SLF001
        "GROUPING": "|".join(reasons._THOUSANDS),  # noqa: SLF001
        "DATE_FORMS": "|".join([*reasons._DATES, *reasons._SHORT_DAYS]),  # noqa: SLF001
        "CURRENCY": reasons._CURRENCY,  # noqa: SLF001
        "REASONS": {
            "enough": reasons._ENOUGH,  # noqa: SLF001
            "sample": reasons._SAMPLE,  # noqa: SLF001
            "longestDate": reasons._LONGEST_DATE,  # noqa: SLF001
            "missing": reasons.MOST_MISSING,
            "missingChars": reasons.MOST_MISSING_CHARS,
        },
        "DELIMITERS": delimited.DELIMITERS,
        "TOTALS": {
            "words": list(totals.TOTAL_WORDS),
            "names": list(totals.NAME_WORDS),
            "above": totals.ABOVE_TOTAL,
            "named": float(totals.NEAR_NAMED),
            "near": float(totals.NEAR),
            "pattern": totals.TOTAL_PATTERN,
            "average": totals.AVERAGE_PATTERN,
            "rows": totals.MOST_ROWS,
        },
        "REMARKS": {"pattern": remarks.REMARK_PATTERN, "width": remarks.REMARK_WIDTH, "most": remarks.MOST_REMARKS},
        "SENTINELS": {
            "nines": list(sentinels.SENTINELS),
            "fills": list(sentinels.FILLS),
            "codes": list(sentinels.CODES),
            "farAbove": sentinels.FAR_ABOVE,
            "farTimes": sentinels.FAR_TIMES,
            "once": sentinels.ONCE,
            "huge": sentinels.HUGE,
            "marks": sentinels.MOST_MARKS,
        },
        "MARKED_DAYS": list(sentinels.MARKED_DAYS),
        "FAR_DAYS": sentinels.FAR_DAYS,
        "PAGES": {
            "page": sorted(envelopes._PAGE),  # noqa: SLF001
            "answer": sorted(envelopes._ANSWER),  # noqa: SLF001
            "levels": envelopes.MOST_LEVELS,
            "members": envelopes.MOST_MEMBERS,
        },
        "YEARS": list(doubtful_rows.YEARS),
        "CHANGES": {
            "safe": changed_texts.SAFE_CHARS,
            "most": changed_texts.MOST_DIGITS,
            "shown": changed_texts.MOST_CHARS,
        },
        "CODE": changed_texts.CODE,
        "UNSEEN": alike_texts.UNSEEN,
        "JOINERS": alike_texts.JOINERS,
        "OTHER_SCRIPTS": alike_texts.OTHER_SCRIPTS,
        "WITHIN": alike_texts.WITHIN,
        "APART": {"most": alike_texts.MOST_SHOWN, "before": alike_texts.MOST_BEFORE},
        "BLOCK": delimited.BLOCK,
        "HEADER_BYTES": delimited.QUOTE_BLOCK,
        "ENDINGS": {kind: list(reader.endings) for kind, reader in detect.READERS.items() if reader.endings},
        "OF_PYTHON": list(of_python),
        "SQLITE": {"most_sql": sqlite_files.MOST_SQL, "functions": " ".join(sorted(sqlite_files.FUNCTIONS))},
        "SQLITE_ENDINGS": list(detect.SQLITE),
        "SECRET_KEYS": sorted(misplaced._SECRET_KEYS),  # noqa: SLF001
        "STRING_KEYS": sorted(misplaced._STRING_KEYS),  # noqa: SLF001
        "PLACE_KEYS": sorted(misplaced._PLACE_KEYS),  # noqa: SLF001
        "DESCRIPTOR_KEYS": sorted({*map(misplaced._normalise_key, KEYS), *misplaced._OPTION_KEYS}),  # noqa: SLF001
        "CONNECTOR_TYPES": {name: ALIASES.get(name, name) for name in sorted(misplaced._TYPES)},  # noqa: SLF001
    }
    head = "// Written by typescript/shapes.py from service_nb/readers.\n"
    return head + "".join(
        f"\nexport const {name} = {json.dumps(value, indent=2)} as const;\n" for name, value in parts.items()
    )


def write_note_kinds() -> str:
    """Write the module `reading-note-kinds.ts`: the words of notes on a reading."""
    words = ("says", "example")
    parts: dict[str, object] = {
        "NOTE_KINDS": {
            name: {key: text for key, text in kind._asdict().items() if key in words and text}
            for name, kind in NOTE_KINDS.items()
        },
        "NOTE_SHORTS": {name: kind.short for name, kind in NOTE_KINDS.items()},  # which a page that asks does not load
        "NOTE_ADVICE": {name: kind.advice for name, kind in NOTE_KINDS.items() if kind.advice},
        "NOTES_OF_ROWS": [name for name, kind in NOTE_KINDS.items() if kind.of_rows],
        "CHANGING": list(CHANGING),
        "MOST_NOTES": MOST_NOTES,
        "MOST_COLUMNS": MOST_COLUMNS,
        "UNROUNDED": UNROUNDED,
        "AS_READ": AS_READ,
    }
    head = "// Written by typescript/shapes.py from service_nb/schema/reading_notes.py.\n"
    return head + "".join(
        f"\nexport const {name} = {json.dumps(value, indent=2)} as const;\n" for name, value in parts.items()
    )


def write_outputs() -> Iterator[tuple[Path, str]]:
    """Yield what is written, each path with its text."""
    yield READERS / "rules.ts", write_rules()
    yield RECORDS / "reading-note-kinds.ts", write_note_kinds()
