"""Questions: parse, resolve, refuse or run and answer, record."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from service_nb.cards.card_builder import make_portable
from service_nb.client.caller_forms import find_plan
from service_nb.client.context import Context, build_question_key, guard_run
from service_nb.client.record import Evidence, Outcome
from service_nb.client.registration import connect_named, find_similar_sources
from service_nb.client.registry import Registered, require_schema
from service_nb.client.results import QueryOutcome
from service_nb.client.text_columns import explain_refused_text
from service_nb.core.canonical import parse_strict, write_canonical_text
from service_nb.core.digest import PROVENANCE_DOMAIN, REFUSAL_DOMAIN, RESULT_DOMAIN, create_id, digest
from service_nb.core.words import describe_value, misfit_error
from service_nb.core.zones import find_version
from service_nb.engines.engine import EngineAnswer
from service_nb.errors import InvalidIntentError, PlanInvalidError, ServiceError
from service_nb.query import plan as plans
from service_nb.query.aggregations.aggregation import AS_READ, UNROUNDED
from service_nb.query.ask_line import drop_default_order, format_ask, parse_ask
from service_nb.query.group_keys import list_key_columns
from service_nb.query.inspection import describe_inspection, list_inspection_steps, write_inspection_line
from service_nb.query.plan import build_result_columns, build_row, list_result_fields, sort_groups
from service_nb.query.refusals import Refusal, Resolution
from service_nb.query.resolve import CONFIDENCE, resolve
from service_nb.query.spec import parse_spec, read_numbers, write_spec
from service_nb.query.unknown_choices import read_spec
from service_nb.query.used_rows import UsedRows, count_used_rows
from service_nb.query.variables import VariableBinder
from service_nb.schema.card import Column, QueryView, RefusalView, Role
from service_nb.schema.compute import Vector
from service_nb.schema.entry import Input
from service_nb.schema.query import DateKey, Inspection, Plan, QuerySpec, Status
from service_nb.schema.reading_notes import CHANGING, ReadingNoteText, choose_notes, drop_values
from service_nb.schema.source import Field, Value, convert_to_json, write_exact_text

SHOWN_ROWS = 20  # of a result in a card's view
CACHED_ROWS = 1_000  # of a result that is cached
LOCAL_SCOPE, DEPLOYMENT_SCOPE = "local_registered_source", "deployment_registered_source"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTable:
    """The result of a plan, with the texts that are hashed: the same whenever and wherever it is computed.

    `values` are native: int, float, Decimal, str, bool, date, datetime or None.
    """

    plan: Plan | Inspection
    columns: tuple[Column, ...]
    values: tuple[tuple[Value, ...], ...]
    plan_text: str
    result_text: str
    result_hash: str
    method: str
    engine: str
    used: UsedRows | None = None
    reading_notes: tuple[ReadingNoteText, ...] = ()

    def describe_used_rows(self) -> dict[str, object]:
        """Describe the rows that were used, as far as they are known, with the keys that cards and outcomes have."""
        if self.used is None:
            return {}
        return {"used_rows": self.used.count} | ({"dropped": dict(self.used.nulls)} if self.used.nulls else {})

    def describe_reading(self, *, with_values: bool = True) -> dict[str, object]:
        """Describe what the reader decided of what was used, with the key that cards and outcomes have."""
        told = [note if with_values else drop_values(note) for note in self.reading_notes]
        return {"reading_notes": told} if told else {}

    def to_json(self) -> list[dict[str, object]]:
        """Return the rows as JSON objects."""
        names = [column["name"] for column in self.columns]
        return [dict(zip(names, map(convert_to_json, row), strict=True)) for row in self.values]


# --- the flow ---------------------------------------------------------------------------------------------------------


def ask(
    context: Context,
    spec: Mapping[str, object] | str,
    *,
    variables: Mapping[str, object] | None = None,
    rows: str,
    shown_rows: int,
    timeout_s: float | None,
) -> QueryOutcome:
    """Answer a question, or return a refusal with its reason."""
    started = time.perf_counter()
    shown_rows = _check_display(rows, shown_rows)
    question, resolution = resolve_question(context, spec, variables)
    if resolution.plan is None:
        return record_refusal(context, question, resolution)
    registered, table = run_plan(context, resolution.plan, timeout_s)
    return record_answer(
        context, registered, table, describe_resolution(resolution), started=started, shown_rows=shown_rows
    )


def run_stored_plan(
    context: Context, raw: Mapping[str, object], timeout_s: float | None, mark: str | None = None
) -> QueryOutcome:
    """Run a stored plan as `ask` would; a plan is already resolved, so it cannot be refused."""
    started = time.perf_counter()
    plan = restore_plan(context, raw)
    registered, table = run_plan(context, plan, timeout_s, mark)
    return record_answer(context, registered, table, {}, started=started)


def _check_display(rows: str, shown_rows: int) -> int:
    """Check the display options and return the number of rows that a card shows."""
    shown_rows = 0 if rows == "none" else shown_rows
    if rows not in ("all", "none"):
        raise InvalidIntentError(f"`rows` must be 'all' or 'none', not {describe_value(rows)}.", path="rows")
    if type(shown_rows) is not int or shown_rows < 0:
        raise InvalidIntentError(
            f"`shown_rows` must be a whole number of at least 0, not {describe_value(shown_rows)}.", path="shown_rows"
        )
    return shown_rows


# --- resolve ----------------------------------------------------------------------------------------------------------


def resolve_question(
    context: Context, spec: Mapping[str, object] | str, variables: Mapping[str, object] | None = None
) -> tuple[QuerySpec, Resolution]:
    """Parse a question and resolve it against the sources that the policy allows."""
    sources = context.sources
    if variables is not None and not isinstance(variables, Mapping):
        raise misfit_error("variables", variables, "a value for each name")
    known = None if variables else context.resolutions.get(build_question_key(spec, sources.registry.version))
    if known is not None:
        return known
    question, unknown = _parse_question(spec, variables)
    if question.source_name is not None and sources.can_open(question.source_name):
        connect_named(sources, question.source_name)
    key = None if question.variables else build_question_key(spec, sources.registry.version)
    resolved = question, resolve(question, sources.build_catalog(), context.clock(), unknown)
    is_known = question.source_name is None or question.source_name in sources.registry
    # A relative period means something else tomorrow, and a name that nobody has may be somebody's by then.
    if question.time_filter is None and is_known:
        context.resolutions.put(key, resolved)
    return resolved


def _parse_question(
    spec: Mapping[str, object] | str, variables: Mapping[str, object] | None = None
) -> tuple[QuerySpec, tuple[Refusal, ...]]:
    """Parse an ask line or a spec, with values in place of its variables; some may be none of their choices."""
    raw: object = parse_ask(spec) if isinstance(spec, str) else read_numbers(spec)
    if not isinstance(raw, Mapping):
        return parse_spec(raw), ()
    binder = VariableBinder(variables or {})
    bound = binder.bind(raw)
    question, unknown = read_spec(bound)
    return replace(question, variables=binder.notes), unknown


def describe_resolution(resolution: Resolution) -> dict[str, object]:
    """Build the `resolution` of an outcome; that of an answer holds its plan, which can be stored and replayed."""
    form = resolution.to_json()
    if resolution.plan is not None:
        form["plan"] = plans.plan_to_json(resolution.plan)
    return form


def describe_plan(
    context: Context, spec: Mapping[str, object] | str, variables: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Build the plan of a question without running it, or the refusal that `ask` would return."""
    question, resolution = resolve_question(context, spec, variables)
    described = {"status": resolution.status, **describe_resolution(resolution)}
    plan = resolution.plan
    if plan is None:
        return described | explain_refused_text(context.sources, question.source_name, resolution)
    return described | {
        "plan_hash": plan.plan_hash,
        "schema_revision": plan.schema_revision,
        "steps": plans.describe_steps(plan, _count_rows(context.sources.registry.get(plan.source_name))),
        "decision_path": plan.decision_path,
        "confidence": CONFIDENCE[plan.decision_path],
        "validated": True,
    }


