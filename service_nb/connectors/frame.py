"""Frames: whatever speaks the Arrow PyCapsule interface — pandas, Polars, pyarrow, DuckDB relations.

A frame's types are taken at their word and reduced to the physical types; where that changes the meaning, a note says
so, and where it would change a value, the frame is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.base.canonical import canonical_bytes, canonical_text
from service_nb.base.digest import FileDigest
from service_nb.connectors import inference
from service_nb.connectors.base import Dataset, ReadOptions
from service_nb.connectors.columns import (
    Columns,
    arrow_type,
    check_cells,
    check_names,
    declared_types,
    encoded,
    field_of,
    names_of,
)
from service_nb.connectors.values import typed_values
from service_nb.errors import LimitExceededError, ServiceError, SourceMalformedError, UnsupportedSourceError
from service_nb.query.rows import json_value
from service_nb.query.spec import shown
from service_nb.records.source import Content

MOST_CHUNK = 2**31 - 1  # bytes that 32-bit offsets reach
MOST_TEXT = 8 * 1024**3  # bytes of one column, whose texts may be one text many times


def read(source: Any, options: ReadOptions) -> Dataset:
    """Read a frame."""
    notes: list[str] = []
    columns = normalised(_table(source, options, notes), options)
    return Dataset(
        fields=columns.fields,
        row_count=columns.table.num_rows,
        content=content_of_values(columns),
        table=columns.table,
        notes=(*notes, *columns.notes),
    )


def _table(source: Any, options: ReadOptions, notes: list[str]) -> pa.Table:
    kind = type(source)
    if kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame":
        return _from_pandas(source, options, notes)
    try:
        return pa.table(source)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UnsupportedSourceError(
            f"An object of type {kind.__name__} cannot be read through Arrow as a table.",
            hint="Pass a frame, not one of its columns, with columns of Arrow's types.",
            met=kind.__name__,
        ) from error


def _from_pandas(frame: Any, options: ReadOptions, notes: list[str]) -> pa.Table:
    """A frame of pandas, without its index: its own Arrow stream would carry it along under a name nobody gave."""
    names = check_names(list(frame.columns), options.limits)
    check_cells(len(frame), len(names), options.limits)
    if type(frame.index).__name__ != "RangeIndex":
        notes.append("The frame's index is left out; reset_index() makes columns of it.")
    columns = [_series(name, frame.iloc[:, position], notes) for position, name in enumerate(names)]
    return pa.table(columns, names=names)


def _series(name: str, series: Any, notes: list[str]) -> pa.Array | pa.ChunkedArray:
    if str(series.dtype) == "object":
        values = zip(series.tolist(), series.isna(), strict=True)
        return typed_values(name, [None if missing else value for value, missing in values], notes)
    try:
        return pa.array(series, from_pandas=True)  # NaN is how pandas says that a value is missing
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError) as error:
        raise SourceMalformedError(
            f"Column {shown(name)} of type {series.dtype} cannot be read through Arrow.",
            hint="Convert it, with astype for example.",
            column=name,
            met=str(series.dtype),
        ) from error


def normalised(table: pa.Table, options: ReadOptions) -> Columns:
    """Return an Arrow table reduced to the physical types.

    Raises
    ------
    SourceMalformedError [source_malformed]
        A column that no physical type holds without loss, or malformed buffers.
    """
    names = check_names(names_of(table.schema), options.limits)
    check_cells(table.num_rows, len(names), options.limits)
    types = declared_types(options.types, names)
    try:
        table.validate(full=True)
    except (pa.ArrowInvalid, pa.ArrowIndexError) as error:
        raise SourceMalformedError("The frame's Arrow buffers are malformed.", expected="valid Arrow data") from error
    notes: list[str] = []
    arrays = [
        _declared(name, _physical(name, column, notes), types.get(name))
        for name, column in zip(names, table.columns, strict=True)
    ]
    fields = tuple(field_of(name, physical_of(array.type)) for name, array in zip(names, arrays, strict=True))
    arrays = [encoded(array) if pa.types.is_string(array.type) else array for array in arrays]
    return Columns(fields, pa.table(arrays, names=names), tuple(notes))


def physical_of(kind: pa.DataType) -> str:
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


def _physical(name: str, column: pa.ChunkedArray, notes: list[str]) -> pa.ChunkedArray:
    kind = column.type
    types = pa.types
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return _physical(name, _plain(name, column), notes)
    if types.is_null(kind):
        return column.cast(pa.string())
    if _is_text(kind):
        return _texts(column)
    if types.is_uint64(kind):
        return column.cast(pa.decimal128(20, 0))
    if types.is_integer(kind):
        return column.cast(pa.int64())
    if types.is_floating(kind):
        return column.cast(pa.float64())
    if types.is_decimal(kind):
        return _decimal(name, column)
    if types.is_boolean(kind) or types.is_date32(kind):
        return column
    if types.is_date64(kind):
        return column.cast(pa.date32())
    if types.is_timestamp(kind):
        return _instants(name, column, notes)
    return _as_text(name, column, notes)


def _plain(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A dictionary- or run-encoded column, written out; Arrow casts only some kinds of dictionary by itself."""
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
    if size > MOST_TEXT:
        raise LimitExceededError(
            f"Column {shown(name)} has {size:,} bytes of text when written out; at most {MOST_TEXT:,} are read.",
            limit=MOST_TEXT,
            value=size,
            column=name,
        )


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts as `string`, of which one chunk holds two gigabytes."""
    if pa.types.is_string(column.type):
        return column
    chunks = [piece for chunk in column.cast(pa.large_string()).chunks for piece in _halved(chunk)]
    return pa.chunked_array([chunk.cast(pa.string()) for chunk in chunks], pa.string())


def _halved(chunk: pa.LargeStringArray) -> list[pa.LargeStringArray]:
    if len(chunk) < 2 or (pc.sum(pc.binary_length(chunk)).as_py() or 0) < MOST_CHUNK:
        return [chunk]
    middle = len(chunk) // 2
    return _halved(chunk[:middle]) + _halved(chunk[middle:])


def _decimal(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    precision, scale = max(kind.precision, kind.precision - kind.scale), max(kind.scale, 0)
    try:
        return column.cast(pa.decimal128(min(precision, 38), scale))
    except (pa.ArrowInvalid, ValueError) as error:
        raise SourceMalformedError(
            f"Column {shown(name)} holds decimals of more than 38 digits.",
            column=name,
            met=str(kind),
            expected="38 digits",
        ) from error


def _instants(name: str, column: pa.ChunkedArray, notes: list[str]) -> pa.ChunkedArray:
    if column.type.tz is not None:
        notes.append(f"{name}: times with a zone are kept in UTC.")
    try:
        # Instants are stored as UTC whatever their zone; to drop the zone is to keep the UTC reading.
        return column.cast(pa.timestamp(column.type.unit)).cast(pa.timestamp("us"))
    except pa.ArrowInvalid as error:
        raise SourceMalformedError(
            f"Column {shown(name)} holds times finer than a microsecond.",
            hint="Round them before connecting, so that the loss is yours to decide.",
            column=name,
            met=str(column.type),
            expected="whole microseconds",
        ) from error


def _as_text(name: str, column: pa.ChunkedArray, notes: list[str]) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        raise SourceMalformedError(
            f"Column {shown(name)} holds bytes, which no question can be about.",
            hint="Leave it out, or turn it into text.",
            column=name,
            met=str(kind),
        )
    notes.append(f"{name}: values of type {kind} are kept as text.")
    try:
        texts = [None if value is None else _text_of(value) for value in column.to_pylist()]
    except (ServiceError, pa.ArrowException, ValueError, OverflowError) as error:
        raise SourceMalformedError(
            f"Column {shown(name)} holds values of type {kind} that have no exact form as text.",
            hint="Convert or drop it before connecting.",
            column=name,
            met=str(kind),
        ) from error
    return pa.chunked_array([pa.array(texts, pa.string())])


def _text_of(value: Any) -> str:
    if isinstance(value, dict | list | tuple):
        return canonical_text(_plain_value(value))
    return str(value)


def _plain_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_value(item) for item in value]
    try:
        return json_value(value)
    except AttributeError:
        return str(value)


def _declared(name: str, column: pa.ChunkedArray, declared: str | None) -> pa.ChunkedArray:
    """Convert to a declared type; only what changes no value."""
    kind = column.type
    if declared is None or (declared == "number" and _is_number(kind)):
        return column
    if pa.types.is_string(kind):
        return inference.declared(name, column, declared, "Row", lambda row: row).column
    wanted = pa.float64() if declared == "number" else arrow_type(declared)
    try:
        converted = column.cast(wanted)
        if pa.types.is_string(wanted) or _same(converted.cast(kind), column):
            return converted
        reason = None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        reason = error
    raise SourceMalformedError(
        f"Column {shown(name)} of type {kind} cannot become {declared} without changing a value.",
        hint="Declare another type, or convert the data.",
        column=name,
        met=str(kind),
        expected=declared,
    ) from reason


def _same(left: pa.ChunkedArray, right: pa.ChunkedArray) -> bool:
    equal = pc.equal(left, right)
    if pa.types.is_floating(left.type):
        equal = pc.or_(equal, pc.and_(pc.is_nan(left), pc.is_nan(right)))
    return bool(pc.all(equal, min_count=0).as_py())


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def content_of_values(columns: Columns) -> Content:
    """Return the digest of the values: the same however they were chunked, encoded or padded."""
    state = FileDigest()
    header = [{"name": field.name, "physical": field.physical} for field in columns.fields]
    state.update(canonical_bytes({"fields": header, "rows": columns.table.num_rows}))
    for column in columns.table.columns:
        for buffer in _canonical_buffers(column):
            state.update(buffer)
    return Content(algorithm="sha256-arrow", sha256=state.hexdigest(), size=columns.table.num_rows)


def _canonical_buffers(column: pa.ChunkedArray) -> Iterator[bytes | memoryview]:
    """Validity as bits where there are nulls, then the values with zero in their place."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(pa.string())
    yield b"\1" if column.null_count else b"\0"
    if column.null_count:
        yield _bytes(np.packbits(pc.is_valid(column).to_numpy()))
        column = pc.fill_null(column, _zero(column.type))
    if pa.types.is_string(column.type):
        yield from _text_buffers(column)
    elif pa.types.is_decimal(column.type):
        for chunk in column.chunks:
            width = column.type.byte_width
            yield memoryview(chunk.buffers()[1])[chunk.offset * width : (chunk.offset + len(chunk)) * width]
    elif pa.types.is_boolean(column.type):
        yield _bytes(np.packbits(column.to_numpy()))
    else:
        integers = {"date32[day]": pa.int32(), "timestamp[us]": pa.int64()}.get(str(column.type))
        numbers = column.cast(integers) if integers is not None else column
        yield _bytes(numbers.to_numpy())


def _text_buffers(column: pa.ChunkedArray) -> Iterator[bytes | memoryview]:
    """The length of every text, then the texts one after the other."""
    yield _bytes(pc.binary_length(column).to_numpy())
    for chunk in column.chunks:
        _, offsets, data = chunk.buffers()
        if data is not None and len(chunk):
            bounds = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
            yield memoryview(data)[int(bounds[0]) : int(bounds[-1])]


def _bytes(numbers: Any) -> memoryview:
    whole: Any = np.ascontiguousarray(numbers)
    return memoryview(whole).cast("B")


def _zero(kind: pa.DataType) -> Any:
    if pa.types.is_string(kind):
        return ""
    if pa.types.is_decimal(kind):
        return pa.scalar(Decimal(0), kind)
    return pa.scalar(0, pa.int32()).cast(kind) if pa.types.is_date32(kind) else pa.scalar(0, pa.int64()).cast(kind)
