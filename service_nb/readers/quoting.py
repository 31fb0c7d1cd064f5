"""Where the rows, lines and quotes of delimited text are: what the parser leaves open is checked or found here.

The parser is lenient about quotes (`"5" pipe` becomes `5 pipe`) and names no line when it fails. A quote may stand at
the start and at the end of a cell, and doubled inside a quoted one; then counting quotes tells what is inside of them.
Large texts are looked at in blocks, so that a look never needs a multiple of their size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from service_nb.errors import LimitExceededError, SourceMalformedError

BLOCK = 1 << 24
QUOTE, NEWLINE, RETURN = b'"\n\r'


class Rows(NamedTuple):
    """Rows of a block: where each starts, how many delimiters it holds, whether its line is empty."""

    starts: Any
    delimiters: Any
    empty: Any


def line_at(text: bytes, offset: int) -> int:
    """Return the number of the line, from 1, that a byte stands on."""
    returns = text.count(b"\r", 0, offset) - text.count(b"\r\n", 0, offset) if b"\r" in text else 0
    return text.count(b"\n", 0, offset) + returns + 1


def header_span(text: bytes) -> tuple[int, int]:
    """Return where the first row that is not empty starts, and where it ends, before its line end.

    Raises
    ------
    LimitExceededError [limit_exceeded]
        It is longer than any header.
    """
    start = len(text) - len(text.lstrip(b"\r\n"))
    end, quotes = start, 0
    while True:
        newline = text.find(b"\n", end, start + BLOCK)
        line_end = text.find(b"\r", end, newline if newline >= 0 else start + BLOCK)
        found = line_end if line_end >= 0 else newline if newline >= 0 else min(len(text), start + BLOCK)
        quotes += text.count(b'"', end, found)
        if found == start + BLOCK:
            raise LimitExceededError(f"The header row is longer than {BLOCK:,} bytes.", limit=BLOCK, line=1)
        if quotes % 2 == 0 or found == len(text):
            return start, found
        end = found + 1


def check_quotes(text: bytes, delimiter: str) -> None:
    """Raise `source_malformed` for the first quote that neither opens nor closes a cell nor is doubled in one."""
    data = np.frombuffer(text, np.uint8)
    borders = np.zeros(256, bool)
    borders[[ord(delimiter), QUOTE, NEWLINE, RETURN]] = True
    seen = 0
    for base in range(0, len(data), BLOCK):
        quotes = np.flatnonzero(data[base : base + BLOCK] == QUOTE) + base
        opening, closing = quotes[seen % 2 :: 2], quotes[1 - seen % 2 :: 2]
        wrong_open = opening[~borders[data[opening - 1]] & (opening > 0)]
        wrong_close = closing[~borders[data[np.minimum(closing + 1, len(data) - 1)]] & (closing + 1 < len(data))]
        wrong = min((int(found[0]) for found in (wrong_open, wrong_close) if len(found)), default=None)
        if wrong is not None:
            raise _misplaced(text, wrong)
        seen += len(quotes)
    if seen % 2:
        raise _unclosed(text)


def _misplaced(text: bytes, offset: int) -> SourceMalformedError:
    line = line_at(text, offset)
    return SourceMalformedError(
        f"Line {line} has a quote inside a cell.",
        hint='Put a cell that holds a quote in quotes, and double the quote inside: "5"" pipe".',
        line=line,
        met='"',
        expected='""',
    )


def _unclosed(text: bytes) -> SourceMalformedError:
    line = line_at(text, text.rfind(b'"'))  # every earlier one has its partner
    return SourceMalformedError(
        f"The quote that opens on line {line} is never closed.",
        hint='Double a quote inside a quoted cell: "".',
        line=line,
        met="an open quote",
        expected='"',
    )


def first_ragged(text: bytes, start: int, delimiter: str, columns: int) -> tuple[int, int] | None:
    """Return the line of the first row after `start` that has not as many cells as columns, and how many it has."""
    for rows in _rows(text, start, delimiter):
        wrong = np.flatnonzero((rows.delimiters + 1 != columns) & ~rows.empty)
        if len(wrong):
            return line_at(text, int(rows.starts[wrong[0]])), int(rows.delimiters[wrong[0]]) + 1
    return None


def line_of_row(text: bytes, start: int, delimiter: str, row: int, *, count_empty: bool) -> int:
    """Return the line on which a row starts; rows are counted from 1 at `start`."""
    left = row
    for rows in _rows(text, start, delimiter):
        starts = rows.starts if count_empty else rows.starts[~rows.empty]
        if left <= len(starts):
            return line_at(text, int(starts[left - 1]))
        left -= len(starts)
    raise IndexError(row)


def _rows(text: bytes, start: int, delimiter: str) -> Iterator[Rows]:
    """Yield the rows of a text whose quotes are known to be in order, block by block."""
    data = np.frombuffer(text, np.uint8)
    quotes_seen, delimiters_seen, row_start = 0, 0, start
    for base in range(start, len(data), BLOCK):
        block = data[base : base + BLOCK]
        quotes = np.flatnonzero(block == QUOTE)
        ends = _outside(np.flatnonzero(_ends(data, base)), quotes, quotes_seen) + base
        if base + BLOCK >= len(data) and (not len(ends) or ends[-1] != len(data) - 1):
            ends = np.append(ends, len(data))  # the last row without a line end
        marks = _outside(np.flatnonzero(block == ord(delimiter)), quotes, quotes_seen) + base
        counts = np.bincount(np.searchsorted(ends, marks), minlength=len(ends) + 1)
        counts[0] += delimiters_seen
        if len(ends):
            starts = np.concatenate(([row_start], ends[:-1] + 1))
            lengths = ends - starts
            only_return = (lengths == 1) & (data[np.minimum(starts, len(data) - 1)] == RETURN)
            yield Rows(starts, counts[:-1], (lengths == 0) | only_return)
            row_start = int(ends[-1]) + 1
        quotes_seen, delimiters_seen = quotes_seen + len(quotes), int(counts[-1])


def _ends(data: Any, base: int) -> Any:
    """Which bytes of a block end a line: a newline, or a return that no newline follows."""
    block = data[base : base + BLOCK]
    following = np.append(data[base + 1 : base + BLOCK + 1], np.uint8(0))[: len(block)]
    return (block == NEWLINE) | ((block == RETURN) & (following != NEWLINE))


def _outside(places: Any, quotes: Any, quotes_seen: int) -> Any:
    """The places that an even number of quotes stands before."""
    return places[(np.searchsorted(quotes, places) + quotes_seen) % 2 == 0] if len(quotes) or quotes_seen else places