def restore_plan(context: Context, raw: Mapping[str, object], passed: Callable[[str], None] = lambda _: None) -> Plan:
    """Read a stored plan and resolve it again; `passed` is called with the name of each check that it passes."""
    sources = context.sources
    spec, stored = plans.plan_from_json(find_plan(raw))
    passed("well_formed")
    name = str(spec.source_name)
    sources.policy.require_source(name)
    for column in plans.list_named_columns(spec):
        sources.require_field(name, column)
    passed("allowed")
    registered = sources.registry.get(name)
    passed("registered")
    require_schema(sources.restrict(registered), stored["schema_revision"])
    passed("schema_revision")
    resolution = resolve(spec, sources.build_catalog(), context.clock(), is_stored=True)
    plan = plans.restore_plan(resolution.plan, stored)
    passed("plan_hash")
    return plan


def verify_plan(context: Context, raw: Mapping[str, object], mark: str | None) -> dict[str, object]:
    """Check a stored plan without running it."""
    passed: list[str] = []
    failure: ServiceError | None = None
    try:
        context.sources.get_for_plan(restore_plan(context, raw, passed.append), mark)
        passed.append("content")
    except ServiceError as error:
        failure = error
    return {"valid": failure is None, "checks": plans.list_checks(passed, failure)}


