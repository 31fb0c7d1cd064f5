"""Every type that pandas, Polars, Arrow and DuckDB hold has the value that the library gives it, or is refused by name.

The reference is the library: its own count, least, greatest, number of distinct values and sum of the same column.
"""

from __future__ import annotations

import datetime
import enum
import math
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from service_nb import Service, create_service
from service_nb.errors import InvalidIntentError, SourceMalformedError

DAY, TIME = datetime.date(2024, 3, 31), datetime.datetime(2024, 3, 31, 10, 0, 0, 1)  # noqa: DTZ001
DAYS, TIMES = [DAY, None, datetime.date(1, 1, 1), DAY], [TIME, None, TIME.replace(year=9999), TIME]
FIRST, SECOND = uuid.UUID(int=5), uuid.UUID(int=77)
ODD = 'it\'s "odd"'  # a name that a line has to quote


class Color(enum.Enum):
    RED = 1


class Figures(NamedTuple):
    present: int
    least: Any
    greatest: Any
    distinct: int
    total: Any = None


class Money(pa.ExtensionType):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(pa.int64(), "tests.money")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, serialized: bytes) -> Money:
        return cls()


@pytest.fixture(scope="module")
def service() -> Service:
    return create_service(ledger="off")


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        yield connection


def simplify(value: Any) -> Any:
    """A value of a library as the one that we give: a time with a zone is the instant, read in UTC."""
    if isinstance(value, pa.Scalar):
        return simplify(value.as_py())
    if isinstance(value, pd.Period | pd.Interval | uuid.UUID):
        return str(value)
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        value = value.to_pydatetime() if isinstance(value, pd.Timestamp) else value.to_pytimedelta()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    return str(value) if isinstance(value, datetime.timedelta | datetime.time) else value


def ask(service: Service, name: str, kind: str) -> Figures:
    """The five figures of column `c`; a least and greatest text may be refused, where letters are not the order."""
    found: list[Any] = []
    for line in ("count c", "min c", "max c", "count distinct c", *(["sum c"] if kind == "number" else [])):
        try:
            found.append(service.ask(f"{line} from {name}").rows[0]["c"])
        except InvalidIntentError:
            assert line in ("min c", "max c")
            found.append(...)
    return Figures(*found)


def is_same(ours: Any, theirs: Any) -> bool:
    theirs = simplify(theirs)
    if ours is ...:  # a text that reads as a time or a number
        return isinstance(theirs, str | bool)
    if isinstance(ours, float) or isinstance(theirs, float):
        return ours == theirs or math.isclose(ours, theirs, rel_tol=1e-15)
    return bool(ours == theirs) and isinstance(ours, str) == isinstance(theirs, str)


def check(service: Service, frame: Any, physical: str, theirs: Figures) -> None:
    name = f"t{next(NUMBERS)}"
    source = service.connect(frame, name=name)
    try:
        assert source["typed_fields"][0]["physical"] == physical
        ours = ask(service, name, source["typed_fields"][0]["type"])
        assert (ours.present, ours.distinct) == (theirs.present, theirs.distinct)
        assert is_same(ours.least, theirs.least)
        assert is_same(ours.greatest, theirs.greatest)
        if ours.total is not None:
            assert is_same(ours.total, theirs.total)
    finally:
        service.disconnect(name)


def number_names() -> Iterator[int]:
    number = 0
    while True:
        yield (number := number + 1)


NUMBERS = number_names()


def hold(values: Any, dtype: Any) -> Any:
    return pd.array(values, dtype=dtype)


def count_values(values: list[Any]) -> Figures:
    """The figures of a library's values, one after the other, where it has no function for their type."""
    present = [simplify(value) for value in values if value is not None and value is not pd.NaT and value == value]
    is_number = all(isinstance(value, int | float | Decimal) for value in present)
    return Figures(len(present), min(present), max(present), len(set(present)), sum(present) if is_number else None)


# --- pandas: the reference is the series' own count(), min(), max(), nunique() and sum()

