"""Columns as every reader returns them: names checked, values hashed.

The digest of values does not depend on chunks, encodings, padding, or what lies under nulls.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.digest import FileDigest
from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import InvalidIntentError, LimitExceededError, SourceMalformedError
from service_nb.readers.base import Dataset
from service_nb.schema.source import FIELD_TYPES, Content, Field, FieldType, FileStamp, Limits

MOST_MEMBERS = 1_000  # distinct values of a string column that is dictionary-encoded
SAMPLE = 10_000
FREE_CELLS = 10_000_000  # of a table, before it counts how many of them are missing

_DECIMAL = re.compile(r"decimal\((\d{1,2}),\s*(\d{1,2})\)")
_PHYSICAL: Mapping[str, tuple[FieldType, pa.DataType]] = {
    "int64": ("number", pa.int64()),
    "float64": ("number", pa.float64()),
    "string": ("string", pa.string()),
    "boolean": ("boolean", pa.bool_()),
    "date": ("date", pa.date32()),
    "datetime": ("datetime", pa.timestamp("us")),
}


@dataclass(frozen=True, slots=True)
class TypedTable:
    """A normalised table: its fields, its Arrow table in their physical types, and what was decided on the way."""

    fields: tuple[Field, ...]
    table: pa.Table
    notes: tuple[str, ...]

    def dataset(self, content: Content, *stamps: FileStamp) -> Dataset:
        """Build the dataset of these columns, with the digest of the content and the stamps of the files."""
        return Dataset(
            fields=self.fields,
            row_count=self.table.num_rows,
            content=content,
            table=self.table,
            notes=self.notes,
            stamps=stamps,
        )


def read_names(schema: pa.Schema) -> list[str]:
    """Return the names in an Arrow schema, which a hostile file may spell in bytes that are no UTF-8."""
    try:
        return list(schema.names)
    except UnicodeDecodeError as error:
        raise SourceMalformedError("A column's name is not UTF-8.", expected="UTF-8") from error


def check_names(names: Sequence[Any], limits: Limits) -> list[str]:
    """Return the column names, provided that each is text of its own. Raises `source_malformed`, `limit_exceeded`."""
    if not names:
        raise SourceMalformedError("There are no columns.", expected="at least one named column")
    if len(names) > limits.columns:
        raise LimitExceededError(
            f"There are {len(names):,} columns; at most {limits.columns:,} are read.",
            hint="Raise Limits(columns=…).",
            limit=limits.columns,
            limit_name="columns",
            value=len(names),
        )
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        _check_name(name, position, limits)
        if name in seen:
            raise SourceMalformedError(
                f"Columns {seen[name]} and {position} have the same name {describe_value(name)}.",
                hint="Give each column a unique name.",
                column=name,
                position=position,
            )
        seen[name] = position
    return list(names)


def _check_name(name: object, position: int, limits: Limits) -> None:
    if not isinstance(name, str) or not name.strip():
        met = "empty" if isinstance(name, str) else describe_value(name)
        raise SourceMalformedError(
            f"The name of column {position} is {met}.", hint="Name every column.", position=position, expected="text"
        )
    if len(name) > limits.name_chars:
        raise LimitExceededError(
            f"The name of column {position} has {len(name):,} characters; at most {limits.name_chars:,} are read.",
            limit=limits.name_chars,
            limit_name="name_chars",
            value=len(name),
            position=position,
        )
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in name):
        raise SourceMalformedError(
            f"The name of column {position} holds a control character.", position=position, expected="printable text"
        )


def check_types(types: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """Return the physical type declared for each column, checked. Raises `invalid_intent`."""
    checked = {}
    for name, kind in types.items():
        if name not in names:
            raise InvalidIntentError(
                f"types names {describe_value(name)}, which is not a column.",
                path="types",
                met=describe_value(name),
                did_you_mean=find_nearest(str(name), names) or None,
            )
        checked[name] = _check_type(name, kind)
    return checked


def _check_type(name: str, kind: object) -> str:
    if kind in _PHYSICAL or kind == "number":
        return str(kind)
    match = _DECIMAL.fullmatch(kind) if isinstance(kind, str) else None
    if match is not None and 1 <= int(match[1]) <= 38 and int(match[2]) <= int(match[1]):
        return f"decimal({int(match[1])},{int(match[2])})"
    raise InvalidIntentError(
        f"`types[{describe_value(name)}]` is {describe_value(kind)}.",
        hint=f"It may be {', '.join((*FIELD_TYPES, 'int64', 'float64'))} or decimal(p,s) with p up to 38.",
        path="types",
        met=describe_value(kind),
    )


def make_field(name: str, physical: str) -> Field:
    """Return the field of a column of the physical type."""
    kind: FieldType = "number" if physical.startswith("decimal(") else _PHYSICAL[physical][0]
    return Field(name=name, type=kind, physical=physical)


def find_arrow_type(physical: str) -> pa.DataType:
    """Return the Arrow type that holds the physical type."""
    match = _DECIMAL.fullmatch(physical)
    return pa.decimal128(int(match[1]), int(match[2])) if match else _PHYSICAL[physical][1]


def check_cells(rows: int, columns: int, limits: Limits) -> None:
    """Raise `limit_exceeded` for a table of more cells than may be held in memory."""
    if rows * columns > limits.cells:
        raise LimitExceededError(
            f"{rows:,} rows of {columns:,} columns are more than {limits.cells:,} cells.",
            hint="Store it as Parquet, which is scanned in place, or raise Limits(cells=…).",
            limit=limits.cells,
            limit_name="cells",
            value=rows * columns,
        )


def check_gaps(rows: int, columns: int, values: int, limits: Limits) -> None:
    """Raise `limit_exceeded` for a table that is far larger than what was written of it: a few rows of many names."""
    cells = rows * columns
    if cells > FREE_CELLS and cells > limits.inflate_ratio * values:
        raise LimitExceededError(
            f"{rows:,} rows of {columns:,} columns hold only {values:,} values; the others are missing.",
            hint="Reshape it to columns for name and value, or raise Limits(inflate_ratio=…).",
            limit=limits.inflate_ratio,
            limit_name="inflate_ratio",
            value=cells // max(values, 1),
        )


def encode_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a string column dictionary-encoded if it has few values, else as it is."""
    sample = column.slice(0, SAMPLE)
    if pc.count_distinct(sample).as_py() > min(MOST_MEMBERS, max(len(sample) // 2, 1)):
        return column
    encoding = column.dictionary_encode()
    members = max((len(chunk.dictionary) for chunk in encoding.chunks), default=0)
    if members > MOST_MEMBERS or members * 2 > max(len(column), 2):
        return column
    return encoding.unify_dictionaries()


def hash_values(columns: TypedTable) -> Content:
    """Return the digest of the values: the same however they were chunked, encoded or padded."""
    state = FileDigest()
    header = [{"name": field.name, "physical": field.physical} for field in columns.fields]
    state.update(write_canonical_bytes({"fields": header, "rows": columns.table.num_rows}))
    for column in columns.table.columns:
        for buffer in _iter_canonical_buffers(column):
            state.update(buffer)
    return Content(algorithm="sha256-arrow", sha256=state.hexdigest(), size=columns.table.num_rows)


def _iter_canonical_buffers(column: pa.ChunkedArray) -> Iterator[bytes | memoryview]:
    """Validity as bits where there are nulls, then the values with zero in their place."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(pa.string())
    yield b"\1" if column.null_count else b"\0"
    if column.null_count:
        yield _view_bytes(np.packbits(pc.is_valid(column).to_numpy()))
        column = pc.fill_null(column, _make_zero(column.type))
    if pa.types.is_string(column.type):
        yield from _iter_text_buffers(column)
    elif pa.types.is_decimal(column.type):
        for chunk in column.chunks:
            width = column.type.byte_width
            yield memoryview(chunk.buffers()[1])[chunk.offset * width : (chunk.offset + len(chunk)) * width]
    elif pa.types.is_boolean(column.type):
        yield _view_bytes(np.packbits(column.to_numpy()))
    elif pa.types.is_floating(column.type):
        numbers = column.to_numpy()
        yield _view_bytes(np.where(np.isnan(numbers), np.nan, numbers))  # NaN has many spellings
    else:
        integers = {"date32[day]": pa.int32(), "timestamp[us]": pa.int64()}.get(str(column.type))
        numbers = column.cast(integers) if integers is not None else column
        yield _view_bytes(numbers.to_numpy())


def _iter_text_buffers(column: pa.ChunkedArray) -> Iterator[bytes | memoryview]:
    """The length of every text, then the texts one after the other."""
    yield _view_bytes(pc.binary_length(column).to_numpy())
    for chunk in column.chunks:
        _, offsets, data = chunk.buffers()
        if data is not None and len(chunk):
            bounds = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
            yield memoryview(data)[int(bounds[0]) : int(bounds[-1])]


def _view_bytes(numbers: object) -> memoryview:
    whole: Any = np.ascontiguousarray(numbers)
    return memoryview(whole).cast("B")


def _make_zero(kind: pa.DataType) -> object:
    if pa.types.is_string(kind):
        return ""
    if pa.types.is_decimal(kind):
        return pa.scalar(Decimal(0), kind)
    return pa.scalar(0, pa.int32()).cast(kind) if pa.types.is_date32(kind) else pa.scalar(0, pa.int64()).cast(kind)
