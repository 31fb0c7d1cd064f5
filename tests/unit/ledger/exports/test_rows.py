"""CSV and Excel: every digit, every type, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from typing import Any

import openpyxl
import pandas
import pytest

from service_nb.errors import EvidenceError, InvalidIntentError, LimitExceededError
from service_nb.ledger.exports import csv_rows, xlsx_rows
from tests.unit.ledger.exports.conftest import Make


def read_csv(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def sheet_of(content: bytes, name: str = "rows") -> Any:
    return openpyxl.load_workbook(io.BytesIO(content))[name]


def numbers(values: list[Any], physical: str = "float64", type_: str = "number") -> Any:
    """A card whose one column holds these values."""
    column = {"name": "value", "type": type_, "physical": physical, "role": "metric"}
    return {
        "kind": "query",
        "version": 1,
        "canonical": {"plan": "{}", "result": json.dumps([{"value": value} for value in values])},
        "digests": {"plan_hash": "0" * 64, "result_hash": "1" * 64},
        "receipt": None,
        "view": {"status": "ok", "question": "q", "columns": [column], "rows": [], "row_count": len(values)},
    }


def test_the_rows_of_an_answer_come_back_from_csv(ask: Make, given: Make) -> None:
    content = csv_rows.export(given(ask("sum revenue by region")))

    assert read_csv(content) == [
        ["region", "revenue", "count"],
        ["North", "10.5", "1"],
        ["South", "-3.25", "1"],
        ["East", "", "1"],
    ]
    assert b'"North",10.5,1\r\n' in content
    frame = pandas.read_csv(io.BytesIO(content))
    assert frame["revenue"].tolist()[:2] == [10.5, -3.25]
    assert frame["revenue"].isna().tolist() == [False, False, True]


def test_negative_numbers_are_numbers_and_texts_that_look_like_formulas_are_texts(ask: Make, given: Make) -> None:
    content = csv_rows.export(given(ask("min revenue by note order asc")))

    assert [row[:2] for row in read_csv(content)[1:]] == [
        ["plain", "-3.25"],
        ["'=1+1", "10.5"],
        ["'quoted", ""],
    ]


def test_decimals_keep_every_digit_in_csv(ask: Make, given: Make) -> None:
    rows = read_csv(csv_rows.export(given(ask("max amount by region"))))

    assert {row[0]: row[1] for row in rows[1:]} == {
        "North": "12345678901234567890.10",
        "South": "0.10",
        "East": "-7.00",
    }


def test_a_number_that_a_double_would_round_is_text_in_a_workbook_and_all_others_are_numbers(
    ask: Make, given: Make
) -> None:
    sheet = sheet_of(xlsx_rows.export(given(ask("max amount by region"))))

    cells = {row[0].value: row[1] for row in sheet.iter_rows(min_row=2)}
    assert (cells["North"].data_type, cells["North"].value) == ("s", "12345678901234567890.10")
    assert (cells["South"].data_type, cells["South"].value) == ("n", 0.1)
    assert (cells["East"].data_type, cells["East"].value) == ("n", -7)


@pytest.mark.parametrize(
    "value",
    [0.1 + 0.2, 1 / 3, -2.2250738585072014e-308, 5e-324, 1.7976931348623157e308, 1e21, 123456789.12345679, -0.1],
)
def test_a_double_comes_back_bit_for_bit_from_both(value: float, given: Make) -> None:
    card = numbers([value])

    assert float(read_csv(csv_rows.export(given(card)))[1][0]).hex() == value.hex()
    assert float(sheet_of(xlsx_rows.export(given(card)))["A2"].value).hex() == value.hex()
    assert pandas.read_excel(io.BytesIO(xlsx_rows.export(given(card))))["value"][0] == value


@pytest.mark.parametrize(
    ("text", "physical"),
    [
        ("9007199254740993", "int64"),
        ("-123456789012345678901234567890", "int64"),
        ("0.1234567890123456789", "decimal(20,19)"),
    ],
)
def test_long_integers_and_decimals_never_pass_through_a_float(text: str, physical: str, given: Make) -> None:
    card = numbers([text], physical)

    assert csv_rows.export(given(card)) == f'"value"\r\n{text}\r\n'.encode()
    cell = sheet_of(xlsx_rows.export(given(card)))["A2"]
    assert (cell.data_type, Decimal(cell.value)) == ("s", Decimal(text))


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_finite_number_is_bare_in_csv_and_text_in_a_workbook(text: str, given: Make) -> None:
    card = numbers([text])

    assert csv_rows.export(given(card)) == f'"value"\r\n{text}\r\n'.encode()
    cell = sheet_of(xlsx_rows.export(given(card)))["A2"]
    assert (cell.data_type, cell.value) == ("s", text)


def test_the_same_text_in_a_column_of_texts_is_text(given: Make) -> None:
    card = numbers(["-5", "1e5", "NaN"], "string", "string")

    assert csv_rows.export(given(card)) == b'"value"\r\n"\'-5"\r\n"1e5"\r\n"NaN"\r\n'
    sheet = sheet_of(xlsx_rows.export(given(card)))
    assert [(row[0].data_type, row[0].value) for row in sheet.iter_rows(min_row=2)] == [
        ("s", "-5"),
        ("s", "1e5"),
        ("s", "NaN"),
    ]


def test_a_column_that_says_it_holds_numbers_still_cannot_carry_a_formula(given: Make) -> None:
    card = numbers(["-1+cmd|' /C calc'!A0", "=2", "+5"], "decimal(9,2)")

    assert [row[0][:1] for row in read_csv(csv_rows.export(given(card)))[1:]] == ["'", "'", "'"]


def test_truth_values_nulls_and_empty_texts(ask: Make, given: Make) -> None:
    card = numbers([True, False], "boolean", "boolean")
    texts = numbers(["", None], "string", "string")  # a line of nothing would be no row

    assert csv_rows.export(given(card)) == b'"value"\r\ntrue\r\nfalse\r\n'
    assert csv_rows.export(given(texts)) == b'"value"\r\n""\r\n""\r\n'
    assert b'"East",,1\r\n' in csv_rows.export(given(ask("sum revenue by region")))
    assert [row[0].value for row in sheet_of(xlsx_rows.export(given(card))).iter_rows(min_row=2)] == [True, False]


def test_quotes_separators_and_line_ends_are_quoted(given: Make) -> None:
    text = 'he said "no", then\r\nleft; \ttwice'
    card = numbers([text], "string", "string")

    assert read_csv(csv_rows.export(given(card)))[1] == [text]


def test_a_computed_value_is_a_row_with_its_unit(compute: Make, given: Make) -> None:
    card = compute("finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]")

    heads, row = read_csv(csv_rows.export(given(card)))
    assert heads == ["value", "unit", "about"]
    assert row == ["505.0201488969332", "money", "net present value"]


def test_a_computed_list_is_exported_whole_though_the_card_shows_its_first_values(compute: Make, given: Make) -> None:
    card = compute("simulation.draw draws=100 seed=7")

    rows = read_csv(csv_rows.export(given(card)))
    assert len(card["view"]["rows"]) < 100
    assert [row[0] for row in rows[1:]] == [str(index) for index in range(100)]
    assert [float(row[1]) for row in rows[1:]] == json.loads(card["canonical"]["value"])


def test_a_record_has_a_row_for_each_field(compute: Make, given: Make) -> None:
    rows = read_csv(csv_rows.export(given(compute("stats.extent values=[3, -1.5, 2]"))))

    assert rows[0] == ["name", "value", "unit"]
    assert sorted(rows[1:]) == [["high", "3", "m"], ["low", "-1.5", "m"]]


def test_a_card_that_holds_only_its_first_rows_is_not_exported_as_if_they_were_all(ask: Make, given: Make) -> None:
    card = ask("sum revenue by region")
    del card["canonical"]["result"]
    csv_rows.export(given(card))  # it still shows all of them

    card["view"]["rows"] = card["view"]["rows"][:1]
    with pytest.raises(EvidenceError) as caught:
        csv_rows.export(given(card))
    assert caught.value.reason == "text_not_kept"


def test_an_outcome_without_rows_is_refused(every_kind: dict[str, Any], given: Make) -> None:
    for kind in ("clarification", "rejection", "error", "replay"):
        with pytest.raises(InvalidIntentError):
            csv_rows.export(given(every_kind[kind]))


def test_hashed_rows_that_are_not_of_the_shown_columns_are_refused(ask: Make, given: Make) -> None:
    card = ask("sum revenue by region")
    for text in ("[1]", '[{"other":1}]', "{}x", "[" * 100, '{"a":1}'):
        with pytest.raises(EvidenceError) as caught:
            csv_rows.export(given(card | {"canonical": {"result": text}}))
        assert caught.value.reason == "malformed_card"


def test_a_workbook_says_what_it_holds_and_by_which_hashes(every_kind: dict[str, Any], given: Make) -> None:
    card = every_kind["query"]
    content = xlsx_rows.export(given(card))

    told = {row[0].value: row[1].value for row in sheet_of(content, "evidence").iter_rows()}
    assert told["id"] == card["view"]["query_id"]
    assert told["result_hash"] == card["digests"]["result_hash"]
    assert told["device key"] == card["receipt"]["envelope"]["signatures"][0]["keyid"]
    assert told["source sha256-file"] == card["view"]["source"]["content"]["sha256"]


def test_the_same_card_gives_the_same_workbook(every_kind: dict[str, Any], given: Make) -> None:
    assert xlsx_rows.export(given(every_kind["query"])) == xlsx_rows.export(given(every_kind["query"]))


def test_a_text_that_no_cell_of_a_workbook_can_hold_is_refused_and_goes_into_csv(given: Make) -> None:
    card = numbers(["x" * 32_768], "string", "string")

    with pytest.raises(LimitExceededError):
        xlsx_rows.export(given(card))
    assert len(csv_rows.export(given(card))) > 32_768


def test_a_text_that_reads_like_an_escape_of_excel_is_kept_from_being_one(given: Make) -> None:
    sheet = sheet_of(xlsx_rows.export(given(numbers(["a_x000D_b"], "string", "string"))))

    assert sheet["A2"].value == "a_x005F_x000D_b"  # which Excel shows as a_x000D_b; openpyxl leaves it as it stands
