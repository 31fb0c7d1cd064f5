"""Reduce Arrow's many types to the few physical ones.

A type is taken at its word. Where the reduction changes the meaning, a note says so; where it would change a value, the
column is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.core.canonical import write_canonical_text
from service_nb.core.words import describe_value
from service_nb.errors import LimitExceededError, ServiceError, SourceMalformedError
from service_nb.readers.columns import (
    TypedTable,
    bad_column_error,
    check_cells,
    check_names,
    check_types,
    encode_texts,
    find_arrow_type,
    find_physical,
    is_text,
    make_field,
    read_names,
)
from service_nb.readers.dataset import ReadOptions
from service_nb.readers.frame_lines import Library, write_hint
from service_nb.readers.inference import convert_declared
from service_nb.readers.meaning import BOOLEAN, check_meaning
from service_nb.schema.reading_notes import ReadingNote
from service_nb.schema.source import convert_to_json

_MOST_CHUNK = 2**31 - 1  # bytes that 32-bit offsets reach
_NARROW_ROWS = 1_000  # of a column of 16 or 32 bits that are looked at
_MOST_TEXT = 8 * 1024**3  # bytes of one column, whose texts may be one text many times


def _write_out(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a dictionary- or run-encoded column as plain values; Arrow casts only some dictionaries by itself.

    Raises `limit_exceeded`.
    """
    kind = column.type.value_type
    if pa.types.is_run_end_encoded(column.type):
        try:
            return pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], kind)
        except pa.ArrowNotImplementedError:  # of dictionaries and views
            column = pa.chunked_array(
                [_convert_runs(chunk) for chunk in column.chunks], pa.dictionary(pa.int64(), kind)
            )
            return _write_out(name, column)
    if is_text(kind):
        kind = pa.large_string()
        _refuse_long_texts(name, column)
    return pa.chunked_array([chunk.dictionary.cast(kind).take(chunk.indices) for chunk in column.chunks], kind)


def _convert_runs(chunk: pa.RunEndEncodedArray) -> pa.DictionaryArray:
    """Return runs as a dictionary of their values."""
    numbers = pa.RunEndEncodedArray.from_arrays(chunk.run_ends, pa.array(range(len(chunk.values)), pa.int64()))
    indices = pc.run_end_decode(numbers).slice(chunk.offset, len(chunk))
    return pa.DictionaryArray.from_arrays(indices, chunk.values)


def _refuse_long_texts(name: str, column: pa.ChunkedArray) -> None:
    lengths = (
        pc.binary_length(chunk.dictionary.cast(pa.large_string())).take(chunk.indices) for chunk in column.chunks
    )
    size = sum(pc.sum(chunk).as_py() or 0 for chunk in lengths)
    if size > _MOST_TEXT:
        met = f"Column {describe_value(name)} has {size:,} bytes of text when written out"
        raise LimitExceededError(f"{met}; at most {_MOST_TEXT:,} are read.", limit=_MOST_TEXT, value=size, column=name)


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


def normalise(table: pa.Table, options: ReadOptions, library: Library | None = None) -> TypedTable:
    """Return an Arrow table reduced to the physical types; a refusal says what to type in `library`.

    Raises `source_malformed`.
    """
    names = check_names(read_names(table.schema), options.limits)
    check_cells(table.num_rows, len(names), options.limits)
    types = check_types(options.types, names)
    _validate(table, names, library)
    for field, column in zip(table.schema, table.columns, strict=True):
        check_meaning(field, column, library)
    notes: list[str] = []
    told: list[ReadingNote] = []
    arrays, fields = [], []
    for name, column in zip(names, table.columns, strict=True):
        array, declared = _convert_to_physical(name, column, notes, told), types.get(name)
        is_zoned = _has_zone(column.type)
        if declared is not None and pa.types.is_string(array.type):
            typed = convert_declared(name, array, declared)
            array, is_zoned = typed.column, typed.is_zoned
        else:
            array = _cast_declared(name, array, declared)
        arrays.append(array)
        fields.append(make_field(name, find_physical(array.type) or "string", is_zoned=is_zoned))
    arrays = [encode_texts(array) if pa.types.is_string(array.type) else array for array in arrays]
    return TypedTable(tuple(fields), pa.table(arrays, names=names), tuple(notes), reading_notes=tuple(told))


