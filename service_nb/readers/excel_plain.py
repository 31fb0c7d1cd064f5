"""Read the rows of a plain sheet, and plain shared strings, from their text, without an object for each element.

Plain is what programs write for a table of values: rows and cells in order, numbers, texts, truth values and dates;
no formulas, errors, rich text or comments. Of such a sheet the values are those that openpyxl reads, at a fraction of
its cost. Of anything else, sound or not, `NotPlainError` is raised, and openpyxl reads it from its start: what is wrong
with it is found there, and nowhere else.

Calamine reads faster still, but gives every number as a double: 2 and 2.0 would be one, and long identifiers rounded.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

from openpyxl.utils import column_index_from_string
from openpyxl.utils.datetime import from_excel
from openpyxl.worksheet._reader import WorkSheetParser
from openpyxl.xml.constants import SHEET_MAIN_NS

from service_nb.schema.source import Limits

BLOCK = 1 << 22  # bytes of rows that are taken apart at a time
FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, OSError, ParseError)
_BOM = b"\xef\xbb\xbf"
_ATTRIBUTES = r'(?: [A-Za-z0-9:]+="[^"<&]*+")*+'
_DECLARATION = re.compile(
    rb"""<\?xml version=(["'])1\.0\1(?: encoding=(["'])[Uu][Tt][Ff]-8\2)?(?: standalone=[^<>?]*+)?\s?\?>"""
)
_ROOT = re.compile(rf"\s*+<(\w+)({_ATTRIBUTES}) ?>".encode())
_ROW = re.compile(rf'\s*+<row(?: r="([1-9][0-9]{{0,6}})")?({_ATTRIBUTES}) ?(/?)>')
_TEXT = '<t(?: xml:space="preserve")?'
# What stands in a row: a cell with its column, its other attributes, its value and its text; or in the last group, what
# is no cell.
_CELL = re.compile(
    r'<c(?: r="([A-Z]{1,3})[1-9][0-9]{0,6}")?((?: [a-z]+="[^"<&]*+")*+) ?'
    rf"(?:/>|>(?:<v>([^<]*+)</v>|<is>{_TEXT}>([^<]*+)</t></is>)?</c>)|(.)",
    re.DOTALL,
)
_STRING = re.compile(rf"<si>{_TEXT}(?: ?/>|>([^<]*+)</t>)</si>\s*+|(.)", re.DOTALL)
_ATTRIBUTE = re.compile(r' ([a-z]+)="([^"]*)"')
_REFERENCE = re.compile(r"&(?:#x([0-9a-fA-F]+)|#([0-9]+)|(\w+));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": '"'}

_Convert = Callable[[str], object]


class NotPlainError(Exception):
    """A part is not plain: openpyxl is to read it."""


class _Part(NamedTuple):
    """A part of a workbook, well-formed, and where what is wanted of it starts and ends."""

    data: bytes
    start: int
    end: int


def read_strings(data: bytes) -> list[str]:
    """Return the texts of a part of shared strings. Raises `NotPlainError`."""
    part = _check_part(data, b"sst")
    end = part.data.rfind(b"</sst>")
    content = part.data[part.start : end].decode()
    found: list[tuple[str, str]] = _STRING.findall(content.lstrip())
    if any(rest for _, rest in found):
        raise NotPlainError
    # openpyxl drops this escape of an underscore, and of shared strings only
    return [_read_text(text).replace("x005F_", "") for text, _ in found]


def iter_rows(data: bytes, sheet: Any, limits: Limits) -> Iterator[tuple[int, list[object]]]:
    """Return of each row of a sheet that has cells its number, and the values of its cells, empty ones as None.

    Raises `NotPlainError`, perhaps after some rows.
    """
    if b"<f>" in data or b"<f " in data:
        raise NotPlainError
    part = _find_rows(_check_part(data, b"worksheet"))
    cells = _CellReader(sheet, limits)
    _check_rest(part, sheet)
    number, start = 0, part.start
    while start < part.end:
        end = part.data.find(b"</row>", min(start + BLOCK, part.end), part.end)
        end = part.end if end < 0 else end + len(b"</row>")
        *pieces, rest = part.data[start:end].decode().split("</row>")
        for piece in pieces:
            number, place = _find_row(piece, number)
            found = _CELL.findall(piece, place)
            if found:
                yield number, cells.read_row(found)
        if rest.strip():
            _skip_rows(rest)
        start = end


def remove_rows(data: bytes) -> bytes:
    """Return a part without the rows of its sheet, for who looks for something else. Raises `NotPlainError`."""
    part = _find_rows(_check_part(data, b"worksheet"))
    return part.data[: part.start] + part.data[part.end :]


def _check_part(data: bytes, root: bytes) -> _Part:
    """Return a part that is well-formed, of one namespace, and without anything but elements and text."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # as XML has it
    place = len(_BOM) if data.startswith(_BOM) else 0
    declaration = _DECLARATION.match(data, place)
    place = place if declaration is None else declaration.end()
    opened = _ROOT.match(data, place)
    if opened is None or opened[1] != root or f' xmlns="{SHEET_MAIN_NS}"'.encode() not in opened[2]:
        raise NotPlainError
    if b"<!" in data or data.find(b"<?", place) >= 0:
        raise NotPlainError
    try:
        expat.ParserCreate(namespace_separator="}").Parse(data, True)
    except expat.ExpatError as error:
        raise NotPlainError from error
    return _Part(data, opened.end(), len(data))


def _find_rows(part: _Part) -> _Part:
    start, end = part.data.find(b"<sheetData>"), part.data.rfind(b"</sheetData>")
    if start < 0 or part.data.count(b"<sheetData") > 1 or part.data.count(b"xmlns=", 0, start) > 1:
        raise NotPlainError
    return part._replace(start=start + len(b"<sheetData>"), end=end)


def _check_rest(part: _Part, sheet: Any) -> None:
    """Have openpyxl read what stands around the rows, which it refuses where it is not in order."""
    rest = io.BytesIO(part.data[: part.start] + part.data[part.end :])
    try:
        rows = list(WorkSheetParser(rest, sheet._shared_strings, data_only=True).parse())  # noqa: SLF001
    except FAULTS as error:
        raise NotPlainError from error
    if rows:
        raise NotPlainError


def _find_row(piece: str, number: int) -> tuple[int, int]:
    """Return the number of the row that a piece of text opens, after rows without cells, and where its cells start."""
    place = 0
    while (row := _ROW.match(piece, place)) is not None:
        before, number, place = number, int(row[1] or number + 1), row.end()
        if number <= before or " r=" in row[2] or " xmlns" in row[2]:
            raise NotPlainError
        if not row[3]:
            return number, place
    raise NotPlainError


def _skip_rows(rest: str) -> None:
    """Skip rows without cells at the end, of which the numbers do not matter."""
    place = 0
    while (row := _ROW.match(rest, place)) is not None and row[3] and " r=" not in row[2] and " xmlns" not in row[2]:
        place = row.end()
    if rest[place:].strip():
        raise NotPlainError


class _CellReader:
    """Reads the values of cells as openpyxl does; what is to be done is found once for all cells that look alike."""

    def __init__(self, sheet: Any, limits: Limits) -> None:
        book = sheet.parent
        self._limits = limits
        self._dates, self._spans, self._epoch = book._date_formats, book._timedelta_formats, book.epoch  # noqa: SLF001
        self._strings: list[str | None] = [text or None for text in sheet._shared_strings]  # noqa: SLF001
        if max(map(len, sheet._shared_strings), default=0) > limits.cell_chars:  # noqa: SLF001
            raise NotPlainError
        self._places: dict[tuple[str, ...], list[int]] = {}
        self._converters: dict[tuple[str, ...], list[tuple[_Convert, _Convert]]] = {}
        self._days: dict[tuple[int, bool], object] = {}

    def read_row(self, found: list[tuple[str, str, str, str, str]]) -> list[object]:
        columns, attributes, values, texts, rest = zip(*found, strict=True)
        if any(rest):
            raise NotPlainError
        places = self._places.get(columns) or self._find_places(columns)
        converters = self._converters.get(attributes) or self._find_converters(attributes)
        row: list[object] = [
            of_value(value) if value else of_text(text) if text else None
            for (of_value, of_text), value, text in zip(converters, values, texts, strict=True)
        ]
        if len(row) == places[-1]:
            return row
        spread: list[object] = [None] * places[-1]
        for place, value in zip(places, row, strict=True):
            spread[place - 1] = value
        return spread

    def _find_places(self, columns: tuple[str, ...]) -> list[int]:
        places: list[int] = []
        for column in columns:
            places.append(column_index_from_string(column) if column else (places or [0])[-1] + 1)
        if places[-1] > self._limits.columns or any(left >= right for left, right in pairwise(places)):
            raise NotPlainError
        self._places[columns] = places
        return places

    def _find_converters(self, attributes: tuple[str, ...]) -> list[tuple[_Convert, _Convert]]:
        found = [self._find_converter(dict(_ATTRIBUTE.findall(each))) for each in attributes]
        self._converters[attributes] = found
        return found

    def _find_converter(self, given: dict[str, str]) -> tuple[_Convert, _Convert]:
        """Return the converters of a value and of a text in a cell with these attributes."""
        style = given.get("s", "0")
        if "r" in given or "xmlns" in given or not style.isdecimal():
            raise NotPlainError
        match given.get("t", "n"):
            case "n" if int(style) in self._dates:
                is_span = int(style) in self._spans
                return lambda value: self._read_date(value, is_span), _refuse
            case "n":
                return _read_number, _refuse
            case "s":
                return self._read_string, _refuse
            case "b":
                return _read_truth, _refuse
            case "str":
                return self._read_text, _refuse
            case "inlineStr":
                return _refuse, self._read_text
        raise NotPlainError

    def _read_string(self, value: str) -> str | None:
        if not value.isdecimal():
            raise NotPlainError
        try:
            return self._strings[int(value)]
        except (IndexError, ValueError) as error:
            raise NotPlainError from error

    def _read_text(self, text: str) -> str:
        text = _read_text(text)
        if len(text) > self._limits.cell_chars:
            raise NotPlainError
        return text

    def _read_date(self, value: str, is_span: bool) -> object:
        number = _read_number(value)
        if type(number) is int and (number, is_span) in self._days:
            return self._days[number, is_span]
        try:
            found: object = from_excel(number, self._epoch, timedelta=is_span)
        except (OverflowError, ValueError) as error:
            raise NotPlainError from error
        if type(number) is int and type(found) is datetime:
            self._days[number, is_span] = found
        return found


def _read_number(value: str) -> int | float:
    try:
        if "." not in value and "e" not in value and "E" not in value:
            return int(value)
        number = float(value)
    except ValueError as error:
        raise NotPlainError from error
    if number - number != 0:  # an infinity
        raise NotPlainError
    return number


def _read_truth(value: str) -> bool:
    if value not in ("0", "1"):
        raise NotPlainError
    return value == "1"


def _refuse(_: str) -> NoReturn:
    raise NotPlainError


def _read_text(text: str) -> str:
    return _REFERENCE.sub(_read_reference, text) if "&" in text else text


def _read_reference(reference: re.Match[str]) -> str:
    code, number, name = reference.groups()
    if name:
        return _NAMED[name]
    return chr(int(code, 16) if code else int(number))
