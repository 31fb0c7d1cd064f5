"""Compute small sources in memory, for an SQL engine's fixed cost is many times the work on a few rows.

The sums are the same to the bit as any engine's because there is only one correctly rounded result.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from service_nb.engines.engine import (
    EngineAnswer,
    join_methods,
    outside_calendar_error,
    too_many_groups_error,
)
from service_nb.engines.text_orders import find_text_order
from service_nb.query.aggregations import RECORDS
from service_nb.query.aggregations.aggregation import COUNTED
from service_nb.query.aggregations.order_places import find_share
from service_nb.query.conditions import build_predicate
from service_nb.query.group_keys import build_key_reader, check_zone, get_key_column, list_key_columns
from service_nb.query.histogram import choose_edges, list_most_frequent
from service_nb.query.plan import is_comparable
from service_nb.readers.dataset import Dataset
from service_nb.schema.compute import Vector
from service_nb.schema.query import AskedMeasure, ConditionGroup, ConditionTree, DateKey, Group, GroupKey, Plan
from service_nb.schema.source import (
    DEFAULT_LIMITS,
    Bin,
    ColumnProfile,
    Field,
    FieldStats,
    Frequent,
    Limits,
    Value,
    write_exact_text,
)
from service_nb.schema.text_order import TextOrder

MOST_ROWS = 2_000  # beyond it DuckDB's scan is faster than its fixed cost is dear


class MemoryEngine:
    """Columns as Python lists."""

    name = "direct"  # as cards show it and hash it, so it stays

    def __init__(self, dataset: Dataset, limits: Limits = DEFAULT_LIMITS) -> None:
        if dataset.table is None:
            raise ValueError("the memory engine takes a table in memory, not files")
        self._fields = {field.name: field for field in dataset.fields}
        self._rows = dataset.row_count
        self._limits = limits
        self._text_orders: dict[str, TextOrder] = {}
        pairs = zip(dataset.fields, dataset.table.columns, strict=True)
        self._columns = {field.name: _convert_column(field, column) for field, column in pairs}

    def aggregate(self, plan: Plan, timeout_s: float | None = None) -> EngineAnswer:  # noqa: ARG002
        """Compute the plan's groups; no deadline is watched, a few rows take no time."""
        grouped = self._group_rows(plan, self._select_rows(plan))
        if len(grouped) > self._limits.groups:
            raise too_many_groups_error(self._limits)
        groups = []
        for keys, rows in grouped.items():
            computed = [self._compute_measure(measure, rows) for measure in plan.measures]
            (value, _), *more = computed
            nulls = tuple([left_out for _, left_out in computed])
            groups.append(Group(keys, len(rows), value, tuple([each for each, _ in more]), nulls if any(nulls) else ()))
        return EngineAnswer(groups=groups, method=join_methods(map(self._describe_method, plan.measures)))

    def _compute_measure(self, measure: AskedMeasure, rows: Sequence[int]) -> tuple[Value, int]:
        """Compute a measure of a group's rows, and count the nulls that it leaves out."""
        if measure.metric is None:
            return len(rows), 0
        column, field, record = (
            self._columns[measure.metric],
            self._fields[measure.metric],
            RECORDS[measure.aggregation],
        )
        present = [value for value in (column[row] for row in rows) if value is not None]
        value = record.compute(field, present, find_share(measure.percent)) if present else record.empty
        return value, len(rows) - len(present)

    def _describe_method(self, measure: AskedMeasure) -> str:
        if measure.metric is None:
            return COUNTED
        return RECORDS[measure.aggregation].describe_method(self._fields[measure.metric].physical)

    def read_columns(self, plan: Plan, timeout_s: float | None = None) -> list[Vector]:  # noqa: ARG002
        """Read the plan's group columns, not grouped, of the rows that meet its conditions."""
        rows = self._select_rows(plan)
        return [
            build_vector_of_values(self._fields[name].physical, [self._columns[name][row] for row in rows])
            for name in list_key_columns(plan.group_by)
        ]

    def _select_rows(self, plan: Plan) -> Sequence[int]:
        rows: Sequence[int] = range(self._rows)
        for tree in plan.conditions:
            holds = self._build_row_test(tree)
            rows = [row for row in rows if holds(row)]
        return rows

    def _build_row_test(self, tree: ConditionTree) -> Callable[[int], bool]:
        if isinstance(tree, ConditionGroup):
            tests, join = [self._build_row_test(part) for part in tree.parts], any if tree.joiner == "any" else all
            return lambda row: join(test(row) for test in tests)
        column, holds = self._columns[tree.column], build_predicate(tree)
        return lambda row: holds(column[row])

    def _group_rows(self, plan: Plan, rows: Sequence[int]) -> dict[tuple[Value, ...], Sequence[int]]:
        if not plan.group_by:
            return {(): rows}
        columns = [self._read_keys(key, rows) for key in plan.group_by]
        groups: dict[tuple[Value, ...], list[int]] = {}
        for row, keys in zip(rows, zip(*columns, strict=True), strict=True):
            groups.setdefault(keys, []).append(row)
        return dict(groups)

    def _read_keys(self, key: GroupKey, rows: Sequence[int]) -> list[Any]:
        name = get_key_column(key)
        column, read = self._columns[name], build_key_reader(key, self._fields[name])
        if isinstance(key, DateKey) and key.zone is not None:
            present = [value for value in column if value is not None]
            check_zone(key, self._fields[name], min(present, default=None), max(present, default=None))
        return [read(column[row]) for row in rows]

    def read_statistics(self, name: str) -> FieldStats:
        """Compute the statistics of a column's values."""
        column, field = self._columns[name], self._fields[name]
        present = [value for value in column if is_comparable(value)]
        if field.type == "string":
            return FieldStats(nulls=len(column) - len(present), distinct=tuple(sorted(set(present))))
        finite = [value for value in present if not isinstance(value, float) or math.isfinite(value)]
        magnitudes = [abs(value) for value in finite if isinstance(value, float) and value]
        return FieldStats(
            nulls=sum(value is None for value in column),
            minimum=min(finite, default=None),
            maximum=max(finite, default=None),
            smallest_nonzero=min(magnitudes, default=None),
            nonfinite=sum(isinstance(value, float) and not math.isfinite(value) for value in column),
        )

    def find_text_order(self, name: str) -> TextOrder:
        """Find what the texts of a column read as."""
        if name not in self._text_orders:
            found = Counter(value for value in self._columns[name] if value is not None)
            texts, rows = pa.array(list(found), pa.string()), pa.array(list(found.values()), pa.int64())
            self._text_orders[name] = find_text_order(texts, rows)
        return self._text_orders[name]

    def read_first_rows(self, names: Sequence[str], count: int, timeout_s: float | None = None) -> list[Vector]:  # noqa: ARG002
        """Read columns of the first rows."""
        return [build_vector_of_values(self._fields[name].physical, self._columns[name][:count]) for name in names]

    def find_statistics(self, name: str) -> FieldStats:
        """Compute the statistics of a column's values."""
        return self.read_statistics(name)

    def has_profiles(self, names: Sequence[str]) -> bool:  # noqa: ARG002
        """Tell that small sources are profiled at once."""
        return True

    def profile_columns(self, names: Sequence[str], timeout_s: float | None = None) -> list[ColumnProfile]:  # noqa: ARG002
        """Count what columns hold."""
        return [self._profile_column(self._fields[name]) for name in names]

    def _profile_column(self, field: Field) -> ColumnProfile:
        present = [value for value in self._read_keys(field.name, range(self._rows)) if value is not None]
        ordered = [] if field.type == "boolean" else [value for value in present if is_comparable(value)]
        finite = [value for value in ordered if not isinstance(value, float) or math.isfinite(value)]
        found = Counter(present)
        least, greatest = min(finite, default=None), max(finite, default=None)
        edges = None if field.type == "string" else choose_edges(field, least, greatest)
        counts: tuple[Bin, ...] | tuple[Frequent, ...]
        if edges is None:
            shown = Counter(finite if field.type not in ("string", "boolean") else present)
            counts = list_most_frequent((write_exact_text(value) or "", count) for value, count in shown.items())
        else:
            counts = edges.build_bins([len(finite), *(sum(value >= edge for value in finite) for edge in edges.inner)])
        return ColumnProfile(
            nulls=self._rows - len(present),
            distinct=len(found),
            minimum=min(ordered, default=None),
            maximum=max(ordered, default=None),
            counts=counts,
        )

    def list_known_values(self, name: str) -> tuple[str, ...]:
        """List the values of a string column, in code-point order: of a small source there are few."""
        return self.read_statistics(name).distinct or ()

    def close(self) -> None:
        """Forget the columns."""
        self._columns.clear()


def _convert_column(field: Field, column: pa.ChunkedArray) -> list[Any]:
    try:
        values: list[object] = column.to_pylist()
    except (OverflowError, ValueError):
        raise outside_calendar_error(field) from None
    return values


def build_vector_of_values(physical: str, values: Sequence[object]) -> Vector:
    """Build the vector of native values; OverflowError where an integer is none of 64 bits."""
    nulls = np.array([value is None for value in values], dtype=np.bool_)
    mask = nulls if nulls.any() else None
    if physical not in ("float64", "int64"):
        return Vector(list(values), mask)
    return Vector(np.array([0 if value is None else value for value in values], dtype=physical), mask)
