"""A question's whole way: spec in, outcome and card out. Hashes are computed again by hand, as they are documented."""

from __future__ import annotations

import copy
import datetime
import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import rfc8785

import service_nb
from service_nb.client.service import Service
from service_nb.errors import (
    InvalidIntentError,
    PlanInvalidError,
    QueryTimeoutError,
    SchemaRevisionMismatchError,
    ServiceError,
    SourceNotFoundError,
)
from service_nb.evidence.documents import check_card

ROWS = [
    {"region": "north", "revenue": 10.5, "units": 3, "day": datetime.date(2024, 1, 31)},
    {"region": "south", "revenue": 0.1, "units": 2**53 + 1, "day": datetime.date(2024, 2, 1)},
    {"region": "south", "revenue": 0.2, "units": None, "day": datetime.date(2024, 2, 29)},
    {"region": None, "revenue": None, "units": 1, "day": None},
]
NOW = datetime.datetime(2024, 3, 15, 9, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=1), "CET"))
DATA_FIELDS = (
    *("query_id", "result", "result_type", "confidence", "plan", "row_count", "decision_path", "plan_hash"),
    *("schema_revision", "validated", "deterministic_scope", "result_hash", "provenance", "latency_ms"),
)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = service_nb.create_service(project=tmp_path, clock=lambda: NOW)
    made.connect(ROWS, name="sales", aliases={"turnover": "revenue"})
    yield made
    made.close()


def digest(domain: str, *parts: bytes) -> str:
    return hashlib.sha256(domain.encode() + b"\0" + b"".join(parts)).hexdigest()


# --- outcomes ---------------------------------------------------------------------------------------------------------


def test_an_answer_has_every_field(service: Service) -> None:
    outcome = service.ask({"metric": "revenue", "aggregation": "sum", "group_by": "region", "source_name": "sales"})
    assert set(outcome) == {"status", "data", "resolution"}
    assert outcome["status"] == "ok"
    data = outcome["data"]
    assert tuple(data) == DATA_FIELDS
    assert data["result"] == [
        {"region": "north", "revenue": 10.5, "count": 1},
        {"region": "south", "revenue": 0.30000000000000004, "count": 2},
        {"region": None, "revenue": None, "count": 1},
    ]
    assert (data["result_type"], data["row_count"], data["confidence"]) == ("table", 3, 1)
    assert (data["decision_path"], data["validated"]) == ("exact_spec", True)
    assert data["deterministic_scope"] == "local_registered_source"
    assert data["query_id"].startswith("query_")
    assert data["latency_ms"] >= 0
    assert all(isinstance(step, str) for step in data["plan"])


def test_every_hash_is_the_documented_one(service: Service) -> None:
    outcome = service.ask("sum units by region where revenue > 0.1 order asc limit 2")
    schema = [
        {"name": "region", "type": "string"},
        {"name": "revenue", "type": "number"},
        {"name": "units", "type": "number"},
        {"name": "day", "type": "date"},
    ]
    revision = digest("service:schema:v1", rfc8785.dumps(schema))
    plan = {
        "metric": "units",
        "aggregation": "sum",
        "group_by": ["region"],
        "filter": {"conditions": [{"column": "revenue", "op": "gt", "value": 0.1}]},
        "order": "asc",
        "limit": 2,
        "schema_revision": revision,
    }
    plan_hash = digest("service:plan:v1", rfc8785.dumps(plan))
    rows = [{"region": "north", "units": 3, "count": 1}, {"region": "south", "units": None, "count": 1}]
    data = outcome["data"]
    assert data["schema_revision"] == service.source("sales")["schema_revision"] == revision
    assert data["plan_hash"] == plan_hash
    assert data["result"] == rows
    assert data["result_hash"] == digest("service:result:v1", plan_hash.encode(), rfc8785.dumps(rows))  # type: ignore[arg-type]
    card = outcome.card
    assert card["canonical"]["plan"].encode() == rfc8785.dumps(plan)
    provenance = json.loads(card["canonical"]["provenance"])
    assert card["canonical"]["provenance"].encode() == rfc8785.dumps(provenance)
    assert provenance["columns"] == card["view"]["columns"]
    view = dict(card["view"])
    rows = view.pop("rows")
    assert card["digests"] == {
        "plan_hash": plan_hash,
        "result_hash": data["result_hash"],
        "schema_revision": revision,
        "provenance_hash": digest("service:provenance:v1", card["canonical"]["provenance"].encode()),
        "view_hash": digest("service:view:v1", rfc8785.dumps(view)),
        "rows_hash": digest("service:rows:v1", rfc8785.dumps(rows)),
    }


