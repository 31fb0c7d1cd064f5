"""Who may ask: on every route of the table, so that none can be forgotten."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from service_nb.server.keys import SCOPES, Grant, Keys
from service_nb.server.routes import ROUTES, Route
from tests.deployment.conftest import REACHABLE
from tests.deployment.stand import Stand, key, made, standing
from tests.deployment.test_limits import figure, hanging, until

KEYED = [route for route in ROUTES if route.scope is not None]
OPEN = {
    *("/healthz", "/readyz", "/openapi.json", "/v1/device/code", "/v1/device/token"),
    *("/v1/runtime/build", "/v1/runtime/bundles/{id}"),  # signed files that anyone may have
}
MALFORMED = [
    "",
    "Bearer",
    "Basic dXNlcjpwYXNz",
    "Token abc",
    "Bearer a b",
    "Bearer ünicode",
    "Bearer " + "k" * 513,
    'Bearer "quoted"',
    "bearerabc",
]
each_keyed_route = pytest.mark.parametrize("route", KEYED, ids=lambda route: f"{route.method} {route.path}")


def asked(client: httpx.Client, route: Route, **options: Any) -> httpx.Response:
    """Ask for something of a route; whatever is right or wrong with it, whoever may not ask hears nothing of it."""
    path = route.path.replace("{id}", "query_0123456789abcdef").replace("{name}", "sales")
    if route.takes:
        options = {"json": {"nothing": "of this is known"}} | options
    return client.request(route.method, path, **options)


def refused(answer: httpx.Response, status: int, code: str) -> bool:
    return (answer.status_code, answer.json()["code"]) == (status, code)


def test_every_other_route_wants_a_key() -> None:
    assert {route.path for route in ROUTES if route.scope is None} == OPEN


@each_keyed_route
def test_nobody_asks_without_a_key(stand: Stand, route: Route) -> None:
    with stand.client(None) as stranger:
        answer = asked(stranger, route)
        assert refused(answer, 401, "unauthenticated")
        assert answer.headers["www-authenticate"].startswith("Bearer")


@each_keyed_route
def test_nobody_asks_with_what_is_no_key(stand: Stand, route: Route) -> None:
    with stand.client(None) as stranger:
        for text in MALFORMED:
            header = {b"Authorization": text.encode()}
            assert refused(asked(stranger, route, headers=header), 401, "unauthenticated"), text


@each_keyed_route
def test_nobody_asks_with_a_key_that_is_not_known(stand: Stand, route: Route) -> None:
    known = stand.keys.setdefault(("one",), key(stand.deployment, "one"))
    with stand.client(None) as stranger:
        for wrong in ("snb_" + "A" * 43, known[:-1], known + "A", known.swapcase(), known[::-1], "null", "*"):
            answer = asked(stranger, route, headers={"Authorization": f"Bearer {wrong}"})
            assert refused(answer, 401, "unauthenticated"), wrong


@each_keyed_route
def test_two_keys_are_none(stand: Stand, route: Route) -> None:
    known = stand.keys.setdefault(("one",), key(stand.deployment, "one"))
    with stand.client(None) as stranger:
        headers = [("Authorization", f"Bearer {known}"), ("Authorization", f"Bearer {known}")]
        assert refused(asked(stranger, route, headers=headers), 401, "unauthenticated")


@each_keyed_route
def test_a_key_that_was_taken_back_is_worth_nothing_at_once(stand: Stand, route: Route) -> None:
    keys = Keys(stand.deployment._store)
    key_id, taken = keys.create(Grant(tenant="one", scopes=SCOPES))
    headers = {"Authorization": f"Bearer {taken.reveal()}"}
    with stand.client(None) as client:
        assert asked(client, route, headers=headers).status_code != 401
        assert keys.revoke(key_id)
        assert refused(asked(client, route, headers=headers), 401, "unauthenticated")


def test_a_key_that_is_taken_back_while_its_request_waits_does_nothing(tmp_path: Path) -> None:
    with standing(made(tmp_path, REACHABLE, running=1)) as stand, hanging() as slow, ThreadPoolExecutor(2) as others:
        keys = Keys(stand.deployment._store)
        key_id, taken = keys.create(Grant(tenant="one", scopes=SCOPES))
        headers = {"Authorization": f"Bearer {taken.reveal()}"}
        with stand.client() as client, stand.client(None) as stranger:
            first = others.submit(client.post, "/v1/connectors/test", json={"descriptor": slow.descriptor})
            assert slow.asked.acquire(timeout=300)
            waiting = others.submit(stranger.get, "/v1/connectors", headers=headers)
            until(lambda: figure(client, "service_nb_queued") == 1)
            assert keys.revoke(key_id)
            slow.released.set()
            assert refused(waiting.result(), 401, "unauthenticated")
            assert first.result().status_code == 200


@each_keyed_route
def test_a_key_that_has_ended_is_worth_nothing(stand: Stand, route: Route) -> None:
    ended = Grant(tenant="one", scopes=SCOPES, expires=int(time.time()) - 1)
    headers = {"Authorization": f"Bearer {Keys(stand.deployment._store).create(ended)[1].reveal()}"}
    with stand.client(None) as client:
        assert refused(asked(client, route, headers=headers), 401, "unauthenticated")


@each_keyed_route
def test_a_key_without_the_scope_may_not(stand: Stand, route: Route) -> None:
    with stand.client("one", *[scope for scope in SCOPES if scope != route.scope]) as client:
        assert refused(asked(client, route), 403, "forbidden")
    with stand.client("one", *[scope for scope in SCOPES if scope == route.scope]) as client:
        assert asked(client, route).status_code not in (401, 403)


@each_keyed_route
def test_a_key_is_of_its_tenant_alone(stand: Stand, route: Route) -> None:
    if route.handle is None:
        return
    with stand.client("one") as client:
        for tenant in ("two", "three", "ONE", "one,one", "*"):
            answer = asked(client, route, headers={"X-Service-Tenant": tenant})
            assert refused(answer, 403, "forbidden")
        assert asked(client, route, headers={"X-Service-Tenant": "one"}).status_code not in (401, 403)


def test_a_tenant_sees_nothing_of_another(stand: Stand, records: str) -> None:
    descriptor = {"type": "rest", "url": records}
    question = {"metric": "n", "aggregation": "sum", "source_name": "private"}
    with stand.client("one") as one, stand.client("two") as two:
        connector = one.post("/v1/connectors", json={"descriptor": descriptor}).json()["id"]
        assert one.post("/v1/sources", json={"name": "private", "descriptor": descriptor}).status_code == 201
        data = one.post("/v1/query/execute", json={"spec": question}).json()
        plan, query_id = data["resolution"]["plan"], data["data"]["query_id"]

        assert refused(two.get("/v1/sources/private"), 404, "source_not_found")
        assert "private" not in two.get("/v1/sources").text
        assert two.get("/v1/connectors").json()["connectors"] == []
        assert refused(two.get(f"/v1/connectors/{connector}"), 404, "connector_not_found")
        assert refused(two.delete(f"/v1/connectors/{connector}"), 404, "connector_not_found")
        assert refused(two.delete("/v1/sources/private"), 404, "source_not_found")
        made = two.post("/v1/sources", json={"name": "mine", "connector_id": connector})
        assert refused(made, 404, "connector_not_found")
        assert refused(two.post("/v1/query/execute", json={"plan": plan}), 404, "source_not_found")
        assert refused(two.post("/v1/query/columns", json={"plan": plan}), 404, "source_not_found")
        assert two.post("/v1/query/execute", json={"spec": question}).json()["status"] == "rejected"
        assert refused(two.get(f"/v1/results/{query_id}"), 404, "result_not_found")
        # In the same words as for what is nowhere.
        nowhere = two.get("/v1/results/query_0000000000000000").json()["message"]
        assert two.get(f"/v1/results/{query_id}").json()["message"].replace(query_id, "") == nowhere.replace(
            "query_0000000000000000", ""
        )
        assert one.get(f"/v1/results/{query_id}").status_code == 200


def test_a_policy_of_a_key_is_kept_on_every_plane(stand: Stand) -> None:
    policy = {"allowed_fields": {"sales": ["region", "units"]}, "allowed_functions": ["stats.*"]}
    narrow = key(stand.deployment, "one", policy=policy)
    with stand.client("one") as wide, stand.client(None) as client:
        client.headers["Authorization"] = f"Bearer {narrow}"
        assert client.get("/v1/sources/sales").json()["fields"] == ["region", "units"]
        spec = {"metric": "revenue", "aggregation": "sum", "source_name": "sales"}
        plan = wide.post("/v1/query/resolve", json={"spec": spec}).json()["plan"]
        for path in ("execute", "columns"):
            answer = client.post(f"/v1/query/{path}", json={"plan": plan})
            assert refused(answer, 403, "policy_denied_field")
        call = {"module": "finance", "function": "npv", "args": [0.1, [1.0]]}
        assert refused(client.post("/v1/libraries/execute", json=call), 403, "policy_denied_function")
        assert client.get("/v1/deployment").json()["policy"]["allowed_functions"] == ["stats.*"]
