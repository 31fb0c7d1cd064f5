"""Work that nobody waits for any more ends, in the engine itself: the client has gone, or the time is over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.deployment.raw import raw, request
from tests.deployment.stand import Stand, base, key, made, standing
from tests.deployment.test_limits import figure, until

ROWS = 3_000_000
SLOW = {"metric": "x", "aggregation": "sum", "group_by": ["n", "x"], "source_name": "long", "limit": 1}
QUICK = {"aggregation": "count", "source_name": "long"}


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    """A deployment with a source that takes seconds to group, in DuckDB."""
    folder = tmp_path_factory.mktemp("cancellation")
    path = folder / "long.parquet"
    values = np.arange(ROWS)
    table = pa.table({"n": values, "x": np.random.default_rng(1).permutation(values) / 3})
    pq.write_table(table, path, compression="none", use_dictionary=False)
    deployment = made(folder / "deployment")
    base(deployment, "one").connect(path, name="long")
    with standing(deployment) as stood:
        stood.keys["one",] = key(deployment, "one")
        yield stood


@pytest.fixture
def client(stand: Stand) -> Iterator[httpx.Client]:
    with stand.client() as made_client:
        yield made_client


def cancelled(client: httpx.Client, reason: str) -> float:
    return figure(client, f'service_nb_cancelled_total{{reason="{reason}"}}')


def begun(stand: Stand, client: httpx.Client, path: str, body: dict[str, Any]) -> Any:
    """Ask for something that takes long, and return the connection once it is being worked on."""
    connection = raw(stand)
    opened = connection.__enter__()
    bearer = f"Authorization: Bearer {stand.keys['one',]}"
    opened.send(request("POST", path, bearer, "Content-Type: application/json", body=json.dumps(body).encode()))
    until(lambda: figure(client, "service_nb_running") == 1)
    return connection


def test_a_client_that_goes_ends_its_query_in_the_engine(stand: Stand, client: httpx.Client) -> None:
    before = cancelled(client, "gone")
    begun(stand, client, "/v1/query/execute", {"spec": SLOW}).__exit__(None, None, None)
    until(lambda: figure(client, "service_nb_running") == 0)
    assert cancelled(client, "gone") == before + 1
    assert figure(client, "service_nb_abandoned_total") == 0
    # A source answers one question at a time, so that this one tells that the other has ended there.
    assert client.post("/v1/query/execute", json={"spec": QUICK}).json()["data"]["result"] == [{"count": ROWS}]


@pytest.mark.parametrize("ahead", [1, 20])
def test_a_client_that_has_sent_the_next_requests_is_seen_to_go(stand: Stand, client: httpx.Client, ahead: int) -> None:
    before = cancelled(client, "gone")
    bearer = f"Authorization: Bearer {stand.keys['one',]}"
    body = json.dumps({"spec": SLOW}).encode()
    with raw(stand) as connection:
        connection.send(request("POST", "/v1/query/execute", bearer, "Content-Type: application/json", body=body))
        until(lambda: figure(client, "service_nb_running") == 1)
        for _ in range(ahead):  # in packets of their own, which come while the first one is being worked on
            connection.send(request("GET", "/v1/sources", bearer))
    until(lambda: figure(client, "service_nb_running") == 0)
    assert cancelled(client, "gone") == before + 1


def test_a_client_that_goes_is_recorded_as_one_that_was_stopped(stand: Stand, client: httpx.Client) -> None:
    begun(stand, client, "/v1/query/execute", {"spec": SLOW}).__exit__(None, None, None)
    until(lambda: figure(client, "service_nb_running") == 0)
    newest = base(stand.deployment, "one").log(1)[0]
    assert newest["kind"] == "error"


def test_a_query_ends_at_its_deadline(stand: Stand, client: httpx.Client) -> None:
    answer = client.post("/v1/query/execute", json={"spec": SLOW}, headers={"X-Service-Timeout": "0.2"})
    assert (answer.status_code, answer.json()["code"], answer.json()["retryable"]) == (504, "timeout", True)
    assert client.post("/v1/query/execute", json={"spec": QUICK}).status_code == 200


def test_a_client_that_goes_ends_its_columns(stand: Stand, client: httpx.Client) -> None:
    spec = {"aggregation": "count", "group_by": ["n", "x"], "source_name": "long"}
    plan = client.post("/v1/query/resolve", json={"spec": spec}).json()["plan"]
    connection = begun(stand, client, "/v1/query/columns", {"plan": plan})
    connection.__exit__(None, None, None)
    until(lambda: figure(client, "service_nb_running") == 0)
    assert client.post("/v1/query/execute", json={"spec": QUICK}).status_code == 200


def test_a_client_that_does_not_read_keeps_no_place(stand: Stand, client: httpx.Client) -> None:
    spec = {"aggregation": "count", "group_by": ["n", "x"], "source_name": "long"}
    plan = client.post("/v1/query/resolve", json={"spec": spec}).json()["plan"]
    with raw(stand) as connection:
        headers = [
            f"Authorization: Bearer {stand.keys['one',]}",
            "Content-Type: application/json",
            "X-Service-Timeout: 2",
        ]
        connection.send(request("POST", "/v1/query/columns", *headers, body=json.dumps({"plan": plan}).encode()))
        until(lambda: figure(client, "service_nb_running") == 1)
        until(lambda: figure(client, "service_nb_running") == 0)
    assert client.post("/v1/query/execute", json={"spec": QUICK}).status_code == 200


def test_long_columns_come_whole(client: httpx.Client) -> None:
    spec: dict[str, Any] = {"aggregation": "count", "group_by": ["n"], "source_name": "long"}
    spec["filter"] = {"conditions": [{"column": "n", "op": "lt", "value": 40_001}]}
    plan = client.post("/v1/query/resolve", json={"spec": spec}).json()["plan"]
    answer = client.post("/v1/query/columns", json={"plan": plan})
    assert (answer.status_code, answer.headers.get("transfer-encoding")) == (200, "chunked"), answer.text[:500]
    assert answer.json()["columns"][0]["values"] == list(range(40_001))


def test_long_answers_come_whole(client: httpx.Client) -> None:
    spec: dict[str, Any] = {"aggregation": "count", "group_by": ["n"], "source_name": "long", "order": "asc"}
    spec["filter"] = {"conditions": [{"column": "n", "op": "lt", "value": 5_001}]}
    told = client.post("/v1/query/execute", json={"spec": spec}).json()
    assert told["data"]["result"] == [{"n": number, "count": 1} for number in range(5_001)]
    assert told["columns"][0]["name"] == "n"
