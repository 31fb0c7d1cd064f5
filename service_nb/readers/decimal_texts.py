"""Read decimal texts with a fixed number of places as exact decimals.

Money is written with the same number of places in every row; a measurement, and a double that a program wrote, is not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# One place is no sign of money, for programs write whole doubles as 7.0; six are how they print a double.
LEAST_PLACES, MOST_PLACES = 2, 4
SHORT, LONG = 18, 38  # digits of the two widths, so that the next month's file has the same type
_POINT, _NINE = b".9"


def find_head_places(head: Sequence[str]) -> int | None:
    """Count the places that all of these numbers have after the point; None where they differ, or are not 2 to 4."""
    places = {len(text) - 1 - text.rfind(".") if "." in text else 0 for text in head}
    only = places.pop() if len(places) == 1 else 0
    return only if LEAST_PLACES <= only <= MOST_PLACES else None


def convert_fixed(column: pa.ChunkedArray, places: int) -> pa.ChunkedArray | None:
    """Return the texts as decimals, or None unless every one is a plain number with that many places."""
    pattern = rf"^-?(?:0|[1-9]\d*)?\.\d{{{places}}}$"
    if not pc.all(pc.match_substring_regex(column, pattern), min_count=0).as_py():
        return None
    return convert_to_decimal(column, places)


def convert_to_decimal(column: pa.ChunkedArray, places: int) -> pa.ChunkedArray | None:
    """Return plain numbers of at most that many places as decimals of 18 digits, or else 38; None if these are few."""
    longest = pc.max(pc.binary_length(column)).as_py() or 0
    if longest > LONG:
        longest = pc.max(pc.binary_length(pc.utf8_ltrim(column, "-"))).as_py()
    for digits in (SHORT, LONG) if longest <= LONG + 1 else ():  # Arrow wraps what 128 bits do not hold
        try:
            return pc.cast(column, pa.decimal128(digits, places))
        except pa.ArrowInvalid:
            continue
    return None


def count_places(column: pa.ChunkedArray, limit: int) -> int | None:
    """Return the most places that a number of these texts has; None beyond the limit, and beside an exponent."""
    most = 0
    for chunk in column.chunks:
        _, offset_buffer, data_buffer = chunk.buffers()
        if data_buffer is None or not len(chunk):
            continue
        offsets = np.frombuffer(offset_buffer, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
        data = np.frombuffer(data_buffer, np.uint8)[offsets[0] : offsets[-1]]
        if not len(data):
            continue
        if data.max() > _NINE:
            return None
        starts, ends = offsets[:-1] - offsets[0], offsets[1:] - offsets[0]
        points = int(np.count_nonzero(data == _POINT))
        for places in range(limit + 1):
            at = ends - (places + 1)
            found = int(np.count_nonzero((data.take(at, mode="clip") == _POINT) & (at >= starts)))
            most, points = (max(most, places) if found else most), points - found
        if points:
            return None
    return most
