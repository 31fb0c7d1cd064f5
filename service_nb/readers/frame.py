"""Frames: whatever speaks the Arrow PyCapsule interface — pandas, Polars, pyarrow, DuckDB relations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from service_nb.errors import ServiceError, UnsupportedSourceError
from service_nb.readers.columns import bad_column_error, check_cells, check_names
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.physical import normalise
from service_nb.readers.python_rows import build_typed_column


def read(source: object, options: ReadOptions) -> Dataset:
    """Read a frame."""
    notes: list[str] = []
    return normalise(_read_table(source, options, notes), options).build_dataset(notes=notes)


def _read_table(source: object, options: ReadOptions, notes: list[str]) -> pa.Table:
    if isinstance(source, pa.Table):
        return source  # given to `pa.table`, it would load pandas, to see whether it is one of its frames
    kind = type(source)
    if any(base.__module__.partition(".")[0] == "pandas" and base.__name__ == "DataFrame" for base in kind.__mro__):
        return _convert_pandas(source, options, notes)
    try:
        if isinstance(source, Mapping):  # which pa.table would take for columns by name
            return pa.RecordBatchReader.from_stream(source).read_all()
        return pa.table(source)
    except ServiceError:
        raise
    except Exception as error:  # a relation runs its query here, and fails with whatever its library raises
        raise UnsupportedSourceError(
            f"An object of type {kind.__name__} cannot be read through Arrow as a table.",
            hint="Pass a frame, not one of its columns, with columns of Arrow's types.",
            met=kind.__name__,
        ) from error


def _convert_pandas(frame: Any, options: ReadOptions, notes: list[str]) -> pa.Table:
    """A frame of pandas, without its index: its own Arrow stream would carry it along under a name nobody gave."""
    names = check_names(list(frame.columns), options.limits)
    check_cells(len(frame), len(names), options.limits)
    if type(frame.index).__name__ != "RangeIndex":
        notes.append("The index of the frame is left out; reset_index() turns it into columns.")
    columns = [_convert_series(name, frame.iloc[:, position], notes) for position, name in enumerate(names)]
    return pa.table(columns, names=names)


def _convert_series(name: str, series: Any, notes: list[str]) -> pa.Array | pa.ChunkedArray:
    if str(series.dtype) == "object":
        values = zip(series.tolist(), series.isna(), strict=True)
        return build_typed_column(name, [None if missing else value for value, missing in values], notes)
    try:
        return pa.array(series, from_pandas=True)  # NaN is how pandas says that a value is missing
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError) as error:
        fault, hint = f"of type {series.dtype} cannot be read through Arrow", "Convert it, with astype for example."
        raise bad_column_error(name, fault, hint, met=str(series.dtype)) from error
