"""Delimited text: CSV, TSV and their kin. A header row is required; every row is read before a type is decided."""

from __future__ import annotations

import csv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError, LimitExceededError, SourceMalformedError
from service_nb.readers import inference
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.readers.columns import check_cells, check_names, declared_types, encoded, field_of
from service_nb.readers.files import content_of, read_bytes
from service_nb.readers.quoting import check_quotes, first_ragged, header_span, line_at, line_of_row
from service_nb.schema.source import Limits

DELIMITERS = ",;\t|"
BLOCK = 1 << 20  # bytes that one thread parses at a time; a row must not be longer
MOST_BLOCK = 1 << 30
BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x00\x00\xfe\xff": "UTF-32"}
UTF8_BOM = b"\xef\xbb\xbf"


def read(source: Any, options: ReadOptions) -> Dataset:
    """Read a file of delimited text."""
    data, stamp = read_bytes(source, options.limits.text_bytes, "text_bytes")
    with ThreadPoolExecutor(2) as pool:
        digest = pool.submit(content_of, data)  # hashing releases the interpreter, so it runs beside the parse
        text = _Text(as_utf8(data, options.encoding), Path(source).suffix.lower(), options)
        table = text.table()
        check_cells(table.num_rows, len(text.names), options.limits)
        types = declared_types(options.types, text.names)

        def typed(name: str) -> inference.Typed:
            column = table.column(name)
            text.check_cell_sizes(name, column)
            if name in types:
                return inference.declared(name, column, types[name], "Line", text.line_of)
            return inference.infer(name, column)

        columns = list(pool.map(typed, text.names))
        content = digest.result()
    arrays = [encoded(found.column) if found.physical == "string" else found.column for found in columns]
    return Dataset(
        fields=tuple(field_of(name, found.physical) for name, found in zip(text.names, columns, strict=True)),
        row_count=table.num_rows,
        content=content,
        table=pa.table(arrays, names=text.names),
        notes=tuple(found.note for found in columns if found.note),
        stamps=(stamp,),
    )


def as_utf8(data: bytes, encoding: str | None) -> bytes:
    """Return the bytes as UTF-8 without a byte order mark.

    Raises
    ------
    SourceMalformedError [source_malformed]
        The bytes are no text in the encoding; `details` say on which line.
    InvalidIntentError [invalid_intent]
        There is no such encoding.
    """
    if encoding is None:
        for mark, name in BOMS.items():
            if data.startswith(mark):
                raise SourceMalformedError(
                    f"The file is {name}; expected UTF-8.", hint=f'Pass encoding="{name.lower()}".', line=1, met=name
                )
        text = data.removeprefix(UTF8_BOM)
    else:
        text = _transcoded(data, encoding)
    zero = text.find(b"\0")
    if zero >= 0:
        line = line_at(text, zero)
        raise SourceMalformedError(f"Line {line} holds a NUL byte: this is not text.", line=line, expected="text")
    if not text[:BLOCK].strip() and not text.strip():
        raise SourceMalformedError("The file is empty.", line=1, expected="a header row")
    return text


def _transcoded(data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except LookupError:
        raise InvalidIntentError(f"There is no encoding {shown(encoding)}.", path="encoding", met=encoding) from None
    except ValueError as error:
        raise SourceMalformedError(f"The file is not {encoding} text.", expected=encoding) from error


def bad_utf8(text: bytes) -> SourceMalformedError | None:
    """Return the error that names the line of the first byte that is no UTF-8, None if all is well."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = line_at(text, error.start)
        return SourceMalformedError(
            f"Line {line} is not UTF-8 (byte 0x{text[error.start]:02x}).",
            hint='Pass its encoding, such as encoding="cp1252".',
            line=line,
            met=f"0x{text[error.start]:02x}",
            expected="UTF-8",
        )
    return None


class _Text:
    """A text, cut into cells by Arrow's parser; where it fails, or would take what it should not, a look finds why."""

    def __init__(self, text: bytes, suffix: str, options: ReadOptions) -> None:
        self._text, self._limits, self._nulls = text, options.limits, options.nulls
        self._quoted = b'"' in text
        self._delimiter = _delimiter(text, suffix, options.delimiter)
        if self._quoted:
            check_quotes(text, self._delimiter)
        start, end = header_span(text)
        self._body = end + (2 if text[end : end + 2] == b"\r\n" else 1)
        self.names = check_names(_header(text[start:end], self._delimiter), options.limits)

    def table(self) -> pa.Table:
        """Return all cells as text, empty ones as null."""
        if self._body >= len(self._text):
            return pa.table({name: pa.array([], pa.string()) for name in self.names})
        try:
            return self._parse(BLOCK)
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error):
                raise self._explained(error) from error
        try:  # a row is longer than a block
            return self._parse(min(_longest_row(self._limits, len(self.names)), len(self._text) + 1))
        except pa.ArrowInvalid as error:
            raise self._explained(error) from error

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

    def line_of(self, row: int) -> int:
        """Return the line on which a row starts, from 1."""
        return line_of_row(self._text, self._body, self._delimiter, row, count_empty=self._empty_counts)

    def check_cell_sizes(self, name: str, column: pa.ChunkedArray) -> None:
        """Raise `limit_exceeded` for a cell that is too long."""
        limit = self._limits.cell_chars
        if (pc.max(pc.binary_length(column)).as_py() or 0) <= limit:
            return
        lengths = pc.utf8_length(column)
        longest = pc.max(lengths).as_py()
        if longest > limit:
            line = self.line_of(pc.index(lengths, longest).as_py() + 1)
            raise LimitExceededError(
                f"Line {line}, column {shown(name)}: a cell of {longest:,} characters; at most {limit:,} are read.",
                hint="Raise Limits(cell_chars=…).",
                limit=limit,
                limit_name="cell_chars",
                value=longest,
                line=line,
                column=name,
            )

    def _explained(self, error: pa.ArrowInvalid) -> SourceMalformedError | LimitExceededError:
        fault = bad_utf8(self._text)
        if fault is not None:
            return fault
        ragged = first_ragged(self._text, self._body, self._delimiter, len(self.names))
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
                f"A row is longer than {_longest_row(self._limits, len(self.names)):,} bytes.",
                hint="Raise Limits(cell_chars=…).",
                limit=self._limits.cell_chars,
                limit_name="cell_chars",
            )
        return SourceMalformedError("The file cannot be read as delimited text.", met=type(error).__name__)


def _delimiter(text: bytes, suffix: str, given: str | None) -> str:
    """The one given; a tab in .tsv files; else the one that stands most often in the first line, outside quotes."""
    if given is not None:
        if len(given) != 1 or given in '"\r\n' or not given.isascii():
            raise InvalidIntentError(
                f"The delimiter is {shown(given)}; expected one ASCII character.", path="delimiter", met=shown(given)
            )
        return given
    if suffix in (".tsv", ".tab"):
        return "\t"
    first = text[:BLOCK].lstrip(b"\r\n").split(b"\n", 1)[0].decode(errors="replace")
    outside = "".join(first.split('"')[::2])
    return max(DELIMITERS, key=outside.count)


def _header(row: bytes, delimiter: str) -> list[str]:
    fault = bad_utf8(row)
    if fault is not None:
        raise fault
    try:
        return next(csv.reader([row.decode()], delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration) as error:
        raise SourceMalformedError(f"The header row is malformed: {error}.", line=1, expected="column names") from error


def _longest_row(limits: Limits, columns: int) -> int:
    return min(4 * limits.cell_chars * columns + BLOCK, MOST_BLOCK)
