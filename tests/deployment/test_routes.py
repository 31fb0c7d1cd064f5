"""Every route of a deployment: what it answers, and what it says to what is malformed."""

from __future__ import annotations

import json
from typing import Any

import httpx
import msgspec
import pytest

from service_nb.deployment import messages
from service_nb.runtimes.interface import map_packaged_contract
from service_nb.server.routes import ROUTES, Route
from tests.deployment.conftest import RECORDS
from tests.deployment.stand import Stand

QUESTION = {"metric": "revenue", "aggregation": "sum", "group_by": "region", "source_name": "sales"}
NPV = {"module": "finance", "function": "npv", "args": [0.1, [-1000.0, 300.0, 420.0, 560.0, 680.0]]}
WITH_BODY = [route for route in ROUTES if route.takes]
NAMES = {f"{route.method} {route.path}": route for route in ROUTES}


def plan(client: httpx.Client, **changes: Any) -> dict[str, Any]:
    answer = client.post("/v1/query/resolve", json={"spec": QUESTION | changes})
    assert answer.status_code == 200
    made: dict[str, Any] = answer.json()["plan"]
    return made


def code(answer: httpx.Response) -> str:
    told: str = answer.json()["code"]
    return told


# --- questions ------------------------------------------------------------------------------------------------------


def test_a_question_is_answered_exactly_and_with_its_columns(client: httpx.Client) -> None:
    told = client.post("/v1/query/execute", json={"spec": QUESTION}).json()
    assert told["status"] == "ok"
    assert told["data"]["result"] == [
        {"region": "north", "revenue": 0.4, "count": 2},
        {"region": "south", "revenue": 0.2, "count": 1},
    ]
    assert [column["role"] for column in told["columns"]] == ["key", "metric", "count"]


def test_an_answer_is_what_the_wire_says_it_is(client: httpx.Client) -> None:
    content = client.post("/v1/query/execute", json={"spec": QUESTION}).content
    told = msgspec.json.decode(content, type=messages.QueryAnswer)
    assert told.data is not None
    assert told.data.row_count == 2


def test_long_integers_are_texts_and_nulls_are_null(client: httpx.Client) -> None:
    asked = {"metric": "units", "aggregation": "max", "group_by": "day", "source_name": "sales", "order": "asc"}
    told = client.post("/v1/query/execute", json={"spec": asked}).json()
    assert told["data"]["result"] == [
        {"day": None, "units": 1, "count": 1},
        {"day": "2024-01-31", "units": 3, "count": 1},
        {"day": "2024-02-01", "units": "9007199254740993", "count": 1},
    ]


def test_a_plan_gives_what_its_question_gave(client: httpx.Client) -> None:
    asked = client.post("/v1/query/execute", json={"spec": QUESTION}).json()
    run = client.post("/v1/query/execute", json={"plan": asked["resolution"]["plan"]}).json()
    assert run["data"]["result_hash"] == asked["data"]["result_hash"]
    assert run["columns"] == asked["columns"]


def test_an_ambiguous_question_is_an_answer_and_no_error(client: httpx.Client) -> None:
    told = client.post("/v1/query/execute", json={"spec": QUESTION | {"metric": "revenu"}}).json()
    assert told["status"] == "needs_clarification"
    assert "data" not in told
    assert told["refusal_hash"]


def test_an_altered_plan_is_refused(client: httpx.Client) -> None:
    altered = plan(client) | {"order": "asc"}
    answer = client.post("/v1/query/execute", json={"plan": altered})
    assert (answer.status_code, code(answer)) == (422, "plan_invalid")
    assert client.post("/v1/query/verify", json={"plan": altered}).json()["valid"] is False


def test_a_plan_of_another_schema_is_refused(client: httpx.Client) -> None:
    answer = client.post("/v1/query/execute", json={"plan": plan(client) | {"schema_revision": "0" * 64}})
    assert (answer.status_code, code(answer)) == (409, "schema_revision_mismatch")


def test_a_sound_plan_is_verified_check_by_check(client: httpx.Client) -> None:
    told = client.post("/v1/query/verify", json={"plan": plan(client)}).json()
    assert told["valid"] is True
    assert len(told["checks"]) >= 5


def test_columns_come_as_they_are(client: httpx.Client) -> None:
    wanted = plan(client, metric=None, aggregation="count", group_by=["units", "day", "revenue"])
    told = client.post("/v1/query/columns", json={"plan": wanted}).json()["columns"]
    assert [{key: column[key] for key in ("name", "physical", "values")} for column in told] == [
        {"name": "units", "physical": "int64", "values": [3, "9007199254740993", 1]},
        {"name": "day", "physical": "date", "values": ["2024-01-31", "2024-02-01", None]},
        {"name": "revenue", "physical": "float64", "values": [0.1, 0.2, 0.3]},
    ]


