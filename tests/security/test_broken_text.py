"""Broken and hostile delimited text: every file is refused with the line, and the column where there is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from service_nb.readers.dataset import ReadOptions
from service_nb.schema.source import Limits

MALFORMED, LIMIT, INTENT = "source_malformed", "limit_exceeded", "invalid_intent"
GOOD = b"name,amount\n" + b"".join(b"n%d,%d.5\n" % (i, i) for i in range(5_000))


def at(content: bytes, line: int, old: bytes, new: bytes) -> bytes:
    """The content with a replacement on one line."""
    lines = content.split(b"\n")
    lines[line - 1] = lines[line - 1].replace(old, new)
    return b"\n".join(lines)


FILES: dict[str, tuple[bytes, str, dict[str, Any]]] = {
    # nothing there
    "empty": (b"", MALFORMED, {"line": 1}),
    "one newline": (b"\n", MALFORMED, {"line": 1}),
    "only line ends": (b"\r\n\n\r\r\n" * 50, MALFORMED, {"line": 1}),
    "only blanks": (b"   \t  \n", MALFORMED, {"line": 1}),
    "only a BOM": (b"\xef\xbb\xbf", MALFORMED, {"line": 1}),
    "only delimiters": (b",,,\n", MALFORMED, {"position": 1}),
    # header
    "empty name": (b"a,,c\n1,2,3\n", MALFORMED, {"position": 2}),
    "empty last name": (b"a,b,\n1,2,3\n", MALFORMED, {"position": 3}),
    "blank name": (b"a,  ,c\n1,2,3\n", MALFORMED, {"position": 2}),
    "quoted empty name": (b'a,"",c\n1,2,3\n', MALFORMED, {"position": 2}),
    "duplicate name": (b"a,b,a\n1,2,3\n", MALFORMED, {"column": "a", "position": 3}),
    "duplicate quoted name": (b'a,"a"\n1,2\n', MALFORMED, {"column": "a", "position": 2}),
    "all names equal": (b",".join([b"x"] * 100) + b"\n", MALFORMED, {"position": 2}),
    "newline in a name": (b'"a\nb",c\n1,2\n', MALFORMED, {"position": 1}),
    "tab in a name": (b'a,"b\tc"\n1,2\n', MALFORMED, {"position": 2}),
    "escape in a name": (b"a,\x1b[31mred\n1,2\n", MALFORMED, {"position": 2}),
    "bell in a name": (b"a\x07,b\n1,2\n", MALFORMED, {"position": 1}),
    "delete in a name": (b"a,b\x7f\n1,2\n", MALFORMED, {"position": 2}),
    "C1 control in a name": ("a,b\x85c\n1,2\n".encode(), MALFORMED, {"position": 2}),
    "unclosed quote in the header": (b'a,"b\n1,2\n', MALFORMED, {"line": 1}),
    "text after a quoted name": (b'a,"b"c\n1,2\n', MALFORMED, {"line": 1}),
    "name too long": (b"a," + b"n" * 1_025 + b"\n1,2\n", LIMIT, {"position": 2, "value": 1_025, "limit": 1_024}),
    "10,000 columns": (b",".join(b"c%d" % i for i in range(10_000)) + b"\n", LIMIT, {"value": 10_000, "limit": 4_096}),
    "4,097 columns": (b",".join(b"c%d" % i for i in range(4_097)) + b"\n", LIMIT, {"value": 4_097}),
    "a header without end": (b"x" * (17 << 20), LIMIT, {"line": 1}),
    "a header of quoted lines without end": (b'"' + b"x\n" * (9 << 20) + b'"', LIMIT, {"line": 1}),
    # ragged rows
    "a cell more": (b"a,b\n1,2\n3,4,5\n", MALFORMED, {"line": 3, "met": 3, "expected": 2}),
    "a cell less": (b"a,b\n1,2\n3\n", MALFORMED, {"line": 3, "met": 1, "expected": 2}),
    "a cell less in the last line": (b"a,b,c\n1,2,3\n4,5", MALFORMED, {"line": 3, "met": 2}),
    "a trailing delimiter": (b"a,b\n1,2,\n", MALFORMED, {"line": 2, "met": 3}),
    "ragged after empty lines": (b"a,b\n\n\n1,2\n\n3\n", MALFORMED, {"line": 6, "met": 1}),
    "ragged after quoted newlines": (b'a,b\n"1\n\n1",2\n3\n', MALFORMED, {"line": 5, "met": 1}),
    "ragged after quoted delimiters": (b'a,b\n"1,1,1",2\n3,4,5\n', MALFORMED, {"line": 3, "met": 3}),
    "ragged with Windows line ends": (b"a,b\r\n1,2\r\n3\r\n", MALFORMED, {"line": 3}),
    "ragged with old Macintosh line ends": (b"a,b\r1,2\r3\r", MALFORMED, {"line": 3}),
    "ragged far down": (at(GOOD, 4_321, b",", b""), MALFORMED, {"line": 4_321, "met": 1}),
    "ragged in the last of many": (GOOD + b"x\n", MALFORMED, {"line": 5_002}),
    "blanks are a cell": (b"a,b\n1,2\n  \n", MALFORMED, {"line": 3, "met": 1}),
    "decimal commas": (b"name,amount\nx,1,5\n", MALFORMED, {"line": 2, "met": 3}),
    "a second table below": (b"a,b\n1,2\n\nx,y,z\n1,2,3\n", MALFORMED, {"line": 4}),
    "a title above": (b"Sales of May\nregion,amount\nnorth,1\n", MALFORMED, {"line": 2}),
    "HTML": (b"<!doctype html>\n<p>a, b</p>\n", MALFORMED, {"line": 2}),
    "a delimiter in the middle of the last cell": (b"a|b\n1|2|3", MALFORMED, {"line": 2}),
    # quotes
    "a quote inside a cell": (b'a,b\n5" pipe,1\n', MALFORMED, {"line": 2}),
    "two quotes inside a cell": (b'a,b\n5"x"y,1\n', MALFORMED, {"line": 2}),
    "text after a quoted cell": (b'a,b\n"x"y,1\n', MALFORMED, {"line": 2}),
    "a blank after a quoted cell": (b'a,b\n"x" ,1\n', MALFORMED, {"line": 2}),
    "a blank before a quoted cell": (b'a,b\n1, "x"\n', MALFORMED, {"line": 2}),
    "an unclosed quote": (b'a,b\n1,2\n3,"4\n5,6\n', MALFORMED, {"line": 3}),
    "an unclosed quote in the last cell": (b'a,b\n1,"2', MALFORMED, {"line": 2}),
    "an unclosed quote alone": (b'a\n"', MALFORMED, {"line": 2}),
    "three quotes": (b'a,b\n"""x,1\n', MALFORMED, {"line": 2}),
    "a backslash before a quote": (b'a,b\n"x\\"y",1\n', MALFORMED, {"line": 2}),
    "a misplaced quote far down": (at(GOOD, 3_000, b"n", b'n"n"'), MALFORMED, {"line": 3_000}),
    "an unclosed quote far down": (at(GOOD, 2_500, b"n2", b'"n2'), MALFORMED, {"line": 2_500}),
    "quotes in the wrong column": (b'a;b\n1;x"y"\n', MALFORMED, {"line": 2}),
    # encodings
    "UTF-16 with BOM, little": ("a,b\n1,2\n".encode("utf-16"), MALFORMED, {"met": "UTF-16"}),
    "UTF-16 with BOM, big": (b"\xfe\xff" + "a,b\n1,2\n".encode("utf-16-be"), MALFORMED, {"met": "UTF-16"}),
    "UTF-32 with BOM, big": (b"\x00\x00\xfe\xff" + "a\n".encode("utf-32-be"), MALFORMED, {"met": "UTF-32"}),
    "UTF-16 without BOM": ("a,b\n1,2\n".encode("utf-16-le"), MALFORMED, {"line": 1}),
    "Latin-1 in the header": ("a,prix en \xe9uros\n".encode("latin-1"), MALFORMED, {"met": "0xe9", "line": 1}),
    "Latin-1 in a cell": ("a,b\n1,caf\xe9\n".encode("latin-1"), MALFORMED, {"met": "0xe9", "line": 2}),
    "Latin-1 far down": (at(GOOD, 4_000, b"n", b"\xfc"), MALFORMED, {"met": "0xfc", "line": 4_000}),
    "Latin-1 after quotes": (b'a,b\n"x\ny",1\n\xe9,2\n', MALFORMED, {"line": 4}),
    "overlong UTF-8": (b"a,b\n1,\xc0\xaf\n", MALFORMED, {"line": 2, "met": "0xc0"}),
    "surrogate in UTF-8": (b"a,b\n1,\xed\xa0\x80\n", MALFORMED, {"line": 2, "met": "0xed"}),
    "beyond Unicode": (b"a,b\n1,\xf4\x90\x80\x80\n", MALFORMED, {"line": 2}),
    "a cut character at the end": (b"a,b\n1,\xe2\x82", MALFORMED, {"line": 2}),
    "Shift-JIS": ("名前,b\n".encode("shift-jis"), MALFORMED, {"line": 1}),
    "EBCDIC": ("a,b\n1,2\n".encode("cp037"), MALFORMED, {"line": 1}),
    # no text at all
    "a NUL in the header": (b"a\0,b\n1,2\n", MALFORMED, {"line": 1}),
    "a NUL in a cell": (b"a,b\n1,2\n3,\0\n", MALFORMED, {"line": 3}),
    "a NUL in quotes": (b'a,b\n"x\ny",1\n"\0",2\n', MALFORMED, {"line": 4}),
    "NULs only": (b"\0" * 1_000, MALFORMED, {"line": 1}),
    "a gzip file": (b"\x1f\x8b\x08\0\0\0\0\0\0\3" + b"\0" * 20, MALFORMED, {"line": 1}),
    "a zip file": (b"PK\3\4\x14\0\0\0\x08\0" + b"\xff" * 20, MALFORMED, {"line": 1}),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", MALFORMED, {}),
    "a PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", MALFORMED, {"line": 2}),
    "a SQLite file": (b"SQLite format 3\0" + b"\0" * 84, MALFORMED, {"line": 1}),
    "a Parquet file": (b"PAR1\x15\0\x15\0", MALFORMED, {"line": 1}),
    # sizes
    "a huge cell": (b"a,b\n1,2\n3," + b"x" * 1_000_001 + b"\n", LIMIT, {"line": 3, "column": "b", "value": 1_000_001}),
    "a huge quoted cell": (b'a,b\n1,"' + b"x\n" * 600_000 + b'"\n', LIMIT, {"line": 2, "column": "b"}),
    "a huge number": (b"a,b\n1," + b"9" * 1_500_000 + b"\n", LIMIT, {"line": 2, "column": "b"}),
    "a row without end": (b"a,b\n1," + b"x" * (11 << 20), LIMIT, {}),
}