PANDAS: dict[str, tuple[str, Callable[[], Any]]] = {
    "period[M]": ("string", lambda: hold(["2024-01", None, "2023-12"], dtype="period[M]")),
    "period[Q]": ("string", lambda: hold(["2024Q1", None, "2023Q4"], dtype="period[Q]")),
    "period[W]": ("string", lambda: pd.period_range("2024-01-01", periods=3, freq="W")),
    "period[D]": ("string", lambda: pd.period_range("2024-01-01", periods=3, freq="D")),
    "period[Y]": ("string", lambda: pd.period_range("0999", periods=3, freq="Y")),
    "period[h]": ("string", lambda: pd.period_range("2024-01-01", periods=3, freq="h")),
    "period[min]": ("string", lambda: pd.period_range("2024-01-01", periods=3, freq="min")),
    "Int8": ("int64", lambda: hold([1, None, -3], dtype="Int8")),
    "Int64": ("int64", lambda: hold([2**62, None, -3], dtype="Int64")),
    "UInt64": ("decimal(20,0)", lambda: hold([2**64 - 1, None], dtype="UInt64")),
    "Float32": ("float64", lambda: hold([1.5, None, -2.25], dtype="Float32")),
    "Float64": ("float64", lambda: hold([1.5, None, -2.25], dtype="Float64")),
    "boolean": ("boolean", lambda: hold([True, None, False], dtype="boolean")),
    "bool": ("boolean", lambda: np.array([True, False])),
    "string": ("string", lambda: hold(["b", None, "a"], dtype="string")),
    "string[python]": ("string", lambda: hold(["b", None, "a"], dtype="string[python]")),
    "str": ("string", lambda: pd.Series(["b", None, "a"], dtype="str")),
    "float16": ("float64", lambda: np.array([1.5, np.nan, 2], dtype="float16")),
    "float32": ("float64", lambda: np.array([1.5, np.nan, 2], dtype="float32")),
    "uint8": ("int64", lambda: np.array([255, 1], dtype="uint8")),
    "Sparse[int]": ("int64", lambda: pd.arrays.SparseArray([0, 0, 1, 5])),
    "Sparse[int], filled with 5": ("int64", lambda: pd.arrays.SparseArray([5, 5, 1], fill_value=5)),
    "Sparse[float]": ("float64", lambda: pd.arrays.SparseArray([0.5, np.nan, 1])),
    "Sparse[bool]": ("boolean", lambda: pd.arrays.SparseArray([True, False, True])),
    "datetime64[s]": ("datetime", lambda: np.array(["9999-12-31T23:59:59", "0001-01-01"], dtype="datetime64[s]")),
    "datetime64[ns]": ("datetime", lambda: np.array(["2024-01-01T00:00:00.000001", "NaT"], dtype="datetime64[ns]")),
    "datetime64[us, Tokyo]": ("datetime", lambda: hold(["2024-01-01", None], "datetime64[us, Asia/Tokyo]")),
    "timedelta64[s]": ("string", lambda: np.array([5, 86_400], dtype="timedelta64[s]")),
    "timedelta64[ns]": ("string", lambda: np.array([5000, 86_400 * 10**9], dtype="timedelta64[ns]")),
    "object of Decimal": ("decimal(3,2)", lambda: pd.Series([Decimal("1.25"), None, Decimal("-2.5")], dtype=object)),
    "object of date": ("date", lambda: pd.Series([DAY, datetime.date(1, 1, 1)], dtype=object)),
    "object of datetime": ("datetime", lambda: pd.Series([TIME, TIME.replace(year=9999)], dtype=object)),
    "object of time": ("string", lambda: pd.Series([datetime.time(1, 2), datetime.time(3)], dtype=object)),
    "object of timedelta": ("string", lambda: pd.Series([datetime.timedelta(1), datetime.timedelta(2)], dtype=object)),
    "object of Timedelta": ("string", lambda: pd.Series([pd.Timedelta("1D"), pd.Timedelta("2D")], dtype=object)),
    "object of Timestamp": ("datetime", lambda: pd.Series([pd.Timestamp(TIME, tz="UTC")], dtype=object)),
    "object of int": ("int64", lambda: pd.Series([1, pd.NA, 3], dtype=object)),
    "object of big int": ("decimal(38,0)", lambda: pd.Series([2**70, 1], dtype=object)),
    "object of NumPy's int": ("int64", lambda: pd.Series([np.int8(3), np.int64(5)], dtype=object)),
    "object of NumPy's float": ("float64", lambda: pd.Series([np.float32(0.1), np.float32(2)], dtype=object)),
    "object of datetime64[D]": ("date", lambda: pd.Series([np.datetime64("2024-01-01")], dtype=object)),
    "object of datetime64[s]": ("datetime", lambda: pd.Series([np.datetime64("2024-01-01T00:00:01")], dtype=object)),
    "object of UUID": ("string", lambda: pd.Series([FIRST, None, SECOND], dtype=object)),
    "object of IntEnum": ("int64", lambda: pd.Series([enum.IntEnum("Level", "LOW HIGH").HIGH], dtype=object)),  # type: ignore[attr-defined]
}
for _unit in ("s", "ms", "us", "ns"):
    PANDAS[f"ArrowDtype(timestamp[{_unit}])"] = (
        "datetime",
        partial(hold, [TIME.replace(microsecond=0), None], pd.ArrowDtype(pa.timestamp(_unit))),
    )
