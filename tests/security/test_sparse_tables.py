"""A few rows of many names: little to read and gigabytes to hold. Refused before a table is made of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from service_nb.readers.dataset import ReadOptions
from service_nb.readers.detect import read
from service_nb.schema.source import Limits
from tests.simulators.little_memory import read_with_little_memory

LIMIT = "limit_exceeded"


def sparse(rows: int, columns: int) -> list[dict[str, int]]:
    """Rows of one value each, in as many columns as there may be: 800 million cells of less than three megabytes."""
    return [{f"k{number % columns}": 1} for number in range(rows)]


@pytest.mark.parametrize(("rows", "columns"), [(200_000, 4_000), (20_000, 4_096), (50_000, 300)])
def test_sparse_rows_are_refused(rows: int, columns: int, tmp_path: Path, refused: Any) -> None:
    table = sparse(rows, columns)
    document, lines = tmp_path / "data.json", tmp_path / "data.ndjson"
    document.write_text(json.dumps(table))
    lines.write_text("\n".join(map(json.dumps, table)))
    for source in (table, {"records": table}, document, lines):
        refused(source, LIMIT, limit_name="inflate_ratio", value=columns)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="measures its memory as Linux tells it")
@pytest.mark.parametrize(
    ("rows", "columns", "text"),
    [
        (200_000, 4_000, ""),
        (20_000, 4_096, ""),
        (50_000, 300, ""),
        (60_000, 4_000, ":" * 80),
        (60_000, 4_000, '":' * 40),
    ],
)
def test_sparse_rows_of_a_file_are_refused_within_512_megabytes(
    rows: int, columns: int, text: str, tmp_path: Path
) -> None:
    """Texts may look like members."""
    table: list[dict[str, Any]] = [row | ({"text": text} if text else {}) for row in sparse(rows, columns)]
    (tmp_path / "data.json").write_text(json.dumps(table))
    (tmp_path / "data.ndjson").write_text("\n".join(map(json.dumps, table)))
    found = read_with_little_memory(tmp_path.iterdir())
    assert [each["code"] for each in found.values()] == [LIMIT] * 2


def test_sparse_sheet_is_refused(tmp_path: Path, refused: Any) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append([f"c{number}" for number in range(4_096)])
    for _ in range(3_000):
        sheet.append([1])
    path = tmp_path / "data.xlsx"
    book.save(path)
    refused(path, LIMIT, limit_name="inflate_ratio")


def test_wide_tables_that_are_small_or_filled_are_read(tmp_path: Path) -> None:
    assert read(sparse(2_000, 2_000), ReadOptions()).row_count == 2_000
    filled = [{f"k{number}": number for number in range(100)} | {f"o{row % 900}": 1} for row in range(11_000)]
    assert read(filled, ReadOptions()).row_count == 11_000


def test_bound_is_raised_by_the_caller() -> None:
    table = sparse(12_000, 900)
    assert read(table, ReadOptions(limits=Limits(inflate_ratio=900))).row_count == 12_000
