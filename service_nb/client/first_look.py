"""The first look at a source: its first rows, and what each column holds; recorded and hashed like any answer."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TypeGuard, cast

from service_nb.client.context import Context, guard_run
from service_nb.client.question import ResultTable, read_plan_columns, record_answer
from service_nb.client.registration import connect_named
from service_nb.client.registry import Registered, Sources
from service_nb.client.results import QueryOutcome
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import RESULT_DOMAIN, digest
from service_nb.core.words import describe_value
from service_nb.engines.engine import Row
from service_nb.engines.inspecting import inspect_source
from service_nb.engines.memory import build_vector_of_values
from service_nb.errors import PlanInvalidError
from service_nb.query.inspection import (
    build_preview,
    build_profile,
    describe_inspection_method,
    find_order,
    is_inspection,
    list_columns,
    read_inspection,
    write_inspection_text,
)
from service_nb.schema.card import Column
from service_nb.schema.compute import Vector
from service_nb.schema.query import Inspection
from service_nb.schema.source import Field, FieldType, Value, convert_to_json


def preview_source(context: Context, name: str, rows: int, timeout_s: float | None) -> QueryOutcome:
    """Show the first rows of a source."""
    started = time.perf_counter()
    registered = _find_source(context.sources, name)
    revision = context.sources.restrict(registered).schema_revision
    plan = build_preview(registered.name, revision, rows, is_live=registered.is_live)
    return _record(context, plan, timeout_s, started)


def profile_source(context: Context, name: str, timeout_s: float | None) -> QueryOutcome:
    """Show what each column of a source holds."""
    started = time.perf_counter()
    registered = _find_source(context.sources, name)
    plan = build_profile(registered.name, context.sources.restrict(registered).schema_revision)
    return _record(context, plan, timeout_s, started)


def run_stored_inspection(
    context: Context, form: Mapping[str, object], name: str, plan_hash: str
) -> tuple[QueryOutcome, ResultTable]:
    """Run a recorded inspection again."""
    started = time.perf_counter()
    context.sources.policy.require_source(name)
    plan = read_inspection(form, name, plan_hash)
    registered, table = _run(context, plan, context.timeout_s)
    return record_answer(context, registered, table, {}, started=started), table


def _find_source(sources: Sources, name: str) -> Registered:
    if isinstance(name, str) and sources.can_open(name):
        connect_named(sources, name)
    return sources.get(name)


def _record(context: Context, plan: Inspection, timeout_s: float | None, started: float) -> QueryOutcome:
    registered, table = _run(context, plan, timeout_s)
    return record_answer(context, registered, table, {}, started=started, shown_rows=len(table.values))


def _run(context: Context, plan: Inspection, timeout_s: float | None) -> tuple[Registered, ResultTable]:
    registered = context.sources.get_for_plan(plan)
    fields = list(context.sources.get_allowed_fields(registered).values())
    rows = _inspect(context.sources, registered, plan, fields, timeout_s)
    return registered, _build_table(plan, list_columns(plan, fields), rows, registered.engine.name)


def _inspect(
    sources: Sources, registered: Registered, plan: Inspection, fields: Sequence[Field], timeout_s: float | None
) -> list[Row]:
    if plan.order != find_order(plan.inspect, is_live=registered.is_live):
        raise PlanInvalidError("The plan has another order than the source.", path="order", met=str(plan.order))
    with guard_run(sources, registered):
        rows = inspect_source(registered.engine, plan, fields, registered.row_count, timeout_s)
    sources.require_unchanged(registered)
    return rows


def read_columns(
    context: Context, raw: Mapping[str, object], timeout_s: float | None, mark: str | None
) -> list[tuple[Field, Vector]]:
    """Return the columns of a stored plan as they stand, or those that show a source."""
    read = _read_shown_columns if is_inspection(raw) else read_plan_columns
    return read(context, raw, timeout_s, mark)


def _read_shown_columns(
    context: Context, raw: Mapping[str, object], timeout_s: float | None, mark: str | None
) -> list[tuple[Field, Vector]]:
    """Return the columns that show a source, as `RemoteEngine` asks for them; nothing is recorded."""
    form = dict(raw)
    name, plan_hash, names = (form.pop(key, None) for key in ("source_name", "plan_hash", "fields"))
    if not isinstance(name, str) or not isinstance(plan_hash, str) or not _is_list_of_names(names):
        raise PlanInvalidError("The plan is malformed.", expected="source_name, plan_hash and fields")
    sources = context.sources
    sources.policy.require_source(name)
    for each in names:
        sources.require_field(name, each)
    plan = read_inspection(form, name, plan_hash)
    registered = sources.get_for_plan(plan, mark)
    allowed = sources.get_allowed_fields(registered)
    if unknown := [each for each in names if each not in allowed]:
        raise PlanInvalidError("The source has no such column.", path="fields", met=describe_value(unknown[0]))
    fields = [allowed[each] for each in names]
    rows = _inspect(sources, registered, plan, fields, timeout_s)
    columns = [
        Field(name=column["name"], type=cast(FieldType, column["type"]), physical=column["physical"])
        for column in list_columns(plan, fields)
    ]
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    return [(column, _build_vector(column, cells)) for column, cells in zip(columns, values, strict=True)]


def _build_vector(column: Field, values: Sequence[Value]) -> Vector:
    return build_vector_of_values("string" if column.physical == "counts" else column.physical, values)


def _build_table(plan: Inspection, columns: tuple[Column, ...], rows: list[Row], engine: str) -> ResultTable:
    names = [column["name"] for column in columns]
    result_text = write_canonical_text([dict(zip(names, map(convert_to_json, row), strict=True)) for row in rows])
    return ResultTable(
        plan=plan,
        columns=columns,
        values=tuple(rows),
        plan_text=write_inspection_text(plan),
        result_text=result_text,
        result_hash=digest(RESULT_DOMAIN, plan.plan_hash, result_text),
        method=describe_inspection_method(plan),
        engine=engine,
    )


def _is_list_of_names(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(each, str) for each in value) and len(set(value)) == len(value)