for _kind, _values, _physical in (
    (pa.decimal128(5, 2), [Decimal("1.5"), None], "decimal(5,2)"),
    (pa.int16(), [1, None, 5], "int64"),
    (pa.date32(), [DAY, None], "date"),
    (pa.duration("us"), [datetime.timedelta(1), None], "string"),
    (pa.string(), ["a", None], "string"),
    (pa.bool_(), [True, None], "boolean"),
):
    PANDAS[f"ArrowDtype({_kind})"] = (
        _physical,
        partial(hold, _values, pd.ArrowDtype(_kind)),
    )
_WITHOUT_MIN = {"object of datetime64[D]", "object of datetime64[s]"}  # whose units NumPy turns into numbers


@pytest.mark.parametrize("kind", PANDAS)
def test_column_of_pandas_has_the_figures_of_pandas(service: Service, kind: str) -> None:
    physical, build = PANDAS[kind]
    frame = pd.DataFrame({"c": build()})
    series = frame["c"].dropna()
    least, greatest = (series.tolist()[0],) * 2 if kind in _WITHOUT_MIN else (series.min(), series.max())
    is_summed = physical.startswith(("int", "dec", "float"))
    total = series.astype("float64").sum() if physical == "float64" else series.sum() if is_summed else None
    if kind.startswith("float16"):
        least, greatest = float(least), float(greatest)
    check(service, frame, physical, Figures(int(series.count()), least, greatest, int(series.nunique()), total))


CATEGORIES: dict[str, tuple[str, list[Any]]] = {
    "texts": ("string", ["b", None, "a", "b"]),
    "whole numbers": ("int64", [3, None, 1]),
    "doubles": ("float64", [3.5, None, 1.25]),
    "booleans": ("boolean", [True, None, False]),
    "dates": ("date", DAYS),
    "times": ("datetime", [pd.Timestamp(TIME), None, pd.Timestamp("2024-01-01")]),
    "instants": ("datetime", [pd.Timestamp(TIME, tz="Asia/Tokyo"), None]),
    "decimals": ("decimal(3,2)", [Decimal("1.25"), None, Decimal("2.50")]),
    "periods": ("string", [pd.Period("2024-02", "M"), None, pd.Period("2024-01", "M")]),
    "intervals": ("string", [pd.Interval(0.5, 1.5), None, pd.Interval(1.5, 2.5)]),
    "UUIDs": ("string", [FIRST, None, SECOND]),
    "durations": ("string", [pd.Timedelta("1D"), None, pd.Timedelta("2D")]),
}


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("kind", CATEGORIES)
def test_categories_of_pandas_have_the_figures_of_their_values(service: Service, kind: str, ordered: bool) -> None:
    physical, values = CATEGORIES[kind]
    series = pd.Series(pd.Categorical(values, ordered=ordered and kind != "UUIDs"))
    check(service, pd.DataFrame({"c": series}), physical, count_values(series.tolist()))


@pytest.mark.parametrize("closed", ["left", "right", "both", "neither"])
def test_interval_of_pandas_is_the_text_that_pandas_writes(service: Service, closed: Any) -> None:
    series = pd.Series(pd.arrays.IntervalArray.from_breaks([0.5, 1.5, 2.5], closed=closed))
    check(service, pd.DataFrame({"c": series}), "string", count_values(series.tolist()))


# --- Polars: the reference is the series' own functions

POLARS: dict[str, tuple[str, Callable[[], pl.Series]]] = {
    "Int8": ("int64", lambda: pl.Series([1, None, -5], dtype=pl.Int8)),
    "UInt64": ("decimal(20,0)", lambda: pl.Series([2**64 - 1, None], dtype=pl.UInt64)),
    "Int128": ("decimal(38,0)", lambda: pl.Series([2**100, None, -(2**99)], dtype=pl.Int128)),
    "UInt128": ("decimal(38,0)", lambda: pl.Series([2**100, None, 7], dtype=pl.UInt128)),
    "Float32": ("float64", lambda: pl.Series([1.5, None, 2.25], dtype=pl.Float32)),
    "Boolean": ("boolean", lambda: pl.Series([True, None, False])),
    "Decimal": ("decimal(38,2)", lambda: pl.Series([Decimal("1.5"), None, Decimal("-3.25")], dtype=pl.Decimal(38, 2))),
    "String": ("string", lambda: pl.Series(["b", None, "a"])),
    "Date": ("date", lambda: pl.Series(DAYS)),
    "Time": ("string", lambda: pl.Series([datetime.time(1, 2, 3), None, datetime.time(4)])),
    "Duration": ("string", lambda: pl.Series([datetime.timedelta(1), None, datetime.timedelta(2)])),
    "Duration(ms)": ("string", lambda: pl.Series([5, None], dtype=pl.Duration("ms"))),
    "Duration(ns)": ("string", lambda: pl.Series([5000, None], dtype=pl.Duration("ns"))),
    "Categorical": ("string", lambda: pl.Series(["b", None, "a"], dtype=pl.Categorical)),
}
for _time_unit in ("ms", "us", "ns"):
    _series = pl.Series([TIME.replace(microsecond=1000), None], dtype=pl.Datetime(_time_unit))
    POLARS[f"Datetime({_time_unit})"] = ("datetime", _series.clone)
    POLARS[f"Datetime({_time_unit}, Tokyo)"] = (
        "datetime",
        partial(_series.dt.replace_time_zone, "Asia/Tokyo"),
    )


