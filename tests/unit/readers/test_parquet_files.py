"""Parquet, scanned in place, and Arrow files, which are read."""

from __future__ import annotations

import datetime
import hashlib
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from service_nb.errors import SourceMalformedError
from service_nb.readers.dataset import ReadOptions
from service_nb.readers.detect import read

MOMENT = datetime.datetime(2024, 2, 29, 10, tzinfo=datetime.UTC)
TABLE = pa.table(
    {
        "n": pa.array([1, None], pa.int16()),
        "u": pa.array([2**64 - 1, None], pa.uint64()),
        "x": pa.array([0.5, None], pa.float32()),
        "p": pa.array([Decimal("1.5"), None]),
        "s": pa.array(["a", None]).dictionary_encode(),
        "f": [True, None],
        "d": [datetime.date(2024, 2, 29), None],
        "t": pa.array([MOMENT, None], pa.timestamp("ms", "Europe/Berlin")),
    }
)
PHYSICAL = ["int64", "decimal(20,0)", "float64", "decimal(2,1)", "string", "boolean", "date", "datetime"]


def test_file_is_described_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(TABLE, path)
    found = read(path, ReadOptions())
    assert [field.physical for field in found.fields] == PHYSICAL
    assert (found.row_count, found.table, found.parquet) == (2, None, (str(path.resolve()),))
    assert found.content.algorithm == "sha256-file"
    assert found.content.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.content.size == path.stat().st_size


def test_folder_and_pattern_are_one_source_with_the_digest_of_sha256sum(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("b/1.parquet", "a.parquet", "c.PARQUET", "_old.parquet", ".hidden.parquet"):
        pq.write_table(TABLE, tmp_path / name)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "notes.txt").touch()
    found = read(tmp_path, ReadOptions())
    assert [Path(path).relative_to(tmp_path).as_posix() for path in found.parquet or ()] == [
        *("a.parquet", "b/1.parquet", "c.PARQUET")
    ]
    assert found.row_count == 6
    assert found.content.algorithm == "sha256-files"
    listed = subprocess.run(
        ["sha256sum", "a.parquet", "b/1.parquet", "c.PARQUET"], cwd=tmp_path, capture_output=True, check=True
    )
    assert found.content.sha256 == hashlib.sha256(listed.stdout).hexdigest()
    assert read(f"{tmp_path}/*.parquet", ReadOptions()).row_count == 6  # the pattern says all that it matches
    assert read(f"{tmp_path}/**/[a1].parquet", ReadOptions()).row_count == 4


def test_digest_can_wait(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(TABLE, path)
    assert read(path, ReadOptions(defer_digest=True)).content.sha256 is None
    assert read(tmp_path, ReadOptions(defer_digest=True)).content.sha256 is None


def test_columns_that_no_question_can_be_about_are_left_out_and_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"a": [1], "b": [b"x"], "c": [[1]], "d": [{"x": 1}], "e": [datetime.time(1)]}), path)
    found = read(path, ReadOptions())
    assert [field.name for field in found.fields] == ["a"]
    assert [note.partition(":")[0] for note in found.notes] == ["b", "c", "d", "e"]


@pytest.mark.parametrize(("nanoseconds", "whole"), [([1_000, None, 2_000], True), ([1_000, 1], False)])
def test_nanoseconds_are_taken_when_none_would_be_lost(
    nanoseconds: list[int | None], whole: bool, tmp_path: Path
) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"t": pa.array(nanoseconds, pa.timestamp("ns"))}), path)
    if whole:
        assert read(path, ReadOptions()).fields[0].physical == "datetime"
    else:
        with pytest.raises(SourceMalformedError) as caught:
            read(path, ReadOptions())
        assert caught.value.details["column"] == "t"


def test_types_may_be_declared_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(TABLE, path)
    found = read(path, ReadOptions(types={"n": "number", "p": "decimal(2,1)", "s": "string"}))
    assert [field.physical for field in found.fields] == PHYSICAL


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("make", [pa.ipc.new_file, pa.ipc.new_stream])
def test_arrow_file_is_the_table_it_holds(make: Any, compression: str | None, tmp_path: Path) -> None:
    path = tmp_path / "data.arrow"
    with (
        path.open("wb") as sink,
        make(sink, TABLE.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as out,
    ):
        out.write_table(TABLE.slice(0, 1))
        out.write_table(TABLE.slice(1, 1))
    found = read(path, ReadOptions())
    assert [field.physical for field in found.fields] == PHYSICAL
    assert found.table is not None
    assert found.table == read(TABLE, ReadOptions()).table
    assert found.content.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_file_of_polars_is_read(tmp_path: Path) -> None:
    path = tmp_path / "data.ipc"
    frame = pl.DataFrame({"a": [1, 2], "b": ["x", None], "c": pl.Series(["u", "v"], dtype=pl.Categorical)})
    frame.write_ipc(path)
    found = read(path, ReadOptions()).table
    assert found is not None
    assert found.to_pylist() == frame.to_dicts()
