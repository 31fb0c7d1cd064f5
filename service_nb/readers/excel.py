"""Read Excel workbooks (.xlsx, .xlsm): one sheet, as a table with a header row.

Before a library opens it, every member is inflated and counted (a ZIP directory can state false sizes), and XML with a
document type is refused. A formula counts by the value that is stored with it; one without a stored value is refused.
"""

from __future__ import annotations

import datetime
import io
import math
import os
import re
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from decimal import Decimal
from pathlib import PurePosixPath
from typing import IO, Any, Protocol
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile, ZipInfo

import pyarrow.compute as pc
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse
from openpyxl.packaging.relationship import get_dependents, get_rels_path
from openpyxl.reader.excel import ExcelReader
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.xml.constants import SHARED_STRINGS

from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import InvalidIntentError, LimitExceededError, SourceMalformedError
from service_nb.readers.changed_texts import EXACT_INTEGER
from service_nb.readers.columns import FREE_CELLS, TypedTable, check_cells, check_names, limit_error
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.doubtful_rows import find_row_notes
from service_nb.readers.excel_plain import FAULTS, NotPlainError, iter_rows, read_strings, remove_rows
from service_nb.readers.python_rows import build_table_from_columns
from service_nb.readers.sheet_tables import find_second_table
from service_nb.readers.source_files import BLOCK, hash_bytes, read_bytes
from service_nb.schema.reading_notes import ReadingNote
from service_nb.schema.source import Limits, write_exact_text

FREE_BYTES = 10 * 1024**2  # of a member, before its ratio counts: a small sheet of equal cells packs well
XML = (".xml", ".rels", ".vml")
OLE = bytes.fromhex("d0cf11e0a1b11ae1")