def is_narrow(kind: pa.DataType) -> bool:
    """Tell whether a type holds numbers of 16 or 32 bits."""
    return bool(pa.types.is_float16(kind) or pa.types.is_float32(kind))


def note_narrow(name: str, kind: pa.DataType, **facts: str) -> ReadingNote:
    """Build the note on a column of numbers of 16 or 32 bits."""
    return ReadingNote("narrow", (name,), {"bits": str(kind.bit_width), **facts})


def _find_narrow(name: str, column: pa.ChunkedArray) -> list[ReadingNote]:
    """Note numbers of 16 or 32 bits that are other doubles than their texts: 0.1 is 0.10000000149011612."""
    numbers = (value for chunk in column.slice(0, _NARROW_ROWS).chunks for value in chunk.drop_null().to_numpy())
    first = next((each for each in numbers if np.isfinite(each) and float(str(each)) != float(each)), None)
    return [] if first is None else [note_narrow(name, column.type, first=str(first), read=repr(float(first)))]


def _has_zone(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _has_zone(kind.value_type)
    return bool(pa.types.is_timestamp(kind)) and kind.tz is not None


def _validate(table: pa.Table, names: list[str], library: Library | None) -> None:
    for name, column in zip(names, table.columns, strict=True):
        try:
            column.validate(full=True)
        except (pa.ArrowInvalid, pa.ArrowIndexError) as error:
            # A database may hold more than the type that it exports: numbers of 39 digits, 24:00:00.
            fault = f"of type {column.type} holds values that are none of this type"
            hint = write_hint("text", name, library) if library == "duckdb" else None
            raise bad_column_error(name, fault, hint, met=str(column.type), expected="valid Arrow data") from error
    try:
        table.validate()  # that the columns are of one length
    except (pa.ArrowInvalid, pa.ArrowIndexError) as error:
        raise SourceMalformedError("The frame's Arrow buffers are malformed.", expected="valid Arrow data") from error


def _convert_to_physical(
    name: str, column: pa.ChunkedArray, notes: list[str], told: list[ReadingNote]
) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_dictionary(kind) and kind.ordered and not _is_ascending(column):
        told.append(note_order(name, is_of_texts=is_text(kind.value_type)))
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _convert_to_physical(name, _write_out(name, column), notes, told)
    if isinstance(kind, pa.BaseExtensionType) and kind.extension_name == BOOLEAN:
        return column.cast(pa.int8()).cast(pa.bool_())
    if pa.types.is_null(kind):
        return column.cast(pa.string())
    if is_text(kind):
        return _cast_strings(column)
    if pa.types.is_decimal(kind):
        return _convert_decimal(name, column)
    if pa.types.is_timestamp(kind):
        return _convert_instants(name, column, notes)
    if is_narrow(kind):
        told += _find_narrow(name, column)
    physical = find_physical(kind)
    return _convert_to_text(name, column, told) if physical is None else column.cast(find_arrow_type(physical))


def note_order(name: str, *, is_of_texts: bool) -> ReadingNote:
    """Build the note on categories that have an order of their own."""
    return ReadingNote("categories", (name,), {"what": "letters" if is_of_texts else "values"})


def _is_ascending(column: pa.ChunkedArray) -> bool:
    """Tell whether the order of ordered categories is also that of their values."""
    values = column.chunk(0).dictionary.drop_null() if column.num_chunks else pa.array([], pa.int64())
    try:
        order = pc.sort_indices(values.cast(pa.large_string()) if is_text(values.type) else values)
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return False
    return bool(pc.all(pc.equal(order, pa.array(range(len(order)), order.type)), min_count=0).as_py())


def _convert_decimal(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    precision, scale = max(kind.precision, kind.precision - kind.scale, kind.scale), max(kind.scale, 0)
    try:
        return column.cast(pa.decimal128(min(precision, 38), min(scale, 38)))
    except (pa.ArrowInvalid, ValueError) as error:
        fault, hint = "holds decimals of more than 38 digits", "Round them, or convert them to text."
        raise bad_column_error(name, fault, hint, met=str(kind), expected="38 digits") from error


def _convert_instants(name: str, column: pa.ChunkedArray, notes: list[str]) -> pa.ChunkedArray:
    if column.type.tz is not None:
        notes.append(f"{name}: times with a time zone are converted to UTC.")
    try:
        # Instants are stored as UTC whatever their zone; to drop the zone is to keep the UTC reading.
        return column.cast(pa.timestamp(column.type.unit)).cast(pa.timestamp("us"))
    except pa.ArrowInvalid as error:
        raise too_fine_error(name, str(column.type), "before connecting") from error


def too_fine_error(name: str, met: str, where: str) -> SourceMalformedError:
    """Build the error of a column with times that lose digits here; `where` they can be rounded."""
    hint = f"Round them {where}, so that no digits are lost unnoticed."
    return bad_column_error(name, "holds times finer than a microsecond", hint, met=met, expected="whole microseconds")


def _convert_to_text(name: str, column: pa.ChunkedArray, told: list[ReadingNote]) -> pa.ChunkedArray:
    kind = column.type
    told.append(ReadingNote("as_text", (name,), {"what": f"values of type {kind}"}))
    try:
        # The same text in any unit: of nanoseconds, Python's times drop some, and durations are those of pandas.
        if pa.types.is_time64(kind):
            column = column.cast(pa.time64("us"))
        elif pa.types.is_duration(kind):
            column = column.cast(pa.duration("us"))
        texts = [None if value is None else _write_text(value) for value in column.to_pylist()]
    except (ServiceError, pa.ArrowException, ValueError, ArithmeticError, LookupError) as error:
        fault = f"holds values of type {kind} that cannot be written exactly as text"
        raise bad_column_error(name, fault, "Convert or drop it before connecting.", met=str(kind)) from error
    return pa.chunked_array([pa.array(texts, pa.string())])


def _write_text(value: object) -> str:
    if isinstance(value, dict | list | tuple):
        return write_canonical_text(_simplify_value(value))
    return str(value)


def _simplify_value(value: Any) -> object:
    if isinstance(value, dict):
        return {str(key): _simplify_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_simplify_value(item) for item in value]
    if hasattr(value, "to_pytimedelta"):  # of nanoseconds, which are whole microseconds
        value = value.to_pytimedelta()
    try:
        return convert_to_json(value)
    except AttributeError:
        return str(value)


def _cast_declared(name: str, column: pa.ChunkedArray, declared: str | None) -> pa.ChunkedArray:
    """Convert to a declared type; only what changes no value."""
    kind = column.type
    if declared is None or (declared == "number" and _is_number(kind)):
        return column
    wanted = pa.float64() if declared == "number" else find_arrow_type(declared)
    reason = None
    is_told = pa.types.is_temporal(kind) == pa.types.is_temporal(wanted)  # a number is no time: of what, since when?
    try:
        if is_told or pa.types.is_string(wanted):
            converted = column.cast(wanted)
            if pa.types.is_string(wanted) or _is_same_column(converted.cast(kind), column):
                return converted
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        reason = error
    met = find_physical(kind) or str(kind)
    fault, hint = (
        f"of type {met} cannot become {declared} without changing a value",
        "Declare another type, or convert the data.",
    )
    raise bad_column_error(name, fault, hint, met=met, expected=declared) from reason


def _is_same_column(left: pa.ChunkedArray, right: pa.ChunkedArray) -> bool:
    equal = pc.equal(left, right)
    if pa.types.is_floating(left.type):
        equal = pc.or_(equal, pc.and_(pc.is_nan(left), pc.is_nan(right)))
    return bool(pc.all(equal, min_count=0).as_py())


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))
