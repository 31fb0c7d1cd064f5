"""Recipes of CONTRIBUTING, followed in a copy of the package: a file is found by its place and nothing else is told."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

VERB = '''"""Say hello.

It says hello.
"""

import argparse

from service_nb.cli.verb import Reply, Verb


def run(arguments: argparse.Namespace) -> Reply:
    return Reply({"status": "ok"}, "hello from the copy")


VERB = Verb(run=run)
'''

EXPORT = '''
"""Rows as one word."""

from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, require_card


def export(material: ExportMaterial) -> bytes:
    return require_card(material, "A word")["kind"].encode()


FORMAT = ExportFormat(name="word", ending=".word", words="the kind of outcome", write=export)
'''

AGGREGATION = '''
"""The largest value, by another name."""

from dataclasses import replace

from service_nb.query.aggregations.max import AGGREGATION as MAX

AGGREGATION = replace(MAX, name="spread", label="spread", synonyms=())
'''


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(
        ROOT / "service_nb", tmp_path / "service_nb", ignore=shutil.ignore_patterns("__pycache__", "_*ext*")
    )
    return tmp_path


def run(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{copy}{os.pathsep}{ROOT / 'kernels'}"}
    return subprocess.run(
        [sys.executable, *words], cwd=copy, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def test_a_command_is_one_file(copy: Path) -> None:
    (copy / "service_nb" / "cli" / "greet.py").write_text(VERB, encoding="utf-8")
    assert "hello from the copy" in run(copy, "-m", "service_nb.cli.main", "greet").stdout
    assert re.search("greet +Say hello[.]", run(copy, "-m", "service_nb.cli.main", "--help").stdout)


def test_an_export_format_is_one_file(copy: Path) -> None:
    (copy / "service_nb" / "ledger" / "exports" / "word.py").write_text(EXPORT, encoding="utf-8")
    assert "word" in run(copy, "-m", "service_nb.cli.main", "export", "--help").stdout


def test_a_face_is_one_file(copy: Path) -> None:
    faces = copy / "service_nb" / "cards" / "faces"
    text = (
        (faces / "text.py").read_text(encoding="utf-8").replace("text/plain", "text/x-copy").replace('"text"', '"copy"')
    )
    (faces / "copied.py").write_text(text, encoding="utf-8")
    told = run(
        copy,
        "-c",
        "from service_nb.cards.faces import find_faces; print([face.mime for face in find_faces().values()])",
    )
    assert "text/x-copy" in told.stdout, told.stderr


def test_an_aggregation_is_a_name_and_one_file(copy: Path) -> None:
    schema = copy / "service_nb" / "schema" / "query.py"
    text = schema.read_text(encoding="utf-8")
    schema.write_text(text.replace('"median"', '"median", "spread"'), encoding="utf-8")
    (copy / "rows.csv").write_text("region,revenue\nnorth,3\nsouth,5\n", encoding="utf-8")
    ask = ("-m", "service_nb.cli.main", "ask", "rows.csv", "spread revenue")
    forgotten = run(copy, *ask)
    assert forgotten.returncode != 0
    assert "spread" in forgotten.stderr
    (copy / "service_nb" / "query" / "aggregations" / "spread.py").write_text(AGGREGATION, encoding="utf-8")
    answered = run(copy, *ask)
    assert answered.returncode == 0, answered.stderr
    assert "5" in answered.stdout
