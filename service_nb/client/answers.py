"""From groups to an answer: rows, hashes, and the parts of an outcome and its card. Pure: ids and times come in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service_nb.cards.build import portable
from service_nb.client.results import Evidence, Table
from service_nb.core.canonical import canonical_text, parse_strict
from service_nb.core.digest import ERROR_DOMAIN, PROVENANCE_DOMAIN, digest, hash_refusal, hash_result
from service_nb.query import plan as plans
from service_nb.query.resolve import CONFIDENCE, Resolution
from service_nb.query.rows import exact_text, json_value, ordered, result_columns, result_physicals, row_values
from service_nb.query.spec import spec_to_json
from service_nb.query.syntax import format_ask
from service_nb.schema.card import Column, ErrorView, QueryView, RefusalView
from service_nb.schema.entry import Input
from service_nb.schema.query import Group, Plan, QuerySpec, Status
from service_nb.schema.source import Field, Value

LOCAL_SCOPE, DEPLOYMENT_SCOPE = "local_registered_source", "deployment_registered_source"
DEFAULT_ORDER = "desc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A plan's result, the same whenever and wherever it is computed."""

    plan: Plan
    table: Table
    plan_text: str
    result_text: str
    result_hash: str
    method: str
    engine: str


def answered(plan: Plan, fields: Mapping[str, Field], groups: Sequence[Group], method: str, engine: str) -> Answered:
    """Put the groups in the plan's order, cut them to its limit, and hash them."""
    names = result_columns(plan)
    values = tuple(row_values(group, names) for group in ordered(groups, plan))
    plan_text = plans.plan_text(plan)
    result_text = canonical_text([_row(names.names, row) for row in values])
    return Answered(
        plan=plan,
        table=Table(columns=_columns(plan, fields), values=values),
        plan_text=plan_text,
        result_text=result_text,
        result_hash=hash_result(plan.plan_hash, result_text),
        method=method,
        engine=engine,
    )


def _row(names: tuple[str, ...], row: tuple[Value, ...]) -> dict[str, Any]:
    return dict(zip(names, map(json_value, row), strict=True))


def _columns(plan: Plan, fields: Mapping[str, Field]) -> tuple[Column, ...]:
    names, physicals = result_columns(plan), result_physicals(plan, fields)
    columns = [
        Column(name=name, type=fields[name].type, physical=physical, role="key")
        for name, physical in zip(names.keys, physicals, strict=False)
    ]
    if names.metric is not None and plan.metric is not None:
        field = fields[plan.metric]
        kind = field.type if physicals[-2] == field.physical else "number"
        columns.append(Column(name=names.metric, type=kind, physical=physicals[-2], role="metric"))
    return (*columns, Column(name=names.count, type="number", physical=physicals[-1], role="count"))


def data_of(
    answer: Answered, *, query_id: str, rows_read: int | None, latency_ms: float, scope: str = LOCAL_SCOPE
) -> dict[str, Any]:
    """Return the `data` of an outcome: the specification's fields, and ours after them.

    `rows_read` is None of a live source: how many rows there were is as passing as what they held.
    """
    names = [column["name"] for column in answer.table.columns]
    plan = answer.plan
    return {
        "query_id": query_id,
        "result": [_row(tuple(names), row) for row in answer.table.values],
        "result_type": "table",
        "confidence": CONFIDENCE[plan.decision_path],
        "plan": plans.steps(plan, rows_read),
        "row_count": len(answer.table.values),
        "decision_path": plan.decision_path,
        "plan_hash": plan.plan_hash,
        "schema_revision": plan.schema_revision,
        "validated": True,
        "deterministic_scope": scope,
        "result_hash": answer.result_hash,
        "provenance": {"method": answer.method, "engine": answer.engine, "notes": dict(plan.notes)},
        "latency_ms": latency_ms,
    }