@pytest.mark.parametrize("kind", POLARS)
def test_column_of_polars_has_the_figures_of_polars(service: Service, kind: str) -> None:
    physical, build = POLARS[kind]
    series = build()
    total = series.sum() if physical.startswith(("int", "dec", "float")) else None
    figures = Figures(series.count(), series.min(), series.max(), series.drop_nulls().n_unique(), total)
    check(service, pl.DataFrame({"c": series}), physical, figures)


def test_enum_of_polars_has_the_values_of_polars(service: Service) -> None:
    series = pl.Series(["a", None, "b"], dtype=pl.Enum(["b", "a"]))
    check(service, pl.DataFrame({"c": series}), "string", count_values(series.to_list()))  # letters, not its order


# --- Arrow: the reference is the values that the array gives


def ext(kind: pa.DataType, values: list[Any]) -> pa.Array:
    return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))


def runs(values: pa.Array) -> pa.Array:
    ends = pa.array(range(2, 2 * len(values) + 2, 2), pa.int32())
    return pa.RunEndEncodedArray.from_arrays(ends, values)


ARROW: dict[str, tuple[str, Callable[[], pa.Array]]] = {
    "uuid": ("string", lambda: ext(pa.uuid(), [FIRST.bytes, None, SECOND.bytes])),
    "json": ("string", lambda: ext(pa.json_(), ['{"b": 1}', None, "[]"])),
    "bool8": ("boolean", lambda: ext(pa.bool8(), [1, 0, 5, None])),
    "float16": ("float64", lambda: pa.array([1.5, None, 2], pa.float16())),
    "uint64": ("decimal(20,0)", lambda: pa.array([2**64 - 1, None], pa.uint64())),
    "date32": ("date", lambda: pa.array(DAYS, pa.date32())),
    "date64": ("date", lambda: pa.array(DAYS, pa.date64())),
    "time32[s]": ("string", lambda: pa.array([1000, None], pa.time32("s"))),
    "time32[ms]": ("string", lambda: pa.array([1000, None, 5], pa.time32("ms"))),
    "time64[us]": ("string", lambda: pa.array([1000, None], pa.time64("us"))),
    "time64[ns]": ("string", lambda: pa.array([1000, None], pa.time64("ns"))),
    "duration[s]": ("string", lambda: pa.array([5, None, 100_000], pa.duration("s"))),
    "duration[ms]": ("string", lambda: pa.array([5, None], pa.duration("ms"))),
    "large_string": ("string", lambda: pa.array(["b", None, "a"], pa.large_string())),
    "string_view": ("string", lambda: pa.array(["b", None, "a"], pa.string_view())),
    "decimal32": ("decimal(5,2)", lambda: pa.array([Decimal("1.25"), None], pa.decimal32(5, 2))),
    "decimal64": ("decimal(5,2)", lambda: pa.array([Decimal("1.25"), None], pa.decimal64(5, 2))),
    "decimal128": ("decimal(38,37)", lambda: pa.array([Decimal("1.25"), None], pa.decimal128(38, 37))),
    "decimal256": ("decimal(38,2)", lambda: pa.array([Decimal("1.25"), None], pa.decimal256(70, 2))),
    "decimal256 of 50 places": ("decimal(38,38)", lambda: pa.array([Decimal("0.25"), None], pa.decimal256(76, 50))),
    "decimal of negative scale": ("decimal(5,0)", lambda: pa.array([Decimal(1200), None], pa.decimal128(3, -2))),
    "dictionary, null as index": (
        "string",
        lambda: pa.DictionaryArray.from_arrays(pa.array([0, None, 1]), pa.array(["a", "b"])),
    ),
    "dictionary, null as value": (
        "string",
        lambda: pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["a", None])),
    ),
    "dictionary of twins": ("string", lambda: pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", "a"]))),
    "dictionary of uuid": (
        "string",
        lambda: pa.DictionaryArray.from_arrays(pa.array([1, 0, 1]), ext(pa.uuid(), [FIRST.bytes, SECOND.bytes])),
    ),
    "dictionary of decimal": ("decimal(2,1)", lambda: pa.array([Decimal("1.5"), None]).dictionary_encode()),
    "runs of string": ("string", lambda: runs(pa.array(["b", None, "a"]))),
    "runs of string_view": ("string", lambda: runs(pa.array(["b", None, "a"], pa.string_view()))),
    "runs of dictionary": ("string", lambda: runs(pa.array(["b", None, "a"]).dictionary_encode())),
    "runs of timestamp": ("datetime", lambda: runs(pa.array(TIMES, pa.timestamp("us")))),
    "runs, sliced": ("string", lambda: runs(pa.array(["b", "c", "a"], pa.string_view())).slice(1, 3)),
    "timestamp with offset": ("datetime", lambda: pa.array([TIME, None], pa.timestamp("us", "+05:30"))),
}
for _unit in ("s", "ms", "us"):
    ARROW[f"timestamp[{_unit}]"] = (
        "datetime",
        partial(pa.array, [each and each.replace(microsecond=0) for each in TIMES], pa.timestamp(_unit)),
    )


