"""The first look at a source: its first rows, and what each column holds; recorded and hashed like any answer."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from service_nb.client.context import Context, guard_run
from service_nb.client.question import ResultTable, record_answer
from service_nb.client.registration import connect_named
from service_nb.client.registry import Registered, Sources
from service_nb.client.results import QueryOutcome
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import RESULT_DOMAIN, digest
from service_nb.core.words import write_name
from service_nb.engines.engine import LocalEngine
from service_nb.errors import InvalidIntentError
from service_nb.query.inspection import (
    PROFILE_COLUMNS,
    build_preview,
    build_profile,
    build_profile_row,
    list_preview_columns,
    read_inspection,
    write_inspection_text,
)
from service_nb.schema.card import Column
from service_nb.schema.compute import Vector
from service_nb.schema.query import Inspection
from service_nb.schema.source import Field, Value, convert_to_json

PREVIEW_METHOD = "the rows as they stand in the source, in its order"
PROFILE_METHOD = "exact counts over all rows; extremes leave out null and NaN"
Row = tuple[Value, ...]


def preview_source(context: Context, name: str, rows: int, timeout_s: float | None) -> QueryOutcome:
    """Show the first rows of a source."""
    started = time.perf_counter()
    registered = _find_source(context.sources, name)
    plan = build_preview(registered.name, context.sources.restrict(registered).schema_revision, rows)
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
    engine = registered.engine
    fields = list(context.sources.get_allowed_fields(registered).values())
    if not isinstance(engine, LocalEngine):
        raise _build_live_error(registered.name, fields)
    names = [field.name for field in fields]
    with guard_run(context.sources, registered):
        if plan.limit is not None:
            columns, method = list_preview_columns(fields), PREVIEW_METHOD
            rows = _build_rows(engine.read_first_rows(names, plan.limit, timeout_s))
        else:
            columns, method = PROFILE_COLUMNS, PROFILE_METHOD
            found = engine.profile_columns(names, timeout_s)
            pairs = zip(fields, found, strict=True)
            rows = [build_profile_row(field, registered.row_count, profile) for field, profile in pairs]
    context.sources.require_unchanged(registered)
    return registered, _build_table(plan, columns, rows, method, engine.name)


def _build_rows(vectors: list[Vector]) -> list[Row]:
    return list(zip(*map(_list_values, vectors), strict=True))


def _list_values(vector: Vector) -> list[Value]:
    values: list[Value] = vector.values.tolist() if isinstance(vector.values, np.ndarray) else list(vector.values)
    if vector.nulls is None:
        return values
    return [None if is_null else value for value, is_null in zip(values, vector.nulls, strict=True)]


def _build_table(
    plan: Inspection, columns: tuple[Column, ...], rows: list[Row], method: str, engine: str
) -> ResultTable:
    names = [column["name"] for column in columns]
    result_text = write_canonical_text([dict(zip(names, map(convert_to_json, row), strict=True)) for row in rows])
    return ResultTable(
        plan=plan,
        columns=columns,
        values=tuple(rows),
        plan_text=write_inspection_text(plan),
        result_text=result_text,
        result_hash=digest(RESULT_DOMAIN, plan.plan_hash, result_text),
        method=method,
        engine=engine,
    )


def _build_live_error(name: str, fields: list[Field]) -> InvalidIntentError:
    """Return the error for a live source, with a question that its database can answer."""
    text = next((field.name for field in fields if field.type == "string"), None)
    by = "" if text is None else f" by {write_name(text)}"
    limit = "" if text is None else " limit 20"
    return InvalidIntentError(
        f"{name} is a live source: its database promises no order of rows, and its rows may change between two counts.",
        hint=f"Ask it a question instead, such as: count{by} from {write_name(name)}{limit}",
        path="name",
        met="a live source",
        expected="a source that is held here, such as a file",
    )
