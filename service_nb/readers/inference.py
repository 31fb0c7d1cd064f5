"""Turn text into typed columns, by rules that read every row (docs/handbook/sources.md lists them).

A text is first rewritten as its declared form says (`text_forms`), then converted to the narrowest type that all texts
fit (`conversions`); why a column stayed text, `text_reasons` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.core.words import describe_value
from service_nb.errors import SourceMalformedError
from service_nb.readers.changed_texts import find_spellings, iter_changed, note_rounded, propose_exact
from service_nb.readers.columns import TypedTable, encode_texts, make_field
from service_nb.readers.conversions import WIDER, convert_formed, convert_to, find_misfit
from service_nb.readers.text_forms import PLAIN, TextForm
from service_nb.readers.text_reasons import (
    ROWS,
    RowPlace,
    Site,
    explain_decimal,
    explain_groups,
    explain_rounded,
    explain_text,
    explain_zone,
)
from service_nb.schema.reading_notes import ReadingNote
from service_nb.schema.source import TypeReason


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column in its physical type, and what a person should know of it."""

    column: pa.ChunkedArray
    physical: str
    note: str | None = None
    reason: TypeReason | None = None
    is_zoned: bool = False  # times that had a zone, kept in UTC
    reading_notes: tuple[ReadingNote, ...] = ()


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
    is_zoned = kind == "datetime zoned"
    reason = explain_zone(name) if is_zoned else explain_decimal(name, kind, column, form)
    told = _note_doubles(name, column, found, place, form)
    reason = next((explain_rounded(name, each) for each in told if each.kind == "rounded"), reason)
    note = reason.note if reason is not None else None
    return TypedColumn(found, kind.split(" ")[0], note, reason, is_zoned, told)


def _note_doubles(
    name: str, column: pa.ChunkedArray, found: pa.ChunkedArray, place: RowPlace, form: TextForm
) -> tuple[ReadingNote, ...]:
    """Note texts that became another double, and those that may be codes, as they stand in the file."""
    if not pa.types.is_floating(found.type):
        return ()
    texts = column if form.is_plain_number else form.rewrite_numbers(column)
    changed = [each._replace(text=column[each.row - 1].as_py()) for each in iter_changed(texts, found)]
    notes = (
        note_rounded(name, changed, place.tell, propose_exact(texts) if changed else None),
        find_spellings(name, texts, found, place.tell),
    )
    return tuple(each for each in notes if each is not None)


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
            told = _note_doubles(name, column, converted, place, form)
            return TypedColumn(converted, kind.split(" ")[0], is_zoned=kind == "datetime zoned", reading_notes=told)
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


def check_points(
    names: Sequence[str], texts: Sequence[pa.ChunkedArray], columns: Sequence[TypedColumn], place: RowPlace
) -> list[TypedColumn]:
    """Check numbers with points beside columns that look like numbers with decimal comma.

    `1.000` is then perhaps a thousand, which its note says. Where a number with a point can be no such group, no column
    is proposed to be read with decimal comma: the other one would become text.
    """
    commas = [each.reason is not None and each.reason.options.get("decimal") == "," for each in columns]
    if not any(commas):
        return list(columns)
    grouped = TextForm(decimal=",", thousands=".")
    reviewed = []
    for name, text, each in zip(names, texts, columns, strict=True):
        if not (_has_places(each.physical) and pc.any(pc.match_substring(text, ".")).as_py()):
            reviewed.append(each)
        elif pc.all(grouped.find_number_fits(text)).as_py():
            reason = explain_groups(Site(name, place), text, each.physical)
            reviewed.append(replace(each, note=reason.note, reason=reason))
        else:
            pairs = zip(columns, commas, strict=True)
            return [_drop_options(column) if is_comma else column for column, is_comma in pairs]
    return reviewed


def _has_places(physical: str) -> bool:
    return physical == "float64" or (physical.startswith("decimal") and not physical.endswith(",0)"))


def _drop_options(column: TypedColumn) -> TypedColumn:
    return column if column.reason is None else replace(column, reason=replace(column.reason, options={}))


def join_columns(names: Sequence[str], columns: Sequence[TypedColumn]) -> TypedTable:
    """Return typed columns as one table."""
    arrays = [encode_texts(each.column) if each.physical == "string" else each.column for each in columns]
    pairs = zip(names, columns, strict=True)
    fields = tuple(make_field(name, each.physical, is_zoned=each.is_zoned) for name, each in pairs)
    notes = tuple(each.note for each in columns if each.note)
    reasons = tuple(each.reason for each in columns if each.reason is not None)
    told = tuple(note for each in columns for note in each.reading_notes)
    return TypedTable(fields, pa.table(arrays, names=names), notes, reasons, told)
