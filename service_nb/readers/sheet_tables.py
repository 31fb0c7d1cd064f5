"""Note a second table on a sheet: names below empty rows, over values that are none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from service_nb.schema.reading_notes import ReadingNote

# Texts that stand for a value that is missing, and are no name.
NO_NAME = re.compile(r"n\.?/?a\.?|nan|null|none|nil|missing|unknown|tbd|[^\w]*", re.IGNORECASE)
LEAST_NAMES = 2


def find_second_table(
    names: Sequence[str], columns: Sequence[Sequence[object]], gaps: Mapping[int, int]
) -> list[ReadingNote]:
    """Note the first row below empty ones that may be names: texts alone, over other values, or the same names.

    `gaps` has of each row below empty ones, from 0, its number on the sheet.
    """
    starts = [*gaps, len(columns[0])]
    for row, end in pairwise(starts):
        cells = {name: column[row] for name, column in zip(names, columns, strict=True) if column[row] is not None}
        if len(cells) < LEAST_NAMES or not all(map(_is_name, cells.values())):
            continue
        is_over = any(
            any(not isinstance(value, str) and value is not None for value in column[row + 1 : end])
            for name, column in zip(names, columns, strict=True)
            if name in cells
        )
        if is_over or [*cells.values()] == [*names]:
            return [ReadingNote("tables", tuple(cells), {"place": f"row {gaps[row]}"})]
    return []


def _is_name(value: object) -> bool:
    return isinstance(value, str) and NO_NAME.fullmatch(value.strip()) is None
