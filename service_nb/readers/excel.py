"""Read Excel workbooks (.xlsx, .xlsm): one sheet, as a table with a header row.

Before a library opens it, every member is inflated and counted (a ZIP directory can state false sizes), and XML with a
document type is refused. A formula counts by the value that is stored with it; one without a stored value is refused.
"""

from __future__ import annotations

import datetime
import io
import math
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import repeat
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile

import openpyxl
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse
from openpyxl.utils import get_column_letter
from openpyxl.utils.exceptions import InvalidFileException

from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import InvalidIntentError, LimitExceededError, SourceMalformedError
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.readers.columns import check_cells, check_gaps, check_names
from service_nb.readers.files import BLOCK, hash_bytes, read_bytes
from service_nb.readers.rows import build_table_from_columns
from service_nb.schema.source import Limits

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
        with zipfile.ZipFile(io.BytesIO(data)) as container:
            _check_members(container, limits)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        # RuntimeError: an encrypted member; NotImplementedError: a compression that nobody writes
        raise SourceMalformedError(
            "The workbook is not a valid ZIP file.", met=type(error).__name__, expected="an .xlsx file"
        ) from error


def _check_members(container: zipfile.ZipFile, limits: Limits) -> None:
    members = container.infolist()
    if len(members) > limits.members:
        raise _workbook_limit_error(f"{len(members):,} files in it", "members", limits.members, len(members))
    names = [member.filename.lower() for member in members]
    if len(set(names)) != len(names):
        raise SourceMalformedError("The workbook holds two files of the same name.", expected="an .xlsx file")
    total = 0
    for member in members:
        total = _inflate(container, member, total, limits)
        if PurePosixPath(member.filename.lower()).suffix in XML:
            _refuse_document_type(container, member)


def _inflate(container: zipfile.ZipFile, member: zipfile.ZipInfo, total: int, limits: Limits) -> int:
    size = 0
    most = max(FREE_BYTES, limits.inflate_ratio * max(member.compress_size, 1))
    with container.open(member) as stream:
        while block := stream.read(BLOCK):
            size += len(block)
            if total + size > limits.inflated_bytes:
                raise _workbook_limit_error(
                    "more inflated bytes", "inflated_bytes", limits.inflated_bytes, total + size
                )
            if size > most:
                ratio = size // max(member.compress_size, 1)
                raise _workbook_limit_error(
                    "a file that inflates too far", "inflate_ratio", limits.inflate_ratio, ratio
                )
    if size != member.file_size:
        raise zipfile.BadZipFile("a wrong stated size")
    return total + size


