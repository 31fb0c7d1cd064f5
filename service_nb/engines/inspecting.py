"""Show a source: its first rows and what its columns hold, wherever it is held."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from service_nb.engines.engine import Engine, LiveEngine, LocalEngine, Row
from service_nb.query.inspection import build_profile_row
from service_nb.schema.compute import Vector
from service_nb.schema.query import Inspection
from service_nb.schema.source import ColumnProfile, Field, Value


def inspect_source(
    engine: Engine, plan: Inspection, fields: Sequence[Field], rows: int, timeout_s: float | None
) -> list[Row]:
    """Return the rows that show columns of a source, which has so many rows where it is held here.

    Raises
    ------
    QueryTimeoutError, QueryInterruptedError, LimitExceededError
        The run was stopped, or a database's rows had to be read and do not fit; the engine stays usable.
    """
    if isinstance(engine, LocalEngine):
        return _inspect_held(engine, plan, fields, rows, timeout_s)
    if not isinstance(engine, LiveEngine):
        raise TypeError(f"{engine.name} shows no rows")
    return engine.inspect(plan, fields, rows, timeout_s)


def _inspect_held(
    engine: LocalEngine, plan: Inspection, fields: Sequence[Field], rows: int, timeout_s: float | None
) -> list[Row]:
    names = [field.name for field in fields]
    if plan.limit is not None:
        return list_rows(engine.read_first_rows(names, plan.limit, timeout_s))
    return build_profile_rows(fields, rows, engine.profile_columns(names, timeout_s))


def list_rows(vectors: Sequence[Vector]) -> list[Row]:
    """List the rows of columns."""
    return list(zip(*map(list_values, vectors), strict=True))


def list_values(vector: Vector) -> list[Value]:
    """List the values of a column, None where they are null."""
    values: list[Value] = vector.values.tolist() if isinstance(vector.values, np.ndarray) else list(vector.values)
    if vector.nulls is None:
        return values
    return [None if is_null else value for value, is_null in zip(values, vector.nulls, strict=True)]


def build_profile_rows(fields: Sequence[Field], rows: int, profiles: Sequence[ColumnProfile]) -> list[Row]:
    """Build the rows of a profile, one a column."""
    return [build_profile_row(field, rows, profile) for field, profile in zip(fields, profiles, strict=True)]
