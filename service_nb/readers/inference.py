"""Turn text into typed columns, by rules that read every row (docs/handbook/sources.md lists them).

A text is first rewritten as its declared form says (`text_forms`), then converted to the narrowest type that all texts
fit (`conversions`); why a column stayed text, `text_reasons` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from service_nb.core.words import describe_value
from service_nb.errors import SourceMalformedError
from service_nb.readers.columns import TypedTable, encode_texts, make_field
from service_nb.readers.conversions import WIDER, convert_formed, convert_to, find_misfit
from service_nb.readers.text_forms import PLAIN, TextForm
from service_nb.readers.text_reasons import ROWS, RowPlace, Site, explain_decimal, explain_text, explain_zone
from service_nb.schema.source import TypeReason


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column in its physical type, and what a person should know of it."""

    column: pa.ChunkedArray
    physical: str
    note: str | None = None
    reason: TypeReason | None = None


def infer(
    name: str,
    column: pa.ChunkedArray,
    place: RowPlace = ROWS,
    *,
    form: TextForm = PLAIN,
    nulls: Sequence[str] = (),
) -> TypedColumn:
    """Return the column in the narrowest type that all of its texts fit, and why it has no other.

    `place` tells where a row is, by its number.
    """
    column = form.clean(column, nulls)
    converted = convert_formed(column, form)
    if converted is None:
        reason = explain_text(Site(name, place), column, form)
        return TypedColumn(column, "string", reason.note if reason is not None else None, reason)
    found, kind = converted
    reason = explain_zone(name) if kind == "datetime zoned" else explain_decimal(name, kind, column, form)
    return TypedColumn(found, kind.split(" ")[0], reason.note if reason is not None else None, reason)


def convert_declared(
    name: str,
    column: pa.ChunkedArray,
    physical: str,
    place: RowPlace = ROWS,
    *,
    form: TextForm = PLAIN,
    nulls: Sequence[str] = (),
) -> TypedColumn:
    """Return the column in a declared type. `place` tells where a row is, by its number.

    Raises `source_malformed` of a text that does not fit; `details` hold row or line, column, met and expected.
    """
    column = form.clean(column, nulls)
    if physical == "string":
        return TypedColumn(column, "string")
    kinds = {"number": WIDER["int64"], "datetime": ("datetime", "datetime zoned")}.get(physical, (physical,))
    for kind in kinds:
        converted = convert_to(column, kind, form)
        if converted is not None:
            return TypedColumn(converted, kind.split(" ")[0])
    row = max(find_misfit(column, kind, form) for kind in kinds)
    met = describe_value(column[row - 1].as_py())
    number = place.find(row)
    raise SourceMalformedError(
        f"{place.unit} {number}, column {describe_value(name)}: {met} is no {physical}{form.describe(physical)}.",
        hint="Correct it, or declare another type.",
        **{place.unit.lower(): number},
        column=name,
        met=met,
        expected=physical,
    )


def join_columns(names: Sequence[str], columns: Sequence[TypedColumn]) -> TypedTable:
    """Return typed columns as one table."""
    arrays = [encode_texts(each.column) if each.physical == "string" else each.column for each in columns]
    fields = tuple(make_field(name, each.physical) for name, each in zip(names, columns, strict=True))
    notes = tuple(each.note for each in columns if each.note)
    reasons = tuple(each.reason for each in columns if each.reason is not None)
    return TypedTable(fields, pa.table(arrays, names=names), notes, reasons)
