"""Note rows and values that may mean something else: totals, remarks, values for missing, a row as names.

Each rule looks at all rows and is exact; what it finds is told and stays as it was read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.readers.conversions import PATTERNS
from service_nb.readers.remarks import find_remarks
from service_nb.readers.sentinels import NO_TEXTS, Texts, iter_sentinels
from service_nb.readers.totals import find_totals
from service_nb.schema.reading_notes import ReadingNote
from service_nb.schema.source import Field

YEARS = (1_800, 2_200)


def find_row_notes(fields: Sequence[Field], table: pa.Table, texts: Texts = NO_TEXTS) -> list[ReadingNote]:
    """Find what the rows of a table that was read from texts, cells or JSON may mean beside what they say."""
    if not table.num_rows:
        return []
    rows = [*find_totals(fields, table, texts.place), *find_remarks(fields, table, texts.place)]
    return [*_find_header(fields), *_find_names(fields, table, texts), *rows, *iter_sentinels(fields, table, texts)]


def _find_header(fields: Sequence[Field]) -> list[ReadingNote]:
    """Note names that are dates of columns of dates, or numbers of columns of numbers and no axis such as years."""
    days = [field.name for field in fields if field.type in ("date", "datetime") and _is_date(field.name)]
    numbers = [field.name for field in fields if field.type == "number" and _is_number(field.name)]
    if not days and (not numbers or is_axis([float(name) for name in numbers])):
        return []
    met = {*days, *numbers}
    return [ReadingNote("header", tuple(field.name for field in fields if field.name in met))]


def _find_names(fields: Sequence[Field], table: pa.Table, texts: Texts) -> list[ReadingNote]:
    """Note rows that have the names of the columns as their values, as files put together have; all of it is text."""
    if len(fields) < 2 or any(field.type != "string" for field in fields):
        return []
    met: pa.ChunkedArray = pa.chunked_array([pa.repeat(True, table.num_rows)])
    for field in fields:
        met = pc.and_(met, pc.fill_null(pc.equal(table[field.name].cast(pa.string()), field.name), False))
        if not pc.any(met).as_py():
            return []
    place = texts.place.tell(pc.index(met, True).as_py() + 1)
    facts = {"count": str(pc.sum(met).as_py()), "place": place}
    return [ReadingNote("names_again", tuple(field.name for field in fields), facts)]


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