def evidence_of(answer: Answered, data: Mapping[str, Any], source: Input, *, shown_rows: int) -> Evidence:
    """Build what the card of an answer is made of. With no row shown, only their hash and shape are kept."""
    result = {"result": answer.result_text}
    table = answer.table
    provenance = canonical_text(_provenance(answer, source, shown_rows))
    return Evidence(
        canonical={"plan": answer.plan_text, "provenance": provenance} | (result if shown_rows else {}),
        kept={} if shown_rows else result,
        digests={
            "plan_hash": answer.plan.plan_hash,
            "result_hash": answer.result_hash,
            "schema_revision": answer.plan.schema_revision,
            "provenance_hash": digest(PROVENANCE_DOMAIN, provenance),
        },
        view=QueryView(
            status="ok",
            question=plans.in_words(answer.plan),
            ask=ask_of(answer.plan_text, answer.plan.source_name),
            columns=list(table.columns),
            rows=[[exact_text(value) for value in row] for row in table.values[:shown_rows]],
            row_count=len(table.values),
            plan=list(data["plan"]),
            source={key: value for key, value in source.items() if key != "origin"},
            decision_path=answer.plan.decision_path,
            method=answer.method,
            engine=answer.engine,
            query_id=data["query_id"],
            latency_ms=data["latency_ms"],
            notes=[f"{key}: {value}" for key, value in sorted(answer.plan.notes.items())],
        ),
    )


def _provenance(answer: Answered, source: Input, shown_rows: int) -> Any:
    """Return how an answer came about, as its card and its statement have it."""
    table = answer.table
    return portable(
        {
            "columns": list(table.columns),
            "decision_path": answer.plan.decision_path,
            "engine": answer.engine,
            "method": answer.method,
            "notes": dict(answer.plan.notes),
            "row_count": len(table.values),
            "shown_rows": min(shown_rows, len(table.values)),
            "sources": [source],
        }
    )


def ask_of(plan_text: str, source_name: str) -> str:
    """Write the ask line of a recorded plan: what is shown is read back from what is hashed."""
    plan = parse_strict(plan_text)
    # The order that a question has by itself is not written out.
    told = {key: value for key, value in plan.items() if (key, value) != ("order", DEFAULT_ORDER)}
    return format_ask(told | {"source_name": source_name})


def resolution_of(resolution: Resolution) -> dict[str, Any]:
    """Return the `resolution` of an outcome: for an answer with its plan, which can be stored and replayed."""
    form = resolution.to_json()
    if resolution.plan is not None:
        form["plan"] = plans.plan_to_json(resolution.plan)
    return form


def error_evidence(error: Mapping[str, object]) -> Evidence:
    """Return what the card of an error is made of; `error` is a `ServiceError.to_dict()`."""
    told = {key: _encodable(error[key]) for key in ("code", "message", "hint", "source", "retryable")}
    text = canonical_text(told)
    return Evidence(
        canonical={"error": text},
        digests={"error_hash": digest(ERROR_DOMAIN, text)},
        view=ErrorView(status="error", code=told["code"], message=told["message"], hint=told["hint"]),
    )


def _encodable(value: object) -> Any:
    """Return what is told of an error with what no UTF-8 can hold escaped: it cites what was asked."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def refusal_evidence(spec: QuerySpec, resolution: Mapping[str, Any], status: Status) -> Evidence:
    """Return what the card of a refusal is made of: refusals are results too, and hashed."""
    question = spec_to_json(spec)
    spec_text, resolution_text = canonical_text(question), canonical_text(resolution)
    ask = format_ask(parse_strict(spec_text))
    return Evidence(
        canonical={"spec": spec_text, "resolution": resolution_text},
        digests={"refusal_hash": hash_refusal(spec_text, resolution_text)},
        view=RefusalView(
            status=status,
            question=ask,
            ask=ask,
            reason=resolution["reason"],
            rejection_reason=resolution["rejection_reason"],
            rule=resolution["rule"],
            missing=resolution["missing"],
            did_you_mean=resolution["did_you_mean"],
            candidates=resolution["candidates"],
        ),
    )
