"""The TypeScript client of a deployment beside Python's: the same values, hashes, statuses, codes and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service_nb.client.service import Service
from service_nb.core.secret import Secret
from service_nb.deployment.address import _find_key_file, store_key
from service_nb.errors import ServiceError
from service_nb.evidence.documents import check_card
from tests.deployment.clients.backed import SALES, Backed
from tests.deployment.clients.conftest import POSTGRES, MakeClient
from tests.deployment.clients.second import describe_client, run_client, run_clients
from tests.deployment.clients.test_client_questions import FORMS, QUESTIONS
from tests.deployment.stand import Stand
from tests.simulators.verifiers import by_standalone, causes_of

VARIABLES = {"least": 0.05, "regions": ["north", "south"], "most": 1e6}
REFUSED = [
    "sum revenu by region",
    "sum region",
    "sum revenue from purchases",
    "sum revenue by region where units > 'x'",
    {"aggregation": "total", "metric": "revenue"},
    {"aggregation": "sum", "metric": "revenue", "order": "upwards", "group_by": "region"},
    {"aggregation": "sum", "metric": "revenue", "filter": {"conditions": [{"column": "units", "op": "on"}]}},
    {"aggregation": "sum", "metric": "revenue", "limit": 0},
    {"agregation": "sum"},
]  # fmt: skip
CONNECT = ["connect", None, {"connector": POSTGRES, "name": "sales"}]
SAME = ("result", "plan_hash", "result_hash", "schema_revision", "plan", "row_count", "deterministic_scope")


def outcome_of(ask: Callable[[], Any]) -> dict[str, Any]:
    """Return what of an outcome both clients have in common, or of an error."""
    try:
        outcome = ask()
    except ServiceError as error:
        return {"code": error.code, "source": error.source, "retryable": error.retryable}
    return pick(outcome)


def pick(outcome: Any) -> dict[str, Any]:
    """Pick what both clients have in common."""
    if outcome["status"] != "ok":
        form = outcome["resolution"]
        kept = {key: form[key] for key in ("rejection_reason", "candidates", "did_you_mean", "missing")}
        return {"status": outcome["status"], "refusal": outcome["refusal_hash"], **kept}
    data = outcome["data"]
    provenance = {key: each for key, each in data["provenance"].items() if key != "notes"}
    return {"status": "ok", "provenance": provenance, **{key: data[key] for key in SAME}}


def second_of(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the same of an answer of the second client."""
    assert "crash" not in answer, answer
    if "ok" in answer:
        return pick(answer["ok"])
    return {key: answer[key] for key in ("code", "source", "retryable")}


def code_of(work: Callable[[], Any]) -> tuple[str, str, Any] | None:
    """Return code, source and reason of an error; None where there is none."""
    try:
        work()
    except ServiceError as error:
        return error.code, error.source, error.details.get("reason")
    return None


def second_code(answer: dict[str, Any]) -> tuple[str, str, Any] | None:
    """Return the same of an answer of the second client."""
    assert "crash" not in answer, answer
    return None if "ok" in answer else (answer["code"], answer["source"], answer["details"].get("reason"))


def test_every_question_ends_the_same_in_both_clients(served: tuple[Stand, Backed], sales: Service) -> None:
    stand, there = served
    questions = [*QUESTIONS, *FORMS, *REFUSED]
    steps = [["ask", each, {"variables": VARIABLES} if "$" in str(each) else {}] for each in questions]
    connected, *answers = run_client(stand.url, there.key, ["connect", None, {"name": "sales"}], *steps)
    source = sales.source("sales")
    assert connected["ok"] == {key: source[key] for key in connected["ok"]}
    for question, answer in zip(questions, answers, strict=True):
        variables = VARIABLES if "$" in str(question) else None
        assert second_of(answer) == outcome_of(lambda: sales.ask(question, variables=variables)), question  # noqa: B023
        if "ok" in answer:
            card = answer["ok"]["card"]
            assert check_card(card).status in ("consistent", "unaltered")
            causes = causes_of(by_standalone(json.dumps(card).encode(), [], []))
            assert causes <= {"unknown_signer", "unsigned"}


