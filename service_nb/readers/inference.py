"""Turn text into typed columns, by rules that read every row (docs/handbook/sources.md lists them).

The head of a column only proposes a type; all of its values must then fit the rule of that type, or the next wider
type is tried, and at last the column stays text. Where Arrow's own converters accept more than our rules (`007`,
`0x1F`, `1e400`), the texts are checked as well: by a look at their bytes, which clears almost every column, else by a
pattern.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.core.words import describe_value
from service_nb.errors import SourceMalformedError
from service_nb.readers.columns import TypedTable, encode_texts, find_arrow_type, make_field

HEAD = 200  # values that propose a type
EPOCH = datetime.date(1970, 1, 1)
FIRST_DAY, LAST_DAY = (datetime.date.min - EPOCH).days, (datetime.date.max - EPOCH).days

_INTEGER = r"-?(?:0|[1-9]\d*)"
_SPECIAL = r"NaN|nan|-?(?:inf|Infinity)"
_NUMBER = rf"(?:{_INTEGER}(?:\.\d*)?|-?\.\d+)(?:[eE][+-]?\d+)?"
_ZONE = r"(?:Z|[+-]\d\d:?\d\d)"
_DATETIME = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?"

PATTERNS = {
    "int64": _INTEGER,
    "float64": rf"{_NUMBER}|{_SPECIAL}",
    "boolean": r"(?i:true|false)",
    "date": r"\d{4}-\d\d-\d\d",
    "datetime": _DATETIME,
    "datetime zoned": _DATETIME + _ZONE,
}
# What to try when the head of a column looks like the first of these, and in which order.
WIDER = {
    "int64": ("int64", "decimal(38,0)", "float64"),
    "float64": ("float64",),
    "boolean": ("boolean",),
    "date": ("date", "datetime"),
    "datetime": ("datetime",),
    "datetime zoned": ("datetime zoned",),
}
_WORDS = {"int64": "number", "float64": "number", "boolean": "boolean", "date": "date"}
_COMPILED = {kind: re.compile(pattern) for kind, pattern in PATTERNS.items()}


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column in its physical type, and what a person should know of it."""

    column: pa.ChunkedArray
    physical: str
    note: str | None = None


def infer(name: str, column: pa.ChunkedArray) -> TypedColumn:
    """Return the column in the narrowest type that all of its texts fit."""
    head = column.slice(0, HEAD * 5).drop_null().slice(0, HEAD).to_pylist()
    if not head and column.null_count < len(column):
        head = column.drop_null().slice(0, HEAD).to_pylist()
    proposed = _propose(head)
    if proposed is None:
        return TypedColumn(column, "string", _explain_mixed_head(name, head, column))
    for kind in WIDER[proposed]:
        converted = convert(column, kind)
        if converted is None:
            continue
        if kind == "float64" and (reason := _explain_no_doubles(column, converted, proposed)):
            return TypedColumn(column, "string", f"{name}: read as text, because it holds {reason}.")
        note = f"{name}: times with a time zone are converted to UTC." if kind == "datetime zoned" else None
        return TypedColumn(converted, kind.split(" ")[0], note)
    row = find_misfit(column, WIDER[proposed][-1])
    met, word = describe_value(column[row - 1].as_py()), _WORDS.get(proposed, "date and time")
    return TypedColumn(column, "string", f"{name}: read as text, because {met} (row {row:,}) is no {word}.")


def _propose(head: list[str]) -> str | None:
    """The narrowest kind that the whole head fits; none for an empty column, or if one text is no such thing."""
    if not head:
        return None
    kinds = ("int64", "float64", "boolean", "date", "datetime", "datetime zoned")
    return next((kind for kind in kinds if all(_COMPILED[kind].fullmatch(text) for text in head)), None)


def _explain_no_doubles(texts: pa.ChunkedArray, converted: pa.ChunkedArray, proposed: str) -> str | None:
    """Explain why texts that parse as doubles should stay text; None if they should not."""
    if not _is_any_true(pc.is_finite(converted)):
        return "no number but NaN and infinities"
    if proposed == "int64" and is_all_matching(texts, "int64"):
        return "whole numbers of more than 38 digits"
    return None


def _explain_mixed_head(name: str, head: list[str], column: pa.ChunkedArray) -> str | None:
    numbers = [text for text in head if _COMPILED["float64"].fullmatch(text)]
    if head and all(text.isdecimal() for text in head):
        padded = next(text for text in head if text not in numbers)
        return f"{name}: read as text, because of leading zeros such as in {describe_value(padded)}."
    if numbers and len(numbers) < len(head):
        row = find_misfit(column, "float64")
        met = describe_value(column[row - 1].as_py())
        missing = f"; if that means missing, pass nulls=[{met}]"
        return f"{name}: read as text, because it mixes numbers with other text (row {row:,}: {met}{missing})."
    return None


def convert(column: pa.ChunkedArray, kind: str) -> pa.ChunkedArray | None:
    """Return the texts converted, or None if any of them does not fit the kind's rule."""
    try:
        converted = _cast(column, kind)
    except pa.ArrowInvalid:
        return None
    return converted if _is_conversion_allowed(column, converted, kind) else None


def _cast(column: pa.ChunkedArray, kind: str) -> pa.ChunkedArray:
    if kind == "datetime zoned":
        return pc.cast(column, pa.timestamp("us", "UTC")).cast(pa.timestamp("us"))
    return pc.cast(column, find_arrow_type(kind))