def test_the_hash_of_a_refusal_is_the_documented_one(service: Service) -> None:
    outcome = service.ask({"metric": "zzzzqqq", "aggregation": "sum"})
    spec = rfc8785.dumps({"metric": "zzzzqqq", "aggregation": "sum"})
    codes = rfc8785.dumps({key: value for key, value in outcome["resolution"].items() if key != "reason"})
    assert outcome["refusal_hash"] == digest("service:refusal:v2", spec, b"\0", codes)
    assert outcome.card["digests"]["refusal_hash"] == outcome["refusal_hash"]


def test_integers_beyond_json_and_decimals_travel_as_text(service: Service) -> None:
    assert service.ask("sum units where units > 5").rows == [{"units": 2**53 + 1, "count": 1}]
    assert service.ask("sum units where units > 5")["data"]["result"] == [{"units": "9007199254740993", "count": 1}]
    service.connect(pa.table({"p": pa.array([Decimal("1.10"), Decimal("2.20")])}), name="prices")
    outcome = service.ask("sum p from prices")
    assert outcome["data"]["result"] == [{"p": "3.30", "count": 2}]
    assert outcome.rows == [{"p": Decimal("3.30"), "count": 2}]


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("sum revenue", "ok"),
        ("sum revenu", "needs_clarification"),
        ({"metric": "revenue"}, "needs_clarification"),
        ("sum region", "rejected"),
        ("sum zzzzqqq", "rejected"),
        ("count from nowhere", "rejected"),
    ],
)
def test_a_question_ends_in_exactly_one_outcome(question: Any, status: str, service: Service) -> None:
    outcome = service.ask(question)
    assert outcome["status"] == status
    assert ("data" in outcome) == (status == "ok")
    assert (outcome["resolution"]["rejection_reason"] is not None) == (status == "rejected")
    assert json.loads(json.dumps(outcome)) == outcome
    assert json.loads(json.dumps(outcome.card)) == outcome.card
    resolved = service.resolve(question)
    assert resolved["status"] == status
    assert ("plan" in resolved) == (status == "ok")
    json.dumps(resolved)


def test_a_resolution_says_what_would_run(service: Service) -> None:
    resolved = service.resolve("sum turnover by region")
    data = service.ask("sum turnover by region")["data"]
    assert resolved["plan_hash"] == resolved["plan"]["plan_hash"] == data["plan_hash"]
    assert resolved["steps"] == data["plan"]
    assert (resolved["decision_path"], resolved["confidence"], resolved["validated"]) == ("alias", 1, True)


def test_a_period_notes_the_clock_it_was_read_by(service: Service) -> None:
    outcome = service.ask("count where day during last_month")
    assert outcome.rows == [{"count": 2}]
    notes = outcome["data"]["provenance"]["notes"]
    assert notes == {"period": "last_month of day", "clock": "2024-03-15T09:30:00+01:00", "zone": "CET"}
    assert (
        outcome["data"]["plan_hash"]
        == service.resolve("count where day >= 2024-02-01 and day < 2024-03-01")["plan_hash"]
    )


def test_a_clock_that_moves_changes_what_a_period_means(tmp_path: Path) -> None:
    today = NOW
    service = service_nb.create_service(project=tmp_path, clock=lambda: today)
    service.connect(ROWS, name="sales")
    assert service.ask("count where day during this_month").rows == [{"count": 0}]
    today = datetime.datetime(2024, 2, 10, tzinfo=datetime.UTC)
    assert service.ask("count where day during this_month").rows == [{"count": 2}]


# --- what is remembered -----------------------------------------------------------------------------------------------


