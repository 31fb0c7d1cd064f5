"""Read rows of Python values: a list of objects, `{"records": [...]}`, an object of lists, or one object."""

from __future__ import annotations

import datetime
import math
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyarrow as pa

from service_nb.core.canonical import write_canonical_text
from service_nb.core.words import describe_value
from service_nb.core.zones import UTC
from service_nb.errors import CanonicalJsonError, LimitExceededError, SourceMalformedError
from service_nb.readers.changed_texts import (
    EXACT_INTEGER,
    Changed,
    WrittenFloat,
    is_changed,
    note_decimals,
    note_rounded,
)
from service_nb.readers.columns import (
    TypedTable,
    bad_column_error,
    check_cells,
    check_names,
    check_types,
    limit_error,
)
from service_nb.readers.conversions import convert_narrowest
from service_nb.readers.dataset import FORM, Dataset, ReadOptions
from service_nb.readers.doubtful_rows import find_row_notes
from service_nb.readers.envelopes import find_envelope
from service_nb.readers.foreign_scalars import convert_scalars
from service_nb.readers.frame_lines import Library, write_hint
from service_nb.readers.inference import convert_declared, infer
from service_nb.readers.physical import normalise
from service_nb.readers.text_forms import PLAIN, TextForm
from service_nb.readers.text_reasons import ROWS, Site, explain_text
from service_nb.schema.reading_notes import ReadingNote
from service_nb.schema.source import Limits, TypeReason

MOST_DIGITS = 38


def build_typed_column(
    name: str,
    values: list[object],
    notes: list[str],
    declared: str | None = None,
    *,
    has_typed_texts: bool = False,
    form: TextForm = PLAIN,
    reasons: list[TypeReason] | None = None,
    zoned: list[str] | None = None,
    reading_notes: list[ReadingNote] | None = None,
    library: Library | None = None,
) -> pa.ChunkedArray:
    """Return values as a typed column; what was decided is added to the lists, as are reasons why texts stay text.

    The name is added to `zoned` if the values are texts of instants, which are kept in UTC.

    Texts stay text, but for dates; with `has_typed_texts`, or a form of numbers and dates, they are typed as those of
    delimited text.

    Raises `source_malformed`.
    """
    try:
        values = convert_scalars(name, values, library)
        kinds = {_KINDS.get(kind) or _find_kind(kind) for kind in set(map(type, values))} - {"null"}
        column = _build_column(name, values, kinds)
        if column is None:
            if reading_notes is not None:
                reading_notes.append(ReadingNote("as_text", (name,), {"what": _describe_kinds(kinds)}))
            column = pa.array(
                [None if value is None else _write_text(name, value, library) for value in values], pa.string()
            )
    except (TypeError, ValueError, ArithmeticError) as error:
        met = " and ".join(sorted({kind.__name__ for kind in map(type, values) if kind is not type(None)}))
        fault = f"holds values of type {met} that cannot be represented exactly"
        raise bad_column_error(name, fault, write_hint("object", name, library), met=met) from error
    chunked = pa.chunked_array([column])
    if kinds == {"numbers"} and reading_notes is not None and pa.types.is_floating(column.type):
        found = note_rounded(name, _iter_changed(values, column), ROWS.tell, None), note_decimals(name, values)
        reading_notes += [each for each in found if each is not None]
    if kinds != {"text"}:
        return chunked
    return convert_texts(
        *(name, chunked, notes, declared),
        has_typed_texts=has_typed_texts,
        form=form,
        reasons=reasons,
        reading_notes=reading_notes,
        zoned=zoned,
    )


def _iter_changed(values: Sequence[Any], doubles: pa.Array) -> Iterator[Changed]:
    """Yield the numbers that became other doubles, whole ones, decimals, and those of a document, with their texts."""
    for row, value in enumerate(values):
        kind = type(value)
        if kind is float or value is None or (kind is int and abs(value) <= EXACT_INTEGER):
            continue
        text = value.text if isinstance(value, WrittenFloat) else str(value)
        double = doubles[row].as_py()
        if (kind is WrittenFloat or issubclass(kind, int | Decimal)) and is_changed(text, double):
            yield Changed(row + 1, text, double)


def convert_texts(
    name: str,
    chunked: pa.ChunkedArray,
    notes: list[str],
    declared: str | None = None,
    *,
    has_typed_texts: bool = False,
    form: TextForm = PLAIN,
    reasons: list[TypeReason] | None = None,
    zoned: list[str] | None = None,
    reading_notes: list[ReadingNote] | None = None,
) -> pa.ChunkedArray:
    """Return texts as a column typed as `build_typed_column` says."""
    zoned = [] if zoned is None else zoned
    if declared is not None:
        declared_column = convert_declared(name, chunked, declared, form=form)
        zoned += [name] if declared_column.is_zoned else []
        if reading_notes is not None:
            reading_notes += declared_column.reading_notes
        return declared_column.column
    if not has_typed_texts and replace(form, trim=False).is_plain:
        chunked = form.clean(chunked)
        typed = convert_narrowest(chunked)
        if typed is None or not typed[1].startswith("date"):
            if reasons is not None:
                reasons += _explain_form(name, chunked, form)
            return chunked
        is_zoned = typed[1] == "datetime zoned"
        notes += [f"{name}: times with a time zone are converted to UTC."] if is_zoned else []
        zoned += [name] if is_zoned else []
        return typed[0]
    found = infer(name, chunked, form=form)
    zoned += [name] if found.is_zoned else []
    if reading_notes is not None:
        reading_notes += found.reading_notes
    if reasons is None or found.reason is None:
        notes += [found.note] if found.note else []
    else:
        reasons.append(found.reason)
    return found.column