def test_a_plan_or_a_spec_and_never_both(client: httpx.Client) -> None:
    for body in ({}, {"plan": plan(client), "spec": QUESTION}):
        answer = client.post("/v1/query/execute", json=body)
        assert (answer.status_code, code(answer)) == (400, "invalid_intent")


# --- computations ---------------------------------------------------------------------------------------------------


def test_a_computation_and_several_have_the_same_hashes(client: httpx.Client) -> None:
    one = client.post("/v1/libraries/execute", json=NPV).json()
    several = client.post("/v1/libraries/execute", json={"calls": [NPV, NPV]}).json()["results"]
    assert len(several) == 2
    assert {each["computation_hash"] for each in several} == {one["computation_hash"]}
    assert one["value"] == pytest.approx(505.02, rel=1e-4)


def test_columns_of_a_source_are_bound(client: httpx.Client) -> None:
    bound = {
        "module": "stats",
        "function": "median",
        "bindings": [{"parameter": "values", "source": "sales", "field": "revenue"}],
    }
    told = client.post("/v1/libraries/execute", json=bound).json()
    assert told["value"] == 0.2
    assert told["provenance"]["bindings"][0]["source_name"] == "sales"


@pytest.mark.parametrize(
    ("changes", "status", "expected"),
    [
        ({"function": "npw"}, 404, "unsupported_operation"),
        ({"args": []}, 400, "invalid_intent"),
        ({"kwargs": {"rate": 0.2}}, 422, "duplicate_argument_binding"),
        ({"args": [-2.0, [1.0]]}, 422, "domain_error"),
    ],
)
def test_what_cannot_be_computed_has_its_code(
    client: httpx.Client, changes: dict[str, Any], status: int, expected: str
) -> None:
    answer = client.post("/v1/libraries/execute", json=NPV | changes)
    assert (answer.status_code, code(answer)) == (status, expected)


def test_capabilities_are_found_and_listed(client: httpx.Client) -> None:
    found = client.get("/v1/capabilities", params={"q": "net present value", "limit": 3}).json()
    assert found["capabilities"][0]["name"] == "finance.npv"
    listed = client.get("/v1/capabilities", params={"limit": 1000}).json()
    assert len(listed["capabilities"]) == 1000 < listed["total"]


@pytest.mark.parametrize("limit", ["0", "-1", "1001", "1e2", "ten", "", "²", "9" * 500])
def test_a_limit_is_a_number_within_bounds(client: httpx.Client, limit: str) -> None:
    assert client.get("/v1/capabilities", params={"limit": limit}).status_code == 400


