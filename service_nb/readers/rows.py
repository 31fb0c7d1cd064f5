"""Rows: a list of objects, `{"records": [...]}`, an object of lists, which are its columns, or one object, one row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from service_nb.core.words import shown
from service_nb.errors import SourceMalformedError
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.readers.columns import Columns, check_cells, check_gaps, check_names, declared_types
from service_nb.readers.content import content_of_values
from service_nb.readers.physical import normalised
from service_nb.readers.values import typed_values


def read(source: Any, options: ReadOptions) -> Dataset:
    """Read rows."""
    columns = columns_of(source, options)
    return columns.dataset(content_of_values(columns))


def columns_of(source: Any, options: ReadOptions) -> Columns:
    """Return the columns of a list of objects, of the list under `records`, of an object of lists, or of one object."""
    if not isinstance(source, Mapping):
        return typed_rows(_list(source, "The input"), options)
    if "records" in source:
        return typed_rows(_list(source["records"], "records"), options)
    if source and all(isinstance(values, list) for values in source.values()):
        return _from_lists(source, options)
    return typed_rows([source], options)


def _list(value: Any, what: str) -> Sequence[Any]:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return value
    raise SourceMalformedError(
        f"{what} is {shown(value)}; expected a list of objects.", met=shown(value), expected="a list of objects"
    )


def _from_lists(source: Mapping[Any, list[Any]], options: ReadOptions) -> Columns:
    lengths = {name: len(values) for name, values in source.items()}
    first, rows = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != rows:
            raise SourceMalformedError(
                f"The list of {shown(name)} has {length:,} values; that of {shown(first)} has {rows:,}.",
                column=shown(name),
                met=length,
                expected=rows,
            )
    check_cells(rows, len(source), options.limits)
    return typed_columns(list(source), list(source.values()), options)


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
    check_cells(len(rows), len(names), options.limits)
    check_gaps(len(rows), len(names), sum(map(len, rows)), options.limits)
    return typed_columns(list(names), ([row.get(name) for row in rows] for name in names), options)


def typed_columns(names: Sequence[Any], columns: Iterable[list[Any]], options: ReadOptions) -> Columns:
    """Return columns of Python values, each typed by all of its values."""
    checked = check_names(names, options.limits)
    notes: list[str] = []
    types = declared_types(options.types, checked)
    arrays = [typed_values(name, values, notes, types.get(name)) for name, values in zip(checked, columns, strict=True)]
    found = normalised(pa.table(arrays, names=checked), options)
    return Columns(found.fields, found.table, (*notes, *found.notes))
