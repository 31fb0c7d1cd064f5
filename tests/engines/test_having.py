"""Conditions on measures keep the groups of a naive computation, on every engine, and only of what is asked for."""

from __future__ import annotations

import copy
import math
import sqlite3
import statistics
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import service_nb
from service_nb.client.service import Service
from service_nb.engines.duckdb import DuckDBEngine
from service_nb.engines.memory import MemoryEngine
from service_nb.evidence.documents import check_card
from service_nb.notebook.completion import Catalogue, _suggest
from service_nb.query.ask_line import format_ask, parse_ask
from service_nb.query.ask_state import read_ask_state
from service_nb.query.plan import plan_to_json, sort_groups, write_plan_text
from service_nb.query.spec import parse_spec, write_spec
from service_nb.schema.query import AskedMeasure, Condition, ConditionGroup, Plan
from tests.engines import cases

Rows = list[tuple[str | None, float | None]]

MEASURES = [
    AskedMeasure(aggregation="count"),
    AskedMeasure(aggregation="sum", metric="x"),
    AskedMeasure(aggregation="min", metric="x"),
    AskedMeasure(aggregation="count", metric="x"),
    AskedMeasure(aggregation="stddev", metric="x"),
]
HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a is not None and a == b,
    "ne": lambda a, b: a is not None and a != b,
    "gt": lambda a, b: a is not None and a > b,
    "lte": lambda a, b: a is not None and a <= b,
    "between": lambda a, b: a is not None and b[0] <= a <= b[1],
    "in": lambda a, b: a is not None and a in b,
    "not_in": lambda a, b: a is not None and all(a != each for each in b),
    "is_null": lambda a, _: a is None,
    "is_not_null": lambda a, _: a is not None,
}


# --- values -----------------------------------------------------------------------------------------------------------


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    measure, op = draw(st.sampled_from(MEASURES)), draw(st.sampled_from(sorted(HOLDS)))
    number = st.sampled_from([0.0, 1.0, 2.0, 2.5, -1.0, 3.0])
    operand: Any = draw(number)
    if op.startswith("is"):
        operand = None
    elif op in ("in", "not_in", "between"):
        operand = tuple(sorted({operand, draw(number)}))
        operand = (*operand, operand[0])[:2] if op == "between" else operand
    return Condition(column="", measure=measure, op=op, operand=operand)  # type: ignore[arg-type]


def trees(depth: int = 2) -> st.SearchStrategy[Any]:
    if depth == 0:
        return conditions()
    parts = st.lists(trees(depth - 1), min_size=2, max_size=3).map(tuple)
    return conditions() | st.builds(
        lambda j, p: ConditionGroup(joiner=j, parts=p), st.sampled_from(["any", "all"]), parts
    )


def compute(values: list[float | None], measure: AskedMeasure) -> Any:
    """The measure of one group, by the standard library."""
    held = [value for value in values if value is not None]
    match measure.aggregation:
        case "count":
            return len(values) if measure.metric is None else len(held)
        case "sum":
            return None if not held else math.nan if any(map(math.isnan, held)) else float(sum(map(Fraction, held)))
        case "min":
            return None if not held else math.nan if any(map(math.isnan, held)) else min(held)
    if len(held) < 2:
        return None
    return math.nan if any(map(math.isnan, held)) else math.sqrt(statistics.variance(map(Fraction, held)))


def meets(tree: Any, values: list[float | None]) -> bool:
    if isinstance(tree, Condition):
        assert tree.measure is not None
        return HOLDS[tree.op](compute(values, tree.measure), tree.operand)
    return (all if tree.joiner == "all" else any)(meets(part, values) for part in tree.parts)


VALUES = st.sampled_from([None, 0.0, 1.0, -1.0, 2.5, 2.0])
ROWS = st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), VALUES | st.just(math.nan)), max_size=14)


