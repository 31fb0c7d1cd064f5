"""Read delimited text: CSV, TSV and their kin. A header row is required; every row is read before a type is decided.

Arrow's parser is lenient about quotes (`"5" pipe` becomes `5 pipe`) and names no line when it fails. So quotes are
checked first, in blocks: they may stand at the start and end of a cell, and doubled inside a quoted one. Where Arrow
fails, or takes what it should not, the rows are gone through one by one to find the line.
"""

from __future__ import annotations

import csv
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from service_nb.core.words import describe_value
from service_nb.errors import LimitExceededError, SourceMalformedError
from service_nb.readers.columns import check_cells, check_names, check_types, limit_error
from service_nb.readers.dataset import Dataset, ReadOptions, option_error
from service_nb.readers.doubtful_rows import find_row_notes
from service_nb.readers.encodings import propose_encodings
from service_nb.readers.inference import TypedColumn, check_points, convert_declared, infer, join_columns
from service_nb.readers.sentinels import Texts
from service_nb.readers.source_files import hash_bytes, read_bytes
from service_nb.readers.text_reasons import RowPlace
from service_nb.schema.source import Limits

QUOTE_BLOCK = 1 << 24
QUOTE, NEWLINE, RETURN = b'"\n\r'
# What a row is, where quotes are in order. One expression goes through all rows, without a step of Python for each.
PARTS, LINE_END = rb'(?:[^"\r\n]++|"[^"]*+")', rb"(?:\r\n?|\n)"
ROW = re.compile(b"(%b*+)(?:%b|\\Z)" % (PARTS, LINE_END))
QUOTED = re.compile(rb'"[^"]*+"')
DELIMITERS = ",;\t|"
BLOCK = 1 << 20  # bytes that one thread parses at a time; a row must not be longer
MOST_BLOCK = 1 << 30
BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x00\x00\xfe\xff": "UTF-32"}
UTF8_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Body:
    """The rows of a text after its header, in the order in which they stand there."""

    text: bytes
    start: int
    delimiter: str
    names: list[str]

    def find_row_line(self, number: int) -> int:
        """Return the line on which a row starts; rows are counted from 1."""
        # Of a single column, an empty line is a row with an empty cell.
        empty, some = (b"", b"*+") if len(self.names) == 1 else (rb"[\r\n]*+", b"++")
        rows = b"(?:%b%b%b%b){%d}+%b" % (empty, PARTS, some, LINE_END, number - 1, empty)
        skipped = re.compile(rows).match(self.text, self.start)
        if skipped is None:
            raise IndexError(number)
        return find_line(self.text, skipped.end())

    def find_ragged(self) -> tuple[int, int] | None:
        """Return the line of the first row that has not as many cells as columns, and how many it has."""
        sign = self.delimiter.encode()
        cell = rb'(?:[^"\r\n%b]++|"[^"]*+")*+' % re.escape(sign)
        row = b"%b(?:%b%b){%d}+" % (cell, re.escape(sign), cell, len(self.names) - 1)
        sound = re.compile(b"(?:(?:%b|)%b)*+" % (row, LINE_END)).match(self.text, self.start)  # rows, and empty lines
        start = sound.end() if sound is not None else self.start
        rest = ROW.match(self.text, start)
        cells = QUOTED.sub(b"", rest[1]).count(sign) + 1 if rest is not None and rest[1] else len(self.names)
        return None if cells == len(self.names) else (find_line(self.text, start), cells)


def read(source: str | os.PathLike[str], options: ReadOptions) -> Dataset:
    """Read a file of delimited text: its bytes, its header, its cells as text, and of each column the type."""
    limits = options.limits
    data, stamp = read_bytes(source, limits.text_bytes, "text_bytes")
    with ThreadPoolExecutor(2) as pool:
        digest = pool.submit(hash_bytes, data)  # hashing releases the interpreter, so it runs beside the parse
        text = convert_to_utf8(data, options.encoding)
        delimiter = _find_delimiter(text, Path(source).suffix.lower(), options.delimiter)
        check_quotes(text, delimiter)
        start, end = find_header(text)
        names = check_names(_parse_header(text[start:end], delimiter), limits)
        body = Body(text, end + (2 if text[end : end + 2] == b"\r\n" else 1), delimiter, names)
        table = _parse_cells(body, options)
        check_cells(table.num_rows, len(names), limits)
        types = check_types(options.types, names)

        place = RowPlace("Line", body.find_row_line)

        def decide_type(name: str) -> TypedColumn:
            column = table.column(name)
            _check_cell_sizes(name, column, body, limits)
            if name in types:
                return convert_declared(name, column, types[name], place, form=options.form, nulls=options.nulls)
            return infer(name, column, place, form=options.form, nulls=options.nulls)

        columns = list(pool.map(decide_type, names))
        texts = [options.form.clean(table.column(name), options.nulls) for name in names]
        columns = check_points(names, texts, columns, place)
        typed = join_columns(names, columns)
        notes = find_row_notes(typed.fields, typed.table, Texts(dict(zip(names, texts, strict=True)), place))
        return typed.add_notes(notes).build_dataset(digest.result(), stamp, tell=place.tell, trims=True)


def find_line(text: bytes, offset: int) -> int:
    """Return the number of the line, from 1, that a byte stands on."""
    returns = text.count(b"\r", 0, offset) - text.count(b"\r\n", 0, offset) if b"\r" in text else 0
    return text.count(b"\n", 0, offset) + returns + 1


