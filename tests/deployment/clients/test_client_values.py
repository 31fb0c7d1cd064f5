"""Values cross the wire without loss, and nothing else is taken for one."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.deployment.values import hash_column
from service_nb.schema.compute import Vector
from service_nb.schema.native import UnreadableError, find_reader
from service_nb.schema.source import convert_to_json

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "int64": st.integers(-(2**63), 2**63 - 1),
    "float64": st.floats(),
    "decimal(38,9)": st.decimals(
        allow_nan=False, allow_infinity=False, places=9, min_value=-(10**28), max_value=10**28
    ),
    "string": st.text(st.characters(exclude_categories=["Cs"])),
    "boolean": st.booleans(),
    "date": st.dates(),
    "datetime": st.datetimes(),
}


def is_same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and math.isnan(one):
        return isinstance(other, float) and math.isnan(other)
    if isinstance(one, float):
        return type(other) is float and math.copysign(1, one) == math.copysign(1, other) and one == other
    if isinstance(one, Decimal):
        return isinstance(other, Decimal) and one.as_tuple() == other.as_tuple()
    return type(one) is type(other) and one == other


@pytest.mark.parametrize("physical", VALUES)
def test_every_value_comes_back_as_it_was(physical: str) -> None:
    @given(st.none() | VALUES[physical])
    def crosses(value: Any) -> None:
        sent = msgspec.json.decode(msgspec.json.encode(convert_to_json(value)))
        assert is_same(value, find_reader(physical)(sent))

    crosses()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from([*VALUES, "decimal(5,2)", "uuid", "", "decimal("]), JSON)
def test_what_is_no_value_of_a_type_is_refused_and_nothing_else_happens(physical: str, raw: Any) -> None:
    try:
        value = find_reader(physical)(raw)
    except UnreadableError:
        return
    kinds = (int, float, Decimal, str, bool, datetime.date, datetime.datetime, type(None))
    assert isinstance(value, kinds)


@pytest.mark.parametrize(
    ("physical", "raw"),
    [
        ("int64", "1e3"),
        ("int64", True),
        ("int64", 1.5),
        ("int64", "٣"),
        ("float64", "inf"),
        ("float64", "1.5"),
        ("float64", False),
        ("decimal(5,2)", "NaN"),
        ("decimal(5,2)", "1E+5"),
        ("decimal(5,2)", 1.5),
        ("string", 5),
        ("boolean", 1),
        ("date", "2024-02-30"),
        ("date", "20240230"),
        ("datetime", "2024-01-01T00:00:00+00:00"),
    ],
)
def test_a_value_of_another_type_is_none(physical: str, raw: Any) -> None:
    with pytest.raises(UnreadableError):
        find_reader(physical)(raw)


@given(st.lists(st.none() | st.floats(), min_size=1, max_size=50))
def test_a_digest_is_of_values_and_not_of_how_they_are_held(values: list[float | None]) -> None:
    nulls = np.array([value is None for value in values])
    array = np.array([0.0 if value is None else value for value in values])
    held = Vector(array, nulls if nulls.any() else None)
    again = [
        find_reader("float64")(msgspec.json.decode(msgspec.json.encode(convert_to_json(value)))) for value in values
    ]
    other = Vector(np.array([0.0 if value is None else value for value in again]), held.nulls)
    assert hash_column(held) == hash_column(other)