def test_stored_plans_are_run_and_checked_by_either_client(served: tuple[Stand, Backed], sales: Service) -> None:
    stand, there = served
    response = sales.resolve("sum revenue, count by month of day from sales having count > 0")
    altered = {**response["plan"], "order": "desc"}
    steps = [
        [method, plan] for plan in (response["plan"], altered) for method in ("query", "queryWithMetadata", "verify")
    ]
    connect = ["connect", None, {"connector": POSTGRES, "datasetName": "sales"}]
    _, rows, data, verdict, *refused, unchecked = run_client(stand.url, there.key, connect, *steps)
    assert rows["ok"] == sales.query(response)
    expected = sales.ask("sum revenue, count by month of day from sales having count > 0")["data"]
    assert (data["ok"]["result_hash"], data["ok"]["plan_hash"]) == (expected["result_hash"], expected["plan_hash"])
    assert verdict["ok"] == {"valid": True, "checks": sales.verify(response["plan"])["checks"]}
    assert [each["code"] for each in refused] == ["plan_invalid", "plan_invalid"]
    statuses = [(each["check"], each["status"]) for each in sales.verify(altered)["checks"]]
    assert [(each["check"], each["status"]) for each in unchecked["ok"]["checks"]] == statuses


def test_a_question_connects_the_source_that_it_names(served: tuple[Stand, Backed], sales: Service) -> None:
    stand, there = served
    question = "sum units by region from sales"
    before, answer, unknown, after, listed = run_client(
        stand.url,
        there.key,
        ["sources"],
        ["ask", question],
        ["ask", "count from nothing"],
        ["sources"],
        ["liveSources"],
    )
    assert (before["ok"], after["ok"], listed["ok"]) == ([], ["sales"], ["sales"])
    assert second_of(answer) == outcome_of(lambda: sales.ask(question))
    assert unknown["ok"]["resolution"]["rejection_reason"] == "unknown_source"


CONNECTIONS: list[tuple[Any, dict[str, Any]]] = [
    ({"connector": POSTGRES}, {}),
    ({"connector": {**POSTGRES, "table": "nowhere"}}, {}),
    ({"connector": {**POSTGRES, "password": "wrong password"}}, {}),
    ({"connector": {**POSTGRES, "type": "postgresq"}}, {}),
    ({"connector": {"host": "db"}}, {}),
    ({"connector": 5}, {}),
    ({"connector": {"id": "connector_0000000000000000"}}, {"name": "x"}),
    ({"connector": {"id": "connector_0000000000000000", "table": "sales"}}, {"name": "x"}),
    ({"connector": {"id": 5, "table": "x"}}, {"name": "x"}),
    ({"connector": POSTGRES}, {"encoding": "utf-8"}),
    ({"connector": POSTGRES}, {"types": {"revenue": "no type"}}),
    ({"connector": POSTGRES}, {"aliases": {"x": "no such column"}}),
    ({"connector": POSTGRES}, {"name": "a\nb"}),
    ({}, {"name": "purchases"}),
    ({}, {"name": "sales", "types": {"revenue": "string"}}),
]  # fmt: skip


@pytest.mark.parametrize("policy", [None, {"allowed_fields": {"sales": ["region", "units"]}}])
def test_what_cannot_be_connected_has_the_same_code(
    served: tuple[Stand, Backed], make_client: MakeClient, sales: Service, policy: dict[str, Any] | None
) -> None:
    stand, there = served
    calls = [{**one, **other} for one, other in CONNECTIONS]
    first = []
    for call in calls:
        client = make_client(ledger="off", policy=policy)
        first.append(code_of(lambda: client.connect(**call)))  # noqa: B023
    told = {} if policy is None else {"policy": {"allowedFields": policy["allowed_fields"]}}
    second = run_clients(*(describe_client(stand.url, there.key, [["connect", None, call]], **told) for call in calls))
    for call, one, (answer,) in zip(calls, first, second, strict=True):
        if call.get("types") == {"revenue": "no type"}:  # told by the deployment
            assert (one is None) == ("ok" in answer)
            continue
        assert second_code(answer) == one, (call, answer)
        assert "wrong password" not in json.dumps(answer)


def test_connectors_are_tried_and_kept_by_the_deployment(served: tuple[Stand, Backed]) -> None:
    stand, there = served
    whole = {"type": "postgresql", "host": "db", "connectionString": "postgres://ann:canary@db", "table": "sales"}
    tried, failed, unknown, kept, listed = run_client(
        *(stand.url, there.key, ["testConnector", POSTGRES], ["testConnector", {**POSTGRES, "table": "nowhere"}]),
        *(["testConnector", {"type": "nothing"}], ["createConnector", whole, {"name": "db"}], ["connectors"]),
    )
    assert (tried["ok"]["success"], failed["ok"]["success"]) == (True, False)
    assert unknown["ok"]["code"] == "unsupported_source"
    assert (kept["ok"]["type"], kept["ok"]["table"], kept["ok"]["name"]) == ("postgres", "sales", "db")
    assert "canary" not in json.dumps([kept, listed])
    of_kept = {"id": kept["ok"]["id"], "table": "sales"}
    steps = [["connect", {"connector": of_kept, "name": "sales"}], ["ask", "count"]]
    source, answer = run_client(stand.url, there.key, *steps)
    assert source["ok"]["row_count"] == len(SALES)
    assert answer["ok"]["data"]["result"] == [{"count": len(SALES)}]


