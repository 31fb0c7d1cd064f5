"""Exact sums: which limbs cover a column, that splitting by them loses nothing, totals rounded once."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.query.aggregations import RECORDS
from service_nb.query.aggregations.aggregation import build_decimal, compute_exact_total, round_ratio, sum_nonfinite
from service_nb.query.limbs import LOWEST_BIT, MAX_WIDTH, Limbs, plan_limbs
from service_nb.schema.source import Field

FINITE = st.floats(allow_nan=False, allow_infinity=False)
LARGEST = 1.7976931348623157e308


def split(value: float, limbs: Limbs) -> tuple[list[int], float]:
    """What the engine does with one value, in the same two steps of binary64."""
    quotients, rest = [], value
    for scale in limbs.scales:
        scaled = rest
        for factor in halves(scale):
            scaled *= factor
        quotient = round(scaled)
        taken = float(quotient)
        for factor in halves(-scale):
            taken *= factor
        quotients.append(quotient)
        rest -= taken
    return quotients, rest


def halves(scale: int) -> list[float]:
    return [2.0**scale] if abs(scale) <= 1022 else [2.0 ** (scale // 2), 2.0 ** (scale - scale // 2)]


@given(st.lists(FINITE, min_size=1, max_size=20))
def test_proven_limbs_leave_no_remainder_and_fit_64_bits(values: list[float]) -> None:
    magnitudes = [abs(value) for value in values]
    limbs = plan_limbs(max(magnitudes), min((m for m in magnitudes if m), default=None))
    assert limbs.proven
    for value in values:
        quotients, rest = split(value, limbs)
        assert rest == 0
        assert all(abs(quotient) <= 2**53 for quotient in quotients)
        parts = zip(quotients, limbs.scales, strict=True)
        assert sum(Fraction(q) / Fraction(2) ** p for q, p in parts) == Fraction(value)


@given(FINITE, st.integers(1, 3))
def test_limbs_that_are_not_proven_leave_a_remainder_or_nothing(value: float, limit: int) -> None:
    limbs = plan_limbs(LARGEST, None, limit=limit)
    assert len(limbs.scales) == limit
    assert not limbs.proven
    quotients, rest = split(value, limbs)
    taken = sum(Fraction(q) / Fraction(2) ** p for q, p in zip(quotients, limbs.scales, strict=True))
    assert taken + Fraction(rest) == Fraction(value)


@pytest.mark.parametrize(
    ("largest", "smallest"),
    [(0.0, None), (1.0, 1.0), (5e-324, 5e-324), (LARGEST, LARGEST), (LARGEST, 5e-324), (1e300, 1e-300), (2.0**52, 1.0)],
)
def test_scales_ascend_and_never_go_below_the_last_bit(largest: float, smallest: float | None) -> None:
    limbs = plan_limbs(largest, smallest)
    assert list(limbs.scales) == sorted(set(limbs.scales))
    assert limbs.scales[-1] <= -LOWEST_BIT
    assert all(b - a <= MAX_WIDTH for a, b in zip(limbs.scales, limbs.scales[1:], strict=False))
    assert limbs.proven


def test_a_narrow_column_needs_few_limbs() -> None:
    assert len(plan_limbs(1e6, 1.0).scales) == 2
    assert len(plan_limbs(LARGEST, 5e-324).scales) <= 42
    assert len(plan_limbs(0.0, None).scales) == 1


@given(st.integers(), st.integers(1, 10**40))
def test_a_ratio_is_rounded_as_fraction_rounds_it(numerator: int, denominator: int) -> None:
    try:
        expected = float(Fraction(numerator, denominator))
    except OverflowError:
        expected = math.copysign(math.inf, numerator)
    assert round_ratio(numerator, denominator) == expected


def test_a_ratio_beyond_the_range_is_an_infinity() -> None:
    assert round_ratio(10**400) == math.inf
    assert round_ratio(-(10**400)) == -math.inf
    assert round_ratio(10**800, 10**400) == math.inf
    assert round_ratio(1, 10**400) == 0.0
    assert round_ratio(int(LARGEST) + 2**969) == LARGEST
    assert round_ratio(int(LARGEST) + 2**970) == math.inf


@given(st.lists(FINITE, max_size=30))
def test_the_exact_total_is_the_sum_of_fractions(values: list[float]) -> None:
    assert compute_exact_total(values) == sum(map(Fraction, values), Fraction())


@pytest.mark.parametrize(
    ("nans", "positive", "negative", "expected"),
    [(0, 0, 0, None), (1, 0, 0, math.nan), (0, 2, 0, math.inf), (0, 0, 1, -math.inf), (0, 1, 1, math.nan)],
)
def test_values_that_are_not_finite_follow_ieee_754(
    nans: int, positive: int, negative: int, expected: float | None
) -> None:
    values = [math.nan] * nans + [math.inf] * positive + [-math.inf] * negative
    if expected is not None:
        assert repr(sum(values)) == repr(expected)  # Python's own addition agrees
        assert repr(compute_exact_total([*values, 1.0])) == repr(expected)
    assert repr(sum_nonfinite(nans, positive, negative)) == repr(expected)


def test_a_mean_is_rounded_once() -> None:
    # Added as doubles these are 1; the double nearest to the exact mean lies below 1/4.
    values = [1.0, -(2.0**-54), -(2.0**-54), -(2.0**-54)]
    mean = RECORDS["avg"].compute
    field = Field(name="x", type="number", physical="float64")
    assert mean(field, values) == float(sum(map(Fraction, values), Fraction()) / 4) != 0.25
    assert mean(field, [math.inf, 1.0]) == math.inf


@given(st.integers(-(10**50), 10**50), st.integers(0, 38))
def test_unscaled_digits_are_kept(units: int, scale: int) -> None:
    found = build_decimal(units, scale)
    assert Fraction(found) == Fraction(units, 10**scale)
    assert -int(found.as_tuple().exponent) == scale
