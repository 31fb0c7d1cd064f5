"""The ask line: the text spelling of a QuerySpec.

    <aggregation> [<metric>] [by <column>, …] [from <source>] [where <condition> and …] [order asc|desc] [limit <n>]

    sum revenue by region, `Order Year` from sales where status = 'paid' and amount >= 10.50 order desc limit 5

A condition is one of::

    column = value      != (or <>)      <      <=      >      >=
    column in (value, …)                column not in (value, …)
    column between value and value
    column is null                      column is not null
    column contains 'text'              column starts with 'text'
    column during this_month            this_ or last_ month, quarter, year

Values are 'text' or "text" (a quote inside is doubled), numbers, true, false, and dates such as 2013-01-31. A name that
is a keyword or holds anything but letters, digits and underscores stands in `backticks`. Keywords know no case.

`parse_ask` and `format_ask` are inverse to each other, so a line and a spec have the same plan hash.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from typing import Any

from service_nb.core.canonical import float_text
from service_nb.core.words import write_name
from service_nb.errors import InvalidIntentError, LimitExceededError
from service_nb.query.ask_words import DATE_PATTERN, AskSpec

MAX_CHARS = 10_000

_SYMBOLS = {"eq": "=", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}


def parse_ask(text: str) -> AskSpec:
    """Read an ask line into the spec a caller would write as a dict.

    Raises
    ------
    InvalidIntentError
        The line breaks the grammar; details name `line`, `column`, `met`, `expected` and `did_you_mean`.
    LimitExceededError
        The line is longer than 10,000 characters, or a number in it longer than 400.
    """
    if not isinstance(text, str):
        raise InvalidIntentError(f"An ask line is text, not {type(text).__name__}.", expected=["text"])
    if len(text) > MAX_CHARS:
        raise LimitExceededError(
            f"The ask line has {len(text):,} characters; the limit is {MAX_CHARS:,}.",
            limit=MAX_CHARS,
            value=len(text),
        )
    # Lark takes 60 ms to load and to build its tables; a program that asks by dict never pays for it.
    from service_nb.query import ask_parser  # noqa: PLC0415

    return ask_parser.parse(text)


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
        return float_text(value)
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
