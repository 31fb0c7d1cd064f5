"""What callers of other clients write: one object of options, camelCase, module and function, whole responses."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.client.caller_forms import CONNECT_KEYS
from service_nb.client.service import Service
from service_nb.errors import InvalidIntentError, PlanInvalidError, ServiceError
from tests.simulators.compute import simulated

ROWS = [{"region": "north", "amount": 3}, {"region": "south", "amount": 4}]
NPV: dict[str, Any] = {"module": "finance", "function": "npv", "args": [0.1, [-100, 60, 60]]}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = simulated(tmp_path)
    made.connect(ROWS, name="sales")
    yield made
    made.close()


@pytest.mark.parametrize(
    "config",
    [
        {"policy": {"allowed_sources": ["sales"]}, "tenant_id": "team", "timeout": 5, "runtime_modules": ["finance"]},
        {"policy": {"allowedSources": ["sales"]}, "tenantId": "team", "timeout": 5, "runtimeModules": ["finance"]},
        {"policy": {"allowedSources": ["sales"]}, "tenantId": "team", "timeout": 5.0, "runtimeModules": None},
    ],
)
def test_a_client_is_made_of_one_object_of_options(config: dict[str, Any], tmp_path: Path) -> None:
    with service_nb.create_service(config, ledger="off", project=tmp_path) as made:
        assert (made.tenant_id, made.timeout_s) == ("team", 5.0)
        assert made.policy.sources == {"sales"}


def test_a_policy_alone_is_still_a_policy(tmp_path: Path) -> None:
    for policy in ({"allowed_sources": ["sales"]}, {"allowedSources": ["sales"]}):
        with service_nb.create_service(policy, ledger="off", project=tmp_path) as made:
            assert made.policy.sources == {"sales"}
    with service_nb.create_service({}, ledger="off", project=tmp_path) as made:
        assert made.policy.sources is None


@pytest.mark.parametrize(
    ("config", "beside", "path"),
    [
        ({"tenantid": "team"}, {}, "policy"),
        ({"tenantId": "team", "allowed_sources": []}, {}, "config"),
        ({"tenantId": "team", "tenant_id": "team"}, {}, "config"),
        ({"tenantId": "team"}, {"tenant_id": "other"}, "tenant_id"),
        ({"policy": {"allowedSources": ["a"], "allowed_sources": ["b"]}}, {}, "policy"),
        ({"policy": {"allowedSource": ["a"]}}, {}, "policy"),
        ({"timeout": "5"}, {}, "timeout"),
        ({1: 2, "timeout": 5}, {}, "config"),
    ],
)
def test_a_malformed_object_of_options_makes_no_wider_client(
    config: Any, beside: Any, path: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        service_nb.create_service(config, ledger="off", project=tmp_path, **beside)
    assert caught.value.details["path"] == path
    assert (caught.value.code, caught.value.source) == ("invalid_intent", "engine")


def test_connect_takes_its_options_in_an_object(service: Service) -> None:
    assert service.connect(ROWS, {"name": "again"})["name"] == "again"
    assert service.connect(ROWS, {"datasetName": "third", "persist": None})["name"] == "third"
    declared = service.connect([{"zip": "1"}], {"name": "typed", "types": {"zip": "string"}})
    assert declared["typed_fields"][0]["type"] == "string"
    for options, beside in (("name", {}), ({"nam": "x"}, {}), ({"name": "x"}, {"types": {}}), ({}, {"name": "x"})):
        with pytest.raises(InvalidIntentError) as caught:
            service.connect(ROWS, options, **beside)  # type: ignore[arg-type]
        assert caught.value.details["path"] == "options"


def test_the_object_of_options_has_every_option_of_connect() -> None:
    parameters = inspect.signature(Service.connect).parameters
    assert sorted(CONNECT_KEYS) == sorted(set(parameters) - {"self", "source", "options"})


def test_a_call_is_named_by_module_and_function(service: Service) -> None:
    one, other = service.compute(NPV), service.compute(**NPV)
    assert one["computation_hash"] == other["computation_hash"]
    assert service.compute(module="finance", function="npv", kwargs={"rate": 0.1, "cashflows": [-100, 60, 60]}).value
    for wrong in ({"module": "finance"}, {"function": "npv"}, {}):
        with pytest.raises(InvalidIntentError):
            service.compute(**wrong)
    with pytest.raises(InvalidIntentError) as caught:
        service.compute("finance.npv", function="irr", args=[0.1, [1]])
    assert caught.value.details["path"] == "function"


def test_a_response_of_resolve_stands_for_its_plan(service: Service) -> None:
    response = service.resolve("sum amount by region from sales")
    outcome = service.ask("sum amount by region from sales")
    assert service.query(response) == service.query(response["plan"]) == service.query(outcome)
    assert service.query_with_metadata(response)["result"] == outcome["data"]["result"]
    assert service.verify(response)["valid"] is True
    refused = service.resolve("sum amont from sales")
    with pytest.raises(PlanInvalidError) as caught:
        service.query(refused)
    assert "amont" in caught.value.message
    assert service.verify(refused)["valid"] is False
    for broken in (
        {},
        {"status": "ok"},
        {"status": "ok", "plan": 1},
        {"status": "ok", "plan": {"status": "ok"}},
        [],
        None,
    ):
        with pytest.raises(ServiceError):
            service.query(broken)  # type: ignore[arg-type]
