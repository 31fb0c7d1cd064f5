"""Columns of pandas as Arrow arrays of the same meaning."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from service_nb.readers.columns import bad_column_error
from service_nb.readers.frame_lines import Remedy, write_hint
from service_nb.readers.python_rows import build_typed_column
from service_nb.schema.reading_notes import ReadingNote


def convert_series(name: str, series: Any, notes: list[str], told: list[ReadingNote]) -> pa.Array | pa.ChunkedArray:
    """Return a column of a frame as an Arrow array; what was decided is added to the lists.

    Raises `source_malformed`.
    """
    kind = series.dtype
    match type(kind).__name__:
        case "SparseDtype":
            return convert_series(name, series.sparse.to_dense(), notes, told)
        case "PeriodDtype":
            return _write_periods(name, series, notes, told)
        case "IntervalDtype":
            told.append(_note_texts(name, "intervals", texts := _write_texts(series)))
            return texts
        case "CategoricalDtype" if type(kind.categories.dtype).__name__ in ("PeriodDtype", "IntervalDtype"):
            return _convert_categories(name, series, notes, told)
    if str(kind) == "object":
        values = zip(series.tolist(), series.isna(), strict=True)
        present = [None if missing else value for value, missing in values]
        return build_typed_column(name, present, notes, library="pandas", reading_notes=told)
    try:
        return pa.array(series, from_pandas=True)  # NaN is how pandas says that a value is missing
    except (pa.ArrowException, TypeError, ValueError, OverflowError, NotImplementedError) as error:
        if str(kind) == "category":
            return _convert_categories(name, series, notes, told)
        remedy: Remedy = "float" if kind.kind == "f" else "text"
        hint = write_hint(remedy, name, "pandas")
        raise bad_column_error(name, f"of type {kind} cannot be read exactly", hint, met=str(kind)) from error


def _convert_categories(
    name: str, series: Any, notes: list[str], told: list[ReadingNote]
) -> pa.Array | pa.ChunkedArray:
    """Convert the categories as a column of their own, then each value by its category."""
    categories = convert_series(name, series.dtype.categories.to_series(), notes, told)
    if isinstance(categories, pa.ChunkedArray):
        categories = categories.combine_chunks()
    codes = series.cat.codes.to_numpy()
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), categories)


def _write_periods(name: str, series: Any, notes: list[str], told: list[ReadingNote]) -> pa.Array:
    texts = _write_texts(series)
    if len({len(text) for text in texts.drop_null().unique().to_pylist()}) > 1:
        fault = f"of type {series.dtype} holds periods beyond the years 1 to 9999, whose texts have another order"
        hint = f"Keep those within: frame = frame[frame[{name!r}].dt.year.between(1, 9999)]"
        raise bad_column_error(name, fault, hint, met=str(series.dtype), expected="the years 1 to 9999")
    line = f"frame[{name!r}] = frame[{name!r}].dt.to_timestamp()"
    told.append(_note_texts(name, "periods", texts))
    notes.append(f"{name}: for dates type {line}")
    return texts


def _write_texts(series: Any) -> pa.Array:
    values = zip(series.tolist(), series.isna(), strict=True)
    return pa.array([None if missing else str(value) for value, missing in values], pa.string())


def _note_texts(name: str, what: str, texts: pa.Array) -> ReadingNote:
    first = texts.drop_null().slice(0, 1).to_pylist()
    return ReadingNote("as_text", (name,), {"what": what, "first": first[0]} if first else {"what": what})
