"""The groups that can be among the first of a long result: only these are finished exactly.

A million exact sums are a million integers of Python, made to show the ten largest. Doubles order most of them well
enough: a sum in doubles and a bound of its error tell which groups are behind the first ones whatever was rounded.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from service_nb.query.aggregations import RECORDS
from service_nb.query.aggregations.aggregation import Measure
from service_nb.query.limbs import Limbs
from service_nb.query.sql import SPECIAL, Method
from service_nb.query.used_rows import UsedRows, build_null_counter
from service_nb.schema.query import BinKey, Plan

# Of the sum of the magnitudes that are added: far above the few roundings that are made, far below what tells groups.
_ERROR = 2.0**-46
_FARTHEST_SCALE = 900  # beyond, a power of two is near the end of the doubles


def is_cut_by_value(plan: Plan) -> bool:
    """Tell whether a result has only the groups that are first by its only measure, a sum, a mean or a count."""
    measured = RECORDS[plan.aggregation].measure in (Measure.TOTAL, Measure.COUNT)
    each_is_checked = any(isinstance(key, BinKey) for key in plan.group_by)
    return measured and plan.limit is not None and not (plan.more or plan.having or plan.order_by or each_is_checked)


def find_first_groups(
    plan: Plan, method: Method | Limbs, measures: Sequence[str], table: pa.Table
) -> NDArray[np.intp] | None:
    """Find the rows of `table` that can be among the first of the result; None where all must be finished.

    `table` has a column for each group key and then one for each of `measures`.
    """
    columns = dict(zip(measures, table.columns[len(plan.group_by) :], strict=True))
    if plan.limit is None or any(pc.any(pc.not_equal(columns[name], 0)).as_py() for name in SPECIAL if name in columns):
        return None
    estimated = _estimate(plan, method, columns)
    if estimated is None:
        return None
    values, errors = estimated
    if plan.order != "desc":
        values = -values
    known = np.flatnonzero(~np.isnan(values))
    if len(known) <= plan.limit or not np.isfinite(values[known]).all():
        return None
    least = values - errors
    last = np.partition(least[known], len(known) - plan.limit)[len(known) - plan.limit]
    first: NDArray[np.intp] = known[(values + errors)[known] >= last]
    return first


def count_all_rows(plan: Plan, measures: Sequence[str], totals: Sequence[int]) -> UsedRows:
    """Count the rows of all groups from the totals of their measures."""
    nulls = build_null_counter(measures)(totals)
    return UsedRows(
        count=totals[measures.index("rows")], nulls={plan.metric: nulls[0]} if nulls and plan.metric else {}
    )


def add_counts(measures: Sequence[str], table: pa.Table) -> tuple[int, ...]:
    """Add the counts of all groups; a sum of values is 0 here."""
    columns = table.columns[table.num_columns - len(measures) :]
    return tuple((pc.sum(column).as_py() or 0) if column.type == pa.int64() else 0 for column in columns)


def _estimate(
    plan: Plan, method: Method | Limbs, columns: dict[str, pa.ChunkedArray]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Estimate each group's value, NaN where it has none, with a bound of the error; None for other methods."""
    count = _read_doubles(columns.get("n", columns["rows"]))
    if RECORDS[plan.aggregation].measure is Measure.COUNT:
        return (count, np.zeros_like(count)) if method is Method.COUNT else None
    if isinstance(method, Limbs):
        if max(map(abs, method.scales)) > _FARTHEST_SCALE:
            return None
        terms = [_read_doubles(columns[f"s{at}"]) * 2.0**-scale for at, scale in enumerate(method.scales)]
    elif method is Method.WIDE:
        terms = [_read_doubles(columns["total"])]
    else:
        return None
    size = np.abs(terms).sum(axis=0)
    value = np.where(count == 0, np.nan, np.sum(terms, axis=0))
    if plan.aggregation == "avg":
        with np.errstate(invalid="ignore", divide="ignore"):
            value, size = value / count, size / count
    return value, size * _ERROR


def _read_doubles(column: pa.ChunkedArray) -> NDArray[np.float64]:
    doubles: NDArray[np.float64] = pc.cast(column, pa.float64(), safe=False).to_numpy()
    return doubles
