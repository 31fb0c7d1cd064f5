"""Show a table of a database: its first rows in an order of all columns, and what its columns hold.

Each is one SELECT inside the database where it is trusted to compute, and is made of rows that were read where not.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.connectors.base import SqlLink
from service_nb.engines.engine import Row, build_vector
from service_nb.engines.extracted_rows import build_dataset, extract_rows, hold_rows
from service_nb.engines.inspecting import build_profile_rows, list_rows
from service_nb.engines.pushing import Target, find_value_reader, push_plan, read_integer
from service_nb.errors import EngineError, InvalidIntentError, SourceMalformedError
from service_nb.query.aggregations.aggregation import normalise_zero
from service_nb.query.sql import Method
from service_nb.query.sql_inspection import InspectionBuilder
from service_nb.readers.dataset import Dataset
from service_nb.schema.query import Inspection, Plan
from service_nb.schema.source import ColumnProfile, Field, Value

REFUSED = (EngineError, InvalidIntentError, SourceMalformedError)  # what links make of a statement that fails
MOST_PROFILED = 1_000_000  # cells of a table that are read and profiled here, with distributions
MOST_COUNTED = 40  # columns that one statement profiles: databases join some sixty parts at most
LONG_TEXT = 256  # characters, of at most four bytes: some databases sort texts by their first 1,024 bytes


@dataclass(frozen=True, slots=True)
class InspectedTable:
    """Columns of a table or query that are shown, over one session, by a moment of `time.monotonic()`."""

    link: SqlLink
    target: Target
    fields: tuple[Field, ...]
    deadline: float

    def push(self, plan: Inspection) -> list[Row] | None:
        """Have the database find what shows it; None where rows have to be read."""
        if plan.limit is not None:
            first = self._push_first_rows(plan.limit) if self.fields else None
            return None if first is None else self._show_rows(first)
        counted = self._push_profile() if self._is_large() else None
        return None if counted is None else self._show_profile(*counted)

    def read(self, plan: Inspection) -> list[Row]:
        """Show the table by its rows, which are read."""
        dataset = extract_rows(self.link, self.target, [field.name for field in self.fields], (), self.deadline)
        if plan.limit is not None:
            return self._show_rows(order_rows(dataset).slice(0, plan.limit))
        with closing(hold_rows(dataset, self.target.limits)) as engine:
            profiles = engine.profile_columns([field.name for field in self.fields], None)
        return self._show_profile(dataset.row_count, profiles)

    # --- the first rows -----------------------------------------------------------------------------------------------

    def _show_rows(self, first: pa.Table) -> list[Row]:
        shown = zip(self.fields, first.columns[: len(self.fields)], strict=True)
        vectors = [build_vector(field.physical, column) for field, column in shown]
        return list_rows(vectors)

    def _push_first_rows(self, count: int) -> pa.Table | None:
        """Have the database find the first rows; None where they may be others than those of our order."""
        shape = self.target.build_shape(self.link, Method.COUNT)
        statement = InspectionBuilder(self.fields, self.target.relation, shape).build_first_rows(count)
        try:
            batches = self.link.fetch_batches(statement.tree, statement.parameters, self.deadline)
            found = build_dataset(batches, self.fields, self.target.limits)
        except REFUSED:
            return None
        ordered = order_rows(found)
        is_whole = ordered.num_rows <= count and not any(map(_has_long_text, ordered.columns))
        return ordered if is_whole and _is_ordered(found) else None

    # --- what columns hold --------------------------------------------------------------------------------------------

    def _show_profile(self, rows: int, profiles: Sequence[ColumnProfile]) -> list[Row]:
        """Show profiles; of many cells without distributions, whoever counted."""
        is_large = rows * len(self.fields) > MOST_PROFILED
        shown = [replace(each, counts=()) for each in profiles] if is_large else profiles
        return build_profile_rows(self.fields, rows, shown)

    def _is_large(self) -> bool:
        """Tell whether there are more cells than are read to be profiled here."""
        counted = push_plan(self.link, self.target, Plan(aggregation="count"), None, self.deadline)
        rows = sum(group.rows for group in counted.groups) if counted is not None else 0
        return 0 < len(self.fields) <= MOST_COUNTED and rows * len(self.fields) > MOST_PROFILED

    def _push_profile(self) -> tuple[int, list[ColumnProfile]] | None:
        """Have the database count in one SELECT; None where it refuses the statement."""
        shape = self.target.build_shape(self.link, Method.COUNT)
        statement = InspectionBuilder(self.fields, self.target.relation, shape).build_profile()
        try:
            (row,) = self.link.fetch_rows(statement.tree, statement.parameters, 1, self.deadline)
            measures: dict[str, object] = dict(zip(statement.measures, row, strict=True))
            return read_integer(measures["rows"]), [_read_profile(*each, measures) for each in enumerate(self.fields)]
        except REFUSED:
            return None


def order_rows(dataset: Dataset) -> pa.Table:
    """Return the rows by each column in turn, ascending: text by code point, NaN after all numbers, nulls last.

    -0.0 becomes 0.0, for the two are one number.
    """
    table = _normalise_zeros(dataset)
    return table.take(_sort(table)) if table.num_columns else table


def _is_ordered(dataset: Dataset) -> bool:
    table = _normalise_zeros(dataset)
    return bool((np.asarray(_sort(table)) == np.arange(table.num_rows)).all())  # the sort is stable


def _sort(table: pa.Table) -> pa.Array:
    return pc.sort_indices(table, sort_keys=[(name, "ascending") for name in table.column_names])


def _normalise_zeros(dataset: Dataset) -> pa.Table:
    table = dataset.table
    if table is None:
        raise ValueError("rows that were extracted are in memory")
    columns = [pc.add(column, 0.0) if pa.types.is_floating(column.type) else column for column in table.columns]
    return pa.table(columns, names=table.column_names)


def _has_long_text(column: pa.ChunkedArray) -> bool:
    if not pa.types.is_string(column.type):
        return False
    longest = pc.max(pc.utf8_length(column)).as_py()
    return longest is not None and longest >= LONG_TEXT


def _read_profile(index: int, field: Field, measures: dict[str, object]) -> ColumnProfile:
    rows, present = read_integer(measures["rows"]), read_integer(measures[f"n{index}"])
    numbers = present - read_integer(measures.get(f"nans{index}", 0))
    # Some databases answer 0 for the extreme of nothing.
    read = find_value_reader(field) if numbers and f"low{index}" in measures else _read_nothing
    low, high = (normalise_zero(read(measures.get(f"{end}{index}"))) for end in ("low", "high"))
    distinct = read_integer(measures[f"d{index}"])
    return ColumnProfile(nulls=rows - present, distinct=distinct, minimum=low, maximum=high, counts=())


def _read_nothing(_: object) -> Value:
    return None