# --- run --------------------------------------------------------------------------------------------------------------


def run_plan(
    context: Context, plan: Plan, timeout_s: float | None, mark: str | None = None
) -> tuple[Registered, ResultTable]:
    """Run a plan on its source, or return the cached result: a source that is not live never changes."""
    registered = context.sources.get_for_plan(plan, mark)
    key = None if registered.is_live else (plan.plan_hash, registered.source_id)
    table = context.results.get(key)
    if table is not None:
        table = replace(table, plan=plan)  # the same plan, perhaps of a question in other words
    else:
        with guard_run(context.sources, registered):
            answer = registered.engine.aggregate(plan, timeout_s)
            table = build_table(plan, registered.fields, answer, registered.engine.name)
        if len(table.values) <= CACHED_ROWS:
            context.results.put(key, table)
    context.sources.require_unchanged(registered)  # its file may have changed while it was read
    return registered, table


def build_table(plan: Plan, fields: Sequence[Field], answer: EngineAnswer, engine: str) -> ResultTable:
    """Sort the groups of an answer in the plan's order, cut them to its limit, and hash them."""
    names = build_result_columns(plan)
    values = tuple(build_row(group, names) for group in sort_groups(answer.groups, plan))
    result_text = write_canonical_text(
        [dict(zip(names.names, map(convert_to_json, row), strict=True)) for row in values]
    )
    return ResultTable(
        plan=plan,
        columns=_build_columns(plan, {field.name: field for field in fields}),
        values=values,
        plan_text=plans.write_plan_text(plan),
        result_text=result_text,
        result_hash=digest(RESULT_DOMAIN, plan.plan_hash, result_text),
        method=answer.method,
        engine=_name_engine(plan, answer.engine or engine),
        used=answer.used if answer.is_cut else count_used_rows(plan, answer.groups),
    )


def _name_engine(plan: Plan, engine: str) -> str:
    """Name what computed a plan, with the version of the tz database whose rules it took."""
    has_zone = any(isinstance(key, DateKey) and key.zone is not None for key in plan.group_by)
    return f"{engine}, tz {find_version()}" if has_zone and ", tz " not in engine else engine  # a deployment told it


def _build_columns(plan: Plan, fields: Mapping[str, Field]) -> tuple[Column, ...]:
    names = build_result_columns(plan)
    keys: list[Role] = ["key"] * len(names.keys)
    metrics: list[Role] = ["metric"] * len(names.metrics)
    roles: list[Role] = [*keys, *metrics, "count"]
    pairs = zip(list_result_fields(plan, fields), roles, strict=True)
    return tuple(_build_column(field, role) for field, role in pairs)


def _build_column(field: Field, role: Role) -> Column:
    column = Column(name=field.name, type=field.type, physical=field.physical, role=role)
    if field.zone is not None:
        column["zone"] = field.zone
    return column


