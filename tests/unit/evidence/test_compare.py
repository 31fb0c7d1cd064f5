"""Two texts of a result, value by value: steps between doubles, exact differences, rows by name, bounded lists."""

from __future__ import annotations

import json
import math
import struct
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.core.canonical import write_canonical_text
from service_nb.evidence.differences import MOST_DIFFERENCES, SHOWN_CHARS, compare, count_ulps
from service_nb.schema.reports import Comparison, Difference

DOUBLES = st.floats(allow_nan=False)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
SMALLEST, LARGEST = 5e-324, 1.7976931348623157e308


def only(comparison: Comparison) -> Difference:
    (difference,) = comparison.differences
    assert comparison.differing == 1
    return difference


def doubles_below(value: float) -> int:
    """How many doubles there are below a value, minus infinity the first, counted from its bits."""
    bits = int.from_bytes(struct.pack(">d", value), "big")
    half = 0x7FF0_0000_0000_0000  # the infinity's, of either sign
    return half - (bits - (1 << 63)) if bits >> 63 else half + bits


# --- steps between doubles --------------------------------------------------------------------------------------------


@given(DOUBLES, DOUBLES)
def test_the_distance_counts_the_doubles_in_between(one: float, other: float) -> None:
    assert count_ulps(one, other) == abs(doubles_below(one + 0.0) - doubles_below(other + 0.0))


@given(FINITE, st.integers(min_value=0, max_value=200), st.booleans())
def test_steps_to_the_neighbour_are_counted_one_by_one(start: float, steps: int, is_upward: bool) -> None:
    there = start
    for _ in range(steps):
        there = math.nextafter(there, math.inf if is_upward else -math.inf)
    expected = steps if math.isfinite(there) else count_ulps(start, there)  # the last step is to the infinity
    assert count_ulps(start, there) == expected


@given(DOUBLES, DOUBLES, DOUBLES)
def test_distances_add_up_along_the_line(one: float, other: float, third: float) -> None:
    low, middle, high = sorted((one, other, third))
    ways = [count_ulps(*pair) for pair in pairwise((low, middle, high))]
    assert None not in ways
    assert count_ulps(low, high) == sum(way for way in ways if way is not None)


@given(DOUBLES, DOUBLES)
def test_the_distance_is_the_same_from_either_side_and_zero_only_of_equals(one: float, other: float) -> None:
    assert count_ulps(one, other) == count_ulps(other, one)
    assert (count_ulps(one, other) == 0) == (one == other)


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [
        (0.0, -0.0, 0),
        (-SMALLEST, SMALLEST, 2),
        (1.0, math.nextafter(1.0, 2.0), 1),
        (LARGEST, math.inf, 1),
        (-math.inf, -LARGEST, 1),
        (-math.inf, math.inf, 2 * (0x7FF << 52)),
        (math.nan, math.nan, 0),
        (math.nan, 1.0, None),
        (-math.inf, math.nan, None),
    ],
)
def test_zeros_infinities_and_nan(one: float, other: float, steps: int | None) -> None:
    assert count_ulps(one, other) == steps
    assert count_ulps(other, one) == steps


# --- single values ----------------------------------------------------------------------------------------------------


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.text(), FINITE, st.lists(FINITE)))
def test_equal_texts_have_no_difference(value: object) -> None:
    text = write_canonical_text(value)
    assert compare(text, text).differing == 0


@given(FINITE, FINITE)
def test_two_doubles_are_told_with_their_exact_texts_and_steps(one: float, other: float) -> None:
    comparison = compare(write_canonical_text(one), write_canonical_text(other), "float64")
    if one == other:
        assert comparison.differing == 0
        return
    difference = only(comparison)
    assert (float(difference.expected or ""), float(difference.met or "")) == (one, other)
    assert difference.ulps == comparison.largest_ulps == count_ulps(one, other)
    assert difference.by is None