def test_a_remembered_answer_keeps_the_words_of_its_own_question(service: Service) -> None:
    paths = [
        service.ask(question)["data"] for question in ("sum revenue", "sum turnover", "sum REVENUE", "sum revenue")
    ]
    assert [data["decision_path"] for data in paths] == ["exact_spec", "alias", "normalized_name", "exact_spec"]
    assert [data["confidence"] for data in paths] == [1, 1, 0.9, 1]
    assert len({data["plan_hash"] for data in paths}) == len({data["result_hash"] for data in paths}) == 1
    assert len({data["query_id"] for data in paths}) == 4
    during = service.ask("count where day during last_month")["data"]
    absolute = service.ask("count where day >= 2024-02-01 and day < 2024-03-01")["data"]
    assert during["provenance"]["notes"] != {} == absolute["provenance"]["notes"]


def test_what_is_returned_is_the_callers_own(service: Service) -> None:
    first = service.ask("sum revenue by region")
    before = copy.deepcopy(dict(first))
    first["data"]["result"].clear()
    first["data"]["plan"].append("x")
    first["resolution"]["plan"]["metric"] = "units"
    first.rows.clear()
    again = service.ask("sum revenue by region")
    assert again["data"]["result"] == before["data"]["result"]
    assert again["resolution"] == before["resolution"]
    assert first.rows != []


def test_a_line_is_no_spec_even_if_it_looks_like_one(service: Service) -> None:
    spec = {"aggregation": "count", "source_name": "sales"}
    assert service.ask(spec)["status"] == "ok"
    with pytest.raises(InvalidIntentError):
        service.ask(json.dumps(spec))


def test_what_was_refused_is_asked_again_after_a_source_arrives(service: Service) -> None:
    assert service.ask("count from costs")["status"] == "rejected"
    service.connect([{"x": 1}], name="costs")
    assert service.ask("count from costs")["status"] == "ok"
    service.connect(ROWS, name="sales", aliases={"takings": "revenue"})
    assert service.ask("sum takings from sales")["data"]["decision_path"] == "alias"


def test_many_threads_may_ask_one_client(service: Service) -> None:
    questions = [f"sum revenue from sales where units < {limit}" for limit in range(400)]
    alone = [service.ask(question).rows for question in questions[:20]]

    def ask(i: int) -> Any:
        service.connect([{"x": i}], name=f"source {i % 7}")
        return service.ask(questions[i % len(questions)]).rows

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, [*range(7), *range(7)] * 60))
    assert all(rows == alone[i] for rows, i in zip(found, [*range(7), *range(7)] * 60, strict=True))


# --- stored plans -----------------------------------------------------------------------------------------------------

PLANS = [
    "count",
    "sum turnover by region order asc limit 2",
    "avg units where units > 9007199254740992 and revenue < 0.1",
    "max day by region where day during last_month",
    "count where region in ('a', \"it's\") and day between 2024-01-01 and 2024-12-31",
    "count where revenue = 1e300 and revenue != 5e-324 and units >= 0.5",
    "min region where region is not null and region contains '%'",
]


@pytest.mark.parametrize("question", PLANS)
def test_a_plan_survives_json_and_gives_the_same_answer(question: str, service: Service, tmp_path: Path) -> None:
    asked = service.ask(question)
    stored = json.loads(json.dumps(service.resolve(question)["plan"]))
    assert service.query(stored) == asked["data"]["result"]
    data = service.query_with_metadata(stored)
    assert set(data) == set(DATA_FIELDS)
    for field in ("plan_hash", "result_hash", "schema_revision", "decision_path", "plan"):
        assert data[field] == asked["data"][field]
    assert data["provenance"]["notes"] == asked["data"]["provenance"]["notes"]
    elsewhere = service_nb.create_service(project=tmp_path)  # another client, another clock, the same data
    elsewhere.connect(ROWS, name="sales")
    assert elsewhere.query_with_metadata(stored)["result_hash"] == asked["data"]["result_hash"]


def test_the_plan_of_an_outcome_is_the_stored_plan(service: Service) -> None:
    outcome = service.ask("sum revenue by region")
    assert outcome["resolution"]["plan"] == service.resolve("sum revenue by region")["plan"]


