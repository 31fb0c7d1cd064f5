"""Random words and their transforms: the same on every machine, and distributed as they say."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy  # its parts are loaded where they are used
from service_nb_kernels.errors import DomainError, LimitError
from service_nb_kernels.seeded import exact, words
from service_nb_kernels.seeded.words import Words

COUNT = 100_000
# The first words of numpy/random/tests/data/pcg64-testset-1.csv, which NumPy holds its generator to.
KNOWN_SEED = 0xDEADBEAF
KNOWN_WORDS = [0x60D24054E17A0698, 0xD5E79D89856E4F12, 0xD254972FE64BD782]


def ulps(found: np.ndarray, function, arguments: np.ndarray) -> float:
    """Return the largest error in units of the last place, against 120 bits."""
    with mpmath.workprec(120):
        true = [function(mpmath.mpf(x)) for x in arguments.tolist()]
        return max(
            float(abs(mpmath.mpf(y) - t)) / math.ulp(float(t)) for y, t in zip(found.tolist(), true, strict=True)
        )


def same_distribution(observed: Counter, expected: dict[int, float]) -> float:
    """Return the p-value of a chi-square test; rare values are pooled."""
    kept = [value for value, mass in expected.items() if mass * COUNT > 10]
    counts = [observed[value] for value in kept]
    masses = [expected[value] * COUNT for value in kept]
    rest, rest_mass = COUNT - sum(counts), COUNT - sum(masses)
    if rest_mass > 5:
        counts, masses = [*counts, rest], [*masses, rest_mass]
    else:
        masses = [mass * sum(counts) / sum(masses) for mass in masses]
    return scipy.stats.chisquare(counts, masses).pvalue


def test_the_words_of_a_seed_are_those_that_numpy_publishes():
    assert Words(KNOWN_SEED).raw(3).tolist() == KNOWN_WORDS


def test_the_words_are_the_output_function_of_pcg64_worked_by_hand_in_integers():
    generator = np.random.PCG64(7)
    state, increment = generator.state["state"]["state"], generator.state["state"]["inc"]
    expected = []
    for _ in range(100):
        state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + increment) % 2**128
        folded, turn = (state >> 64) ^ (state % 2**64), state >> 122
        expected.append(((folded >> turn) | (folded << (64 - turn))) % 2**64 if turn else folded)
    assert Words(7).raw(100).tolist() == expected


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7", None])
def test_a_seed_is_a_whole_number_that_is_not_negative(seed):
    with pytest.raises(DomainError) as caught:
        Words(seed)
    assert caught.value.code == "domain_error"


def test_words_are_counted_and_their_number_is_bounded(monkeypatch):
    stream = Words(1)
    stream.normal(10)
    stream.uniform(5)
    assert stream.taken == 15
    monkeypatch.setattr(words, "MOST_WORDS", 100)
    with pytest.raises(LimitError):
        stream.raw(101)


def test_drawing_in_parts_gives_the_same_numbers_as_drawing_at_once():
    parts, whole = Words(3), Words(3)
    assert np.concatenate([parts.normal(7), parts.normal(13)]).tolist() == whole.normal(20).tolist()


def test_logarithms_are_right_to_two_units_of_the_last_place():
    stream = Words(1)
    x = np.concatenate([stream.open_uniform(2000), 1 + (stream.uniform(1000) - 0.5) / 512, [5e-324, 1.7e308, 1.0, 0.5]])
    assert ulps(exact.log(x), mpmath.log, x) < 2
    assert exact.log(np.ones(1)).tolist() == [0.0]


def test_exponentials_are_right_to_two_units_of_the_last_place():
    x = (Words(2).uniform(3000) - 0.5) * 1390
    assert ulps(exact.exp(x), mpmath.exp, x) < 2
    assert exact.exp(np.zeros(1)).tolist() == [1.0]


def scalar_log(x: float) -> float:
    """The same operations one by one in Python's floats, which no compiler joins or reorders."""
    mantissa, exponent = math.frexp(x)
    if mantissa < math.sqrt(0.5):
        mantissa, exponent = mantissa * 2.0, exponent - 1
    fraction = mantissa - 1.0
    s = fraction / (2.0 + fraction)
    z = s * s
    series = 2.0 / 25
    for n in range(23, 2, -2):
        series = series * z + 2.0 / n
    tail = s * z * series
    return exponent * exact.LN2_HIGH + (2.0 * s + (tail + exponent * exact.LN2_LOW))


def scalar_exp(x: float) -> float:
    power = round(x * exact.INVERSE_LN2)  # halves to even, as rint
    rest = (x - power * exact.LN2_HIGH) - power * exact.LN2_LOW
    series = 1.0 / math.factorial(13)
    for n in range(12, -1, -1):
        series = series * rest + 1.0 / math.factorial(n)
    return math.ldexp(series, power)


def test_arrays_give_the_bits_of_single_ieee_operations():
    stream = Words(4)
    x = np.concatenate([stream.open_uniform(5003), stream.uniform(3001) * 1e9 + 1e-9])
    assert exact.log(x).tolist() == [scalar_log(value) for value in x.tolist()]
    y = (stream.uniform(5003) - 0.5) * 1390
    assert exact.exp(y).tolist() == [scalar_exp(value) for value in y.tolist()]


