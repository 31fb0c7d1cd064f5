"""The records of aggregations as TypeScript: `python -m tests.tools.aggregations` writes the modules anew.

A contract test compares them with the registry, so that no package can miss an aggregation.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from service_nb.query.aggregations import RECORDS
from service_nb.query.aggregations.base import Aggregation

PACKAGES = Path(__file__).resolve().parents[2] / "labextension" / "packages"
ORIGIN = "// Written by `python -m tests.tools.aggregations` from service_nb/query/aggregations.\n"


def _shown(record: Aggregation) -> dict[str, Any]:
    """What follows from a plan: how its result is held, and its words."""
    return {
        "accepts": record.accepts,
        "held": record.held,
        "noun": record.noun,
        "step": record.step,
        "rowsStep": record.rows_step,
    }


def _chosen(record: Aggregation) -> dict[str, Any]:
    """What a form offers."""
    return {"accepts": record.accepts, "label": record.label, "help": record.help}


def modules() -> dict[Path, str]:
    """Return the text of each module by its path."""
    parts = {"records": _shown, "panel": _chosen}
    return {PACKAGES / name / "src" / "aggregations.ts": _module(part) for name, part in parts.items()}


def _module(part: Any) -> str:
    table = {name: part(record) for name, record in RECORDS.items()}
    return f"{ORIGIN}export const AGGREGATIONS = {json.dumps(table, ensure_ascii=False, indent=2)} as const;\n"


if __name__ == "__main__":
    for path, text in modules().items():
        path.write_text(text, encoding="utf-8")
