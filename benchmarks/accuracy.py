"""Not how fast but how right: thirty functions of four libraries beside certified values, in units in the last place.

A certified value is proven to be the correctly rounded one, so the distance to it is the peer's error, to the nearest
double. Arguments are random and the same at every run; they span what people use, tails included, and leave out
results below the smallest normal double. Both sides get the same doubles: a forward, not a spot to be carried there,
and levels of confidence whose complement is exact.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from service_nb_kernels.errors import KernelError
from service_nb_kernels.execute import Executor

from benchmarks.measure import Row

COUNT = 1_000
SERIES = 50  # values of a random series


class Question(NamedTuple):
    """A function both sides have. `part` is where the certified result has the number, if it has several."""

    peer: str
    answer: Callable[..., Any]
    capability: str
    columns: Sequence[Any]
    part: str | int | None = None


class Draw:
    """Random columns of arguments, the same at every run."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def even(self, low: float, high: float) -> Any:
        """Return values that are as likely everywhere in between."""
        return self._random.uniform(low, high, COUNT)

    def scales(self, low: float, high: float) -> Any:
        """Return values of every magnitude between two positive ones, all as likely."""
        return np.exp(self._random.uniform(np.log(low), np.log(high), COUNT)).clip(low, high)

    def whole(self, low: int, high: int) -> Any:
        """Return integers, both ends included."""
        return self._random.integers(low, high, COUNT, endpoint=True)

    def grid(self, low: int, high: int) -> Any:
        """Return multiples of 1/1024: their complements, and products with small integers, are exact."""
        return self.whole(low, high) / 1024

    def series(self) -> Any:
        """Return a sample of a normal distribution for each call."""
        return self._random.normal(1.0, 1.0, (COUNT, SERIES))


def main() -> list[Row]:
    run = Executor()
    found = [
        judged(run, question) if isinstance(question, Question) else question
        for number, library in enumerate((of_numpy, of_special, of_stats, of_statsmodels, of_quantlib))
        for question in installed(library, Draw(number))
    ]
    return [row for row, _ in found] + [overall([distances for _, distances in found if distances])]


def installed(library: Callable[[Draw], Iterator[Question]], draw: Draw) -> Iterable[Question | tuple[Row, list[int]]]:
    """Return a library's questions, or the row which says that it is not there."""
    try:
        return list(library(draw))
    except ImportError as error:
        return [(Row(f"{error.name}, accuracy", "", "not installed"), [])]


def judged(run: Executor, question: Question) -> tuple[Row, list[int]]:
    """Return the row of one function, and how far off the peer is at each argument."""
    theirs = np.asarray(question.answer(*question.columns), dtype=float).tolist()
    ours = [certified(run, question, row) for row in rows(question.columns)]
    distances = [apart(one, other) for one, other in zip(ours, theirs, strict=True) if one is not None]
    return verdict(question.peer, distances, COUNT), distances


def rows(columns: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.tolist() for column in columns), strict=True)


def certified(run: Executor, question: Question, arguments: Sequence[Any]) -> float | None:
    """Return the certified value, None where it is refused."""
    try:
        value = run.execute(question.capability, arguments)
    except KernelError:
        return None
    return float(value if question.part is None else value[question.part])


def apart(one: float, other: float) -> int:
    """Return how many doubles lie from one to the other; NaN is beyond infinity."""
    return abs(place(one) - place(other))


def place(value: float) -> int:
    """Return the place of a double in the order of all of them, zero at 0."""
    bits = int(np.float64(abs(value)).view(np.uint64))
    return -bits if value < 0 else bits


def verdict(what: str, distances: Sequence[int], asked: int) -> Row:
    """Return the row: how many certified values there are, and how right the peer is at them."""
    right = len(distances)
    ours = f"correctly rounded, {right:,} of {asked:,}"
    wrong = sum(distance > 0 for distance in distances)
    if not wrong:
        theirs = "all correctly rounded" if right else ""
    else:
        share, median = 100 * wrong / right, statistics.median_low(distances)
        theirs = f"{share:.3g}% not, median {ulps(median)}, worst {ulps(max(distances))}"
    return Row(what, ours, theirs, bar="all", met=right == asked)