def _is_conversion_allowed(texts: pa.ChunkedArray, converted: pa.ChunkedArray, kind: str) -> bool:
    """Tell whether texts that Arrow converted also fit our rule, which is narrower for some kinds."""
    if kind.startswith("date") and not _is_in_calendar(converted):
        return False
    if kind == "date":
        return True  # Arrow reads YYYY-MM-DD and nothing else
    if kind.startswith("decimal"):
        return is_all_matching(texts, kind)  # Arrow wraps what has more digits than 128 bits hold
    if kind in ("int64", "float64") and all(_is_surely_plain(chunk, kind) for chunk in texts.chunks):
        return kind == "int64" or not _is_any_true(pc.is_inf(converted))
    if not is_all_matching(texts, kind):
        return False
    return kind != "float64" or not _is_any_true(
        pc.and_(pc.is_inf(converted), pc.invert(pc.match_substring_regex(texts, rf"^(?:{_SPECIAL})$")))
    )


def _is_in_calendar(converted: pa.ChunkedArray) -> bool:
    """Tell whether all dates are in the years 1 to 9999, outside of which few libraries have any."""
    extremes = pc.min_max(converted.cast(pa.date32()).cast(pa.int32()))
    low, high = extremes["min"].as_py(), extremes["max"].as_py()
    return low is None or (low >= FIRST_DAY and high <= LAST_DAY)


_DIGITS = frozenset(b"0123456789")
_PLAIN = {
    "int64": np.array([byte in _DIGITS or byte == ord("-") for byte in range(256)]),
    "float64": np.array([byte in _DIGITS or byte in b"-.eE" for byte in range(256)]),
}
_IS_DIGIT = np.array([byte in _DIGITS for byte in range(256)])


def _is_surely_plain(chunk: pa.StringArray, kind: str) -> bool:
    """Tell whether numbers are plain by the bytes of their texts: no leading zero, no unusual letter.

    False only means: ask the pattern.
    """
    _, offset_buffer, data_buffer = chunk.buffers()
    if data_buffer is None or not len(chunk):
        return True
    offsets = np.frombuffer(offset_buffer, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    data = np.frombuffer(data_buffer, np.uint8)[: offsets[-1]]
    if not _PLAIN[kind][data[offsets[0] :]].all():
        return False
    starts, ends = offsets[:-1], offsets[1:]
    present = ends > starts
    starts, ends = starts[present], ends[present]
    starts = starts + (data[starts] == ord("-"))
    starts, ends = starts[starts + 1 < ends], ends[starts + 1 < ends]  # a single digit cannot lead with zero
    zero_leads = data[starts] == ord("0")
    return not _IS_DIGIT[data[starts[zero_leads] + 1]].any()


def is_all_matching(texts: pa.ChunkedArray, kind: str) -> bool:
    """Tell whether every text that is not null fits the kind's pattern."""
    pattern = _build_decimal_pattern(find_arrow_type(kind)) if kind.startswith("decimal") else PATTERNS[kind]
    return bool(pc.all(pc.match_substring_regex(texts, rf"^(?:{pattern})$"), min_count=0).as_py())


def _build_decimal_pattern(kind: pa.Decimal128Type) -> str:
    whole = kind.precision - kind.scale
    integer = rf"-?(?:0|[1-9]\d{{0,{whole - 1}}})" if whole else "-?0"
    return rf"{integer}(?:\.\d{{0,{kind.scale}}}0*)?" if kind.scale else integer


def _is_any_true(flags: pa.ChunkedArray) -> bool:
    return bool(pc.any(flags, min_count=0).as_py())


def convert_declared(
    name: str, column: pa.ChunkedArray, physical: str, unit: str = "Row", find_place: Callable[[int], int] = int
) -> TypedColumn:
    """Return the column in a declared type. `unit` and `find_place` name the place of a row, by its number.

    Raises `source_malformed` of a text that does not fit; `details` hold row or line, column, met and expected.
    """
    if physical == "string":
        return TypedColumn(column, "string")
    kinds = {"number": WIDER["int64"], "datetime": ("datetime", "datetime zoned")}.get(physical, (physical,))
    for kind in kinds:
        converted = convert(column, kind)
        if converted is not None:
            return TypedColumn(converted, kind.split(" ")[0])
    row = max(find_misfit(column, kind) for kind in kinds)
    met = describe_value(column[row - 1].as_py())
    place = find_place(row)
    raise SourceMalformedError(
        f"{unit} {place}, column {describe_value(name)}: {met} is no {physical}.",
        hint="Correct it, or declare another type.",
        **{unit.lower(): place},
        column=name,
        met=met,
        expected=physical,
    )


def find_misfit(column: pa.ChunkedArray, kind: str) -> int:
    """Return the number of the first row, from 1, whose text does not fit the kind."""
    low, high = 0, len(column)  # the first misfit is in rows low..high
    while high - low > 1:
        middle = (low + high) // 2
        if convert(column.slice(low, middle - low), kind) is None:
            high = middle
        else:
            low = middle
    return low + 1


def join_columns(names: Sequence[str], columns: Sequence[TypedColumn]) -> TypedTable:
    """Return typed columns as one table."""
    arrays = [encode_texts(each.column) if each.physical == "string" else each.column for each in columns]
    fields = tuple(make_field(name, each.physical) for name, each in zip(names, columns, strict=True))
    return TypedTable(fields, pa.table(arrays, names=names), tuple(each.note for each in columns if each.note))
