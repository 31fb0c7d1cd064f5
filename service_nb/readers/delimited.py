"""Read delimited text: CSV, TSV and their kin. A header row is required; every row is read before a type is decided.

Arrow's parser is lenient about quotes (`"5" pipe` becomes `5 pipe`) and names no line when it fails. So quotes are
checked first: they may stand at the start and end of a cell, and doubled inside a quoted one. Large texts are
searched in blocks, so that a search never needs a multiple of their size.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError, LimitExceededError, SourceMalformedError
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.readers.columns import check_cells, check_names, check_types, encode_texts, make_field
from service_nb.readers.files import hash_bytes, read_bytes
from service_nb.readers.inference import TypedColumn, convert_declared, infer
from service_nb.schema.source import Limits

QUOTE_BLOCK = 1 << 24
QUOTE, NEWLINE, RETURN = b'"\n\r'


class RowBlock(NamedTuple):
    """Rows of a block: where each starts, how many delimiters it holds, whether its line is empty."""

    starts: Any
    delimiters: Any
    empty: Any


def find_line(text: bytes, offset: int) -> int:
    """Return the number of the line, from 1, that a byte stands on."""
    returns = text.count(b"\r", 0, offset) - text.count(b"\r\n", 0, offset) if b"\r" in text else 0
    return text.count(b"\n", 0, offset) + returns + 1


def find_header(text: bytes) -> tuple[int, int]:
    """Return where the first row that is not empty starts, and where it ends, before its line end.

    Raises `limit_exceeded`.
    """
    start = len(text) - len(text.lstrip(b"\r\n"))
    end, quotes = start, 0
    while True:
        newline = text.find(b"\n", end, start + QUOTE_BLOCK)
        line_end = text.find(b"\r", end, newline if newline >= 0 else start + QUOTE_BLOCK)
        found = line_end if line_end >= 0 else newline if newline >= 0 else min(len(text), start + QUOTE_BLOCK)
        quotes += text.count(b'"', end, found)
        if found == start + QUOTE_BLOCK:
            raise LimitExceededError(f"The header row is longer than {QUOTE_BLOCK:,} bytes.", limit=QUOTE_BLOCK, line=1)
        if quotes % 2 == 0 or found == len(text):
            return start, found
        end = found + 1


def check_quotes(text: bytes, delimiter: str) -> None:
    """Raise `source_malformed` for the first quote that neither opens nor closes a cell nor is doubled in one."""
    data = np.frombuffer(text, np.uint8)
    borders = np.zeros(256, bool)
    borders[[ord(delimiter), QUOTE, NEWLINE, RETURN]] = True
    seen = 0
    for base in range(0, len(data), QUOTE_BLOCK):
        quotes = np.flatnonzero(data[base : base + QUOTE_BLOCK] == QUOTE) + base
        opening, closing = quotes[seen % 2 :: 2], quotes[1 - seen % 2 :: 2]
        wrong_open = opening[~borders[data[opening - 1]] & (opening > 0)]
        wrong_close = closing[~borders[data[np.minimum(closing + 1, len(data) - 1)]] & (closing + 1 < len(data))]
        wrong = min((int(found[0]) for found in (wrong_open, wrong_close) if len(found)), default=None)
        if wrong is not None:
            raise _misplaced_quote_error(text, wrong)
        seen += len(quotes)
    if seen % 2:
        raise _unclosed_quote_error(text)


def _misplaced_quote_error(text: bytes, offset: int) -> SourceMalformedError:
    line = find_line(text, offset)
    return SourceMalformedError(
        f"Line {line} has a quote inside a cell.",
        hint='Put a cell that holds a quote in quotes, and double the quote inside: "5"" pipe".',
        line=line,
        met='"',
        expected='""',
    )


def _unclosed_quote_error(text: bytes) -> SourceMalformedError:
    line = find_line(text, text.rfind(b'"'))  # every earlier one has its partner
    return SourceMalformedError(
        f"The quote that opens on line {line} is never closed.",
        hint='Double a quote inside a quoted cell: "".',
        line=line,
        met="an open quote",
        expected='"',
    )


def find_ragged(text: bytes, start: int, delimiter: str, columns: int) -> tuple[int, int] | None:
    """Return the line of the first row after `start` that has not as many cells as columns, and how many it has."""
    for rows in _split_rows(text, start, delimiter):
        wrong = np.flatnonzero((rows.delimiters + 1 != columns) & ~rows.empty)
        if len(wrong):
            return find_line(text, int(rows.starts[wrong[0]])), int(rows.delimiters[wrong[0]]) + 1
    return None


def find_row_line(text: bytes, start: int, delimiter: str, row: int, *, count_empty: bool) -> int:
    """Return the line on which a row starts; rows are counted from 1 at `start`."""
    left = row
    for rows in _split_rows(text, start, delimiter):
        starts = rows.starts if count_empty else rows.starts[~rows.empty]
        if left <= len(starts):
            return find_line(text, int(starts[left - 1]))
        left -= len(starts)
    raise IndexError(row)


def _split_rows(text: bytes, start: int, delimiter: str) -> Iterator[RowBlock]:
    """Yield the rows of a text whose quotes are known to be in order, block by block."""
    data = np.frombuffer(text, np.uint8)
    quotes_seen, delimiters_seen, row_start = 0, 0, start
    for base in range(start, len(data), QUOTE_BLOCK):
        block = data[base : base + QUOTE_BLOCK]
        quotes = np.flatnonzero(block == QUOTE)
        ends = _select_outside_quotes(np.flatnonzero(_find_ends(data, base)), quotes, quotes_seen) + base
        if base + QUOTE_BLOCK >= len(data) and (not len(ends) or ends[-1] != len(data) - 1):
            ends = np.append(ends, len(data))  # the last row without a line end
        marks = _select_outside_quotes(np.flatnonzero(block == ord(delimiter)), quotes, quotes_seen) + base
        counts = np.bincount(np.searchsorted(ends, marks), minlength=len(ends) + 1)
        counts[0] += delimiters_seen
        if len(ends):
            starts = np.concatenate(([row_start], ends[:-1] + 1))
            lengths = ends - starts
            only_return = (lengths == 1) & (data[np.minimum(starts, len(data) - 1)] == RETURN)
            yield RowBlock(starts, counts[:-1], (lengths == 0) | only_return)
            row_start = int(ends[-1]) + 1
        quotes_seen, delimiters_seen = quotes_seen + len(quotes), int(counts[-1])


def _find_ends(data: Any, base: int) -> Any:
    """Find the bytes of a block that end a line: a newline, or a return that no newline follows."""
    block = data[base : base + QUOTE_BLOCK]
    following = np.append(data[base + 1 : base + QUOTE_BLOCK + 1], np.uint8(0))[: len(block)]
    return (block == NEWLINE) | ((block == RETURN) & (following != NEWLINE))


def _select_outside_quotes(places: Any, quotes: Any, quotes_seen: int) -> Any:
    """The places that an even number of quotes stands before."""
    return places[(np.searchsorted(quotes, places) + quotes_seen) % 2 == 0] if len(quotes) or quotes_seen else places


DELIMITERS = ",;\t|"
BLOCK = 1 << 20  # bytes that one thread parses at a time; a row must not be longer
MOST_BLOCK = 1 << 30
BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x00\x00\xfe\xff": "UTF-32"}
UTF8_BOM = b"\xef\xbb\xbf"


def read(source: Any, options: ReadOptions) -> Dataset:
    """Read a file of delimited text."""
    data, stamp = read_bytes(source, options.limits.text_bytes, "text_bytes")
    with ThreadPoolExecutor(2) as pool:
        digest = pool.submit(hash_bytes, data)  # hashing releases the interpreter, so it runs beside the parse
        text = _DelimitedText(convert_to_utf8(data, options.encoding), Path(source).suffix.lower(), options)
        table = text.table()
        check_cells(table.num_rows, len(text.names), options.limits)
        types = check_types(options.types, text.names)

        def typed(name: str) -> TypedColumn:
            column = table.column(name)
            text.check_cell_sizes(name, column)
            if name in types:
                return convert_declared(name, column, types[name], "Line", text.find_line_of_row)
            return infer(name, column)

        columns = list(pool.map(typed, text.names))
        content = digest.result()
    arrays = [encode_texts(found.column) if found.physical == "string" else found.column for found in columns]
    return Dataset(
        fields=tuple(make_field(name, found.physical) for name, found in zip(text.names, columns, strict=True)),
        row_count=table.num_rows,
        content=content,
        table=pa.table(arrays, names=text.names),
        notes=tuple(found.note for found in columns if found.note),
        stamps=(stamp,),
    )


def convert_to_utf8(data: bytes, encoding: str | None) -> bytes:
    """Return the bytes as UTF-8 without a byte order mark. Raises `source_malformed`, `invalid_intent`."""
    if encoding is None:
        for mark, name in BOMS.items():
            if data.startswith(mark):
                raise SourceMalformedError(
                    f"The file is {name}; expected UTF-8.", hint=f'Pass encoding="{name.lower()}".', line=1, met=name
                )
        text = data.removeprefix(UTF8_BOM)
    else:
        text = _convert_to_utf8(data, encoding)
    zero = text.find(b"\0")
    if zero >= 0:
        line = find_line(text, zero)
        raise SourceMalformedError(f"Line {line} holds a NUL byte: this is not text.", line=line, expected="text")
    if not text[:BLOCK].strip() and not text.strip():
        raise SourceMalformedError("The file is empty.", line=1, expected="a header row")
    return text


def _convert_to_utf8(data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except LookupError:
        raise InvalidIntentError(
            f"There is no encoding {describe_value(encoding)}.", path="encoding", met=encoding
        ) from None
    except ValueError as error:
        raise SourceMalformedError(f"The file is not {encoding} text.", expected=encoding) from error


def find_bad_utf8(text: bytes) -> SourceMalformedError | None:
    """Return the error that names the line of the first byte that is no UTF-8, None if all is well."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = find_line(text, error.start)
        return SourceMalformedError(
            f"Line {line} is not UTF-8 (byte 0x{text[error.start]:02x}).",
            hint='Pass its encoding, such as encoding="cp1252".',
            line=line,
            met=f"0x{text[error.start]:02x}",
            expected="UTF-8",
        )
    return None


