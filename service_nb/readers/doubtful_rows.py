"""Note rows and values that may mean something else: a total as the last row, numbers for missing, a row as names.

Each rule looks at all rows and is exact; what it finds is told and stays as it was read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.readers.conversions import PATTERNS
from service_nb.readers.text_reasons import ROWS, RowPlace
from service_nb.schema.reading_notes import ReadingNote
from service_nb.schema.source import Field, write_exact_text

# What people write before a total; compared without case, and without a colon behind it.
TOTAL_WORDS = (
    *(
        "total",
        "totals",
        "grand total",
        "sum",
        "σ",  # noqa: RUF001  # the sign of a sum
        "∑",
        "summe",
        "gesamt",
        "gesamtsumme",
        "insgesamt",
        "total général",
    ),
    *("subtotal", "sub-total", "overall", "all", "grand-total", "sum total", "ergebnis", "saldo", "zwischensumme"),
    *("\u5408\u8ba1", "\u00f6sszesen", "toplam", "celkem"),
    *("totaal", "totale", "suma", "totalt", "somme", "soma", "razem", "итого", "всего", "合計", "总计", "합계"),
)
ABOVE_TOTAL = 2  # rows at least
NEAR_NAMED, NEAR = Fraction(1, 200), Fraction(1, 10**9)  # of the sum of magnitudes: a row that says total, or does not
SENTINELS = (
    *(sign * nines for nines in (99, 999, 9_999, 99_999, 999_999) for sign in (-1, 1)),
    *(-66, -77, -88, -32_768, 32_767, -(2**31), 2**31 - 1),  # not asked, refused; the ends of whole numbers
)
ALONE = -1  # a sentinel too, where all others are far above it
FAR_ABOVE = 10
YEARS = (1_800, 2_200)


Number = TypeVar("Number", float, Decimal)


class Texts(NamedTuple):
    """The texts of a file that columns were made of, by column, and how places of rows are told."""

    columns: Mapping[str, pa.ChunkedArray]
    place: RowPlace


NO_TEXTS = Texts({}, ROWS)


def find_row_notes(fields: Sequence[Field], table: pa.Table, texts: Texts = NO_TEXTS) -> list[ReadingNote]:
    """Find what the rows of a table that was read from texts, cells or JSON may mean beside what they say."""
    if not table.num_rows:
        return []
    found = [_find_header(fields), _find_total(fields, table, texts.place)]
    return [note for note in found if note is not None] + [*_iter_sentinels(fields, table, texts)]


# --- a total ----------------------------------------------------------------------------------------------------------


def _find_total(fields: Sequence[Field], table: pa.Table, place: RowPlace) -> ReadingNote | None:
    """Note a last row that adds up those above it.

    It says so, or its first cell is empty as none above it is, or it has no such cell and all of its numbers are sums,
    of two columns that differ.
    """
    rows = table.num_rows
    if rows <= ABOVE_TOTAL:
        return None
    last = {field.name: table[field.name][rows - 1].as_py() for field in fields}
    numbers = [field for field in fields if field.type == "number" and _is_finite(last[field.name])]
    is_named = any(isinstance(value, str) and _is_total_word(value) for value in last.values())
    first = fields[0]
    is_blank = last[first.name] is None and table[first.name].null_count == 1
    if not numbers or not (is_named or is_blank or (first.type == "number" and len(numbers) == len(fields))):
        return None
    near = NEAR_NAMED if is_named else NEAR
    sums = [field.name for field in numbers if _is_sum(table[field.name], field.physical, last[field.name], near)]
    if not sums or (not is_named and len(sums) < len(numbers)):
        return None
    if not (is_named or is_blank) and (len(sums) < 2 or table[sums[0]].equals(table[sums[1]])):
        return None
    return ReadingNote("total", tuple(sums), {"place": place.tell(rows)})


def _is_total_word(text: str) -> bool:
    return text.strip().rstrip(":").rstrip().casefold() in TOTAL_WORDS


def _is_finite(value: Any) -> bool:
    return value is not None and math.isfinite(value)


def _is_sum(column: pa.ChunkedArray, physical: str, last: float | Decimal, near: Fraction) -> bool:
    """Tell whether the last number is the sum of those above it, or near it; zeros alone add up to nothing."""
    above = column.slice(0, len(column) - 1)
    if len(above) - above.null_count < ABOVE_TOTAL:
        return False
    if physical == "float64":
        total, size = pc.sum(above).as_py(), pc.sum(pc.abs(above)).as_py()
    else:
        wide = above.cast(pa.decimal128(38, above.type.scale if pa.types.is_decimal(above.type) else 0))
        total, size = pc.sum(wide).as_py(), pc.sum(pc.abs(wide)).as_py()
    if not math.isfinite(size) or not size:
        return False
    return abs(Fraction(total) - Fraction(last)) <= near * Fraction(size)


# --- numbers for missing ----------------------------------------------------------------------------------------------


def _iter_sentinels(fields: Sequence[Field], table: pa.Table, texts: Texts) -> Iterator[ReadingNote]:
    """Yield notes on numbers that stand there more than once, all in nines or -1, and far from all others."""
    for field in fields:
        if field.type != "number":
            continue
        column = table[field.name]
        ends = pc.min_max(column).as_py()
        met = [end for end in dict.fromkeys(ends.values()) if end in SENTINELS or end == ALONE]
        if not met:
            continue
        rest = column
        for end in met:
            rest = rest.filter(pc.not_equal(rest, pa.scalar(end, column.type)))
        others = pc.min_max(rest).as_py()
        for end in met:
            is_it = pc.fill_null(pc.equal(column, pa.scalar(end, column.type)), False)
            count = pc.sum(is_it).as_py()
            if count > 1 and others["min"] is not None and is_far(end, others["min"], others["max"]):
                facts = {"count": str(count), "first": str(write_exact_text(end))}
                facts |= {"least": str(write_exact_text(others["min"])), "most": str(write_exact_text(others["max"]))}
                null = _find_null_text(field.name, is_it, texts)
                yield ReadingNote("sentinel", (field.name,), {**facts, "null": null} if null is not None else facts)


def is_far(value: Number, least: Number, most: Number) -> bool:
    """Tell whether a sentinel is far from the other values.

    It is farther from them than they are from each other; or below zero, as none of them is, and -1 by ten at least.
    """
    if least == most:
        return False
    if value > most:
        return value - most > most - least
    if value == ALONE:
        return least - value >= FAR_ABOVE
    return value < least and (least >= 0 or least - value > most - least)


def _find_null_text(name: str, is_it: pa.ChunkedArray, texts: Texts) -> str | None:
    """Find the text that these values have in the file, which may be declared as missing; None where they have more."""
    if name not in texts.columns:
        return None
    spelt = pc.unique(texts.columns[name].filter(is_it))
    text: str = spelt[0].as_py()
    return text if len(spelt) == 1 and re.fullmatch(r"-?[0-9.]{1,12}", text) else None


# --- a row as names ---------------------------------------------------------------------------------------------------


def _find_header(fields: Sequence[Field]) -> ReadingNote | None:
    """Note names that are dates of columns of dates, or numbers of columns of numbers and no axis such as years."""
    days = [field.name for field in fields if field.type in ("date", "datetime") and _is_date(field.name)]
    numbers = [field.name for field in fields if field.type == "number" and _is_number(field.name)]
    if not days and (not numbers or is_axis([float(name) for name in numbers])):
        return None
    met = {*days, *numbers}
    return ReadingNote("header", tuple(field.name for field in fields if field.name in met))


def _is_number(name: str) -> bool:
    return re.fullmatch(PATTERNS["float64"], name) is not None and re.search("[0-9]", name) is not None


def _is_date(name: str) -> bool:
    try:
        date.fromisoformat(name[:10])
    except ValueError:
        return False
    return re.fullmatch(PATTERNS["datetime"], name) is not None


def is_axis(numbers: Sequence[float]) -> bool:
    """Tell whether numbers name columns: years, or numbers at equal steps, two of them at a step of 1."""
    if all(YEARS[0] <= number <= YEARS[1] and number == int(number) for number in numbers):
        return True
    if len(numbers) < 2:
        return False
    steps = [after - before for before, after in pairwise(numbers)]
    is_even = all(abs(step - steps[0]) <= abs(steps[0]) * 1e-9 for step in steps)
    return is_even and (steps[0] == 1 if len(numbers) == 2 else steps[0] != 0)


# --- a list in one row ------------------------------------------------------------------------------------------------


def find_envelope(rows: Sequence[Mapping[Any, object]]) -> list[ReadingNote]:
    """Note lists of objects that a single row holds: they are likely to be the rows that are meant."""
    if len(rows) != 1:
        return []
    return [
        ReadingNote("envelope", (str(name),), {"count": str(len(value))})
        for name, value in rows[0].items()
        if isinstance(value, list | tuple) and value and all(isinstance(each, Mapping) for each in value)
    ]
