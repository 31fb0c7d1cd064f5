"""Rows of a database that are read here: where it cannot be trusted to add them, and where they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.connectors.base import SqlLink
from service_nb.core.words import describe_value
from service_nb.engines.duckdb import DuckDBEngine
from service_nb.engines.engine import MOST_ROWS, LocalEngine, find_arrow_type, too_many_rows_error
from service_nb.engines.memory import MOST_ROWS as MOST_IN_MEMORY
from service_nb.engines.memory import MemoryEngine
from service_nb.engines.pushing import Target
from service_nb.errors import LimitExceededError, SourceMalformedError
from service_nb.query.sql import Method
from service_nb.readers.dataset import Dataset
from service_nb.schema.query import ConditionTree, Plan
from service_nb.schema.source import Content, Field, Limits


def extract_rows(
    link: SqlLink, target: Target, names: Sequence[str], conditions: tuple[ConditionTree, ...], deadline: float
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
    reading = Plan(aggregation="count", group_by=tuple(field.name for field in wanted), conditions=conditions)
    shape = target.build_shape(link, Method.COUNT)
    statement = target.statements.build_columns(reading, target.relation, shape)
    batches = link.fetch_batches(statement.tree, statement.parameters, deadline)
    return build_dataset(batches, wanted, target.limits)


def build_dataset(batches: Iterable[pa.RecordBatch], fields: Sequence[Field], limits: Limits) -> Dataset:
    """Build a dataset in memory of what a database sends; raises as `extract_rows` does."""
    table = _build_table(batches, fields, limits)
    return Dataset(
        fields=tuple(fields),
        row_count=table.num_rows,
        content=Content(algorithm="sha256-arrow", sha256=None, size=table.num_rows),
        table=table,
    )


def hold_rows(dataset: Dataset, limits: Limits) -> LocalEngine:
    """Hold rows that were read in the engine that is faster for so many."""
    if dataset.row_count <= MOST_IN_MEMORY:
        return MemoryEngine(dataset, limits)
    return DuckDBEngine(dataset, limits)


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


def _build_table(batches: Iterable[pa.RecordBatch], fields: Sequence[Field], limits: Limits) -> pa.Table:
    schema = pa.schema([pa.field(f"c{index}", find_arrow_type(field)) for index, field in enumerate(fields)])
    parts, rows, size = [], 0, 0
    for batch in batches:
        columns = [_cast_column(column, field) for column, field in zip(batch.columns, fields, strict=True)]
        part = pa.RecordBatch.from_arrays(columns, schema=schema)
        parts.append(part)
        rows, size = rows + part.num_rows, size + part.nbytes
        _check_size(rows, len(fields), size, limits)
    return pa.Table.from_batches(parts, schema=schema)


def _check_size(rows: int, columns: int, size: int, limits: Limits) -> None:
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


def _cast_column(column: pa.Array, field: Field) -> pa.Array:
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
