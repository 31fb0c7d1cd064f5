"""Questions to live sources, through a real server on a real socket."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.client.live_sources import DeployedSources
from service_nb.client.service import Service
from service_nb.errors import (
    AnswerMismatchError,
    ConnectorError,
    DeploymentRequiredError,
    ForbiddenError,
    InvalidIntentError,
    PolicyDeniedError,
    SchemaRevisionMismatchError,
    SourceAlreadyRegisteredError,
    SourceNotFoundError,
    UnauthenticatedError,
)
from service_nb.evidence.documents import check_card
from service_nb.query.ask_line import parse_ask
from tests.deployment.clients.backed import SALES, Backed
from tests.deployment.clients.conftest import POSTGRES, MakeClient
from tests.faces import to_html
from tests.simulators.verifiers import by_standalone, causes_of

QUESTIONS = [
    "sum revenue by region",
    "avg revenue by region order asc",
    "count by paid",
    "max day by region",
    "min units",
    "sum units by region, paid",
    "count by day where units > 0",
    "sum revenue where revenue > 0 and region is not null",
    "max region by day limit 1",
    "count where day >= 2024-01-31",
]

FORMS = [
    "sum revenue, avg units, count by region",
    "sum revenue by month of day",
    "count, max units by week of day, region order by day_week desc limit 3",
    "sum units by revenue in bins of 0.25 where revenue > -1",
    "count by units in bins of 100 order by units_bin",
    "percentile 90 of revenue, percentile 99.9 of revenue, median units by region",
    "stddev revenue, variance revenue, count distinct region by paid",
    "sum revenue by region having count > 1",
    "sum revenue, avg units by region having (sum revenue > 0.1 or avg units is null) and count >= 1",
    "max day, min region by paid having max day >= 2024-01-31 or min region starts with 'n'",
    "count where (region = 'north' or region is null) and (units > 0 or paid = true)",
    "count by region where units > 1 or (revenue > 0 and day is not null) having count != 99 order by region",
    "sum revenue by year of day where revenue >= $least and region in $regions having sum revenue < $most",
    "top 2 region by sum revenue",
]
VARIABLES = {"least": Decimal("0.05"), "regions": ["north", "south"], "most": 1e6}


@pytest.mark.parametrize("question", FORMS)
def test_every_form_of_a_question_comes_back_from_a_deployment_as_it_is_here(sales: Service, question: str) -> None:
    here = service_nb.create_service(mode="local", ledger="off", runtime="in_process")
    here.connect(SALES, name="sales", types={"day": "date", "units": "int64"})
    asked = parse_ask(question)
    for form in (question, asked):
        variables = VARIABLES if "$" in question else None
        live, local = sales.ask(form, variables=variables), here.ask(form, variables=variables)
        assert live["status"] == local["status"] == "ok", live["resolution"]["reason"]
        for key in ("result", "plan_hash", "result_hash", "schema_revision"):
            assert live["data"][key] == local["data"][key]
        assert (live.columns, live.card["view"]["ask"]) == (local.columns, local.card["view"]["ask"])
        assert live["data"]["provenance"]["notes"].items() >= local["data"]["provenance"]["notes"].items()
        assert check_card(live.card).status != "altered"
        assert causes_of(by_standalone(json.dumps(dict(live.card)).encode(), [], [])) <= {"unknown_signer", "unsigned"}
    assert live.replay()["status"] == "identical"
    assert sales.ask(live.card["view"]["ask"])["data"]["result_hash"] == live["data"]["result_hash"]
    here.close()


def test_a_live_source_answers_as_a_local_one_of_the_same_rows_does(sales: Service) -> None:
    local = service_nb.create_service(mode="local", ledger="off", runtime="in_process")
    local.connect(SALES, name="sales", types={"day": "date", "units": "int64"})
    for question in QUESTIONS:
        live, here = sales.ask(question), local.ask(question)
        assert live["status"] == here["status"] == "ok", question
        for key in ("result", "plan_hash", "result_hash", "schema_revision"):
            assert live["data"][key] == here["data"][key], question
        assert live.columns == here.columns
    local.close()


def test_an_answer_says_where_it_comes_from(sales: Service) -> None:
    outcome = sales.ask("sum revenue by region")
    assert outcome["data"]["deterministic_scope"] == "deployment_registered_source"
    assert outcome["data"]["provenance"]["engine"] == "tables 1.0"
    assert sales.source("sales")["content"] == {"algorithm": "live", "sha256": None, "rows": len(SALES)}
    assert "live: its data may change" in to_html(outcome.card)
    assert check_card(outcome.card).status != "altered"


def test_every_question_is_asked_anew_for_the_data_may_be_other_by_now(sales: Service, tables: Backed) -> None:
    before = sales.ask("sum units")["data"]["result"]
    tables.tables.rows["sales"].append({**SALES[0], "units": 1_000})
    after = sales.ask("sum units")["data"]["result"]
    assert int(after[0]["units"]) == int(before[0]["units"]) + 1_000


def test_the_client_writes_down_what_it_was_answered_and_so_does_the_deployment(sales: Service, tables: Backed) -> None:
    outcome = sales.ask("count by region")
    stored = sales.get_result(outcome["data"]["query_id"])
    assert stored.card["digests"]["result_hash"] == outcome["data"]["result_hash"]
    assert [source["content"] for source in stored["inputs"]] == [
        {"algorithm": "live", "sha256": None, "rows": len(SALES)}
    ]
    theirs = [entry for entry in tables.recorded() if entry["kind"] == "query"]
    assert [entry["digests"]["result_hash"] for entry in theirs] == [outcome["data"]["result_hash"]]


def test_a_refusal_is_made_here_and_nothing_is_sent_for_it(sales: Service, tables: Backed) -> None:
    looks = tables.tables.looks
    assert sales.ask("sum revenu by region")["status"] == "needs_clarification"
    assert sales.ask("sum region")["status"] == "rejected"
    assert tables.tables.looks == looks


def test_a_stored_plan_is_run_and_checked(sales: Service) -> None:
    plan = sales.resolve("sum revenue by region")["plan"]
    assert sales.verify(plan)["valid"]
    assert sales.query(plan) == sales.ask("sum revenue by region")["data"]["result"]
    assert not any("rows" in step for step in sales.resolve("sum revenue by region")["steps"][:1])


def test_the_same_again_is_the_same_source_and_another_is_refused(sales: Service, tables: Backed) -> None:
    again = sales.connect(connector=POSTGRES, dataset_name="sales")
    assert again == sales.source("sales")
    tables.tables.rows["other"] = [{"region": "x", "revenue": 1.0}]
    with pytest.raises(SourceAlreadyRegisteredError):
        sales.connect(connector={**POSTGRES, "table": "other"}, name="sales")


def test_a_source_that_the_deployment_has_is_connected_by_its_name(sales: Service, make_client: MakeClient) -> None:
    other = make_client(ledger="off")
    assert other.live_sources() == ["sales"]
    assert other.connect(name="sales") == sales.source("sales")
    with pytest.raises(SourceNotFoundError):
        other.connect(name="purchases")


def test_what_is_kept_names_the_source_and_no_secret(client: Service, make_client: MakeClient, tmp_path: Path) -> None:
    client.connect(
        connector={**POSTGRES, "password": "canary-kept"}, name="sales", aliases={"turnover": "revenue"}, persist=True
    )
    text = (tmp_path / "project" / "service.toml").read_text()
    assert "deployment = true" in text
    assert 'dataset = "sales"' in text
    assert "canary" not in text
    assert "postgres" not in text
    later = make_client(ledger="off")
    assert later.stored_sources() == ["sales"]
    later.connect(name="sales")
    assert later.ask("sum turnover")["status"] == "ok"
    local = service_nb.create_service(project=tmp_path / "project", mode="local", ledger="off")
    with pytest.raises(DeploymentRequiredError):
        local.connect(name="sales")
    local.close()


def test_aliases_are_the_callers_own(sales: Service, make_client: MakeClient) -> None:
    other = make_client(ledger="off")
    other.connect(name="sales", aliases={"turnover": "revenue"})
    assert other.ask("sum turnover by region")["status"] == "ok"
    assert sales.ask("sum turnover by region")["status"] != "ok"
    with pytest.raises(InvalidIntentError):
        make_client(ledger="off").connect(name="sales", aliases={"x": "no such column"})


@pytest.mark.parametrize("said", [{"sheet": "One"}, {"delimiter": ";"}, {"encoding": "utf-8"}, {"nulls": ["NA"]}])
def test_what_means_nothing_for_a_live_source_is_refused(client: Service, said: dict[str, Any]) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        client.connect(connector=POSTGRES, name="sales", **said)
    assert caught.value.details["path"] in said


def test_connectors_are_tried_and_kept_by_the_deployment(client: Service) -> None:
    assert client.test_connector(POSTGRES)["success"] is True
    assert client.test_connector({**POSTGRES, "table": "nowhere"})["success"] is False
    made = client.create_connector({"type": "postgres", "host": "db", "password": "canary"}, name="db")
    assert made["type"] == "postgres"
    assert "canary" not in repr(made)
    source = client.connect(connector={"id": made["id"], "table": "sales"}, name="sales")
    assert source["row_count"] == len(SALES)
    assert client.sources() == [source]


@pytest.mark.parametrize(
    "connector", [{"id": "connector_0000000000000000"}, {"id": 5, "table": "x"}, {"id": "x", "host": "y"}]
)
def test_a_kept_connector_is_told_by_its_id_and_what_is_read_of_it(client: Service, connector: dict[str, Any]) -> None:
    with pytest.raises(InvalidIntentError):
        client.connect(connector=connector, name="sales")


def test_files_frames_and_sqlite_stay_here(client: Service, tables: Backed, tmp_path: Path) -> None:
    (tmp_path / "here.csv").write_text("a,b\n1,2\n")
    client.connect(tmp_path / "here.csv")
    client.connect(connector={"type": "file", "path": str(tmp_path / "here.csv")}, name="again")
    assert client.ask("sum a from here")["data"]["deterministic_scope"] == "local_registered_source"
    assert tables.recorded() == []


def test_a_fault_of_the_source_reaches_the_caller_without_its_secret(client: Service) -> None:
    with pytest.raises(ConnectorError) as caught:
        client.connect(connector={**POSTGRES, "password": "wrong password"}, name="sales")
    assert caught.value.reason == "login_refused"
    assert not caught.value.retryable
    assert "wrong password" not in repr(caught.value.to_dict())
    with pytest.raises(SourceNotFoundError):
        client.connect(connector={**POSTGRES, "table": "nowhere"}, name="sales")


@pytest.mark.parametrize("key", ["another", None])
def test_a_key_that_is_not_known_opens_nothing(make_client: MakeClient, key: str | None) -> None:
    client = make_client(key=key, ledger="off")
    for attempt in (client.live_sources, lambda: client.connect(connector=POSTGRES, name="sales")):
        with pytest.raises(UnauthenticatedError) as caught:
            attempt()
        assert not caught.value.retryable


def test_a_key_may_only_what_its_scopes_say(make_client: MakeClient, tables: Backed) -> None:
    with pytest.raises(ForbiddenError):
        make_client(key=tables.key_of("query"), ledger="off").connect(connector=POSTGRES, name="sales")


def test_the_policy_of_the_client_holds_before_anything_is_sent(sales: Service, tables: Backed) -> None:
    narrow = sales.narrow({"allowed_sources": ["sales"], "allowed_fields": {"sales": ["region", "units"]}})
    looks = tables.tables.looks
    assert narrow.ask("sum revenue by region")["status"] == "rejected"
    assert narrow.source("sales")["fields"] == ["region", "units"]
    assert narrow.live_sources() == []  # it chooses none
    with pytest.raises(PolicyDeniedError):
        narrow.connect(connector={**POSTGRES, "table": "other"}, name="other")
    assert tables.tables.looks == looks
    assert narrow.ask("sum units by region")["status"] == "ok"


def test_the_policy_of_the_key_holds_at_the_deployment(sales: Service, make_client: MakeClient, tables: Backed) -> None:
    key = tables.key_of(policy={"allowed_fields": {"sales": ["region", "units"]}})
    few = make_client(key=key, ledger="off")
    assert few.connect(name="sales")["fields"] == ["region", "units"]
    assert few.ask("sum units by region")["status"] == "ok"


def test_a_source_with_other_columns_by_now_is_told_apart(
    sales: Service, tables: Backed, make_client: MakeClient
) -> None:
    plan = sales.resolve("sum revenue by region")["plan"]
    tables.service._sources.registry.remove("sales")
    tables.live.made.clear()
    tables.tables.rows["sales"] = [{"region": "x", "revenue": "text now", "units": 1}]
    make_client(ledger="off").connect(connector=POSTGRES, name="sales")
    with pytest.raises(SchemaRevisionMismatchError):
        sales.query(plan)
    with pytest.raises(SourceAlreadyRegisteredError):
        sales.connect(connector=POSTGRES, name="sales")


def test_without_a_deployment_a_live_source_needs_one(tmp_path: Path) -> None:
    local = service_nb.create_service(project=tmp_path, mode="local", ledger="off")
    attempts: tuple[Callable[[], object], ...] = (
        lambda: local.connect(connector=POSTGRES, name="sales"),
        lambda: local.create_connector(POSTGRES),
    )
    for attempt in attempts:
        with pytest.raises(DeploymentRequiredError):
            attempt()
    assert local.test_connector(POSTGRES)["success"] is False
    assert local.live_sources() == []
    local.close()


def test_no_values_of_a_live_source_are_known_without_a_scan(sales: Service) -> None:
    assert sales._sources.registry.get("sales").engine.list_known_values("region") == ()


def _cell(data: Any, column: str, value: Any) -> None:
    data.result[0][column] = value


LIES: dict[str, Callable[[Any], object]] = {
    "another number": lambda data: _cell(data, "revenue", 0.5),
    "another key": lambda data: _cell(data, "region", "west"),
    "another count": lambda data: _cell(data, "count", 4),
    "a text for a number": lambda data: _cell(data, "revenue", "0.4"),
    "a column more": lambda data: _cell(data, "more", 1),
    "a row less": lambda data: data.result.pop(),
    "a row twice": lambda data: data.result.append(data.result[0]),
    "no column": lambda data: data.result[0].pop("revenue"),
    "another plan": lambda data: setattr(data, "plan_hash", "0" * 64),
    "another schema": lambda data: setattr(data, "schema_revision", "0" * 64),
    "another hash": lambda data: setattr(data, "result_hash", "0" * 64),
}


def test_an_answer_whose_rows_do_not_have_its_hash_is_no_answer(
    sales: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = sales._sources.live
    assert isinstance(live, DeployedSources)
    genuine = live.deployment.call
    lies = iter(LIES.values())

    def lying(ask: Any, answer: Any) -> Any:
        told = genuine(ask, answer)
        next(lies)(told.data)
        return told

    monkeypatch.setattr(live.deployment, "call", lying)
    for _ in LIES:
        with pytest.raises(AnswerMismatchError) as caught:
            sales.ask("sum revenue by region")
        assert not caught.value.retryable
    entries = [entry["kind"] for entry in sales.log(100)]
    assert entries == ["error"] * len(LIES)


def test_columns_whose_values_do_not_have_their_digest_are_none(
    sales: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = sales._sources.live
    assert isinstance(live, DeployedSources)
    genuine = live.deployment.call

    def lying(ask: Any, answer: Any) -> Any:
        told = genuine(ask, answer)
        told.columns[0].values[0] = 7.25
        return told

    monkeypatch.setattr(live.deployment, "call", lying)
    with pytest.raises(AnswerMismatchError):
        sales.compute("stats.mean values=sales.revenue where revenue > 0")