def test_policies_of_the_client_and_of_the_key_hold(
    served: tuple[Stand, Backed], sales: Service, tables: Backed
) -> None:
    stand, there = served
    fields = {"sales": ["region", "units"]}
    narrow = sales.narrow({"allowed_sources": ["sales"], "allowed_fields": fields})
    told = {"policy": {"allowedSources": ["sales"], "allowedFields": fields}}
    questions = ["sum revenue by region", "sum units by region", "sum nothing by region", "count where revenue > 1"]
    connect = ["connect", None, {"name": "sales"}]
    steps = [
        connect,
        *(["ask", each] for each in questions),
        ["connect", None, {"connector": POSTGRES, "name": "other"}],
    ]
    few = tables.key_of(policy={"allowed_fields": fields})
    limited, by_key = run_clients(
        describe_client(stand.url, there.key, steps, **told), describe_client(stand.url, few, steps[:-1])
    )
    source, *answers, denied = limited
    assert source["ok"]["fields"] == by_key[0]["ok"]["fields"] == ["region", "units"]
    assert [second_of(each) for each in answers] == [outcome_of(lambda: narrow.ask(each)) for each in questions]  # noqa: B023
    assert denied["code"] == "policy_denied_source"
    assert second_of(by_key[2])["status"] == "ok"
    assert "revenue" not in json.dumps([limited[0], by_key[0]])


def test_a_source_that_became_another_is_told_apart(
    served: tuple[Stand, Backed], sales: Service, tables: Backed
) -> None:
    stand, there = served
    plan = sales.resolve("sum revenue by region")["plan"]
    tables.service._sources.registry.remove("sales")
    tables.live.made.clear()
    tables.tables.rows["sales"] = [{"region": "x", "revenue": "text now", "units": 1}]
    sales.close()
    answers = run_client(
        stand.url,
        there.key,
        CONNECT,
        ["query", plan],
        ["verify", plan],
    )
    assert answers[1]["code"] == "schema_revision_mismatch"
    assert answers[2]["ok"]["valid"] is False


@pytest.mark.parametrize("key", ["another-key", None])
def test_a_key_that_is_not_known_opens_nothing(served: tuple[Stand, Backed], key: str | None, tmp_path: Path) -> None:
    stand, _ = served
    task = describe_client(stand.url, key, [["liveSources"], CONNECT])
    task["environment"]["SERVICE_HOME"] = str(tmp_path)
    for answer in run_clients(task)[0]:
        assert second_code(answer) == ("unauthenticated", "service", None)
        assert not answer["retryable"]
        assert "another-key" not in json.dumps(answer)


def test_a_scope_that_the_key_lacks_is_forbidden(served: tuple[Stand, Backed], tables: Backed) -> None:
    stand, _ = served
    (answer,) = run_client(stand.url, tables.key_of("query"), CONNECT)
    assert second_code(answer) == ("forbidden", "service", None)


