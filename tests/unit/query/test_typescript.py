"""The TypeScript client reads, refuses and resolves questions as Python's: same specs, codes, candidates and hashes."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from service_nb.client.question import build_refusal_evidence
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import hash_schema
from service_nb.errors import ServiceError
from service_nb.query import plan as plans
from service_nb.query.ask_line import format_ask, parse_ask
from service_nb.query.policy import parse_policy
from service_nb.query.resolve import CONFIDENCE, Catalog, SourceView, resolve
from service_nb.query.spec import parse_spec
from service_nb.query.unknown_choices import read_spec
from service_nb.query.variables import VariableBinder
from service_nb.schema.source import Field
from tests.tools import node
from tests.tools.generated_questions import Questions

SCRIPT = Path(__file__).parents[2] / "tools" / "second_query.mjs"
CLOCK = datetime.datetime(2024, 2, 29, 23, 59, 59, tzinfo=datetime.UTC)
SALES = {
    "region": "string",
    "city": "string",
    "Order Date": "date",
    "shipped_at": "datetime",
    "revenue": "float64",
    "price": "decimal(12,2)",
    "units": "int64",
    "is_paid": "boolean",
    "count": "int64",
    "straße": "string",
    "x": "float64",
    "X": "float64",
}
COSTS = {
    "region": "string",
    "cost": "float64",
    "order_date_month": "string",
    "order_date": "date",
    "unit_price": "float64",
}
TYPES = {"string": "string", "date": "date", "datetime": "datetime", "boolean": "boolean"}


def build_source(name: str, columns: Mapping[str, str], aliases: Mapping[str, str]) -> dict[str, Any]:
    """Build a source as both clients are given it."""
    fields = [{"name": each, "type": TYPES.get(kind, "number"), "physical": kind} for each, kind in columns.items()]
    revision = hash_schema(Field(**field) for field in fields)  # type: ignore[arg-type]
    return {"name": name, "fields": fields, "schema_revision": revision, "row_count": 12_345, "aliases": dict(aliases)}


SOURCES = [build_source("sales", SALES, {"turnover": "revenue", "secret": "price"}), build_source("costs", COSTS, {})]
CATALOGS: dict[str, dict[str, Any]] = {
    "both": {"sources": SOURCES, "policy": None},
    "one": {"sources": SOURCES[:1], "policy": None},
    "none": {"sources": [], "policy": None},
    "narrow": {
        "sources": SOURCES,
        "policy": {
            "allowedSources": ["sales"],
            "allowedFields": {"sales": ["region", "revenue", "Order Date", "units"]},
        },
    },
}


def build_catalog(given: Mapping[str, Any]) -> Catalog:
    """Build what resolution sees of the sources, as the client's registry does."""
    listed = given["policy"] or {}
    policy = parse_policy(
        {"allowed_sources": listed.get("allowedSources"), "allowed_fields": listed.get("allowedFields")}
    )
    views = {}
    for source in given["sources"]:
        name = source["name"]
        fields = {each["name"]: Field(**each) for each in source["fields"] if policy.allows_field(name, each["name"])}
        if policy.allows_source(name):
            views[name] = SourceView(
                name=name,
                fields=fields,
                schema_revision=hash_schema(fields.values()),
                row_count=source["row_count"],
                aliases={alias: target for alias, target in source["aliases"].items() if target in fields},
                restricted=policy.restricts_fields(name),
            )
    return Catalog(sources=views, restricted=policy.sources is not None)


def answer(asked: Mapping[str, Any], catalogs: Mapping[str, Catalog]) -> dict[str, Any]:
    """Answer as the script does."""
    if asked["kind"] == "line":
        spec = parse_ask(asked["line"])
        return {"spec": write_canonical_text(spec), "line": format_ask(spec)}
    catalog = catalogs[asked["world"]]
    raw = parse_ask(asked["question"]) if isinstance(asked["question"], str) else asked["question"]
    binder = VariableBinder(asked["variables"] or {})
    bound = binder.bind(raw)
    read, unknown = (parse_spec(bound), ()) if isinstance(asked["question"], str) else read_spec(bound)
    question = replace(read, variables=binder.notes)
    resolution = resolve(question, catalog, CLOCK, unknown)
    described = {"status": resolution.status, **resolution.to_json()}
    plan = resolution.plan
    if plan is None:
        evidence = build_refusal_evidence(question, resolution.to_json(), resolution.status)
        return described | {"refusal_hash": evidence.digests["refusal_hash"]}
    return described | {
        "plan": plans.plan_to_json(plan),
        "plan_hash": plan.plan_hash,
        "schema_revision": plan.schema_revision,
        "steps": plans.describe_steps(plan, catalog.sources[plan.source_name].row_count),
        "decision_path": plan.decision_path,
        "confidence": CONFIDENCE[plan.decision_path],
        "validated": True,
        "question": plans.describe_question(plan),
    }


def list_answers(asked: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield what Python makes of each question."""
    catalogs = {name: build_catalog(each) for name, each in CATALOGS.items()}
    for each in asked:
        try:
            met = answer(each, catalogs)
        except ServiceError as error:
            met = {"code": error.code, "message": error.message, "hint": error.hint, "details": error.details}
        yield json.loads(write_canonical_text(met))


def ask_typescript(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ask the TypeScript client all questions, in one process."""
    node.built()
    clock = {"today": "2024-02-29", "moment": "2024-02-29T23:59:59+00:00", "zone": "UTC"}
    world = json.dumps({"catalogs": CATALOGS, "clock": clock, "asked": asked}, ensure_ascii=False)
    return list(json.loads(node.node(SCRIPT, stdin=world.encode())))


def compare(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Require the same of both clients, and return it. What is offered in place of a refused line is no part of it."""
    answers = list(list_answers(asked))
    for each, met, due in zip(asked, ask_typescript(asked), answers, strict=True):
        assert drop_offers(met) == drop_offers(due), each
    return answers


def drop_offers(answered: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without the line that was likely meant."""
    if "details" not in answered:
        return answered
    details = {key: value for key, value in answered["details"].items() if key != "write"}
    return {**answered, "details": details, "hint": None}


def test_lines_are_read_and_refused_alike() -> None:
    """Lines of the grammar, their slips, and lines of no grammar: the same spec, or the same words about them."""
    questions = Questions(random.Random(17))
    answers = compare([{"kind": "line", "line": line} for line in questions.list_lines(2_000)])
    assert sum("spec" in each for each in answers) > 700
    assert {each["code"] for each in answers if "code" in each} == {"invalid_intent", "limit_exceeded"}


def test_questions_are_resolved_alike() -> None:
    """The same outcome, plan, candidates, words and hashes of lines and of specs, well-formed or not."""
    questions = Questions(random.Random(18))
    answers = compare([*questions.list_questions(list(CATALOGS), 2_000)])
    counts = {
        word: sum(each.get("status") == word for each in answers) for word in ("ok", "needs_clarification", "rejected")
    }
    assert min(counts.values()) > 100, counts
    assert sum("code" in each for each in answers) > 200
