"""A skipped test is named at the end of a run, and fails it where CI runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SKIPPED = "import pytest\n\n@pytest.mark.skip(reason='no such device')\ndef test_a_device(): ...\n\ndef test_b(): ...\n"


@pytest.mark.parametrize(("workers", "ci", "code"), [("0", "true", 1), ("1", "true", 1), ("0", "", 0)])
def test_a_skip_is_loud_and_fails_ci(tmp_path: Path, workers: str, ci: str, code: int) -> None:
    shutil.copy(TESTS / "conftest.py", tmp_path)
    (tmp_path / "test_device.py").write_text(SKIPPED, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        workers,
        "-c",
        os.devnull,
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    run = subprocess.run(command, env={**os.environ, "CI": ci}, capture_output=True, text=True, check=False)
    assert run.returncode == code, run.stdout
    assert "NOT TESTED" in run.stdout
    assert "no such device" in run.stdout
