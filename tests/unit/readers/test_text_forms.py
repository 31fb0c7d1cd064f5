"""Numbers and dates as people write them: a text is read as Python's decimal and datetime read it, or not at all."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.errors import InvalidIntentError, SourceMalformedError
from service_nb.readers.dataset import Dataset, Declared, ReadOptions
from service_nb.readers.delimited import read
from service_nb.readers.inference import infer
from service_nb.readers.text_forms import BLANKS, TextForm, build_date_pattern
from service_nb.schema.source import DEFAULT_LIMITS

SIGNS = {"german": (",", "."), "swiss": (".", "'"), "french": (",", " "), "english": (".", ",")}
FORMATS = (
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%Y/%m/%d",
    "%d-%m-%y",
    "%d %b %Y",
    "%Y%m%d",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S.%f",
)
MOMENTS = st.datetimes(datetime.datetime.fromisoformat("1970-01-01"), datetime.datetime.fromisoformat("2068-12-31"))
OPEN = (
    *("", "%d", "%d.%m", "%Y-%m-%d %H", "%x", "%d.%d.%Y", "%", "%d.%m.%Y %M:%H %f"),
    *("%d.%m.%Y\n", "%d.%m.%Y" * 20, 5, "%d.%m.%Y %z", "%e.%m.%Y"),
)
FORMS = st.sampled_from(list(SIGNS.values()))


def write(value: Decimal, decimal: str, thousands: str | None) -> str:
    """A number as a person of that country writes it, by Python's own grouping."""
    text = f"{value:,}" if thousands is not None else f"{value}"
    return text.replace(",", "\0").replace(".", decimal).replace("\0", thousands or "")


def column(texts: list[str | None]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(texts, pa.string())])


def built(**options: Any) -> ReadOptions:
    return Declared(**options).build_options(DEFAULT_LIMITS, defer=False)


def connected(path: Path, text: str, **options: Any) -> Dataset:
    path.write_text(text, encoding="utf-8")
    return read(path, built(**options))


amounts = st.decimals(-(10**9), 10**9, places=2, allow_nan=False, allow_infinity=False)


@given(FORMS, st.lists(amounts, min_size=1, max_size=20), st.booleans())
def test_amounts_of_any_country_are_exact_decimals(form: tuple[str, str], values: list[Decimal], grouped: bool) -> None:
    decimal, thousands = form
    texts = [write(value, decimal, thousands if grouped else None) for value in values]
    found = infer("c", column(texts), form=TextForm(decimal=decimal, thousands=thousands))
    assert found.physical == "decimal(18,2)"
    assert found.column.to_pylist() == values


@given(FORMS, st.lists(st.integers(-(10**15), 10**15), min_size=1, max_size=20))
def test_whole_numbers_with_groups_are_whole_numbers(form: tuple[str, str], values: list[int]) -> None:
    texts = [write(Decimal(value), *form) for value in values]
    found = infer("c", column(texts), form=TextForm(decimal=form[0], thousands=form[1]))
    assert (found.physical, found.column.to_pylist()) == ("int64", values)


@given(FORMS, st.text("0123456789.,' -", max_size=12))
def test_a_text_is_a_number_only_if_its_groups_have_three_digits(form: tuple[str, str], text: str) -> None:
    decimal, thousands = form
    whole = rf"([1-9]\d{{0,2}}({re.escape(thousands)}\d{{3}})+|0|[1-9]\d*)"
    is_number = re.fullmatch(rf"-?({whole}({re.escape(decimal)}\d*)?|{re.escape(decimal)}\d+)", text) is not None
    found = infer("c", column([text, "1", "2"]), form=TextForm(decimal=decimal, thousands=thousands))
    assert (found.physical != "string") == is_number
    if is_number:
        plain = text.replace(thousands, "").replace(decimal, ".")
        assert float(found.column[0].as_py()) == float(plain)


