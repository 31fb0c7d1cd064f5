"""Rows: a list of dicts, `{"records": [...]}`, or one object, which is one row.

JSON has no dates and one kind of number, so columns are typed by all of their values: whole numbers stay exact, numbers
beside fractions are doubles, and texts that are all ISO dates are dates. Numbers in quotes stay text.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from service_nb.base.canonical import canonical_text
from service_nb.connectors import inference
from service_nb.connectors.base import Dataset, ReadOptions
from service_nb.connectors.columns import Columns, check_cells, check_names
from service_nb.connectors.frame import content_of_values, normalised
from service_nb.errors import CanonicalJsonError, SourceMalformedError, UnsupportedSourceError
from service_nb.query.spec import shown

MOST_DIGITS = 38


def read(source: Any, options: ReadOptions) -> Dataset:
    """Read rows."""
    columns = typed_rows(records_of(source), options)
    return Dataset(
        fields=columns.fields,
        row_count=columns.table.num_rows,
        content=content_of_values(columns),
        table=columns.table,
        notes=columns.notes,
    )


def records_of(source: Any) -> Sequence[Any]:
    """Return the rows that an input holds: a list as it is, the list under `records`, or one object as one row."""
    if isinstance(source, Mapping):
        records = source.get("records", [source])
        if not isinstance(records, Sequence) or isinstance(records, str | bytes):
            raise SourceMalformedError(f"records is {shown(records)}; expected a list of objects.", met=shown(records))
        return records
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        return source
    raise UnsupportedSourceError(f"The input is {shown(source)}; expected rows.", met=shown(source), expected="rows")


def typed_rows(rows: Sequence[Any], options: ReadOptions) -> Columns:
    """Return the rows as typed columns. A key that a row does not have is null there.

    Raises
    ------
    SourceMalformedError [source_malformed]
        A row is no object; `details` say which.
    """
    names: dict[Any, None] = {}
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise SourceMalformedError(
                f"Row {number} is {shown(row)}; expected an object.", row=number, met=shown(row), expected="an object"
            )
        names.update(dict.fromkeys(row))
    checked = check_names(list(names), options.limits)
    check_cells(len(rows), len(checked), options.limits)
    notes: list[str] = []
    arrays = [_typed(name, [row.get(name) for row in rows], notes, name in options.types) for name in checked]
    found = normalised(pa.table(arrays, names=checked), options)
    return Columns(found.fields, found.table, (*notes, *found.notes))


def _typed(name: str, values: list[Any], notes: list[str], declared: bool) -> pa.ChunkedArray:
    kinds = {_kind(value) for value in values if value is not None}
    try:
        column = _column(name, values, kinds)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise SourceMalformedError(
            f"Column {shown(name)} holds values that cannot be kept exactly.", column=name, met=type(error).__name__
        ) from error
    if column is None:
        notes.append(f"{name}: kept as text, because it holds {' and '.join(sorted(kinds))}.")
        column = pa.array([None if value is None else _text(name, value) for value in values], pa.string())
    chunked = pa.chunked_array([column])
    if kinds == {"text"} and not declared:
        return _dates(name, chunked, notes)
    return chunked


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "booleans"
    if isinstance(value, int | float | Decimal):
        return "numbers"
    if isinstance(value, str):
        return "text"
    if isinstance(value, datetime.datetime):
        return "times"
    return "dates" if isinstance(value, datetime.date) else "nested values"


def _column(name: str, values: list[Any], kinds: set[str]) -> pa.Array | None:
    match sorted(kinds):
        case []:
            return pa.array(values, pa.null())
        case ["booleans"]:
            return pa.array(values, pa.bool_())
        case ["numbers"]:
            return _numbers(name, values)
        case ["text"]:
            return _texts(name, values)
        case ["dates"]:
            return pa.array(values, pa.date32())
        case ["times"]:
            return pa.array(values)
    return None


def _numbers(name: str, values: list[Any]) -> pa.Array:
    present = [value for value in values if value is not None]
    if any(isinstance(value, float) for value in present):
        return pa.array([None if value is None else _double(name, value) for value in values], pa.float64())
    if all(isinstance(value, int) for value in present):
        if all(-(2**63) <= value < 2**63 for value in present):
            return pa.array(values, pa.int64())
        if max(len(str(abs(value))) for value in present) <= MOST_DIGITS:
            return pa.array([None if value is None else Decimal(value) for value in values], pa.decimal128(38, 0))
        return pa.array([None if value is None else str(value) for value in values], pa.string())
    return pa.array([None if value is None else Decimal(value) for value in values])


def _double(name: str, value: Any) -> float:
    number = float(value)
    if math.isinf(number) and not isinstance(value, float):
        raise SourceMalformedError(f"Column {shown(name)} holds a number beyond the range of doubles.", column=name)
    return number


def _texts(name: str, values: list[Any]) -> pa.Array:
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError as error:
        raise SourceMalformedError(
            f"Column {shown(name)} holds a lone surrogate.", column=name, expected="text"
        ) from error


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return canonical_text(value)
    except CanonicalJsonError as error:
        raise SourceMalformedError(
            f"Column {shown(name)} holds {shown(value)}, which has no form as text.", column=name, met=shown(value)
        ) from error


def _dates(name: str, column: pa.ChunkedArray, notes: list[str]) -> pa.ChunkedArray:
    found = inference.infer(name, column)
    if found.physical not in ("date", "datetime"):
        return column
    notes += [found.note] if found.note else []
    return found.column
