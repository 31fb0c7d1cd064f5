"""From a question to a plan, a request for clarification or a rejection; and what a plan's hash does not depend on."""

from __future__ import annotations

import datetime
import hashlib
import random
import time
from decimal import Decimal
from typing import Any

import pytest
import rfc8785

from service_nb.errors import InvalidIntentError
from service_nb.query.ask_line import parse_ask
from service_nb.query.plan import plan_to_json
from service_nb.query.refusals import Resolution
from service_nb.query.resolve import Catalog, SourceView, resolve
from service_nb.query.spec import parse_spec
from service_nb.schema.query import AGGREGATIONS, Plan
from service_nb.schema.source import Field

FIELDS = {
    "revenue": ("number", "float64"),
    "units": ("number", "int64"),
    "price": ("number", "decimal(12,2)"),
    "region": ("string", "string"),
    "Order Date": ("date", "date"),
    "sold_at": ("datetime", "datetime"),
    "paid": ("boolean", "boolean"),
    "unit_price": ("number", "float64"),
    "Unit Price": ("number", "float64"),
}
REVISION = "ab" * 32
NEW_YORK = datetime.timezone(datetime.timedelta(hours=-5), "EST")
NOW = datetime.datetime(2024, 2, 29, 23, 30, tzinfo=NEW_YORK)


def view(name: str = "sales", *, restricted: bool = False, fields: Any = FIELDS, aliases: Any = None) -> SourceView:
    return SourceView(
        name=name,
        fields={field: Field(name=field, type=kind, physical=physical) for field, (kind, physical) in fields.items()},
        schema_revision=REVISION,
        row_count=10,
        aliases=aliases if aliases is not None else {"turnover": "revenue"},
        restricted=restricted,
    )


def asked(question: dict[str, Any] | str, *sources: SourceView, restricted: bool = False, now: Any = NOW) -> Resolution:
    known = sources or (view(),)
    catalog = Catalog(sources={source.name: source for source in known}, restricted=restricted)
    return resolve(parse_spec(parse_ask(question) if isinstance(question, str) else question), catalog, now)


def plan_of(question: dict[str, Any] | str, *sources: SourceView, now: Any = NOW) -> Plan:
    resolution = asked(question, *sources, now=now)
    assert resolution.plan is not None, resolution.to_json()
    assert resolution.refusals == ()
    return resolution.plan


def refused(question: dict[str, Any] | str, *sources: SourceView, restricted: bool = False) -> dict[str, Any]:
    resolution = asked(question, *sources, restricted=restricted)
    assert resolution.plan is None
    return {"status": resolution.status, **resolution.to_json()}


def where(column: str, op: str, *operands: Any) -> dict[str, Any]:
    condition: dict[str, Any] = {"column": column, "op": op}
    if op in ("in", "not_in", "between"):
        condition["values"] = list(operands)
    elif operands:
        condition["value"] = operands[0]
    return {"aggregation": "count", "filter": {"conditions": [condition]}}


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "meant", "path"),
    [
        ("revenue", "revenue", "exact_spec"),
        ("turnover", "revenue", "alias"),
        ("Revenue", "revenue", "normalized_name"),
        ("RE-VE_NUE", "revenue", "normalized_name"),
        ("units", "units", "exact_spec"),
        ("unit_price", "unit_price", "exact_spec"),
        ("Unit Price", "Unit Price", "exact_spec"),
    ],
)
def test_a_name_is_taken_exactly_by_alias_or_folded(name: str, meant: str, path: str) -> None:
    plan = plan_of({"aggregation": "sum", "metric": name})
    assert (plan.metric, plan.decision_path) == (meant, path)


def test_the_weakest_path_of_all_names_is_the_path_of_the_question() -> None:
    assert plan_of("sum turnover by region").decision_path == "alias"
    assert plan_of("sum turnover by REGION").decision_path == "normalized_name"
    assert plan_of("sum revenue by region where `order date` = 2024-01-01").decision_path == "normalized_name"


def test_a_folded_name_of_two_columns_is_ambiguous() -> None:
    found = refused("sum `UNIT-PRICE`")
    assert found["status"] == "needs_clarification"
    assert [candidate["name"] for candidate in found["candidates"]] == ["unit_price", "Unit Price"]
    assert found["rejection_reason"] is None


def test_an_alias_beats_a_folded_name_but_not_a_column() -> None:
    source = view(aliases={"Units": "revenue", "units": "revenue"})
    assert plan_of("sum Units", source).metric == "revenue"
    assert plan_of("sum units", source).metric == "units"


