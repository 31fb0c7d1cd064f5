from __future__ import annotations

import datetime
import math
import subprocess
import sys
from decimal import Decimal
from itertools import pairwise
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.errors import ServiceError, SourceMalformedError
from service_nb.readers.columns import view_numbers
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.detect import read

DAY, TIME = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 10, 0, 0, 1)  # noqa: DTZ001
TABLE = pa.table(
    {
        "n": pa.array([1, None, -3]),
        "x": pa.array([1.5, None, -0.0]),
        "s": pa.array(["north", None, ""]),
        "f": pa.array([True, None, False]),
        "p": pa.array([Decimal("1.50"), None, Decimal("-2.25")]),
        "d": pa.array([DAY, None, DAY]),
        "t": pa.array([TIME, None, TIME], pa.timestamp("us")),
    }
)


def connect(frame: Any, **options: Any) -> Dataset:
    return read(frame, ReadOptions(**options))


def rows(frame: Any, **options: Any) -> list[dict[str, Any]]:
    table = connect(frame, **options).table
    assert table is not None
    found: list[dict[str, Any]] = table.to_pylist()
    return found


@pytest.mark.parametrize(
    "frame",
    [
        TABLE,
        TABLE.to_batches()[0],
        TABLE.to_reader(),
        pl.from_arrow(TABLE),
        TABLE.to_pandas(types_mapper=pd.ArrowDtype),
        pa.concat_tables([TABLE.slice(0, 1), TABLE.slice(1, 0), TABLE.slice(1, 2)]),
        pa.concat_tables([TABLE, TABLE]).slice(3, 3),
        TABLE.set_column(2, "s", TABLE["s"].dictionary_encode()),
        TABLE.set_column(2, "s", TABLE["s"].cast(pa.large_string())),
        TABLE.set_column(2, "s", TABLE["s"].cast(pa.string_view())),
        TABLE.set_column(0, "n", TABLE["n"].cast(pa.int8())),
        TABLE.set_column(1, "x", TABLE["x"].cast(pa.float16())),
        TABLE.set_column(5, "d", TABLE["d"].cast(pa.date64())),
        TABLE.set_column(6, "t", TABLE["t"].cast(pa.timestamp("ns"))),
    ],
    ids=lambda frame: type(frame).__module__ + "." + type(frame).__name__,
)
def test_same_values_have_the_same_digest_in_every_frame(frame: Any) -> None:
    table, found = connect(TABLE), connect(frame)
    assert found.fields == table.fields
    assert found.table is not None
    assert found.table.to_pylist() == TABLE.to_pylist()
    assert found.content == table.content


def test_relation_of_duckdb_is_a_frame() -> None:
    with duckdb.connect() as connection:
        relation = connection.from_arrow(TABLE)
        assert connect(relation).content == connect(TABLE).content


def test_what_lies_under_a_null_is_not_hashed() -> None:
    mask = pa.py_buffer(b"\x05")
    arrays = [pa.Array.from_buffers(pa.int64(), 3, [mask, pa.py_buffer(np.array([1, junk, 3]))]) for junk in (0, 77)]
    assert connect(pa.table({"a": arrays[0]})).content == connect(pa.table({"a": arrays[1]})).content