def ulps(distance: int) -> str:
    if distance < 1_000:
        return f"{distance} ulp"
    digits, _, exponent = f"{distance:.1e}".partition("e")
    return f"{digits}e{int(exponent)} ulp"


def overall(each: Sequence[Sequence[int]]) -> Row:
    """Return the row of all functions together."""
    return verdict(f"all {len(each)} functions", [one for distances in each for one in distances], len(each) * COUNT)


def every(function: Callable[..., Any]) -> Callable[..., list[float]]:
    """Return a function of numbers as one of columns."""
    return lambda *columns: [function(*row) for row in rows(columns)]


def of_numpy(draw: Draw) -> Iterator[Question]:
    yield Question("numpy.exp", np.exp, "elementary.exp", [draw.even(-700, 700)])
    yield Question("numpy.log", np.log, "elementary.log", [draw.scales(1e-300, 1e300)])
    yield Question("numpy.expm1", np.expm1, "elementary.expm1", [draw.scales(1e-12, 700)])
    yield Question("numpy.sin", np.sin, "elementary.sin", [draw.scales(1e-3, 1e6)])
    yield Question("numpy.tan", np.tan, "elementary.tan", [draw.scales(1e-3, 1e6)])
    yield Question("numpy.cbrt", np.cbrt, "elementary.cbrt", [draw.scales(1e-300, 1e300)])
    yield Question("numpy.power", np.power, "elementary.power", [draw.scales(0.1, 10), draw.even(-300, 300)])
    yield Question("numpy.hypot", np.hypot, "elementary.hypot", [draw.scales(1e-3, 1e3), draw.scales(1e-3, 1e3)])


def of_special(draw: Draw) -> Iterator[Question]:
    from scipy import special

    def lambert(x: Any) -> Any:
        return special.lambertw(x).real

    orders, unit = draw.even(0, 50), draw.even(0.01, 0.99)
    shapes = [draw.scales(0.1, 50), draw.scales(0.1, 50)]
    name = "scipy.special."
    yield Question(f"{name}gamma", special.gamma, "special.gamma", [draw.even(0.01, 171)])
    yield Question(f"{name}gammaln", special.gammaln, "special.log_gamma", [draw.scales(1e-3, 1e6)])
    yield Question(f"{name}erfc", special.erfc, "special.erfc", [draw.even(-3, 26)])
    yield Question(f"{name}jv", special.jv, "special.bessel_j", [orders, draw.scales(1, 1e3)])
    yield Question(f"{name}kv", special.kv, "special.bessel_k", [orders, draw.scales(0.1, 100)])
    yield Question(f"{name}digamma", special.digamma, "special.digamma", [draw.scales(1e-3, 1e6)])
    yield Question(f"{name}lambertw", lambert, "special.lambert_w", [draw.scales(1e-3, 1e10)])
    yield Question(
        f"{name}betainc",
        lambda x, a, b: special.betainc(a, b, x),
        "special.beta_regularized",
        [unit, *shapes],
    )


def of_stats(draw: Draw) -> Iterator[Question]:
    from scipy import stats

    freedom, other, rate = draw.scales(1, 100), draw.scales(1, 100), draw.scales(0.1, 1e3)
    trials, chance = draw.whole(1, 100), draw.even(0.01, 0.99)
    standard = [np.zeros(COUNT), np.ones(COUNT)]
    successes = (trials * draw.even(0, 1)).astype(int)
    events = (rate * draw.even(0.5, 1.5)).astype(int)
    name, ours = "scipy.stats.", "distributions."
    yield Question(f"{name}norm.sf", stats.norm.sf, f"{ours}normal_sf", [draw.even(-5, 37), *standard])
    yield Question(f"{name}norm.ppf", stats.norm.ppf, f"{ours}normal_quantile", [draw.scales(1e-300, 0.49), *standard])
    yield Question(f"{name}t.cdf", stats.t.cdf, f"{ours}student_t_cdf", [draw.even(-40, 10), freedom])
    yield Question(f"{name}t.ppf", stats.t.ppf, f"{ours}student_t_quantile", [draw.scales(1e-12, 0.49), freedom])
    yield Question(f"{name}chi2.sf", stats.chi2.sf, f"{ours}chi2_sf", [freedom * draw.scales(0.1, 5), freedom])
    yield Question(f"{name}f.sf", stats.f.sf, f"{ours}f_sf", [draw.scales(0.05, 20), freedom, other])
    yield Question(f"{name}binom.cdf", stats.binom.cdf, f"{ours}binomial_cdf", [successes, trials, chance])
    yield Question(f"{name}poisson.cdf", stats.poisson.cdf, f"{ours}poisson_cdf", [events, rate])