def read_plan_columns(
    context: Context, raw: Mapping[str, object], timeout_s: float | None, mark: str | None
) -> list[tuple[Field, Vector]]:
    """Return the group columns of a stored plan, not grouped, of the rows that meet its conditions."""
    plan = restore_plan(context, raw)
    if list_key_columns(plan.group_by) != plan.group_by:
        raise PlanInvalidError("The plan groups by periods or bins; columns are read as they stand.", path="group_by")
    registered = context.sources.get_for_plan(plan, mark)
    vectors = context.sources.read_columns(registered, plan, timeout_s)
    fields = {field.name: field for field in registered.fields}
    return list(zip([fields[name] for name in list_key_columns(plan.group_by)], vectors, strict=True))


def _count_rows(registered: Registered) -> int | None:
    """Count the rows of a source; None for a live source, whose count may have changed."""
    return None if registered.is_live else registered.row_count


# --- answer, refuse, record -------------------------------------------------------------------------------------------


def record_answer(
    context: Context,
    registered: Registered,
    table: ResultTable,
    resolution: Mapping[str, object],
    *,
    started: float,
    shown_rows: int = SHOWN_ROWS,
) -> QueryOutcome:
    """Build the outcome of an answer, and record it."""
    table = _note_reading(context, registered, table)
    plan = table.plan
    data: dict[str, object] = {
        "query_id": create_id("query"),
        "result": table.to_json(),
        "result_type": "table",
        "confidence": CONFIDENCE[plan.decision_path],
        "plan": _list_steps(plan, _count_rows(registered)),
        "row_count": len(table.values),
        "decision_path": plan.decision_path,
        "plan_hash": plan.plan_hash,
        "schema_revision": plan.schema_revision,
        "validated": True,
        "deterministic_scope": DEPLOYMENT_SCOPE if registered.is_deployed else LOCAL_SCOPE,
        "result_hash": table.result_hash,
        "provenance": {
            "method": table.method,
            "engine": table.engine,
            "notes": dict(plan.notes),
            **table.describe_used_rows(),
            **table.describe_reading(),
        },
        "latency_ms": round((time.perf_counter() - started) * 1_000, 3),
    }
    card = context.recorder.record_one(partial(_build_outcome, context, registered, table, data, shown_rows))
    context.sources.release_tables(registered)
    return QueryOutcome({"status": "ok", "data": data, "resolution": resolution}, card=card, table=table)


def _note_reading(context: Context, registered: Registered, table: ResultTable) -> ResultTable:
    """Add what the reader decided of the columns and rows that a result uses; no method says then that all is exact."""
    plan, told = table.plan, context.sources.restrict(registered).reading_notes
    if isinstance(plan, Inspection):
        used = [name for note in told for name in note.columns]
    else:
        used = plans.list_named_columns(plan)
    chosen = tuple(choose_notes(told, used))
    is_changed = any(note["kind"] in CHANGING for note in chosen)
    method = table.method.replace(UNROUNDED, AS_READ) if is_changed else table.method
    return replace(table, reading_notes=chosen, method=method)


def _build_outcome(
    context: Context, registered: Registered, table: ResultTable, data: Mapping[str, Any], shown_rows: int
) -> Outcome:
    source = context.sources.build_input(registered)
    return Outcome(
        kind="query",
        id=data["query_id"],
        evidence=build_answer_evidence(table, data, source, shown_rows=shown_rows),
        inputs=[source],
        tables=context.sources.get_tables(registered),
    )


def record_refusal(context: Context, question: QuerySpec, resolution: Resolution) -> QueryOutcome:
    """Build the outcome of a refusal, and record it."""
    described, status = describe_resolution(resolution), resolution.status
    outcome = Outcome(
        kind="clarification" if status == "needs_clarification" else "rejection",
        id=create_id("refusal"),
        evidence=build_refusal_evidence(question, described, status),
        inputs=context.sources.list_inputs() if context.recorder.is_on else (),
    )
    payload: dict[str, object] = {
        "status": status,
        "resolution": described,
        "refusal_hash": outcome.evidence.digests["refusal_hash"],
        "result_id": outcome.id,
        **explain_refused_text(context.sources, question.source_name, resolution),
    }
    if question.source_name is not None and described["rejection_reason"] == "unknown_source":
        # Beside what is hashed: a replay knows what was registered, and not what a deployment had.
        similar = find_similar_sources(context.sources, question.source_name)
        if similar:
            payload["similar_sources"] = similar
    return QueryOutcome(payload, card=context.recorder.record_one(lambda: outcome))