def test_a_similar_name_never_runs_and_brings_lines_that_do() -> None:
    found = refused("sum revenu by region limit 3")
    assert found["status"] == "needs_clarification"
    candidate = found["candidates"][0]
    assert (candidate["slot"], candidate["name"], candidate["type"]) == ("metric", "revenue", "number")
    assert found["did_you_mean"][0] == "revenue"
    assert plan_of(candidate["ask"]) == plan_of("sum revenue by region limit 3")


@pytest.mark.parametrize(
    ("question", "slot"),
    [
        ("count by regoin", "group_by"),
        ("count where regoin = 'x'", "filter"),
        ("count where sold_att during this_year", "filter"),
    ],
)
def test_candidates_replace_the_name_where_it_stands(question: str, slot: str) -> None:
    candidate = refused(question)["candidates"][0]
    assert candidate["slot"] == slot
    assert plan_of(candidate["ask"])


def test_only_columns_that_fit_the_aggregation_are_offered() -> None:
    fields = {"price_note": ("string", "string"), "price_net": ("number", "float64")}
    found = refused("sum price", view(fields=fields))
    assert [candidate["name"] for candidate in found["candidates"]] == ["price_net"]
    assert found["did_you_mean"] == ["price_net", "price_note"]


def test_where_no_similar_column_fits_the_name_is_no_columns() -> None:
    fields = {"price_note": ("string", "string"), "units": ("number", "int64")}
    found = refused("sum price", view(fields=fields))
    assert (found["status"], found["rejection_reason"]) == ("rejected", "unknown_field")
    assert (found["candidates"], found["did_you_mean"]) == ([], ["price_note"])


MISTYPED = [
    "sum revenu by regoin",
    "sum revenu by regoin from salse",
    "sum revenu by regoin where unitss > 3 from salse",
    "sum revenu by regoin where `unit price` = 'x' and sold_att during this_year",
    "revenu by regoin",
    {"metric": "revenu", "group_by": "regoin"},
    {"aggregation": "avg", "group_by": "regoin"},
    {"group_by": "regoin"},
    {"metric": "regoin"},
    {},
    "max payd",
    "sum regoin",
    "count where units > 'x' and regoin = 'y'",
    "count where unitss = 'x'",
    "sum `UNIT-PRICE` by regoin",
]


@pytest.mark.parametrize("question", MISTYPED, ids=str)
@pytest.mark.parametrize("several", [False, True])
def test_every_line_that_is_offered_resolves(question: Any, several: bool) -> None:
    other = view("costs", fields={"cost": ("number", "float64"), "price_note": ("string", "string")})
    sources = (view(), other) if several else (view(),)
    try:
        found = refused(question, *sources)
    except InvalidIntentError:  # no question at all
        return
    lines = [candidate["ask"] for candidate in found["candidates"]]
    assert len(set(lines)) == len(lines)
    for line in lines:
        assert plan_of(line, *sources)
    assert lines or found["status"] == "rejected" or found["missing"]


def test_two_typing_errors_are_mended_in_one_line() -> None:
    found = refused("sum revenu by regoin limit 3")
    assert "sum revenue by region from sales limit 3" in [candidate["ask"] for candidate in found["candidates"]]


def test_a_source_is_offered_only_if_it_can_answer() -> None:
    other = view("costs", fields={"cost": ("number", "float64")})
    found = refused("sum revenue", view(), other)
    assert [candidate["name"] for candidate in found["candidates"]] == ["sales"]


def test_offering_lines_does_not_take_long_on_a_wide_source() -> None:
    wide = view(fields={f"price_{n}": ("string", "string") for n in range(2_000)})
    began = time.process_time()
    assert refused("sum price_x by price_y where price_z > 3 and price_w > 4", wide)["status"] == "rejected"
    assert time.process_time() - began < 5


def test_an_unknown_name_is_rejected_by_a_stable_code() -> None:
    found = refused("sum zzzzqqq")
    assert (found["status"], found["rejection_reason"]) == ("rejected", "unknown_field")
    assert found["candidates"] == found["did_you_mean"] == []


def test_every_wrong_part_is_told_but_not_without_end() -> None:
    question = {"aggregation": "sum", "metric": "zzz1", "group_by": [f"qqq{i}" for i in range(16)]}
    resolution = asked(question)
    assert 2 <= len(resolution.refusals) <= 5
    assert resolution.status == "rejected"


