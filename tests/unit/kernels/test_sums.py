"""Sums, products and means of doubles against exact fractions, over the data that break floating point."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from service_nb_kernels.certified import sums
from service_nb_kernels.certified.rounding import rounded
from service_nb_kernels.errors import DomainError

LARGEST, TINIEST = 1.7976931348623157e308, 5e-324
AWKWARD = [
    [1e308, 1e308, -1e308],
    [LARGEST] * 5 + [-LARGEST] * 4,
    [TINIEST, 1e308, TINIEST, -1e308],
    [TINIEST] * 3,
    [1.0, 1e100, 1.0, -1e100],
    [0.0, -0.0],
    [0.1] * 10,
    [2.2250738585072014e-308, -TINIEST, 1e-310],
    [-1.0],
    [],
]


def vectors() -> list[Any]:
    """Vectors of all sizes and spreads of exponents; the seed is fixed so that a failure comes again."""
    words = np.random.default_rng(20_261)
    plain = [words.normal(5.0, 2.0, size) for size in (1, 7, 1000, 4097, 70_000, 300_001)]
    wide = [words.normal(size=n) * 10.0 ** words.integers(-300, 300, n) for n in (50, 5000)]
    half = words.normal(size=6000)
    return [np.array(values) for values in AWKWARD] + plain + wide + [words.permutation(np.concatenate([half, -half]))]


def exact_sum(values: Any) -> Fraction:
    """The sum of doubles in Python's own exact fractions."""
    return sum(map(Fraction, values.tolist()), Fraction(0))


def fraction(value: Any) -> Fraction:
    """A rational of flint as Python's."""
    return Fraction(int(value.p), int(value.q))


def nearest(value: Fraction) -> float:
    """Python divides integers with one correct rounding."""
    return value.numerator / value.denominator


@pytest.mark.parametrize("values", vectors())
def test_a_total_is_the_sum_in_exact_fractions(values: Any) -> None:
    assert fraction(sums.total(values)) == exact_sum(values)


@pytest.mark.parametrize("values", [values for values in vectors() if values.size < 100_000])
def test_a_dot_product_is_the_one_in_exact_fractions(values: Any) -> None:
    other = values[::-1]
    products = (Fraction(a) * Fraction(b) for a, b in zip(values.tolist(), other.tolist(), strict=True))
    assert fraction(sums.dot(values, other)) == sum(products, Fraction(0))
    assert fraction(sums.dot(values, values)) == sum((Fraction(a) ** 2 for a in values.tolist()), Fraction(0))


@pytest.mark.parametrize("values", [values for values in vectors() if values.size < 10_000])
def test_integers_with_one_exponent_are_the_values(values: Any) -> None:
    whole, exponent = sums.integers(values)
    assert [Fraction(n) * Fraction(2) ** exponent for n in whole] == list(map(Fraction, values.tolist()))


@pytest.mark.parametrize("values", [values for values in vectors() if values.size < 10_000])
def test_power_sums_are_those_of_exact_fractions(values: Any) -> None:
    found = sums.power_sums(values, 4)
    expected = [sum((Fraction(v) ** k for v in values.tolist()), Fraction(0)) for k in range(5)]
    assert [fraction(value) for value in found] == expected


@pytest.mark.parametrize("values", [values for values in vectors() if values.size])
def test_a_mean_is_the_exact_one_rounded_once(values: Any) -> None:
    assert rounded(sums.mean(values)) == nearest(exact_sum(values) / values.size)


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-500, 1.0, 2.0**500, 2.0**1000])
def test_a_long_mean_is_right_at_every_magnitude(scale: float) -> None:
    values = np.random.default_rng(7).uniform(-1.0, 2.0, 20_000) * scale
    assert rounded(sums.mean(values)) == nearest(exact_sum(values) / values.size)


def test_a_mean_that_is_a_tie_goes_to_the_even_neighbour() -> None:
    values = np.ones(10_000)
    values[::2] += 2.0**-52  # the mean is 1 + 2**-53
    assert rounded(sums.mean(values)) == 1.0


def test_a_long_vector_that_cancels_has_its_exact_mean() -> None:
    half = np.random.default_rng(11).normal(size=100_000)
    values = np.concatenate([half, [2.0**-60], -half])
    assert rounded(sums.mean(values)) == 2.0**-60 / values.size


def test_threads_and_blocks_do_not_change_a_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(13).normal(1.0, 3.0, 1_200_000)
    first = rounded(sums.mean(values))
    monkeypatch.setattr(sums, "TWO_THREADS_FROM", 10)
    assert rounded(sums.mean(values)) == first
    monkeypatch.setattr(sums, "EXACT_MEAN_UP_TO", values.size)
    assert rounded(sums.mean(values)) == first


def test_a_vector_with_gaps_between_its_values_is_read_right() -> None:
    values = np.arange(30_000.0)[::3]
    assert rounded(sums.mean(values)) == 14_998.5


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("size", [3, 50_000])
def test_a_mean_refuses_what_is_not_finite(bad: float, size: int) -> None:
    values = np.ones(size)
    values[size // 2] = bad
    with pytest.raises(DomainError):
        sums.mean(values)


def test_no_values_have_no_mean() -> None:
    with pytest.raises(DomainError):
        sums.mean(np.array([]))
