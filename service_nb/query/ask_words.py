"""The words of the ask line, for all who read, write or complete one."""

from __future__ import annotations

from typing import Any, TypedDict

from service_nb.schema.query import Op

COMPARISONS: dict[str, Op] = {
    "=": "eq", "==": "eq", "!=": "ne", "<>": "ne", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte"
}  # fmt: skip

DATE_PATTERN = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})?)?"


class AskSpec(TypedDict, total=False):
    """What a line says, in the keys of a QuerySpec; only what the line names is there."""

    metric: str
    aggregation: str
    group_by: list[str]
    filter: dict[str, Any]
    order: str
    limit: int
    source_name: str
