"""The interface of every engine: hold one source and compute a plan's groups over it, exactly; its vectors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import pyarrow as pa

from service_nb.core.words import describe_value
from service_nb.errors import LimitExceededError, SourceChangedError, SourceMalformedError
from service_nb.query.used_rows import UsedRows
from service_nb.readers.columns import view_numbers
from service_nb.schema.compute import Vector
from service_nb.schema.query import Group, Inspection, Plan
from service_nb.schema.source import ColumnProfile, Field, FieldStats, Limits, Value
from service_nb.schema.text_order import TextOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineAnswer:
    """The groups of a plan in no particular order, and how they were made exact.

    `engine` is what computed them, where that is another than the engine that was asked: behind a deployment. The
    groups are all that there are, but for those that `is_cut`; `used` is what is known of the rows of these.
    """

    groups: list[Group]
    method: str
    engine: str | None = None
    is_cut: bool = False
    used: UsedRows | None = None


def join_answers(answers: Sequence[EngineAnswer]) -> EngineAnswer:
    """Join the answers of one plan's measures, each computed alone over the same rows, by their groups.

    Raises
    ------
    SourceChangedError [source_changed]
        They have other groups, or a group has another number of rows.
    """
    first, *rest = answers
    found = [{_unify_keys(group.keys): group for group in answer.groups} for answer in rest]
    groups = []
    for group in first.groups:
        others = [by_keys.get(_unify_keys(group.keys)) for by_keys in found]
        same = [other for other in others if other is not None and other.rows == group.rows]
        if len(same) < len(rest):
            raise _altered_error()
        nulls = tuple([sum(each.nulls) for each in (group, *same)])
        more = tuple([other.value for other in same])
        groups.append(group._replace(more=more, nulls=nulls if any(nulls) else ()))
    if any(len(answer.groups) != len(groups) for answer in rest):
        raise _altered_error()
    return EngineAnswer(groups=groups, method=join_methods(each.method for each in answers), engine=first.engine)


def join_methods(methods: Iterable[str]) -> str:
    """Join how measures were kept exact, each once."""
    return "; ".join(dict.fromkeys(methods))


def _unify_keys(keys: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return keys of which equal ones are equal: all NaN are one object."""
    return tuple([math.nan if key != key else key for key in keys])


def _altered_error() -> SourceChangedError:
    return SourceChangedError("The source was altered while it was asked.", hint="Ask again.", changed="content")


class Engine(Protocol):
    """One registered source, read-only. The same plan gives the same groups on every engine, to the bit."""

    name: str  # and version, as a card shows it

    def aggregate(self, plan: Plan, timeout_s: float | None) -> EngineAnswer:
        """Compute the plan's groups.

        Raises
        ------
        QueryTimeoutError, QueryInterruptedError, LimitExceededError
            The run was stopped; the engine stays usable.
        """
        ...

    def read_columns(self, plan: Plan, timeout_s: float | None) -> list[Vector]:
        """Read the plan's group columns, not grouped: of the rows that meet its conditions, in the source's order.

        Raises
        ------
        QueryTimeoutError, QueryInterruptedError, LimitExceededError
            The run was stopped; the engine stays usable.
        """
        ...

    def list_known_values(self, name: str) -> tuple[str, ...]:
        """List the values of a string column that has few, in code-point order; of others none. Costs no scan."""
        ...

    def close(self) -> None:
        """Give back memory and temporary files."""
        ...


@runtime_checkable
class LocalEngine(Engine, Protocol):
    """An engine whose data are here: it can show its first rows, and what its columns hold, without being asked."""

    def read_first_rows(self, names: Sequence[str], count: int, timeout_s: float | None) -> list[Vector]:
        """Read columns of the first rows, in the source's order.

        Raises
        ------
        QueryTimeoutError, QueryInterruptedError, LimitExceededError
            The run was stopped; the engine stays usable.
        """
        ...

    def find_statistics(self, name: str) -> FieldStats | None:
        """Find the statistics of a column without a scan; None where they would need one."""
        ...

    def find_text_order(self, name: str) -> TextOrder:
        """Find what the texts of a column read as; what was found once is remembered.

        Raises
        ------
        QueryInterruptedError
            The scan was stopped; the engine stays usable.
        """
        ...

    def has_profiles(self, names: Sequence[str]) -> bool:
        """Tell whether columns can be profiled without a scan."""
        ...

    def profile_columns(self, names: Sequence[str], timeout_s: float | None) -> list[ColumnProfile]:
        """Count what columns hold, exactly; what was counted once is remembered.

        Raises
        ------
        QueryTimeoutError, QueryInterruptedError, LimitExceededError
            The run was stopped; the engine stays usable.
        """
        ...


Row = tuple[Value, ...]


@runtime_checkable
class LiveEngine(Engine, Protocol):
    """An engine whose data are elsewhere: it shows its first rows, and what its columns hold, when it is asked to."""

    def inspect(self, plan: Inspection, fields: Sequence[Field], rows: int, timeout_s: float | None) -> list[Row]:
        """Return the rows that show columns; `rows` is how many the source had when it was connected.

        Raises
        ------
        QueryTimeoutError, QueryInterruptedError, LimitExceededError
            The run was stopped; the engine stays usable.
        """
        ...


def outside_calendar_error(field: Field) -> SourceMalformedError:
    """Return the error of a date column whose values no result can hold."""
    return SourceMalformedError(
        f"The column {describe_value(field.name)} holds a date outside the years 1 to 9999.",
        hint="Correct it, or leave the column out.",
        column=field.name,
        expected="a date of the years 1 to 9999",
    )


def too_many_groups_error(limits: Limits) -> LimitExceededError:
    """Return the error of a result that is too long."""
    return LimitExceededError(
        f"The result has more than {limits.groups:,} groups.",
        hint="Group by a column with fewer values, or add a condition.",
        limit=limits.groups,
    )


MOST_ROWS = 50_000_000  # of one column that leaves the engine


def too_many_rows_error() -> LimitExceededError:
    """Return the error of columns that are too long to leave the engine."""
    return LimitExceededError(
        f"More than {MOST_ROWS:,} rows would be bound.", hint="Add a filter to the binding.", limit=MOST_ROWS
    )


# --- values -----------------------------------------------------------------------------------------------------------

_ARROW_TYPES = {
    "int64": pa.int64(),
    "float64": pa.float64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
}


def find_arrow_type(field: Field) -> pa.DataType:
    """Find the Arrow type of a field's values in memory."""
    if field.physical in _ARROW_TYPES:
        return _ARROW_TYPES[field.physical]
    precision, scale = field.physical[len("decimal(") : -1].split(",")
    return pa.decimal128(int(precision), int(scale))


def build_vector(physical: str, column: pa.ChunkedArray) -> Vector:
    """Build the vector of an Arrow column: of float64 and int64 an array, of all other types a list."""
    nulls = column.is_null().to_numpy() if column.null_count else None
    if physical not in ("float64", "int64"):
        return Vector(column.to_pylist(), nulls)
    if nulls is not None:
        column = column.fill_null(0)
    return Vector(np.ascontiguousarray(view_numbers(column), dtype=physical), nulls)