def test_the_key_that_a_login_has_stored_is_used_if_nobody_else_may_read_it(
    served: tuple[Stand, Backed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand, there = served
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    store_key(stand.url, Secret(there.key))
    task = describe_client(stand.url, None, [["liveSources"]])
    task["environment"]["SERVICE_HOME"] = str(tmp_path / "home")
    file = _find_key_file(stand.url)
    assert "ok" in run_clients(task)[0][0]
    for reason, spoil in (
        ("exposed", lambda: file.chmod(0o644)),
        ("malformed", lambda: (file.chmod(0o600), file.write_text('{"key":"x"}'))),
        ("unsafe", lambda: file.parent.chmod(0o777)),
        (
            "no_file",
            lambda: (file.parent.chmod(0o700), file.rename(tmp_path / "key"), file.symlink_to(tmp_path / "key")),
        ),
    ):
        spoil()
        (answer,) = run_clients(task)[0]
        assert second_code(answer) == ("secret_unavailable", "service", reason)
        assert there.key not in json.dumps(answer)


ADDRESSES = [
    *("service.example", "ftp://service.example", "https://", "https://user:canary@service.example"),
    *("https://canary@service.example", "https://service.example?key=canary", "https://service.example/#canary"),
    *("http://service.example", "http://10.0.0.1:8000", "http://localhost.example", "http://127.0.0.1.example"),
    *("https://service.example:99999", "https://service.example:0", "https://serv ice.example"),
    "https://service.example/\r\nX-Evil: 1",
]


def test_an_address_or_a_key_that_is_none_or_tells_secrets_is_refused(tmp_path: Path) -> None:
    tasks = [describe_client(url, "key", [["sources"]]) for url in ADDRESSES]
    keys = ["two words", "line\nbreak", "ümlaut", "x" * 5_000]
    tasks += [describe_client("https://service.example", key, [["sources"]]) for key in keys]
    good = ["https://service.example", "https://service.example:8443/base/", "http://127.0.0.1:80", "http://[::1]:8000"]
    tasks += [describe_client(url, "key", [["sources"]]) for url in good]
    answers = run_clients(*tasks)
    for (answer,), given in zip(answers, [*ADDRESSES, *keys], strict=False):
        assert second_code(answer) == ("invalid_intent", "engine", None), given
        assert "canary" not in json.dumps(answer)
        assert given in ADDRESSES or given not in json.dumps(answer)
    assert [each[0]["ok"] for each in answers[-len(good) :]] == [[]] * len(good)


def test_without_a_deployment_a_live_source_needs_one() -> None:
    task = describe_client(
        "", None, [["connect", None, {"connector": POSTGRES, "name": "x"}], ["createConnector", POSTGRES]]
    )
    task["steps"] += [["testConnector", POSTGRES], ["liveSources"]]
    connected, made, tried, listed = run_clients(task)[0]
    assert second_code(connected) == second_code(made) == ("deployment_required", "service", None)
    assert (tried["ok"]["success"], tried["ok"]["code"]) == (False, "deployment_required")
    assert listed["ok"] == []


CALLS: list[dict[str, Any]] = [
    {"module": "finance", "function": "npv", "args": [0.1, [-1000, 300, 420, 560, 680]]},
    {"module": "stats", "function": "median", "kwargs": {"values": [3.0, 1.0, -0.0]}},
    {"module": "number_theory", "function": "gcd", "args": ["90071992547409930", 15]},
    {"module": "number_theory", "function": "is_prime", "args": [str(10**40 + 121)]},
    {"module": "stats", "function": "mean", "args": [[]]},
    {"module": "stats", "function": "meen", "args": [[1.0]]},
    {"module": "finance", "function": "npv", "args": ["much", [1.0]]},
]


def test_a_computation_at_the_deployment_ends_the_same_in_both_clients(
    served: tuple[Stand, Backed], client: Service
) -> None:
    stand, there = served
    second = run_client(stand.url, there.key, *(["compute", call] for call in CALLS))
    told = ("value", "value_type", "invocation_hash", "computation_hash", "contract_hash", "determinism")
    for call, answer in zip(CALLS, second, strict=True):
        code = code_of(lambda: client.compute(call))  # noqa: B023
        assert second_code(answer) == code, (call, answer)
        if code is None:
            first: dict[str, Any] = dict(client.compute(call))
            assert {key: answer["ok"][key] for key in told} == {key: first[key] for key in told}
            assert answer["ok"]["card"]["view"]["scope"].endswith(":deployment")
            assert check_card(answer["ok"]["card"]).status != "altered"
    assert sum("ok" in answer for answer in second) == 4


BOUND = [
    {"parameter": "values", "source": "sales", "field": "revenue", "null_policy": "drop"},
    {"parameter": "values", "source": "sales", "field": "revenue"},
    {"parameter": "values", "source": "sales", "field": "region"},
    {"parameter": "values", "source": "sales", "field": "nothing"},
    {"parameter": "values", "source": "nothing", "field": "revenue"},
    {
        "parameter": "values",
        "source": "sales",
        "field": "revenue",
        "filter": {"conditions": [{"column": "units", "op": "gt", "value": 0}]},
    },
]


def test_columns_of_a_live_source_are_bound_by_both_clients(served: tuple[Stand, Backed], sales: Service) -> None:
    stand, there = served
    calls = [{"module": "stats", "function": "mean", "bindings": [each]} for each in BOUND]
    second = run_client(stand.url, there.key, *(["compute", call] for call in calls))
    told = ("value", "invocation_hash", "computation_hash", "determinism", "provenance")
    for call, answer in zip(calls, second, strict=True):
        code = code_of(lambda: sales.compute(call))  # noqa: B023
        assert second_code(answer) == code, (call, answer)
        if code is None:
            first: dict[str, Any] = json.loads(json.dumps(dict(sales.compute(call))))
            assert {key: answer["ok"][key] for key in told} == {key: first[key] for key in told}
            assert check_card(answer["ok"]["card"]).status != "altered"
    assert sum("ok" in answer for answer in second) == 2