# --- evidence ---------------------------------------------------------------------------------------------------------


def build_answer_evidence(
    table: ResultTable, data: Mapping[str, object], source: Input, *, shown_rows: int
) -> Evidence:
    """Build the parts of an answer's card. With no row shown, the card holds their hash and shape only."""
    plan, result = table.plan, {"result": table.result_text}
    rows_used = {**table.describe_used_rows(), **table.describe_reading(with_values=shown_rows > 0)}
    describe_binding = write_canonical_text(
        make_portable(
            {
                "columns": list(table.columns),
                "decision_path": plan.decision_path,
                "engine": table.engine,
                "method": table.method,
                "notes": dict(plan.notes),
                "row_count": len(table.values),
                "shown_rows": min(shown_rows, len(table.values)),
                "sources": [source],
                **rows_used,
            }
        )
    )
    return Evidence(
        canonical={"plan": table.plan_text, "provenance": describe_binding} | (result if shown_rows else {}),
        kept={} if shown_rows else result,
        digests={
            "plan_hash": plan.plan_hash,
            "result_hash": table.result_hash,
            "schema_revision": plan.schema_revision,
            "provenance_hash": digest(PROVENANCE_DOMAIN, describe_binding),
        },
        view=QueryView(
            status="ok",
            question=_describe_plan(plan),
            ask=_write_line(table),
            columns=list(table.columns),
            rows=[[write_exact_text(value) for value in row] for row in table.values[:shown_rows]],
            row_count=len(table.values),
            plan=list(data["plan"]),
            source={key: value for key, value in source.items() if key != "origin"},
            decision_path=plan.decision_path,
            method=table.method,
            engine=table.engine,
            query_id=str(data["query_id"]),
            latency_ms=data["latency_ms"],
            notes=[f"{key}: {value}" for key, value in sorted(plan.notes.items())],
            **rows_used,  # type: ignore[typeddict-item]
        ),
    )


def _list_steps(plan: Plan | Inspection, rows: int | None) -> list[str]:
    return list_inspection_steps(plan, rows) if isinstance(plan, Inspection) else plans.describe_steps(plan, rows)


def _describe_plan(plan: Plan | Inspection) -> str:
    return describe_inspection(plan) if isinstance(plan, Inspection) else plans.describe_question(plan)


def _write_line(table: ResultTable) -> str:
    """Write the ask line of a question, or the magic of an inspection."""
    if isinstance(table.plan, Inspection):
        return write_inspection_line(table.plan)
    return format_plan(table.plan_text, table.plan.source_name)


def format_plan(plan_text: str, source_name: str) -> str:
    """Write the ask line of a recorded plan, from the text that is hashed; the default order is left out."""
    return format_ask(drop_default_order(parse_strict(plan_text)) | {"source_name": source_name})


def build_refusal_evidence(spec: QuerySpec, resolution: Mapping[str, object], status: Status) -> Evidence:
    """Build the parts of a refusal's card: refusals are results too, and hashed without their sentence."""
    spec_text, resolution_text = write_canonical_text(write_spec(spec)), write_canonical_text(resolution)
    hashed = write_canonical_text({key: value for key, value in resolution.items() if key != "reason"})
    ask = format_ask(parse_strict(spec_text))
    shown = ("reason", "rejection_reason", "rule", "missing", "did_you_mean", "candidates")
    return Evidence(
        canonical={"spec": spec_text, "resolution": resolution_text},
        digests={"refusal_hash": digest(REFUSAL_DOMAIN, spec_text, b"\0", hashed)},
        view=RefusalView(status=status, question=ask, ask=ask, **{key: resolution[key] for key in shown}),  # type: ignore[typeddict-item]
    )