@given(st.integers(), st.integers())
def test_whole_numbers_of_any_size_differ_exactly(one: int, other: int) -> None:
    comparison = compare(write_canonical_text(one), write_canonical_text(other), "int")
    if one != other:
        assert int(only(comparison).by or "") == other - one
        assert only(comparison).ulps is None


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6), st.decimals(allow_nan=False, allow_infinity=False))
def test_decimals_differ_exactly(one: Decimal, other: Decimal) -> None:
    comparison = compare(write_canonical_text(one), write_canonical_text(other), "decimal(38,6)")
    if write_canonical_text(one) != write_canonical_text(other):
        assert Fraction(only(comparison).by or "") == Fraction(other) - Fraction(one)


def test_a_whole_double_beyond_2_to_the_53_is_compared_as_it_is_written() -> None:
    one, other = 2.0**60, math.nextafter(2.0**60, math.inf)
    difference = only(compare(write_canonical_text(one), write_canonical_text(other), "float64"))
    assert (difference.expected, difference.met, difference.ulps) == ("1152921504606847000", "1152921504606847200", 1)


@pytest.mark.parametrize(
    ("expected", "met", "ulps"),
    [('"NaN"', "1.5", None), ('"Infinity"', "1.7976931348623157e+308", 1), ('"-Infinity"', '"NaN"', None)],
)
def test_what_is_not_finite_is_no_text(expected: str, met: str, ulps: int | None) -> None:
    difference = only(compare(expected, met, "float64"))
    assert difference.ulps == ulps
    assert '"' not in f"{difference.expected}{difference.met}"


def test_without_a_type_a_point_or_an_exponent_tells_a_double() -> None:
    assert only(compare("1.5", "1.5000000000000002")).ulps == 1
    assert only(compare("15", "17")).by == "+2"
    assert only(compare("1.5", "2")).ulps is None


def test_text_that_looks_like_a_number_stays_text() -> None:
    difference = only(compare('"15"', '"17"', "string"))
    assert (difference.expected, difference.ulps, difference.by) == ('"15"', None, None)
    assert only(compare('"x"', '"y"', "decimal(5,2)")).by is None
    assert only(compare('"one"', "3", "int64")).by is None


def test_another_type_is_a_difference() -> None:
    assert only(compare("1", "true")).expected == "1"
    assert only(compare("null", "0")).expected == "null"
    assert only(compare('"1"', "1", "string")).met == "1"


# --- rows, items, fields ----------------------------------------------------------------------------------------------

ROWS = [
    {"carrier": "AA", "delay": 0.5, "count": 3},
    {"carrier": "UA", "delay": 0.25, "count": 2},
    {"carrier": None, "delay": 0.125, "count": 1},
]
TYPES = {"carrier": "string", "delay": "float64"}


def rows(*changed: dict[str, object] | None) -> str:
    """The rows with some replaced (by index); None takes one out."""
    kept = [row if each is ... else each for row, each in zip(ROWS, changed, strict=True)]
    return write_canonical_text([row for row in kept if row is not None])


def test_a_cell_is_named_by_its_row_and_column() -> None:
    met = rows(..., {**ROWS[1], "delay": math.nextafter(0.25, 1)}, ...)
    difference = only(compare(write_canonical_text(ROWS), met, TYPES, ["carrier"]))
    assert (difference.path, difference.where) == ((1, "delay"), 'row 2 (carrier "UA"), delay')
    assert (difference.expected, difference.ulps) == ("0.25", 1)


def test_without_names_rows_are_compared_in_their_order() -> None:
    met = rows(..., {**ROWS[1], "count": 12}, ...)
    difference = only(compare(write_canonical_text(ROWS), met, TYPES))
    assert (difference.where, difference.by) == ("row 2, count", "+10")


def test_a_row_that_is_gone_moves_no_other() -> None:
    difference = only(compare(write_canonical_text(ROWS), rows(None, ..., ...), TYPES, ["carrier"]))
    assert difference.path == (0,)
    assert json.loads(difference.expected or "") == ROWS[0]
    assert difference.met is None


def test_a_row_that_came_is_told() -> None:
    difference = only(compare(rows(..., None, ...), write_canonical_text(ROWS), TYPES, ["carrier"]))
    assert difference.path == (1,)
    assert difference.expected is None
    assert json.loads(difference.met or "") == ROWS[1]