ALTERED: list[dict[str, Any]] = [
    {"metric": "units"},
    {"aggregation": "avg"},
    {"group_by": ["day"]},
    {"group_by": []},
    {"order": "asc"},
    {"limit": 99},
    {"filter": None},
    {"filter": {"conditions": [{"column": "units", "op": "gt", "value": 0}]}},
    {"filter": {"conditions": [{"column": "units", "op": "gte", "value": 1}]}},
    {"filter": {"conditions": [{"column": "units", "op": "gt", "value": "one"}]}},
    {"filter": {"time_filter": {"column": "day", "period": "this_year"}}},
    {"plan_hash": "0" * 64},
    {"plan_hash": None},
    {"plan_hash": 5},
    {"metric": "no such column"},
    {"metric": ""},
    {"version": 2},
    {"version": None},
    {"version": True},
    {"decision_path": "guess"},
    {"schema_revision": None},
    {"source_name": None},
    {"aggregation": None},
    {"extra": 1},
    {"notes": {"clock": object()}},
    {"notes": {1: "x"}},
    {"notes": "x"},
]


@pytest.mark.parametrize("change", ALTERED)
def test_an_altered_plan_is_refused(change: dict[str, Any], service: Service) -> None:
    plan = service.resolve("sum revenue by region where units > 1 limit 9")["plan"] | change
    for run in (service.query, service.query_with_metadata):
        with pytest.raises(PlanInvalidError) as caught:
            run(plan)
        assert caught.value.code == "plan_invalid"
    checked = service.verify(plan)
    assert not checked["valid"]
    json.dumps(checked)


@pytest.mark.parametrize("plan", [None, 5, "sum revenue", [], {}, {"version": 1}, b"{}"])
def test_what_is_no_plan_is_refused(plan: Any, service: Service) -> None:
    with pytest.raises(PlanInvalidError):
        service.query(plan)
    assert service.verify(plan)["checks"][0]["status"] == "failed"


def test_a_plan_of_another_schema_is_refused(service: Service, tmp_path: Path) -> None:
    plan = service.resolve("sum revenue")["plan"]
    other = service_nb.create_service(project=tmp_path)
    other.connect([{"region": "north", "revenue": "10.5"}], name="sales")
    with pytest.raises(SchemaRevisionMismatchError) as caught:
        other.query(plan)
    assert caught.value.code == "schema_revision_mismatch"
    assert caught.value.source == "engine"
    checks = {check["check"]: check for check in other.verify(plan)["checks"]}
    assert checks["schema_revision"]["cause"] == "schema_revision_mismatch"


def test_a_plan_of_a_source_that_is_not_registered_is_refused(service: Service, tmp_path: Path) -> None:
    plan = service.resolve("sum revenue")["plan"]
    with pytest.raises(SourceNotFoundError):
        service_nb.create_service(project=tmp_path).query(plan)


def test_verify_lists_every_check(service: Service) -> None:
    plan = service.resolve("sum revenue by region")["plan"]
    checked = service.verify(plan)
    names = ["well_formed", "allowed", "registered", "schema_revision", "plan_hash", "content"]
    assert checked == {"valid": True, "checks": [{"check": name, "status": "passed"} for name in names]}
    altered = service.verify(plan | {"limit": 5})
    assert not altered["valid"]
    assert [check["status"] for check in altered["checks"]] == [*["passed"] * 4, "failed", "not_checkable"]
    assert altered["checks"][4]["cause"] == "plan_invalid"


# --- engines ----------------------------------------------------------------------------------------------------------


def test_the_engine_and_its_method_are_told(service: Service, tmp_path: Path) -> None:
    small = service.ask("sum revenue from sales")["data"]["provenance"]
    assert small["engine"] == "direct"
    table = pa.table({"x": [0.1 * i for i in range(3_000)], "g": ["a", "b", "c"] * 1_000})
    service.connect(table, name="large")
    large = service.ask("sum x by g from large")["data"]["provenance"]
    assert large["engine"].startswith("duckdb ")
    assert "proven" in large["method"]
    pq.write_table(table, tmp_path / "stored.parquet")
    service.connect(tmp_path / "stored.parquet")
    stored = service.ask("sum x by g from stored")["data"]["provenance"]
    assert "certified" in stored["method"]


