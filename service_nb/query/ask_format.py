"""Write a spec as its ask line, and the words of the line that readers share."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from typing import Any, TypedDict

from service_nb.core.canonical import write_float
from service_nb.core.words import write_name
from service_nb.schema.query import Op

COMPARISONS: dict[str, Op] = {
    "=": "eq", "==": "eq", "!=": "ne", "<>": "ne", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte"
}  # fmt: skip

DATE_PATTERN = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})?)?"


class AskSpec(TypedDict, total=False):
    """The parts of an ask line, under the keys of a QuerySpec; a part that the line leaves out has no key."""

    metric: str
    aggregation: str
    group_by: list[str]
    filter: dict[str, Any]
    order: str
    limit: int
    source_name: str


_SYMBOLS = {"eq": "=", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}


def format_ask(spec: Mapping[str, Any]) -> str:
    """Write a spec as its canonical ask line; a missing aggregation shows as `<aggregation>`."""
    group_by = spec.get("group_by") or []
    columns = [group_by] if isinstance(group_by, str) else group_by
    conditions = _format_filter(spec.get("filter") or {})
    parts = [
        spec.get("aggregation") or "<aggregation>",
        write_name(spec["metric"]) if spec.get("metric") is not None else "",
        "by " + ", ".join(map(write_name, columns)) if columns else "",
        "from " + write_name(spec["source_name"]) if spec.get("source_name") is not None else "",
        "where " + " and ".join(conditions) if conditions else "",
        f"order {spec['order']}" if spec.get("order") is not None else "",
        f"limit {spec['limit']}" if spec.get("limit") is not None else "",
    ]
    return " ".join(part for part in parts if part)


def format_value(value: object) -> str:
    """Write a value as it stands in an ask line: a number as canonical JSON has it, a whole float with its point."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return repr(value)
    if isinstance(value, float) and math.isfinite(value):
        return write_float(value)
    text = value.isoformat() if isinstance(value, datetime.date) else str(value)
    return text if re.fullmatch(DATE_PATTERN, text) else "'" + text.replace("'", "''") + "'"


def _format_filter(spec_filter: Mapping[str, Any]) -> list[str]:
    lines = [_format_condition(condition) for condition in spec_filter.get("conditions") or ()]
    period = spec_filter.get("time_filter")
    return [*lines, f"{write_name(period['column'])} during {period['period']}"] if period else lines


def _format_condition(condition: Mapping[str, Any]) -> str:
    column, op = write_name(condition["column"]), condition["op"]
    if op in ("is_null", "is_not_null"):
        return f"{column} {op.replace('_', ' ')}"
    if op in ("in", "not_in"):
        return f"{column} {op.replace('_', ' ')} ({', '.join(map(format_value, condition['values']))})"
    if op == "between":
        low, high = condition["values"]
        return f"{column} between {format_value(low)} and {format_value(high)}"
    if op in ("contains", "starts_with"):
        # Always quoted: the grammar asks for text here, and a date would otherwise stand bare.
        return f"{column} {op.replace('_', ' ')} '{str(condition['value']).replace(chr(39), chr(39) * 2)}'"
    return f"{column} {_SYMBOLS[op]} {format_value(condition['value'])}"
