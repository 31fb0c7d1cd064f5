"""From groups to rows: one total order, names that never collide, values that JSON carries without loss."""

from __future__ import annotations

import datetime
import itertools
import json
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.query.plan import build_result_columns, build_row, sort_groups
from service_nb.schema.query import Group, Plan
from service_nb.schema.source import convert_to_json


def plan(**parts: Any) -> Plan:
    defaults: dict[str, Any] = {
        "source_name": "s",
        "schema_revision": "0" * 64,
        "aggregation": "sum",
        "metric": "x",
        "group_by": ("g",),
        "conditions": (),
        "order": "desc",
        "limit": None,
        "decision_path": "exact_spec",
        "plan_hash": "",
        "notes": {},
    }
    return Plan(**defaults | parts)


def groups(*values: Any) -> list[Group]:
    return [Group((f"k{index}",), 1, value) for index, value in enumerate(values)]


def values(found: Sequence[Group]) -> list[Any]:
    return [group.value for group in found]


def keys(found: Sequence[Group]) -> list[Any]:
    return [group.keys for group in found]


@pytest.mark.parametrize(("order", "expected"), [("desc", [3, 1, 0, -2]), ("asc", [-2, 0, 1, 3])])
def test_nan_and_null_come_last_in_both_directions(order: str, expected: list[int]) -> None:
    for arrangement in itertools.permutations(groups(1, None, -2, math.nan, 3, 0)):
        found = values(sort_groups(arrangement, plan(order=order)))
        assert found[:4] == expected
        assert math.isnan(found[4])
        assert found[5] is None


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_ties_are_broken_by_the_keys_ascending(order: str) -> None:
    texts = ["", "A", "Z", "a", "é", "\uffff", "\U0001f600", None]  # by code point, null last
    tied = [Group((text,), 1, 5) for text in texts]
    for seed in range(5):
        shuffled = tied[seed:] + tied[:seed]
        assert keys(sort_groups(shuffled, plan(order=order))) == [(text,) for text in texts]


@pytest.mark.parametrize("value", [None, math.nan])
def test_groups_without_an_order_of_values_are_ordered_by_keys(value: float | None) -> None:
    tied = [Group((key,), 1, value) for key in (3, None, 1, 2)]
    assert keys(sort_groups(tied, plan())) == [(1,), (2,), (3,), (None,)]


def test_a_key_that_is_nan_comes_after_numbers_and_before_null() -> None:
    found = keys(sort_groups([Group((key,), 1, 1) for key in (None, math.nan, math.inf, -math.inf, 0.0)], plan()))
    assert found[0] == (-math.inf,)
    assert found[2] == (math.inf,)
    assert math.isnan(found[3][0])
    assert found[4] == (None,)


def test_the_second_key_breaks_ties_of_the_first() -> None:
    tied = [Group(key, 1, 1) for key in (("a", 2), ("b", 1), ("a", 1), ("a", None))]
    assert keys(sort_groups(tied, plan(group_by=("g", "h")))) == [("a", 1), ("a", 2), ("a", None), ("b", 1)]


def test_the_limit_cuts_after_ordering() -> None:
    for limit in (1, 2, 5, 10):
        assert values(sort_groups(groups(1, 5, 3, None, 4), plan(limit=limit))) == [5, 4, 3, 1, None][:limit]


CELLS = st.one_of(st.none(), st.floats(), st.just(math.nan), st.integers(-3, 3).map(float))


@given(st.dictionaries(st.tuples(st.none() | st.text(max_size=2), st.none() | st.integers(-2, 2)), CELLS), st.randoms())
def test_the_order_is_total(cells: dict[tuple[Any, ...], Any], random: Any) -> None:
    found = [Group(key, 1, value) for key, value in cells.items()]
    shuffled = random.sample(found, len(found))
    for order in ("asc", "desc"):
        for limit in (None, 1, 3):
            wanted = plan(order=order, limit=limit, group_by=("g", "h"))
            assert keys(sort_groups(found, wanted)) == keys(sort_groups(shuffled, wanted))


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "names"),
    [
        ({}, ("g", "x", "count")),
        ({"group_by": ()}, ("x", "count")),
        ({"metric": None, "aggregation": "count"}, ("g", "count")),
        ({"metric": None, "aggregation": "count", "group_by": ("count",)}, ("count", "row_count")),
        ({"metric": "count"}, ("g", "count", "row_count")),
        ({"group_by": ("count",)}, ("count", "x", "row_count")),
        ({"metric": "g"}, ("g", "sum_g", "count")),
        ({"metric": "g", "group_by": ("g", "sum_g")}, ("g", "sum_g", "sum_g_", "count")),
        ({"group_by": ("count", "row_count")}, ("count", "row_count", "x", "row_count_")),
        ({"metric": "count", "group_by": ("count",)}, ("count", "sum_count", "row_count")),
    ],
)
def test_columns_of_a_result_have_names_of_their_own(parts: dict[str, Any], names: tuple[str, ...]) -> None:
    columns = build_result_columns(plan(**parts))
    assert columns.names == names
    assert len(build_row(Group(tuple(columns.keys), 7, 1.5), columns)) == len(names)


@given(
    st.lists(st.sampled_from(["x", "count", "row_count", "sum_x", "sum_x_"]), unique=True),
    st.sampled_from(["x", "count"]),
)
def test_names_never_collide(group_by: list[str], metric: str) -> None:
    names = build_result_columns(plan(group_by=tuple(group_by), metric=metric)).names
    assert len(set(names)) == len(names)


# --- JSON -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        ("text", "text"),
        (2**53 - 1, 2**53 - 1),
        (-(2**53) + 1, -(2**53) + 1),
        (2**53, "9007199254740992"),
        (-(2**63), "-9223372036854775808"),
        (10**40, "1" + "0" * 40),
        (0.1, 0.1),
        (5e-324, 5e-324),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (Decimal("1.50"), "1.50"),
        (Decimal("1E+3"), "1000"),
        (Decimal("0.0000001"), "0.0000001"),
        (datetime.date(2024, 2, 29), "2024-02-29"),
        (datetime.datetime.fromisoformat("2024-02-29T01:02:03"), "2024-02-29T01:02:03"),
        (datetime.datetime.fromisoformat("2024-02-29T01:02:03.000004"), "2024-02-29T01:02:03.000004"),
    ],
)
def test_json_carries_a_value_without_loss(value: Any, expected: Any) -> None:
    assert convert_to_json(value) == expected
    assert type(convert_to_json(value)) is type(expected)
    assert json.loads(json.dumps(convert_to_json(value), allow_nan=False)) == expected