@pytest.mark.parametrize("kind", ARROW)
def test_column_of_arrow_has_the_figures_of_its_values(service: Service, kind: str) -> None:
    physical, build = ARROW[kind]
    array = build()
    check(service, pa.table({"c": array}), physical, count_values(array.to_pylist()))


# --- DuckDB: the reference is its SQL

DUCKDB = {
    "HUGEINT": ("decimal(38,0)", "(-12345678901234567890123456789)::hugeint"),
    "UHUGEINT": ("decimal(38,0)", "12345678901234567890123456789::uhugeint"),
    "UBIGINT": ("decimal(20,0)", "18446744073709551615::ubigint"),
    "UTINYINT": ("int64", "255::utinyint"),
    "FLOAT": ("float64", "0.1::float"),
    "DECIMAL(38,10)": ("decimal(38,10)", "1.5::decimal(38,10)"),
    "UUID": ("string", "'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid"),
    "ENUM": ("string", "'a'::enum('b', 'a')"),
    "TIME": ("string", "time '01:02:03.000004'"),
    "TIME_NS": ("string", "'01:02:03.123456'::time_ns"),
    "TIMESTAMP_S": ("datetime", "'9999-12-31'::timestamp_s"),
    "TIMESTAMP_MS": ("datetime", "'2024-01-01'::timestamp_ms"),
    "TIMESTAMP": ("datetime", "'0001-01-01'::timestamp"),
    "TIMESTAMP_NS": ("datetime", "'2024-01-01'::timestamp_ns"),
    "TIMESTAMPTZ": ("datetime", "'2024-01-01 00:00:00+09'::timestamptz"),
    "DATE": ("date", "'0001-01-01'::date"),
    "BOOLEAN": ("boolean", "true"),
    "JSON": ("string", "'{\"b\": 1}'::json"),
}


@pytest.mark.parametrize("kind", DUCKDB)
def test_column_of_duckdb_has_the_figures_of_its_sql(
    service: Service, database: duckdb.DuckDBPyConnection, kind: str
) -> None:
    physical, value = DUCKDB[kind]
    relation = database.sql(f"select unnest([{value}, null, {value}]) as c")
    total = "sum(c::decimal(38,10))" if physical.startswith(("int", "dec")) else "sum(c)"
    total = total if physical.startswith(("int", "dec", "float")) else "null"
    if "INT" in kind:
        total = "sum(c::decimal(38,0))"
    row = database.sql(f"select count(c), min(c), max(c), count(distinct c), {total} from relation").fetchall()[0]
    check(service, relation, physical, Figures(*row))


# --- what is refused: the type and the column are named, and the line that is offered makes the column readable

