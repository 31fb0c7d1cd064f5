"""Convert texts to the types of columns, each text of a column or none.

The head of a column only proposes a type; all of its values must then fit the rule of that type, or the next wider
type is tried. Where Arrow's own converters accept more than our rules (`007`, `0x1F`, `1e400`), the texts are checked
as well: by a look at their bytes, which clears almost every column, else by a pattern.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.readers.columns import find_arrow_type
from service_nb.readers.decimal_texts import convert_fixed, find_head_places
from service_nb.readers.text_forms import PLAIN, SPECIAL, TextForm, convert_percents

HEAD = 200  # values that propose a type
EPOCH = datetime.date(1970, 1, 1)
FIRST_DAY, LAST_DAY = (datetime.date.min - EPOCH).days, (datetime.date.max - EPOCH).days

MOST_PERCENT = 60  # bytes of a number with a percent sign

_INTEGER = r"-?(?:0|[1-9]\d*)"
_NUMBER = rf"(?:{_INTEGER}(?:\.\d*)?|-?\.\d+)(?:[eE][+-]?\d+)?"
_ZONE = r"(?:Z|[+-]\d\d:?\d\d)"
_DATETIME = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?"

PATTERNS = {
    "int64": _INTEGER,
    "float64": rf"{_NUMBER}|{SPECIAL}",
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
_WORDS = {"int64": "number", "float64": "number", "decimal": "number", "boolean": "boolean", "date": "date"}
_COMPILED = {kind: re.compile(pattern) for kind, pattern in PATTERNS.items()}


def convert_formed(column: pa.ChunkedArray, form: TextForm) -> tuple[pa.ChunkedArray, str] | None:
    """Return the texts in the narrowest kind that all of them fit, written in that form; None if they stay text."""
    if form.date_format is not None and column.null_count < len(column):
        dates = _convert_dates(column, form)
        if dates is not None:
            return dates
    if form.percent and _fits_all(column, form):
        percents = convert_percents(form.rewrite_percents(column))
        if percents is not None:
            return percents, f"decimal({percents.type.precision},{percents.type.scale})"
    if form.is_plain_number:
        return convert_narrowest(column)
    numbers = replace(form, percent=False)
    if _fits_all(column, numbers):
        return convert_narrowest(numbers.rewrite_numbers(column))
    found = convert_narrowest(column)
    return None if found is None or _WORDS.get(found[1].partition("(")[0]) == "number" else found


def _fits_all(column: pa.ChunkedArray, form: TextForm) -> bool:
    """Tell whether all texts are numbers of that form, of which there is one; those with a percent sign are short."""
    if column.null_count == len(column) or (form.percent and pc.max(pc.binary_length(column)).as_py() > MOST_PERCENT):
        return False
    return bool(pc.all(form.find_number_fits(column)).as_py())


def _convert_dates(column: pa.ChunkedArray, form: TextForm) -> tuple[pa.ChunkedArray, str] | None:
    dates = form.rewrite_dates(column)
    if dates.null_count > column.null_count:
        return None
    for kind in ("date", "datetime"):
        converted = convert(dates, kind)
        if converted is not None:
            return converted, kind
    return None


def convert_narrowest(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, str] | None:
    """Return the texts in the narrowest kind that all of them fit, as programs write it; None if they stay text."""
    head = read_head(column)
    proposed = propose_kind(head)
    if proposed is None:
        return None
    places = find_head_places(head) if proposed == "float64" else None
    if places is not None and (decimals := convert_fixed(column, places)) is not None:
        return decimals, f"decimal({decimals.type.precision},{places})"
    for kind in WIDER[proposed]:
        converted = convert(column, kind)
        if converted is not None:
            return None if kind == "float64" and explain_no_doubles(column, converted, proposed) else (converted, kind)
    return None


def read_head(column: pa.ChunkedArray) -> list[str]:
    """Return the first texts of a column that are there, which propose a type."""
    head: list[str] = column.slice(0, HEAD * 5).drop_null().slice(0, HEAD).to_pylist()
    if not head and column.null_count < len(column):
        head = column.drop_null().slice(0, HEAD).to_pylist()
    return head


def propose_kind(head: list[str]) -> str | None:
    """Propose the narrowest kind that the whole head fits; None for an empty column, and where one text fits none."""
    if not head:
        return None
    kinds = ("int64", "float64", "boolean", "date", "datetime", "datetime zoned")
    return next((kind for kind in kinds if all(_COMPILED[kind].fullmatch(text) for text in head)), None)


def explain_no_doubles(texts: pa.ChunkedArray, converted: pa.ChunkedArray, proposed: str) -> str | None:
    """Explain why texts that parse as doubles should stay text; None if they should not, or are of another kind."""
    if not pa.types.is_floating(converted.type):
        return None
    if not _is_any_true(pc.is_finite(converted)):
        return "no number but NaN and infinities"
    if proposed == "int64" and is_all_matching(texts, "int64"):
        return "whole numbers of more than 38 digits"
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
        pc.and_(pc.is_inf(converted), pc.invert(pc.match_substring_regex(texts, rf"^(?:{SPECIAL})$")))
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
    if not kind.scale:
        return integer
    return rf"{integer}(?:\.\d{{0,{kind.scale}}}0*)?|-?\.\d{{1,{kind.scale}}}0*"


def _is_any_true(flags: pa.ChunkedArray) -> bool:
    return bool(pc.any(flags, min_count=0).as_py())


def convert_to(column: pa.ChunkedArray, kind: str, form: TextForm) -> pa.ChunkedArray | None:
    """Return texts of that form in a kind, or None if any of them does not fit it."""
    if kind.startswith("date") and form.date_format is not None:
        dates = form.rewrite_dates(column)
        if dates.null_count == column.null_count:
            return convert(dates, kind)
    if find_arrow_type(kind.split(" ", maxsplit=1)[0]) in (pa.int64(), pa.float64()) or kind.startswith("decimal"):
        if form.percent and _fits_all(column, form):
            return convert(form.rewrite_percents(column), kind)
        numbers = replace(form, percent=False)
        if not numbers.is_plain_number:
            is_fitting = column.null_count == len(column) or _fits_all(column, numbers)
            return convert(numbers.rewrite_numbers(column), kind) if is_fitting else None
    return convert(column, kind)


def find_misfit(column: pa.ChunkedArray, kind: str, form: TextForm = PLAIN) -> int:
    """Return the number of the first row, from 1, whose text does not fit the kind."""
    low, high = 0, len(column)  # the first misfit is in rows low..high
    while high - low > 1:
        middle = (low + high) // 2
        if convert_to(column.slice(low, middle - low), kind, form) is None:
            high = middle
        else:
            low = middle
    return low + 1
