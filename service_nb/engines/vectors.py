"""From Arrow to the vectors that computations take."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from service_nb.schema.compute import Vector


def build_vector(physical: str, column: pa.ChunkedArray) -> Vector:
    """Return a column's values: of float64 and int64 as an array, of all other types as a list."""
    nulls = column.is_null().to_numpy() if column.null_count else None
    if physical not in ("float64", "int64"):
        return Vector(column.to_pylist(), nulls)
    if nulls is not None:
        column = column.fill_null(0)
    return Vector(np.ascontiguousarray(column.to_numpy(), dtype=physical), nulls)