def test_the_contract_comes_once(client: httpx.Client) -> None:
    whole = client.get("/v1/contract")
    assert whole.content == map_packaged_contract()[:]
    again = client.get("/v1/contract", headers={"If-None-Match": whole.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/v1/contract", headers={"If-None-Match": '"other"'}).status_code == 200


# --- sources, connectors --------------------------------------------------------------------------------------------


def test_a_connector_is_tried_kept_and_forgotten(client: httpx.Client, records: str) -> None:
    descriptor = {"type": "rest_api", "url": records, "token": "a secret token"}
    assert client.post("/v1/connectors/test", json={"descriptor": descriptor}).json()["success"] is True
    kept = client.post("/v1/connectors", json={"descriptor": descriptor, "name": "records"})
    assert kept.status_code == 201
    told = kept.json()
    assert "a secret token" not in kept.text
    assert client.get(f"/v1/connectors/{told['id']}").json() == told
    assert told in client.get("/v1/connectors").json()["connectors"]
    assert client.delete(f"/v1/connectors/{told['id']}").status_code == 204
    assert code(client.get(f"/v1/connectors/{told['id']}")) == "connector_not_found"
    assert code(client.delete(f"/v1/connectors/{told['id']}")) == "connector_not_found"


def test_a_source_is_registered_asked_and_forgotten(client: httpx.Client, records: str) -> None:
    body = {"name": "live/items", "descriptor": {"type": "rest", "url": records}, "aliases": {"number": "n"}}
    made = client.post("/v1/sources", json=body)
    assert made.status_code == 201
    assert made.json()["row_count"] == len(RECORDS)
    assert client.post("/v1/sources", json=body).json()["source_id"] == made.json()["source_id"]
    assert client.get("/v1/sources/live%2Fitems").json() == made.json()
    assert {"live/items", "sales"} <= {each["name"] for each in client.get("/v1/sources").json()["sources"]}
    asked = {"metric": "number", "aggregation": "sum", "source_name": "live/items"}
    told = client.post("/v1/query/execute", json={"spec": asked}).json()
    assert told["data"]["result"] == [{"n": sum(each["n"] for each in RECORDS), "count": len(RECORDS)}]
    assert told["data"]["deterministic_scope"] == "deployment_registered_source"
    assert client.delete("/v1/sources/live%2Fitems").status_code == 204
    assert code(client.get("/v1/sources/live/items")) == "source_not_found"


def test_a_source_of_a_kept_connector_cannot_lose_it(client: httpx.Client, records: str) -> None:
    kept = client.post("/v1/connectors", json={"descriptor": {"type": "rest", "url": records}}).json()["id"]
    made = client.post("/v1/sources", json={"name": "kept", "connector_id": kept})
    assert made.status_code == 201
    assert client.delete(f"/v1/connectors/{kept}").status_code in (403, 409)
    client.delete("/v1/sources/kept")
    assert client.delete(f"/v1/connectors/{kept}").status_code == 204


def test_a_name_is_bound_once(client: httpx.Client, records: str) -> None:
    body = {"name": "once", "descriptor": {"type": "rest", "url": records}}
    assert client.post("/v1/sources", json=body).status_code == 201
    other = client.post("/v1/sources", json={"name": "once", "descriptor": {"type": "rest", "url": f"{records}?b=1"}})
    assert (other.status_code, code(other)) == (409, "source_already_registered")


def test_a_source_that_refuses_is_no_fault_of_the_deployment(client: httpx.Client) -> None:
    descriptor = {"type": "rest", "url": "http://127.0.0.1:9/nobody-listens"}
    told = client.post("/v1/connectors/test", json={"descriptor": descriptor}).json()
    assert told["success"] is False
    answer = client.post("/v1/sources", json={"name": "refused", "descriptor": descriptor})
    assert (answer.status_code, code(answer)) == (424, "connector_failed")


# --- what is stored, what is here -----------------------------------------------------------------------------------


def test_a_stored_result_has_its_card_and_texts(client: httpx.Client) -> None:
    asked = client.post("/v1/query/execute", json={"spec": QUESTION}).json()["data"]
    stored = client.get(f"/v1/results/{asked['query_id']}").json()
    assert stored["card"]["digests"]["result_hash"] == asked["result_hash"]
    assert json.loads(stored["texts"]["result"]) == asked["result"]
    computed = client.post("/v1/libraries/execute", json=NPV).json()["request_id"]
    assert client.get(f"/v1/results/{computed}").json()["kind"] == "computation"


def test_a_result_that_is_none_is_not_found(client: httpx.Client) -> None:
    for name in ("query_0000000000000000", "nonsense", "%00", "a" * 5_000):
        answer = client.get(f"/v1/results/{name}")
        assert (answer.status_code, code(answer)) == (404, "result_not_found")


def test_a_deployment_says_what_it_is(stand: Stand) -> None:
    with stand.client("two", "query") as narrow:
        told = narrow.get("/v1/deployment").json()
    assert (told["tenant"], told["scopes"]) == ("two", ["query"])
    assert told["contract_hash"].startswith("sha256:")
    assert {"postgres", "rest"} <= {kind["type"] for kind in told["connectors"]}


def test_a_device_waits_for_its_key(stand: Stand) -> None:
    with stand.client(None) as stranger:
        codes = stranger.post("/v1/device/code", data={"client_id": "notebook"}).json()
        assert codes["expires_in"] > 0
        asked = {
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
            "device_code": codes["device_code"],
            "client_id": "notebook",
        }
        waiting = stranger.post("/v1/device/token", json=asked)
        assert (waiting.status_code, waiting.json()["error"]) == (400, "authorization_pending")


def test_anyone_may_ask_how_it_is(stand: Stand) -> None:
    with stand.client(None) as stranger:
        assert stranger.get("/healthz").json()["status"] == "ok"
        assert stranger.get("/readyz").json()["checks"]["store"] is True
        assert stranger.get("/openapi.json").json()["openapi"].startswith("3.1")
        assert (stranger.head("/healthz").status_code, stranger.head("/healthz").content) == (200, b"")


def test_figures_name_routes_and_nobody(client: httpx.Client) -> None:
    client.get("/v1/sources/sales")
    told = client.get("/metrics").text
    assert 'route="/v1/sources/{name}"' in told
    assert "service_nb_running" in told
    assert "sales" not in told
    assert "tenant" not in told


# --- what is malformed ----------------------------------------------------------------------------------------------

BROKEN: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 400, "canonical_json_invalid"),
    "no JSON": (b"{", 400, "canonical_json_invalid"),
    "two documents": (b"{}{}", 400, "canonical_json_invalid"),
    "no UTF-8": (b'{"a": "\xff"}', 400, "canonical_json_invalid"),
    "half a character": (b'{"a": "\\ud800"}', 400, "canonical_json_invalid"),
    "a key twice": (b'{"name": 1, "name": 2}', 400, "canonical_json_invalid"),
    "no number": (b'{"a": NaN}', 400, "canonical_json_invalid"),
    "infinity": (b'{"a": 1e999}', 400, "canonical_json_invalid"),
    "very deep": (b"[" * 100_000 + b"]" * 100_000, 413, "limit_exceeded"),
    "very long number": (b'{"a": ' + b"9" * 5_000 + b"}", 413, "limit_exceeded"),
    "a list": (b"[]", 400, "invalid_intent"),
    "null": (b"null", 400, "invalid_intent"),
    "a text": (b'"text"', 400, "invalid_intent"),
    "an unknown key": (b'{"unheard_of": 1}', 400, "invalid_intent"),
    "a wrong type": (b'{"spec": 1, "plan": 1, "descriptor": 1, "module": 1, "client_id": 1}', 400, "invalid_intent"),
    "NUL bytes": (b"\x00" * 100, 400, "canonical_json_invalid"),
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("route", WITH_BODY, ids=lambda route: route.path)
def test_a_broken_body_is_refused(client: httpx.Client, route: Route, how: str) -> None:
    content, status, expected = BROKEN[how]
    answer = client.request(route.method, route.path, content=content, headers={"Content-Type": "application/json"})
    assert (answer.status_code, code(answer)) == (status, expected)


@pytest.mark.parametrize("route", WITH_BODY, ids=lambda route: route.path)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/xml"},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
        {"Content-Type": "multipart/form-data; boundary=x"},
    ],
)
def test_a_body_in_another_form_is_refused(client: httpx.Client, route: Route, headers: dict[str, str]) -> None:
    answer = client.request(route.method, route.path, content=b"{}", headers=headers)
    assert (answer.status_code, code(answer)) == (415, "invalid_intent")


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v1/", "/v1/nothing", "/v2/sources", "/v1/query/execute/", "/%2e%2e/etc"]
)
def test_where_there_is_nothing_it_says_so(client: httpx.Client, path: str) -> None:
    for method in ("GET", "POST", "DELETE"):
        answer = client.request(method, path)
        assert (answer.status_code, code(answer)) == (404, "route_not_found")