FAR = np.array(["2024-01-01", "20000-01-01"], dtype="datetime64[s]")
REFUSED_BY_PANDAS: dict[str, Callable[[], Any]] = {
    "complex128": lambda: np.array([1 + 2j, 3]),
    "float128": lambda: np.array([1.5, 2], dtype=np.longdouble),
    "timestamp[s]": lambda: FAR,
    "timestamp[ms]": lambda: np.array(["2024-01-01", "-0044-03-15"], dtype="datetime64[ms]"),
    "timestamp[us]": lambda: np.array(["2024-01-01", "12000-01-01"], dtype="datetime64[us]"),
    "timestamp[ns]": lambda: np.array([1, 2000], dtype="datetime64[ns]"),
    "duration[ns]": lambda: np.array([1, 2000], dtype="timedelta64[ns]"),
    "binary": lambda: hold([b"x", None], dtype=pd.ArrowDtype(pa.binary())),
    "bytes": lambda: pd.Series([b"x", None], dtype=object),
    "Color": lambda: pd.Series([Color.RED, None], dtype=object),
    "complex": lambda: pd.Series([1j], dtype=object),
    "Fraction": lambda: pd.Series([Fraction(1, 3)], dtype=object),
    "set": lambda: pd.Series([{1}], dtype=object),
    "Period": lambda: pd.Series([pd.Period("2024-01", "M")], dtype=object),
    "Decimal": lambda: pd.Series([Decimal("Infinity")], dtype=object),
    "Timestamp": lambda: pd.Series([pd.Timestamp(1)], dtype=object),
    "Timedelta": lambda: pd.Series([pd.Timedelta(1)], dtype=object),
    "timedelta64[M]": lambda: pd.Series([np.timedelta64(1, "M")], dtype=object),
    "timedelta64[ns]": lambda: pd.Series([np.timedelta64(5, "ns")], dtype=object),
    "datetime64[D]": lambda: pd.Series([np.datetime64("20000-01-01")], dtype=object),
    "longdouble": lambda: pd.Series([np.longdouble(1.5)], dtype=object),
    "Series": lambda: pd.Series([pd.Series([1])], dtype=object),
}
REFUSED_BY_POLARS: dict[str, Callable[[], pl.Series]] = {
    "Int128": lambda: pl.Series([2**127 - 1, None], dtype=pl.Int128),
    "UInt128": lambda: pl.Series([2**128 - 1, None], dtype=pl.UInt128),
    "Object": lambda: pl.Series([FIRST, None], dtype=pl.Object),
    "binary_view": lambda: pl.Series([b"x", None]),
    "timestamp[ms]": lambda: pl.Series([10**15, 0], dtype=pl.Datetime("ms")),
    "timestamp[ns]": lambda: pl.Series([1], dtype=pl.Datetime("ns")),
    "duration[ns]": lambda: pl.Series([1], dtype=pl.Duration("ns")),
    "date32[day]": lambda: pl.Series([10**7, 1, None], dtype=pl.Int32).cast(pl.Date),
}
REFUSED_BY_DUCKDB = {
    "decimal128(38, 0)": "170141183460469231731687303715884105727::hugeint",
    "UHUGEINT": "340282366920938463463374607431768211455::uhugeint",
    "BIT": "'10101'::bit",
    "BIT[]": "['10101'::bit]",
    "INTERVAL": "interval '1 month 2 days'",
    "TIME WITH TIME ZONE": "'01:02:03+05:30'::timetz",
    "BIGNUM": "1::bignum",
    "VARIANT": "5::variant",
    "GEOMETRY": "'POINT(1 2)'::geometry",
    "binary": "'x'::blob",
    "time64[us]": "'24:00:00'::time",
    "date32[day]": "'infinity'::date",
    "timestamp[s]": "'-infinity'::timestamp_s",
    "timestamp[ms]": "'infinity'::timestamp_ms",
    "timestamp[us]": "'infinity'::timestamp",
    "timestamp[us, tz=UTC]": "'-infinity'::timestamptz",
    "timestamp[ns]": "'infinity'::timestamp_ns",
}
REFUSED_BY_ARROW: dict[str, Callable[[], pa.Array]] = {
    "binary": lambda: pa.array([b"x", None]),
    "large_binary": lambda: pa.array([b"x", None], pa.large_binary()),
    "binary_view": lambda: pa.array([b"x", None], pa.binary_view()),
    "fixed_size_binary[1]": lambda: pa.array([b"x", None], pa.binary(1)),
    "month_day_nano_interval": lambda: pa.array([pa.MonthDayNano([1, 2, 3]), None]),
    "tests.money": lambda: ext(Money(), [1, None]),
    "arrow.opaque": lambda: ext(pa.opaque(pa.int64(), "geometry", "tests"), [1, None]),
    "arrow.fixed_shape_tensor": lambda: pa.FixedShapeTensorArray.from_numpy_ndarray(np.zeros((2, 2, 2))),
    "duration[ns]": lambda: pa.array([1], pa.duration("ns")),
    "timestamp[ns]": lambda: pa.array([1], pa.timestamp("ns")),
}


