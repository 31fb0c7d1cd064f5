"""Turn groups into result rows: names of the columns, the one total order, and JSON-ready values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, groupby
from typing import Any

from service_nb.core.canonical import MAX_SAFE_INTEGER, write_canonical_text, write_float
from service_nb.query.aggregations import RECORDS
from service_nb.query.filters import is_comparable
from service_nb.schema.query import Group, Plan
from service_nb.schema.source import Field, Value


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """The columns of a result, in order: group keys, the aggregate (unless rows alone are counted), the row count."""

    keys: tuple[str, ...]
    metric: str | None
    count: str

    @property
    def names(self) -> tuple[str, ...]:
        """All names in order."""
        return (*self.keys, *([] if self.metric is None else [self.metric]), self.count)


def build_result_columns(plan: Plan) -> ResultColumns:
    """Return the names of the result's columns, each different.

    The aggregate has its column's name (`<aggregation>_<column>` if that is also a group key); the count of rows is
    `count`, or `row_count` where a column already has that name.
    """
    taken = set(plan.group_by)
    metric = plan.metric
    if metric is not None:
        metric = _find_free_name(taken, metric, f"{plan.aggregation}_{metric}")
        taken.add(metric)
    return ResultColumns(plan.group_by, metric, _find_free_name(taken, "count", "row_count"))


def list_physical_types(plan: Plan, fields: Mapping[str, Field]) -> tuple[str, ...]:
    """Return the physical types of the result's columns, in their order."""
    names = build_result_columns(plan)
    keys = tuple(fields[name].physical for name in names.keys)
    if names.metric is None or plan.metric is None:
        return (*keys, "int64")
    return (*keys, RECORDS[plan.aggregation].hold(fields[plan.metric].physical), "int64")


def _find_free_name(taken: set[str], first: str, second: str) -> str:
    name = first if first not in taken else second
    while name in taken:
        name += "_"
    return name


def sort_groups(groups: Iterable[Group], plan: Plan) -> list[Group]:
    """Return the groups in the plan's total order, cut to its limit.

    By value in the plan's direction; NaN after every number and null after NaN, in both directions; ties by the group
    keys ascending, text by code point, nulls last.
    """
    found = list(groups)
    first = [group for group in found if is_comparable(group.value)]
    first.sort(key=_get_value, reverse=plan.order == "desc")
    last = [group for group in found if not is_comparable(group.value)]
    last.sort(key=lambda group: group.value is None)
    wanted = len(found) if plan.limit is None else plan.limit
    rows: list[Group] = []
    for _, tied in chain(groupby(first, _get_value), groupby(last, lambda group: group.value is None)):
        if len(rows) >= wanted:
            break
        run = list(tied)
        rows += run if len(run) == 1 else sorted(run, key=_rank_keys)
    return rows[:wanted]


def _get_value(group: Group) -> Any:
    return group.value


def _rank_keys(group: Group) -> list[tuple[int, Any]]:
    return [_rank(key) for key in group.keys]


def _rank(key: Value) -> tuple[int, object]:
    if key is None:
        return (2, 0)
    return (0, key) if is_comparable(key) else (1, 0)


def build_row(group: Group, columns: ResultColumns) -> tuple[Value, ...]:
    """Return one row of native values in the order of the columns."""
    return (*group.keys, group.rows) if columns.metric is None else (*group.keys, group.value, group.rows)


def write_exact_text(value: Value) -> str | None:
    """Return the exact text of a value: its canonical JSON, without quotes; None for null."""
    if value is None:
        return None
    if type(value) is float:
        return write_float(value).strip('"')  # of what is not finite the name
    ready = convert_to_json(value)
    return ready if isinstance(ready, str) else write_canonical_text(ready)


def convert_to_json(value: Value) -> Any:
    """Return the value as JSON carries it without loss: long integers, decimals, dates and non-finite as text."""
    kind = type(value)  # of each value of each row, so the usual ones are told first, and in the fastest way
    if kind is str or kind is bool or value is None:
        return value
    if isinstance(value, int):
        return value if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else str(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, Decimal):
        return format(value, "f")
    return value if isinstance(value, str) else value.isoformat()
