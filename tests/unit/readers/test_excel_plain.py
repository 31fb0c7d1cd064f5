from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import openpyxl
import pytest

from service_nb.readers.excel_plain import NotPlainError, iter_rows, read_strings, remove_rows
from service_nb.schema.source import Limits

SHEET = "xl/worksheets/sheet1.xml"
NAMESPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
DAY, TIME = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 10, 30, 15)  # noqa: DTZ001
ROWS: list[list[Any]] = [
    ["number", "text", "day", "time", "truth", "span"],
    [1, "a", DAY, TIME, True, datetime.timedelta(hours=30)],
    [-2.5, " two  blanks ", None, None, False, None],
    [],
    [10**20, "<&>\"'\u00e9\U0001f600\nline _x005F_", DAY, datetime.time(23, 59), None, datetime.timedelta(days=2)],
    [None, None, None, 1e-7, None, 2.0],
]


def saved(*, shared: bool) -> bytes:
    """A workbook with texts that are shared, or beside the numbers."""
    book = openpyxl.Workbook(write_only=not shared)
    sheet: Any = book.active if shared else book.create_sheet()
    for row in ROWS:
        sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def changed(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The workbook with its sheet written otherwise."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == SHEET else old.read(name))
    return stream.getvalue()


def read_both(data: bytes) -> tuple[list[Any], list[Any]]:
    """The rows of the first sheet as they are read here and by openpyxl, without empty cells at the end."""
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    with zipfile.ZipFile(io.BytesIO(data)) as container:
        ours = list(iter_rows(container.read(SHEET), book.worksheets[0], Limits()))
    book.worksheets[0].reset_dimensions()
    theirs = list(enumerate(book.worksheets[0].iter_rows(values_only=True), start=1))
    book.close()
    return list(stripped(ours)), list(stripped(theirs))


def stripped(rows: Any) -> Iterator[Any]:
    for number, values in rows:
        row = [None if value == "" else value for value in values]
        while row and row[-1] is None:
            row.pop()
        if row:
            yield number, [(type(value), value) for value in row]


@pytest.mark.parametrize("shared", [True, False], ids=["shared strings", "inline texts"])
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace(b"</row>", b"</row>\r\n"),
        lambda text: text.replace(b'<row r="6">', b'<row r="6" spans="1:6" x="1">').replace(b'<row r="2"', b"<row"),
        lambda text: text.replace(b'<row r="6">', b'<row r="90"/><row r="700">'),
        lambda text: text.replace(b' r="B2"', b"").replace(b' r="A3"', b""),
        lambda text: text.replace(b"<worksheet", b'<?xml version="1.0" encoding="utf-8"?>\r\n<worksheet', 1),
        lambda text: b"\xef\xbb\xbf" + text,
    ],
    ids=["as written", "line ends", "attributes", "gaps", "no places", "a declaration", "a byte order mark"],
)
def test_plain_sheet_has_the_values_that_openpyxl_reads(change: Callable[[bytes], bytes], shared: bool) -> None:
    ours, theirs = read_both(changed(saved(shared=shared), change))
    assert ours == theirs
    assert len(ours) == 5


def test_references_to_characters_are_resolved_once() -> None:
    data = f"<sst {NAMESPACE}><si><t>&amp;lt;&#65;&#x1F600;\r\n</t></si> <si><t/></si></sst>".encode()
    assert read_strings(data) == ["&lt;A\U0001f600\n", ""]


CELLS = {
    "a formula": '<c r="A1"><f>1+1</f><v>2</v></c>',
    "an error": '<c r="A1" t="e"><v>#N/A</v></c>',
    "a date of ISO 8601": '<c r="A1" t="d"><v>2024-02-29</v></c>',
    "rich text": '<c r="A1" t="inlineStr"><is><r><t>a</t></r></is></c>',
    "a text of another type": '<c r="A1"><is><t>a</t></is></c>',
    "a value of another type": '<c r="A1" t="inlineStr"><v>1</v></c>',
    "a truth that is none": '<c r="A1" t="b"><v>2</v></c>',
    "a string that is not there": '<c r="A1" t="s"><v>7</v></c>',
    "a string before the first": '<c r="A1" t="s"><v>-1</v></c>',
    "no number": "<c><v>1.2.3</v></c>",
    "a number beyond doubles": "<c><v>1e999</v></c>",
    "columns out of order": '<c r="B1"><v>1</v></c><c r="A1"><v>2</v></c>',
    "a column too far": '<c r="XFD1"><v>1</v></c>',
    "a place behind other attributes": '<c s="0" r="B1"><v>1</v></c>',
    "a style that is none": '<c s="x"><v>1</v></c>',
    "another namespace": '<c xmlns="other"><v>1</v></c>',
    "a comment": "<c><v>1</v></c><!-- 2 -->",
    "text beside cells": "<c><v>1</v></c>2",
    "an element that is no cell": "<c><v>1</v></c><d/>",
    "no end": "<c><v>1</v>",
}


@pytest.mark.parametrize("cells", CELLS.values(), ids=CELLS)
def test_what_is_not_plain_is_left_to_openpyxl(cells: str) -> None:
    book = openpyxl.load_workbook(io.BytesIO(saved(shared=False)), read_only=True)
    for text in (f"<row>{cells}</row>", f"<row><c><v>1</v></c></row><row>{cells}</row>"):
        with pytest.raises(NotPlainError):
            list(
                iter_rows(
                    f"<worksheet {NAMESPACE}><sheetData>{text}</sheetData></worksheet>".encode(),
                    book.worksheets[0],
                    Limits(),
                )
            )
    book.close()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<worksheet><sheetData></sheetData></worksheet>",
        f"<worksheet {NAMESPACE}><sheetData/></worksheet>",
        f"<worksheet {NAMESPACE}><sheetData></sheetData><sheetData></sheetData></worksheet>",
        f"<?xml version='1.0' encoding='latin-1'?><worksheet {NAMESPACE}><sheetData></sheetData></worksheet>",
        f"<worksheet {NAMESPACE}><sheetData></sheetData>",
        f"<worksheet {NAMESPACE}><a xmlns='other'><sheetData></sheetData></a></worksheet>",
    ],
)
def test_rows_are_only_taken_out_of_a_plain_part(text: str) -> None:
    with pytest.raises(NotPlainError):
        remove_rows(text.encode())
