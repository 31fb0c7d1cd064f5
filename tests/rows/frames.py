"""Frames: types that a question has no word for are told, refused, or keep their values."""

import datetime
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tests.rows.case import Case

UTC = datetime.UTC


def made(make: Callable[[], Any]) -> Callable[[Path], Any]:
    return lambda folder: make()


def of_pandas(values: Any, **more: Any) -> Callable[[Path], Any]:
    return made(lambda: pd.DataFrame({"x": values() if callable(values) else values, **more}))


def of_polars(values: Any, dtype: Any = None) -> Callable[[Path], Any]:
    return made(lambda: pl.DataFrame({"x": pl.Series("x", values, dtype=dtype, strict=False)}))


def of_arrow(values: Any, dtype: Any) -> Callable[[Path], Any]:
    return made(lambda: pa.table({"x": pa.array(values, type=dtype)}))


def of_duckdb(query: str) -> Callable[[Path], Any]:
    return made(lambda: duckdb.connect().sql(query))  # the shared connection is whoever used it last


def one(value: Any) -> list[dict[str, Any]]:
    return [{"x": value}]


SPOKEN = r"text|letter|decimal|period|interval|duration|left out|string"
# Name, frame, question, right rows. A type that has another form here may be refused, or said at connect and on the card.
SPECIAL: list[tuple[str, Callable[[Path], Any], str, Any]] = [
    ("periods of months", of_pandas(lambda: pd.period_range("2024-01", periods=3, freq="M")), "max x from s", one("2024-03")),
    ("periods of months, compared", of_pandas(lambda: pd.period_range("2024-01", periods=3, freq="M")), "count from s where x > '2024-01'", [{"count": 2}]),
    ("periods of days", of_pandas(lambda: pd.period_range("2024-01-30", periods=3, freq="D")), "max x from s", one(datetime.date(2024, 2, 1))),
    ("periods of quarters", of_pandas(lambda: pd.period_range("2023Q4", periods=3, freq="Q")), "max x from s", one("2024Q2")),
    ("periods of weeks", of_pandas(lambda: pd.period_range("2024-01-01", periods=3, freq="W")), "max x from s", one("2024-01-15/2024-01-21")),
    ("periods of hours", of_pandas(lambda: pd.period_range("2024-01-01 08:00", periods=3, freq="h")), "max x from s", one("2024-01-01 10:00")),
    ("intervals", of_pandas(lambda: pd.cut([1, 9, 95], [0, 5, 10, 100])), "max x from s", one("(10, 100]")),
    ("intervals in order", of_pandas(lambda: pd.cut([1, 9, 95], [0, 5, 10, 100])), "count by x from s order by x asc", [{"x": "(0, 5]"}, {"x": "(5, 10]"}, {"x": "(10, 100]"}]),
    ("intervals without categories", of_pandas(lambda: pd.arrays.IntervalArray.from_breaks([0, 5, 10, 100])), "max x from s", one("(10, 100]")),
    ("ordered categories", of_pandas(lambda: pd.Categorical(["low", "high", "mid"], ["low", "mid", "high"], ordered=True)), "max x from s", one("high")),
    ("ordered categories, least", of_pandas(lambda: pd.Categorical(["low", "high", "mid"], ["low", "mid", "high"], ordered=True)), "min x from s", one("low")),
    ("ordered categories, above", of_pandas(lambda: pd.Categorical(["low", "high", "mid"], ["low", "mid", "high"], ordered=True)), "count from s where x > 'low'", [{"count": 2}]),
    ("ordered categories, in order", of_pandas(lambda: pd.Categorical(["low", "high", "mid"], ["low", "mid", "high"], ordered=True)), "count by x from s order by x asc", [{"x": "low"}, {"x": "mid"}, {"x": "high"}]),
    ("enumeration of polars", of_polars(["low", "high", "mid"], pl.Enum(["low", "mid", "high"])), "max x from s", one("high")),
    ("enumeration of polars, above", of_polars(["low", "high", "mid"], pl.Enum(["low", "mid", "high"])), "count from s where x > 'low'", [{"count": 2}]),
    ("enumeration of duckdb", of_duckdb("select unnest(['low','high','mid'])::enum('low','mid','high') as x"), "max x from s", one("high")),
    ("durations of pandas", of_pandas(lambda: pd.to_timedelta(["9h", "10h", "100h"])), "max x from s", one(datetime.timedelta(hours=100))),
    ("durations of pandas, summed", of_pandas(lambda: pd.to_timedelta(["9h", "10h"])), "sum x from s", one(datetime.timedelta(hours=19))),
    ("durations of pandas, in order", of_pandas(lambda: pd.to_timedelta(["9D", "10D", "100D"])), "count by x from s order by x asc limit 1", one(datetime.timedelta(days=9))),
    ("durations of polars", of_polars([datetime.timedelta(hours=9), datetime.timedelta(hours=100)]), "max x from s", one(datetime.timedelta(hours=100))),
    ("durations of arrow", of_arrow([9, 10, 100], pa.duration("s")), "max x from s", one(datetime.timedelta(seconds=100))),
    ("durations below zero", of_arrow([-9, -100, 5], pa.duration("s")), "min x from s", one(datetime.timedelta(seconds=-100))),
    ("durations above a text", of_arrow([9, 10, 100], pa.duration("s")), "count from s where x > '9'", [{"count": 2}]),
    ("intervals of duckdb", of_duckdb("select unnest([interval 9 hour, interval 10 hour, interval 100 hour]) as x"), "max x from s", one(datetime.timedelta(hours=100))),
    ("times of day", of_pandas([datetime.time(9, 5), datetime.time(23, 59), datetime.time(10, 0)]), "max x from s", one("23:59:00")),
    ("times of day of arrow", of_arrow([9, 36000, 100], pa.time32("s")), "max x from s", one("10:00:00")),
    ("times of day with parts", of_arrow([36000_000_000, 36000_500_000], pa.time64("us")), "max x from s", one("10:00:00.500000")),
    ("128 bits of duckdb", of_duckdb("select unnest([170141183460469231731687303715884105727, 1]::hugeint[]) as x"), "max x from s", one(2**127 - 1)),
    ("128 bits of duckdb that fit", of_duckdb("select unnest([18446744073709551617, 1]::hugeint[]) as x"), "sum x from s", one(2**64 + 2)),
    ("128 bits without a sign", of_duckdb("select unnest([18446744073709551617, 1]::uhugeint[]) as x"), "sum x from s", one(2**64 + 2)),
    ("128 bits of polars", of_polars([2**64 + 1, 1], pl.Int128), "sum x from s", one(2**64 + 2)),
    ("128 bits of polars beyond doubles", of_polars([2**100 + 1, 1], pl.Int128), "max x from s", one(2**100 + 1)),
    ("whole numbers beyond 64 bits as objects", of_pandas([2**70, 1]), "sum x from s", one(2**70 + 1)),
    ("infinite dates of duckdb", of_duckdb("select unnest(['infinity'::date, date '2024-01-01']) as x"), "max x from s", None),
    ("infinite dates of duckdb, least", of_duckdb("select unnest(['-infinity'::date, date '2024-01-01']) as x"), "min x from s", None),
    ("infinite times of duckdb", of_duckdb("select unnest(['infinity'::timestamp, timestamp '2024-01-01']) as x"), "max x from s", None),
    ("infinite instants of duckdb", of_duckdb("select unnest(['-infinity'::timestamptz, timestamptz '2024-01-01 00:00:00+00']) as x"), "min x from s", None),
    ("infinite dates counted", of_duckdb("select unnest(['infinity'::date, date '2024-01-01', null]) as x"), "count x from s", [{"x": 2, "count": 3}]),
    ("dates after 9999", of_duckdb("select unnest([date '20000-01-01', date '2024-01-01']) as x"), "max x from s", None),
    ("dates before our era", of_duckdb("select unnest([date '0044-03-15 (BC)', date '2024-01-01']) as x"), "min x from s", None),
    ("nanoseconds", of_pandas(lambda: pd.to_datetime(["2024-01-01T00:00:00.000000001", "2024-01-01T00:00:00.000000002"])), "count distinct x from s", one(2)),
    ("nanoseconds of arrow", of_arrow([1, 2], pa.timestamp("ns")), "count distinct x from s", one(2)),
    ("extension: uuid", of_arrow([uuid.UUID(int=1).bytes, uuid.UUID(int=2).bytes], pa.uuid()), "max x from s", one(str(uuid.UUID(int=2)))),
    ("extension: uuid of duckdb", of_duckdb("select unnest(['00000000-0000-0000-0000-000000000001','f0000000-0000-0000-0000-000000000001']::uuid[]) as x"), "max x from s", one("f0000000-0000-0000-0000-000000000001")),
    ("extension: json", of_arrow(['{"a":1}', '{"a":10}'], pa.json_()), "count distinct x from s", one(2)),
    ("extension: truth of 8 bits", of_arrow([0, 1, 5], pa.bool8()), "count from s where x = true", [{"count": 2}]),
    ("bits of duckdb", of_duckdb("select unnest(['1010','0110']::bit[]) as x"), "max x from s", one("1010")),
    ("decimals of 256 bits", of_arrow([Decimal("1.5"), Decimal("2.25")], pa.decimal256(50, 2)), "sum x from s", one(Decimal("3.75"))),
    ("decimals with a scale below zero", of_arrow([Decimal("1E+3"), Decimal("2E+3")], pa.decimal128(5, -3)), "sum x from s", one(3000)),
    ("halves", of_arrow([np.float16(0.1), np.float16(0.5)], pa.float16()), "min x from s", one(float(np.float16(0.1)))),
    ("unions", made(lambda: pa.table({"x": pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([9, 0, 100]), pa.array(["a", "10", "b"])])})), "max x from s", one(100)),
    ("lists", of_arrow([[9], [10], [100]], pa.list_(pa.int64())), "max x from s", one("[100]")),
    ("records", of_arrow([{"a": 9}, {"a": 10}], pa.struct([("a", pa.int64())])), "max x from s", one('{"a":10}')),
    ("maps", of_arrow([[("a", 9)], [("a", 10)]], pa.map_(pa.string(), pa.int64())), "max x from s", None),
    ("bytes", of_arrow([b"\xff", b"a"], pa.binary()), "max x from s", None),
    ("complex numbers", of_pandas([1 + 2j, 3 + 0j]), "max x from s", None),
    ("numbers and texts as objects", of_pandas([9, "10", 100]), "max x from s", one(100)),
    ("numbers and texts as objects, above", of_pandas([9, "10", 100]), "count from s where x > '9'", [{"count": 2}]),
    ("texts of numbers as objects", of_pandas(["9", "10", "100"]), "max x from s", one("100")),
    ("days and texts as objects", of_pandas(lambda: pd.Series([datetime.date(2024, 1, 2), "2023-12-31"], dtype=object)), "max x from s", one("2024-01-02")),
    ("days and times as objects", of_pandas(lambda: pd.Series([datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 1, 5)], dtype=object)), "max x from s", one("2024-01-02")),
    ("truth and numbers as objects", of_pandas(lambda: pd.Series([True, 2, 3], dtype=object)), "sum x from s", one(5)),
    ("decimals and doubles as objects", of_pandas([Decimal("0.1"), 0.2]), "sum x from s", one(float(Decimal("0.1") + Decimal(0.2)))),
    ("times of two zones as objects", of_pandas(lambda: pd.Series([pd.Timestamp("2024-01-01 00:30", tz="Europe/Berlin"), pd.Timestamp("2024-01-01 00:00", tz="UTC")], dtype=object)), "max x from s", one(datetime.datetime(2024, 1, 1))),
    ("times with and without a zone as objects", of_pandas(lambda: pd.Series([pd.Timestamp("2024-01-01 00:30", tz="UTC"), pd.Timestamp("2024-01-01 00:00")], dtype=object)), "max x from s", None),
    ("two columns of one name", made(lambda: pd.DataFrame([[1, 2]], columns=["x", "x"])), "sum x from s", None),
    ("columns in levels", made(lambda: pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("x", "a"), ("x", "b")]))), "count from s", [{"count": 1}]),
    ("a column named by a number", made(lambda: pd.DataFrame({0: [1, 2]})), "sum `0` from s", [{"0": 3}]),
]  # fmt: skip
# Here nothing stands in the way: the right value alone is good.
PLAIN: list[tuple[str, Callable[[Path], Any], str, Any]] = [
    ("categories with nulls", of_pandas(lambda: pd.Categorical(["b", None, "a", "b"])), "count by x from s order by x asc", [{"x": "a", "count": 1}, {"x": "b", "count": 2}, {"x": None, "count": 1}]),
    ("categories with nulls, counted", of_pandas(lambda: pd.Categorical(["b", None, "a"])), "count x from s", [{"x": 2, "count": 3}]),
    ("categories nobody has", of_pandas(lambda: pd.Categorical(["a"], ["a", "b"])), "count distinct x from s", one(1)),
    ("categories of numbers", of_pandas(lambda: pd.Categorical([9, 10, 100])), "max x from s", one(100)),
    ("categories of numbers, summed", of_pandas(lambda: pd.Categorical([9, 10, None])), "sum x from s", one(19)),
    ("dictionaries of arrow with a null in their values", made(lambda: pa.table({"x": pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0]), pa.array(["a", None]))})), "count x from s", [{"x": 2, "count": 4}]),
    ("dictionaries with values twice", made(lambda: pa.table({"x": pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", "a"]))})), "count distinct x from s", one(1)),
    ("nullable whole numbers", of_pandas(lambda: pd.array([2**53 + 1, None, 1], dtype="Int64")), "sum x from s", one(2**53 + 2)),
    ("nullable truth", of_pandas(lambda: pd.array([True, None, False], dtype="boolean")), "count from s where x = false", [{"count": 1}]),
    ("nullable doubles", of_pandas(lambda: pd.array([1.5, None], dtype="Float64")), "count x from s", [{"x": 1, "count": 2}]),
    ("whole numbers that pandas made doubles", of_pandas([1, None, 3]), "sum x from s", one(4.0)),
    ("64 bits without a sign", of_pandas(lambda: np.array([2**64 - 1, 1], dtype="uint64")), "sum x from s", one(2**64)),
    ("8 bits", of_arrow([127, 1], pa.int8()), "sum x from s", one(128)),
    ("8 bits without a sign", of_polars([255, 255], pl.UInt8), "sum x from s", one(510)),
    ("decimals of arrow", of_arrow([Decimal("0.10"), Decimal("0.20")], pa.decimal128(10, 2)), "sum x from s", one(Decimal("0.30"))),
    ("decimals of polars", of_polars([Decimal("0.10"), Decimal("0.20")], pl.Decimal(10, 2)), "sum x from s", one(Decimal("0.30"))),
    ("decimals of 32 bits", of_arrow([Decimal("0.10"), Decimal("0.20")], pa.decimal32(5, 2)), "sum x from s", one(Decimal("0.30"))),
    ("decimals of pandas", of_pandas([Decimal("0.10"), None, Decimal("0.20")]), "sum x from s", one(Decimal("0.30"))),
    ("decimals of duckdb", of_duckdb("select unnest([0.10, 0.20]::decimal(10,2)[]) as x"), "sum x from s", one(Decimal("0.30"))),
    ("floats of 32 bits", of_arrow([0.1, 0.5], pa.float32()), "min x from s", one(float(np.float32(0.1)))),
    ("floats of 32 bits, summed", of_arrow([0.1, 0.2], pa.float32()), "sum x from s", one(float(np.float32(0.1)) + float(np.float32(0.2)))),
    ("infinities of doubles", of_duckdb("select unnest(['infinity'::double, 1.5]) as x"), "max x from s", one(float("inf"))),
    ("nan of polars", of_polars([float("nan"), 1.5, None]), "count x from s", [{"x": 2, "count": 3}]),
    ("nan of polars, largest", of_polars([float("nan"), 1.5]), "max x from s", one(float("nan"))),
    ("nan of pandas", of_pandas([float("nan"), 1.5]), "count x from s", [{"x": 1, "count": 2}]),
    ("nan of arrow in pandas", of_pandas(lambda: pd.arrays.ArrowExtensionArray(pa.array([1.5, None]))), "count x from s", [{"x": 1, "count": 2}]),
    ("texts of python with nan", of_pandas(["a", np.nan, None]), "count by x from s order by x", [{"x": "a", "count": 1}, {"x": None, "count": 2}]),
    ("times with a zone", of_pandas(lambda: pd.to_datetime(["2024-01-01 00:30"]).tz_localize("Europe/Berlin")), "max x from s", one(datetime.datetime(2023, 12, 31, 23, 30))),
    ("times in nanoseconds that are whole", of_pandas(lambda: pd.to_datetime(["2024-01-01 00:30:00.000001"]).as_unit("ns")), "max x from s", one(datetime.datetime(2024, 1, 1, 0, 30, 0, 1))),
    ("missing times", of_pandas(lambda: pd.to_datetime(["2024-01-01", None])), "count x from s", [{"x": 1, "count": 2}]),
    ("dates of python", of_pandas([datetime.date(2024, 1, 2), datetime.date(2023, 12, 31)]), "max x from s", one(datetime.date(2024, 1, 2))),
    ("dates of 64 bits", of_arrow([datetime.date(2024, 1, 2)], pa.date64()), "max x from s", one(datetime.date(2024, 1, 2))),
    ("sparse numbers", of_pandas(lambda: pd.arrays.SparseArray([0, 0, 5])), "sum x from s", one(5)),
    ("views of texts", of_arrow(["b", "a"], pa.string_view()), "max x from s", one("b")),
    ("runs", made(lambda: pa.table({"x": pa.RunEndEncodedArray.from_arrays([2, 5], [1, 10])})), "sum x from s", one(32)),
    ("nothing but nulls", of_arrow([None, None], pa.null()), "count x from s", [{"x": 0, "count": 2}]),
    ("sliced", made(lambda: pa.table({"x": [1, 2, 3, 4]}).slice(1, 2)), "sum x from s", one(5)),
    ("in chunks", made(lambda: pa.concat_tables([pa.table({"x": [1, None]}), pa.table({"x": [5]})])), "sum x from s", one(6)),
    ("a lazy relation", of_duckdb("select i as x from range(10) t(i) where i % 2 = 0"), "sum x from s", one(20)),
    ("an index that names", made(lambda: pd.DataFrame({"x": [1, 2]}, index=["a", "b"])), "sum x from s", one(3)),
]  # fmt: skip
MAY_REFUSE = {"runs", "sparse numbers", "decimals of 32 bits", "views of texts", "categories of numbers, summed"}


# What a file would have a note for.
NOTED: list[tuple[str, Callable[[Path], Any], str, Any, str]] = [
    ("codes of missing", of_pandas([20.5, 21.0, -999.0, -999.0]), "min x from s", one(20.5), "missing"),
    ("codes of missing in polars", of_polars([20, 31, -99, -99]), "min x from s", one(20), "missing"),
    ("days of missing", of_arrow([datetime.date(2024, 1, 2), datetime.date(2024, 3, 1), datetime.date(9999, 12, 31)], pa.date32()), "max x from s", one(datetime.date(2024, 3, 1)), "missing"),
    ("a total", made(lambda: pd.DataFrame({"k": ["a", "b", "c", "Total"], "x": [1, 2, 3, 6]})), "max x from s", one(3), "total"),
    ("a total that was not made anew", made(lambda: pl.DataFrame({"k": ["a", "b", "c", "Total"], "x": [1, 2, 3, 9]})), "max x from s", one(3), "total"),
    ("names among rows", of_pandas(["a", "x", "b"], y=["c", "y", "d"]), "count from s", [{"count": 2}], "names"),
    ("texts that look alike", of_polars(["a", "a\u200b", "a "]), "count distinct x from s", one(1), "look"),
    ("32 bits, compared with a decimal", of_arrow([0.1, 0.5], pa.float32()), "count from s where x = 0.1", [{"count": 1}], "32 bits"),
    ("16 bits, compared with a decimal", of_arrow([np.float16(0.1), np.float16(0.5)], pa.float16()), "count from s where x = 0.1", [{"count": 1}], "16 bits"),
]  # fmt: skip


def list_frames() -> Iterator[Case]:
    for name, make, question, want, note in NOTED:
        yield Case(f"frame of {name}", "frames", make, question, want, note=note)
    for name, make, question, want in SPECIAL:
        yield Case(f"frame of {name}", "frames", make, question, want, refusal=True, note=SPOKEN)
    for name, make, question, want in PLAIN:
        yield Case(f"frame of {name}", "frames", make, question, want, refusal=name in MAY_REFUSE)


FRAMES = [*list_frames()]
