from __future__ import annotations

import datetime
import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from service_nb.errors import InvalidIntentError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.detect import read

DAY = datetime.date(2024, 2, 29)
TIME = datetime.datetime(2024, 2, 29, 10, 30)  # noqa: DTZ001


def saved(folder: Path, *rows: list[Any], title: str = "Sheet", more: tuple[str, ...] = ()) -> Path:
    book = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    for name in more:
        book.create_sheet(name).append(["other"])
    path = folder / "book.xlsx"
    book.save(path)
    return path


def table(dataset: Dataset) -> list[dict[str, Any]]:
    assert dataset.table is not None
    found: list[dict[str, Any]] = dataset.table.to_pylist()
    return found


def test_each_column_gets_its_type(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        ["n", "x", "s", "f", "d", "t", 2024],
        [1, 1.5, "a", True, DAY, TIME, "007"],
        [2, 2, None, False, None, DAY, None],
    )
    found = read(path, ReadOptions())
    assert [field.name for field in found.fields] == ["n", "x", "s", "f", "d", "t", "2024"]
    assert [field.physical for field in found.fields] == [
        *("int64", "float64", "string", "boolean", "date", "datetime", "string")
    ]
    assert table(found)[0] == {"n": 1, "x": 1.5, "s": "a", "f": True, "d": DAY, "t": TIME, "2024": "007"}
    assert found.content.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_empty_rows_and_columns_around_a_table_are_skipped(tmp_path: Path) -> None:
    path = saved(tmp_path, [], [None, None], ["a", "b", None], [1, 2, None], [None], [3, None, None, None], [])
    assert table(read(path, ReadOptions())) == [{"a": 1, "b": 2}, {"a": 3, "b": None}]


def test_sheet_is_said_when_there_are_several(tmp_path: Path) -> None:
    path = saved(tmp_path, ["a"], [1], title="one", more=("two",))
    with pytest.raises(InvalidIntentError) as caught:
        read(path, ReadOptions())
    assert caught.value.details["expected"] == ["one", "two"]
    with pytest.raises(InvalidIntentError) as caught:
        read(path, ReadOptions(sheet="on"))
    assert caught.value.details["did_you_mean"] == ["one"]
    assert table(read(path, ReadOptions(sheet="one"))) == [{"a": 1}]


def test_header_alone_is_a_table_without_rows(tmp_path: Path) -> None:
    found = read(saved(tmp_path, ["a", "b"]), ReadOptions())
    assert (found.row_count, len(found.fields)) == (0, 2)


def test_cells_with_errors_are_null_and_said_to_be(tmp_path: Path) -> None:
    found = read(saved(tmp_path, ["a"], [1], ["#N/A"], ["#DIV/0!"], [4]), ReadOptions())
    assert [row["a"] for row in table(found)] == [1, None, None, 4]
    assert len(found.notes) == 1
    assert "A3" in found.notes[0]


def test_formula_counts_by_its_stored_value(tmp_path: Path) -> None:
    path = saved(tmp_path, ["a"], ["=1+1"])
    stream = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"<v />", b"<v>2</v>").replace(b"<v></v>", b"<v>2</v>"))
    path.write_bytes(stream.getvalue())
    assert table(read(path, ReadOptions())) == [{"a": 2}]


def test_times_of_day_are_text_and_said_to_be(tmp_path: Path) -> None:
    found = read(saved(tmp_path, ["a"], [datetime.time(10, 30)]), ReadOptions())
    assert table(found) == [{"a": "10:30:00"}]
    assert len(found.notes) == 1


def test_declared_types_apply(tmp_path: Path) -> None:
    path = saved(tmp_path, ["a", "b"], [1, "2"], [3, "4"])
    found = read(path, ReadOptions(types={"a": "string", "b": "int64"}))
    assert table(found) == [{"a": "1", "b": 2}, {"a": "3", "b": 4}]


def test_size_that_a_sheet_states_of_itself_is_not_believed(tmp_path: Path) -> None:
    path = saved(tmp_path, ["a", "b"], [1, 2])
    stream = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'ref="A1:B2"', b'ref="A1:XFD1048576"'))
    path.write_bytes(stream.getvalue())
    assert table(read(path, ReadOptions())) == [{"a": 1, "b": 2}]
