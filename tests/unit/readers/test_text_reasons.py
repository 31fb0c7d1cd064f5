"""Why a column stayed text: the first value that does not fit, its line, how many there are, and what would read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service_nb.client.advice.reading import merge_options, write_magic
from service_nb.errors import SourceMalformedError
from service_nb.readers.dataset import Dataset, Declared
from service_nb.readers.delimited import read
from service_nb.schema.source import DEFAULT_LIMITS, TypeReason


def connected(path: Path, *cells: str, **options: Any) -> Dataset:
    """A file of one column of text, beside whole numbers."""
    path.write_text("x;n\n" + "".join(f'"{cell}";{n}\n' for n, cell in enumerate(cells)), encoding="utf-8")
    return read(path, Declared(**options).build_options(DEFAULT_LIMITS, defer=False))


def told(path: Path, *cells: str, **options: Any) -> TypeReason:
    (reason,) = connected(path, *cells, **options).reasons
    return reason


CASES: list[tuple[tuple[str, ...], str, str, int | None, dict[str, Any]]] = [
    (("7,50", "1.143,22"), "number_form", "'7,50' (line 2)", 2, {"decimal": ",", "thousands": "."}),
    (("7", "1.143,22"), "number_form", "'1.143,22' (line 3)", 1, {"decimal": ",", "thousands": "."}),
    (("7,50", "1\u00a0143,22"), "number_form", "decimal comma and blanks", 2, {"decimal": ",", "thousands": " "}),
    (("7,5", "8,25"), "number_form", "decimal comma", 2, {"decimal": ","}),
    (("1,143.22", "5.00"), "number_form", "commas between thousands", 1, {"thousands": ","}),
    (("1'143.22", "1\u2019000.00"), "number_form", "apostrophes", 2, {"thousands": "'"}),
    (("1,234", "5,678"), "number_form", "may be 1234 (thousands ,) or 1.234 (decimal ,)", None, {}),
    (("10%", "7.5 %"), "percent", "percents", 2, {"percent": True}),
    (("22.12.2024", "01.02.2025"), "date_form", "%d.%m.%Y", 2, {"date_format": "%d.%m.%Y"}),
    (("12/22/2024", "02/01/2025"), "date_form", "%m/%d/%Y", 2, {"date_format": "%m/%d/%Y"}),
    (("02/01/2024", "01/02/2025"), "date_form", "%d/%m/%Y or %m/%d/%Y", 2, {}),
    (("22.12.2024 10:30",), "date_form", "%d.%m.%Y %H:%M", 1, {"date_format": "%d.%m.%Y %H:%M"}),
    (("2014-7-1", "2014-10-01"), "date_form", "'2014-7-1' (line 2)", 2, {"date_format": "%Y-%m-%d"}),
    (("Jan 1, 2000", "Feb 12, 2001"), "date_form", "%b %d, %Y", 2, {"date_format": "%b %d, %Y"}),
    (("30.02.2024", "01.02.2024"), "calendar", "'30.02.2024' (line 2) is no day of the calendar", None, {}),
    (("22.12.2024", "x", "01.02.2025", "y"), "mixed", "'x' (line 3)", 2, {}),
    (("€ 12", "€ 7,50"), "currency", "currency sign €", 2, {"decimal": ",", "currency": "€"}),
    (("12,50 EUR", "7 EUR"), "currency", "currency sign EUR", 2, {"decimal": ",", "currency": "EUR"}),
    (("EUR 5 voucher", "EUR 6 rebate"), "currency", "currency sign EUR", None, {}),
    (("01067", "10115"), "leading_zeros", "leading zeros such as in '01067' (line 2)", 1, {}),
    (("1", "n/a", "3", "-"), "mixed", "'n/a' (line 3) and 1 more", 2, {"nulls": ["-", "n/a"]}),
    (("1,5", "n/a", "2,5"), "mixed", "'n/a' (line 3)", 1, {"decimal": ",", "nulls": ["n/a"]}),
    (("1", "2", "1.2345,5"), "mixed", "'1.2345,5' (line 4)", 1, {}),
    (("1", "2", "007"), "leading_zeros", "'007' (line 4)", 1, {}),
    (("1.5", "2.5", "1e999"), "mixed", "'1e999' (line 4) is no number", None, {}),
    (("true", "false", "1"), "mixed", "'1' (line 4) is no boolean", 1, {}),
    (("2024-01-01", "2024-02-30"), "mixed", "'2024-02-30' (line 3) is no date", None, {}),
    (("nan", "inf"), "digits", "no number but NaN and infinities", None, {}),
    (
        (" Berlin", "Berlin", "Bonn "),
        "blanks",
        "2 values have blanks around them, first ' Berlin'",
        2,
        {"trim": True},
    ),
    (("1 ", "2"), "blanks", "read as text, because 1 value has blanks", 1, {"trim": True}),
    ((" 1,5", "2,5"), "blanks", "decimal comma", 1, {"decimal": ",", "trim": True}),
    (("Berlin", "Bonn"), "text", "text, such as 'Berlin' (line 2)", None, {}),
    (("12.50", "7.00"), "fixed_places", "decimal(18,2), because every value has 2 places", None, {}),
    (("12.5", "7.25"), "few_places", "decimal(18,2)", None, {"types": {"x": "decimal(18,2)"}}),
]


@pytest.mark.parametrize(
    ("cells", "code", "words", "count", "options"), CASES, ids=[" ".join(case[0]) for case in CASES]
)
def test_the_reason_names_the_value_its_line_and_what_reads_it(
    tmp_path: Path, *, cells: tuple[str, ...], code: str, words: str, count: int | None, options: dict[str, Any]
) -> None:
    reason = told(tmp_path / "a.csv", *cells)
    assert (reason.code, reason.count, reason.options) == (code, count, options)
    assert words in reason.text


@pytest.mark.parametrize(("cells", "options"), [(case[0], case[4]) for case in CASES if case[4]])
def test_what_is_proposed_reads_the_column_as_it_says(
    tmp_path: Path, cells: tuple[str, ...], options: dict[str, Any]
) -> None:
    before, after = connected(tmp_path / "a.csv", *cells), connected(tmp_path / "a.csv", *cells, **options)
    assert after.table is not None
    assert after.fields != before.fields or after.table["x"].to_pylist() != list(cells)
    assert after.table["x"].null_count == sum(cell in options.get("nulls", ()) for cell in cells)


@example([".0"])
@example(["-.5", "1.25"])
@given(st.lists(st.text(st.sampled_from("0159.,'%€ \u202f-xNa/"), max_size=7), min_size=1, max_size=8))
def test_no_reason_proposes_to_lose_a_number(tmp_path_factory: Any, cells: list[str]) -> None:
    path = tmp_path_factory.mktemp("a") / "a.csv"
    reasons = connected(path, *cells).reasons
    for reason in reasons:
        assert not any(character.isnumeric() for text in reason.options.get("nulls", ()) for character in text)
        if reason.options:
            after = connected(path, *cells, **reason.options)
            assert after.table is not None
            assert after.table["x"].null_count == sum(
                not cell.strip() if reason.options.get("trim") else not cell or cell in reason.options.get("nulls", ())
                for cell in cells
            ) or reason.options.get("nulls")


@pytest.mark.parametrize(
    ("cell", "kind"),
    [(".55", "decimal(18,1)"), (".", "decimal(18,1)"), ("-.", "decimal(18,1)"), (".5", "decimal(18,0)")],
)
def test_a_declared_decimal_takes_no_more_than_it_holds(tmp_path: Path, cell: str, kind: str) -> None:
    with pytest.raises(SourceMalformedError):
        connected(tmp_path / "a.csv", cell, types={"x": kind})


def test_a_hostile_value_is_clipped_and_made_visible(tmp_path: Path) -> None:
    reason = told(tmp_path / "a.csv", "1", "\u202e" + "x" * 100_000)
    assert "\u202e" not in reason.text
    assert len(reason.text) < 300


def reasons_of(path: Path, text: str) -> list[TypeReason]:
    path.write_text(text, encoding="utf-8")
    return list(read(path, Declared().build_options(DEFAULT_LIMITS, defer=False)).reasons)


def test_options_that_would_spoil_another_column_are_not_proposed(tmp_path: Path) -> None:
    reasons = reasons_of(tmp_path / "a.csv", "x;y\n7,50;1.5\n8,25;2.25\n")
    assert [reason.options for reason in reasons] == [{}, {"types": {"y": "decimal(18,2)"}}]
    reasons = reasons_of(tmp_path / "a.csv", "x;y\n1,234.5;1.50\n8;2.25\n")
    assert [reason.options for reason in reasons] == [{"thousands": ","}, {}]


@pytest.mark.parametrize(("cells", "kind"), [(("1.000", "12.500"), "decimal(18,3)"), (("1.000", "7"), "float64")])
def test_a_point_beside_decimal_commas_may_stand_between_thousands(
    tmp_path: Path, cells: tuple[str, str], kind: str
) -> None:
    first, second = cells
    reasons = reasons_of(tmp_path / "a.csv", f"x;y\n7,50;{first}\n8,25;{second}\n")
    assert [reason.code for reason in reasons] == ["number_form", "number_form"]
    assert f"{kind}, but '1.000' (line 2) may be 1000" in reasons[1].text
    assert merge_options(reasons, {}) == {"decimal": ",", "thousands": "."}


def test_the_line_says_every_option_once_beside_those_that_were_given() -> None:
    reasons = [
        TypeReason(column="a", code="x", text="", options={"decimal": ",", "thousands": " "}),
        TypeReason(column="b", code="x", text="", options={"decimal": ",", "nulls": ["n/a"]}),
        TypeReason(column="c", code="x", text="", options={"trim": True, "types": {"c": "decimal(18,2)"}}),
    ]
    options = merge_options(reasons, {"delimiter": "\t", "nulls": ["-"]})
    assert write_magic("the sales", "my file.csv", options) == (
        '%service_connect "the sales" "my file.csv" --types c=decimal(18,2) --nulls -,n/a --delimiter tab --decimal ,'
        " --thousands space --trim --replace"
    )
    assert write_magic("a", "b\n.csv", options) is None
    assert merge_options([], {"delimiter": ";"}) == {}


@pytest.mark.parametrize(
    ("given", "missing", "cells"),
    [({"decimal": ","}, ".", ("7,50", "1.143,22")), ({"decimal": ","}, " ", ("7,50", "1 143,22"))],
)
def test_the_sign_between_thousands_is_proposed_where_only_the_decimal_one_was_given(
    tmp_path: Path, given: dict[str, Any], missing: str, cells: tuple[str, ...]
) -> None:
    reason = told(tmp_path / "a.csv", *cells, **given)
    assert reason.options == given | {"thousands": missing}
    assert connected(tmp_path / "a.csv", *cells, **reason.options).fields[0].physical == "decimal(18,2)"