def _explain_form(name: str, column: pa.ChunkedArray, form: TextForm) -> list[TypeReason]:
    """Explain texts that look like numbers or dates of another form; of other texts nothing is to be said."""
    reason = explain_text(Site(name, ROWS), column, form)
    return [reason] if reason is not None and set(reason.options) & {*FORM} - {"trim"} else []


def _describe_kinds(kinds: set[str]) -> str:
    """Describe values that no one type holds."""
    if kinds == {"numbers"}:
        return f"numbers of more than {MOST_DIGITS} digits"
    return "times with and without a time zone" if kinds == {"times"} else " and ".join(sorted(kinds))


# Types as they come; subclasses are looked up by `_find_kind`.
_KINDS = {type(None): "null", bool: "booleans", int: "numbers", float: "numbers", Decimal: "numbers", str: "text"}


def _find_kind(kind: type) -> str:
    families = (
        ("numbers", (int, float, Decimal)),
        ("text", (str,)),
        ("times", (datetime.datetime,)),
        ("dates", (datetime.date,)),
        ("times of day", (datetime.time, datetime.timedelta)),
        ("UUIDs", (uuid.UUID,)),
    )
    return next((name for name, family in families if issubclass(kind, family)), "nested values")


def _build_column(name: str, values: list[object], kinds: set[str]) -> pa.Array | None:
    match sorted(kinds):
        case []:
            return pa.array(values, pa.null())
        case ["booleans"]:
            return pa.array(values, pa.bool_())
        case ["numbers"]:
            return _build_numbers(name, values)
        case ["text"]:
            return _build_texts(name, values)
        case ["dates"]:
            return pa.array(values, pa.date32())
        case ["times"]:
            return _build_times(values)
    return None


def _build_times(values: Sequence[Any]) -> pa.Array | None:
    zoned = {value.tzinfo is not None for value in values if value is not None}
    if len(zoned) > 1:
        return None  # an instant and a reading of a clock cannot be compared
    return pa.array(values, pa.timestamp("us", "UTC" if zoned == {True} else None))


def _build_numbers(name: str, values: Sequence[Any]) -> pa.Array | None:
    kinds = set(map(type, values)) - {type(None)}
    if any(issubclass(kind, float) for kind in kinds):
        return pa.array([None if value is None else _convert_double(name, value) for value in values], pa.float64())
    present = [value for value in values if value is not None]
    if any(issubclass(kind, Decimal) for kind in kinds):
        return pa.array([None if value is None else Decimal(value) for value in values])
    low, high = min(present), max(present)
    if low >= -(2**63) and high < 2**63:
        return pa.array(values, pa.int64())
    if low > -(10**MOST_DIGITS) and high < 10**MOST_DIGITS:
        return pa.array([None if value is None else Decimal(value) for value in values], pa.decimal128(38, 0))
    return None


def _convert_double(name: str, value: Any) -> float:
    number = float(value)  # of a whole number too large, this is the OverflowError
    if math.isinf(number) and not isinstance(value, float):
        raise bad_column_error(name, "holds a number beyond the range of doubles")
    return number


def _build_texts(name: str, values: list[object]) -> pa.Array:
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError as error:
        raise bad_column_error(name, "holds a lone surrogate", expected="text") from error


def _write_text(name: str, value: object, library: Library | None) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta | uuid.UUID):
        return str(value)
    try:
        return write_canonical_text(value)
    except (CanonicalJsonError, LimitExceededError) as error:
        fault = f"holds a value {describe_value(value)}, which no type of a column holds"
        hint = write_hint("hex" if isinstance(value, bytes) else "object", name, library)
        raise bad_column_error(name, fault, hint, met=describe_value(value)) from error


def read(source: object, options: ReadOptions) -> Dataset:
    """Read rows."""
    columns = read_columns(source, options)
    return columns.add_notes(find_row_notes(columns.fields, columns.table)).build_dataset(trims=True)


def read_columns(source: object, options: ReadOptions) -> TypedTable:
    """Return the columns of a list of objects, of the list under `records`, of an object of lists, or of one object."""
    if not isinstance(source, Mapping):
        return build_table_from_rows(_check_list(source, "The input"), options)
    if "records" in source:
        return build_table_from_rows(_check_list(source["records"], "records"), options)
    if source and all(isinstance(values, list) for values in source.values()):
        return _read_lists(source, options)
    return build_table_from_rows([source], options)


