"""Variances in any database that can count: group by the value too, count each, and add the squares here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from service_nb.query.aggregations import RECORDS
from service_nb.query.aggregations.aggregation import Measure
from service_nb.query.aggregations.squares import sum_squares
from service_nb.schema.query import Group, Plan
from service_nb.schema.source import Value

_Counts = dict[float | Decimal, int]  # how often each value of a group is there, nulls apart


def build_value_counts(plan: Plan) -> Plan | None:
    """Build the plan that counts each value of each group; None where databases add what the plan asks for."""
    if plan.metric is None or RECORDS[plan.aggregation].measure is not Measure.SQUARES:
        return None
    return replace(plan, aggregation="count", metric=None, group_by=(*plan.group_by, *_list_added_keys(plan)))


def _list_added_keys(plan: Plan) -> list[str]:
    return [] if plan.metric is None or plan.metric in plan.group_by else [plan.metric]


def fold_value_counts(plan: Plan, counted: Sequence[Group]) -> list[Group]:
    """Return the plan's groups, made of the counts of their values."""
    width = len(plan.group_by)
    place = width if _list_added_keys(plan) else plan.group_by.index(plan.metric or "")
    found: dict[tuple[Value, ...], tuple[int, _Counts]] = {} if plan.group_by else {(): (0, {})}
    for group in counted:
        # All NaN must be one object for equal keys to be equal.
        keys = tuple([math.nan if key != key else key for key in group.keys[:width]])
        rows, values = found.get(keys, (0, {}))
        if isinstance(value := group.keys[place], int | float | Decimal):
            values[value] = group.rows
        found[keys] = rows + group.rows, values
    finish = RECORDS[plan.aggregation].finish_squares
    groups = []
    for keys, (rows, values) in found.items():
        count = sum(values.values())
        nulls = (rows - count,) if count < rows else ()
        groups.append(Group(keys, rows, finish(sum_squares(values), count), nulls=nulls))
    return groups
