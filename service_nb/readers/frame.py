"""Frames: whatever speaks the Arrow PyCapsule interface — pandas, Polars, pyarrow, DuckDB relations.

What a library's types mean is asked of the library itself, before its Arrow stream forgets it: periods become numbers
there, bits bytes, a time's zone is dropped, and unsigned numbers of 128 bits turn negative.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.errors import ServiceError, SourceMalformedError, UnsupportedSourceError
from service_nb.readers.columns import bad_column_error, check_cells, check_names
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.doubtful_rows import find_row_notes
from service_nb.readers.frame_lines import Library, write_hint
from service_nb.readers.pandas_columns import convert_series
from service_nb.readers.physical import normalise, note_order
from service_nb.schema.reading_notes import ReadingNote

# Types of DuckDB whose Arrow form has lost their meaning, and the remedy.
_LOST_BY_DUCKDB = ("bit", "time with time zone", "bignum", "varint", "variant", "geometry", "interval")


def read(source: object, options: ReadOptions) -> Dataset:
    """Read a frame."""
    notes: list[str] = []
    told: list[ReadingNote] = []
    library = _find_library(source)
    table = _read_table(source, library, options, notes, told)
    columns = normalise(table, options, library)
    return columns.add_notes([*told, *find_row_notes(columns.fields, columns.table)]).build_dataset(notes=notes)


def _find_library(source: object) -> Library:
    """Return the library whose lines convert a column; those of Arrow are for whatever else has its interface."""
    for base in type(source).__mro__:
        match base.__module__.partition(".")[0], base.__name__:
            case "pandas", "DataFrame":
                return "pandas"
            case "polars", "DataFrame":
                return "polars"
            case "duckdb" | "_duckdb", "DuckDBPyRelation":
                return "duckdb"
    return "arrow"


def _read_table(
    source: Any, library: Library, options: ReadOptions, notes: list[str], told: list[ReadingNote]
) -> pa.Table:
    if isinstance(source, pa.Table):
        return source  # given to `pa.table`, it would load pandas, to see whether it is one of its frames
    try:
        match library:
            case "pandas":
                return _convert_pandas(source, options, notes, told)
            case "polars":
                return pa.table(_convert_polars(source))
            case "duckdb":
                return _convert_duckdb(source, told)
        if isinstance(source, Mapping):  # which pa.table would take for columns by name
            return pa.RecordBatchReader.from_stream(source).read_all()
        return pa.table(source)
    except ServiceError:
        raise
    except Exception as error:  # a relation runs its query here, and fails with whatever its library raises
        kind = type(source).__name__
        raise UnsupportedSourceError(
            f"An object of type {kind} cannot be read through Arrow as a table.",
            hint="Pass a frame, not one of its columns, with columns of Arrow's types.",
            met=kind,
        ) from error


def _convert_pandas(frame: Any, options: ReadOptions, notes: list[str], told: list[ReadingNote]) -> pa.Table:
    """A frame of pandas, without its index: its own Arrow stream would carry it along under a name nobody gave."""
    names = check_names(list(frame.columns), options.limits)
    check_cells(len(frame), len(names), options.limits)
    if type(frame.index).__name__ != "RangeIndex":
        notes.append("The index of the frame is left out; reset_index() turns it into columns.")
    columns = [convert_series(name, frame.iloc[:, position], notes, told) for position, name in enumerate(names)]
    return pa.table(columns, names=names)


def _convert_polars(frame: Any) -> Any:
    """A frame of Polars with its whole numbers of 128 bits, which Arrow does not have, as decimals."""
    polars = sys.modules["polars"]
    wide = []
    for name, kind in frame.schema.items():
        met = {type(each).__name__ for each in _iter_polars_types(kind)}
        if "Object" in met:
            fault = f"of type {kind} holds objects of Python, which have no type"
            raise bad_column_error(name, fault, write_hint("object", name, "polars"), met=str(kind))
        if met & {"Int128", "UInt128"}:
            if len(met) > 1 or kind.is_nested():
                raise _wide_number_error(name, str(kind), "polars")
            wide.append(name)
    for name in wide:
        try:
            frame = frame.with_columns(polars.col(name).cast(polars.Decimal(38, 0)))
        except polars.exceptions.InvalidOperationError as error:
            raise _wide_number_error(name, str(frame.schema[name]), "polars") from error
    return frame


def _iter_polars_types(kind: Any) -> Iterator[Any]:
    yield kind
    inner = getattr(kind, "inner", None)
    if inner is not None:
        yield from _iter_polars_types(inner)
    for field in getattr(kind, "fields", ()):
        yield from _iter_polars_types(field.dtype)


def _convert_duckdb(relation: Any, told: list[ReadingNote]) -> pa.Table:
    unsigned = []
    for at, (name, kind) in enumerate(zip(relation.columns, relation.types, strict=True)):
        met = {each.id for each in _iter_duckdb_types(kind)}
        lost = next((each for each in _LOST_BY_DUCKDB if each in met), None)
        if lost is not None or ("uhugeint" in met and kind.id != "uhugeint"):
            fault = f"is of DuckDB's type {kind}, whose meaning is lost on the way through Arrow"
            raise bad_column_error(name, fault, write_hint("text", name, "duckdb"), met=str(kind))
        if kind.id == "enum" and (members := kind.children[0][1]) != sorted(members):
            told.append(note_order(name, is_of_texts=True))
        if kind.id == "uhugeint":
            unsigned.append((at, name))
    table = pa.table(relation)
    for at, name in unsigned:
        least = pc.min(table.column(at)).as_py()
        if least is not None and least < 0:  # it is exported as a signed number of the same bits
            raise _wide_number_error(name, "UHUGEINT", "duckdb")
    return table


def _iter_duckdb_types(kind: Any) -> Iterator[Any]:
    yield kind
    if kind.id in ("list", "array", "struct", "map", "union"):
        for _, child in kind.children:
            if hasattr(child, "id"):  # the other part of an array is its size
                yield from _iter_duckdb_types(child)


def _wide_number_error(name: str, kind: str, library: Library) -> SourceMalformedError:
    fault = f"of type {kind} holds whole numbers of 128 bits, of which at most 38 digits are read"
    return bad_column_error(name, fault, write_hint("text", name, library), met=kind, expected="38 digits")
