"""A value that is none of its choices makes a refused question with the nearest that there is, never a guess."""

from __future__ import annotations

import copy
import datetime
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.errors import InvalidIntentError, ServiceError
from service_nb.query.unknown_choices import read_spec

ROWS = [
    {"region": "north", "amount": 3, "day": datetime.date(2024, 1, 5)},
    {"region": "south", "amount": 4, "day": datetime.date(2024, 2, 5)},
]
MORE = {"column": "amount", "op": "gt", "value": 1}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service_nb.create_service(project=tmp_path_factory.mktemp("project")) as made:
        made.connect(ROWS, name="sales")
        yield made


def where(**changes: Any) -> dict[str, Any]:
    return {"aggregation": "count", "filter": {"conditions": [MORE | changes]}}


@pytest.mark.parametrize(
    ("spec", "slot", "offered"),
    [
        ({"metric": "amount", "aggregation": "medain"}, "aggregation", "median amount"),
        ({"metric": "amount", "aggregation": "average"}, "aggregation", "avg amount"),
        ({"metric": "amount", "aggregation": "SUM"}, "aggregation", "sum amount"),
        ({"metric": "amont", "aggregation": "summ"}, "aggregation", "sum amount from sales"),
        ({"metric": "amount", "aggregation": "sum", "order": "descending"}, "order", "sum amount"),
        ({"metric": "amount", "aggregation": "sum", "order": "ASC"}, "order", "sum amount order asc"),
        (where(op="gtt"), "operator", "count where amount > 1"),
        ({"aggregation": "count", "group_by": {"column": "day", "unit": "monht"}}, "unit", "count by month of day"),
        ({"measures": [{"aggregation": "smu", "metric": "amount"}]}, "aggregation", "sum amount"),
    ],
)
def test_the_nearest_choice_is_offered(spec: dict[str, Any], slot: str, offered: str, service: Service) -> None:
    before = copy.deepcopy(spec)
    outcome = service.ask(spec)
    assert spec == before
    assert outcome["status"] == "needs_clarification"
    assert outcome["resolution"]["unknown"][0]["slot"] == slot
    assert offered in [candidate["ask"] for candidate in outcome["resolution"]["candidates"]]
    assert service.ask(offered)["status"] == "ok"
    assert outcome.verify().status in ("verified", "consistent")
    assert service.resolve(spec)["status"] == "needs_clarification"


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ({"metric": "amount", "aggregation": "frobnicate"}, "unknown_aggregation"),
        ({"metric": "amount", "aggregation": 5}, "unknown_aggregation"),
        ({"metric": "amount", "aggregation": ["sum"]}, "unknown_aggregation"),
        ({"metric": "amount", "aggregation": "sum", "order": "sideways"}, "unknown_order"),
        (where(op="=>"), "unknown_operator"),
        (where(op=None), "unknown_operator"),
        (
            {"aggregation": "count", "filter": {"conditions": [{"any": [{"all": [MORE | {"op": "~"}]}]}]}},
            "unknown_operator",
        ),
        ({"aggregation": "count", "group_by": [{"column": "day", "unit": "fortnite"}]}, "unknown_unit"),
        ({"aggregation": "count", "filter": {"time_filter": {"column": "day", "period": "soon"}}}, "unknown_period"),
    ],
)
def test_what_is_like_no_choice_is_rejected(spec: dict[str, Any], code: str, service: Service) -> None:
    outcome = service.ask(spec)
    assert (outcome["status"], outcome["resolution"]["rejection_reason"]) == ("rejected", code)
    assert outcome["resolution"]["candidates"] == []
    assert outcome.verify().status in ("verified", "consistent")


def test_other_values_are_other_refusals(service: Service) -> None:
    asked = [{"metric": "amount", "aggregation": name} for name in ("frobnicate", "defenestrate")]
    assert len({service.ask(spec)["refusal_hash"] for spec in asked}) == 2


def test_a_candidate_leaves_nothing_of_the_question_out(service: Service) -> None:
    outcome = service.ask({"metric": "amount", "aggregation": "summ", "filter": {"conditions": [MORE | {"op": "gtt"}]}})
    lines = [candidate["ask"] for candidate in outcome["resolution"]["candidates"]]
    assert lines
    assert all("where amount >" in line for line in lines)


def test_a_denied_column_stays_unnamed(tmp_path: Path) -> None:
    policy = {"allowed_fields": {"sales": ["region"]}}
    with service_nb.create_service(policy, project=tmp_path) as guarded:
        guarded.connect(ROWS, name="sales")
        outcome = guarded.ask({"metric": "amoun", "aggregation": "summ", "group_by": "region"})
    assert outcome["status"] == "rejected"
    assert "amount" not in json.dumps(outcome)


@pytest.mark.parametrize(
    "spec",
    [
        {"aggregations": "sum"},
        {"aggregation": "count", "filter": {"conditions": [MORE | {"op": "gtt"}] * 100}},
        {"aggregation": "count", "filter": {"conditions": "op"}},
        {"measures": [{"aggregation": "sum", "metric": "amount"}, {"aggregation": "smu", "metric": "amount"}, 5]},
        {"metric": 5, "aggregation": "medain"},
    ],
)
def test_what_is_no_question_is_an_error_with_code_and_source(spec: dict[str, Any], service: Service) -> None:
    with pytest.raises(ServiceError) as caught:
        service.ask(spec)
    assert (caught.value.code, caught.value.source) == ("invalid_intent", "engine")


def test_a_refused_value_is_told_to_be_not_replayable(service: Service) -> None:
    outcome = service.ask({"metric": "amount", "aggregation": "medain"})
    assert service.replay(outcome.card)["cause"] == "not_replayable"


def test_a_line_with_another_word_is_still_an_error_with_advice(service: Service) -> None:
    with pytest.raises(InvalidIntentError):
        service.ask("medain amount from sales")


def test_a_condition_with_two_unknown_values_is_left_out_once() -> None:
    """Its aggregation and its operator: the condition beside it stays."""
    wrong = {"aggregation": "zzz", "op": "yyy", "value": 1}
    right = {"aggregation": "count", "op": "gt", "value": 1}
    spec = {"aggregation": "count", "group_by": "region", "having": {"conditions": [wrong, right]}}
    question, unknown = read_spec(spec)
    assert len(question.having) == 1
    assert len(unknown) == 2
