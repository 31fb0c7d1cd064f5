"""A percentile is asked for with its percent, an exact decimal, and nothing else has one."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from service_nb import Service, create_service
from service_nb.errors import InvalidIntentError, LimitExceededError
from service_nb.query.ask_line import format_ask, parse_ask
from service_nb.query.plan import build_hashed_form, build_result_columns
from service_nb.query.spec import parse_spec, write_spec
from service_nb.schema.query import AskedMeasure, Plan

ASKED = {"aggregation": "percentile", "metric": "delay"}


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        *((90, "90"), (90.0, "90"), ("90.00", "90"), (99.9, "99.9"), ("0.0001", "0.0001"), ("1e1", "10"), (100, "100")),
        *((0, "0"), (-0.0, "0"), (Decimal("12.50"), "12.5"), (0.1, "0.1")),
    ],
)
def test_a_percent_is_stored_as_one_decimal_text(written: Any, stored: str) -> None:
    spec = parse_spec(ASKED | {"percent": written})
    assert write_spec(spec) == ASKED | {"percent": stored}
    assert parse_spec(write_spec(spec)) == spec


@pytest.mark.parametrize(
    "percent",
    [
        *(-1, 100.0001, 101, True, [90], {"variable": "p"}, "", "ninety", "٩٠", "1_0", " 90", "nan", "inf"),
        *(float("nan"), float("inf"), "1e1000000000", "9" * 5000, 10**400, Decimal("sNaN"), b"90"),
    ],
    ids=lambda each: str(each)[:20],
)
def test_what_is_no_percent_is_refused(percent: Any) -> None:
    with pytest.raises(InvalidIntentError, match="a number from 0 to 100"):
        parse_spec(ASKED | {"percent": percent})


def test_a_percent_has_few_digits() -> None:
    for percent in ("12.34567", "1e-400", 1e-300, "50." + "0" * 300 + "1"):
        with pytest.raises(LimitExceededError, match="4 digits"):
            parse_spec(ASKED | {"percent": percent})


@pytest.mark.parametrize(
    "spec",
    [
        {"aggregation": "sum", "metric": "delay", "percent": 50},
        {"metric": "delay", "percent": 50},
        {"measures": [{"aggregation": "median", "metric": "delay", "percent": 50}]},
    ],
)
def test_a_percent_belongs_to_percentiles(spec: dict[str, Any]) -> None:
    with pytest.raises(InvalidIntentError, match="percent belongs to percentiles"):
        parse_spec(spec)


def test_one_percentile_is_asked_for_once() -> None:
    with pytest.raises(InvalidIntentError, match="twice"):
        parse_spec({"measures": [ASKED | {"percent": "90"}, ASKED | {"percent": 90.0}]})
    assert parse_spec({"measures": [ASKED | {"percent": "90"}, ASKED | {"percent": 95}]}).more[0].percent == 95


@pytest.mark.parametrize(
    ("line", "canonical"),
    [
        ("p90 delay", "percentile 90 of delay"),
        ("P99.9 delay by carrier", "percentile 99.9 of delay by carrier"),
        ("p90 of `a b`", "percentile 90 of `a b`"),
        ("Percentile 12.5  of delay", "percentile 12.5 of delay"),
        ("percentile 90 delay", "percentile 90 of delay"),
        ("90th percentile of delay", "percentile 90 of delay"),
        ("quantile 0.9 of delay", "percentile 90 of delay"),
        ("quantile .0001 of delay", "percentile 0.01 of delay"),
        ("p50 delay, max p90, p90 delay by c", "percentile 50 of delay, max p90, percentile 90 of delay by c"),
        ("top 5 carrier by p90 delay", "percentile 90 of delay by carrier order desc limit 5"),
        ("sum p90 by p95 where p90 = 3 order by p90", "sum p90 by p95 where p90 = 3 order by p90"),
        ("stddev a, avg b", "stddev a, avg b"),
        ("percentile delay", "percentile delay"),
    ],
)
def test_a_percentile_in_an_ask_line(line: str, canonical: str) -> None:
    spec = parse_ask(line)
    assert format_ask(spec) == canonical
    assert parse_ask(canonical) == spec


@pytest.mark.parametrize("line", ["percentile 90", "p90", "p90 by carrier", "percentile -1 of x", "percentile 1e1 of"])
def test_a_line_that_is_no_percentile_is_refused(line: str) -> None:
    with pytest.raises(InvalidIntentError):
        parse_ask(line)


def test_columns_of_percentiles_are_named_by_their_percent() -> None:
    plan = Plan(
        aggregation="percentile",
        metric="delay",
        percent=Decimal("99.9"),
        more=(AskedMeasure(aggregation="percentile", metric="delay", percent=Decimal(50)),),
    )
    assert build_result_columns(plan).names == ("p99_9_delay", "p50_delay", "count")
    first, _ = plan.split()
    assert build_result_columns(first).names == ("delay", "count")
    assert build_hashed_form(first)["percent"] == "99.9"
    assert "percent" not in build_hashed_form(Plan(aggregation="median", metric="delay"))


def test_a_percentile_without_a_percent_comes_back_with_lines_that_run(people: Service) -> None:
    asked = people.ask({"measures": [{"aggregation": "count"}, {"aggregation": "percentile", "metric": "height"}]})
    assert asked["status"] == "needs_clarification"
    assert asked["resolution"]["missing"] == ["percent"]
    offered = [each["ask"] for each in asked["resolution"]["candidates"]]
    assert offered == [f"count, percentile {percent} of height from people" for percent in (50, 90, 95, 99)]
    assert all(people.ask(line)["status"] == "ok" for line in offered)


def test_an_answer_has_the_words_of_its_percentile_and_verifies(people: Service) -> None:
    outcome = people.ask("p90 height by team")
    assert outcome["data"]["plan"][2].startswith(
        "Take percentile 90 of height of each group, between two values linearly"
    )
    assert outcome.card["view"]["question"] == "Percentile 90 of height by team in people"
    assert outcome.card["view"]["ask"] == "percentile 90 of height by team from people"
    assert outcome.verify().status == "consistent"
    assert [row["height"] for row in outcome["data"]["result"]] == [4.4, 1.0]
    median, half = people.ask("median height"), people.ask("percentile 50 of height")
    assert median["data"]["result"] == half["data"]["result"]
    assert median["data"]["plan_hash"] != half["data"]["plan_hash"]


@pytest.fixture
def people() -> Iterator[Service]:
    service = create_service()
    rows = [{"team": "a", "height": height} for height in (1, 2, 3, 5)]
    service.connect([*rows, {"team": "b", "height": 1}], name="people")
    yield service
    service.close()
