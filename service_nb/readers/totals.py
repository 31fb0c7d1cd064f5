"""Note rows that are no record of their own: totals and averages of other rows.

A row is taken for one by what it says and by what it holds: the word alone, or the sum alone, is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.readers.text_reasons import RowPlace
from service_nb.schema.reading_notes import ReadingNote
from service_nb.schema.source import Field

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
    *("subtotals", "sous-total", "subtotaal", "teilsumme", "mezisoučet", "小計", "小计", "소계"),
)
AVERAGE_WORDS = (
    *("average", "averages", "avg", "mean", "means", "ø", "⌀", "durchschnitt", "mittelwert", "mittel", "schnitt"),
    *("moyenne", "media", "promedio", "média", "gemiddelde", "gemiddeld", "genomsnitt", "medelvärde", "medel"),
    *("gennemsnit", "gjennomsnitt", "średnia", "průměr", "átlag", "ortalama", "среднее", "平均", "평균"),
)
# Those of them that are names too: a sum decides.
NAME_WORDS = ("all", "overall", "saldo", "ergebnis", "soma", "suma", "somme", "summe", "sum")
ABOVE_TOTAL = 2  # rows at least
NEAR_NAMED, NEAR = Fraction(1, 200), Fraction(1, 10**9)  # of the sum of magnitudes: a row that says total, or does not
ROUGH = 1e-6  # of the sum of magnitudes, which sums of doubles are never apart from exact ones
MOST_ROWS = 20_000  # of a table in which each row is looked at; of a larger one the first and the last


def _build_pattern(words: Sequence[str]) -> str:
    """Build the pattern of a text that starts or ends with one of the words, for RE2 and for JavaScript."""
    some = "|".join(words)
    return f"^ *(?:{some})(?:[ :]|$)|(?:^| )(?:{some}) *:? *$"


TOTAL_PATTERN, AVERAGE_PATTERN = _build_pattern(TOTAL_WORDS), _build_pattern(AVERAGE_WORDS)


def find_totals(fields: Sequence[Field], table: pa.Table, place: RowPlace) -> list[ReadingNote]:
    """Note rows that add up or average others: the last one, or any that says so."""
    rows = table.num_rows
    if rows <= ABOVE_TOTAL:
        return []
    last, named = _find_last(fields, table, place), _find_named(fields, table)
    if not named.rows:
        only = last or _find_stale(fields, table, place)
        return [only] if only is not None else []
    met = sorted({*named.rows, *([rows - 1] if last is not None else [])})
    if met != [rows - 1]:
        return [ReadingNote("totals", named.columns, {"count": str(len(met)), "place": place.tell(met[0] + 1)})]
    kind = "average" if named.has_average else "total"
    return [last or ReadingNote(kind, named.columns, {"place": place.tell(rows)})]


def _find_last(fields: Sequence[Field], table: pa.Table, place: RowPlace) -> ReadingNote | None:
    """Note a last row that adds up those above it.

    It says so, or its first cell is empty as none above it is, or it has no such cell and all of its numbers are sums,
    of two columns that differ.
    """
    rows = table.num_rows
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


def _find_stale(fields: Sequence[Field], table: pa.Table, place: RowPlace) -> ReadingNote | None:
    """Note a last row that says that it is a total, as none above it does, and holds the largest of some numbers."""
    last = table.num_rows - 1
    said = [
        field.name for field in fields if field.type == "string" and _is_plain_word(table[field.name][last].as_py())
    ]
    if len(said) != 1 or pc.index(table[said[0]].cast(pa.string()), table[said[0]][last].as_py()).as_py() != last:
        return None
    numbers = [field.name for field in fields if field.type == "number" and _is_finite(table[field.name][last].as_py())]
    values = {name: table[name][last].as_py() for name in numbers}
    largest = [name for name, value in values.items() if value and pc.max(pc.abs(table[name])).as_py() == abs(value)]
    return ReadingNote("no_total", tuple(largest), {"place": place.tell(last + 1)}) if largest else None


def _is_total_word(text: str) -> bool:
    return _fold_label(text) in TOTAL_WORDS


def _is_plain_word(text: str | None) -> bool:
    return text is not None and _fold_label(text) in TOTAL_WORDS and _fold_label(text) not in NAME_WORDS


def _fold_label(text: str) -> str:
    return text.strip().rstrip(":").rstrip().casefold()


def _is_finite(value: Any) -> bool:
    return value is not None and math.isfinite(value)


def _is_sum(column: pa.ChunkedArray, physical: str, last: float | Decimal, near: Fraction) -> bool:
    """Tell whether the last number is the sum of those above it, or near it; zeros alone add up to nothing."""
    above = column.slice(0, len(column) - 1)
    if len(above) - above.null_count < ABOVE_TOTAL:
        return False
    doubles = above.cast(pa.float64(), safe=False)
    total, size = pc.sum(doubles).as_py(), pc.sum(pc.abs(doubles)).as_py()
    if physical != "float64" and abs(total - float(last)) <= (float(near) + ROUGH) * size:
        wide = above.cast(pa.decimal128(38, above.type.scale if pa.types.is_decimal(above.type) else 0))
        total, size = pc.sum(wide).as_py(), pc.sum(pc.abs(wide)).as_py()
    if not math.isfinite(size) or not size:
        return False
    return abs(Fraction(total) - Fraction(last)) <= near * Fraction(size)


# --- rows that say what they are --------------------------------------------------------------------------------------

_Rows = npt.NDArray[np.int64]


class _Named(NamedTuple):
    """Rows that say that they add up or average others, and do."""

    rows: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()
    has_average: bool = False


def _find_named(fields: Sequence[Field], table: pa.Table) -> _Named:
    """Find rows with a word of a total or an average that are one: at least half of those that say so.

    A total may stand below its rows or above them, for the rows up to the next one that says so or for all of them.
    """
    texts = [table[field.name] for field in fields if field.type == "string"]
    said = _find_rows(texts, f"{TOTAL_PATTERN}|{AVERAGE_PATTERN}")  # at once: almost no table has any
    if not len(said) or len(said) * 2 > table.num_rows:
        return _Named()
    is_average = np.isin(said, _find_rows(texts, AVERAGE_PATTERN))
    is_met, is_plural = np.zeros(len(said), bool), False
    columns = []
    for field in fields:
        if field.type == "number":
            counts = _count_parts(_view_doubles(table[field.name]), said, is_average)
            if counts.any():
                columns.append(field.name)
                is_met |= counts > 0
                is_plural |= bool((counts >= ABOVE_TOTAL).any())
    if not is_plural or is_met.sum() * 2 < len(said):
        return _Named()
    return _Named(tuple(map(int, said[is_met])), tuple(columns), bool(is_average[is_met].any()))


def _find_rows(texts: Sequence[pa.ChunkedArray], pattern: str) -> _Rows:
    """Find the rows of which any text matches the pattern; of a large table, only its first and last row may."""
    parts: list[tuple[int, pa.ChunkedArray]] = []
    for column in texts:
        last = len(column) - 1
        parts += [(0, column)] if last < MOST_ROWS else [(0, column.slice(0, 1)), (last, column.slice(last))]
    found: list[_Rows] = [np.empty(0, np.int64)]
    for at in _find_parts([part for _, part in parts], pattern):
        start, part = parts[at]
        met = pc.fill_null(pc.match_substring_regex(part.cast(pa.string()), pattern, ignore_case=True), False)
        found.append(pc.indices_nonzero(met).to_numpy().astype(np.int64) + start)
    return np.unique(np.concatenate(found))


def _find_parts(parts: Sequence[pa.ChunkedArray], pattern: str) -> list[int]:
    """Find the parts of which any text may match: all at once, for a pattern is built anew for each array."""
    values = [
        (at, chunk.dictionary if pa.types.is_dictionary(part.type) else chunk)
        for at, part in enumerate(parts)
        for chunk in part.chunks
    ]
    if not values:
        return []
    joined = pa.concat_arrays([each.cast(pa.large_string()) for _, each in values])
    met = pc.fill_null(pc.match_substring_regex(joined, pattern, ignore_case=True), False)
    ends = np.cumsum([len(each) for _, each in values])
    chunks = np.unique(np.searchsorted(ends, pc.indices_nonzero(met).to_numpy(), side="right"))
    return list(dict.fromkeys(values[chunk][0] for chunk in chunks))


def _view_doubles(column: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """Return numbers as doubles; what is missing or not finite as NaN."""
    values = pc.fill_null(column.cast(pa.float64(), safe=False), math.nan).to_numpy()
    return np.where(np.isfinite(values), values, math.nan)


def _count_parts(values: npt.NDArray[np.float64], said: _Rows, is_average: npt.NDArray[np.bool_]) -> _Rows:
    """Count, for each row that says so, the rows that it adds up or averages; 0 where it does neither."""
    rows, met = len(values), values[said]
    plain = values.copy()
    plain[said] = math.nan
    is_there = ~np.isnan(plain)
    plain = np.where(is_there, plain, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        sums, sizes = (np.concatenate([[0.0], np.cumsum(each)]) for each in (plain, np.abs(plain)))
    counts = np.concatenate([[0], np.cumsum(is_there)])
    found = np.zeros(len(said), np.int64)
    if not np.isfinite(sizes[-1]):
        return found
    start, end = np.zeros(len(said), np.int64), np.full(len(said), rows)
    before, after = np.concatenate([[0], said[:-1] + 1]), np.concatenate([said[1:], [rows]])
    for low, high in ((before, said), (start, said), (said + 1, after), (start, end)):
        count = counts[high] - counts[low]
        shared = np.where(is_average, np.maximum(count, 1), 1)  # a mean is near if its sum is
        apart = np.abs((sums[high] - sums[low]) - met * shared)
        size = sizes[high] - sizes[low]
        is_it = (size > 0) & (apart <= float(NEAR_NAMED) * size) & (count >= np.where(is_average, ABOVE_TOTAL, 1))
        found = np.maximum(found, np.where(is_it, count, 0))
    return found
