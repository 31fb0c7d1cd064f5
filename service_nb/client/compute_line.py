"""Compute lines: from text to a ComputationSpec, with the variables and the conditions that it names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from service_nb.compute.call import build_named_spec
from service_nb.compute.contract import read_capability
from service_nb.compute.samples import drop_null_items
from service_nb.compute.syntax import ColumnReference, ComputeLine, Variable, parse_compute, read_variable
from service_nb.errors import InvalidIntentError
from service_nb.query.ask_line import parse_ask
from service_nb.query.variables import VariableBinder

_ASKED = "count where "  # the shortest question that a condition can stand in
_MOST_MET = 40  # characters of what an error met


def parse_call_line(spec: Mapping[str, object] | str, beside: Mapping[str, object]) -> Mapping[str, object]:
    """Parse a call into a spec: a line, or a name with the other arguments beside it."""
    if isinstance(spec, str):
        is_line = "=" in spec or (not beside and not {"(", " "}.isdisjoint(spec))
        return (parse_compute_line(spec) if is_line else build_named_spec(spec)) | dict(beside)
    if beside:
        raise InvalidIntentError(
            "A spec is the whole call: pass no other arguments with it.", path=next(iter(beside)), met=", ".join(beside)
        )
    return spec


def parse_compute_line(
    text: str,
    variables: Mapping[str, object] | None = None,
    find_entry: Callable[[str], Mapping[str, Any]] | None = None,
    **options: object,
) -> dict[str, object]:
    """Parse a compute line into a ComputationSpec.

    `variables` are what `$name` may stand for; `find_entry` returns the entry of a capability, which says of which of
    them nulls are dropped together; `options` are further keys of each binding, such as `null_policy`.
    """
    line = parse_compute(text)
    known = {each: read_variable(each, variables or {}) for each in line.variables}
    spec = line.build_spec(known, _parse_filters(line, variables or {}))
    given = {key: value for key, value in options.items() if value is not None}
    if given and "bindings" in spec:
        spec["bindings"] = [{**binding, **given} for binding in spec["bindings"]]
    columns = {name: each for name, each in line.arguments.items() if isinstance(each, Variable) and each.field}
    if columns and find_entry is not None and options.get("null_policy") == "drop":
        capability = read_capability(find_entry(f"{line.module}.{line.function}"))
        spec["kwargs"] |= drop_null_items(capability, {name: known[each] for name, each in columns.items()})
    return spec


def _parse_filters(line: ComputeLine, variables: Mapping[str, object]) -> dict[ColumnReference, dict[str, Any]]:
    """Parse the conditions of a line: what selects the rows of each column, its own condition and that of `where`."""
    if line.where is not None and len(line.sources) != 1:
        raise InvalidIntentError(
            f"`where` selects rows of one source; the line binds columns of {len(line.sources)}.",
            hint="Give each column its own condition, source.column[column = value], or its own filter in a spec.",
            met=line.sources,
        )
    common = None if line.where is None else _parse_condition(line.where, line.where_at, variables)
    filters: dict[ColumnReference, dict[str, Any]] = {}
    for column in line.columns.values():
        own = None if column.where is None else _parse_condition(column.where, column.where_at, variables)
        filters[column] = _join_filters(own, common)
    return filters


def _parse_condition(text: str, place: int, variables: Mapping[str, object]) -> dict[str, Any]:
    """Parse a condition that stands at a place of a line into a filter."""
    try:
        asked = parse_ask(_ASKED + text)
    except InvalidIntentError as error:
        column = error.details["column"] + place - len(_ASKED)  # where the line's reader counts from
        message = re.sub(r"column \d+", f"column {column}", error.message, count=1)
        raise InvalidIntentError(message, hint=error.hint, **{**error.details, "column": column}) from None
    if asked.keys() != {"aggregation", "filter"}:
        raise InvalidIntentError(
            f"At column {place + 1}: more than a condition stands here.",
            hint="Expected conditions, joined by and, or.",
            column=place + 1,
            met=text[:_MOST_MET],
            expected="conditions",
        )
    bound: dict[str, Any] = VariableBinder(variables).bind(asked)["filter"]
    return bound


def _join_filters(own: Mapping[str, Any] | None, common: Mapping[str, Any] | None) -> dict[str, Any]:
    """Join the filter of a column and that of all columns: both hold."""
    parts = [each for each in (own, common) if each]
    periods = [each["time_filter"] for each in parts if "time_filter" in each]
    if len(periods) > 1:
        raise InvalidIntentError(
            "Two periods select the rows of one column: that in its brackets and that of `where`.",
            hint="Write one of them as dates: `column between 2013-01-01 and 2013-03-31`.",
            expected="at most one period",
        )
    conditions = [condition for each in parts for condition in each.get("conditions", ())]
    joined: dict[str, Any] = {"conditions": conditions} if conditions else {}
    return joined | ({"time_filter": periods[0]} if periods else {})