def test_one_rejection_rejects_the_question() -> None:
    assert refused("sum revenu by zzzzqqq")["status"] == "rejected"


# --- what is missing --------------------------------------------------------------------------------------------------


def test_a_missing_aggregation_is_asked_for_with_those_that_fit() -> None:
    found = refused({"metric": "revenue"})
    assert (found["status"], found["missing"]) == ("needs_clarification", ["aggregation"])
    assert [c["name"] for c in found["candidates"]] == [each for each in AGGREGATIONS if each != "percentile"]
    words = refused({"metric": "region"})
    assert [c["name"] for c in words["candidates"]] == ["count", "min", "max", "count_distinct"]
    assert [c["name"] for c in refused({"metric": "paid"})["candidates"]] == ["count", "count_distinct"]


def test_a_missing_metric_is_asked_for_except_to_count_rows() -> None:
    found = refused({"aggregation": "avg", "group_by": "region"})
    assert (found["status"], found["missing"]) == ("needs_clarification", ["metric"])
    assert {c["type"] for c in found["candidates"]} == {"number"}
    assert plan_of(found["candidates"][0]["ask"]).aggregation == "avg"
    assert plan_of({"aggregation": "count"}).metric is None


def test_a_missing_source_is_asked_for_when_there_are_several() -> None:
    found = refused("count", view("sales"), view("costs"))
    assert (found["status"], found["missing"]) == ("needs_clarification", ["source_name"])
    assert [c["name"] for c in found["candidates"]] == ["costs", "sales"]
    assert plan_of(found["candidates"][0]["ask"], view("sales"), view("costs")).source_name == "costs"


def test_no_source_at_all_is_a_rejection() -> None:
    resolution = resolve(parse_spec({"aggregation": "count"}), Catalog(sources={}, restricted=False), NOW)
    assert (resolution.status, resolution.to_json()["rejection_reason"]) == ("rejected", "no_source")


def test_a_source_is_named_exactly() -> None:
    similar = refused("count from salse")
    assert (similar["status"], similar["candidates"][0]["name"]) == ("needs_clarification", "sales")
    assert refused("count from zzzz")["rejection_reason"] == "unknown_source"


# --- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        *(f"{way} region" for way in ("sum", "avg")),
        *(f"{way} paid" for way in ("sum", "avg", "min", "max")),
        *(f"{way} `Order Date`" for way in ("sum", "avg")),
        "sum sold_at",
        "count where revenue = 'many'",
        "count where revenue contains '1'",
        "count where region > 5",
        "count where region = 5",
        "count where region = true",
        "count where paid = 'true'",
        "count where paid = 1",
        "count where paid > true",
        "count where `Order Date` = '2024-02-30'",
        "count where `Order Date` = '29.02.2024'",
        "count where `Order Date` = 2024",
        "count where `Order Date` = '2024-02-28T12:00'",
        "count where sold_at = 'noon'",
        "count where sold_at = '2024-01-01T24:00'",  # which Python takes from 3.14 on
        "count where sold_at = 5",
        "count where sold_at in (2024-01-01, 2024-01-02)",
        "count where sold_at > '2024-01-01T00:00:00.1234567'",
        "count where sold_at > 9999-12-31",
        "count where region during this_month",
        "count where revenue during this_month",
        where("revenue", "gt", Decimal("1e399")),
        where("units", "eq", True),
        where("units", "eq", "five"),
        where("units", "eq", datetime.date(2024, 1, 1)),
        where("region", "in", "a", 5),
        where("Order Date", "between", "2024-01-01", 5),
    ],
)
def test_what_does_not_fit_its_column_is_a_type_mismatch(question: Any) -> None:
    found = refused(question)
    assert (found["status"], found["rejection_reason"]) == ("rejected", "type_mismatch")
    assert found["rule"]


def test_a_column_groups_once() -> None:
    assert refused("count by region, REGION")["rejection_reason"] == "duplicate_field"


@pytest.mark.parametrize("aggregation", ["min", "max"])
def test_texts_and_dates_have_extremes(aggregation: str) -> None:
    for column in ("region", "`Order Date`", "sold_at", "price"):
        assert plan_of(f"{aggregation} {column}").aggregation == aggregation


