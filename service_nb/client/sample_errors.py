"""Errors of samples: a call that compares a column with itself, or pairs values that do not stand in one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service_nb.compute.call import format_call
from service_nb.compute.samples import BoundColumn, are_paired, list_columns
from service_nb.core.words import write_name
from service_nb.errors import InvalidIntentError
from service_nb.query.ask_line import format_ask
from service_nb.schema.compute import Bound, Checked
from service_nb.schema.query import Op

_NEGATED: Mapping[Op, Op] = {
    "eq": "ne", "ne": "eq", "lt": "gte", "gte": "lt", "gt": "lte", "lte": "gt",
    "in": "not_in", "not_in": "in", "is_null": "is_not_null", "is_not_null": "is_null",
}  # fmt: skip


def same_sample_error(checked: Checked, bound: Sequence[Bound], names: tuple[str, str]) -> InvalidIntentError:
    """Build the error of two parameters that are compared, and are bound to one column under one condition."""
    first, second = names
    columns = list_columns(bound)
    column = _write_column(columns[first])
    under = " under one condition" if columns[second].bound.filter is not None else ""
    return InvalidIntentError(
        f"{checked.capability.id} compares {first} with {second}, and both are {column}{under}: the same values.",
        hint=_advise(checked, columns, names),
        parameter=second,
        field=columns[second].field,
        met=f"the values of {first}",
        expected="another column, or other rows of it",
    )


def _advise(checked: Checked, columns: Mapping[str, BoundColumn], names: tuple[str, str]) -> str:
    first, second = names
    column = _write_column(columns[first])
    if are_paired(checked.capability, names):
        return f"Name another column for {first} or {second}."
    form = f"{first}={column}[…] {second}={column}[…]"
    line = _write_complement(checked, columns, names)
    if line is None:
        return f"Name another column, or give each its own condition: {form}."
    return f"Give each its own condition: {form}. The rows of the condition against all others: {line}"


def _write_complement(checked: Checked, columns: Mapping[str, BoundColumn], names: tuple[str, str]) -> str | None:
    """Write the call that compares the rows of a condition with all others; None unless one short condition says it."""
    conditions = (columns[names[0]].bound.filter or {}).get("conditions", [])
    if len(columns) != len(names) or len(conditions) != 1 or conditions[0].get("op") not in _NEGATED:
        return None
    (condition,) = conditions
    negated = {**condition, "op": _NEGATED[condition["op"]]}
    column = _write_column(columns[names[0]])
    said = {name: f"{column}[{_write_condition(each)}]" for name, each in zip(names, (condition, negated), strict=True)}
    line = format_call(checked, (), said)
    return None if "…" in line else line


def _write_condition(condition: Mapping[str, Any]) -> str:
    asked = format_ask({"aggregation": "count", "filter": {"conditions": [condition]}})
    return asked.removeprefix("count where ")


def broken_pair_error(checked: Checked, bound: Sequence[Bound], names: tuple[str, str]) -> InvalidIntentError:
    """Build the error of a parameter that loses rows to nulls, and one that is paired with it and would keep them."""
    name, other = names
    found = list_columns(bound)
    column = found[name]
    lost = f"{column.bound.dropped:,} of {column.bound.row_count + column.bound.dropped:,} rows"
    return InvalidIntentError(
        f"{name} and {other} of {checked.capability.id} are paired row by row, and {lost} with a null would be dropped "
        f"from {name} alone.",
        hint=f"Bind both in one binding of one source, rowwise, or select the rows of {name} with a filter.",
        parameter=name,
        field=column.field,
        met=f"{lost} with a null",
        expected=f"rows that are dropped from {other} too",
    )


def _write_column(column: BoundColumn) -> str:
    return f"{write_name(column.source)}.{write_name(column.field)}"
