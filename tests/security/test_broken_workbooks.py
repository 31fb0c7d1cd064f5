"""Broken and hostile workbooks: entities, bombs, lying headers. Read by a process that has 512 MB to spend."""

from __future__ import annotations

import datetime
import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.simulators.little_memory import read_with_little_memory

MALFORMED, LIMIT, INTENT = "source_malformed", "limit_exceeded", "invalid_intent"
SHEET = "xl/worksheets/sheet1.xml"
NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
ENTITIES = (
    '<!DOCTYPE x [<!ENTITY a "'
    + "a" * 100
    + '">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 100}">' for a, b in zip("abcdef", "bcdefg", strict=True))
    + "]>"
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'


def workbook(*rows: list[Any]) -> bytes:
    """A sound workbook of one sheet."""
    book = openpyxl.Workbook()
    for row in rows or (["a", "b"], [1, "x"], [2, "y"]):
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def two_sheets() -> bytes:
    book = openpyxl.Workbook()
    book.create_sheet("more")
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def repacked(change: Callable[[str, bytes], bytes | None], more: dict[str, bytes] | None = None) -> bytes:
    """A sound workbook with members changed, dropped or added."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook())) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = change(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
        for name, content in (more or {}).items():
            new.writestr(name, content)
    return stream.getvalue()


def with_sheet(xml: str | bytes) -> bytes:
    content = xml.encode() if isinstance(xml, str) else xml
    return repacked(lambda name, old: content if name == SHEET else old)


def with_rows(rows: str, before: str = "") -> bytes:
    return with_sheet(f'{before}<worksheet xmlns="{NAMESPACE}"><sheetData>{rows}</sheetData></worksheet>')


def without(member: str) -> bytes:
    return repacked(lambda name, old: None if name == member else old)


def with_part(member: str, content: bytes) -> bytes:
    return repacked(lambda _name, old: old, {member: content})


def with_prologue(member: str, prologue: str) -> bytes:
    """The member with a document type before its first element."""
    return repacked(lambda name, old: prologue.encode() + old[old.index(b"<", 1) :] if name == member else old)


def lying_size(claim: int) -> bytes:
    """A workbook whose directory states another size for the sheet than what it inflates to."""
    data = bytearray(workbook())
    entry = data.index(b"PK\1\2")
    while data[entry + 46 : entry + 46 + len(SHEET)] != SHEET.encode():
        entry = data.index(b"PK\1\2", entry + 4)
    data[entry + 24 : entry + 28] = struct.pack("<I", claim)
    return bytes(data)


def encrypted_flag() -> bytes:
    data = bytearray(workbook())
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(mark) + place] |= 1
    return bytes(data)


def two_of_a_name() -> bytes:
    stream = io.BytesIO(workbook())
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(stream, "a") as container:
        container.writestr(SHEET, b"<worksheet/>")
    return stream.getvalue()


def number(value: str, place: str = "A2") -> str:
    return (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>'
        f'<row r="2"><c r="{place}"><v>{value}</v></c></row>'
    )


def text_header(*names: str) -> str:
    return "<row>" + "".join(f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in names) + "</row>"


GOOD = workbook()


def zeros() -> bytes:
    return b"<worksheet>" + b"0" * 300_000_000


def many_strings() -> bytes:
    return b"<sst>" + b"<si><t>x</t></si>" * 15_000_000


FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", MALFORMED),
    "text": (lambda: b"a,b\n1,2\n", MALFORMED),
    "an old or encrypted workbook": (lambda: bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 600, MALFORMED),
    "half a workbook": (lambda: GOOD[: len(GOOD) // 2], MALFORMED),
    "a workbook without its directory": (lambda: GOOD[:-30], MALFORMED),
    "a workbook without its start": (lambda: GOOD[300:], MALFORMED),
    "a flipped bit in a member": (lambda: GOOD[:60] + bytes([GOOD[60] ^ 4]) + GOOD[61:], MALFORMED),
    "an empty zip": (lambda: b"PK\5\6" + b"\0" * 18, MALFORMED),
    "a zip of something else": (lambda: repacked(lambda _name, _old: None, {"a.txt": b"x"}), MALFORMED),
    "an encrypted member": (encrypted_flag, MALFORMED),
    "two sheets of one name": (two_of_a_name, MALFORMED),
    "a size too small": (lambda: lying_size(10), MALFORMED),
    "a size too large": (lambda: lying_size(10_000_000), MALFORMED),
    "no content types": (lambda: without("[Content_Types].xml"), MALFORMED),
    "no workbook part": (lambda: without("xl/workbook.xml"), MALFORMED),
    "no sheet part": (lambda: without(SHEET), MALFORMED),
    "no relations": (lambda: without("xl/_rels/workbook.xml.rels"), MALFORMED),
    # XML
    "entities in the sheet": (lambda: with_prologue(SHEET, ENTITIES), MALFORMED),
    "entities in the workbook": (lambda: with_prologue("xl/workbook.xml", ENTITIES), MALFORMED),
    "entities in the styles": (lambda: with_prologue("xl/styles.xml", ENTITIES), MALFORMED),
    "entities in the content types": (lambda: with_prologue("[Content_Types].xml", ENTITIES), MALFORMED),
    "entities in the relations": (lambda: with_prologue("xl/_rels/workbook.xml.rels", ENTITIES), MALFORMED),
    "entities in the strings": (lambda: with_part("xl/sharedStrings.xml", f"{ENTITIES}<sst/>".encode()), MALFORMED),
    "entities in the properties": (lambda: with_prologue("docProps/core.xml", ENTITIES), MALFORMED),
    "a file from outside": (lambda: with_rows(number("&e;"), OUTSIDE), MALFORMED),
    "an address from outside": (lambda: with_rows("", '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">'), MALFORMED),
    "a document type alone": (lambda: with_rows("", "<!DOCTYPE worksheet>"), MALFORMED),
    "a document type after a comment": (lambda: with_rows("", f"<!--{'x' * 99_999}--><!DOCTYPE x>"), MALFORMED),
    "a document type in UTF-16": (lambda: with_sheet((OUTSIDE + "<worksheet/>").encode("utf-16")), MALFORMED),
    "entities in a part of no use": (lambda: with_part("custom/x.xml", f"{ENTITIES}<x>&g;</x>".encode()), MALFORMED),
    "no XML": (lambda: with_sheet("region,amount"), MALFORMED),
    "an empty sheet part": (lambda: with_sheet(""), MALFORMED),
    "XML cut short": (lambda: with_sheet("<worksheet><sheetData><row>"), MALFORMED),
    "an unknown encoding": (lambda: with_sheet('<?xml version="1.0" encoding="klingon"?><worksheet/>'), MALFORMED),
    # bombs
    "300 MB of zeros": (lambda: with_sheet(zeros()), LIMIT),
    "255 MB of strings": (lambda: with_part("xl/sharedStrings.xml", many_strings()), LIMIT),
    "a bomb in a part of no use": (lambda: with_part("docProps/x.bin", zeros()), LIMIT),
    "11,000 parts": (lambda: repacked(lambda _n, old: old, {f"x/{i}": b"" for i in range(11_000)}), LIMIT),
    "a cell in the last column": (lambda: with_rows(number("1", "XFD2")), LIMIT),
    "a huge text": (lambda: with_rows(text_header("a") + text_header("x" * 1_000_001)), LIMIT),
    "5,000 columns": (lambda: with_rows(text_header(*(f"c{i}" for i in range(5_000)))), LIMIT),
    "a name too long": (lambda: with_rows(text_header("n" * 1_100)), LIMIT),
    # sheets that are no tables
    "an empty sheet": (lambda: with_rows(""), MALFORMED),
    "an empty header cell": (lambda: workbook(["a", None, "c"], [1, 2, 3]), MALFORMED),
    "a duplicate header cell": (lambda: workbook(["a", "b", "a"], [1, 2, 3]), MALFORMED),
    "a newline in a header cell": (lambda: workbook(["a\nb"], [1]), MALFORMED),
    "a date in the header": (lambda: workbook(["a", datetime.date(2024, 1, 1)], [1, 2]), MALFORMED),
    "a row wider than the header": (lambda: workbook(["a"], [1, 2]), MALFORMED),
    "a formula without a value": (lambda: workbook(["a"], ["=1+1"]), MALFORMED),
    "NaN": (lambda: with_rows(number("NaN")), MALFORMED),
    "1e999": (lambda: with_rows(number("1e999")), MALFORMED),
    "a number that is none": (lambda: with_rows(number("1.2.3")), MALFORMED),
    "a string that is not there": (
        lambda: with_rows('<row r="1"><c r="A1" t="s"><v>99999</v></c></row>'),
        MALFORMED,
    ),
    "a place that is none": (lambda: with_rows(number("1", "ZZZZZ2")), MALFORMED),
    "a row number that is none": (lambda: with_rows('<row r="x"><c r="A1"><v>1</v></c></row>'), MALFORMED),
    "a sheet that is not named": (two_sheets, INTENT),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process with 512 MB says of each workbook."""
    folder = tmp_path_factory.mktemp("workbooks")
    paths = {name: folder / f"{number}.xlsx" for number, name in enumerate(FILES)}
    for name, path in paths.items():
        path.write_bytes(FILES[name][0]())
    found = read_with_little_memory(paths.values())
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in paths.values())
    return {name: found[path] | {"folder": str(folder)} for name, path in paths.items()}


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="measures its memory as Linux tells it")
@pytest.mark.parametrize("name", FILES)
def test_broken_workbook_is_refused_within_512_megabytes(
    name: str, outcomes: dict[str, Any], record_property: Callable[[str, object], None]
) -> None:
    found = outcomes[name]
    assert found["code"] == FILES[name][1], found
    assert found["folder"] not in found["message"]
    record_property("bad_inputs", 1)


def test_sound_workbook_of_these_tests_is_accepted(tmp_path: Path) -> None:
    from service_nb.readers.dataset import ReadOptions
    from service_nb.readers.detect import read

    for number_, content in enumerate((GOOD, repacked(lambda _name, old: old), with_rows(number("1.5")))):
        path = tmp_path / f"{number_}.xlsx"
        path.write_bytes(content)
        assert read(path, ReadOptions()).row_count >= 1


def test_fault_in_a_cell_names_the_cell(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(workbook(["a", "b"], [1, 2], [3, "=A2+1"]))
    refused(path, MALFORMED, cell="B3", row=3)
    path.write_bytes(workbook(["a", "b"], [1, 2], [3, 4, 5]))
    refused(path, MALFORMED, cell="C3", met=3, expected=2)


@pytest.mark.parametrize("cut", range(1, len(GOOD), 97))
def test_truncated_workbook_is_refused(cut: int, tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(GOOD[:-cut])
    refused(path, MALFORMED)
