"""Delimited text: CSV, TSV and their kin. A header row is required; every row is read before a type is decided."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as arrow_csv

from service_nb.connectors import inference
from service_nb.connectors.base import Dataset, ReadOptions
from service_nb.connectors.columns import check_cells, check_names, declared_types, encoded, field_of
from service_nb.connectors.files import content_of, read_bytes
from service_nb.errors import InvalidIntentError, LimitExceededError, SourceMalformedError
from service_nb.query.spec import shown

DELIMITERS = ",;\t|"
BLOCK = 1 << 20
BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x00\x00\xfe\xff": "UTF-32"}
UTF8_BOM = b"\xef\xbb\xbf"


def read(source: Any, options: ReadOptions) -> Dataset:
    """Read a file of delimited text."""
    data, stamp = read_bytes(source, options.limits.text_bytes, "text_bytes")
    with ThreadPoolExecutor(2) as pool:
        digest = pool.submit(content_of, data)  # hashing releases the interpreter, so it runs beside the parse
        text = as_utf8(data, options.encoding)
        delimiter = options.delimiter or _delimiter(Path(source).suffix.lower(), text)
        names = check_names(_header(text, delimiter), options.limits)
        table = _Parser(text, delimiter, names, options).table()
        check_cells(table.num_rows, len(names), options.limits)
        types = declared_types(options.types, names)
        line_of = _lines(text)

        def typed(name: str) -> inference.Typed:
            column = table.column(name)
            if name in types:
                return inference.declared(name, column, types[name], "Line", line_of)
            return inference.infer(name, column)

        columns = list(pool.map(typed, names))
        content = digest.result()
    arrays = [encoded(found.column) if found.physical == "string" else found.column for found in columns]
    return Dataset(
        fields=tuple(field_of(name, found.physical) for name, found in zip(names, columns, strict=True)),
        row_count=table.num_rows,
        content=content,
        table=pa.table(arrays, names=names),
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
        line = text.count(b"\n", 0, zero) + 1
        raise SourceMalformedError(f"Line {line} holds a NUL byte: this is no text.", line=line, expected="text")
    if not text[:BLOCK].strip() and not text.strip():
        raise SourceMalformedError("The file is empty.", line=1, expected="a header row")
    return text


def _transcoded(data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except LookupError:
        raise InvalidIntentError(f"There is no encoding {shown(encoding)}.", path="encoding", met=encoding) from None
    except UnicodeError as error:
        raise SourceMalformedError(f"The file is no {encoding} text.", expected=encoding) from error


def bad_utf8(text: bytes) -> SourceMalformedError | None:
    """Return the error that names the line of the first byte that is no UTF-8, None if all is well."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        return SourceMalformedError(
            f"Line {line} is not UTF-8 (byte 0x{text[error.start]:02x}).",
            hint='Pass encoding="cp1252", or whatever it was written in.',
            line=line,
            met=f"0x{text[error.start]:02x}",
            expected="UTF-8",
        )
    return None


def _delimiter(suffix: str, text: bytes) -> str:
    """A tab in .tsv files; else the one of the delimiters that stands most often in the first line, outside quotes."""
    if suffix in (".tsv", ".tab"):
        return "\t"
    first = text[: 1 << 16].split(b"\n", 1)[0].decode(errors="replace")
    outside = "".join(first.split('"')[::2])
    return max(DELIMITERS, key=outside.count)