def test_the_bits_of_a_seed_never_change():
    stream = Words(20_261_121)
    parts = [stream.uniform(1000), stream.normal(1000), stream.exponential(1000), stream.poisson(7.5, 1000)]
    parts += [
        stream.below(10, 1000),
        stream.binomial(5, 0.25, 1000),
        stream.subsets(9, 4, 100),
        exact.exp(stream.normal(99)),
    ]
    digest = hashlib.sha256(
        b"".join(np.ascontiguousarray(part).astype(part.dtype.newbyteorder("<")).tobytes() for part in parts)
    )
    assert digest.hexdigest() == "9b4561a3ec8569b05f685d8d616be1e24d9afb4a76bb6d52a6bf3698d169ad36"


def test_normal_quantiles_agree_with_the_inverse_error_function():
    p = Words(3).open_uniform(500)
    p = np.concatenate([p, p**5, p**40])
    p = p[(p > 1e-300) & (p < 1)]
    with mpmath.workdps(60):
        true = np.array([float(_normal_quantile(mpmath.mpf(x))) for x in p.tolist()])
    assert np.max(np.abs(exact.normal_quantile(p) / true - 1)) < 3e-15


def _normal_quantile(p):
    if p > mpmath.mpf("1e-30"):
        return mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1)
    start = -mpmath.sqrt(-2 * mpmath.log(p)) + 1
    return mpmath.findroot(lambda x: mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2) - mpmath.log(p), start)


@pytest.mark.parametrize(
    ("transform", "distribution"),
    [
        (Words.uniform, "uniform"),
        (Words.open_uniform, "uniform"),
        (Words.normal, "norm"),
        (Words.exponential, "expon"),
    ],
    ids=["uniform", "open uniform", "normal", "exponential"],
)
@pytest.mark.parametrize("seed", [101, 102])
def test_real_transforms_follow_their_distributions(transform, distribution, seed):
    distribution = getattr(scipy.stats, distribution)()
    values = transform(Words(seed), COUNT)
    assert scipy.stats.kstest(values, distribution.cdf).pvalue > 1e-3
    assert values.mean() == pytest.approx(distribution.mean(), abs=4 * distribution.std() / math.sqrt(COUNT))
    assert values.var() == pytest.approx(distribution.var(), rel=0.03)
    neighbours = np.corrcoef(values[:-1], values[1:])[0, 1]
    assert abs(neighbours) < 4 / math.sqrt(COUNT)


def test_open_uniform_numbers_never_reach_the_ends():
    class Ends(Words):
        def raw(self, count):
            return np.array([0, 2**64 - 1], np.uint64)[:count]

    low, high = Ends(0).open_uniform(2).tolist()
    assert Fraction(low) == Fraction(1, 2**53)
    assert Fraction(high) == 1 - Fraction(1, 2**53)
    assert np.isfinite(Ends(0).normal(2)).all()
    assert Ends(0).uniform(2).tolist() == [0.0, 1 - 2.0**-53]


@pytest.mark.parametrize("bound", [1, 2, 6, 7, 100])
def test_whole_numbers_below_a_bound_are_equally_likely(bound):
    counts = Counter(Words(5).below(bound, COUNT).tolist())
    assert set(counts) == set(range(bound))
    assert bound == 1 or scipy.stats.chisquare([counts[k] for k in range(bound)]).pvalue > 1e-3


def test_words_of_the_cut_cycle_are_passed_over():
    bound = 3 * 2**60  # of 2**64 words, the last quarter of 2**62 is beyond five cycles

    class Scripted(Words):
        script = iter([2**64 - 1, 5, 15 * 2**60, 7, 9])

        def raw(self, count):
            return np.array([next(self.script) for _ in range(count)], np.uint64)

    assert Scripted(0).below(bound, 3).tolist() == [5, 7, 9]


def test_events_happen_as_often_as_their_probability_says():
    assert scipy.stats.binomtest(int(Words(6).happens(0.3, COUNT).sum()), COUNT, 0.3).pvalue > 1e-3
    assert not Words(6).happens(0.0, 50).any()
    assert Words(6).happens(1.0, 50).all()


@pytest.mark.parametrize("mean", [0.0, 0.7, 12.5, 200.0])
def test_poisson_numbers_follow_their_distribution(mean):
    counts = Counter(Words(8).poisson(mean, COUNT).tolist())
    if mean == 0:
        assert counts == {0: COUNT}
        return
    masses = {k: float(scipy.stats.poisson.pmf(k, mean)) for k in range(int(mean + 12 * math.sqrt(mean) + 12))}
    assert same_distribution(counts, masses) > 1e-3


def test_binomial_numbers_follow_their_distribution():
    counts = Counter(Words(9).binomial(12, 0.35, COUNT).tolist())
    assert same_distribution(counts, {k: float(scipy.stats.binom.pmf(k, 12, 0.35)) for k in range(13)}) > 1e-3


def test_places_are_chosen_as_often_as_their_weights_say():
    weights = [1.0, 0.0, 2.5, 0.5, 0.0]
    counts = Counter(Words(10).choice(weights, COUNT).tolist())
    assert set(counts) == {0, 2, 3}
    assert same_distribution(counts, {k: w / 4 for k, w in enumerate(weights) if w}) > 1e-3


def test_every_order_of_a_shuffle_is_equally_likely():
    counts = Counter(map(tuple, Words(11).subsets(4, 4, 24_000).tolist()))
    assert len(counts) == 24
    assert scipy.stats.chisquare(list(counts.values())).pvalue > 1e-3


def test_subsets_are_equally_likely_and_repeat_nothing():
    rows = Words(12).subsets(5, 2, COUNT)
    counts = Counter(frozenset(row) for row in rows.tolist())
    assert len(counts) == 10
    assert all(len(pair) == 2 for pair in counts)
    assert scipy.stats.chisquare(list(counts.values())).pvalue > 1e-3