def check_container(data: bytes, limits: Limits) -> None:
    """Inflate all members of a workbook within the limits. Raises `source_malformed`, `limit_exceeded`."""
    if data.startswith(OLE):
        raise SourceMalformedError(
            "The workbook is encrypted, or in the format before 2007.",
            hint="Save it as .xlsx without a password.",
            met="an OLE container",
            expected="a zip container",
        )
    try:
        with ZipFile(io.BytesIO(data)) as container:
            _check_members(container, limits)
    except (BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        # RuntimeError: an encrypted member; NotImplementedError: a compression that nobody writes
        raise SourceMalformedError(
            "The workbook is not a valid ZIP file.", met=type(error).__name__, expected="an .xlsx file"
        ) from error


def _check_members(container: ZipFile, limits: Limits) -> None:
    members = container.infolist()
    if len(members) > limits.members:
        raise limit_error("members", limits.members, len(members), f"The workbook has {len(members):,} files in it")
    if len({member.filename.lower() for member in members}) != len(members):
        raise SourceMalformedError("The workbook holds two files of the same name.", expected="an .xlsx file")
    total = 0
    for member in members:
        total += _inflate(container, member, limits.inflated_bytes - total, limits)
        if PurePosixPath(member.filename.lower()).suffix in XML:
            _refuse_document_type(container, member)


def _inflate(container: ZipFile, member: ZipInfo, left: int, limits: Limits) -> int:
    """Count the bytes of a member as they are inflated, of which `left` may be."""
    size, packed = 0, max(member.compress_size, 1)
    most = max(FREE_BYTES, limits.inflate_ratio * packed)
    with container.open(member) as stream:
        while block := stream.read(BLOCK):
            size += len(block)
            if size > left:
                limit = limits.inflated_bytes
                raise limit_error("inflated_bytes", limit, limit - left + size, "The workbook inflates to more bytes")
            if size > most:
                raise LimitExceededError(
                    f"A file in the workbook inflates to {size // packed} times its size or more.",
                    hint="Raise Limits(inflate_ratio=…) if you trust the workbook.",
                    limit=limits.inflate_ratio,
                    limit_name="inflate_ratio",
                    value=size // packed,
                )
    if size != member.file_size:
        raise BadZipFile("a wrong stated size")
    return size


def _refuse_document_type(container: ZipFile, member: ZipInfo) -> None:
    name, part = describe_value(member.filename), member.filename[:100]
    try:
        with container.open(member) as stream:
            next(iter(iterparse(stream, events=("start",), forbid_dtd=True)), None)
    except DefusedXmlException as error:
        message = f"{name} in the workbook declares a document type or entities, which no spreadsheet program writes."
        raise SourceMalformedError(message, met=type(error).__name__, expected="plain XML", member=part) from error
    except (ParseError, LookupError, ValueError) as error:
        message = f"{name} in the workbook is not well-formed XML."
        raise SourceMalformedError(message, met=type(error).__name__, member=part) from error


MIDNIGHT = datetime.time(0)
SHEET_DIGITS, LEAST_MEASURED = 15, 10**21  # digits that a sheet keeps; no identifier is as large
ERROR = "e"  # the type of a cell that holds #N/A, #DIV/0! and their like
FORMULA_CELL = "f"
# A range of cells in the list of those that are merged.
MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\s[^<>]*?\bref=["']([A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7})["']""")
FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")


class _Cell(Protocol):
    @property
    def value(self) -> object: ...

    @property
    def data_type(self) -> str: ...


def read(source: str | os.PathLike[str], options: ReadOptions) -> Dataset:
    """Read one sheet of a workbook."""
    data, stamp = read_bytes(source, options.limits.workbook_bytes, "workbook_bytes")
    check_container(data, options.limits)
    with _translate_faults(), _open_book(data, values=True) as book:
        table = _read_sheet(data, _find_sheet(book, options.sheet), options.limits)
    if not table.names:
        raise SourceMalformedError("The sheet is empty.", expected="a header row")
    columns = build_table_from_columns(table.names, map(_drop_midnight, table.columns), options)
    merged = find_merged(table.sheet_text, table.names, table.header)
    second = find_second_table(table.names, table.columns, table.gaps)
    notes = [*merged, *second, *_iter_long_numbers(columns), *find_row_notes(columns.fields, columns.table)]
    return columns.add_notes(notes).build_dataset(hash_bytes(data), stamp, notes=table.notes, trims=True)


def find_merged(text: bytes, names: Sequence[str], header: int) -> list[ReadingNote]:
    """Note cells below the header that are merged: but for one they are empty, whatever a person sees there."""
    found = [(each, *_find_corners(each)) for each in (match[1].decode() for match in MERGED.finditer(text))]
    below = [
        (top, left, right, each) for each, left, top, right, bottom in found if bottom > header and left <= len(names)
    ]
    met = {at for _, left, right, _ in below for at in range(left, min(right, len(names)) + 1)}
    columns = tuple(names[at - 1] for at in sorted(met))
    return [ReadingNote("merged", columns, {"count": str(len(below)), "range": min(below)[-1]})] if below else []


def _iter_long_numbers(columns: TypedTable) -> Iterator[ReadingNote]:
    """Yield notes on whole numbers of which a sheet keeps not all digits, in columns of whole numbers.

    A sheet has doubles. From 2^53 on a number whose digits are all in use, as those of identifiers are, is likely to
    have had other last digits; one of few digits, such as 6.02E+23, is a measurement.
    """
    for field in columns.fields:
        ends = pc.min_max(columns.table[field.name]).as_py().values() if field.type == "number" else ()
        if not any(end is not None and abs(end) >= EXACT_INTEGER for end in ends):
            continue
        numbers = columns.table[field.name].to_pylist()
        met = [row for row, number in enumerate(numbers, 1) if number is not None and _is_long(number)]
        if met and all(number is None or number == int(number) for number in numbers):
            first = str(write_exact_text(numbers[met[0] - 1]))
            yield ReadingNote(
                "digits", (field.name,), {"count": str(len(met)), "first": first, "place": f"row {met[0]}"}
            )


def _is_long(number: float | Decimal) -> bool:
    value = abs(float(number))
    digits = repr(value).partition("e")[0].replace(".", "").strip("0")
    return EXACT_INTEGER <= value < LEAST_MEASURED and len(digits) >= SHEET_DIGITS


def _find_corners(cells: str) -> tuple[int, int, int, int]:
    left, top, right, bottom = (int(bound or 0) for bound in range_boundaries(cells))
    return left, top, right, bottom


class _Sheet(ReadOnlyWorksheet):
    """openpyxl's sheet, which looks through all rows of a sheet that does not state its size."""

    _worksheet_path: str
    _is_sized = False

    def _get_source(self) -> IO[bytes]:
        book: Any = self.parent
        archive: ZipFile = book._archive  # noqa: SLF001  # as openpyxl itself does
        if not self._is_sized:
            with archive.open(self._worksheet_path) as source:
                text = source.read(BLOCK)
                if b"<dimension" not in text:
                    with suppress(NotPlainError):
                        return io.BytesIO(remove_rows(text + source.read()))
        return archive.open(self._worksheet_path)

    def _get_size(self) -> None:
        base: Any = super()
        base._get_size()  # noqa: SLF001  # its own
        self._is_sized = True


class _Reader(ExcelReader):
    """openpyxl's reader, but for shared strings and rows, of each of which it makes several objects."""

    def read_worksheets(self) -> None:
        sheets: Any = self.parser.find_sheets()
        book: Any = self.wb
        for sheet, relation in sheets:
            if relation.target not in self.valid_files:
                continue
            if "chartsheet" in relation.Type:
                self.read_chartsheet(sheet, relation)
                continue
            relations = get_rels_path(relation.target)  # type: ignore[no-untyped-call]
            if relations in self.valid_files:
                get_dependents(self.archive, relations)  # refused where it is malformed
            found = _Sheet(book, sheet.name, relation.target, self.shared_strings)
            found.sheet_state = sheet.state
            book._sheets.append(found)  # noqa: SLF001  # as openpyxl itself does

    def read_strings(self) -> None:
        package: Any = self.package
        part = package.find(SHARED_STRINGS)
        if part is None:
            return
        try:
            self.shared_strings = read_strings(self.archive.read(part.PartName[1:]))
        except NotPlainError:
            super().read_strings()


@contextmanager
def _open_book(data: bytes, *, values: bool) -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and validations that openpyxl would not write back
        reader = _Reader(io.BytesIO(data), read_only=True, data_only=values)
        reader.read()
        with closing(reader.wb) as book:
            yield book


def _read_sheet(data: bytes, sheet: Any, limits: Limits) -> _SheetTable:
    with ZipFile(io.BytesIO(data)) as container:
        text = container.read(sheet._worksheet_path)  # noqa: SLF001  # nowhere else said
    table = _SheetTable(limits, text)
    with suppress(NotPlainError):
        for number, values in iter_rows(text, sheet, limits):
            table.add_values(number, values)
        return table
    table = _SheetTable(limits, text)
    if FORMULA.search(text) is None:
        for cells in _iter_cells(sheet):
            table.add_row(cells, ())
        return table
    # A second look at what is written in the cells costs as much as the first: only where there is a formula.
    with _open_book(data, values=False) as written:
        for cells, original in zip(_iter_cells(sheet), _iter_cells(written[sheet.title]), strict=False):
            table.add_row(cells, original)
    return table


def _iter_cells(sheet: Any) -> Iterator[tuple[_Cell, ...]]:
    sheet.reset_dimensions()  # the stated size may be wrong
    rows: Iterator[tuple[_Cell, ...]] = sheet.iter_rows()
    return rows


def _find_sheet(book: Any, name: str | None) -> Any:
    names = [sheet.title for sheet in book.worksheets]
    if not names:
        raise SourceMalformedError("The workbook has no sheet of cells.", expected="a sheet")
    if name is None and len(names) == 1:
        return book.worksheets[0]
    if name not in names:
        met = "is not said" if name is None else f"{describe_value(name)} does not exist"
        listed = ", ".join(map(describe_value, names[:20]))
        raise InvalidIntentError(
            f"The sheet to read {met}.",
            hint=f"Pass sheet=…; there are {listed}.",
            path="sheet",
            met=name,
            expected=names[:20],
            did_you_mean=find_nearest(name or "", names) or None,
        )
    return book[name]


class _SheetTable:
    """Names and columns of the rows as they come: the first that is not empty is the header, empty ones are skipped."""

    def __init__(self, limits: Limits, sheet_text: bytes) -> None:
        self._limits = limits
        self.sheet_text = sheet_text
        self.header = 0  # the number of its row
        self.gaps: dict[int, int] = {}  # of each row of values below empty ones its number on the sheet
        self._number = 0
        self._last = 0
        self._written = 0
        self._few = min(FREE_CELLS, limits.cells)
        self.names: list[str] = []
        self.columns: list[list[object]] = []
        self.notes: list[str] = []

    def add_row(self, cells: tuple[_Cell, ...], originals: tuple[_Cell, ...]) -> None:
        """Take the next row of the sheet, and if there are formulas, what is written in its cells."""
        self._number += 1
        if len(cells) > self._limits.columns:
            met = f"Row {self._number} has {len(cells):,} columns"
            raise limit_error("columns", self._limits.columns, len(cells), met, row=self._number)
        values = [self._read_value(cell, position) for position, cell in enumerate(cells, start=1)]
        for position, original in enumerate(originals, start=1):
            if original.data_type == FORMULA_CELL and cells[position - 1].value is None:
                raise self._cell_error(
                    position,
                    "The formula in {} has no stored value.",
                    hint="Open the workbook in a spreadsheet program and save it, which computes the formula.",
                    met="a formula",
                    expected="a value",
                )
        # A cell with an error counts as null, but its row is there.
        width = max((place for place, cell in enumerate(cells, start=1) if cell.value not in (None, "")), default=0)
        self._take(values, width)

    def add_values(self, number: int, values: list[object]) -> None:
        """Take a row of values, after rows without any."""
        self._number = number
        width = len(values)
        while width and values[width - 1] is None:
            width -= 1
        self._take(values, width)

    def _take(self, values: list[object], width: int) -> None:
        if not width:
            return
        if self.names:
            if self._number > self._last + 1:
                self.gaps[len(self.columns[0])] = self._number
            self._append(values[:width])
        else:
            self.header = self._number
            self.names = check_names([_read_name(value) for value in values[:width]], self._limits)
            self.columns = [[] for _ in self.names]
        self._last = self._number

    def _append(self, values: list[object]) -> None:
        width = len(self.names)
        if len(values) > width:
            raise self._cell_error(
                len(values),
                f"Row {self._number} has {len(values)} cells; the header has {width}.",
                hint="Name the column of {}, or clear the cell.",
                met=len(values),
                expected=width,
            )
        values.extend([None] * (width - len(values)))
        for column, value in zip(self.columns, values, strict=True):
            column.append(value)
        self._written += width - values.count(None)
        rows = len(self.columns[0])
        if rows * width > self._few:
            check_cells(rows, width, self._limits, self._written)

    def _read_value(self, cell: _Cell, position: int) -> object:
        value = cell.value
        if value is None or value == "":
            return None
        if cell.data_type == ERROR:
            if not self.notes:
                where = f"{get_column_letter(position)}{self._number}"
                self.notes.append(
                    f"Cells with an error, such as {describe_value(value)} in {where}, are read as empty."
                )
            return None
        if isinstance(value, float) and not math.isfinite(value):
            message = f"{{}} holds {value}, which is not a number of a spreadsheet."
            raise self._cell_error(position, message, met=str(value), expected="a finite number")
        if isinstance(value, str) and len(value) > self._limits.cell_chars:
            met = f"{get_column_letter(position)}{self._number} has {len(value):,} characters"
            raise limit_error("cell_chars", self._limits.cell_chars, len(value), met)
        return value

    def _cell_error(self, position: int, message: str, hint: str = "", **details: object) -> SourceMalformedError:
        where = f"{get_column_letter(position)}{self._number}"
        return SourceMalformedError(
            message.format(where), hint=hint.format(where) or None, row=self._number, cell=where, **details
        )


def _read_name(value: object) -> object:
    """A header cell as text: a year may well be a column."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        return value
    return str(int(value))


def _drop_midnight(values: list[Any]) -> list[object]:
    # Excel has no dates, only date-times that are shown without their time.
    if all(value is None or (isinstance(value, datetime.datetime) and value.time() == MIDNIGHT) for value in values):
        return [value and value.date() for value in values]
    return values


@contextmanager
def _translate_faults() -> Iterator[None]:
    try:
        yield
    except (*FAULTS, BadZipFile, DefusedXmlException, InvalidFileException) as error:
        # openpyxl reads a broken file until some step of its own fails; each of these stands for that.
        raise SourceMalformedError(
            "The workbook is malformed.", met=type(error).__name__, expected="an .xlsx file"
        ) from error
