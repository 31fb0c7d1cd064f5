"""From columns to arguments: nulls refused or dropped, values in the parameter's type, and their hash.

Rows keep the order of their source. Rowwise columns stay aligned: a row with a null in any of them is dropped from all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service_nb.compute.identity import hash_columns
from service_nb.compute.literals import LONG, MisfitError, build_converter, convert_each, require_finite
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError
from service_nb.schema.compute import Binding, Bound, Parameter, Vector
from service_nb.schema.source import Field, Value

EXACT_TO = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingColumns:
    """The columns read for a binding: one for each of its fields, all of the same length."""

    fields: tuple[Field, ...]
    vectors: tuple[Vector, ...]
    schema_revision: str
    filter: Mapping[str, Any] | None = None  # resolved, as JSON

    def taken(self, rows: NDArray[np.intp]) -> BindingColumns:
        """Return these columns with only the given rows."""
        return replace(self, vectors=tuple(_select_rows(vector, rows) for vector in self.vectors))


def _select_rows(vector: Vector, rows: NDArray[np.intp]) -> Vector:
    values = vector.values
    some = values[rows] if isinstance(values, np.ndarray) else [values[row] for row in rows.tolist()]
    return Vector(some, None if vector.nulls is None else vector.nulls[rows])


def bind(binding: Binding, parameters: Sequence[Parameter], columns: BindingColumns) -> Bound:
    """Return the values that a binding gives to its parameters.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        Nulls that are not to be dropped, values that do not have the parameter's type, or several values for one.
    """
    size = len(columns.vectors[0].values)
    columns, dropped = _drop_nulls(binding, columns, size)
    vectors = [
        _convert_values(parameter, field, vector.values)
        for parameter, field, vector in zip(parameters, columns.fields, columns.vectors, strict=True)
    ]
    values = [
        vector if parameter.shape else _require_single(parameter, field, vector)
        for parameter, field, vector in zip(parameters, columns.fields, vectors, strict=True)
    ]
    return Bound(
        binding=binding,
        fields=tuple(field.name for field in columns.fields),
        values=tuple(values),
        schema_revision=columns.schema_revision,
        row_count=size - dropped,
        dropped=dropped,
        input_hash=hash_columns(vectors),
        filter=columns.filter,
    )


def _drop_nulls(binding: Binding, columns: BindingColumns, size: int) -> tuple[BindingColumns, int]:
    masks = [vector.nulls for vector in columns.vectors if vector.nulls is not None]
    null = np.logical_or.reduce(masks) if masks else np.zeros(size, np.bool_)
    dropped = int(null.sum())
    if not dropped:
        return columns, 0
    if binding.null_policy == "refuse":
        at = next(place for place, vector in enumerate(columns.vectors) if vector.nulls is not None)
        raise _misfit_error(
            binding.parameters[at],
            columns.fields[at],
            f"{dropped:,} of {size:,} rows with a null",
            "none",
            hint='Drop those rows with null_policy="drop", in a line --null-policy drop; '
            "or exclude them with a filter.",
        )
    return columns.taken(np.flatnonzero(~null)), dropped


def _convert_values(parameter: Parameter, field: Field, values: Any) -> Any:
    if len(parameter.shape) > 1:
        raise _misfit_error(parameter.name, field, "one column", f"a matrix, {parameter.type}")
    try:
        if parameter.scalar == "float64":
            doubles = _convert_doubles(values)
            return doubles if len(doubles) > LONG else doubles.tolist()
        item = build_converter(Parameter(name=parameter.name, scalar=parameter.scalar))
        return convert_each(item, values.tolist() if isinstance(values, np.ndarray) else values)
    except MisfitError as misfit:
        raise _misfit_error(parameter.name, field, misfit.met, misfit.expected, index=misfit.index) from None


def _convert_doubles(values: Any) -> NDArray[np.float64]:
    if isinstance(values, np.ndarray) and values.dtype.kind == "i":
        inexact = np.flatnonzero((values > EXACT_TO) | (values < -EXACT_TO))
        convert_each(build_converter(Parameter(name="", scalar="float64")), values[inexact].tolist())
        return values.astype(np.float64)
    if not isinstance(values, np.ndarray):
        # A decimal is what was written; the nearest double is taken, as for a literal. Text and dates are no numbers.
        values = np.array(convert_each(_convert_decimal, values), dtype=np.float64)
    doubles: NDArray[np.float64] = require_finite(values)
    return doubles


def _convert_decimal(value: object) -> float:
    if isinstance(value, Decimal):
        return float(value)
    raise MisfitError(describe_value(value), "a number")


def _require_single(parameter: Parameter, field: Field, vector: Any) -> Any:
    if len(vector) != 1:
        raise _misfit_error(parameter.name, field, f"{len(vector):,} values", f"exactly one, for {parameter.type}")
    return vector[0]


def _misfit_error(
    parameter: str, field: Field, met: str, expected: str, *, index: int | None = None, hint: str | None = None
) -> InvalidIntentError:
    at = "" if index is None else f" (value {index + 1:,})"
    return InvalidIntentError(
        f"{parameter} is bound to {describe_value(field.name)}{at}, which has {met}; expected {expected}.",
        hint=hint,
        parameter=parameter,
        field=field.name,
        met=met,
        expected=expected,
        index=index,
    )


def group_rows(vector: Vector) -> list[tuple[Value, NDArray[np.intp]]]:
    """Group the rows of a column by value: values sorted, null last."""
    values = vector.values.tolist() if isinstance(vector.values, np.ndarray) else vector.values
    nulls: Iterable[bool] = vector.nulls.tolist() if vector.nulls is not None else [False] * len(values)
    rows: dict[Value, list[int]] = {}
    for row, (value, is_null) in enumerate(zip(values, nulls, strict=True)):
        rows.setdefault(None if is_null else value, []).append(row)
    ranked: list[Any] = sorted(key for key in rows if key is not None)
    return [(key, np.array(rows[key], dtype=np.intp)) for key in (*ranked, *([None] if None in rows else []))]


def describe_binding(bound: Bound) -> dict[str, object]:
    """Describe a binding for `provenance.bindings`. `row_count` counts the rows that were used."""
    binding = bound.binding
    return {
        "source_name": binding.source,
        "fields": list(bound.fields),
        "parameters": list(binding.parameters),
        "schema_revision": bound.schema_revision,
        "row_count": bound.row_count,
        "dropped": bound.dropped,
        "input_hash": bound.input_hash,
        **({} if bound.filter is None else {"filter": bound.filter}),
    }