def of_statsmodels(draw: Draw) -> Iterator[Question]:
    from statsmodels.stats.proportion import proportion_confint
    from statsmodels.stats.stattools import durbin_watson
    from statsmodels.tsa.stattools import acf

    trials, level = draw.whole(10, 10_000), draw.grid(512, 1023)
    successes = 1 + (trials * draw.even(0, 0.99)).astype(int)
    lag = np.ones(COUNT, dtype=int)

    def wilson(successes: Any, trials: Any, level: Any) -> Any:
        return [
            proportion_confint(k, n, alpha=1 - at, method="wilson")[0] for k, n, at in rows((successes, trials, level))
        ]

    yield Question(
        "statsmodels proportion_confint, Wilson",
        wilson,
        "hypothesis.proportion_interval_wilson",
        [successes, trials, level],
        "low",
    )
    yield Question(
        "statsmodels acf, 50 values",
        every(lambda values, lags: acf(values, nlags=lags, fft=False)[lags]),
        "time_series.autocorrelations",
        [draw.series(), lag],
        0,
    )
    yield Question(
        "statsmodels durbin_watson, 50 values", every(durbin_watson), "hypothesis.durbin_watson", [draw.series()]
    )


def of_quantlib(draw: Draw) -> Iterator[Question]:
    import QuantLib as ql  # noqa: N813  # as its own documentation has it

    forward, strike, volatility = draw.even(80, 120), draw.even(80, 120), draw.even(0.1, 0.8)
    year, no_rate = np.ones(COUNT), np.zeros(COUNT)

    def black(forward: float, strike: float, _: float, __: float, volatility: float) -> Any:
        return ql.blackFormula(ql.Option.Call, strike, forward, volatility)

    def implied(forward: float, strike: float, _: float, __: float, price: float) -> Any:
        return ql.blackFormulaImpliedStdDev(ql.Option.Call, strike, forward, price, 1.0, 0.0, 0.3, 1e-14, 1_000)

    prices = np.array(every(black)(forward, strike, year, no_rate, volatility))
    yield Question(
        "QuantLib blackFormula",
        every(black),
        "option_pricing.black76_call",
        [forward, strike, year, no_rate, volatility],
    )
    yield Question(
        "QuantLib blackFormulaImpliedStdDev, to 1e-14",
        every(implied),
        "option_pricing.black76_implied_volatility_call",
        [forward, strike, year, no_rate, prices],
    )
    yearly = np.ones(COUNT, dtype=int)
    yield Question(
        "QuantLib CashFlows.yieldRate, to 1e-14",
        every(bond_yield),
        "bonds.yield_to_maturity",
        [draw.even(60, 110), np.full(COUNT, 100.0), draw.grid(1, 128), yearly, draw.whole(1, 10)],
    )


def bond_yield(price: float, face: float, coupon_rate: float, _: int, periods: int) -> float:
    """Return QuantLib's yield of a bond with yearly coupons, in years of exactly 360 days."""
    import QuantLib as ql  # noqa: N813

    today, days = ql.Date(1, 1, 2030), ql.Thirty360(ql.Thirty360.BondBasis)
    coupons = [ql.SimpleCashFlow(face * coupon_rate, ql.Date(1, 1, 2030 + year)) for year in range(1, periods + 1)]
    leg = [*coupons, ql.SimpleCashFlow(face, ql.Date(1, 1, 2030 + periods))]
    found: float = ql.CashFlows.yieldRate(
        leg, price, days, ql.Compounded, ql.Annual, False, today, today, 1e-14, 1_000, 0.05
    )
    return found
