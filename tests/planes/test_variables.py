"""Variables of questions: bound as values, whatever they hold; noted in the plan; and never needed again."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.errors import InvalidIntentError, LimitExceededError
from service_nb.query.ask_line import format_ask, parse_ask
from service_nb.query.variables import list_variables, parse_variables

ROWS = [
    {"region": region, "year": year, "price": price, "day": datetime.date(year, 5, 1), "open": year == 2021}
    for region, year, price in [("North", 2020, 0.1), ("South", 2021, 0.5), ("It's", 2022, 0.25)]
]


@pytest.fixture
def service() -> Iterator[Service]:
    with service_nb.create_service() as made:
        made.connect(ROWS, name="sales")
        yield made


@pytest.mark.parametrize(
    ("line", "value", "years"),
    [
        ("year = $v", 2021, [2021]),
        ("year = $v", np.int64(2021), [2021]),
        ("year in $v", [2020, 2022], [2020, 2022]),
        ("year in $v", 2020, [2020]),
        ("year in ($v)", (2020, 2021), [2020, 2021]),
        ("year in (2022, $v)", range(2020, 2022), [2020, 2021, 2022]),
        ("year in $v", np.array([2020, 2021]), [2020, 2021]),
        ("year not in $v", pd.Series([2020, 2021]), [2022]),
        ("year between $v and 2021", np.uint16(2020), [2020, 2021]),
        ("price = $v", Decimal("0.1"), [2020]),
        ("price = $v", np.float64(0.1), [2020]),
        ("price > $v", np.float32(0.25), [2021]),
        ("region = $v", "It's", [2022]),
        ("region = $v", np.str_("North"), [2020]),
        ("region starts with $v", "S", [2021]),
        ("region = $v", "' or year > 0 or region = '", []),
        ("region = $v", "`year` limit 1", []),
        ("open = $v", np.bool_(True), [2021]),
        ("day >= $v", datetime.date(2021, 1, 1), [2021, 2022]),
        ("day >= $v", np.datetime64("2022-05-01"), [2022]),
        ("day >= $v", "2021-06-01", [2022]),
        ("year = 2020 or (region = 'South' and year = $v)", 2021, [2020, 2021]),
    ],
)
def test_a_variable_is_the_value_that_it_holds(line: str, value: Any, years: list[int], service: Service) -> None:
    outcome = service.ask(f"count by year where {line} order asc", variables={"v": value, "other": object()})
    assert sorted(row["year"] for row in outcome.rows) == years
    spec = parse_ask(f"count by year where {line} order asc")
    assert list_variables(spec) == ["v"]
    assert parse_ask(format_ask(spec)) == spec
    assert service.ask(spec, variables={"v": value})["data"]["result_hash"] == outcome["data"]["result_hash"]


def test_a_plan_holds_the_value_and_a_note_and_needs_no_variable(service: Service) -> None:
    asked = service.ask("sum price where year = $year and region in $r", variables={"year": 2020, "r": ["North", "x"]})
    plain = service.ask("sum price where year = 2020 and region in ('x', 'North')")
    assert asked["data"]["plan_hash"] == plain["data"]["plan_hash"]
    assert asked["data"]["provenance"]["notes"] == {"$year": "2020", "$r": "('North', 'x')"}
    assert asked.card["view"]["notes"] == ["$r: ('North', 'x')", "$year: 2020"]
    plan = json.loads(json.dumps(asked["resolution"]["plan"]))
    assert service.query(plan) == asked["data"]["result"]
    assert asked.replay()["status"] == "identical"
    again = service.ask("sum price where year = $year and region in $r", variables={"year": 2021, "r": ["South"]})
    assert again.rows == [{"price": 0.5, "count": 1}]  # and not the answer of before


def test_an_unbound_variable_names_those_that_there_are_and_no_value(service: Service) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        service.ask("count where year = $yeer", variables={"year": 1234567, "password": "hunter2", "bad": object()})
    told = json.dumps([str(caught.value), caught.value.details], default=str)
    assert ["$year" in told, "$password" in told, "$bad" in told] == [True, True, False]
    assert "1234567" not in told
    assert "hunter2" not in told
    with pytest.raises(InvalidIntentError, match="None was given"):
        service.ask("count where year = $year")


@pytest.mark.parametrize(
    "value",
    [None, float("nan"), pd.NaT, pd.NA, object(), {"a": 1}, {1}, [None], [[1]], np.longdouble(1), b"x", 1j,
     np.ones((2, 2)), pd.Timestamp("2024-01-01T00:00:00.000000001"), np.datetime64("NaT", "s"), float("inf"), []],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_is_no_value_is_refused(value: Any, service: Service) -> None:
    for line in ("count where year in $v", "count where price = $v"):
        with pytest.raises(InvalidIntentError):
            service.ask(line, variables={"v": value})


def test_a_list_is_no_single_value_and_has_a_limit(service: Service) -> None:
    with pytest.raises(InvalidIntentError):
        service.ask("count where year = $v", variables={"v": [2020, 2021]})
    with pytest.raises(LimitExceededError):
        service.ask("count where year in $v", variables={"v": np.zeros(10_001)})


@pytest.mark.parametrize(
    "line", ["sum $v", "count by $v", "count from $v", "count limit $v", "count where $v = 1", "$v"]
)
def test_a_variable_stands_for_a_value_and_nothing_else(line: str, service: Service) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        service.ask(line, variables={"v": "year"})
    assert line == "$v" or "`$v` is not allowed here" in caught.value.message


def test_a_computation_binds_its_conditions() -> None:
    from service_nb.client.compute_line import parse_compute_line

    spec: Any = parse_compute_line("stats.mean values=sales.price where year = $y", {"y": np.int64(2021), "z": 1})
    assert spec["bindings"][0]["filter"] == {"conditions": [{"column": "year", "op": "eq", "value": 2021}]}


def test_a_command_line_reads_values_as_an_ask_line_does() -> None:
    pairs = [
        "a=2024",
        "b=0.10",
        "c=North",
        "d='5'",
        "e=(1, 2)",
        "f=true",
        "g=2024-01-31",
        "h=007",
        "i=1 order asc",
        "j=",
    ]
    assert parse_variables(pairs) == {
        "a": 2024, "b": 0.1, "c": "North", "d": "5", "e": [1, 2], "f": True, "g": "2024-01-31", "h": "007",
        "i": "1 order asc", "j": "",
    }  # fmt: skip
    for wrong in (["a"], ["=1"], ["a b=1"], ["a=1", "a=2"]):
        with pytest.raises(InvalidIntentError):
            parse_variables(wrong)
