"""Columns as every reader returns them: names checked, values hashed.

The digest of values does not depend on chunks, encodings, padding, or what lies under nulls.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.digest import FileDigest
from service_nb.core.words import describe_value, find_nearest
from service_nb.core.zones import UTC
from service_nb.errors import InvalidIntentError, LimitExceededError, SourceMalformedError
from service_nb.readers.alike_texts import Tell, find_text_notes, tell_row
from service_nb.readers.dataset import Dataset
from service_nb.schema.reading_notes import ReadingNote, write_note
from service_nb.schema.source import FIELD_TYPES, Content, Field, FieldType, FileStamp, Limits, TypeReason

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
    notes: tuple[str, ...] = ()
    reasons: tuple[TypeReason, ...] = ()
    reading_notes: tuple[ReadingNote, ...] = ()

    def add_notes(self, notes: Sequence[ReadingNote]) -> TypedTable:
        """Return the table with more notes on its reading."""
        return replace(self, reading_notes=(*self.reading_notes, *notes))

    def build_dataset(
        self,
        content: Content | None = None,
        *stamps: FileStamp,
        notes: Sequence[str] = (),
        tell: Tell = tell_row,
        trims: bool = False,
    ) -> Dataset:
        """Build the dataset of these columns; its content is the digest of the values unless one is given.

        `tell` tells the place of a row; `trims`: the reader has the option `trim`.
        """
        of_texts = find_text_notes(self.fields, self.table, tell, trims=trims)
        reading_notes = (*self.reading_notes, *of_texts)
        told = {each.column for each in self.reasons if each.code == "blanks"}  # which counts them at connect
        said = [each for each in reading_notes if each.kind != "blanks" or each.columns[0] not in told]
        return Dataset(
            fields=self.fields,
            row_count=self.table.num_rows,
            content=content or hash_values(self),
            table=self.table,
            notes=(*notes, *self.notes, *(write_note(each.to_dict(), with_advice=True) for each in said)),
            stamps=stamps,
            reasons=self.reasons,
            reading_notes=reading_notes,
        )


def limit_error(
    name: str, limit: int, value: int, met: str, hint: str | None = None, **details: object
) -> LimitExceededError:
    """Build the error of an input beyond the limit of that name; `met` says how much of it there is."""
    message, hint = f"{met}; at most {limit:,} are read.", hint or f"Raise Limits({name}=…)."
    return LimitExceededError(message, hint=hint, limit=limit, limit_name=name, value=value, **details)


def bad_column_error(name: str, fault: str, hint: str | None = None, **details: object) -> SourceMalformedError:
    """Build the error of a column; `fault` goes on after its name."""
    return SourceMalformedError(f"Column {describe_value(name)} {fault}.", hint=hint, column=name, **details)


def read_names(schema: pa.Schema) -> list[str]:
    """Return the names in an Arrow schema, which a hostile file may spell in bytes that are no UTF-8."""
    try:
        return list(schema.names)
    except UnicodeDecodeError as error:
        raise SourceMalformedError("A column's name is not UTF-8.", expected="UTF-8") from error


def check_names(names: Sequence[object], limits: Limits) -> list[str]:
    """Return the column names, provided that each is text of its own. Raises `source_malformed`, `limit_exceeded`."""
    if not names:
        raise SourceMalformedError("There are no columns.", expected="at least one named column")
    if len(names) > limits.columns:
        raise limit_error("columns", limits.columns, len(names), f"There are {len(names):,} columns")
    seen: dict[str, int] = {}
    for position, each in enumerate(names, start=1):
        name = _check_name(each, position, limits)
        if name in seen:
            raise SourceMalformedError(
                f"Columns {seen[name]} and {position} have the same name {describe_value(name)}.",
                hint="Give each column a unique name.",
                column=name,
                position=position,
            )
        seen[name] = position
    return list(seen)


def _check_name(name: object, position: int, limits: Limits) -> str:
    which = f"The name of column {position}"
    if not isinstance(name, str) or not name.strip():
        met = "empty" if isinstance(name, str) else describe_value(name)
        raise SourceMalformedError(f"{which} is {met}.", hint="Name every column.", position=position, expected="text")
    if len(name) > limits.name_chars:
        met = f"{which} has {len(name):,} characters"
        raise limit_error("name_chars", limits.name_chars, len(name), met, position=position)
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in name):
        raise SourceMalformedError(f"{which} holds a control character.", position=position, expected="printable text")
    return name


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
    hint = f"It may be {', '.join((*FIELD_TYPES, 'int64', 'float64'))} or decimal(p,s) with p up to 38."
    message = f"`types[{describe_value(name)}]` is {describe_value(kind)}."
    raise InvalidIntentError(message, hint=hint, path="types", met=describe_value(kind))


def make_field(name: str, physical: str, *, is_zoned: bool = False) -> Field:
    """Return the field of a column of the physical type; `is_zoned`: its times had a zone, and are kept in UTC."""
    kind: FieldType = "number" if physical.startswith("decimal(") else _PHYSICAL[physical][0]
    return Field(name=name, type=kind, physical=physical, zone=UTC if is_zoned and kind == "datetime" else None)


def find_arrow_type(physical: str) -> pa.DataType:
    """Return the Arrow type that holds the physical type."""
    match = _DECIMAL.fullmatch(physical)
    return pa.decimal128(int(match[1]), int(match[2])) if match else _PHYSICAL[physical][1]


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a type is text of any layout."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def find_physical(kind: pa.DataType) -> str | None:
    """Return the physical type that holds the values of an Arrow type; None where there is none."""
    types = pa.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if is_text(kind):
        return "string"
    if types.is_uint64(kind):
        return "decimal(20,0)"
    if types.is_integer(kind):
        return "int64"
    if types.is_floating(kind):
        return "float64"
    if types.is_decimal(kind) and kind.precision <= 38 and kind.scale >= 0:
        return f"decimal({kind.precision},{kind.scale})"
    if types.is_boolean(kind):
        return "boolean"
    if types.is_date(kind):
        return "date"
    return "datetime" if types.is_timestamp(kind) else None


def check_cells(rows: int, columns: int, limits: Limits, values: int | None = None) -> None:
    """Raise `limit_exceeded` for a table of more cells than may be held in memory.

    With `values`, how many cells are written, also for one that is far larger than that: a few rows of many names.
    """
    cells = rows * columns
    has_gaps = values is not None and cells > FREE_CELLS and cells > limits.inflate_ratio * values
    if cells <= limits.cells and not has_gaps:
        return
    size = f"{rows:,} rows of {columns:,} columns"
    if cells > limits.cells:
        hint = "Store it as Parquet, which is scanned in place, or raise Limits(cells=…)."
        raise limit_error("cells", limits.cells, cells, f"{size} have {cells:,} cells", hint)
    raise LimitExceededError(
        f"{size} hold only {values:,} values; the others are missing.",
        hint="Reshape it to columns for name and value, or raise Limits(inflate_ratio=…).",
        limit=limits.inflate_ratio,
        limit_name="inflate_ratio",
        value=cells // max(values or 0, 1),
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


def view_numbers(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    """Return the numbers of a column without nulls, of one chunk as they lie there; `to_numpy` would load pandas."""
    chunks = [np.from_dlpack(chunk) for chunk in column.chunks]
    if len(chunks) == 1:
        return chunks[0]
    return np.concatenate(chunks) if chunks else np.empty(0, column.type.to_pandas_dtype())  # a type of NumPy


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
        numbers = view_numbers(column)
        yield _view_bytes(np.where(np.isnan(numbers), np.nan, numbers))  # NaN has many spellings
    else:
        integers = {"date32[day]": pa.int32(), "timestamp[us]": pa.int64()}.get(str(column.type))
        yield _view_bytes(view_numbers(column.cast(integers) if integers is not None else column))


def _iter_text_buffers(column: pa.ChunkedArray) -> Iterator[bytes | memoryview]:
    """The length of every text, then the texts one after the other."""
    yield _view_bytes(view_numbers(pc.binary_length(column)))
    for chunk in column.chunks:
        _, offsets, data = chunk.buffers()
        if data is not None and len(chunk):
            bounds = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
            yield memoryview(data)[int(bounds[0]) : int(bounds[-1])]


def _view_bytes(numbers: npt.ArrayLike) -> memoryview:
    return np.ascontiguousarray(numbers).data.cast("B")


def _make_zero(kind: pa.DataType) -> object:
    if pa.types.is_string(kind):
        return ""
    if pa.types.is_decimal(kind):
        return pa.scalar(Decimal(0), kind)
    return pa.scalar(0, pa.int32() if pa.types.is_date32(kind) else pa.int64()).cast(kind)