def test_every_spelling_of_nan_has_one_digest() -> None:
    bits = np.array([0x7FF8000000000000, 0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64)
    assert len({connect(pa.table({"a": pa.array([nan])})).content.sha256 for nan in bits}) == 1


@given(st.lists(st.none() | st.text(max_size=5), min_size=1), st.lists(st.integers(0, 30), max_size=4))
def test_digest_does_not_depend_on_chunks(texts: list[str | None], cuts: list[int]) -> None:
    whole = pa.table({"a": pa.array(texts, pa.string())})
    edges = [0, *sorted(min(cut, len(texts)) for cut in cuts), len(texts)]
    pieces = pa.concat_tables([whole.slice(a, b - a) for a, b in pairwise(edges)])
    assert connect(pieces).content == connect(whole).content


@pytest.mark.parametrize(
    ("array", "physical", "value"),
    [
        (pa.array([2**64 - 1], pa.uint64()), "decimal(20,0)", Decimal(2**64 - 1)),
        (pa.array([255], pa.uint8()), "int64", 255),
        (pa.array([0.1], pa.float32()), "float64", float(np.float32(0.1))),
        (pa.array([Decimal("1.5")], pa.decimal256(40, 1)), "decimal(38,1)", Decimal("1.5")),
        (pa.array([Decimal(1200)], pa.decimal128(3, -2)), "decimal(5,0)", Decimal(1200)),
        (pa.array([TIME], pa.timestamp("us", "Asia/Tokyo")), "datetime", TIME),
        (pa.array([datetime.datetime(2024, 2, 29)], pa.timestamp("s")), "datetime", datetime.datetime(2024, 2, 29)),  # noqa: DTZ001
        (pa.array([None], pa.null()), "string", None),
        (pa.array([datetime.time(10)]), "string", "10:00:00"),
        (pa.array([[1, None]]), "string", "[1,null]"),
        (pa.array([{"b": 1, "a": "x"}]), "string", '{"a":"x","b":1}'),
        (pa.array([5, 5]).dictionary_encode(), "int64", 5),
        (pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array(["x"])), "string", "x"),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_type_of_arrow_becomes_a_physical_type(array: pa.Array, physical: str, value: Any) -> None:
    found = connect(pa.table({"a": array}))
    assert found.fields[0].physical == physical
    assert found.table is not None
    assert found.table["a"][0].as_py() == value


@pytest.mark.parametrize(
    "array",
    [
        pa.array([b"x"]),
        pa.array([1], pa.timestamp("ns")),
        pa.array([Decimal(10**39)]),
        pa.array([1], pa.time64("ns")),
    ],
    ids=lambda array: str(array.type),
)
def test_column_that_would_lose_something_is_refused(array: pa.Array) -> None:
    with pytest.raises(SourceMalformedError) as caught:
        connect(pa.table({"fine": array.is_null(), "odd": array}))
    assert caught.value.details["column"] == "odd"


def test_missing_values_of_pandas_are_null() -> None:
    frame = pd.DataFrame(
        {
            "x": [1.5, np.nan],
            "o": pd.Series(["a", np.nan], dtype=object),
            "i": pd.array([1, None], dtype="Int64"),
            "t": pd.to_datetime(["2024-01-01", None]),
            "c": pd.Categorical(["u", None]),
        }
    )
    assert list(rows(frame)[1].values()) == [None] * 5
    assert [field.physical for field in connect(frame).fields] == ["float64", "string", "int64", "datetime", "string"]


def test_nan_of_arrow_stays_nan() -> None:
    assert math.isnan(rows(pa.table({"a": [math.nan]}))[0]["a"])


def test_index_of_pandas_is_left_out_and_said_to_be() -> None:
    plain, named = pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1]}, index=["x"])
    assert connect(plain).content == connect(named).content
    assert (len(connect(plain).notes), len(connect(named).notes)) == (0, 1)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(),
        pd.DataFrame({1: [1]}),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame({("a", "b"): [1]}),
        pd.DataFrame({"a": [1j]}),
        pd.DataFrame({"a": [object()]}),
        pd.DataFrame({"a": [pd.Timestamp(1)]}),
        pd.Series([1], name="a"),
        pl.Series("a", [1]),
        pl.LazyFrame({"a": [1]}),
        pa.array([1]),
        np.zeros((2, 2)),
    ],
    ids=lambda frame: type(frame).__name__,
)
def test_frame_that_is_no_table_is_refused(frame: Any) -> None:
    with pytest.raises(ServiceError) as caught:
        connect(frame)
    assert caught.value.code in ("source_malformed", "unsupported_source")


@pytest.mark.parametrize(
    ("value", "declared", "kept"),
    [
        (1, "float64", 1.0),
        (1, "string", "1"),
        (1.0, "int64", 1),
        (0.5, "decimal(5,2)", Decimal("0.50")),
        (datetime.datetime(2024, 1, 1), "date", datetime.date(2024, 1, 1)),  # noqa: DTZ001
        (1, "number", 1),
        ("1.5", "number", 1.5),
    ],
)
def test_declared_type_that_changes_no_value_is_taken(value: Any, declared: str, kept: Any) -> None:
    found = rows(pa.table({"a": [value]}), types={"a": declared})[0]["a"]
    assert (found, type(found)) == (kept, type(kept))


def test_text_of_many_rows_is_kept_in_chunks_that_32_bits_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    from service_nb.readers import physical

    monkeypatch.setattr(physical, "_MOST_CHUNK", 100)
    texts = [f"text {number}" for number in range(200)]
    found = physical._cast_strings(pa.chunked_array([pa.array(texts, pa.large_string())]))
    assert found.to_pylist() == texts
    assert found.num_chunks > 10
    assert found.type == pa.string()


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.int8(), pa.uint64(), pa.int32()], ids=str)
@pytest.mark.parametrize("chunks", [[], [[]], [[1, 2, 3]], [[1], [], [2, 3]]], ids=str)
def test_numbers_are_viewed_as_they_are_however_they_are_chunked(kind: pa.DataType, chunks: list[list[int]]) -> None:
    column = pa.chunked_array([pa.array([9, *chunk], kind).slice(1) for chunk in chunks], kind)
    found = view_numbers(column)
    assert found.dtype == kind.to_pandas_dtype()
    assert found.tolist() == [number for chunk in chunks for number in chunk]


def test_a_table_of_arrow_is_asked_without_pandas() -> None:
    code = """
import array, sys
import pyarrow as pa, service_nb
column = pa.Array.from_buffers(pa.float64(), 2, [None, pa.py_buffer(array.array("d", [0.5, 2.0]))])
service = service_nb.create_service(ledger="off")
service.connect(pa.Table.from_arrays([column], names=["x"]), name="numbers")
print(service.ask("sum x from numbers").rows[0]["x"], "pandas" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "2.5 False\n"
