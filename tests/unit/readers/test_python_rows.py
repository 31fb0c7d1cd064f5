"""Rows of Python objects, JSON documents and JSON lines."""

from __future__ import annotations

import datetime
import hashlib
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.detect import read

UTC = datetime.UTC


def column(values: list[Any], **options: Any) -> tuple[str, list[Any], tuple[str, ...]]:
    """Type, values and notes of one column of rows."""
    found = read([{"c": value} for value in values], ReadOptions(**options))
    assert found.table is not None
    return found.fields[0].physical, found.table.column("c").to_pylist(), found.notes


@pytest.mark.parametrize(
    ("values", "kind", "kept"),
    [
        ([1, None, -3], "int64", [1, None, -3]),
        ([2**53 + 1, 2**63 - 1], "int64", [2**53 + 1, 2**63 - 1]),
        ([2**63, 1], "decimal(38,0)", [Decimal(2**63), Decimal(1)]),
        ([10**38 - 1], "decimal(38,0)", [Decimal(10**38 - 1)]),
        ([1, 2.5], "float64", [1.0, 2.5]),
        ([Decimal("1.10"), 2], "decimal(3,2)", [Decimal("1.10"), Decimal("2.00")]),
        ([True, None], "boolean", [True, None]),
        (["x", None], "string", ["x", None]),
        (["1", "2"], "string", ["1", "2"]),
        (["2024-01-01", None], "date", [datetime.date(2024, 1, 1), None]),
        (["2024-01-01T10:00:00Z"], "datetime", [datetime.datetime(2024, 1, 1, 10)]),  # noqa: DTZ001
        (["2024-01-01", "soon"], "string", ["2024-01-01", "soon"]),
        ([datetime.date(2024, 1, 1)], "date", [datetime.date(2024, 1, 1)]),
        ([datetime.datetime(2024, 1, 1, 5, tzinfo=UTC)], "datetime", [datetime.datetime(2024, 1, 1, 5)]),  # noqa: DTZ001
        ([None, None], "string", [None, None]),
        ([float("inf"), 1], "float64", [float("inf"), 1.0]),
        ([np.int64(3), np.float32(0.5)], "float64", [3.0, 0.5]),
        ([np.bool_(True)], "boolean", [True]),
        ([pd.Timestamp("2024-01-01 10:00"), pd.NaT], "datetime", [datetime.datetime(2024, 1, 1, 10), None]),  # noqa: DTZ001
        ([np.datetime64("2024-01-01T10:00:00.000000000")], "datetime", [datetime.datetime(2024, 1, 1, 10)]),  # noqa: DTZ001
    ],
)
def test_column_is_typed_by_all_its_values(values: list[Any], kind: str, kept: list[Any]) -> None:
    found = column(values)
    assert found[:2] == (kind, kept)
    assert [type(value) for value in found[1]] == [type(value) for value in kept]


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([1, "x"], ["1", "x"]),
        ([True, 1], ["true", "1"]),
        ([1.5, "x", None], ["1.5", "x", None]),
        ([{"b": 1, "a": [2]}, [1, "x"]], ['{"a":[2],"b":1}', '[1,"x"]']),
        ([10**38], [str(10**38)]),
        ([datetime.time(10), datetime.time(11, 30)], ["10:00:00", "11:30:00"]),
        ([datetime.date(2024, 1, 1), 1], ["2024-01-01", "1"]),
    ],
)
def test_mixed_column_is_text_and_says_so(values: list[Any], kept: list[Any]) -> None:
    kind, found, notes = column(values)
    assert (kind, found) == ("string", kept)
    assert len(notes) == 1
    assert notes[0].startswith("c: read as text, because it holds ")


@pytest.mark.parametrize("values", [["FALSE"], ["true", "false"], ["1", "2"], ["nan", "inf"]])
def test_texts_that_read_like_values_stay_texts_without_a_reason(values: list[str]) -> None:
    found = read([{"c": value} for value in values], ReadOptions())
    assert (found.fields[0].physical, [*found.reasons]) == ("string", [])


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)))
def test_whole_numbers_stay_exact(values: list[int | None]) -> None:
    if values:
        assert column(values)[1] == values


def test_all_shapes_of_rows_are_the_same_table(tmp_path: Path) -> None:
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    shapes: dict[str, Any] = {
        "list": rows,
        "tuple": tuple(rows),
        "records": {"records": rows},
        "columns": {"a": [1, 2], "b": ["x", None]},
        "missing key": [{"a": 1, "b": "x"}, {"a": 2}],
    }
    found = {name: read(shape, ReadOptions()) for name, shape in shapes.items()}
    assert len({dataset.content.sha256 for dataset in found.values()}) == 1
    assert {dataset.content.algorithm for dataset in found.values()} == {"sha256-arrow"}
    for name, shape in shapes.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(shape))
        dataset = read(path, ReadOptions())
        assert dataset.table == found["list"].table
        assert dataset.content.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_one_object_is_one_row() -> None:
    found = read({"a": 1, "b": [1, 2]}, ReadOptions())
    assert found.table is not None
    assert found.table.to_pylist() == [{"a": 1, "b": "[1,2]"}]


def test_lines_of_json_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "data.ndjson"
    path.write_bytes('\ufeff{"a": 9007199254740993}\r\n\n{"b": "é", "a": null}\n'.encode())
    found = read(path, ReadOptions())
    assert found.table is not None
    assert found.table.to_pylist() == [{"a": 9007199254740993, "b": None}, {"a": None, "b": "é"}]


def test_declared_type_of_texts_follows_the_rules_of_text_files() -> None:
    assert column(["1", "2"], types={"c": "int64"})[:2] == ("int64", [1, 2])
    assert column(["1.5", None], types={"c": "decimal(5,2)"})[:2] == ("decimal(5,2)", [Decimal("1.50"), None])
    assert column(["2024-01-01"], types={"c": "string"})[:2] == ("string", ["2024-01-01"])


def test_values_of_one_table_have_one_digest_and_others_another() -> None:
    def digest(rows: Any) -> str | None:
        dataset: Dataset = read(rows, ReadOptions())
        return dataset.content.sha256

    known = [
        digest(rows)
        for rows in (
            [{"a": 1}],
            [{"a": 1.0}],
            [{"a": "1"}],
            [{"a": True}],
            [{"b": 1}],
            [{"a": None}],
            [{"a": 0}],
            [{"a": 1}, {"a": 1}],
            [{"a": "x"}, {"a": "yz"}],
            [{"a": "xy"}, {"a": "z"}],
            [{"a": "", "b": 1}],
            [{"a": None, "b": 1}],
            [{"a": 0.0}],
            [{"a": -0.0}],
        )
    ]
    assert len(set(known)) == len(known)