# --- policies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["salary", "zzzzqqq", "revenu", "Salary"])
def test_under_a_list_of_fields_every_other_name_is_denied_alike(name: str) -> None:
    # The view of a restricted source holds no denied field, so existing or not cannot make a difference.
    found = refused(f"sum {name}", view(restricted=True))
    assert (found["status"], found["rejection_reason"]) == ("rejected", "policy_denied_field")
    assert found["rule"] == "allowed_fields"
    assert set(found["did_you_mean"]) <= set(FIELDS)


def test_under_a_list_of_sources_every_other_name_is_denied_alike() -> None:
    for name in ("payroll", "salse"):
        found = refused(f"count from {name}", restricted=True)
        assert (found["status"], found["rejection_reason"]) == ("rejected", "policy_denied_source")


# --- periods ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("today", "period", "start", "end"),
    [
        ("2024-02-29", "this_month", "2024-02-01", "2024-03-01"),
        ("2024-02-29", "last_month", "2024-01-01", "2024-02-01"),
        ("2024-02-29", "this_quarter", "2024-01-01", "2024-04-01"),
        ("2024-02-29", "last_quarter", "2023-10-01", "2024-01-01"),
        ("2024-02-29", "this_year", "2024-01-01", "2025-01-01"),
        ("2024-02-29", "last_year", "2023-01-01", "2024-01-01"),
        ("2024-01-01", "last_month", "2023-12-01", "2024-01-01"),
        ("2024-03-31", "last_month", "2024-02-01", "2024-03-01"),
        ("2024-12-31", "this_quarter", "2024-10-01", "2025-01-01"),
        ("2024-04-01", "last_quarter", "2024-01-01", "2024-04-01"),
        ("2024-06-30", "this_quarter", "2024-04-01", "2024-07-01"),
        ("2024-12-31", "this_month", "2024-12-01", "2025-01-01"),
        ("2000-01-01", "last_year", "1999-01-01", "2000-01-01"),
    ],
)
def test_a_period_becomes_absolute_days(today: str, period: str, start: str, end: str) -> None:
    now = datetime.datetime.fromisoformat(f"{today}T12:00").replace(tzinfo=NEW_YORK)
    relative = plan_of(f"sum revenue where `Order Date` during {period}", now=now)
    absolute = plan_of(f"sum revenue where `Order Date` >= {start} and `Order Date` < {end}")
    assert relative.plan_hash == absolute.plan_hash
    moments = plan_of(f"sum revenue where sold_at during {period}", now=now)
    assert [condition.operand.isoformat() for condition in moments.conditions] == [
        f"{start}T00:00:00",
        f"{end}T00:00:00",
    ]


def test_the_clock_and_its_zone_are_noted_and_decide_the_day() -> None:
    # At 23:30 of 29 February in New York it is March in UTC.
    plan = plan_of("count where `Order Date` during this_month")
    assert plan.conditions[0].operand == datetime.date(2024, 2, 1)
    assert plan.notes == {"period": "this_month of Order Date", "clock": "2024-02-29T23:30:00-05:00", "zone": "EST"}
    assert plan_of("count").notes == {}


# --- the plan's hash --------------------------------------------------------------------------------------------------


def by_hand(form: dict[str, Any]) -> str:
    """As documented: SHA-256 over the domain, NUL, and the canonical JSON of the plan without nulls."""
    return hashlib.sha256(b"service:plan:v1\0" + rfc8785.dumps(form)).hexdigest()


def test_the_hash_is_the_documented_one() -> None:
    assert plan_of("count").plan_hash == by_hand({"aggregation": "count", "order": "desc", "schema_revision": REVISION})
    conditions = "units >= 10 and region in ('b', 'a', 'b') and price < 1.50"
    full = f"sum turnover by region, paid where {conditions} order asc limit 7"
    assert plan_of(full).plan_hash == by_hand(
        {
            "aggregation": "sum",
            "metric": "revenue",
            "group_by": ["region", "paid"],
            "filter": {
                "conditions": [
                    {"column": "price", "op": "lt", "value": "1.5"},
                    {"column": "region", "op": "in", "values": ["a", "b"]},
                    {"column": "units", "op": "gte", "value": 10},
                ]
            },
            "order": "asc",
            "limit": 7,
            "schema_revision": REVISION,
        }
    )


def test_the_stored_plan_holds_what_is_hashed() -> None:
    stored = plan_to_json(plan_of("sum revenue by region where units > 9007199254740993 and revenue <= 0.1 limit 2"))
    hashed = ("aggregation", "metric", "group_by", "filter", "order", "limit", "schema_revision")
    assert stored["plan_hash"] == by_hand({key: stored[key] for key in hashed})