@pytest.mark.parametrize("sign", [" ", "\u00a0", "\u202f", "\u2009"])
def test_a_blank_between_thousands_is_a_blank_of_any_width(sign: str) -> None:
    found = infer("c", column([f"1{sign}143,22"]), form=TextForm(decimal=",", thousands=" "))
    assert found.column.to_pylist() == [Decimal("1143.22")]


@given(
    st.sampled_from(FORMATS),
    st.lists(MOMENTS, min_size=1),
)
def test_dates_of_any_format_are_those_of_strptime(form: str, moments: list[datetime.datetime]) -> None:
    texts = [moment.strftime(form) for moment in moments]
    found = infer("c", column(texts), form=TextForm(date_format=form))
    wanted = [datetime.datetime.strptime(text, form) for text in texts]  # noqa: DTZ007  # no zone is meant
    if "%H" in form:
        assert (found.physical, found.column.to_pylist()) == ("datetime", wanted)
    else:
        assert (found.physical, found.column.to_pylist()) == ("date", [moment.date() for moment in wanted])


@given(st.text("0123456789./- ", min_size=1, max_size=12))
def test_no_date_is_read_that_strptime_refuses(text: str) -> None:
    found = infer("c", column([text]), form=TextForm(date_format="%d.%m.%Y"))
    try:
        wanted = datetime.datetime.strptime(text, "%d.%m.%Y").date()  # noqa: DTZ007
    except ValueError:
        assert found.physical != "date" or re.fullmatch(r"\d{4}-\d\d-\d\d", text)
    else:
        assert found.column.to_pylist() == [wanted] or not re.fullmatch(r"\d{1,2}\.\d{1,2}\.\d{4}", text)


@given(
    st.lists(st.decimals(-1_000, 1_000, places=3, allow_nan=False), min_size=1), st.sampled_from(["%", " %", "\u202f%"])
)
def test_percents_are_exact_hundredths(values: list[Decimal], sign: str) -> None:
    texts = [f"{value.normalize():f}{sign}".replace(".", ",") for value in values]
    found = infer("c", column(texts), form=TextForm(decimal=",", percent=True))
    assert found.physical.startswith("decimal(18,")
    assert found.column.to_pylist() == [value / 100 for value in values]


def test_ten_percent_is_read_as_a_tenth(tmp_path: Path) -> None:
    found = connected(tmp_path / "a.csv", "rate,mixed\n10%,10%\n7%,7\n", percent=True)
    assert [field.physical for field in found.fields] == ["decimal(18,2)", "string"]
    assert found.table is not None
    assert found.table["rate"].to_pylist() == [Decimal("0.10"), Decimal("0.07")]


def test_the_ordinary_european_file_reads_with_one_line(tmp_path: Path) -> None:
    text = "tag;betrag;menge\n22.12.2024;1.143,22;1.000\n01.02.2025;-0,50;7\n;;\n"
    found = connected(tmp_path / "a.csv", text, decimal=",", thousands=".", date_format="%d.%m.%Y")
    assert [field.physical for field in found.fields] == ["date", "decimal(18,2)", "int64"]
    assert found.table is not None
    assert found.table["betrag"].to_pylist() == [Decimal("1143.22"), Decimal("-0.50"), None]
    assert found.table["menge"].to_pylist() == [1_000, 7, None]
    assert found.table["tag"].to_pylist() == [datetime.date(2024, 12, 22), datetime.date(2025, 2, 1), None]


@pytest.mark.parametrize(
    "kind", ["date", "datetime", "int64", "float64", "decimal(12,2)", "boolean", "string", "number"]
)
def test_a_file_without_rows_has_the_declared_types(tmp_path: Path, kind: str) -> None:
    found = connected(
        tmp_path / "none.csv", "x\n", types={"x": kind}, date_format="%Y%m%d", trim=True, decimal=",", percent=True
    )
    assert found.row_count == 0


