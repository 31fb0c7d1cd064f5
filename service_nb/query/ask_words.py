"""The words of the ask line, for all who read, write or complete one."""

from __future__ import annotations

from typing import Any, TypedDict

from service_nb.records.query import Op

# Words that end a name; as names they need backticks. `or` is one only so that its refusal can be a helpful one.
KEYWORDS = frozenset(
    (
        "by", "from", "where", "order", "limit", "asc", "desc", "and", "or", "not", "in", "between", "is", "null",
        "contains", "starts_with", "during", "true", "false",
    )
)  # fmt: skip
COMPARISONS: dict[str, Op] = {
    "=": "eq", "==": "eq", "!=": "ne", "<>": "ne", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte"
}  # fmt: skip

NAME_PATTERN = r"[^\W\d]\w*"
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