def test_one_question_has_one_result_hash_wherever_the_rows_are(service: Service, tmp_path: Path) -> None:
    rows = 2_500
    table = pa.table(
        {"g": ["a", "b", None, "d", "é"] * (rows // 5), "x": [(-1) ** i * 1.1 ** (i % 700) for i in range(rows)]}
    )
    pq.write_table(table, tmp_path / "stored.parquet", row_group_size=300)
    lines = ["g,x", *(f"{g or ''},{x!r}" for g, x in zip(*table.to_pydict().values(), strict=True))]
    (tmp_path / "text.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    hashes = set()
    for name, source in {"frame": table, "parquet": tmp_path / "stored.parquet", "csv": tmp_path / "text.csv"}.items():
        service.connect(source, name=name)
        hashes |= {service.ask(f"avg x by g from {name}")["data"]["result_hash"]}
    assert len(hashes) == 1


def test_a_timeout_stops_the_question_and_the_client_answers_the_next(service: Service) -> None:
    values = [(-1.0) ** i * 10.0 ** (i % 600 - 300) for i in range(300_000)]  # forty limbs
    service.connect(pa.table({"x": values, "k": range(300_000)}), name="large")
    with pytest.raises(QueryTimeoutError) as caught:
        service.ask("sum x by k from large", timeout=0.05)
    assert caught.value.code == "timeout"
    assert service.ask("count from large").rows == [{"count": 300_000}]


# --- the client -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"timeout": 0},
        {"timeout": -1},
        {"timeout": "1"},
        {"timeout": True},
        {"timeout": float("nan")},
        {"rows": "some"},
        {"rows": None},
        {"shown_rows": -1},
        {"shown_rows": "5"},
        {"shown_rows": 1.5},
        {"shown_rows": True},
    ],
)
def test_a_malformed_option_is_refused(options: dict[str, Any], service: Service) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        service.ask("count", **options)
    assert caught.value.details["path"] == next(iter(options))


def test_rows_none_keeps_every_value_out_of_the_card(service: Service) -> None:
    outcome = service.ask("sum revenue by region", rows="none")
    assert outcome.rows[0]["revenue"] == 10.5
    view = {key: value for key, value in outcome.card["view"].items() if key != "latency_ms"}  # which has any digits
    assert "10.5" not in json.dumps({**outcome.card, "view": view})
    assert outcome.card["view"]["rows"] == []
    assert outcome.card["digests"]["result_hash"] == service.ask("sum revenue by region")["data"]["result_hash"]


@pytest.mark.parametrize("options", [{"tenant_id": 5}, {"tenant_id": ""}, {"timeout": 0}, {"timeout": "x"}])
def test_a_malformed_client_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidIntentError):
        service_nb.create_service(**options)


def test_the_mode_follows_the_environment_that_a_client_was_made_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERVICE_DEPLOYMENT_URL", raising=False)
    before = service_nb.create_service()
    monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", "https://data.example")
    assert before.mode == before.narrow({}).mode == "local"
    assert service_nb.create_service().mode == "deployment"
    assert service_nb.create_service(mode="local").mode == "local"


def test_a_closed_client_has_no_sources(service: Service) -> None:
    service.close()
    assert service.sources() == []
    assert service.ask("count from sales")["status"] == "rejected"
    service.connect(ROWS, name="sales")
    assert service.ask("count from sales").rows == [{"count": 4}]


def test_a_question_with_many_unknown_names_on_a_wide_source_is_refused_at_once(service: Service) -> None:
    service.connect(pa.table({f"column_{i}_{'x' * 200}": [1] for i in range(4_000)}), name="wide")
    conditions = [{"column": f"colunm {i} " + "x" * 150, "op": "eq", "value": 1} for i in range(100)]
    outcome = service.ask({"aggregation": "count", "source_name": "wide", "filter": {"conditions": conditions}})
    assert outcome["status"] in ("needs_clarification", "rejected")
    assert outcome["data" if outcome["status"] == "ok" else "resolution"]["reason"]


def test_errors_are_dicts_a_program_can_read(service: Service) -> None:
    with pytest.raises(ServiceError) as caught:
        service.ask({"aggregations": "total"})
    described = json.loads(json.dumps(caught.value.to_dict()))
    assert set(described) == {"code", "message", "hint", "source", "retryable", "details"}
    assert described["source"] in ("engine", "service")


def test_a_whole_double_beyond_what_is_exact_is_shown_as_its_plan_records_it() -> None:
    service = service_nb.create_service(ledger="off")
    service.connect([{"x": 1.5, "y": 2}], name="r")
    outcome = service.ask("mean y from r where x < 12345678901234567890")
    assert check_card(outcome.card).status == "consistent"
    assert "Keep the rows where x < 12345678901234567000" in outcome["data"]["plan"]
