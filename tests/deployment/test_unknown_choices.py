"""A value of a question that is none of its choices is refused by a deployment as on the machine of whoever asks."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

import service_nb
from tests.deployment.stand import ROWS

MEASURE = {"aggregation": "sum", "metric": "revenue"}
SPECS: list[dict[str, Any]] = [
    {"aggregation": "total", "metric": "revenue"},
    {"aggregation": "summ", "metric": "revenue", "group_by": "region"},
    {"aggregation": "no such thing", "metric": "revenue"},
    {"aggregation": 5, "metric": "revenue"},
    {"aggregation": ["sum"], "metric": "revenue"},
    {"measures": [MEASURE, {"aggregation": "averge", "metric": "units"}]},
    {**MEASURE, "group_by": "region", "order": "descending"},
    {**MEASURE, "group_by": "region", "order": True},
    {**MEASURE, "filter": {"conditions": [{"column": "units", "op": "above", "value": 1}]}},
    {**MEASURE, "filter": {"conditions": [{"any": [{"column": "units", "op": "gtt", "value": 1}]}]}},
    {**MEASURE, "filter": {"time_filter": {"column": "day", "period": "last_moth"}}},
    {**MEASURE, "group_by": [{"column": "day", "unit": "months"}]},
    {**MEASURE, "group_by": "region", "having": {"conditions": [{"aggregation": "cont", "op": "gt", "value": 1}]}},
    {"aggregation": "x' OR 1=1 --", "metric": "revenue"},
]
PLAIN = {"status", "resolution", "refusal_hash"}


@pytest.fixture(scope="module")
def local() -> Any:
    """A client with the rows of the deployment's source."""
    service = service_nb.create_service(mode="local", ledger="off", runtime="in_process")
    service.connect(ROWS, name="sales", types={"day": "date"})
    yield service
    service.close()


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_an_unknown_choice_is_refused_with_the_nearest_as_it_is_here(
    client: httpx.Client, local: Any, spec: dict[str, Any]
) -> None:
    here = local.ask(spec)
    assert here["status"] in ("needs_clarification", "rejected")
    asked = client.post("/v1/query/execute", json={"spec": spec})
    assert asked.status_code == 200, asked.text
    assert {key: asked.json()[key] for key in PLAIN} == {key: here[key] for key in PLAIN}
    resolved = client.post("/v1/query/resolve", json={"spec": spec}).json()
    assert {key: resolved[key] for key in here["resolution"]} == here["resolution"]


@pytest.mark.parametrize("spec", [{"aggregations": "sum"}, {**MEASURE, "limit": "many"}, {**MEASURE, "group_by": 5}])
def test_what_is_no_question_at_all_stays_an_error(client: httpx.Client, spec: dict[str, Any]) -> None:
    answer = client.post("/v1/query/execute", json={"spec": spec})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_intent")


def test_a_condition_of_a_binding_with_an_unknown_operator_is_an_error(client: httpx.Client) -> None:
    conditions = [{"column": "units", "op": "above", "value": 1}]
    binding = {"parameter": "values", "source": "sales", "field": "revenue", "filter": {"conditions": conditions}}
    call = {"module": "stats", "function": "mean", "bindings": [binding]}
    answer = client.post("/v1/libraries/execute", json=call)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_intent")
