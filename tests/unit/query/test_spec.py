"""The shape of a spec: what is wrong in it is said with its place; nothing about sources is decided here."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.errors import InvalidIntentError, LimitExceededError
from service_nb.query.conditions import OPS
from service_nb.query.spec import (
    MAX_CONDITIONS,
    MAX_GROUP_BY,
    MAX_GROUPS,
    MAX_LIMIT,
    MAX_NAME,
    MAX_TEXT,
    MAX_VALUES,
    parse_spec,
    write_spec,
)
from service_nb.schema.query import AGGREGATIONS, PERIODS, Condition, QuerySpec, TimeFilter

CONDITION = {"column": "x", "op": "eq", "value": 1}


def where(*conditions: Any, **parts: Any) -> dict[str, Any]:
    return {"filter": {"conditions": list(conditions), **parts}}


def test_every_key_is_read() -> None:
    spec = parse_spec(
        {
            "metric": "revenue",
            "aggregation": "sum",
            "group_by": ["region", "Order Year"],
            "filter": {
                "conditions": [
                    {"column": "a", "op": "eq", "value": "x"},
                    {"column": "b", "op": "in", "values": [1, 2]},
                    {"column": "c", "op": "between", "value": [1, 2]},
                    {"column": "d", "op": "is_null"},
                ],
                "time_filter": {"column": "day", "period": "last_month"},
            },
            "order": "asc",
            "limit": 5,
            "source_name": "sales",
        }
    )
    assert spec == QuerySpec(
        metric="revenue",
        aggregation="sum",
        group_by=("region", "Order Year"),
        conditions=(
            Condition(column="a", op="eq", operand="x"),
            Condition(column="b", op="in", operand=(1, 2)),
            Condition(column="c", op="between", operand=(1, 2)),
            Condition(column="d", op="is_null"),
        ),
        time_filter=TimeFilter(column="day", period="last_month"),
        order="asc",
        limit=5,
        source_name="sales",
    )


def test_absent_and_null_are_the_same() -> None:
    keys = ("metric", "aggregation", "group_by", "filter", "order", "limit", "source_name")
    assert parse_spec({}) == parse_spec(dict.fromkeys(keys)) == QuerySpec()


def test_one_column_to_group_by_needs_no_list() -> None:
    assert parse_spec({"group_by": "a"}) == parse_spec({"group_by": ["a"]}) == parse_spec({"group_by": ("a",)})


def nested(depth: int) -> Any:
    tree: Any = CONDITION
    for _ in range(depth):
        tree = {"any": [tree]}
    return tree


WRONG: list[tuple[Any, str]] = [
    *((raw, "spec") for raw in (None, 1, "sum x", [], [("metric", "x")], b"{}", object())),
    *(({key: 1}, "spec") for key in ("Metric", "metrics", "", "where", 5, None, "filters")),
    *(({"metric": raw}, "metric") for raw in (5, "", [], ["x"], {}, True, b"x", "\ud800")),
    *(({"aggregation": raw}, "aggregation") for raw in ("SUM", "total", "", 5, ["sum"], "sum ", "mode", {}, True)),
    *(({"group_by": raw}, "group_by") for raw in (5, {}, {"a": 1}, {"a"}, True, 1.5, ["a", "a"])),
    *(({"group_by": ["a", raw]}, "group_by[1]") for raw in (5, "", None, ["b"], "\udfff")),
    *(({"order": raw}, "order") for raw in ("up", "ASC", 1, ["asc"], "", True, "descending")),
    *(({"limit": raw}, "limit") for raw in (0, -1, 1.0, "5", True, [], math.inf, Decimal(5))),
    *(({"source_name": raw}, "source_name") for raw in (5, "", ["x"], {}, False)),
    *(({"filter": raw}, "filter") for raw in (5, "x = 1", [CONDITION], {"condition": []}, {"and": []}, True)),
    *(({"filter": {"conditions": raw}}, "filter.conditions") for raw in (5, "x", CONDITION, {1: CONDITION})),
    *((where(raw), "filter.conditions[0]") for raw in (5, "x = 1", None, [], {"column": "x", "op": "eq", "val": 1})),
    *((where({**CONDITION, "column": raw}), "filter.conditions[0].column") for raw in (None, 5, "", ["x"])),
    *((where({**CONDITION, "op": raw}), "filter.conditions[0].op") for raw in (None, "=", "EQ", "like", 5, ["eq"], "")),
    *(
        (where(CONDITION, {**CONDITION, "value": raw}), "filter.conditions[1].value")
        for raw in ([], {}, math.nan, math.inf, Decimal("NaN"), b"x", object(), datetime.time(), 1j, "\ud800")
    ),
    (where({"column": "x", "op": "eq"}), "filter.conditions[0]"),
    *((where({"any": raw}), "filter.conditions[0].any") for raw in ([], None, 5, "x", {"all": [CONDITION]})),
    *((where({"all": raw}), "filter.conditions[0].all") for raw in ((), {}, True)),
    (where({"any": [CONDITION], "all": [CONDITION]}), "filter.conditions[0]"),
    (where({"any": [CONDITION], "op": "eq"}), "filter.conditions[0]"),
    (where({"any": [CONDITION, {"all": [5]}]}), "filter.conditions[0].any[1].all[0]"),
    (where({"column": "x", "op": "eq", "value": 1, "values": [1]}), "filter.conditions[0]"),
    (where({"column": "x", "op": "eq", "values": [1]}), "filter.conditions[0]"),
    *((where({"column": "x", "op": op, "value": 1}), "filter.conditions[0]") for op in ("is_null", "is_not_null")),
    *((where({"column": "x", "op": "in", "values": raw}), "filter.conditions[0]") for raw in (None, [], 5, "ab", {1})),
    *((where({"column": "x", "op": "between", "values": raw}), "filter.conditions[0]") for raw in ([1], [1, 2, 3], 5)),
    (where({"column": "x", "op": "in", "values": [1, None]}), "filter.conditions[0].values[1]"),
    (where({"column": "x", "op": "not_in", "values": [[1]]}), "filter.conditions[0].values[0]"),
    *(({"filter": {"time_filter": raw}}, "filter.time_filter") for raw in (5, "this_month", [], {"columns": "x"})),
    *(
        ({"filter": {"time_filter": {"column": raw, "period": "this_month"}}}, "filter.time_filter.column")
        for raw in (None, 5, "")
    ),
    *(
        ({"filter": {"time_filter": {"column": "d", "period": raw}}}, "filter.time_filter.period")
        for raw in (None, "month", "next_month", 5, ["this_month"])
    ),
    (
        where(
            {**CONDITION, "value": datetime.datetime.min.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=1)))}
        ),
        "filter.conditions[0].value",
    ),
]


@pytest.mark.parametrize(("raw", "path"), WRONG)
def test_a_malformed_spec_is_an_error_that_names_the_place(raw: Any, path: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        parse_spec(raw)
    assert caught.value.code == "invalid_intent"
    assert caught.value.details["path"] == path


TOO_MUCH: list[tuple[Any, str]] = [
    ({"metric": "x" * (MAX_NAME + 1)}, "metric"),
    ({"source_name": "x" * 10_000}, "source_name"),
    ({"group_by": [f"c{i}" for i in range(MAX_GROUP_BY + 1)]}, "group_by"),
    ({"limit": MAX_LIMIT + 1}, "limit"),
    (where(*[CONDITION] * (MAX_CONDITIONS + 1)), "filter.conditions"),
    (where(*[{"any": [CONDITION] * MAX_CONDITIONS}] * MAX_CONDITIONS), "filter.conditions"),
    (where(nested(MAX_GROUPS + 1)), "filter.conditions[0]" + ".any[0]" * MAX_GROUPS),
    (where(nested(5_000)), "filter.conditions[0]" + ".any[0]" * MAX_GROUPS),
    (where({"column": "x", "op": "in", "values": [1] * (MAX_VALUES + 1)}), "filter.conditions[0].values"),
    (where({**CONDITION, "value": "x" * (MAX_TEXT + 1)}), "filter.conditions[0].value"),
    *((where({**CONDITION, "value": raw}), "filter.conditions[0].value") for raw in (10**400, -(10**5_000))),
    *(
        (where({**CONDITION, "value": Decimal(raw)}), "filter.conditions[0].value")
        for raw in ("1e400", "1e-401", "0e9999")
    ),
]


@pytest.mark.parametrize(("raw", "path"), TOO_MUCH)
def test_a_spec_beyond_its_limits_is_refused_with_the_limit(raw: Any, path: str) -> None:
    with pytest.raises(LimitExceededError) as caught:
        parse_spec(raw)
    assert caught.value.code == "limit_exceeded"
    assert caught.value.details["path"] == path
    assert caught.value.details["limit"] > 0


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        ({"agregation": "sum"}, "aggregation"),
        ({"aggregation": "summ"}, "sum"),
        ({"groupby": "x"}, "group_by"),
        ({"filter": {"condition": []}}, "conditions"),
        (where({**CONDITION, "op": "contain"}), "contains"),
        ({"order": "dsc"}, "desc"),
    ],
)
def test_a_misspelt_key_or_choice_comes_with_the_one_that_was_meant(raw: Any, meant: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        parse_spec(raw)
    assert caught.value.details["did_you_mean"][0] == meant


def test_an_instant_with_a_zone_is_taken_in_utc() -> None:
    tokyo = datetime.timezone(datetime.timedelta(hours=9))
    spec = parse_spec(where({**CONDITION, "value": datetime.datetime(2024, 1, 1, 3, tzinfo=tokyo)}))
    assert spec.conditions[0].operand == datetime.datetime.fromisoformat("2023-12-31T18:00")


def test_an_error_never_repeats_a_long_or_foreign_value() -> None:
    class Spy:
        def __repr__(self) -> str:
            raise AssertionError("its text is not asked for")

    for raw in (Spy(), "x" * 900, 10**5_000):
        with pytest.raises((InvalidIntentError, LimitExceededError)) as caught:
            parse_spec({"order": raw})
        assert len(str(caught.value)) < 400


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
VALUES = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=20),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.dates(),
    st.datetimes(),
    st.decimals(allow_nan=False, allow_infinity=False, places=5),
)


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    op = draw(st.sampled_from(OPS))
    if op in ("is_null", "is_not_null"):
        operand: Any = None
    elif op == "between":
        operand = (draw(VALUES), draw(VALUES))
    elif op in ("in", "not_in"):
        operand = tuple(draw(st.lists(VALUES, min_size=1, max_size=4)))
    else:
        operand = draw(VALUES)
    return Condition(column=draw(NAMES), op=op, operand=operand)


SPECS = st.builds(
    QuerySpec,
    metric=st.none() | NAMES,
    aggregation=st.none() | st.sampled_from(AGGREGATIONS),
    group_by=st.lists(NAMES, max_size=3, unique=True).map(tuple),
    conditions=st.lists(conditions(), max_size=3).map(tuple),
    time_filter=st.none() | st.builds(TimeFilter, column=NAMES, period=st.sampled_from(PERIODS)),
    order=st.sampled_from(["asc", "desc"]),
    limit=st.none() | st.integers(1, MAX_LIMIT),
    source_name=st.none() | NAMES,
)


@given(SPECS)
def test_a_spec_and_its_object_are_two_forms_of_one_thing(spec: QuerySpec) -> None:
    assert parse_spec(write_spec(spec)) == spec