def find_header(text: bytes) -> tuple[int, int]:
    """Return where the first row that is not empty starts, and where it ends, before its line end.

    Raises `limit_exceeded`.
    """
    start = len(text) - len(text.lstrip(b"\r\n"))
    row = ROW.match(text, start, start + QUOTE_BLOCK)
    end = min(len(text), start + QUOTE_BLOCK) if row is None else row.end(1)
    if end == start + QUOTE_BLOCK:
        raise LimitExceededError(f"The header row is longer than {QUOTE_BLOCK:,} bytes.", limit=QUOTE_BLOCK, line=1)
    return start, end


def check_quotes(text: bytes, delimiter: str) -> None:
    """Raise `source_malformed` for the first quote that neither opens nor closes a cell nor is doubled in one."""
    if b'"' not in text:
        return
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
            line = find_line(text, wrong)
            hint = 'Put a cell that holds a quote in quotes, and double the quote inside: "5"" pipe".'
            raise _line_error(line, "has a quote inside a cell", hint, met='"', expected='""')
        seen += len(quotes)
    if seen % 2:
        line = find_line(text, text.rfind(b'"'))  # every earlier one has its partner
        hint = 'Double a quote inside a quoted cell: "".'
        raise _line_error(line, "opens a quote that is never closed", hint, met="an open quote", expected='"')


def _line_error(line: int, fault: str, hint: str | None = None, **details: object) -> SourceMalformedError:
    return SourceMalformedError(f"Line {line} {fault}.", hint=hint, line=line, **details)


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
        raise _line_error(line, "holds a NUL byte: this is not text", expected="text")
    if not text[:BLOCK].strip() and not text.strip():
        raise SourceMalformedError("The file is empty.", line=1, expected="a header row")
    return text


def _convert_to_utf8(data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except LookupError:
        raise option_error("encoding", encoding, "the name of an encoding") from None
    except ValueError as error:
        raise SourceMalformedError(f"The file is not {encoding} text.", expected=encoding) from error


def find_bad_utf8(text: bytes) -> SourceMalformedError | None:
    """Return the error that names the line of the first byte that is no UTF-8, None if all is well."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = find_line(text, error.start)
        met, likely = f"0x{text[error.start]:02x}", propose_encodings(text)
        words = " or ".join(f"{name} (then a word is {describe_value(word)})" for name, word in likely)
        hint = f"Pass its encoding: {words}." if likely else "Pass its encoding."
        names = [name for name, _ in likely]
        return _line_error(line, f"is not UTF-8 (byte {met})", hint, met=met, expected="UTF-8", encodings=names or None)
    return None


def _parse_cells(body: Body, options: ReadOptions) -> pa.Table:
    """Return all cells as text, empty ones as null."""
    if body.start >= len(body.text):
        return pa.table({name: pa.array([], pa.string()) for name in body.names})
    longest_row = min(4 * options.limits.cell_chars * len(body.names) + BLOCK, MOST_BLOCK)
    try:
        try:
            return _parse_blocks(body, options, BLOCK)
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error):
                raise
        return _parse_blocks(body, options, min(longest_row, len(body.text) + 1))  # a row is longer than a block
    except pa.ArrowInvalid as error:
        raise _explain_error(body, error, options.limits, longest_row) from error


def _parse_blocks(body: Body, options: ReadOptions, block_size: int) -> pa.Table:
    has_quotes = b'"' in body.text
    return arrow_csv.read_csv(
        pa.BufferReader(pa.py_buffer(body.text).slice(body.start)),
        read_options=arrow_csv.ReadOptions(column_names=body.names, block_size=block_size),
        parse_options=arrow_csv.ParseOptions(
            delimiter=body.delimiter,
            quote_char='"' if has_quotes else False,
            newlines_in_values=has_quotes,  # dearer, and without quotes there are none
            ignore_empty_lines=len(body.names) > 1,
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(body.names, pa.string()),
            strings_can_be_null=True,
            null_values=["", *options.nulls],
        ),
    )


def _explain_error(
    body: Body, error: pa.ArrowInvalid, limits: Limits, longest_row: int
) -> SourceMalformedError | LimitExceededError:
    fault = find_bad_utf8(body.text)
    if fault is not None:
        return fault
    ragged = body.find_ragged()
    if ragged is not None:
        line, cells = ragged
        met = f"has {cells} cells; the header has {len(body.names)}"
        hint = f"The delimiter is {body.delimiter!r}; put a cell that holds it in double quotes."
        if body.delimiter == "," and len(body.names) == 1 and b";" not in body.text:
            hint = "If the file has one column of numbers with decimal comma, add --delimiter ; --decimal , in a line,"
            hint += ' or delimiter=";", decimal="," in Python.'
        return _line_error(line, met, hint, met=cells, expected=len(body.names))
    if "straddl" in str(error):
        return LimitExceededError(
            f"A row is longer than {longest_row:,} bytes.",
            hint="Raise Limits(cell_chars=…).",
            limit=limits.cell_chars,
            limit_name="cell_chars",
        )
    return SourceMalformedError("The file cannot be read as delimited text.", met=type(error).__name__)


def _check_cell_sizes(name: str, column: pa.ChunkedArray, body: Body, limits: Limits) -> None:
    limit = limits.cell_chars
    if (pc.max(pc.binary_length(column)).as_py() or 0) <= limit:
        return
    lengths = pc.utf8_length(column)
    longest = pc.max(lengths).as_py()
    if longest > limit:
        line = body.find_row_line(pc.index(lengths, longest).as_py() + 1)
        met = f"Line {line}, column {describe_value(name)}: a cell of {longest:,} characters"
        raise limit_error("cell_chars", limit, longest, met, line=line, column=name)


def _find_delimiter(text: bytes, suffix: str, given: str | None) -> str:
    """The one given; a tab in .tsv files; else the one that stands most often in the first line, outside quotes."""
    if given is not None:
        if len(given) != 1 or given in '"\r\n' or not given.isascii():
            raise option_error("delimiter", given, "one ASCII character")
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
