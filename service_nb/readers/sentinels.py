"""Note values that may stand for missing: numbers such as -999 and 1e20, days such as 1900-01-01 and 9999-12-31.

A value is one by what it is, by where it stands, at an end of its column, and by how far from all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.readers.text_reasons import ROWS, RowPlace
from service_nb.schema.reading_notes import ReadingNote
from service_nb.schema.source import Field, write_exact_text

SENTINELS = (
    *(sign * nines for nines in (99, 999, 9_999, 99_999, 999_999) for sign in (-1, 1)),
    *(-66, -77, -88, -32_767, -32_768, 32_767, -(2**31), 1 - 2**31, 2**31 - 1),  # not asked, refused; ends of integers
)
# What programs of measurements write; positive ones that are prices too, such as 99.99, are left out.
FILLS = (
    *(-99.9, -99.99, -999.9, -999.99, -999.25, -9_999.9, -9_999.99, -99_999.9, 999.9, 9_999.9),
    *(1e20, -1e20, 1e30, -1e30, 1e31, 1e34, -1e34, 1e35, 1e36, -1e36, 9.969209968386869e36, 9.96921e36),
    *(1.70141e38, -1e37, -3.40282306074e38, 3.4028234663852886e38, -3.4028234663852886e38, -3.4028235e38),
    *(1.7976931348623157e308, -1.7976931348623157e308, -float(2**63), float(2**63)),
)
CODES = (-1, -7, -8, -9)  # of surveys: sentinels too, where all others are far above them
FAR_ABOVE = 10
ONCE, HUGE = -999, 1e20  # from here on a number is doubtful that stands there once
FAR_TIMES = 1e6  # as large as any other a huge one is; powers of ten are no nearer to each other
MOST_MARKS = 8  # different ones of a column

# Where calendars and types begin and end, and what people write for never.
MARKED_DAYS = (
    *("0001-01-01", "1601-01-01", "1753-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1904-01-01", "1970-01-01"),
    *("2038-01-19", "2079-06-06", "2099-12-31", "2100-01-01", "2199-12-31", "2262-04-11", "2999-12-31", "3000-01-01"),
    *("9999-01-01", "9999-12-30", "9999-12-31"),
)
FAR_DAYS = 365

Number = TypeVar("Number", float, Decimal)

_NUMBERS = frozenset(map(float, (*SENTINELS, *FILLS, *CODES)))
_FILLS = frozenset(FILLS)
_DAYS = frozenset(map(date.fromisoformat, MARKED_DAYS))
_NULL_TEXT = re.compile(r"-?[0-9.]{1,12}([eE][+-]?[0-9]{1,3})?|[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Texts(NamedTuple):
    """The texts of a file that columns were made of, by column, and how places of rows are told."""

    columns: Mapping[str, pa.ChunkedArray]
    place: RowPlace


NO_TEXTS = Texts({}, ROWS)


def iter_sentinels(fields: Sequence[Field], table: pa.Table, texts: Texts) -> Iterator[ReadingNote]:
    """Yield notes on numbers and days that may stand for missing, by column."""
    for field in fields:
        if field.type == "number":
            yield from _iter_numbers(field.name, table[field.name], texts)
        elif field.type in ("date", "datetime"):
            yield from _iter_days(field.name, table[field.name], texts)


def _iter_numbers(name: str, column: pa.ChunkedArray, texts: Texts) -> Iterator[ReadingNote]:
    met: list[Any] = []
    rest = column
    while len(met) < MOST_MARKS:
        found = [end for end in dict.fromkeys(_find_ends(rest)) if end is not None and float(end) in _NUMBERS]
        if not found:
            break
        for end in found:
            rest = rest.filter(pc.not_equal(rest, pa.scalar(end, column.type)))
        met += found
    least, most = _find_ends(rest) if met else (None, None)
    for end in met if least is not None else []:
        is_it = pc.fill_null(pc.equal(column, pa.scalar(end, column.type)), False)
        count = pc.sum(is_it).as_py()
        if is_far(end, least, most) and (count > 1 or is_doubtful_once(end, least, most)):
            yield _write("sentinel", name, (end, count, least, most), _find_null_text(name, is_it, texts))


def _find_ends(column: pa.ChunkedArray) -> tuple[Any, Any]:
    ends = pc.min_max(column).as_py()
    return ends["min"], ends["max"]


def _write(kind: str, name: str, found: tuple[Any, int, Any, Any], null: str | None) -> ReadingNote:
    end, count, least, most = found
    facts = {"count": str(count), "first": str(write_exact_text(end))}
    facts |= {"least": str(write_exact_text(least)), "most": str(write_exact_text(most))}
    return ReadingNote(kind, (name,), {**facts, "null": null} if null is not None else facts)


def is_far(value: Number, least: Number, most: Number) -> bool:
    """Tell whether a sentinel is far from the other values.

    It is farther from them than they are from each other; or below zero, as none of them is, and a code by ten at
    least. A huge one is a million times as large as any, for numbers at equal ratios are far from each other too.
    """
    if least == most:
        return False
    if abs(value) >= HUGE:
        return abs(float(value)) >= FAR_TIMES * max(abs(float(least)), abs(float(most)))
    if value > most:
        return value - most > most - least
    if value in CODES:
        return least - value >= FAR_ABOVE
    return value < least and (least >= 0 or least - value > most - least)


def is_doubtful_once(value: Number, least: Number, most: Number) -> bool:
    """Tell whether a sentinel that is far from the other values is doubtful though it stands there once.

    Three nines or more are, below numbers of which none is below zero. A fill may be an amount too, such as -99.99: it
    is farther than those are from each other.
    """
    if float(value) in _FILLS:
        return abs(value) >= HUGE or (value < least and least - value > most - least)
    return value <= ONCE and least >= 0


def _find_null_text(name: str, is_it: pa.ChunkedArray, texts: Texts) -> str | None:
    """Find the text that these values have in the file, which may be declared as missing; None where they have more."""
    if name not in texts.columns:
        return None
    spelt = pc.unique(texts.columns[name].filter(is_it))
    text: str = spelt[0].as_py()
    return text if len(spelt) == 1 and _NULL_TEXT.fullmatch(text) else None


# --- days -------------------------------------------------------------------------------------------------------------


def _iter_days(name: str, column: pa.ChunkedArray, texts: Texts) -> Iterator[ReadingNote]:
    met: list[tuple[date, Any]] = []
    rest = column
    while len(met) < MOST_MARKS:
        found = {_find_day(end): end for end in _find_ends(rest) if end is not None and _find_day(end) in _DAYS}
        if not found:
            break
        for day in found:
            rest = rest.filter(pc.invert(_is_on(rest, day)))
        met += found.items()
    least, most = _find_ends(rest) if met else (None, None)
    if least is None or most is None:
        return
    for day, end in met:
        if is_far_day(day, _find_day(least), _find_day(most)):
            is_it = pc.fill_null(_is_on(column, day), False)
            found_there = (end, pc.sum(is_it).as_py(), least, most)
            yield _write("placeholder", name, found_there, _find_null_text(name, is_it, texts))


def _find_day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _is_on(column: pa.ChunkedArray, day: date) -> pa.ChunkedArray:
    if pa.types.is_date(column.type):
        return pc.equal(column, pa.scalar(day, column.type))
    first, last = (pa.scalar(datetime.combine(day, each), column.type) for each in (time.min, time.max))
    return pc.and_(pc.greater_equal(column, first), pc.less_equal(column, last))


def is_far_day(day: date, least: date, most: date) -> bool:
    """Tell whether a day is farther from the others than they are from each other, by a year at least.

    Days that stand for years, such as each first of January, are a row of years whatever their distance.
    """
    if least == most or (day.month, day.day) == (least.month, least.day) == (most.month, most.day):
        return False
    apart = day - most if day > most else least - day
    return apart > most - least and apart >= timedelta(FAR_DAYS)
