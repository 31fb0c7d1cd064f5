"""What readers note of their decisions: the shared vectors, workbooks, and that fast ways note what slow ones do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from unicodedata import normalize

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import feather

from service_nb.readers.alike_texts import ODD, fold
from service_nb.readers.changed_texts import Changed, WrittenFloat, is_changed, iter_changed
from service_nb.readers.dataset import Declared
from service_nb.readers.detect import read
from service_nb.readers.totals import MOST_ROWS
from service_nb.schema.reading_notes import NOTE_KINDS, ReadingNote, write_note
from service_nb.schema.source import DEFAULT_LIMITS

VECTORS = Path(__file__).parents[2] / "vectors" / "reading_notes.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]
DOUBLES = st.floats(allow_nan=False, allow_infinity=False)


def notes_of(path: object, **options: Any) -> tuple[ReadingNote, ...]:
    return read(path, Declared(**options).build_options(DEFAULT_LIMITS, defer=False)).reading_notes


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_a_reader_notes_what_the_vectors_say(tmp_path: Path, case: dict[str, Any]) -> None:
    path = tmp_path / f"t.{case['format']}"
    path.write_text(case["text"], encoding="utf-8")
    found = notes_of(path, **case.get("options", {}))
    assert [note.to_dict() for note in found] == case["notes"]


def test_the_vectors_have_every_kind_but_those_of_workbooks_and_frames() -> None:
    of_others = {"merged", "tables", "digits", "decimals", "categories", "narrow", "by_place"}
    assert {note["kind"] for case in CASES for note in case["notes"]} == NOTE_KINDS.keys() - of_others


def test_frames_are_noted_as_files_are(tmp_path: Path) -> None:
    columns = {
        "region": ["A", "B", "C", "D", "Total"],
        "sold": [10, 20, 30, 40, 100],
        "degrees": pa.array([0.1, -999.0, 0.5, -999.0, 20.0], pa.float32()),
    }
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.arrow")
    for source in (table, pd.DataFrame(table.to_pydict()).astype({"degrees": "float32"}), tmp_path / "t.arrow"):
        kinds = [(note.kind, note.columns) for note in notes_of(source)]
        assert kinds == [("narrow", ("degrees",)), ("total", ("sold",)), ("sentinel", ("degrees",))]
    first, *_ = notes_of(table)
    assert first.facts == {"bits": "32", "first": "0.1", "read": "0.10000000149011612"}
    assert [note.to_dict() for note in notes_of(tmp_path / "t.parquet")] == [
        {"kind": "narrow", "columns": ["degrees"], "facts": {"bits": "32"}}
    ]
    two = pa.table({"x": pa.array([0.1, 0.5], pa.float32()), "y": pa.array([0.2, 0.5], pa.float16())})
    assert [(note.columns, note.facts["bits"], note.facts["first"]) for note in notes_of(two)] == [
        (("x",), "32", "0.1"),
        (("y",), "16", "0.2"),
    ]
    assert notes_of(pa.table({"x": pa.array([0.5, 3, None, float("nan")], pa.float32())})) == ()


def test_the_pattern_meets_every_text_that_a_fold_changes() -> None:
    chars = [chr(point) for point in (*range(0xD800), *range(0xE000, 0x20000), *range(0x2F800, 0x2FA20))]
    texts = {
        form for char in chars for form in (char, f"a{char}", f"{char}a", f"a\u0323{char}", normalize("NFD", char))
    }
    listed = pa.array(sorted(texts))
    changed = pc.not_equal(listed, fold(listed))
    met = pc.match_substring_regex(listed, ODD)
    assert pc.sum(changed).as_py() > 100_000
    assert listed.filter(pc.and_(changed, pc.invert(met))).to_pylist() == []


def write_workbook(path: Path, rows: Sequence[Sequence[object]], *merged: str) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    for each in merged:
        sheet.merge_cells(each)
    book.save(path)
    return path


@pytest.mark.parametrize("last", [[], [["x", "#N/A", 5]]], ids=["plain", "read by openpyxl"])
def test_merged_cells_of_a_workbook_are_noted_for_their_columns(tmp_path: Path, last: list[list[object]]) -> None:
    rows: list[list[object]] = [
        ["region", "city", "n"],
        ["north", "A", 1],
        [None, "B", 2],
        ["south", "C", 4],
        [None, "C", 9],
    ]
    path = write_workbook(tmp_path / "t.xlsx", [*rows, *last], "A2:A3", "A4:A5", "B4:B5")
    merged = [note for note in notes_of(path) if note.kind == "merged"]
    assert [note.to_dict() for note in merged] == [
        {"kind": "merged", "columns": ["region", "city"], "facts": {"count": "3", "range": "A2:A3"}}
    ]


def test_a_merged_title_above_the_header_is_no_merged_value(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "t.xlsx", [["n", "m"], [1, 2], [3, 5]], "D1:E1")
    assert not notes_of(path)


def test_a_workbook_has_totals_and_numbers_for_missing_too(tmp_path: Path) -> None:
    rows = [["k", "n", "t"], ["A", 10, 21.5], ["B", 20, -999], ["C", 5, -999], ["D", 5, 19.5], ["Summe", 40, None]]
    told = {note.kind: note for note in notes_of(write_workbook(tmp_path / "t.xlsx", rows))}
    assert told["total"].columns == ("n",)
    assert told["total"].facts == {"place": "row 5"}
    assert told["sentinel"].facts == {"count": "2", "first": "-999", "least": "19.5", "most": "21.5"}


@pytest.mark.parametrize(
    "below",
    [
        [["k", "m"], ["b", 2]],
        [["person", "hours", "day"], ["x", 3.5, 4]],
        [["k", "n", "note"], ["b", "c", "d"]],
    ],
    ids=["other names", "all of its columns", "the names again"],
)
@pytest.mark.parametrize("last", [[], [["x", "#N/A", 5]]], ids=["plain", "read by openpyxl"])
def test_names_below_empty_rows_of_a_sheet_may_begin_another_table(
    tmp_path: Path, below: list[list[object]], last: list[list[object]]
) -> None:
    rows: list[list[object]] = [["k", "n", "note"], ["a", 1, "c"], [], [], *below, *last]
    told = [note.to_dict() for note in notes_of(write_workbook(tmp_path / "t.xlsx", rows)) if note.kind == "tables"]
    names = ["k", "n", "note"][: len(below[0])]
    assert told == [{"kind": "tables", "columns": names, "facts": {"place": "row 5"}}]


@pytest.mark.parametrize(
    "below",
    [
        [["b", 2, "d"], ["c", 3, "e"]],
        [["South", None, None], ["b", 2, "d"]],
        [["b", "n/a", "d"], ["c", 3, "e"]],
        [["b", "one", "d"], ["c", "two", "e"]],
        [["Total", 1, None]],
    ],
    ids=["records", "a heading", "a missing value", "texts over texts", "a total"],
)
def test_other_rows_below_empty_ones_are_of_the_same_table(tmp_path: Path, below: list[list[object]]) -> None:
    path = write_workbook(tmp_path / "t.xlsx", [[], ["k", "n", "note"], ["a", 1, "c"], [], *below])
    assert not [note for note in notes_of(path) if note.kind == "tables"]


def test_a_large_table_is_looked_at_in_its_first_and_last_row(tmp_path: Path) -> None:
    rows = [f"r{at},1" for at in range(MOST_ROWS)]
    path = tmp_path / "t.csv"
    for lines, kinds in (
        ([f"Total of all,{MOST_ROWS}", *rows], ["totals"]),
        ([*rows, "Mean of all,1"], ["average"]),
        ([*rows[:50], "Total of 50,50", *rows[50:]], []),
        ([*rows[:50], "Total of 50,50", *rows[50:-1]], ["totals"]),
    ):
        path.write_text("\n".join(["k,n", *lines]))
        assert [note.kind for note in notes_of(path)] == kinds


def is_changed_by_fractions(text: str, value: float) -> bool:
    """The definition, with exact fractions and the printf of C."""
    exact = Fraction(text)
    digits = len(Decimal(text).as_tuple().digits)
    return exact not in (Fraction(repr(value)), Fraction(f"%.{digits - 1}e" % value))


@given(DOUBLES, st.integers(1, 40))
@example(9007199254740992.0, 16)
@example(5e-324, 17)
def test_what_a_program_writes_of_a_double_is_never_changed(value: float, digits: int) -> None:
    assert not is_changed(repr(value), value)
    text = f"%.{max(digits, 17) - 1}e" % value  # 17 digits and more read back as the same double
    assert not is_changed(text, float(text))


NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,25})?(e-?[0-9]{1,2}|e-3[0-9]{2})?", fullmatch=True)


@given(st.lists(NUMBERS, min_size=1, max_size=30))
@example(["9007199254740993", "0.5", "1e-400", "0", "0.1"])
def test_a_column_is_looked_at_as_each_of_its_texts_would_be(texts: list[str]) -> None:
    values = [float(text) for text in texts]
    column, doubles = pa.chunked_array([texts[:3], texts[3:]], pa.string()), pa.chunked_array([values], pa.float64())
    due = [
        Changed(row, text, value)
        for row, (text, value) in enumerate(zip(texts, values, strict=True), 1)
        if is_changed_by_fractions(text, value)
    ]
    assert list(iter_changed(column, doubles)) == due


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=12))
def test_json_that_is_flat_is_noted_as_json_that_is_not(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("json")
    quoted = json.dumps('"b": 9007199254740993, ')
    lines = [f'{{"a": {a}, "s": {quoted}, "b":{b}}}' for a, b in [*rows, ("0.5", "0.5")]]
    (folder / "flat.ndjson").write_text("\n".join(lines))
    (folder / "flat.json").write_text(f"[{','.join(lines)}]")
    (folder / "nested.json").write_text(f'[{",".join(lines)}, {{"c": [1]}}]')
    told = [
        [note.to_dict() for note in notes_of(folder / name) if note.kind == "rounded"]
        for name in ("flat.ndjson", "flat.json", "nested.json")
    ]
    by_column = [sorted(each, key=lambda note: note["columns"]) for each in told]
    assert by_column[0] == by_column[1] == by_column[2]


def test_a_double_of_a_document_keeps_its_text_only_if_it_is_changed() -> None:
    kept = WrittenFloat.parse("9007199254740993.0")
    assert isinstance(kept, WrittenFloat)
    assert (kept, kept.text) == (9007199254740992.0, "9007199254740993.0")
    assert type(WrittenFloat.parse("0.1")) is float


def test_a_sentence_names_columns_counts_and_the_first_example() -> None:
    note = ReadingNote("merged", ("a", "b", "c\u202e", "d"), {"count": "1204", "range": "A2:A5"})
    assert write_note(note.to_dict()) == (
        "a, b, c\\u202e and 1 more: cells are merged (1,204 times, first A2:A5):"
        " one cell of each has the value, the others are read as empty."
    )
    later = {"kind": "guessed", "columns": ["x"], "facts": {"why": "later"}}
    assert write_note(later) == "x: guessed."