class _DelimitedText:
    """A text, cut into cells by Arrow's parser; where it fails, or would take what it should not, a look finds why."""

    def __init__(self, text: bytes, suffix: str, options: ReadOptions) -> None:
        self._text, self._limits, self._nulls = text, options.limits, options.nulls
        self._quoted = b'"' in text
        self._delimiter = _find_delimiter(text, suffix, options.delimiter)
        if self._quoted:
            check_quotes(text, self._delimiter)
        start, end = find_header(text)
        self._body = end + (2 if text[end : end + 2] == b"\r\n" else 1)
        self.names = check_names(_parse_header(text[start:end], self._delimiter), options.limits)

    def table(self) -> pa.Table:
        """Return all cells as text, empty ones as null."""
        if self._body >= len(self._text):
            return pa.table({name: pa.array([], pa.string()) for name in self.names})
        try:
            return self._parse(BLOCK)
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error):
                raise self._explain_error(error) from error
        try:  # a row is longer than a block
            return self._parse(min(_compute_longest_row(self._limits, len(self.names)), len(self._text) + 1))
        except pa.ArrowInvalid as error:
            raise self._explain_error(error) from error

    def _parse(self, block_size: int) -> pa.Table:
        return arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(self._text).slice(self._body)),
            read_options=arrow_csv.ReadOptions(column_names=self.names, block_size=block_size),
            parse_options=arrow_csv.ParseOptions(
                delimiter=self._delimiter,
                quote_char='"' if self._quoted else False,
                newlines_in_values=self._quoted,  # dearer, and without quotes there are none
                ignore_empty_lines=not self._empty_counts,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(self.names, pa.string()),
                strings_can_be_null=True,
                null_values=["", *self._nulls],
            ),
        )

    @property
    def _empty_counts(self) -> bool:
        return len(self.names) == 1  # of a single column, an empty line is a row with an empty cell

    def find_line_of_row(self, row: int) -> int:
        """Return the line on which a row starts, from 1."""
        return find_row_line(self._text, self._body, self._delimiter, row, count_empty=self._empty_counts)

    def check_cell_sizes(self, name: str, column: pa.ChunkedArray) -> None:
        """Raise `limit_exceeded` for a cell that is too long."""
        limit = self._limits.cell_chars
        if (pc.max(pc.binary_length(column)).as_py() or 0) <= limit:
            return
        lengths = pc.utf8_length(column)
        longest = pc.max(lengths).as_py()
        if longest > limit:
            line = self.find_line_of_row(pc.index(lengths, longest).as_py() + 1)
            raise LimitExceededError(
                f"Line {line}, column {describe_value(name)}: a cell of {longest:,} characters; at most {limit:,}"
                " are read.",
                hint="Raise Limits(cell_chars=…).",
                limit=limit,
                limit_name="cell_chars",
                value=longest,
                line=line,
                column=name,
            )

    def _explain_error(self, error: pa.ArrowInvalid) -> SourceMalformedError | LimitExceededError:
        fault = find_bad_utf8(self._text)
        if fault is not None:
            return fault
        ragged = find_ragged(self._text, self._body, self._delimiter, len(self.names))
        if ragged is not None:
            line, cells = ragged
            return SourceMalformedError(
                f"Line {line} has {cells} cells; the header has {len(self.names)}.",
                hint=f"The delimiter is {self._delimiter!r}; put a cell that holds it in double quotes.",
                line=line,
                met=cells,
                expected=len(self.names),
            )
        if "straddl" in str(error):
            return LimitExceededError(
                f"A row is longer than {_compute_longest_row(self._limits, len(self.names)):,} bytes.",
                hint="Raise Limits(cell_chars=…).",
                limit=self._limits.cell_chars,
                limit_name="cell_chars",
            )
        return SourceMalformedError("The file cannot be read as delimited text.", met=type(error).__name__)


def _find_delimiter(text: bytes, suffix: str, given: str | None) -> str:
    """The one given; a tab in .tsv files; else the one that stands most often in the first line, outside quotes."""
    if given is not None:
        if len(given) != 1 or given in '"\r\n' or not given.isascii():
            raise InvalidIntentError(
                f"The delimiter is {describe_value(given)}; expected one ASCII character.",
                path="delimiter",
                met=describe_value(given),
            )
        return given
    if suffix in (".tsv", ".tab"):
        return "\t"
    first = text[:BLOCK].lstrip(b"\r\n").split(b"\n", 1)[0].decode(errors="replace")
    outside = "".join(first.split('"')[::2])
    return max(DELIMITERS, key=outside.count)


def _parse_header(row: bytes, delimiter: str) -> list[str]:
    fault = find_bad_utf8(row)
    if fault is not None:
        raise fault
    try:
        return next(csv.reader([row.decode()], delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration) as error:
        raise SourceMalformedError(f"The header row is malformed: {error}.", line=1, expected="column names") from error


def _compute_longest_row(limits: Limits, columns: int) -> int:
    return min(4 * limits.cell_chars * columns + BLOCK, MOST_BLOCK)
