"""Rows of texts as typed columns, by the rules for delimited text: of sources that know no types of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from service_nb.core.words import shown
from service_nb.errors import LimitExceededError
from service_nb.readers import inference
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.readers.columns import (
    Columns,
    check_cells,
    check_gaps,
    check_names,
    declared_types,
    encoded,
    field_of,
)
from service_nb.readers.content import content_of_values
from service_nb.schema.source import Limits


def dataset_of_texts(
    rows: Sequence[Mapping[str, Any]], first: Sequence[str], options: ReadOptions, notes: Sequence[str]
) -> Dataset:
    """Return rows as a dataset: `first` are columns that are always there, the others follow by name.

    Texts are typed by all values of their column; values that are int or float already stay what they are.

    Raises
    ------
    SourceMalformedError [source_malformed], LimitExceededError [limit_exceeded], InvalidIntentError [invalid_intent]
    """
    names = check_names(list(dict.fromkeys([*first, *sorted({name for row in rows for name in row})])), options.limits)
    check_cells(len(rows), len(names), options.limits)
    check_gaps(len(rows), len(names), sum(map(len, rows)), options.limits)
    types = declared_types(options.types, names)
    arrays, fields, said = [], [], [*notes]
    for name in names:
        values = [row.get(name) for row in rows]
        array, physical, note = _column(name, values, types.get(name), options.limits)
        said += [note] if note else []
        arrays.append(encoded(array) if physical == "string" else array)
        fields.append(field_of(name, physical))
    columns = Columns(tuple(fields), pa.table(arrays, names=names), tuple(said))
    return columns.dataset(content_of_values(columns))


def _column(name: str, values: list[Any], declared: str | None, limits: Limits) -> tuple[Any, str, str | None]:
    kind = next((type(value) for value in values if value is not None), str)
    if kind is float:
        return pa.chunked_array([pa.array(values, pa.float64())]), "float64", None
    if kind is int:
        return pa.chunked_array([pa.array(values, pa.int64())]), "int64", None
    longest = max((len(value) for value in values if value is not None), default=0)
    if longest > limits.cell_chars:
        raise LimitExceededError(
            f"Column {shown(name)} holds a text of {longest:,} characters; at most {limits.cell_chars:,} are read.",
            limit=limits.cell_chars, limit_name="cell_chars", value=longest, column=name,
        )  # fmt: skip
    texts = pa.chunked_array([pa.array(values, pa.string())])
    if declared is not None:
        found = inference.declared(name, texts, declared, "Row", lambda row: row)
    else:
        found = inference.infer(name, texts)
    return found.column, found.physical, found.note