def test_a_declared_type_is_read_in_the_declared_form(tmp_path: Path) -> None:
    text = "tag;betrag;plz\n22.12.2024;1.143,5;01067\n"
    types = {"betrag": "decimal(12,2)", "plz": "string", "tag": "datetime"}
    found = connected(tmp_path / "a.csv", text, decimal=",", thousands=".", date_format="%d.%m.%Y", types=types)
    assert [field.physical for field in found.fields] == ["datetime", "decimal(12,2)", "string"]
    with pytest.raises(SourceMalformedError) as error:
        connected(tmp_path / "a.csv", "a;b\n1;1\n2;1.5\n", decimal=",", types={"b": "number"})
    assert error.value.details["line"] == 3
    assert "with decimal ','" in error.value.message


def test_a_number_with_a_point_is_none_where_a_comma_was_declared(tmp_path: Path) -> None:
    found = connected(tmp_path / "a.csv", "a;b\n1,5;1.5\n2;2\n", decimal=",")
    assert [field.physical for field in found.fields] == ["float64", "string"]
    assert "'1.5' (line 2)" in found.notes[-1]


def test_trim_removes_blanks_of_every_kind_and_empty_values_are_null(tmp_path: Path) -> None:
    text = "city,n\n Berlin,1 \nBerlin\u00a0, 2\n \u2003 ,NA \n"
    found = connected(tmp_path / "a.csv", text, trim=True, nulls=["NA"])
    assert found.table is not None
    assert found.table["city"].cast(pa.string()).to_pylist() == ["Berlin", "Berlin", None]
    assert found.table["n"].to_pylist() == [1, 2, None]
    assert all(blank.isspace() for blank in BLANKS)


@pytest.mark.parametrize(
    "options",
    [
        {"decimal": ";"},
        {"decimal": 5},
        {"thousands": "x"},
        {"thousands": "."},
        {"thousands": ",", "decimal": ","},
        {"thousands": ["."]},
        {"percent": "yes"},
        {"trim": 1},
        *(
            {"date_format": text}
            for text in ("", "%d", "%d.%m", "%Y-%m-%d %H", "%x", "%d.%d.%Y", "%", "%d.%m.%Y %M:%H %f")
        ),
        *({"date_format": text} for text in ("%d.%m.%Y\n", "%d.%m.%Y" * 20, 5, "%d.%m.%Y %z", "%e.%m.%Y")),
    ],
)
def test_an_option_that_leaves_something_open_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidIntentError) as error:
        built(**options)
    assert error.value.details["path"] in options


@given(st.text("%dmYyHMSfb.:-/ (|)[]\\?*+^$x", max_size=14))
def test_a_format_is_refused_or_a_pattern_that_compiles(text: str) -> None:
    try:
        pattern = build_date_pattern(text)
    except InvalidIntentError:
        return
    assert re.compile(pattern).groups in range(3, 8)
    assert infer("c", column(["22.12.2024", "x"]), form=TextForm(date_format=text)).physical == "string"


@given(
    st.lists(st.none() | st.text(st.sampled_from("019.,'%-+eE €n/a \u00a0\u202f\u0664x"), max_size=8), max_size=12),
    st.sampled_from([",", "."]),
    st.sampled_from([None, "'", " ", "_"]),
    st.booleans(),
    st.booleans(),
)
def test_hostile_texts_stay_text_or_are_numbers(
    texts: Any, decimal: str, thousands: str, percent: bool, trim: bool
) -> None:
    form = TextForm(decimal=decimal, thousands=thousands, percent=percent, trim=trim, date_format="%d.%m.%Y")
    present = [text or None for text in texts]
    found = infer("c", column(present), form=form)
    assert len(found.column) == len(texts)
    if found.physical != "string":
        assert all(text is None or re.search(r"[0-9]|n", text, re.ASCII) or not text.strip() for text in present)
    elif not trim:
        assert found.column.to_pylist() == present