def group(rows: Rows) -> dict[str | None, list[float | None]]:
    found: dict[str | None, list[float | None]] = {}
    for key, value in rows:
        found.setdefault(key, []).append(value)
    return found


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(ROWS, st.lists(trees(), min_size=1, max_size=3))
def test_the_groups_that_are_kept_are_those_of_a_naive_computation(rows: Rows, having: list[Any]) -> None:
    first, *more = MEASURES
    plan = Plan(
        aggregation=first.aggregation,
        metric=None,
        more=tuple(more),
        group_by=("key",),
        having=tuple(having),
        order="asc",
    )
    columns = {
        "key": pa.array([row[0] for row in rows], pa.string()),
        "x": pa.array([row[1] for row in rows], pa.float64()),
    }
    due = {key for key, held in group(rows).items() if all(meets(tree, held) for tree in having)}
    for engine in (MemoryEngine(cases.held(pa.table(columns))), DuckDBEngine(cases.held(pa.table(columns)))):
        met = sort_groups(engine.aggregate(plan, None).groups, plan)
        assert {each.keys[0] for each in met} == due, engine.name
        assert len(met) == len(due)


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Callable[[Rows], Service]]:
    made: list[Service] = []

    def store(rows: Rows) -> Service:
        path = tmp_path / f"{len(made)}.db"
        with sqlite3.connect(path) as connection:
            connection.execute("create table t (key text, x real)")
            connection.executemany("insert into t values (?, ?)", rows)
        connection.close()
        made.append(service_nb.create_service())
        made[-1].connect({"provider": "sqlite", "path": str(path), "table": "t"}, name="t")
        return made[-1]

    yield store
    for service in made:
        service.close()


def test_a_database_keeps_the_same_groups(stores: Callable[[Rows], Service]) -> None:
    rows: Rows = [("a", 1.0), ("a", 2.5), ("b", None), ("b", 4.0), (None, 0.0), (None, 0.0), ("c", None)]
    service = stores(rows)
    asked = "sum x, count, stddev x by key from t having"
    for line, due in [
        ("sum x > 3", {"a", "b"}),
        ("sum x is null or count > 1 and stddev x = 0", {"c", None}),
        ("(count = 2 or sum x is null) and stddev x is not null", {"a", None}),
        ("sum x in (3.5, 0) and count != 1", {"a", None}),
        ("count > 99", set()),
    ]:
        outcome = service.ask(f"{asked} {line} order by key limit 9")
        assert {row["key"] for row in outcome.rows} == due, line


# --- what is asked ----------------------------------------------------------------------------------------------------


@pytest.fixture
def service() -> Service:
    made = service_nb.create_service()
    rows = [{"region": "NSW"[at % 3], "year": 2018 + at % 4, "revenue": at * 1.5, "having": at} for at in range(30)]
    made.connect(rows, name="sales")
    return made


@pytest.mark.parametrize(
    "line",
    [
        "sum revenue by region from sales where year > 2018 having count > 4 and sum revenue >= 100 order asc limit 5",
        "sum revenue, max region by year from sales having count > 7 and (count < 9 or max region starts with 'W')",
        "count by having from sales having count between 1 and 2 or count is null order by having asc limit 3",
        "sum having by region from sales having sum having not in (1, 2)",
    ],
)
def test_a_line_a_spec_a_plan_a_card_and_a_replay_are_one(service: Service, line: str) -> None:
    spec = parse_ask(line)
    assert format_ask(spec) == line
    assert parse_ask(format_ask(write_spec(parse_spec(spec)))) == write_spec(parse_spec(spec))
    plan = service.resolve(spec)["plan"]
    assert service.verify(plan)["valid"]
    outcome = service.ask(line)
    assert outcome.card["view"]["ask"] == line
    assert [step for step in outcome.card["view"]["plan"] if step.startswith("Keep the groups where")]
    assert service.query(plan) == outcome["data"]["result"]
    assert not any(check.status == "failed" for check in outcome.verify().checks)
    assert outcome.replay()["status"] == "identical"


def test_the_order_of_conditions_and_a_needless_list_change_no_hash(service: Service) -> None:
    asked = "sum revenue, count by region from sales having "
    hashes = {
        service.resolve(asked + line)["plan_hash"]
        for line in (
            "count > 3 and sum revenue > 1",
            "sum revenue > 1 and count > 3",
            "(sum revenue > 1.0) and count > 3",
        )
    }
    assert len(hashes) == 1
    assert hashes != {service.resolve(asked + "count > 3")["plan_hash"]}
    assert "having" not in write_plan_text(Plan(aggregation="count", group_by=("a",)))
    assert "having" not in plan_to_json(Plan(aggregation="count", group_by=("a",)))