@pytest.mark.parametrize("name", FILES)
def test_broken_file_is_refused_with_its_place(name: str, tmp_path: Path, refused: Any) -> None:
    content, code, details = FILES[name]
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    refused(path, code, **details)


# column texts -> declared type that the last of them does not fit
MISFITS = {
    "int64": [
        "x", "1.5", "1.0", "1e3", "007", "00", "-01", "+5", " 5", "5 ", "0x1F", "1_000", "1,000", "--1", "-", "NaN",
        "9223372036854775808", "-9223372036854775809", "٣", "\uff11", "true", "1\u00a0", "1e", "0b1", "1L",
    ],
    "float64": [
        "x", "1,5", "0x1p3", "1e400", "-1e999", "1e", "e5", ".", "-.", "1.2.3", "1_0.5", " 1.5", "+1.5", "1d5", "1f",
        "infinite", "nan(1)", "INF", "NAN", "\u22121", "00.5", "1e+", "$1", "1%",
    ],
    "decimal(5,2)": ["1000", "1.005", "1e1", "x", "99999.99", "NaN", "1,5", "-1000.00", "007", ".", "-.", ".555"],
    "decimal(38,0)": ["9" * 39, "1.5", "-" + "9" * 39, "1" + "0" * 38, "1e3"],
    "boolean": ["1", "0", "yes", "no", "t", "F", "True ", "", "wahr", "on", "y"],
    "date": [
        "2024-02-30", "2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "20240101", "01.02.2024", "2024/01/01",
        "0000-01-01", "10000-01-01", "2024-01-01T00:00:00", "24-01-01", "2024-01-01 ", "today", "1/2/2024",
    ],
    "datetime": [
        "2024-01-01T24:00:00", "2024-01-01T23:59:60", "2024-01-01T10", "2024-01-01T10:60", "2024-01-01T10:00:00,5",
        "2024-01-01T10:00:00.1234567", "10:00", "2024-01-01t10:00:00", "2024-02-30T10:00:00", "1704067200",
        "2024-01-01T10:00:00+25:00", "Mon Jan 1 2024", "0000-12-31T10:00:00", "2024-01-01  10:00:00",
    ],
}  # fmt: skip
FITTING = {
    "int64": "1",
    "float64": "1.5",
    "decimal(5,2)": "1.5",
    "decimal(38,0)": "1",
    "boolean": "true",
    "date": "2024-01-01",
    "datetime": "2024-01-01T10:00:00",
}
CELLS = [(kind, text) for kind, texts in MISFITS.items() for text in texts if text]


