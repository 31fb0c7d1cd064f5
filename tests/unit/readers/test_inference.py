"""The types of text columns: all rows decide, by the rules of docs/handbook/sources.md, restated here without Arrow."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service_nb.readers.dataset import ReadOptions
from service_nb.readers.delimited import read
from service_nb.readers.inference import infer

INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
NUMBER = re.compile(r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
SPECIAL = ("NaN", "nan", "inf", "-inf", "Infinity", "-Infinity")
TIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,6})?)?)?", re.ASCII)
ZONE = re.compile(r"(.*)(Z|[+-]\d\d:?\d\d)", re.ASCII)


def as_int(text: str, bound: int) -> int:
    if not INTEGER.fullmatch(text) or not -bound <= int(text) < bound:
        raise ValueError(text)
    return int(text)


def as_decimal(text: str) -> Decimal:
    return Decimal(as_int(text, 10**38)) if text != "-" + "9" * 38 else Decimal(text)


def as_float(text: str) -> float:
    value = float(text)  # correctly rounded
    if text not in SPECIAL and (not NUMBER.fullmatch(text) or math.isinf(value)):
        raise ValueError(text)
    return value


def as_boolean(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


def as_date(text: str) -> datetime.date:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        raise ValueError(text)
    return datetime.date.fromisoformat(text)


def as_datetime(text: str) -> datetime.datetime:
    parts = TIME.fullmatch(text)
    if parts is None:
        raise ValueError(text)
    day, minutes, seconds = parts.groups()
    fraction = (seconds or ":00")[1:].partition(".")
    clock = f"{minutes or '00:00'}:{fraction[0]}.{fraction[2]:0<6}"
    if clock.startswith("24"):  # which Python takes from 3.14 on
        raise ValueError(text)
    return datetime.datetime.fromisoformat(f"{day}T{clock}")


def as_instant(text: str) -> datetime.datetime:
    parts = ZONE.fullmatch(text)
    if parts is None:
        raise ValueError(text)
    zone = "+00:00" if parts[2] == "Z" else parts[2]
    if int(zone[1:3]) > 23 or int(zone[-2:]) > 59:
        raise ValueError(text)
    offset = datetime.timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
    return as_datetime(parts[1]) - (offset if zone[0] == "+" else -offset)


KINDS: list[tuple[str, Callable[[str], Any]]] = [
    ("int64", lambda text: as_int(text, 2**63)),
    ("decimal(38,0)", as_decimal),
    ("float64", as_float),
    ("boolean", as_boolean),
    ("date", as_date),
    ("datetime", as_datetime),
    ("datetime", as_instant),
]


def as_fixed(texts: Sequence[str]) -> str | None:
    """The decimal type of texts that all have the same number of places, from 2 to 4."""
    places = {len(text) - 1 - text.index(".") for text in texts if re.fullmatch(r"-?[0-9]*\.[0-9]+", text)}
    if len(places) != 1 or not all(re.fullmatch(r"-?[0-9]*\.[0-9]{2,4}", text) for text in texts):
        return None
    digits = max(len(text.lstrip("-0.").replace(".", "")) for text in texts)
    return None if digits > 38 else f"decimal({18 if digits <= 18 else 38},{places.pop()})"


def expected(texts: Sequence[str | None]) -> tuple[str, list[Any]]:
    """The first kind that every text fits, and the values."""
    present = [text for text in texts if text is not None]
    for kind, convert in KINDS if present else []:
        try:
            values = [None if text is None else convert(text) for text in texts]
        except (ValueError, KeyError, OverflowError):
            continue
        if kind == "float64" and not any(value is not None and math.isfinite(value) for value in values):
            continue  # nothing but NaN and infinities is no column of numbers
        if kind == "float64" and all(INTEGER.fullmatch(text) for text in present):
            continue  # whole numbers are never rounded because they are large
        if kind == "float64" and (exact := as_fixed(present)) is not None:
            return exact, [None if text is None else Decimal(text) for text in texts]
        return kind, values
    return "string", list(texts)


def same(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return left.hex() == right.hex()  # NaN equals itself, and zeros have signs
    return bool(left == right and type(left) is type(right))


digits = st.text("0123456789", min_size=1, max_size=25)
words = st.sampled_from(
    ["x", "", " 1", "1 ", "+1", "1_0", "0x1", "1,5", "--1", "-", ".", "e1", "1e", "true ", "é", "NA"]
)
integers = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.integers(-200, 200).map(str),
    st.integers(-(10**45), 10**45).map(str),
    st.sampled_from(["007", "00", "-0", "0", "-07", str(2**63), str(2**63 - 1), str(-(2**63)), "9" * 38, "9" * 39]),
)
money = st.one_of(
    st.integers(-(10**9), 10**9).map(lambda cents: f"{Decimal(cents).scaleb(-2):.2f}"),
    st.sampled_from(
        ["0.00", "-0.00", ".25", "-.50", "9" * 16 + ".25", "9" * 17 + ".25", "9" * 36 + ".25", "9" * 37 + ".25"]
    ),
)
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.builds("{}.{}".format, digits, digits),
    st.builds("-{}.{}e{}".format, st.integers(0, 9), digits, st.integers(-400, 400)),
    st.sampled_from(
        [".5", "5.", "-.5", "1e5", "1E+5", "1e400", "00.5", "0.1", "-0.0", "5e-324", *SPECIAL, "INF", "+1.5"]
    ),
)
dates = st.one_of(
    st.dates().map(str),
    st.sampled_from(["0000-01-01", "2024-02-30", "2024-1-1", "10000-01-01", "20240101", "2024-01-01 "]),
)
times = st.one_of(
    st.datetimes().map(lambda time: time.isoformat()),
    st.datetimes().map(lambda time: time.isoformat(" ", "minutes")),
    st.sampled_from(["2024-01-01T24:00", "2024-01-01T10", "2024-01-01T10:00:60", "2024-01-01T10:00:00.1234567"]),
)
instants = st.builds(
    "{}{}".format, times, st.sampled_from(["Z", "+00:00", "+05:30", "-0800", "+24:00", "+01:60", "+1"])
)
booleans = st.sampled_from(["true", "FALSE", "True", "false", "1", "0", "yes", "t"])


def columns(*families: st.SearchStrategy[str]) -> st.SearchStrategy[list[str | None]]:
    return st.lists(st.none() | st.one_of(families), max_size=30)


@given(
    st.one_of(
        *(columns(family) for family in (integers, numbers, dates, times, instants, booleans)),
        columns(money),
        columns(money, integers),
        columns(integers, numbers),
        columns(dates, times),
        columns(times, instants),
        columns(integers, words),
        columns(integers, numbers, dates, times, instants, booleans, words),
    ),
    st.sampled_from([0, 250, 1_200]),
)
@example(["9" * 39], 0)
@example(["1", "9" * 39], 0)
@example([str(2**63), "1.5"], 0)
@example(["nan", "1.5"], 250)
@example([None, "5"], 1_200)
@example(["0001-01-01T00:00:00+05:00"], 0)
def test_type_and_values_are_those_of_the_rules(texts: list[str | None], repeats: int) -> None:
    # The same first text many times moves the rest out of the head that proposes a type.
    texts = [*texts[:1] * repeats, *texts]
    present = [text if text != "" else None for text in texts]
    kind, values = expected(present)
    found = infer("c", pa.chunked_array([pa.array(present, pa.string())]))
    assert found.physical == kind
    got = found.column.to_pylist()
    assert all(same(a, b) for a, b in zip(got, values, strict=True)), (got, values)


@given(st.one_of(columns(integers, numbers, words), columns(money, integers)), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(texts: list[str | None], chance: Any) -> None:
    shuffled = list(texts)
    chance.shuffle(shuffled)
    both = [infer("c", pa.chunked_array([pa.array(order, pa.string())])).physical for order in (texts, shuffled)]
    assert both[0] == both[1]


@given(st.lists(numbers, min_size=1, max_size=50))
def test_numbers_are_correctly_rounded(texts: list[str]) -> None:
    kind, _ = expected([*texts, "0.5"])
    found = infer("c", pa.chunked_array([pa.array([*texts, "0.5"], pa.string())]))
    if kind == "float64":
        assert [value.hex() for value in found.column.to_pylist()] == [float(text).hex() for text in [*texts, "0.5"]]


@pytest.mark.parametrize("row", [1, 2, 199, 200, 201, 5_000, 20_000])
@pytest.mark.parametrize(
    ("common", "odd", "kind"),
    [
        ("1", "x", "string"),
        ("1", "007", "string"),
        ("1", "1.5", "float64"),
        ("1", str(2**63), "decimal(38,0)"),
        ("1.5", "n/a", "string"),
        ("true", "1", "string"),
        ("2024-01-01", "2024-02-30", "string"),
        ("2024-01-01", "2024-01-01T10:00", "datetime"),
    ],
)
def test_one_odd_row_decides_wherever_it_is(row: int, common: str, odd: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("a,b\n" + "".join(f"{odd if i == row else common},{i}\n" for i in range(1, 20_001)))
    found = read(path, ReadOptions())
    assert found.fields[0].physical == kind
    assert bool(found.notes) == (kind == "string")


def test_note_names_the_column_and_the_first_odd_row() -> None:
    found = infer("price", pa.chunked_array([["1"] * 500 + ["n/a"] + ["2"] * 50 + ["x"]]))
    assert found.physical == "string"
    assert "price" in (found.note or "")
    assert "501" in (found.note or "")