def _refuse_document_type(container: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    name = describe_value(member.filename)
    try:
        with container.open(member) as stream:
            next(iter(iterparse(stream, events=("start",), forbid_dtd=True)), None)
    except DefusedXmlException as error:
        raise SourceMalformedError(
            f"{name} in the workbook declares a document type or entities, which no spreadsheet program writes.",
            met=type(error).__name__,
            expected="plain XML",
            member=member.filename[:100],
        ) from error
    except (ParseError, LookupError, ValueError) as error:
        raise SourceMalformedError(
            f"{name} in the workbook is not well-formed XML.", met=type(error).__name__, member=member.filename[:100]
        ) from error


def _workbook_limit_error(what: str, name: str, limit: int, value: int) -> LimitExceededError:
    return LimitExceededError(
        f"The workbook has {what} than the limit ({limit:,}).",
        hint=f"Raise Limits({name}=…) if you trust the workbook.",
        limit=limit,
        limit_name=name,
        value=value,
    )


MIDNIGHT = datetime.time(0)
ERROR = "e"  # the type of a cell that holds #N/A, #DIV/0! and their like
FORMULA_CELL = "f"
FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")


def read(source: Any, options: ReadOptions) -> Dataset:
    """Read one sheet of a workbook."""
    data, stamp = read_bytes(source, options.limits.workbook_bytes, "workbook_bytes")
    check_container(data, options.limits)
    table = _SheetRows(options.limits)
    with _faults(), _open_book(data, values=True) as book, _open_book(data, values=False) as written:
        sheet = _find_sheet(book, options.sheet)
        rows = _iter_rows(sheet)
        # A second look at what is written in the cells costs as much as the first: only where there is a formula.
        originals = _iter_rows(_find_sheet(written, sheet.title)) if _has_formulas(data, sheet) else repeat(None)
        for cells, original in zip(rows, originals, strict=False):
            table.take(cells, original)
    names, values = table.finished()
    columns = build_table_from_columns(names, values, options)
    return Dataset(
        fields=columns.fields,
        row_count=columns.table.num_rows,
        content=hash_bytes(data),
        table=columns.table,
        notes=(*table.notes, *columns.notes),
        stamps=(stamp,),
    )


@contextmanager
def _open_book(data: bytes, *, values: bool) -> Iterator[object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and validations that openpyxl would not write back
        with closing(openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=values)) as book:
            yield book


def _iter_rows(sheet: Any) -> Iterator[tuple[Any, ...]]:
    sheet.reset_dimensions()  # the stated size may be wrong
    rows: Iterator[tuple[Any, ...]] = sheet.iter_rows()
    return rows


def _has_formulas(data: bytes, sheet: Any) -> bool:
    with ZipFile(io.BytesIO(data)) as container:
        return FORMULA.search(container.read(sheet._worksheet_path)) is not None  # noqa: SLF001  # nowhere else said


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


class _SheetRows:
    """Rows as they come: the first that is not empty is the header, empty ones are skipped."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._names: list[Any] = []
        self._columns: list[list[Any]] = []
        self._number = 0
        self._written = 0
        self.notes: list[str] = []

    def take(self, cells: tuple[Any, ...], originals: tuple[Any, ...] | None) -> None:
        """Take the next row of the sheet, and if there are formulas, what is written in its cells."""
        self._number += 1
        if len(cells) > self._limits.columns:
            raise LimitExceededError(
                f"Row {self._number} has {len(cells):,} columns; at most {self._limits.columns:,} are read.",
                hint="Raise Limits(columns=…).",
                limit=self._limits.columns,
                limit_name="columns",
                value=len(cells),
                row=self._number,
            )
        values = [self._read_value(cell, position) for position, cell in enumerate(cells, start=1)]
        for position, original in enumerate(originals or (), start=1):
            if original.data_type == FORMULA_CELL and cells[position - 1].value is None:
                raise self._missing_value_error(position)
        # A cell with an error counts as null, but its row is there.
        width = max(
            (position for position, cell in enumerate(cells, start=1) if cell.value not in (None, "")), default=0
        )
        del values[width:]
        if not values:
            return
        if not self._names:
            self._names = check_names([_read_name(value) for value in values], self._limits)
            self._columns = [[] for _ in self._names]
        else:
            self._append(values)

    def _append(self, values: list[object]) -> None:
        if len(values) > len(self._names):
            where = f"{get_column_letter(len(values))}{self._number}"
            raise SourceMalformedError(
                f"Row {self._number} has {len(values)} cells; the header has {len(self._names)}.",
                hint=f"Name the column of {where}, or clear the cell.",
                row=self._number,
                cell=where,
                met=len(values),
                expected=len(self._names),
            )
        values.extend([None] * (len(self._names) - len(values)))
        for column, value in zip(self._columns, values, strict=True):
            column.append(value)
        check_cells(len(self._columns[0]), len(self._names), self._limits)
        self._written += len(self._names) - values.count(None)
        check_gaps(len(self._columns[0]), len(self._names), self._written, self._limits)

    def _read_value(self, cell: Any, position: int) -> Any:
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
            raise SourceMalformedError(
                f"{get_column_letter(position)}{self._number} holds {value}, which is not a number of a spreadsheet.",
                row=self._number,
                cell=f"{get_column_letter(position)}{self._number}",
                met=str(value),
                expected="a finite number",
            )
        if isinstance(value, str) and len(value) > self._limits.cell_chars:
            raise LimitExceededError(
                f"{get_column_letter(position)}{self._number} has {len(value):,} characters.",
                limit=self._limits.cell_chars,
                limit_name="cell_chars",
                value=len(value),
            )
        return value

    def _missing_value_error(self, position: int) -> SourceMalformedError:
        where = f"{get_column_letter(position)}{self._number}"
        return SourceMalformedError(
            f"The formula in {where} has no stored value.",
            hint="Open the workbook in a spreadsheet program and save it, which computes the formula.",
            row=self._number,
            cell=where,
            met="a formula",
            expected="a value",
        )

    def finished(self) -> tuple[list[str], list[list[object]]]:
        """Return names and columns; date-times that are all at midnight are dates."""
        if not self._names:
            raise SourceMalformedError("The sheet is empty.", expected="a header row")
        return self._names, [_drop_midnight(column) for column in self._columns]


def _read_name(value: Any) -> Any:
    """A header cell as text: a year may well be a column."""
    is_whole = isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
    return str(int(value)) if is_whole else value


def _drop_midnight(values: list[Any]) -> list[Any]:
    # Excel has no dates, only date-times that are shown without their time.
    if all(value is None or (isinstance(value, datetime.datetime) and value.time() == MIDNIGHT) for value in values):
        return [value and value.date() for value in values]
    return values


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except (
        InvalidFileException,
        BadZipFile,
        DefusedXmlException,
        ParseError,
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
        OSError,
    ) as error:
        # openpyxl reads a broken file until some step of its own fails; each of these stands for that.
        raise SourceMalformedError(
            "The workbook is malformed.", met=type(error).__name__, expected="an .xlsx file"
        ) from error
