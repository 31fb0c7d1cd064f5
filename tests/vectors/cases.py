"""Read the shared vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent


def document(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def params(name: str) -> list[Any]:
    """Return one pytest parameter for each case of a file, named after it."""
    cases = document(name)["cases"]
    return [pytest.param(case, id=str(case.get("name", number))) for number, case in enumerate(cases)]
