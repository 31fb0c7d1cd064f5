"""Read Arrow files and streams, and measure each batch before it is unpacked.

Tables are laid out as https://flatbuffers.dev/internals says; the field numbers are those of Arrow's Message.fbs and
File.fbs. Every read is within bounds or raises `struct.error`; sizes are never negative.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from service_nb.errors import SourceMalformedError
from service_nb.readers.columns import check_cells, limit_error
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.doubtful_rows import find_row_notes
from service_nb.readers.physical import normalise
from service_nb.readers.source_files import hash_bytes, read_bytes
from service_nb.schema.source import Limits

MESSAGE_HEADER_TYPE, MESSAGE_HEADER = 1, 2
DICTIONARY_DATA = 1
BATCH_LENGTH, BATCH_BUFFERS, BATCH_COMPRESSION = 0, 2, 3
DICTIONARY_BATCH = 2  # a value of the header's type
FOOTER_DICTIONARIES, FOOTER_BATCHES = 2, 3
BUFFER = struct.Struct("<qq")  # offset and length in the body
BLOCK = struct.Struct("<qi4xq")  # of a file: offset, length of the metadata, length of the body
CONTINUED = b"\xff\xff\xff\xff"  # stands before the length of a message's metadata


@dataclass(frozen=True, slots=True)
class _FlatTable:
    data: bytes
    start: int

    def _find_field(self, number: int) -> int | None:
        """Where the value of a field is, None if it is absent."""
        vtable = self.start - _read("<i", self.data, self.start)
        slot = 4 + 2 * number
        if slot + 2 > _read("<H", self.data, vtable):
            return None
        offset = _read("<H", self.data, vtable + slot)
        return self.start + offset if offset else None

    def read_number(self, layout: str, number: int) -> int:
        place = self._find_field(number)
        return 0 if place is None else _read(layout, self.data, place)

    def find_table(self, number: int) -> _FlatTable | None:
        place = self._find_field(number)
        return None if place is None else _FlatTable(self.data, place + _read("<I", self.data, place))

    def read_vector(self, layout: struct.Struct, number: int) -> list[tuple[int, ...]]:
        place = self._find_field(number)
        if place is None:
            return []
        start = place + _read("<I", self.data, place)
        end = start + 4 + _read("<I", self.data, start) * layout.size
        if end > len(self.data):
            raise struct.error("a vector beyond its table")
        return list(layout.iter_unpack(self.data[start + 4 : end]))


def _read(layout: str, data: bytes, offset: int) -> int:
    if offset < 0:
        raise struct.error("an offset before its message")
    (value,) = struct.unpack_from(layout, data, offset)
    return int(value)


def iter_file_batches(data: pa.Buffer, end: int) -> Iterator[tuple[bytes, pa.Buffer]]:
    """Yield metadata and body of every batch that a file's footer lists; the footer's length stands before `end`."""
    start = end - 4 - _read("<i", _cut(data, end - 4, 4).to_pybytes(), 0)
    footer = _cut(data, start, end - 4 - start).to_pybytes()
    table = _FlatTable(footer, _read("<I", footer, 0))
    for number in (FOOTER_DICTIONARIES, FOOTER_BATCHES):
        for offset, metadata_length, body_length in table.read_vector(BLOCK, number):
            message = _cut(data, offset, metadata_length).to_pybytes()
            prefix = 8 if message.startswith(CONTINUED) else 4
            yield message[prefix:], _cut(data, offset + metadata_length, body_length)


def _cut(data: pa.Buffer, offset: int, length: int) -> pa.Buffer:
    if offset < 0 or length < 0 or offset + length > data.size:
        raise struct.error("a part beyond its file")
    return data.slice(offset, length)


def measure_batch(metadata: bytes, body: pa.Buffer | None) -> tuple[int, int]:
    """Return the rows of a batch's message, and the bytes that its buffers take once unpacked.

    Raises `struct.error` of a message that points beyond its own end or that of its body.
    """
    message = _FlatTable(metadata, _read("<I", metadata, 0))
    batch = message.find_table(MESSAGE_HEADER)
    if batch is not None and message.read_number("<B", MESSAGE_HEADER_TYPE) == DICTIONARY_BATCH:
        batch = batch.find_table(DICTIONARY_DATA)
    if batch is None:
        raise struct.error("a message without a batch")
    rows = batch.read_number("<q", BATCH_LENGTH)
    if rows < 0:
        raise struct.error("a negative number of rows")
    packed = batch.find_table(BATCH_COMPRESSION) is not None
    size = 0
    for offset, length in batch.read_vector(BUFFER, BATCH_BUFFERS):
        if offset < 0 or length < 0 or offset + length > (body.size if body is not None else 0):
            raise struct.error("a buffer beyond its body")
        size += _measure_buffer(body, offset, length) if packed and length else length
    return rows, size


def _measure_buffer(body: pa.Buffer, offset: int, length: int) -> int:
    # A packed buffer starts with the size it had, or with -1 if it was left as it was.
    size = _read("<q", body.slice(offset, min(length, 8)).to_pybytes(), 0)
    if size < -1:
        raise struct.error("a negative size")
    return length if size == -1 else size


MARK = b"ARROW1"  # at the start of a file, and at its end
CELL_BYTES = 8
OLD_FEATHER = b"FEA1"


def read(source: str | os.PathLike[str], options: ReadOptions) -> Dataset:
    """Read an Arrow IPC file."""
    data, stamp = read_bytes(source, options.limits.text_bytes, "text_bytes")
    if data.startswith(OLD_FEATHER):
        raise SourceMalformedError("The file is Feather of version 1.", hint="Write it again as version 2.", met="FEA1")
    try:
        table = _unpack(pa.py_buffer(data), data.startswith(MARK), options.limits)
    except (pa.ArrowException, OSError, ValueError, OverflowError, struct.error, MemoryError) as error:
        raise SourceMalformedError(
            "The file is not a valid Arrow IPC file.", met=type(error).__name__, expected="an Arrow IPC file"
        ) from error
    columns = normalise(table, options)
    return columns.add_notes(find_row_notes(columns.fields, columns.table)).build_dataset(hash_bytes(data), stamp)


def _unpack(data: pa.Buffer, is_file: bool, limits: Limits) -> pa.Table:
    if is_file:
        reader = pa.ipc.open_file(data)
        batches = iter_file_batches(data, data.size - len(MARK))
    else:
        reader = pa.ipc.open_stream(data)
        batches = _iter_stream_batches(data)
    _check_sizes(batches, len(reader.schema), limits)
    return reader.read_all()


def _iter_stream_batches(data: pa.Buffer) -> Iterator[tuple[bytes, pa.Buffer]]:
    for message in pa.ipc.MessageReader.open_stream(data):
        if message.type != "schema":
            yield message.metadata.to_pybytes(), message.body


def _check_sizes(batches: Iterator[tuple[bytes, pa.Buffer]], columns: int, limits: Limits) -> None:
    """Add up what the batches would take when unpacked, and refuse before anything is."""
    rows = size = 0
    for metadata, body in batches:
        more_rows, more = measure_batch(metadata, body)
        rows, size = rows + more_rows, size + more
        check_cells(rows, columns, limits)
        # Columns of nulls or of runs have no buffers to speak of, and are long nevertheless.
        unpacked = max(size, rows * columns * CELL_BYTES)
        if unpacked > limits.memory_bytes:
            hint = "Raise Limits(memory_bytes=…), or store it as Parquet."
            raise limit_error("memory_bytes", limits.memory_bytes, unpacked, "The file unpacks to more bytes", hint)
