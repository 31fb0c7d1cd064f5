"""Errors of samples: a call that compares a column with itself, or pairs values that do not stand in one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service_nb.compute.call import format_call
from service_nb.compute.samples import BoundColumn, count_rows, list_columns, share_rows
from service_nb.core.words import write_name
from service_nb.errors import InvalidIntentError
from service_nb.query.ask_line import format_ask
from service_nb.query.conditions import find_opposite
from service_nb.schema.compute import Bound, Checked

Condition = Mapping[str, Any]  # as JSON


def same_sample_error(
    checked: Checked, bound: Sequence[Bound], names: tuple[str, str], others: Condition | None
) -> InvalidIntentError:
    """Build the error of two parameters that are compared, and are bound to one column under one condition.

    `others` is a condition that selects other rows of the column, enough for the call.
    """
    first, second = names
    columns = list_columns(bound)
    column = _write_column(columns[first])
    under = " under one condition" if columns[second].bound.filter is not None else ""
    return InvalidIntentError(
        f"{checked.capability.id} compares {first} with {second}, and both are {column}{under}: the same values.",
        hint=_advise(checked, columns, names, others),
        parameter=second,
        field=columns[second].field,
        met=f"the values of {first}",
        expected="another column, or other rows of it",
    )


def _advise(
    checked: Checked, columns: Mapping[str, BoundColumn], names: tuple[str, str], others: Condition | None
) -> str:
    first, second = names
    column = _write_column(columns[first])
    if share_rows(checked.capability, names):
        return f"Name another column for {first} or {second}."
    form = f"{first}={column}[…] {second}={column}[…]"
    condition = _read_condition(columns[first].bound.filter)
    line = "…"
    if condition is not None and others is not None:
        said = {first: f"{column}[{_write_condition(condition)}]", second: f"{column}[{_write_condition(others)}]"}
        line = format_call(checked, (), said)
    if "…" in line:  # also where a value is too long for a line
        return f"Name another column, or give each its own condition: {form}."
    return f"Give each its own condition: {form}. The rows of the condition against all others: {line}"


def find_opposite_condition(filter_: Mapping[str, Any] | None) -> Condition | None:
    """Return the condition of all rows that a filter leaves out, but for nulls; None unless it is one condition."""
    condition = _read_condition(filter_)
    if condition is None:
        return None
    opposite = find_opposite(condition.get("op"))
    return None if opposite is None else {**condition, "op": opposite}


def _read_condition(filter_: Mapping[str, Any] | None) -> Condition | None:
    conditions = (filter_ or {}).get("conditions", [])
    return conditions[0] if len(conditions) == 1 else None


def _write_condition(condition: Condition) -> str:
    asked = format_ask({"aggregation": "count", "filter": {"conditions": [condition]}})
    return asked.removeprefix("count where ")


def broken_pair_error(checked: Checked, bound: Sequence[Bound], names: tuple[str, str]) -> InvalidIntentError:
    """Build the error of a parameter that loses rows to nulls, and one that is paired with it and would keep them."""
    name, other = names
    column = list_columns(bound)[name]
    lost = f"{column.bound.dropped:,} of {count_rows(column.bound):,} rows"
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
