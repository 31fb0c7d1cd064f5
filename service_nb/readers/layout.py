"""Texts as Arrow holds them in many ways, written out as one: dictionaries, runs, views, 64-bit offsets."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.core.words import shown
from service_nb.errors import LimitExceededError

MOST_CHUNK = 2**31 - 1  # bytes that 32-bit offsets reach
MOST_TEXT = 8 * 1024**3  # bytes of one column, whose texts may be one text many times


def written_out(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a dictionary- or run-encoded column as plain values; Arrow casts only some dictionaries by itself.

    Raises
    ------
    LimitExceededError [limit_exceeded]
        One text stands for so many rows that the column would not fit.
    """
    kind = column.type.value_type
    if pa.types.is_run_end_encoded(column.type):
        return pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], kind)
    if is_text(kind):
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


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is text of any layout."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def as_strings(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts as `string`, in chunks of at most two gigabytes, which is what it holds."""
    if pa.types.is_string(column.type):
        return column
    chunks = [piece for chunk in column.cast(pa.large_string()).chunks for piece in _halved(chunk)]
    return pa.chunked_array([chunk.cast(pa.string()) for chunk in chunks], pa.string())


def _halved(chunk: pa.LargeStringArray) -> list[pa.LargeStringArray]:
    if len(chunk) < 2 or (pc.sum(pc.binary_length(chunk)).as_py() or 0) < MOST_CHUNK:
        return [chunk]
    middle = len(chunk) // 2
    return _halved(chunk[:middle]) + _halved(chunk[middle:])
