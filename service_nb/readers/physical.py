"""Reduce Arrow's many types to the few physical ones.

A type is taken at its word. Where the reduction changes the meaning, a note says so; where it would change a value, the
column is refused.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.core.canonical import write_canonical_text
from service_nb.core.words import describe_value
from service_nb.errors import LimitExceededError, ServiceError, SourceMalformedError
from service_nb.query.exact import convert_to_json
from service_nb.readers.base import ReadOptions
from service_nb.readers.columns import (
    TypedTable,
    check_cells,
    check_names,
    check_types,
    encode_texts,
    find_arrow_type,
    make_field,
    read_names,
)
from service_nb.readers.inference import convert_declared

_MOST_CHUNK = 2**31 - 1  # bytes that 32-bit offsets reach


_MOST_TEXT = 8 * 1024**3  # bytes of one column, whose texts may be one text many times


def _write_out(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a dictionary- or run-encoded column as plain values; Arrow casts only some dictionaries by itself.

    Raises `limit_exceeded`.
    """
    kind = column.type.value_type
    if pa.types.is_run_end_encoded(column.type):
        return pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], kind)
    if _is_text(kind):
        kind = pa.large_string()
        _refuse_long_texts(name, column)
    return pa.chunked_array([chunk.dictionary.cast(kind).take(chunk.indices) for chunk in column.chunks], kind)


def _refuse_long_texts(name: str, column: pa.ChunkedArray) -> None:
    lengths = (
        pc.binary_length(chunk.dictionary.cast(pa.large_string())).take(chunk.indices) for chunk in column.chunks
    )
    size = sum(pc.sum(chunk).as_py() or 0 for chunk in lengths)
    if size > _MOST_TEXT:
        raise LimitExceededError(
            f"Column {describe_value(name)} has {size:,} bytes of text when written out; at most {_MOST_TEXT:,}"
            " are read.",
            limit=_MOST_TEXT,
            value=size,
            column=name,
        )


def _is_text(kind: pa.DataType) -> bool:
    """Tell whether a type is text of any layout."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _cast_strings(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts as `string`, in chunks of at most two gigabytes, which is what it holds."""
    if pa.types.is_string(column.type):
        return column
    chunks = [piece for chunk in column.cast(pa.large_string()).chunks for piece in _halve(chunk)]
    return pa.chunked_array([chunk.cast(pa.string()) for chunk in chunks], pa.string())


def _halve(chunk: pa.LargeStringArray) -> list[pa.LargeStringArray]:
    if len(chunk) < 2 or (pc.sum(pc.binary_length(chunk)).as_py() or 0) < _MOST_CHUNK:
        return [chunk]
    middle = len(chunk) // 2
    return _halve(chunk[:middle]) + _halve(chunk[middle:])


def normalise(table: pa.Table, options: ReadOptions) -> TypedTable:
    """Return an Arrow table reduced to the physical types. Raises `source_malformed`."""
    names = check_names(read_names(table.schema), options.limits)
    check_cells(table.num_rows, len(names), options.limits)
    types = check_types(options.types, names)
    try:
        table.validate(full=True)
    except (pa.ArrowInvalid, pa.ArrowIndexError) as error:
        raise SourceMalformedError("The frame's Arrow buffers are malformed.", expected="valid Arrow data") from error
    notes: list[str] = []
    arrays = [
        _cast_declared(name, _convert_to_physical(name, column, notes), types.get(name))
        for name, column in zip(names, table.columns, strict=True)
    ]
    fields = tuple(make_field(name, find_physical(array.type)) for name, array in zip(names, arrays, strict=True))
    arrays = [encode_texts(array) if pa.types.is_string(array.type) else array for array in arrays]
    return TypedTable(fields, pa.table(arrays, names=names), tuple(notes))


def find_physical(kind: pa.DataType) -> str:
    """Return the physical type of a column that is in one of their Arrow types."""
    if pa.types.is_decimal128(kind):
        return f"decimal({kind.precision},{kind.scale})"
    names = {
        pa.int64(): "int64",
        pa.float64(): "float64",
        pa.bool_(): "boolean",
        pa.date32(): "date",
        pa.timestamp("us"): "datetime",
    }
    return names.get(kind, "string")


