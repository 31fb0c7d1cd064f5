"""What requests may say, and what is refused of them: as the document has it."""

from __future__ import annotations

import json
from urllib.parse import quote

import httpx
import pytest


@pytest.mark.parametrize("path", ["/v1/sources", "/v1/deployment", "/v1/capabilities", "/v1/results/query_1"])
def test_a_parameter_of_a_query_that_is_not_known_is_refused(client: httpx.Client, path: str) -> None:
    answer = client.get(path, params={"limt": "1"})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_intent")


@pytest.mark.parametrize("name", ["a\n", "\na", "a\r\nb", "a/b", "\t", "a\u2028"])
def test_a_name_of_a_source_may_hold_anything_and_is_not_found(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/v1/sources/{quote(name, safe='')}")
    assert (answer.status_code, answer.json()["code"]) == (404, "source_not_found")


def test_a_table_goes_with_a_connector_and_not_with_a_descriptor(client: httpx.Client, records: str) -> None:
    body = {"name": "x", "descriptor": {"type": "rest", "url": records}, "table": "y"}
    answer = client.post("/v1/sources", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_intent")


def test_a_whole_number_is_one_however_it_is_written(client: httpx.Client) -> None:
    spec = {"metric": "revenue", "aggregation": "sum", "group_by": "region", "source_name": "sales"}
    plans = [
        client.post("/v1/query/resolve", content=json.dumps({"spec": spec})[:-2] + f', "limit": {limit}}}}}',
                    headers={"Content-Type": "application/json"}).json()["plan_hash"]
        for limit in ("1", "1.0", "1e0")
    ]  # fmt: skip
    assert len(set(plans)) == 1
    for limit in ("1.5", "0", "0.0", "9007199254740992", "1e300", "true", '"1"'):
        body = json.dumps({"spec": spec})[:-2] + f', "limit": {limit}}}}}'
        answer = client.post("/v1/query/resolve", content=body, headers={"Content-Type": "application/json"})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_intent"), limit
