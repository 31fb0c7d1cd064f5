"""Parquet scanned in place: what its footers claim is neither an answer nor the end of the process."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from service_nb import create_service
from service_nb.errors import SourceMalformedError


def result(path: Path, question: str) -> list[dict[str, Any]]:
    service = create_service(project=path.parent)
    service.connect(path, name="data")
    try:
        rows: list[dict[str, Any]] = service.ask(question)["data"]["result"]
        return rows
    finally:
        service.close()


def written(folder: Path, **columns: pa.Array) -> Path:
    path = folder / "data.parquet"
    pq.write_table(pa.table(columns), path, use_dictionary=False, compression="none")
    return path


def with_footer(path: Path, true: bytes, claimed: bytes) -> None:
    """Replace bytes in the footer of a file, and nowhere else."""
    data = path.read_bytes()
    start = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    assert true in data[start:]
    path.write_bytes(data[:start] + data[start:].replace(true, claimed))


def test_extremes_are_those_of_the_values_not_of_the_footer(tmp_path: Path) -> None:
    path = written(tmp_path, n=pa.array([5, 77_777, 9]), day=pa.array([1, 20_000, 2], pa.int32()).cast(pa.date32()))
    with_footer(path, struct.pack("<q", 77_777), struct.pack("<q", 50))
    with_footer(path, struct.pack("<i", 20_000), struct.pack("<i", 3))
    assert result(path, "max n")[0]["n"] == 77_777
    assert result(path, "max day")[0]["day"] == "2024-10-04"


def test_date_outside_the_calendar_is_refused_though_the_footer_denies_it(tmp_path: Path) -> None:
    path = written(tmp_path, day=pa.array([1, 4_000_000], pa.int32()).cast(pa.date32()))  # in the year 12921
    with_footer(path, struct.pack("<i", 4_000_000), struct.pack("<i", 3))
    for question in ("max day", "count by day"):
        with pytest.raises(SourceMalformedError):
            result(path, question)


def test_column_that_contradicts_its_statistics_does_not_end_the_process(tmp_path: Path) -> None:
    path = written(tmp_path, x=pa.array([1.5, None, 2.5]))
    # A schema element: the repetition, then the name. Optional becomes required; the histogram of levels is as it was.
    with_footer(path, b"\x25\x02\x18\x01x", b"\x25\x00\x18\x01x")
    with pytest.raises(SourceMalformedError):
        result(path, "sum x")


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "+05:00", "America/New_York"])
def test_times_of_every_unit_and_zone_are_what_arrow_says(unit: str, zone: str | None, tmp_path: Path) -> None:
    times = pa.array(["1900-01-01T00:00:01", "2024-07-01T12:30", None]).cast(pa.timestamp("s"))
    path = written(tmp_path, t=times.cast(pa.timestamp(unit, zone)))  # which takes them for UTC
    assert result(path, "max t")[0]["t"] == "2024-07-01T12:30:00"
    assert result(path, "min t")[0]["t"] == "1900-01-01T00:00:01"
    assert [row["count"] for row in result(path, "count by t")] == [1, 1, 1]
