"""Queries of a small file of SQLite that would take gigabytes: each is refused, and the process stays small."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.security.greedy_sqlite import QUERIES, database
from tests.tools.sampling import sample

ROOT = Path(__file__).parents[2]
MOST = {"file": 800, "live": 1_500}  # megabytes: of Limits(memory_bytes=1 GiB); of a question to a live source


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return database(tmp_path_factory.mktemp("greedy") / "shop.db")


@pytest.mark.parametrize(("name", "way"), sample(product(QUERIES, MOST), 3))
def test_a_query_whose_values_would_fill_the_memory_is_refused_and_takes_little(
    name: str, way: str, path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.security.greedy_sqlite", way, str(path), name],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["code"] == "limit_exceeded", told
    assert told["limit"] in ("memory_bytes", "answer_chars", "cell_chars"), told
    assert told["megabytes"] < MOST[way], told
