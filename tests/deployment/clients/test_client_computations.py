"""Computations at a deployment: every hash that it gives is made again, and nothing else is believed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import service_nb
from service_nb.client.live_sources import DeployedSources
from service_nb.client.service import Service
from service_nb.errors import (
    AnswerMismatchError,
    ComputeRuntimeUnavailableError,
    DomainError,
    ForbiddenError,
    SeedRequiredError,
    UnsupportedOperationError,
)
from service_nb.evidence.documents import check_card
from service_nb.runtimes.deployed import Remote
from tests.deployment.clients.backed import Backed
from tests.deployment.clients.conftest import MakeClient

CALLS: list[dict[str, Any]] = [
    {"module": "finance", "function": "npv", "args": [0.1, [-1000, 300, 420, 560, 680]]},
    {"module": "stats", "function": "median", "kwargs": {"values": [3.0, 1.0, 2.0]}},
    {"module": "number_theory", "function": "gcd", "args": ["90071992547409930", 15]},
    {"module": "linalg", "function": "matmul", "args": [[[1, 2], [3, 4]], [[0.5, 0], [0, 2]]]},
]


@pytest.fixture
def here() -> Any:
    client = service_nb.create_service(mode="local", runtime="in_process", ledger="off")
    yield client
    client.close()


def known(client: Service) -> list[dict[str, Any]]:
    return [call for call in CALLS if f"{call['module']}.{call['function']}" in client.capabilities()]


def test_a_value_is_the_one_that_this_machine_has_and_its_scope_says_where_it_was_computed(
    client: Service, here: Service
) -> None:
    assert len(known(client)) >= 2
    for call in known(client):
        there, local = client.compute(call), here.compute(call)
        assert there.value == local.value
        assert type(there.value) is type(local.value)
        assert there["determinism"]["input_hash"] == local["determinism"]["input_hash"]
        assert there["invocation_hash"] != local["invocation_hash"]
        assert there.card["view"]["scope"].endswith(":deployment")
        assert check_card(there.card).status != "altered"


def test_many_calls_are_one_request_and_come_back_in_their_order(client: Service, tables: Backed) -> None:
    values = client.compute_many(
        [{"module": "stats", "function": "median", "args": [[float(n), n + 2.0]]} for n in range(50)]
    )
    assert [each.value for each in values] == [n + 1.0 for n in range(50)]
    assert sum(entry["kind"] == "computation" for entry in tables.recorded()) == 50


def test_columns_of_live_and_of_local_sources_are_read_here_and_sent_as_arguments(
    sales: Service, here: Service, tables: Backed
) -> None:
    spec = {"module": "stats", "function": "mean", "bindings": [
        {"parameter": "values", "source": "sales", "field": "revenue", "null_policy": "drop"}
    ]}  # fmt: skip
    there = sales.compute(spec)
    here.connect(tables.tables.rows["sales"], name="sales", types={"day": "date", "units": "int64"})
    local = here.compute(spec)
    assert there.value == local.value
    assert there["provenance"]["bindings"][0]["input_hash"] == local["provenance"]["bindings"][0]["input_hash"]
    sales.connect([{"x": 1.5}, {"x": 2.5}], name="mine")
    assert sales.compute("stats.mean values=mine.x").value == 2.0
    groups = sales.compute("stats.mean", bindings=[
        {"parameter": "values", "source": "sales", "field": "revenue", "null_policy": "drop",
         "filter": {"conditions": [{"column": "revenue", "op": "is_not_null"}]}}
    ], over="region")  # fmt: skip
    assert len(groups) == 3


def test_what_is_wrong_with_a_call_is_said_here_or_there_by_the_same_names(client: Service, tables: Backed) -> None:
    before = len(tables.recorded())
    with pytest.raises(UnsupportedOperationError) as caught:
        client.compute("stats.medain values=[1]")
    assert "stats.median" in caught.value.nearest_matches
    simulation = next(
        name for name in client.capabilities() if client.capability(name)["tier"] == "seeded"
    )  # refused here, before anything is sent
    with pytest.raises((SeedRequiredError, service_nb.errors.ServiceError)):
        client.compute(simulation)
    assert len(tables.recorded()) == before
    with pytest.raises(DomainError) as refused:
        client.compute("finance.npv", args=[-2, [1.0, 2.0]])
    assert refused.value.details["parameter"] == "rate"
    assert not refused.value.retryable


def test_a_key_without_computations_computes_nothing(make_client: MakeClient, tables: Backed) -> None:
    client = make_client(key=tables.key_of("query", "sources"), ledger="off")
    with pytest.raises((ForbiddenError, ComputeRuntimeUnavailableError)):
        client.compute(CALLS[0])


def test_a_runtime_that_is_chosen_is_here_and_its_scope_is_local(make_client: MakeClient, tables: Backed) -> None:
    client = make_client(runtime="in_process", ledger="off")
    before = len(tables.recorded())
    assert client.compute(CALLS[1]).card["view"]["scope"].endswith(":local")
    assert len(tables.recorded()) == before


LIES: dict[str, dict[str, Any]] = {
    "another value": {"value": 2.5},
    "a value of another type": {"value": "2"},
    "no value": {"value": None},
    "another invocation": {"invocation_hash": "0" * 64},
    "another computation": {"computation_hash": "0" * 64},
    "another contract": {"contract_hash": "sha256:" + "0" * 64},
    "another machine": {"determinism": {"platform": "linux-riscv"}},
}


@pytest.mark.parametrize("lie", LIES)
def test_an_answer_that_is_not_what_it_says_is_no_answer(
    client: Service, lie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = client._sources.live
    assert isinstance(live, DeployedSources)
    genuine = live.deployment.post

    def lying(path: str, body: Any, answer: Any, **how: Any) -> Any:
        told = genuine(path, body, answer, **how)
        for key, value in LIES[lie].items():
            setattr(told, key, {**told.determinism, **value} if key == "determinism" else value)
        return told

    monkeypatch.setattr(live.deployment, "post", lying)
    with pytest.raises(AnswerMismatchError):
        client.compute(CALLS[1])


def test_a_deployment_of_another_release_computes_nothing_for_this_one(client: Service) -> None:
    live = client._sources.live
    assert isinstance(live, DeployedSources)

    class Other:
        hash = "sha256:" + "1" * 64

    with pytest.raises(AnswerMismatchError) as caught:
        Remote(live.deployment, Other).describe()  # type: ignore[arg-type]
    assert caught.value.details["expected"] == Other.hash


def test_long_columns_cross_the_wire_bit_for_bit(client: Service, here: Service) -> None:
    values = np.random.default_rng(1).standard_normal(5_000) * 10.0 ** np.random.default_rng(2).integers(
        -300, 300, 5_000
    )
    there, local = client.compute("stats.mean", args=[values]), here.compute("stats.mean", args=[values])
    assert there.value == local.value
    assert there["determinism"]["input_hash"] == local["determinism"]["input_hash"]
