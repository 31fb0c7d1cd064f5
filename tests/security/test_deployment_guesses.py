"""A key that may not see a column learns nothing of it by guessing: no hash that it is told covers that column."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import service_nb
from service_nb.core.digest import hash_schema, identify_source
from service_nb.query.inspection import build_form, build_profile
from service_nb.schema.source import Field
from tests.deployment.conftest import REACHABLE
from tests.deployment.served_records import Records, records
from tests.deployment.stand import Stand, key, made, standing

POLICY = {"allowed_fields": {"paid": ["region", "units"], "sales": ["region", "units"]}}
ROWS = [
    {"region": "north", "units": 3, "salary": 0.1, "salary_grade": "b"},
    {"region": "south", "units": 4, "salary": 0.2, "salary_grade": "c"},
]
SPEC = {"metric": "units", "aggregation": "sum", "group_by": "region", "source_name": "paid"}
CALL = {
    "module": "stats",
    "function": "mean",
    "bindings": [{"parameter": "values", "source": "paid", "field": "units"}],
}


@pytest.fixture(scope="module")
def web() -> Iterator[Records]:
    with records() as served:
        served.rows[:] = ROWS
        yield served


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory, web: Records) -> Iterator[Stand]:
    with standing(made(tmp_path_factory.mktemp("guesses"), REACHABLE)) as stood:
        with stood.client("one") as wide:
            asked = {"name": "paid", "descriptor": web.descriptor()}
            assert wide.post("/v1/sources", json=asked).status_code in (200, 201)
        yield stood


@pytest.fixture
def wide(stand: Stand) -> Iterator[httpx.Client]:
    with stand.client("one") as client:
        yield client


@pytest.fixture
def narrow(stand: Stand) -> Iterator[httpx.Client]:
    with stand.client(None) as client:
        client.headers["Authorization"] = f"Bearer {narrow_key(stand)}"
        yield client


def narrow_key(stand: Stand, policy: dict[str, Any] | None = None) -> str:
    return key(stand.deployment, "one", "query", "compute", "results", policy=policy or POLICY)


def told(client: httpx.Client) -> Iterator[tuple[str, Any]]:
    """Everything that a key hears of a source, by what it asked."""
    plan = client.post("/v1/query/resolve", json={"spec": SPEC}).json()["plan"]
    rows = client.post("/v1/query/resolve", json={"spec": {**SPEC, "metric": None, "aggregation": "count"}}).json()[
        "plan"
    ]
    answered = client.post("/v1/query/execute", json={"plan": plan})
    assert answered.status_code == 200
    yield "list", client.get("/v1/sources").json()
    yield "source", client.get("/v1/sources/paid").json()
    yield "resolve", plan
    yield "plan", answered.json()
    yield "question", client.post("/v1/query/execute", json={"spec": SPEC}).json()
    yield "verify", client.post("/v1/query/verify", json={"plan": plan}).json()
    yield "columns", client.post("/v1/query/columns", json={"plan": rows}).json()
    shown = build_profile("paid", client.get("/v1/sources/paid").json()["schema_revision"])
    names = client.get("/v1/sources/paid").json()["fields"]
    look = {**build_form(shown), "source_name": "paid", "plan_hash": shown.plan_hash, "fields": names}
    yield "inspect", client.post("/v1/query/columns", json={"plan": look}).json()
    yield "compute", client.post("/v1/libraries/execute", json=CALL).json()
    yield "stored", client.get(f"/v1/results/{answered.json()['data']['query_id']}").json()
    wrong = {**plan, "schema_revision": "0" * 64}
    for path in ("execute", "verify", "columns"):
        yield f"wrong plan to {path}", client.post(f"/v1/query/{path}", json={"plan": wrong}).json()
    yield "refused", client.post("/v1/query/execute", json={"spec": {**SPEC, "metric": "salary"}}).json()


def visible(source: dict[str, Any], *names: str) -> list[Field]:
    return [Field(**each) for each in source["typed_fields"] if not names or each["name"] in names]


def test_no_answer_has_a_hash_over_columns_that_the_key_may_not_see(wide: httpx.Client, narrow: httpx.Client) -> None:
    whole = wide.get("/v1/sources/paid").json()
    guessed = hash_schema(visible(whole))  # who guesses the columns has this
    assert whole["schema_revision"] == guessed
    digest = whole["content"]["sha256"]
    secrets = {guessed, digest, *(identify_source("paid", visible(whole), content, {}) for content in (digest, "live"))}
    answers = dict(told(narrow))
    assert len(answers) == 14
    assert [column["name"] for column in answers["inspect"]["columns"]][:1] == ["column"]
    for name, answer in answers.items():
        text = json.dumps(answer)
        assert not any(secret in text for secret in secrets), name
        assert "salary_grade" not in text, name
        assert "salary" not in text or name == "refused", name


def test_what_a_key_is_told_is_the_schema_of_what_it_sees(wide: httpx.Client, narrow: httpx.Client) -> None:
    seen = narrow.get("/v1/sources/paid").json()
    assert seen["fields"] == ["region", "units"]
    assert seen["schema_revision"] == hash_schema(visible(seen))
    assert seen["schema_revision"] == hash_schema(visible(wide.get("/v1/sources/paid").json(), "region", "units"))
    assert seen["content"] == {"algorithm": "live", "sha256": None, "rows": 2}
    plan = narrow.post("/v1/query/resolve", json={"spec": SPEC}).json()["plan"]
    assert plan["schema_revision"] == seen["schema_revision"]


def test_the_right_guess_is_answered_as_any_wrong_one(wide: httpx.Client, narrow: httpx.Client) -> None:
    plan = narrow.post("/v1/query/resolve", json={"spec": SPEC}).json()["plan"]
    right, wrong = wide.get("/v1/sources/paid").json()["schema_revision"], "0" * 64
    for path in ("execute", "verify", "columns"):
        answers = [
            narrow.post(f"/v1/query/{path}", json={"plan": {**plan, "schema_revision": guess}})
            for guess in (right, wrong)
        ]
        assert answers[0].status_code == answers[1].status_code
        met, expected = (answer.json() for answer in answers)
        met.pop("request_id", None), expected.pop("request_id", None)
        assert json.dumps(met).replace(right, wrong) == json.dumps(expected)


def test_results_that_others_made_of_more_columns_are_not_found(wide: httpx.Client, narrow: httpx.Client) -> None:
    asked = {"spec": SPEC}
    theirs = wide.post("/v1/query/execute", json=asked).json()
    ours = narrow.post("/v1/query/execute", json=asked).json()
    assert theirs["data"]["result"] == ours["data"]["result"]
    assert narrow.get(f"/v1/results/{theirs['data']['query_id']}").status_code == 404
    assert narrow.get(f"/v1/results/{ours['data']['query_id']}").status_code == 200
    assert wide.get(f"/v1/results/{ours['data']['query_id']}").status_code == 200


def test_a_list_that_names_all_columns_hides_nothing_from_any_hash(stand: Stand, wide: httpx.Client) -> None:
    everything = {"allowed_fields": {"paid": list(ROWS[0])}}
    with stand.client(None) as client:
        client.headers["Authorization"] = f"Bearer {narrow_key(stand, everything)}"
        hashes = [each.post("/v1/query/execute", json={"spec": SPEC}).json()["data"] for each in (client, wide)]
    for name in ("schema_revision", "plan_hash", "result_hash"):
        assert hashes[0][name] == hashes[1][name]


def test_a_plan_of_a_narrow_key_replays_under_every_policy_that_shows_the_same(
    stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", stand.url)
    asked = []
    for number in range(2):  # another key, another session, a ledger of its own
        monkeypatch.setenv("SERVICE_API_KEY", narrow_key(stand))
        service = service_nb.create_service(project=tmp_path, ledger=tmp_path / str(number), timeout=60.0)
        service.connect(name="paid")
        asked.append(service.ask("sum units by region from paid"))
        if number:
            again = service.query_with_metadata(asked[0]["resolution"]["plan"])
            assert again["result_hash"] == asked[0]["data"]["result_hash"] == asked[1]["data"]["result_hash"]
            assert service.replay(asked[1].card)["status"] == "identical"
        service.close()
    local = service_nb.create_service(project=tmp_path / "local", mode="local", ledger="off")
    local.connect([{name: row[name] for name in ("region", "units")} for row in ROWS], name="paid")
    assert local.query_with_metadata(asked[0]["resolution"]["plan"])["result_hash"] == asked[0]["data"]["result_hash"]
    local.close()
