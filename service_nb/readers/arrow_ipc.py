"""Arrow IPC files and streams (also called Feather, version 2), sized before anything is unpacked.

Offsets inside a column are not checked by Arrow when it reads, so every column is validated in full before it is used.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from service_nb.errors import LimitExceededError, SourceMalformedError
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.readers.columns import check_cells
from service_nb.readers.files import content_of, read_bytes
from service_nb.readers.flatbuffer import batches_of_file, unpacked_bytes
from service_nb.readers.physical import normalised
from service_nb.schema.source import Limits

MARK = b"ARROW1"  # at the start of a file, and at its end
CELL_BYTES = 8
OLD_FEATHER = b"FEA1"


def read(source: Any, options: ReadOptions) -> Dataset:
    """Read an Arrow IPC file."""
    data, stamp = read_bytes(source, options.limits.text_bytes, "text_bytes")
    if data.startswith(OLD_FEATHER):
        raise SourceMalformedError("The file is Feather of version 1.", hint="Write it again as version 2.", met="FEA1")
    try:
        table = _unpacked(pa.py_buffer(data), data.startswith(MARK), options.limits)
    except (pa.ArrowException, OSError, ValueError, OverflowError, struct.error, MemoryError) as error:
        raise SourceMalformedError(
            "The file is not a valid Arrow IPC file.", met=type(error).__name__, expected="an Arrow IPC file"
        ) from error
    columns = normalised(table, options)
    return columns.dataset(content_of(data), stamp)


def _unpacked(data: pa.Buffer, is_file: bool, limits: Limits) -> pa.Table:
    if is_file:
        reader = pa.ipc.open_file(data)
        batches = batches_of_file(data, data.size - len(MARK))
    else:
        reader = pa.ipc.open_stream(data)
        batches = _batches_of_stream(data)
    _check_sizes(batches, len(reader.schema), limits)
    return reader.read_all()


def _batches_of_stream(data: pa.Buffer) -> Iterator[tuple[bytes, pa.Buffer]]:
    for message in pa.ipc.MessageReader.open_stream(data):
        if message.type != "schema":
            yield message.metadata.to_pybytes(), message.body


def _check_sizes(batches: Iterator[tuple[bytes, pa.Buffer]], columns: int, limits: Limits) -> None:
    """Add up what the batches would take when unpacked, and refuse before anything is."""
    rows = size = 0
    for metadata, body in batches:
        more_rows, more = unpacked_bytes(metadata, body)
        rows, size = rows + more_rows, size + more
        check_cells(rows, columns, limits)
        # Columns of nulls or of runs have no buffers to speak of, and are long nevertheless.
        if max(size, rows * columns * CELL_BYTES) > limits.memory_bytes:
            raise LimitExceededError(
                f"The file unpacks to more than {limits.memory_bytes:,} bytes.",
                hint="Raise Limits(memory_bytes=…), or store it as Parquet.",
                limit=limits.memory_bytes,
                limit_name="memory_bytes",
                value=max(size, rows * columns * CELL_BYTES),
            )
