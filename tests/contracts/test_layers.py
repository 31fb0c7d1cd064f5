"""The layers of the package hold, and the tool that holds them can fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    script = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    command = [sys.executable, "-c", script, "--no-cache", "--no-logo"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_every_import_points_downwards() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("schema/source.py", "import service_nb.query.spec"),
        ("query/spec.py", "import service_nb.cards.faces.text"),
        ("cards/text.py", "import time"),
        ("client/service.py", "import duckdb"),
        ("client/results.py", "import hashlib"),
        ("cli/ask.py", "import IPython"),
        ("stray.py", "import math"),
        ("readers/python_rows.py", "import service_nb.engines.duckdb"),
        ("core/digest.py", "import service_nb.schema.source"),
    ],
)
def test_an_import_that_points_elsewhere_is_found(tmp_path: Path, module: str, line: str) -> None:
    shutil.copytree(ROOT / "service_nb", tmp_path / "service_nb", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / "service_nb" / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    assert lint_imports(tmp_path).returncode == 1