def _convert_to_physical(name: str, column: pa.ChunkedArray, notes: list[str]) -> pa.ChunkedArray:
    kind = column.type
    types = pa.types
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return _convert_to_physical(name, _write_out(name, column), notes)
    if types.is_null(kind):
        return column.cast(pa.string())
    if _is_text(kind):
        return _cast_strings(column)
    if types.is_uint64(kind):
        return column.cast(pa.decimal128(20, 0))
    if types.is_integer(kind):
        return column.cast(pa.int64())
    if types.is_floating(kind):
        return column.cast(pa.float64())
    if types.is_decimal(kind):
        return _convert_decimal(name, column)
    if types.is_boolean(kind) or types.is_date32(kind):
        return column
    if types.is_date64(kind):
        return column.cast(pa.date32())
    if types.is_timestamp(kind):
        return _convert_instants(name, column, notes)
    return _as_text(name, column, notes)


def _convert_decimal(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    precision, scale = max(kind.precision, kind.precision - kind.scale), max(kind.scale, 0)
    try:
        return column.cast(pa.decimal128(min(precision, 38), scale))
    except (pa.ArrowInvalid, ValueError) as error:
        raise SourceMalformedError(
            f"Column {describe_value(name)} holds decimals of more than 38 digits.",
            column=name,
            met=str(kind),
            expected="38 digits",
        ) from error


def _convert_instants(name: str, column: pa.ChunkedArray, notes: list[str]) -> pa.ChunkedArray:
    if column.type.tz is not None:
        notes.append(f"{name}: times with a time zone are converted to UTC.")
    try:
        # Instants are stored as UTC whatever their zone; to drop the zone is to keep the UTC reading.
        return column.cast(pa.timestamp(column.type.unit)).cast(pa.timestamp("us"))
    except pa.ArrowInvalid as error:
        raise SourceMalformedError(
            f"Column {describe_value(name)} holds times finer than a microsecond.",
            hint="Round them before connecting, so that no digits are lost unnoticed.",
            column=name,
            met=str(column.type),
            expected="whole microseconds",
        ) from error


def _as_text(name: str, column: pa.ChunkedArray, notes: list[str]) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        raise SourceMalformedError(
            f"Column {describe_value(name)} holds bytes, which cannot be queried.",
            hint="Leave it out, or convert it to text.",
            column=name,
            met=str(kind),
        )
    notes.append(f"{name}: values of type {kind} are read as text.")
    try:
        if pa.types.is_time64(kind):
            column = column.cast(pa.time64("us"))  # Python's times hold no nanoseconds, and would drop them silently
        texts = [None if value is None else _write_text(value) for value in column.to_pylist()]
    except (ServiceError, pa.ArrowException, ValueError, OverflowError) as error:
        raise SourceMalformedError(
            f"Column {describe_value(name)} holds values of type {kind} that cannot be written exactly as text.",
            hint="Convert or drop it before connecting.",
            column=name,
            met=str(kind),
        ) from error
    return pa.chunked_array([pa.array(texts, pa.string())])


def _write_text(value: object) -> str:
    if isinstance(value, dict | list | tuple):
        return write_canonical_text(_simplify_value(value))
    return str(value)


def _simplify_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _simplify_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_simplify_value(item) for item in value]
    try:
        return convert_to_json(value)
    except AttributeError:
        return str(value)


def _cast_declared(name: str, column: pa.ChunkedArray, declared: str | None) -> pa.ChunkedArray:
    """Convert to a declared type; only what changes no value."""
    kind = column.type
    if declared is None or (declared == "number" and _is_number(kind)):
        return column
    if pa.types.is_string(kind):
        return convert_declared(name, column, declared, "Row", lambda row: row).column
    wanted = pa.float64() if declared == "number" else find_arrow_type(declared)
    try:
        converted = column.cast(wanted)
        if pa.types.is_string(wanted) or _is_same_column(converted.cast(kind), column):
            return converted
        reason = None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        reason = error
    raise SourceMalformedError(
        f"Column {describe_value(name)} of type {kind} cannot become {declared} without changing a value.",
        hint="Declare another type, or convert the data.",
        column=name,
        met=str(kind),
        expected=declared,
    ) from reason


def _is_same_column(left: pa.ChunkedArray, right: pa.ChunkedArray) -> bool:
    equal = pc.equal(left, right)
    if pa.types.is_floating(left.type):
        equal = pc.or_(equal, pc.and_(pc.is_nan(left), pc.is_nan(right)))
    return bool(pc.all(equal, min_count=0).as_py())


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))
