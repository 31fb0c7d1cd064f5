"""A retried call is recorded once: its key and its body say that it is the same."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from service_nb import create_service
from service_nb.client.record import Recorder, read_local_clock
from service_nb.core.digest import named_after
from service_nb.errors import LedgerError
from tests.deployment.stand import Stand, base

QUESTION = {"spec": {"metric": "revenue", "aggregation": "sum", "group_by": "region", "source_name": "sales"}}
NPV = {"module": "finance", "function": "npv", "args": [0.1, [-1.0, 2.0]]}


def size(stand: Stand, tenant: str = "one") -> int:
    ledger = base(stand.deployment, tenant)._context.recorder.ledger
    assert ledger is not None
    entries: int = ledger.count_entries()
    return entries


def ask(client: httpx.Client, key: str, body: dict[str, Any], path: str = "/v1/query/execute") -> Any:
    return client.post(path, json=body, headers={"Idempotency-Key": key}).json()


def test_a_question_asked_again_with_its_key_is_one_entry(stand: Stand, client: httpx.Client) -> None:
    before = size(stand)
    told = [ask(client, "question-1", QUESTION)["data"] for _ in range(3)]
    assert len({(each["query_id"], each["result_hash"]) for each in told}) == 1
    assert size(stand) == before + 1
    assert client.get(f"/v1/results/{told[0]['query_id']}").status_code == 200


def test_without_a_key_each_is_an_entry(stand: Stand, client: httpx.Client) -> None:
    before = size(stand)
    ids = {client.post("/v1/query/execute", json=QUESTION).json()["data"]["query_id"] for _ in range(3)}
    assert len(ids) == 3
    assert size(stand) == before + 3


def test_another_body_or_tenant_is_another_entry(stand: Stand, client: httpx.Client) -> None:
    other = {"spec": QUESTION["spec"] | {"aggregation": "max"}}
    ids = [
        ask(client, "question-2", QUESTION)["data"]["query_id"],
        ask(client, "question-2", other)["data"]["query_id"],
    ]
    with stand.client("two") as two:
        ids.append(ask(two, "question-2", QUESTION)["data"]["query_id"])
    assert len(set(ids)) == 3


def test_computations_refusals_and_errors_are_recorded_once(stand: Stand, client: httpx.Client) -> None:
    path = "/v1/libraries/execute"
    for key, body in {"one": NPV, "many": {"calls": [NPV, NPV]}, "error": NPV | {"function": "npw"}}.items():
        before, many = size(stand), 2 if key == "many" else 1
        for _ in range(2):
            ask(client, key, body, path)
        assert size(stand) == before + many, key
    refused = {"spec": QUESTION["spec"] | {"metric": "revenu"}}
    before = size(stand)
    assert ask(client, "refusal", refused)["result_id"] == ask(client, "refusal", refused)["result_id"]
    assert size(stand) == before + 1


def test_calls_of_the_same_key_at_once_are_one_entry(stand: Stand, client: httpx.Client) -> None:
    before = size(stand)
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda _: ask(client, "at once", QUESTION), range(16)))
    assert [each.get("code") for each in told] == ["invalid_intent"] * 16  # a key has no spaces
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda _: ask(client, "at-once", QUESTION), range(16)))
    assert len({each["data"]["query_id"] for each in told}) == 1
    assert size(stand) == before + 1


def test_the_card_of_a_retried_question_is_the_one_that_was_recorded(tmp_path: Path) -> None:
    with_ledger = create_service(project=tmp_path, ledger=tmp_path / "ledger")
    with_ledger.connect([{"n": 1}], name="t")
    cards = []
    for _ in range(2):
        with named_after("seed"):
            cards.append(with_ledger.ask("sum n from t").card)
    assert cards[0] == cards[1]
    with_ledger.close()


def test_another_outcome_is_never_taken_for_the_first(tmp_path: Path) -> None:
    service = create_service(project=tmp_path, ledger=tmp_path / "ledger")
    service.connect([{"n": 1, "m": 2}], name="t")
    with named_after("seed"):
        service.ask("sum n from t")
    with named_after("seed"), pytest.raises(LedgerError) as met:
        service.ask("sum m from t")
    assert met.value.reason == "duplicate_id"
    assert len(service.log()) == 1
    service.close()


def test_threads_that_record_first_at_once_share_one_ledger(tmp_path: Path) -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for number in range(20):
            recorder = Recorder(folder=tmp_path / str(number), tenant=None, clock=read_local_clock)
            with ThreadPoolExecutor(8) as pool:
                assert len({id(made) for made in pool.map(lambda _: recorder.ledger, range(16))}) == 1  # noqa: B023
            recorder.close()
    finally:
        sys.setswitchinterval(interval)
