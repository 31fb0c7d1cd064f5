"""Rows of a live source in this process: what is computed here when the database cannot be trusted with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.connectors.base import SqlLink
from service_nb.core.words import describe_value
from service_nb.engines.base import MOST_ROWS, too_many_rows_error
from service_nb.engines.pushing import Target
from service_nb.errors import LimitExceededError, SourceMalformedError
from service_nb.query.sql import Method
from service_nb.readers.dataset import Dataset
from service_nb.schema.query import Condition, Plan
from service_nb.schema.source import Content, Field, Limits

_TYPES = {
    "int64": pa.int64(),
    "float64": pa.float64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
}


def list_plan_columns(plan: Plan) -> tuple[str, ...]:
    """Return the columns that a plan is about, each once."""
    metric = () if plan.metric is None else (plan.metric,)
    return tuple(dict.fromkeys([*plan.group_by, *metric, *(condition.column for condition in plan.conditions)]))


def extract_rows(
    link: SqlLink, target: Target, names: Sequence[str], conditions: tuple[Condition, ...], deadline: float
) -> Dataset:
    """Read columns of the rows that meet the conditions, within the limits of memory, cells and rows.

    Raises
    ------
    LimitExceededError [limit_exceeded]
        They do not fit.
    SourceMalformedError [source_malformed]
        A value is not of its column's type.
    """
    fields = [target.fields[name] for name in names]
    # Without a column rows are counted by any that there is.
    wanted = fields or [next(iter(target.fields.values()))]
    shape = target.shape(link, Method.COUNT)
    statement = target.statements.columns(_build_reading_plan(wanted, conditions), target.relation, shape)
    batches = link.batches(statement.tree, statement.parameters, deadline)
    table = _build_table(batches, wanted, target.limits)
    return Dataset(
        fields=tuple(wanted),
        row_count=table.num_rows,
        content=Content(algorithm="sha256-arrow", sha256=None, size=table.num_rows),
        table=table,
    )


def sort_rows(dataset: Dataset) -> pa.Table:
    """Return the rows in an order of their own, for a database keeps none: by each column, ascending, nulls last.

    Text is ordered by code point; NaN comes after all numbers, -0.0 before 0.0.
    """
    table = dataset.table
    if table is None:
        raise ValueError("rows that were extracted are in memory")
    keys: dict[str, pa.ChunkedArray] = {}
    for index, column in enumerate(table.columns):
        keys[f"value{index}"] = column
        if pa.types.is_floating(column.type):
            keys[f"positive{index}"] = pa.chunked_array([~np.signbit(column.fill_null(0.0).to_numpy())])
    order = pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in keys])
    return table.take(order)


def _build_reading_plan(fields: Sequence[Field], conditions: tuple[Condition, ...]) -> Plan:
    return Plan(
        source_name="",
        schema_revision="",
        aggregation="count",
        metric=None,
        group_by=tuple(field.name for field in fields),
        conditions=conditions,
        order="desc",
        limit=None,
        decision_path="exact_spec",
        plan_hash="",
        notes={},
    )


def _build_table(batches: Iterable[pa.RecordBatch], fields: Sequence[Field], limits: Limits) -> pa.Table:
    schema = pa.schema([pa.field(f"c{index}", find_arrow_type(field)) for index, field in enumerate(fields)])
    parts, rows, size = [], 0, 0
    for batch in batches:
        columns = [_as(column, field) for column, field in zip(batch.columns, fields, strict=True)]
        part = pa.RecordBatch.from_arrays(columns, schema=schema)
        parts.append(part)
        rows, size = rows + part.num_rows, size + part.nbytes
        _check(rows, len(fields), size, limits)
    return pa.Table.from_batches(parts, schema=schema)


def _check(rows: int, columns: int, size: int, limits: Limits) -> None:
    if rows > MOST_ROWS:
        raise too_many_rows_error()
    for name, met, most in (("memory_bytes", size, limits.memory_bytes), ("cells", rows * columns, limits.cells)):
        if met > most:
            raise LimitExceededError(
                f"The rows that have to be read here need more than {most:,} of {name}.",
                hint=f"Add a condition, or raise Limits({name}=…).",
                limit=most,
                limit_name=name,
                value=met,
            )


def _as(column: pa.Array, field: Field) -> pa.Array:
    kind = find_arrow_type(field)
    if column.type == kind:
        return column
    try:
        if pa.types.is_large_binary(column.type) or pa.types.is_binary(column.type):
            column = column.cast(pa.large_string())
        if pa.types.is_timestamp(column.type) and column.type.tz is not None:
            column = column.cast(pa.timestamp(column.type.unit, "UTC")).cast(pa.timestamp(column.type.unit))
        return column.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise SourceMalformedError(
            f"The column {describe_value(field.name)} holds a value that is not {field.physical}.",
            column=field.name,
            met=str(column.type),
            expected=field.physical,
        ) from error


def find_arrow_type(field: Field) -> pa.DataType:
    """Return the Arrow type of a field's values in memory."""
    if field.physical in _TYPES:
        return _TYPES[field.physical]
    precision, scale = field.physical[len("decimal(") : -1].split(",")
    return pa.decimal128(int(precision), int(scale))
