"""The digest of values: the same however they were chunked, encoded or padded, and whatever lies under their nulls."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.core.canonical import canonical_bytes
from service_nb.core.digest import FileDigest
from service_nb.readers.columns import Columns
from service_nb.schema.source import Content


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
    elif pa.types.is_floating(column.type):
        numbers = column.to_numpy()
        yield _bytes(np.where(np.isnan(numbers), np.nan, numbers))  # NaN has many spellings
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