def _header(text: bytes, delimiter: str) -> list[str]:
    if len(delimiter) != 1 or delimiter in '"\r\n' or not delimiter.isascii():
        raise InvalidIntentError(
            f"The delimiter is {shown(delimiter)}; expected one ASCII character.",
            path="delimiter",
            met=shown(delimiter),
        )
    fault = bad_utf8(text[:BLOCK].rsplit(b"\n", 1)[0] if len(text) > BLOCK else text[:BLOCK])
    if fault is not None:
        raise fault
    lines = io.StringIO(text[: 4 * BLOCK].decode(errors="replace").lstrip("\r\n"), newline="")
    try:
        return next(csv.reader(lines, delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration) as error:
        raise SourceMalformedError(f"The header row is malformed: {error}.", line=1, expected="column names") from error


class _Parser:
    """All cells as text, by Arrow's parser; where it fails, a second look finds the line."""

    def __init__(self, text: bytes, delimiter: str, names: list[str], options: ReadOptions) -> None:
        self._text, self._delimiter, self._names, self._limits = text, delimiter, names, options.limits
        self._nulls = options.nulls
        self._quotes = text.count(b'"')

    def table(self) -> pa.Table:
        if self._quotes % 2:
            raise self._unclosed()
        try:
            table = self._parse(BLOCK)
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error):
                raise self._explained(error) from error
            table = self._with_long_rows()
        self._check_cells(table)
        return table

    def _with_long_rows(self) -> pa.Table:
        try:
            return self._parse(min(len(self._text) + 1, 8 * self._limits.cell_chars + BLOCK))
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error):
                raise self._explained(error) from error
            raise LimitExceededError(
                f"A row is longer than {8 * self._limits.cell_chars:,} bytes.",
                hint="An unclosed quote makes one row of many; else raise Limits(cell_chars=…).",
                limit=self._limits.cell_chars,
                limit_name="cell_chars",
            ) from error

    def _parse(self, block_size: int, on_ragged: Callable[[Any], str] | None = None) -> pa.Table:
        quoted = self._quotes > 0
        return arrow_csv.read_csv(
            pa.BufferReader(self._text),
            read_options=arrow_csv.ReadOptions(
                column_names=self._names, skip_rows_after_names=1, block_size=block_size, use_threads=on_ragged is None
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=self._delimiter,
                quote_char='"' if quoted else False,
                newlines_in_values=quoted,  # dearer, and without quotes there are none
                ignore_empty_lines=len(self._names) > 1,  # in a single column an empty line is a null
                invalid_row_handler=on_ragged,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(self._names, pa.string()),
                strings_can_be_null=True,
                null_values=["", *self._nulls],
            ),
        )

    def _check_cells(self, table: pa.Table) -> None:
        limit = self._limits.cell_chars
        if not self._quotes or len(self._text) <= limit:
            return  # without quotes a cell is shorter than a row, and a row than a block
        for name in self._names:
            longest = pa.compute.max(pa.compute.binary_length(table.column(name))).as_py() or 0
            if longest > 4 * limit:
                raise LimitExceededError(
                    f"A cell of column {shown(name)} has {longest:,} bytes; at most {limit:,} characters are read.",
                    limit=limit,
                    limit_name="cell_chars",
                    value=longest,
                    column=name,
                )

    def _explained(self, error: pa.ArrowInvalid) -> SourceMalformedError:
        fault = bad_utf8(self._text)
        if fault is not None:
            return fault
        ragged: list[Any] = []

        def keep(row: Any) -> str:
            ragged.append(row)
            return "skip"

        self._parse(max(BLOCK, len(self._text) + 1), on_ragged=keep)
        if not ragged:
            return SourceMalformedError("The file is no delimited text that can be read.", met=type(error).__name__)
        row = ragged[0]
        line = _lines(self._text)((row.number or 2) - 1)
        return SourceMalformedError(
            f"Line {line} has {row.actual_columns} cells; the header has {row.expected_columns}.",
            hint=f"The delimiter is {self._delimiter!r}; a cell that holds it stands in double quotes.",
            line=line,
            met=row.actual_columns,
            expected=row.expected_columns,
        )

    def _unclosed(self) -> SourceMalformedError:
        line = _unclosed_line(self._text)
        return SourceMalformedError(
            f"The quote that opens on line {line} is never closed.",
            hint='A quote inside a quoted cell is written twice: "".',
            line=line,
            met="an open quote",
            expected='"',
        )


def _unclosed_line(text: bytes) -> int:
    """The line of the last quote that opens: with an odd number of quotes it has no partner."""
    opening = text.rfind(b'"')
    return text.count(b"\n", 0, opening) + 1


def _lines(text: bytes) -> Callable[[int], int]:
    """Return the function from a row's number, from 1, to the line it starts on."""
    if b'"' not in text:
        return lambda row: row + 1

    def line(row: int) -> int:
        reader = csv.reader(io.StringIO(text.decode(errors="replace"), newline=""))
        for _ in range(row):
            next(reader, None)
        return reader.line_num + 1

    return line
