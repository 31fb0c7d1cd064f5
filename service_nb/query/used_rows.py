"""The rows that an answer is made of, and the nulls that its measures leave out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from service_nb.schema.query import Group, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedRows:
    """The number of rows that met the conditions, and of the nulls among them that each measured column leaves out.

    Columns without nulls are not named.
    """

    count: int
    nulls: Mapping[str, int] = field(default_factory=dict)


def count_used_rows(plan: Plan, groups: Iterable[Group]) -> UsedRows:
    """Count the rows of all groups of a plan, those that it does not keep among them."""
    rows, nulls = 0, [0] * len(plan.measures)
    for group in groups:
        rows += group.rows
        for at, count in enumerate(group.nulls):
            nulls[at] += count
    left_out = {each.metric: count for each, count in zip(plan.measures, nulls, strict=True) if each.metric and count}
    return UsedRows(count=rows, nulls=left_out)


def build_null_counter(names: Sequence[str]) -> Callable[[Sequence[Any]], tuple[int, ...]]:
    """Build the function that counts the nulls of a group that its only measure leaves out, from its measures.

    Where a statement does not count the values, its column holds no null.
    """
    if "nulls" in names:
        place = names.index("nulls")
        return lambda measures: (int(measures[place]),) if measures[place] else ()
    if "n" not in names:
        return lambda _: ()
    rows, values = names.index("rows"), names.index("n")
    return lambda measures: () if measures[rows] == measures[values] else (int(measures[rows] - measures[values]),)