@pytest.mark.parametrize(("kind", "text"), CELLS)
def test_cell_that_does_not_fit_the_declared_type_is_refused(
    kind: str, text: str, tmp_path: Path, refused: Any
) -> None:
    path = tmp_path / "data.csv"
    path.write_text(f'a,b\n1,{FITTING[kind]}\n2,"{text}"\n3,{FITTING[kind]}\n', encoding="utf-8")
    refused(path, MALFORMED, ReadOptions(types={"b": kind}), line=3, column="b", expected=kind)


OPTIONS: dict[str, tuple[ReadOptions, str, dict[str, Any]]] = {
    "a delimiter of two characters": (ReadOptions(delimiter="||"), INTENT, {"path": "delimiter"}),
    "a quote as delimiter": (ReadOptions(delimiter='"'), INTENT, {"path": "delimiter"}),
    "a newline as delimiter": (ReadOptions(delimiter="\n"), INTENT, {"path": "delimiter"}),
    "a delimiter beyond ASCII": (ReadOptions(delimiter="·"), INTENT, {"path": "delimiter"}),
    "an unknown encoding": (ReadOptions(encoding="klingon"), INTENT, {"path": "encoding"}),
    "an encoding that is a codec of bytes": (ReadOptions(encoding="base64"), INTENT, {"path": "encoding"}),
    "an encoding with a NUL": (ReadOptions(encoding="a\0b"), MALFORMED, {}),
    "the wrong encoding": (ReadOptions(encoding="ascii"), MALFORMED, {"expected": "ascii"}),
    "a sheet": (ReadOptions(sheet="one"), INTENT, {"path": "sheet"}),
    "a deferred digest": (ReadOptions(defer_digest=True), INTENT, {"path": "defer_digest"}),
    "a type of no column": (ReadOptions(types={"amout": "string"}), INTENT, {"did_you_mean": ["amount"]}),
    "a type that does not exist": (ReadOptions(types={"amount": "float"}), INTENT, {"path": "types"}),
    "decimals of 39 digits": (ReadOptions(types={"amount": "decimal(39,2)"}), INTENT, {"path": "types"}),
    "more digits after the point than there are": (ReadOptions(types={"amount": "decimal(2,3)"}), INTENT, {}),
    "SQL for a type": (ReadOptions(types={"amount": "int); drop table x"}), INTENT, {"path": "types"}),
    "a file beyond the limit": (ReadOptions(limits=Limits(text_bytes=10)), LIMIT, {"limit_name": "text_bytes"}),
    "cells beyond the limit": (ReadOptions(limits=Limits(cells=3)), LIMIT, {"limit_name": "cells", "value": 4}),
    "columns beyond the limit": (ReadOptions(limits=Limits(columns=1)), LIMIT, {"limit_name": "columns"}),
    "a cell beyond the limit": (ReadOptions(limits=Limits(cell_chars=3)), LIMIT, {"line": 3, "column": "region"}),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_option_that_cannot_be_met_is_refused(name: str, tmp_path: Path, refused: Any) -> None:
    options, code, details = OPTIONS[name]
    path = tmp_path / "sales.csv"
    path.write_bytes("region,amount\nöst,1\nnorth,2\n".encode())
    refused(path, code, options, **details)


@pytest.mark.parametrize("cut", range(1, 60))
def test_truncated_file_is_refused_or_is_a_shorter_one(cut: int, tmp_path: Path, refused: Any) -> None:
    # Cut inside the quoted cell there is no right reading; cut between rows the file is simply shorter.
    content = b'name,note\n"a ""long"" one","x, y and\nz"\n"' + "ü".encode() * 20 + b'","end"\n'
    path = tmp_path / "data.csv"
    path.write_bytes(content[:-cut])
    complete = content[:-cut].count(b'"') % 2 == 0 and content[:-cut].endswith((b"\n", b'","end"', b'",', b'z"'))
    if not complete:
        refused(path, MALFORMED)