@pytest.mark.parametrize("kind", REFUSED_BY_PANDAS)
def test_line_of_pandas_mends_what_is_refused(service: Service, kind: str) -> None:
    frame = pd.DataFrame({"fine": [1] * len(REFUSED_BY_PANDAS[kind]()), ODD: REFUSED_BY_PANDAS[kind]()})
    refuse_and_mend(service, {"frame": frame, "pd": pd}, kind)


@pytest.mark.parametrize("kind", REFUSED_BY_POLARS)
def test_line_of_polars_mends_what_is_refused(service: Service, kind: str) -> None:
    refuse_and_mend(service, {"frame": pl.DataFrame({ODD: REFUSED_BY_POLARS[kind]()}), "pl": pl}, kind)


@pytest.mark.parametrize("kind", REFUSED_BY_DUCKDB)
def test_line_of_duckdb_mends_what_is_refused(service: Service, database: duckdb.DuckDBPyConnection, kind: str) -> None:
    name = ODD.replace('"', '""')
    relation = database.sql(f'select 1 as fine, {REFUSED_BY_DUCKDB[kind]} as "{name}"')
    refuse_and_mend(service, {"relation": relation}, kind)


@pytest.mark.parametrize("kind", REFUSED_BY_ARROW)
def test_line_of_arrow_mends_what_is_refused(service: Service, kind: str) -> None:
    table = pa.table({ODD: REFUSED_BY_ARROW[kind]()})
    refuse_and_mend(service, {"table": table, "pa": pa, "pc": pc}, kind)


def refuse_and_mend(service: Service, names: dict[str, Any], kind: str) -> None:
    """Connect what is refused, run the line of the hint, connect what it made."""
    frame = next(iter(names))
    with pytest.raises(SourceMalformedError) as caught:
        service.connect(names[frame], name="refused")
    assert caught.value.details["column"] == ODD
    assert kind in str(caught.value)
    line = str(caught.value.hint).partition(f": {frame}")
    assert line[1]
    exec(f"{frame}{line[2]}", names)
    source = service.connect(names[frame], name="mended")
    service.disconnect("mended")
    assert ODD in {field["name"] for field in source["typed_fields"]}


REFUSED_WITHOUT_A_LINE: dict[str, Callable[[], pa.Array]] = {
    "decimal256(76, 0)": lambda: pa.array([Decimal(10**50)], pa.decimal256(76, 0)),
    "timestamp[ms]": lambda: pa.array([10**15], pa.timestamp("ms")),
    "timestamp[s]": lambda: pa.array([2**60], pa.timestamp("s")),
    "timestamp[us]": lambda: pa.array([-(2**62)], pa.timestamp("us")),
    "date32[day]": lambda: pa.array([10**7], pa.int32()).cast(pa.date32()),
    "date64[ms]": lambda: pa.array([86_400_000 * 10**7]).cast(pa.timestamp("ms")).view(pa.date64()),
    "time64[ns]": lambda: pa.array([1], pa.time64("ns")),
    "time32[s]": lambda: pa.array([86_400], pa.int32()).view(pa.time32("s")),
    "list<item: binary>": lambda: pa.array([[b"x"]]),
    "struct<a: binary>": lambda: pa.array([{"a": b"x"}]),
    "map<string, binary>": lambda: pa.array([[("a", b"x")]], pa.map_(pa.string(), pa.binary())),
    "list<item: timestamp[us]>": lambda: pa.array([[2**62]], pa.list_(pa.timestamp("us"))),
    "list<item: time64[ns]>": lambda: pa.array([[1]], pa.list_(pa.time64("ns"))),
    "list<item: duration[ns]>": lambda: pa.array([[1]], pa.list_(pa.duration("ns"))),
    "dictionary<values=binary, indices=int32, ordered=0>": lambda: pa.array([b"x"]).dictionary_encode(),
    "pandas.period": lambda: pa.array(pd.period_range("2024-01", periods=1, freq="M")),
    "pandas.interval": lambda: pa.array(pd.interval_range(0, 1)),
}


@pytest.mark.parametrize("kind", REFUSED_WITHOUT_A_LINE)
def test_column_that_no_short_line_mends_is_refused_by_name(service: Service, kind: str) -> None:
    with pytest.raises(SourceMalformedError) as caught:
        service.connect(pa.table({"fine": [1], ODD: REFUSED_WITHOUT_A_LINE[kind]()}), name="refused")
    assert caught.value.details["column"] == ODD
    assert caught.value.details["met"] == kind