@pytest.mark.parametrize(
    ("line", "reason", "first"),
    [
        (
            "sum revenue by region having avg year > 3",
            "having compares avg year, and the question does not ask for it.",
            "sum revenue, avg year by region from sales having avg year > 3",
        ),
        (
            "sum revenue by region having sum revenu > 3",
            "'revenu' is no column, but similar names are in sales.",
            "sum revenue by region from sales having sum revenue > 3",
        ),
        (
            "sum revenue having count > 3",
            "having keeps some of several groups, and the question groups by nothing.",
            "sum revenue by region from sales having count > 3",
        ),
        (
            "sum revenue by region having sum > 3",
            "sum needs a column, and the question names none.",
            "sum revenue by region from sales having sum revenue > 3",
        ),
    ],
)
def test_what_is_not_asked_for_is_asked_back_with_lines_that_run(
    service: Service, line: str, reason: str, first: str
) -> None:
    outcome = service.ask(line)
    assert (outcome["status"], outcome["resolution"]["reason"]) == ("needs_clarification", reason)
    offered = [each["ask"] for each in outcome["resolution"]["candidates"]]
    assert offered[0] == first
    assert all(service.ask(each)["status"] == "ok" for each in offered)


def test_an_operand_fits_the_values_of_the_measure(service: Service) -> None:
    outcome = service.ask("sum revenue by region having sum revenue contains 'a'")
    assert outcome["status"] == "rejected"
    assert outcome["resolution"]["reason"] == "Operator contains needs a string column; sum revenue is number."


@pytest.mark.parametrize(
    ("having", "path"),
    [
        ({"conditions": [{"column": "a", "op": "gt", "value": 1}]}, "having.conditions[0]"),
        ({"conditions": [{"aggregation": "total", "op": "gt", "value": 1}]}, "having.conditions[0].aggregation"),
        ({"conditions": [{"any": [{"aggregation": "count", "op": "gt"}]}]}, "having.conditions[0].any[0]"),
        ({"conditions": {"any": []}}, "having.conditions"),
        ({"time_filter": {}}, "having"),
    ],
)
def test_a_malformed_spec_names_the_place(having: Any, path: str) -> None:
    with pytest.raises(service_nb.ServiceError) as caught:
        parse_spec({"aggregation": "count", "group_by": "a", "having": having})
    assert caught.value.details["path"] == path


def test_a_denied_column_is_refused_like_any_other() -> None:
    service = service_nb.create_service(policy={"allowed_fields": {"sales": ["region"]}})
    service.connect([{"region": "N", "pay": 5.0}], name="sales")
    for name in ("pay", "nothing"):
        outcome = service.ask(f"count by region having sum {name} > 1")
        assert outcome["resolution"]["rejection_reason"] == "policy_denied_field"
        assert outcome["resolution"]["candidates"] == []
    plan = service.resolve("count by region having count > 0")["plan"]
    plan["having"] = {"conditions": [{"aggregation": "sum", "metric": "pay", "op": "gt", "value": 1}]}
    assert not service.verify(plan)["valid"]


def test_a_variable_stands_for_an_operand(service: Service) -> None:
    line = "sum revenue by region having sum revenue > $least"
    outcome = service.ask(line, variables={"least": 150})
    assert [row["revenue"] for row in outcome.rows] == [232.5, 217.5, 202.5]
    assert outcome["data"]["provenance"]["notes"] == {"$least": "150"}


def test_completion_offers_having_and_then_what_is_asked_for(service: Service) -> None:
    def offers(line: str) -> list[str]:
        state = read_ask_state(line)
        assert state is not None
        return [each.text for each in _suggest(state, "sales", Catalogue(service))]

    assert "having" in offers("sum revenue by region ")
    assert "having" in offers("sum revenue by region where year > 2018 ")
    assert offers("sum revenue, avg year by region having ")[:3] == ["sum revenue", "avg year", "count"]
    assert offers("sum revenue by region having count > 3 and (")[:2] == ["sum revenue", "count"]
    assert ">=" in offers("sum revenue by region having sum revenue ")


# --- cards ------------------------------------------------------------------------------------------------------------


def test_a_card_that_is_told_wrong_is_found(service: Service) -> None:
    card = service.ask("sum revenue by region having sum revenue > 210").card
    assert not [each for each in check_card(card).checks if each.status == "failed"]
    forged = copy.deepcopy(card)
    forged["view"]["rows"][0][1] = "999"
    assert [each.name for each in check_card(forged).checks if each.status == "failed"]
