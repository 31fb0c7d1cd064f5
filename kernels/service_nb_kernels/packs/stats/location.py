"""Where a sample lies: sums, means and their robust relatives, rounded once from the exact value."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

from service_nb_kernels.certified import order, sums
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray, np

VALUES = P("float64[n]", unit="?u", about="sample", min_size=1, symbol="x")
POSITIVE = P("float64[n]", unit="?u", domain="(0, inf)", about="sample of positive numbers", min_size=1, symbol="x")
WEIGHTS = P("float64[n]", unit="?w", domain="[0, inf)", about="weight of each value", min_size=1, symbol="w")
LONG = {"n": 10_000_000}
MEDIUM = {"n": 100_000}
DATA = [2.5, 3.1, 4.7, 5.0, 5.9, 5.0, 12.25, 0.1]
EXACT = "Python 3.11, fractions.Fraction"
MP = "mpmath 1.4.1, 60 digits"


@capability(
    "stats.sum",
    tier="certified",
    source="nist2012, sec. 1.3.5.1",
    params={"values": VALUES},
    result=R(unit="?u", about="sum"),
    latex=r"\sum_{i} x_i",
    limit=LONG,
    keywords=["total", "add"],
    cases=[
        case(values=[1e308, 1e308, -1e308], result=1e308, origin="by hand: the partial sum is beyond the doubles"),
        case(values=[0.1] * 10, result=1.0, origin=EXACT),
        case(values=[1.0, 1e100, 1.0, -1e100], result=2.0, origin="by hand"),
        case(values=[2.57, 4.36, -2.9], result=4.029999999999999, within=1e-14, origin="numpy 2.4.6, numpy.sum"),
    ],
)
def total(values: NDArray[Any]) -> Any:
    """Sum of a sample, exact before its one rounding."""
    return sums.total(values)


@capability(
    "stats.mean",
    tier="certified",
    source="nist2012, sec. 1.3.5.1",
    params={"values": VALUES},
    result=R(unit="?u", about="arithmetic mean"),
    latex=r"\bar{x} = \frac{1}{n} \sum_{i} x_i",
    limit=LONG,
    keywords=["average", "expected value", "average of numbers"],
    cases=[
        case(values=[1.0, 2.0, 4.5], result=2.5, origin="by hand"),
        case(values=DATA, result=4.81875, origin=EXACT),
        case(values=[1e308, 1e308, 1e308], result=1e308, origin="by hand: the sum is beyond the doubles"),
        case(
            values=[10000001.0, 10000003.0, 10000002.0],
            result=10000002.0,
            origin="strd, NumAcc1: univariate summary statistics",
        ),
    ],
)
def mean(values: NDArray[Any]) -> Any:
    """Arithmetic mean of a sample, the exact one rounded once."""
    return sums.mean(values)


@capability(
    "stats.median",
    tier="certified",
    source="nist2012, sec. 1.3.5.1",
    params={"values": VALUES},
    result=R(unit="?u", about="median"),
    latex=r"\tilde{x} = \frac{x_{(\lfloor (n+1)/2 \rfloor)} + x_{(\lceil (n+1)/2 \rceil)}}{2}",
    limit=LONG,
    keywords=["middle", "second quartile"],
    cases=[
        case(values=[1.0, 3.0, 2.0], result=2.0, origin="by hand"),
        case(values=DATA, result=4.85, origin=EXACT),
        case(values=[1e308, 1.5e308], result=1.25e308, origin="by hand: the sum of the two is beyond the doubles"),
        case(values=[2.35, -0.974, 2.12, -3.4, 2.91], result=2.12, within=1e-14, origin="numpy 2.4.6, numpy.median"),
    ],
)
def median(values: NDArray[Any]) -> Any:
    """Middle value of a sample, or the exact midpoint of its two middle values."""
    return order.median(sums.finite(values))


@capability(
    "stats.weighted_mean",
    tier="certified",
    source="bullen2003, ch. II",
    keywords=["weighted average"],
    params={"values": VALUES, "weights": WEIGHTS},
    result=R(unit="?u", about="weighted mean"),
    latex=r"\frac{\sum_i w_i x_i}{\sum_i w_i}",
    limit=LONG,
    cases=[
        case(values=[1.0, 2.0, 4.0], weights=[1.0, 1.0, 2.0], result=2.75, origin="by hand"),
        case(
            values=[0.1, 0.2, 0.7],
            weights=[0.3, 0.3, 0.1],
            result=0.2285714285714286,
            origin=EXACT,
        ),
        case(values=[1.0, 2.0], weights=[0.0, 0.0], error="domain_error", origin="by hand: no weight at all"),
        case(
            values=[-3.37, 3.73, 3.31],
            weights=[1.8, 2.22, 2.38],
            result=1.5769375,
            within=1e-14,
            origin="numpy 2.4.6, numpy.average",
        ),
    ],
)
def weighted_mean(values: NDArray[Any], weights: NDArray[Any]) -> Any:
    """Mean of a sample in which every value counts by its weight."""
    weight = sums.total(weights)
    if not weight:
        raise DomainError("weights", expected="a sum above 0")
    return sums.dot(values, weights) / weight


@capability(
    "stats.geometric_mean",
    tier="certified",
    source="bullen2003, ch. II",
    params={"values": POSITIVE},
    result=R(unit="?u", about="geometric mean"),
    latex=r"\left(\prod_i x_i\right)^{1/n}",
    limit=MEDIUM,
    keywords=["average growth", "ratio scale"],
    cases=[
        case(values=[2.0, 8.0], result=4.0, origin="by hand"),
        case(values=DATA, result=3.0011725025096982, origin=MP),
        case(values=[1.0, 0.0], error="domain_error", origin="by hand: a product of 0 has no logarithm"),
        case(values=[0.146, 0.206], result=0.17342433508593882, within=1e-14, origin="scipy 1.17.1, scipy.stats.gmean"),
    ],
)
def geometric_mean(values: NDArray[Any]) -> Any:
    """Root of the product of a positive sample, of the order of its size."""
    size = int(values.size)
    if size == 1:
        return sums.total(values)
    return (sum((arb(value).log() for value in values.tolist()), arb(0)) / size).exp()


@capability(
    "stats.harmonic_mean",
    tier="certified",
    source="bullen2003, ch. II",
    params={"values": POSITIVE},
    result=R(unit="?u", about="harmonic mean"),
    latex=r"\frac{n}{\sum_i 1 / x_i}",
    limit=MEDIUM,
    keywords=["average of rates", "mean speed"],
    cases=[
        case(values=[40.0, 60.0], result=48.0, origin="by hand"),
        case(values=DATA, result=0.6904604647218806, origin=EXACT),
        case(values=[1.0, 2.0, 4.0, 4.0], result=2.0, origin="by hand"),
        case(
            values=[2.36, 0.114, 7.52, 1.88, 0.112],
            result=0.2661113995611218,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.hmean",
        ),
    ],
)
def harmonic_mean(values: NDArray[Any]) -> Any:
    """Reciprocal of the mean of the reciprocals of a positive sample."""
    if values.size <= 64:  # denominators multiply: beyond it balls, where no tie is to be expected
        return fmpq(int(values.size)) / sum((1 / value for value in sums.rationals(values)), fmpq(0))
    return arb(int(values.size)) / sum((1 / arb(value) for value in values.tolist()), arb(0))


@capability(
    "stats.power_mean",
    tier="certified",
    source="bullen2003, ch. III",
    params={
        "values": POSITIVE,
        "power": P(domain="[-1000, 1000]", about="power; 1 is the arithmetic, -1 the harmonic, 0 the geometric mean"),
    },
    result=R(unit="?u", about="power mean"),
    latex=r"\left(\frac{1}{n} \sum_i x_i^p\right)^{1/p}",
    limit=MEDIUM,
    keywords=["generalised mean", "Hoelder mean"],
    cases=[
        case(values=[1.0, 7.0], power=2.0, result=5.0, origin="by hand"),
        case(values=DATA, power=3.5, result=7.14342768994985, origin=MP),
        case(values=DATA, power=0.0, result=3.0011725025096982, origin=MP),
        case(
            values=[1.96, 0.201, 1.6, 0.171, 0.429, 7.01],
            power=-1.6,
            result=0.33432992888607777,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.pmean",
        ),
    ],
)
def power_mean(values: NDArray[Any], power: float) -> Any:
    """Mean of a stated power of a positive sample, brought back by the root of that power."""
    if power == 0:
        return geometric_mean(values)
    if power in (-1.0, 1.0):
        return sums.mean(values) if power == 1 else harmonic_mean(values)
    exponent = arb(power)
    return (sum((arb(value) ** exponent for value in values.tolist()), arb(0)) / int(values.size)) ** (1 / exponent)


@capability(
    "stats.root_mean_square",
    tier="certified",
    source="bullen2003, ch. III",
    params={"values": VALUES},
    result=R(unit="?u", about="root mean square"),
    latex=r"\sqrt{\frac{1}{n} \sum_i x_i^2}",
    limit=LONG,
    keywords=["quadratic mean", "RMS", "effective value"],
    cases=[
        case(values=[1.0, -7.0], result=5.0, origin="by hand"),
        case(values=DATA, result=5.839868363242446, origin=MP),
        case(
            values=[3.14, -0.602, -3.67, -2.06, -3.3, -3.52],
            result=2.921612112059596,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.pmean: power 2",
        ),
    ],
)
def root_mean_square(values: NDArray[Any]) -> Any:
    """Square root of the mean square of a sample, as of an alternating current."""
    return order.square_root(sums.dot(values, values) / int(values.size))


def _cut(values: NDArray[Any], proportion: float) -> int:
    """How many values fall at each end: 0.3 of 10 values are three, though the double 0.3 is less than 3/10."""
    return int(np.floor(proportion * values.size * (1 + 2.0**-50)))


@capability(
    "stats.trimmed_mean",
    tier="certified",
    source="wilcox2017, sec. 3.3",
    params={
        "values": VALUES,
        "proportion": P(domain="[0, 0.5)", about="part of the sample cut off at each end; whole values, rounded down"),
    },
    result=R(unit="?u", about="trimmed mean"),
    limit={"n": 1_000_000},
    keywords=["truncated mean", "robust"],
    cases=[
        case(values=[1.0, 2.0, 3.0, 4.0, 100.0], proportion=0.2, result=3.0, origin="by hand"),
        case(values=DATA, proportion=0.25, result=4.45, within=1e-14, origin="scipy 1.17.1, scipy.stats.trim_mean"),
        case(
            values=[9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 1000.0], proportion=0.1, result=5.5, origin="by hand"
        ),
    ],
)
def trimmed_mean(values: NDArray[Any], proportion: float) -> Any:
    """Mean of what is left of a sample when a part of it is cut off at each end."""
    cut = _cut(values, proportion)
    return sums.mean(np.sort(sums.finite(values))[cut : values.size - cut])


@capability(
    "stats.winsorized_mean",
    tier="certified",
    source="wilcox2017, sec. 3.3",
    params={
        "values": VALUES,
        "proportion": P(
            domain="[0, 0.5)", about="part of the sample pulled in at each end; whole values, rounded down"
        ),
    },
    result=R(unit="?u", about="winsorized mean"),
    limit={"n": 1_000_000},
    keywords=["robust", "outliers"],
    cases=[
        case(values=[1.0, 2.0, 3.0, 4.0, 100.0], proportion=0.2, result=3.0, origin="by hand"),
        case(
            values=DATA, proportion=0.25, result=4.25, within=1e-14, origin="scipy 1.17.1, scipy.stats.mstats.winsorize"
        ),
    ],
)
def winsorized_mean(values: NDArray[Any], proportion: float) -> Any:
    """Mean of a sample whose extreme values at each end are replaced by the nearest ones that are kept."""
    cut, ordered = _cut(values, proportion), np.sort(sums.finite(values))
    ordered[:cut] = ordered[cut]
    ordered[values.size - cut :] = ordered[values.size - cut - 1]
    return sums.mean(ordered)


@capability(
    "stats.hodges_lehmann",
    tier="certified",
    source="hodges1963",
    params={"values": VALUES},
    result=R(unit="?u", about="Hodges-Lehmann estimate"),
    latex=r"\operatorname{median}_{i \le j} \frac{x_i + x_j}{2}",
    limit={"n": 1000},
    keywords=["Walsh averages", "pseudomedian", "robust location"],
    cases=[
        case(values=[1.0, 2.0, 6.0], result=2.75, origin="by hand: of 1, 1.5, 2, 3.5, 4 and 6"),
        case(values=DATA, result=4.6000000000000005, origin=EXACT),
    ],
)
def hodges_lehmann(values: NDArray[Any]) -> Any:
    """Median of the means of all pairs of a sample, each value with itself included."""
    whole, exponent = sums.integers(values)
    pairs = sorted(a + b for place, a in enumerate(whole) for b in whole[place:])
    half = len(pairs) // 2
    return sums.scaled_by(pairs[half] + pairs[-half - 1 if len(pairs) % 2 else half - 1], exponent) / 4


@capability(
    "stats.weighted_median",
    tier="certified",
    source="wilcox2017, sec. 3.2",
    params={"values": VALUES, "weights": WEIGHTS},
    result=R(unit="?u", about="weighted median"),
    limit=MEDIUM,
    cases=[
        case(values=[1.0, 2.0, 3.0], weights=[1.0, 1.0, 3.0], result=3.0, origin="by hand"),
        case(
            values=[3.0, 1.0, 2.0, 4.0], weights=[1.0, 1.0, 1.0, 1.0], result=2.5, origin="by hand: half of the weight"
        ),
        case(values=[0.1, 0.7, 0.3], weights=[0.25, 0.125, 0.5], result=0.3, origin="by hand"),
        case(
            values=[-3.73, 4.19, 4.45, -0.719, -4.31, -1.65, -4.17, 4.84],
            weights=[3.11, 2.33, 3.7, 0.507, 1.88, 3.18, 3.69, 2.23],
            result=-1.65,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.quantile: averaged_inverted_cdf",
        ),
    ],
)
def weighted_median(values: NDArray[Any], weights: NDArray[Any]) -> Any:
    """Value with half of the weight below and half above, or the midpoint where the weight parts exactly in two."""
    places = np.argsort(sums.finite(values), kind="stable")
    whole, _ = sums.integers(weights[places])
    everything, seen = sum(whole), 0
    if not everything:
        raise DomainError("weights", expected="a sum above 0")
    kept = [(place, weight) for place, weight in zip(places.tolist(), whole, strict=True) if weight]
    for step, (place, weight) in enumerate(kept):
        seen += weight
        if 2 * seen == everything:
            return (order.rational(values[place]) + order.rational(values[kept[step + 1][0]])) / 2
        if 2 * seen > everything:
            return order.rational(values[place])
    raise AssertionError


@capability(
    "stats.mode",
    tier="certified",
    source="nist2012, sec. 1.3.5.1",
    params={"values": VALUES},
    result=R(unit="?u", about="mode"),
    limit={"n": 1_000_000},
    keywords=["most frequent"],
    cases=[
        case(values=[1.0, 3.0, 3.0, 2.0], result=3.0, origin="by hand"),
        case(values=[5.0, 4.0, 4.0, 5.0, 9.0], result=4.0, origin="by hand: the smaller of two"),
        case(
            values=[2.5, 1.5, 3.5, 4.5, 2.5, 4.5, 3.5, 3.5, 3.5, 1.5, 4.5],
            result=3.5,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.mode",
        ),
    ],
)
def mode(values: NDArray[Any]) -> Any:
    """Most frequent value of a sample; of several, the smallest."""
    distinct, counts = np.unique(sums.finite(values) + 0.0, return_counts=True)
    return float(distinct[np.argmax(counts)])


@capability(
    "stats.midrange",
    tier="certified",
    source="nist2012, sec. 1.3.5.1",
    params={"values": VALUES},
    result=R(unit="?u", about="midrange"),
    latex=r"\frac{x_{(1)} + x_{(n)}}{2}",
    limit=LONG,
    cases=[
        case(values=[1.0, 10.0, 2.0], result=5.5, origin="by hand"),
        case(values=[1e308, 1.5e308], result=1.25e308, origin="by hand"),
    ],
)
def midrange(values: NDArray[Any]) -> Any:
    """Midpoint between the smallest and the largest value of a sample."""
    values = sums.finite(values)
    return (order.rational(values.min()) + order.rational(values.max())) / 2