def test_order_of_categories_that_is_not_that_of_their_values_is_told(
    service: Service, database: duckdb.DuckDBPyConnection
) -> None:
    def count_notes(frame: Any) -> int:
        notes = service.connect(frame, name="ordered")["notes"]
        service.disconnect("ordered")
        return len(notes)

    for ordered in (True, False):
        low = pd.DataFrame({"c": pd.Categorical(["low", "high", None], ["low", "high"], ordered=ordered)})
        assert count_notes(low) == (1 if ordered else 0)
    assert count_notes(pd.DataFrame({"c": pd.Categorical(["a", "b"], ["a", "b"], ordered=True)})) == 0
    assert count_notes(pd.DataFrame({"c": pd.cut([1.0, 2.0], [0, 1, 2], labels=["low", "high"])})) == 1
    assert count_notes(pl.DataFrame({"c": pl.Series(["low", None], dtype=pl.Enum(["low", "high"]))})) == 1
    assert count_notes(pl.DataFrame({"c": pl.Series(["a", None], dtype=pl.Enum(["a", "b"]))})) == 0
    assert count_notes(database.sql("select 'a'::enum('b', 'a') as c")) == 1
    assert count_notes(database.sql("select 'a'::enum('a', 'b') as c")) == 0


NESTED: dict[str, tuple[pa.Array, str]] = {  # as RFC 8785 writes it: numbers beyond 2^53, decimals and times are texts
    "list": (pa.array([[1, None, 3], None]), "[1,null,3]"),
    "large_list": (pa.array([[1], None], pa.large_list(pa.int8())), "[1]"),
    "list_view": (pa.array([[1], None], pa.list_view(pa.int8())), "[1]"),
    "fixed_size_list": (pa.array([[1, 2], None], pa.list_(pa.int8(), 2)), "[1,2]"),
    "struct": (pa.array([{"b": 1, "a": "x"}, None]), '{"a":"x","b":1}'),
    "map": (pa.array([[("b", 1), ("a", 2)], None], pa.map_(pa.string(), pa.int8())), '[["b",1],["a",2]]'),
    "list of decimals": (pa.array([[Decimal("1.50")], None]), '["1.50"]'),
    "list of times": (pa.array([[TIME], None], pa.list_(pa.timestamp("us"))), '["2024-03-31T10:00:00.000001"]'),
    "list of times in ns": (
        pa.array([[TIME], None], pa.list_(pa.timestamp("ns"))),
        '["2024-03-31T10:00:00.000001"]',
    ),
    "list of durations": (pa.array([[5], None], pa.list_(pa.duration("s"))), '["0:00:05"]'),
    "list of durations in ns": (pa.array([[5 * 10**9], None], pa.list_(pa.duration("ns"))), '["0:00:05"]'),
    "list of large numbers": (pa.array([[2**63 - 1], None]), '["9223372036854775807"]'),
}


@pytest.mark.parametrize("kind", NESTED)
def test_nested_values_are_canonical_json_in_any_layout(service: Service, kind: str) -> None:
    array, text = NESTED[kind]
    source = service.connect(pa.table({"c": array}), name="nested")
    shown = service.ask("count by c from nested").rows
    service.disconnect("nested")
    assert source["typed_fields"][0]["physical"] == "string"
    assert text in [row["c"] for row in shown]


def test_arrays_in_an_object_column_are_lists(service: Service) -> None:
    frame = pd.DataFrame({"c": pd.Series([np.array([1]), np.array([1.5, 2]), np.array(["x"], object)], dtype=object)})
    service.connect(frame, name="arrays")
    shown = {row["c"] for row in service.ask("count by c from arrays").rows}
    service.disconnect("arrays")
    assert shown == {"[1]", "[1.5,2]", '["x"]'}


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_extension_of_a_file_is_known_without_the_library_that_wrote_it(ending: str, tmp_path: Path) -> None:
    """Without pandas, Arrow reads its periods as the numbers that they are stored as."""
    table = pa.Table.from_pandas(pd.DataFrame({"p": pd.period_range("2024-01", periods=2, freq="M"), "n": [1, 2]}))
    path = tmp_path / f"periods.{ending}"
    if ending == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    code = f"""
import sys, service_nb
service = service_nb.create_service(ledger="off")
try:
    source = service.connect({str(path)!r}, name="periods")
    print([field["name"] for field in source["typed_fields"]], "pandas.period" in source["notes"][0])
except service_nb.ServiceError as error:
    print(error.code, error.details["column"], "pandas.period" in str(error))
print("pandas" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    met = "['n'] True" if ending == "parquet" else "source_malformed p True"
    assert done.stdout == f"{met}\nFalse\n"
