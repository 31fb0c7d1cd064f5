"""Read JSON: a document, one object a line, or the records of a service, with every digit that was sent.

Whole numbers are always exact. Other numbers become doubles where a double prints the same digits; one number with more
digits makes its whole column decimal, if 38 digits hold it, else a note says that it was rounded.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Context, Decimal, InvalidOperation
from typing import Any

import pyarrow as pa

from service_nb.core.canonical import parse_strict
from service_nb.core.words import describe_value
from service_nb.errors import CanonicalJsonError, LimitExceededError, SourceMalformedError
from service_nb.readers.changed_texts import WrittenFloat, find_changed_members, note_rounded
from service_nb.readers.columns import TypedTable
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.doubtful_rows import find_row_notes
from service_nb.readers.json_columns import SPACE, read_object_lines, read_object_list
from service_nb.readers.python_rows import (
    build_table_from_arrays,
    build_table_from_columns,
    build_table_from_rows,
    collect_names,
    read_columns,
)
from service_nb.readers.source_files import hash_bytes, read_bytes
from service_nb.readers.text_reasons import ROWS
from service_nb.schema.source import Limits

UTF8_BOM = b"\xef\xbb\xbf"


def read_json(source: str | os.PathLike[str], options: ReadOptions) -> Dataset:
    """Read a JSON file."""
    data, stamp = read_bytes(source, options.limits.json_bytes, "json_bytes")
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(hash_bytes, data)  # hashing releases the interpreter, so it runs beside the parse
        table = read_object_list(data.removeprefix(UTF8_BOM), options.limits)
        if table is None:
            columns = read_columns(_parse_written(data, options.limits), options)
        else:
            columns = _build_flat(data, table, options, has_lines=False)
    columns = columns.add_notes(find_row_notes(columns.fields, columns.table))
    return columns.build_dataset(digest.result(), stamp, trims=True)


def _parse_written(document: bytes, limits: Limits, line: int | None = None) -> object:
    """Parse one JSON document strictly; doubles that are other numbers than their texts keep them."""
    value = parse_document(document, limits, line)
    if LONG_NUMBER.search(document) is None and SMALL_NUMBER.search(document) is None:
        return value
    return json.loads(document.removeprefix(UTF8_BOM), parse_float=WrittenFloat.parse)  # checked above: strict JSON


def _build_flat(text: bytes, table: pa.Table, options: ReadOptions, *, has_lines: bool) -> TypedTable:
    """Build the columns of flat objects that were parsed without a Python value for each of theirs."""
    changed = find_changed_members(text, table, has_lines=has_lines)
    notes = [note_rounded(name, found, ROWS.tell, None) for name, found in changed.items()]
    columns = build_table_from_arrays(table.column_names, table.columns, options)
    return columns.add_notes([note for note in notes if note is not None])


def read_lines(source: str | os.PathLike[str], options: ReadOptions) -> Dataset:
    """Read a file of JSON lines."""
    data, stamp = read_bytes(source, options.limits.text_bytes, "text_bytes")
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(hash_bytes, data)
        text = data.removeprefix(UTF8_BOM)
        table = read_object_lines(text, options.limits)
        if table is None:
            columns = build_table_from_rows(_parse_lines(text, options.limits), options)
        else:
            columns = _build_flat(text.strip(SPACE), table, options, has_lines=True)
    columns = columns.add_notes(find_row_notes(columns.fields, columns.table))
    return columns.build_dataset(digest.result(), stamp, trims=True)


def _parse_lines(text: bytes, limits: Limits) -> list[Mapping[str, object]]:
    lines = enumerate(text.split(b"\n"), start=1)
    return [_parse_line(line, number, limits) for number, line in lines if line.strip()]


def parse_document(data: bytes, limits: Limits, line: int | None = None) -> object:
    """Parse one JSON document strictly, given the line on which it stands in a larger file.

    Raises `source_malformed`, `limit_exceeded`.
    """
    place = {} if line is None else {"line": line}
    try:
        return parse_strict(
            data if line else data.removeprefix(UTF8_BOM), max_bytes=limits.json_bytes, max_depth=limits.json_depth
        )
    except CanonicalJsonError as error:
        message = error.message if line is None else f"Line {line}: {error.message.partition(': ')[2]}"
        details = {**error.details, "expected": "JSON", **place}
        raise SourceMalformedError(message, hint=error.hint, **details) from error
    except LimitExceededError as error:
        if line is None:
            raise
        message = f"Line {line}: {error.message.partition(': ')[2]}"
        raise LimitExceededError(message, **{**error.details, **place}) from error


def _parse_line(line: bytes, number: int, limits: Limits) -> Mapping[str, object]:
    value = _parse_written(line, limits, number)
    if not isinstance(value, dict):
        met = describe_value(value)
        message = f"Line {number} is {met}; expected an object."
        raise SourceMalformedError(message, line=number, met=met, expected="an object")
    return value


MOST_DIGITS = 38
MOST_LEVELS = 16  # of objects in objects that are flattened
LONG_NUMBER = re.compile(rb"\d[\d.]{15,}")  # shorter ones are what a double prints
SMALL_NUMBER = re.compile(rb"[eE]-[0-9]{3}")
_EXACT = Context(prec=200, Emax=10**6, Emin=-(10**6))


def parse_exact(document: bytes, limits: Limits) -> object:
    """Parse one JSON document strictly; numbers beyond what doubles print are Decimal.

    Raises `source_malformed`, `limit_exceeded`.
    """
    value = parse_document(document, limits)
    if LONG_NUMBER.search(document) is None:
        return value
    return json.loads(document, parse_float=_parse_number)  # checked above: it is strict JSON, of numbers within bounds


def _parse_number(token: str) -> float | Decimal:
    double = float(token)
    try:
        exact = _EXACT.create_decimal(token)
    except InvalidOperation:
        return double
    return double if exact == Decimal(repr(double)) else Decimal(token)


def flatten(record: Mapping[str, object], limits: Limits) -> dict[str, object]:
    """Return a record whose objects are columns by dotted names: `{"a": {"b": 1}}` is `{"a.b": 1}`. Lists stay.

    Raises `source_malformed`.
    """
    flat: dict[str, object] = {}
    _flatten("", record, flat, min(MOST_LEVELS, limits.json_depth))
    return flat


def _flatten(prefix: str, record: Mapping[str, object], flat: dict[str, object], levels: int) -> None:
    if not levels:
        raise SourceMalformedError(
            f"Field {describe_value(prefix[:-1])} nests objects deeper than {MOST_LEVELS}.",
            expected=f"{MOST_LEVELS} levels",
        )
    for name, value in record.items():
        dotted = prefix + name
        if isinstance(value, Mapping) and value:
            _flatten(f"{dotted}.", value, flat, levels - 1)
        elif dotted in flat:
            raise SourceMalformedError(
                f"Two fields are called {describe_value(dotted)} when objects are flattened.",
                column=describe_value(dotted),
            )
        else:
            flat[dotted] = None if isinstance(value, Mapping) else value


def build_dataset(
    records: Sequence[Any], options: ReadOptions, notes: Sequence[str] = (), names: Sequence[str] = ()
) -> Dataset:
    """Return records as a dataset; `names` are columns that are there even where no record has them.

    Raises `source_malformed`.
    """
    found = collect_names(records, "Record", options.limits, names)
    if not found:
        raise SourceMalformedError("The source has no records, so its columns are unknown.", met="no records")
    said: list[str] = [*notes]
    columns = (unify_numbers(str(name), [record.get(name) for record in records], said) for name in found)
    return build_table_from_columns(found, columns, options).build_dataset(notes=said)


def unify_numbers(name: str, values: list[object], notes: list[str]) -> list[object]:
    """Return numbers as all decimal where any is, if 38 digits hold them; else as doubles, with a note."""
    if Decimal not in set(map(type, values)):
        return values
    exact = [Decimal(repr(value)) if type(value) is float else value for value in values]
    if _fits([Decimal(value) for value in exact if isinstance(value, int | Decimal) and not isinstance(value, bool)]):
        return exact
    notes.append(f"{name}: rounded to doubles, because no decimal of {MOST_DIGITS} digits holds all of its numbers.")
    return [float(value) if isinstance(value, Decimal) else value for value in values]


def _fits(numbers: Sequence[Decimal]) -> bool:
    scale = max((max(-int(number.as_tuple().exponent), 0) for number in numbers if number.is_finite()), default=0)
    ahead = max((number.adjusted() + 1 for number in numbers if number), default=0)
    return scale + max(ahead, 0) <= MOST_DIGITS and all(number.is_finite() for number in numbers)