@pytest.mark.parametrize("path", sorted({route.path for route in ROUTES}))
def test_other_methods_are_refused_and_the_allowed_ones_named(client: httpx.Client, path: str) -> None:
    there = {route.method for route in ROUTES if route.path == path}
    for method in {"GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "BREW"} - there:
        answer = client.request(method, path.replace("{id}", "x").replace("{name}", "x"))
        assert (answer.status_code, code(answer)) == (405, "route_not_found")
        assert {each.strip() for each in answer.headers["allow"].split(",")} == there


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Service-Timeout": "0"},
        {"X-Service-Timeout": "-1"},
        {"X-Service-Timeout": "nan"},
        {"X-Service-Timeout": "soon"},
        {"X-Service-Timeout": "1" * 33},
        {"Idempotency-Key": ""},
        {"Idempotency-Key": "two words"},
        {"Idempotency-Key": "k" * 201},
    ],
)
def test_headers_are_read_strictly(client: httpx.Client, headers: dict[str, str]) -> None:
    answer = client.post("/v1/query/execute", json={"spec": QUESTION}, headers=headers)
    assert (answer.status_code, code(answer)) == (400, "invalid_intent")


def test_a_request_id_comes_back_and_a_strange_one_is_replaced(client: httpx.Client) -> None:
    assert client.get("/nothing", headers={"X-Request-Id": "mine-1"}).json()["request_id"] == "mine-1"
    for strange in ("", "two words", "x" * 129, "<script>", "a\tb"):
        answer = client.get("/nothing", headers={"X-Request-Id": strange})
        assert answer.headers["x-request-id"].startswith("req_")


def test_answers_say_how_browsers_shall_treat_them(client: httpx.Client) -> None:
    for path in ("/v1/sources", "/nothing", "/healthz"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


def test_a_descriptor_is_never_shown(client: httpx.Client) -> None:
    for planted in ("S3CRET-1", "S3CRET-2"):
        for descriptor in (
            {"type": "postgres", "password": planted, "port": "not a port"},
            {"type": "no such type", "password": planted},
            {"type": "postgres", "password": [planted]},
            {"type": "postgres", "connection_string": f"postgres://u:{planted}@h:99999999/d", "table": "t"},
        ):
            for path in ("/v1/connectors", "/v1/connectors/test", "/v1/sources"):
                body = {"descriptor": descriptor} | ({"name": "n"} if path.endswith("sources") else {})
                assert planted not in client.post(path, json=body).text