def test_rows_in_another_order_are_one_difference() -> None:
    difference = only(compare(write_canonical_text(ROWS), write_canonical_text(ROWS[::-1]), TYPES, ["carrier"]))
    assert (difference.path, difference.expected, difference.met) == ((), '"AA" first', "null first")


def test_rows_whose_names_are_not_unique_are_compared_in_their_order() -> None:
    twice = [{"carrier": "AA", "delay": 1.5}, {"carrier": "AA", "delay": 2.5}]
    met = [{"carrier": "AA", "delay": 1.5}, {"carrier": "AA", "delay": 3.5}]
    assert only(compare(write_canonical_text(twice), write_canonical_text(met), TYPES, ["carrier"])).path == (
        1,
        "delay",
    )


@pytest.mark.parametrize(
    ("expected", "met", "path", "where"),
    [
        ([1.5, 2.5], [1.5, 3.5], (1,), "item 1"),
        ([[1.5], [2.5]], [[1.5], [3.5]], (1, 0), "item 1, 0"),
        ({"low": 1.5}, {"low": 2.5}, ("low",), "low"),
        ({"low": [1.5, 2.5]}, {"low": [1.5, 3.5]}, ("low", 1), "low[1]"),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ("a", "b"), "a.b"),
        (1.5, 2.5, (), "the value"),
    ],
)
def test_places_are_told_in_words(expected: object, met: object, path: tuple[object, ...], where: str) -> None:
    difference = only(compare(write_canonical_text(expected), write_canonical_text(met), "float64"))
    assert (difference.path, difference.where) == (path, where)


def test_items_and_fields_that_one_side_does_not_have() -> None:
    longer = compare("[1.5]", "[1.5,2.5,3.5]", "float64")
    assert [(each.where, each.expected, each.met) for each in longer.differences] == [
        ("item 1", None, "2.5"),
        ("item 2", None, "3.5"),
    ]
    assert only(compare('{"low":1.5,"high":2.5}', '{"low":1.5}')).met is None


@given(st.lists(FINITE, min_size=1, max_size=60))
def test_all_are_counted_and_the_first_are_told(values: list[float]) -> None:
    moved = [math.nextafter(value, math.inf) if index % 2 else value for index, value in enumerate(values)]
    comparison = compare(write_canonical_text(values), write_canonical_text(moved), "float64")
    expected = [index for index in range(len(values)) if moved[index] != values[index]]
    assert (comparison.values, comparison.differing) == (len(values), len(expected))
    assert [each.path for each in comparison.differences] == [(index,) for index in expected[:MOST_DIFFERENCES]]
    assert comparison.largest_ulps == (1 if expected else None)


def test_the_largest_distance_is_of_all_and_not_of_those_told() -> None:
    values = [0.5] * 100
    moved = [math.nextafter(0.5, 1)] * 99 + [0.5625]
    comparison = compare(write_canonical_text(values), write_canonical_text(moved), "float64")
    assert (comparison.differing, len(comparison.differences)) == (100, MOST_DIFFERENCES)
    assert comparison.largest_ulps == count_ulps(0.5, 0.5625)


# --- what comes from outside ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "{", "nul", '{"a":1,"a":2}', "[" * 100 + "]" * 100, "1e999", "NaN", '"\\ud800"'])
def test_a_text_that_is_no_json_differs_as_a_whole(text: str) -> None:
    difference = only(compare(text, "1"))
    assert (difference.path, difference.met) == ((), "1")


def test_long_values_are_cut() -> None:
    difference = only(compare(write_canonical_text("x" * 10_000), write_canonical_text("y" * 10_000)))
    assert len(difference.expected or "") == SHOWN_CHARS
    whole = only(compare("x" * 10_000, "1"))
    assert len(whole.expected or "") == SHOWN_CHARS


def test_digits_beyond_what_is_taken_are_text() -> None:
    assert only(compare(f'"{"9" * 5_000}"', '"1"', "int")).by is None


def test_a_comparison_has_json_that_no_reader_rounds() -> None:
    comparison = compare("[-1.5,1]", "[1.5,1]", "float64").to_dict()
    assert comparison["largest_ulps"] == comparison["differences"][0]["ulps"] == str(count_ulps(-1.5, 1.5))
