"""Tests by permutation and by sign take values as the decimals that they are written as."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from service_nb_kernels.execute import Executor

TENTHS = st.integers(-60, 60).map(lambda tenths: tenths / 10)
SAMPLE = st.lists(TENTHS, min_size=2, max_size=5)
RUN = Executor()


def exact(values: list[float]) -> list[Fraction]:
    return [Fraction(str(value)) for value in values]


def deal(pooled: list[Fraction], size: int) -> Iterator[Fraction]:
    for chosen in combinations(range(len(pooled)), size):
        yield sum((pooled[place] for place in chosen), Fraction(0))


@given(SAMPLE, SAMPLE)
@settings(max_examples=60, deadline=None)
def test_permutations_tie_where_their_decimals_do(first: list[float], second: list[float]) -> None:
    sums = list(deal(exact(first + second), len(first)))
    met = sum(exact(first), Fraction(0))
    found = RUN.execute("hypothesis.permutation_test", [first, second, "greater"])
    assert found["pvalue"] == float(Fraction(sum(each >= met for each in sums), len(sums)))
    means = sum(exact(first)) / len(first) - sum(exact(second)) / len(second)
    assert found["statistic"] == float(means)


@given(st.lists(TENTHS, min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_flipped_signs_tie_where_their_decimals_do(values: list[float]) -> None:
    decimals = exact(values)
    signs = product((1, -1), repeat=len(values))
    sums = [sum((sign * each for sign, each in zip(chosen, decimals, strict=True)), Fraction(0)) for chosen in signs]
    found = RUN.execute("hypothesis.sign_flip_test", [values, "less"])
    assert found["pvalue"] == float(Fraction(sum(each <= sum(decimals) for each in sums), len(sums)))


def difference_of_means(first: np.ndarray, second: np.ndarray, axis: int) -> np.ndarray:
    return np.mean(first, axis=axis) - np.mean(second, axis=axis)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("seed", range(8))
def test_scipy_which_forgives_rounding_counts_the_same(alternative: str, seed: int) -> None:
    chance = np.random.default_rng(seed)
    first, second = ([float(x) / 10 for x in chance.integers(30, 70, size)] for size in (4, 4))
    expected = stats.permutation_test(
        (first, second), difference_of_means, vectorized=True, n_resamples=np.inf, alternative=alternative
    )
    found = RUN.execute("hypothesis.permutation_test", [first, second, alternative])
    assert found["pvalue"] == pytest.approx(expected.pvalue, rel=1e-12)


def test_values_far_apart_are_summed_exactly() -> None:
    found = RUN.execute("hypothesis.permutation_test", [[1e300, 1e-300], [2.5, -0.0], "two-sided"])
    assert found["pvalue"] == 2 / 3