SAME = [
    [
        "sum revenue by region where units > 1 and paid = true",
        "SUM revenue BY region FROM sales WHERE paid = true AND units > 1 ORDER desc",
        "sum turnover by Region where units > 1 and units > 1.0 and paid = true",
        {
            "metric": "Revenue",
            "aggregation": "sum",
            "group_by": "region",
            "filter": {
                "conditions": [
                    {"column": "paid", "op": "eq", "value": True},
                    {"column": "Units", "op": "gt", "value": "1"},
                ]
            },
        },
    ],
    [
        "count where units in (1, 2, 3)",
        "count where units in (3, 2, 1, 2)",
        where("units", "in", 1.0, Decimal("2.00"), "3"),
    ],
    [
        "count where price = 1.5",
        "count where price = 1.50",
        where("price", "eq", Decimal("1.500")),
        where("price", "eq", 1.5),
    ],
    ["count where revenue = 0", "count where revenue = -0.0", where("revenue", "eq", "0e5")],
    ["count where revenue > 0.1", where("revenue", "gt", Decimal("0.1000000000000000055511151231257827"))],
    ["count where sold_at >= 2024-01-01", "count where sold_at >= '2024-01-01T00:00:00Z'"],
    ["count where sold_at = 2024-01-01", "count where sold_at >= 2024-01-01 and sold_at < 2024-01-02"],
    ["count where sold_at <= 2024-01-31", "count where sold_at < 2024-02-01T00:00:00"],
    ["count where `Order Date` = 2024-01-01", where("Order Date", "eq", datetime.date(2024, 1, 1))],
]


@pytest.mark.parametrize("questions", SAME, ids=range(len(SAME)))
def test_spellings_of_one_question_have_one_hash(questions: list[Any]) -> None:
    assert len({plan_of(question).plan_hash for question in questions}) == 1


def test_questions_that_differ_have_different_hashes() -> None:
    questions = [
        *("count", "count revenue", "sum revenue", "sum units", "sum revenue by region", "sum revenue by region, paid"),
        *("sum revenue by paid, region", "sum revenue order asc", "sum revenue limit 1", "sum revenue limit 2"),
        *("count where units > 1", "count where units >= 1", "count where units > 2", "count where revenue > 1"),
        *("count where region = '1'", "count where region contains '1'", "count where region in ('1')"),
        *("count where units between 1 and 2", "count where units between 2 and 1", "count where price = 0.1"),
        *("count where region is null", "count where region is not null", "count where price = 0.10000000000000001"),
    ]
    hashes = [plan_of(question).plan_hash for question in questions]
    assert len(set(hashes)) == len(questions)
    other = SourceView(
        name="sales", fields=view().fields, schema_revision="cd" * 32, row_count=10, aliases={}, restricted=False
    )
    assert plan_of("count", other).plan_hash not in hashes


def test_the_name_of_the_source_is_not_hashed_but_its_schema_is() -> None:
    assert plan_of("count", view("sales")).plan_hash == plan_of("count", view("umsatz")).plan_hash


def test_the_order_of_conditions_never_matters() -> None:
    conditions = [
        {"column": "units", "op": "gt", "value": 1},
        {"column": "units", "op": "lt", "value": 10},
        {"column": "region", "op": "ne", "value": "x"},
        {"column": "region", "op": "is_not_null"},
        {"column": "price", "op": "between", "values": [1, "2.50"]},
        {"column": "sold_at", "op": "eq", "value": "2024-01-01"},
    ]
    hashes = set()
    for seed in range(50):
        random.Random(seed).shuffle(conditions)
        hashes.add(plan_of({"aggregation": "count", "filter": {"conditions": conditions}}).plan_hash)
    assert len(hashes) == 1


def test_a_plan_means_the_same_next_year() -> None:
    question = {"aggregation": "count", "filter": {"time_filter": {"column": "Order Date", "period": "last_year"}}}
    plan = plan_of(question)
    later = plan_of(question, now=NOW.replace(year=2028))
    assert later.plan_hash != plan.plan_hash
    stored = plan_to_json(plan)
    question_again = {key: stored.get(key) for key in ("aggregation", "filter", "source_name", "order")}
    assert plan_of(question_again, now=NOW.replace(year=2028)).plan_hash == plan.plan_hash