def _check_list(value: object, what: str) -> Sequence[Any]:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return value
    met = describe_value(value)
    message = f"{what} is {met}; expected a list of objects."
    raise SourceMalformedError(message, met=met, expected="a list of objects")


def _read_lists(source: Mapping[Any, list[object]], options: ReadOptions) -> TypedTable:
    lengths = {name: len(values) for name, values in source.items()}
    first, rows = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != rows:
            raise SourceMalformedError(
                f"The list of {describe_value(name)} has {length:,} values; that of {describe_value(first)} has"
                f" {rows:,}.",
                column=describe_value(name),
                met=length,
                expected=rows,
            )
    check_cells(rows, len(source), options.limits)
    return build_table_from_columns(list(source), list(source.values()), options)


def collect_names(rows: Sequence[object], what: str, limits: Limits, names: Sequence[str] = ()) -> list[object]:
    """Return `names` and those of all rows, in the order in which they come. Raises `source_malformed`."""
    found: dict[object, None] = dict.fromkeys(names)
    values = 0
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            met = describe_value(row)
            message = f"{what} {number} is {met}; expected an object."
            raise SourceMalformedError(message, row=number, met=met, expected="an object")
        found.update(dict.fromkeys(row))
        values += len(row)
    check_cells(len(rows), len(found), limits, values)
    return list(found)


def build_table_from_rows(rows: Sequence[Mapping[Any, object]], options: ReadOptions) -> TypedTable:
    """Return the rows as typed columns. A key that a row does not have is null there. Raises `source_malformed`."""
    names = collect_names(rows, "Row", options.limits)
    table = build_table_from_columns(names, ([row.get(name) for row in rows] for name in names), options)
    return table.add_notes(find_envelope(rows))


def build_table_from_columns(
    names: Sequence[object],
    columns: Iterable[list[object]],
    options: ReadOptions,
    *,
    has_typed_texts: bool = False,
) -> TypedTable:
    """Return columns of Python values, each typed by all of its values."""
    return _build_table(build_typed_column, names, columns, options, has_typed_texts=has_typed_texts)


def build_table_from_arrays(
    names: Sequence[object], columns: Iterable[pa.ChunkedArray], options: ReadOptions
) -> TypedTable:
    """Return columns of an Arrow type, as they would be of the same values of Python; texts are typed."""
    return _build_table(_convert_array, names, columns, options)


def _convert_array(name: str, column: pa.ChunkedArray, *details: Any, **more: Any) -> pa.ChunkedArray:
    is_text = pa.types.is_string(column.type) and column.null_count < len(column)
    return convert_texts(name, column, *details, **more) if is_text else column


def _build_table(
    build: Callable[..., pa.ChunkedArray],
    names: Sequence[object],
    columns: Iterable[Any],
    options: ReadOptions,
    *,
    has_typed_texts: bool = False,
) -> TypedTable:
    checked = check_names(names, options.limits)
    notes: list[str] = []
    reasons: list[TypeReason] = []
    zoned: list[str] = []  # columns of texts that are instants
    reading_notes: list[ReadingNote] = []
    types = check_types(options.types, checked)
    arrays = [
        build(
            name,
            column,
            notes,
            types.get(name),
            has_typed_texts=has_typed_texts,
            form=options.form,
            reasons=None if has_typed_texts else reasons,
            zoned=zoned,
            reading_notes=reading_notes,
        )
        for name, column in zip(checked, columns, strict=True)
    ]
    found = normalise(pa.table(arrays, names=checked), options)
    told = [reason.note for reason in reasons if reason.note is not None]
    fields = tuple(replace(field, zone=UTC) if field.name in zoned else field for field in found.fields)
    said = (*notes, *told, *found.notes)
    return TypedTable(fields, found.table, said, tuple(reasons), (*reading_notes, *found.reading_notes))


def build_text_dataset(
    rows: Sequence[Mapping[str, object]], first: Sequence[str], options: ReadOptions, notes: Sequence[str]
) -> Dataset:
    """Return rows of texts as a dataset, typed as delimited text: `first` are columns that are always there.

    Raises `source_malformed`, `limit_exceeded`, `invalid_intent`.
    """
    found = collect_names(rows, "Row", options.limits, first)
    names = [*first, *sorted(str(name) for name in found[len(first) :])]
    limit = options.limits.cell_chars
    for name in names:
        longest = max((len(value) for row in rows if isinstance(value := row.get(name), str)), default=0)
        if longest > limit:
            met = f"Column {describe_value(name)} holds a text of {longest:,} characters"
            raise limit_error("cell_chars", limit, longest, met, column=name)
    columns = ([row.get(name) for row in rows] for name in names)
    return build_table_from_columns(names, columns, options, has_typed_texts=True).build_dataset(notes=notes)
