"""What texts read as. The texts are spellings of Unicode's CLDR, of ISO 8601 and of public files; none is ours."""

from __future__ import annotations

import pyarrow as pa
import pytest

from service_nb.engines.text_orders import find_text_order
from service_nb.schema.text_order import OTHER_TEXT, TextOrder


def order_of(*texts: str) -> TextOrder:
    different = dict.fromkeys(texts)
    counts = pa.array([texts.count(text) for text in different], pa.int64())
    return find_text_order(pa.array(list(different), pa.string()), counts)


DATES = [
    *("2014-7-1", "2014-07-01", "2014/7/1", "2014.07.01", "01.02.2024", "1.2.24", "1/15/2024", "15-1-2024", "2014-07"),
    *("Jan 1, 2000", "January 1, 2000", "JAN 1 2000", "1 Jan 2000", "1-Jan-00", "3rd March 2020", "Mar-24", "May 2024"),
    *("1. März 2024", "3 janvier 2024", "Mon, 1 Jan 2024", "2024-07-01 10:30", "2024-07-01T10:30:00.5Z"),
    *("1/15/2024 9:28 PM", "2024-Q1", "Q1 2024", "2024-W07", "2024 Jan 5", "01. 02. 2024", "Sept. 3, 2020"),
]  # fmt: skip
TIMES = ["9:28 AM", "09:28", "23:59:59.5", "9 pm", "10:30+02:00"]
NUMBERS = [
    *("5", "-5", "+5", "\u22125", "12.5", ".5", "1e5", "1.000,50", "1,234", "1,234.50", "1 234,5", "1\u202f234,5"),
    *("1'234.50", "1\u2019234.50", "1,23,456", "12%", "7,5 %", "€ 12", "12 €", "$1,234.50", "-$5", "US$ 5", "CHF 12.5"),
    *("(5.00)", "12,50-", "00123", " 12 ", "12 kr", "₹1,23,456"),
    # Quantities, and what has parts of numbers: `9` comes behind `10` by letters there too.
    *("12 kg", "5 MB", "2h 30m", "<5", "1st", "5/4", "5-9", "(5, 10]", "1.2.3", "192.168.0.1", "32.01.2024"),
]  # fmt: skip
WORDS = [
    *("A12", "12A", "n/a", "-", "Rome", "3 Main St", "7-Eleven", "Apollo 2024", "Q1"),
    *("x", "10 Downing Street", "2014-13-01", "0x1F", "NaN", "true", "3:2", "12 - 15"),
    "+49 89 123",
]  # fmt: skip


@pytest.mark.parametrize("text", DATES)
def test_dates_read_as_dates(text: str) -> None:
    assert order_of(text).reads_as == "dates"


@pytest.mark.parametrize("text", TIMES)
def test_times_read_as_times(text: str) -> None:
    assert order_of(text).reads_as == "times"


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_read_as_numbers(text: str) -> None:
    assert order_of(text).reads_as == "numbers"


@pytest.mark.parametrize("text", WORDS)
def test_names_and_codes_are_other_texts(text: str) -> None:
    assert order_of(text) == OTHER_TEXT


@pytest.mark.parametrize(
    ("texts", "shape"),
    [
        (("00123", "10115"), "00000"),
        (("2014-07-01", "2014-10-01"), "0000-00-00"),
        (("2024-07-01 10:30", "2024-07-02 09:00"), "0000-00-00 00:00"),
        (("09:28", "23:59"), "00:00"),
        (("2024-Q1", "2023-Q4"), "0000-Q0"),
        (("123", "45"), None),
        (("007", "12"), None),
        (("2014-7-1", "2014-10-1"), None),
        (("01.02.2024", "31.12.2023"), None),
        (("2014-07-01", "n/a"), None),
        (("2014-07-01", ""), None),
        (("1.50", "2.50"), None),
        (("9:28 AM", "9:28 PM"), None),
        (("2014-07-01", "2014/07/02"), None),
    ],
)
def test_letters_are_in_order_where_all_texts_have_one_shape_from_the_largest_part_down(
    texts: tuple[str, ...], shape: str | None
) -> None:
    found = order_of(*texts)
    assert found.reads_as is not None
    assert found.shape == shape
    if shape is not None:  # Python's own order of texts and of what they say
        assert sorted(texts) == sorted(texts, key=lambda text: [int(part) for part in _digits(text)])


def _digits(text: str) -> list[str]:
    return "".join(letter if letter.isdecimal() else " " for letter in text).split()


def test_half_of_the_rows_or_of_the_different_texts_suffices() -> None:
    assert order_of("5", "12", "n/a", "-", "?", "5", "5", "5").reads_as == "numbers"  # 2 of 5 texts, 5 of 8 rows
    assert order_of("unknown", "unknown", "unknown", "5", "12").reads_as == "numbers"  # 2 of 3 texts, 2 of 5 rows
    assert order_of("Rome", "Oslo", "300") == OTHER_TEXT
    assert order_of() == order_of("", " ") == OTHER_TEXT


def test_other_texts_among_them_are_told() -> None:
    assert order_of("5", "12", "n/a").is_mixed
    assert not order_of("5", "12", "").is_mixed


def test_text_of_a_million_letters_takes_no_time() -> None:
    """Patterns go on in one direction: a text that nearly fits is refused in the time that it takes to read it."""
    long = ["1" * 1_000_000 + "x", " " * 1_000_000 + "x", "1,234" * 200_000, "1" + " " * 1_000_000 + "x"]
    assert order_of(*long, "word") == OTHER_TEXT
