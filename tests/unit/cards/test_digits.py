"""Numbers are rounded for reading as `decimal` rounds them, and as the browser does."""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_EVEN, Context, Decimal

import pytest

from service_nb.cards.digits import EXACT, choose_digits, choose_key_digits, round_number
from tests.vectors.make_digits import FILE, list_cases

CASES = json.loads(FILE.read_text(encoding="utf-8"))["cases"]
PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)


def test_the_vectors_are_those_that_the_generator_writes() -> None:
    assert json.loads(json.dumps(list(list_cases()))) == CASES


def test_what_is_shown_is_the_exact_number_rounded_half_to_even() -> None:
    context = Context(prec=2_000, rounding=ROUND_HALF_EVEN)
    rounded = 0
    for case in CASES:
        for exact, shown in zip(case["column"], case["shown"], strict=True):
            if exact is None or exact == shown or PLAIN.fullmatch(exact) is None:
                continue
            step = Decimal(1).scaleb(-len(shown.partition(".")[2]))
            assert Decimal(shown) == Decimal(exact).quantize(step, context=context)
            rounded += 1
    assert rounded > 300


def test_no_number_but_zero_is_shown_as_zero() -> None:
    for case in CASES:
        for exact, shown in zip(case["column"], case["shown"], strict=True):
            if exact is not None and PLAIN.fullmatch(exact):
                assert (Decimal(shown) == 0) == (Decimal(exact) == 0)


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        (["21.920704845814978", "-6.915204678362573"], ["21.9207", "-6.9152"]),
        (["10844.460000000001"], ["10844.46"]),
        (["10844.46", "0.50"], ["10844.46", "0.50"]),
        (["1.123456", "22.654321"], ["1.123456", "22.654321"]),
        (["2257174"], ["2257174"]),
        (["0.00012345678", "123456.789"], ["0.000123457", "123456.79"]),
        (["1.2345678901234567e+300"], ["1.23457e+300"]),
        (["NaN", "not a number 1.23456789012"], ["NaN", "not a number 1.23456789012"]),
    ],
)
def test_a_column_has_six_significant_digits_and_at_least_two_places(column: list[str], shown: list[str]) -> None:
    rule = choose_digits(column)
    assert [round_number(text, rule) for text in column] == shown


def test_digits_that_are_asked_for_are_those_of_the_largest_number() -> None:
    rule = choose_digits(["1234.5678", "1.5"], 5)
    assert [round_number(text, rule) for text in ("1234.5678", "1.55", "99999")] == ["1234.6", "1.6", "99999"]
    assert choose_digits(["1.23456789"], "exact") == EXACT
    assert round_number("1.23456789012345678", EXACT) == "1.23456789012345678"


def test_numbers_that_are_labels_are_rounded_where_they_stay_different() -> None:
    assert choose_key_digits(["0.3", "0.30000000000000004", None]) == EXACT
    column = ["12.100000000000001", "12.2", "12.2", None]
    assert [round_number(text, choose_key_digits(column)) for text in column[:2] if text] == ["12.1", "12.2"]


def test_what_was_rounded_ends_in_no_zeros_and_what_was_not_keeps_them() -> None:
    assert round_number("24.200000000000003", choose_digits(["24.200000000000003", "28.6"])) == "24.2"
    assert round_number("4.999999999", choose_digits(["4.999999999"])) == "5"
    assert round_number("10.50", choose_digits(["10.50", "3.141592653589793"])) == "10.50"
