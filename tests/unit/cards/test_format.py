"""Single values: exact text in, readable text out."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.cards import format as fmt
from service_nb.core.words import clip, make_visible, measure_width


@pytest.mark.parametrize(
    ("exact", "shown"),
    [
        ("0", "0"),
        ("999", "999"),
        ("1000", "1,000"),
        ("-1234567", "-1,234,567"),
        ("9007199254740993", "9,007,199,254,740,993"),  # 2^53 + 1: a float would end in 2
        ("123456789012345678901234567890.12", "123,456,789,012,345,678,901,234,567,890.12"),
        ("1234.50", "1,234.50"),  # a decimal keeps its scale
        ("1e+21", "1e+21"),
        ("1234e-7", "1,234e-7"),
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
        ("१२३४", "१२३४"),  # digits of other scripts are text
        ("0x10", "0x10"),
        ("1_000", "1_000"),
        ("", ""),
    ],
)
def test_number_separates_thousands_of_exact_text(exact: str, shown: str) -> None:
    assert fmt.write_number(exact) == shown


@given(st.decimals(allow_nan=False, allow_infinity=False).map(lambda value: format(value, "f")))
def test_number_agrees_with_the_decimal_module_and_loses_no_digit(exact: str) -> None:
    assert fmt.write_number(exact) == format(Decimal(exact), ",f")  # CPython's own thousands separator
    assert fmt.write_number(exact).replace(",", "") == exact


def test_a_number_that_is_a_label_keeps_its_digits_together() -> None:
    assert fmt.write_cell("2013", type_="number", separated=False) == "2013"
    assert fmt.write_cell("2013", type_="number", separated=True) == "2,013"


def test_text_that_looks_like_a_number_is_not_separated() -> None:
    assert fmt.write_cell("00123456", type_="string", separated=True) == "00123456"


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (0, "under 0.01 ms"),
        (0.034, "0.03 ms"),
        (4.812, "4.8 ms"),
        (104.8, "105 ms"),
        (9_999, "9,999 ms"),
        (12_340, "12.3 s"),
    ],
)
def test_a_duration_never_reads_as_nothing(milliseconds: float, shown: str) -> None:
    assert fmt.write_duration(milliseconds) == shown


def test_an_instant_is_shown_with_a_space_and_a_date_as_it_is() -> None:
    assert (
        fmt.write_cell("2013-01-01T05:00:00.000001", type_="datetime", separated=False) == "2013-01-01 05:00:00.000001"
    )
    assert fmt.write_cell("2013-01-01", type_="date", separated=False) == "2013-01-01"


def test_null_differs_from_every_text_that_could_pass_for_it() -> None:
    shown = [fmt.write_cell(value, type_="string", separated=False) for value in (None, "—", "null", "", "None", "NaN")]
    assert len(set(shown)) == len(shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\nb", r"a\nb"), ("\x1b[31m", r"\x1b[31m"), ("\u202etxt", r"\u202etxt"), ("\U000e0041", r"\u{e0041}")],
)
def test_visible_writes_out_what_would_steer_the_reader(text: str, shown: str) -> None:
    assert make_visible(text) == shown


def test_visible_leaves_words_of_other_scripts_alone() -> None:
    bengali = "র\u200d্য"  # a joiner that the spelling needs
    assert make_visible(bengali) == bengali
    assert make_visible("naïve 漢字 👩\u200d🔬") == "naïve 漢字 👩\u200d🔬"
    assert make_visible("pay\u200dpal") == r"pay\u200dpal"


@given(st.text())
def test_visible_is_printable_and_stable(text: str) -> None:
    shown = make_visible(text)
    assert make_visible(shown) == shown
    assert shown.encode("utf-8").decode("utf-8") == shown


@pytest.mark.parametrize(("text", "cells"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("\uff21", 2)])
def test_width_counts_terminal_cells(text: str, cells: int) -> None:
    assert measure_width(text) == cells


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Zl", "Zp")), max_size=30), st.integers(1, 20)
)
def test_clip_never_exceeds_its_cells_and_shows_the_cut(text: str, cells: int) -> None:
    cut = clip(text, cells)
    assert measure_width(cut) <= cells
    assert cut == text or cut.endswith("…")
