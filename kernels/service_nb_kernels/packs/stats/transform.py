"""Samples made into others of the same length: ranks, scores, scalings, counts in bins."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

from service_nb_kernels.certified import order, special, sums
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray, np

VALUES = P("float64[n]", unit="?u", about="sample", min_size=1, symbol="x")
LIMIT = {"n": 1_000_000}
DATA = [2.5, 3.1, 4.7, 5.0, 5.9, 5.0, 12.25, 0.1]
EXACT = "Python 3.11, fractions.Fraction"
MP = "mpmath 1.4.1, 60 digits"


@capability(
    "stats.ranks",
    tier="certified",
    version=3,
    source="conover1999, sec. 5.1",
    params={
        "values": VALUES,
        "ties": P(
            "string",
            choices=["average", "min", "max", "dense", "ordinal"],
            default="average",
            about="rank of equal values; ordinal ranks them in the order given",
        ),
    },
    result=R("float64[n]", about="rank of each value, from 1 for the smallest", range="[1, inf)"),
    limit=LIMIT,
    keywords=["rank", "order"],
    cases=[
        case(values=[10.0, 20.0, 20.0, 5.0], ties="average", result=[2.0, 3.5, 3.5, 1.0], origin="by hand"),
        case(
            values=DATA,
            ties="min",
            result=[2.0, 3.0, 4.0, 5.0, 7.0, 5.0, 8.0, 1.0],
            origin="scipy 1.17.1, scipy.stats.rankdata",
        ),
        case(
            values=DATA,
            ties="max",
            result=[2.0, 3.0, 4.0, 6.0, 7.0, 6.0, 8.0, 1.0],
            origin="scipy 1.17.1, scipy.stats.rankdata",
        ),
        case(
            values=DATA,
            ties="dense",
            result=[2.0, 3.0, 4.0, 5.0, 6.0, 5.0, 7.0, 1.0],
            origin="scipy 1.17.1, scipy.stats.rankdata",
        ),
        case(
            values=DATA,
            ties="ordinal",
            result=[2.0, 3.0, 4.0, 5.0, 7.0, 6.0, 8.0, 1.0],
            origin="scipy 1.17.1, scipy.stats.rankdata",
        ),
    ],
)
def ranks(values: NDArray[Any], ties: str) -> Any:
    """Rank of each value of a sample, equal values ranked as stated."""
    values = sums.finite(values) + 0.0  # one zero
    if ties == "average":
        return [fmpq(rank, 2) for rank in order.doubled_ranks(values)]
    if ties == "ordinal":
        found = np.empty(values.size, dtype=np.int64)
        found[np.argsort(values, kind="stable")] = np.arange(1, values.size + 1)
        return [int(rank) for rank in found.tolist()]
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    by_group = {"min": last - counts + 1, "max": last, "dense": np.arange(1, counts.size + 1)}[ties]
    return [int(rank) for rank in by_group[places.ravel()].tolist()]


def _centred(values: NDArray[Any]) -> Any:
    """Deviations from the mean, and the sum of their squares."""
    size = int(values.size)
    _, first, second = sums.power_sums(values, 2)
    centre = first / size
    return [value - centre for value in sums.rationals(values)], second - first * centre


@capability(
    "stats.z_scores",
    tier="certified",
    source="nist2012, sec. 1.3.5.17",
    params={
        "values": P("float64[n]", unit="?u", about="sample of two values or more", min_size=2, symbol="x"),
        "divisor": P("string", choices=["sample", "population"], about="divisor of the variance: n - 1, or n"),
    },
    result=R("float64[n]", about="standardized values"),
    latex=r"z_i = \frac{x_i - \bar{x}}{s}",
    limit={"n": 100_000},
    keywords=["standardise", "standard score"],
    cases=[
        case(values=[1.0, 2.0, 3.0], divisor="sample", result=[-1.0, 0.0, 1.0], origin="by hand"),
        case(
            values=DATA,
            divisor="population",
            result=[
                -0.7028544965211417,
                -0.5209837912218706,
                -0.03599524375714739,
                0.05494010889248815,
                0.327746166841395,
                0.05494010889248815,
                2.252544464592015,
                -1.4303373177182266,
            ],
            origin=MP,
        ),
        case(values=[2.0, 2.0], divisor="sample", error="domain_error", origin="by hand: nothing varies"),
        case(
            values=[1.32, -0.0975, -1.64, -3.45],
            divisor="population",
            result=[1.2882720730416404, 0.4897475959554309, -0.37919350168511795, -1.3988261673119535],
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.zscore",
        ),
    ],
)
def z_scores(values: NDArray[Any], divisor: str) -> Any:
    """Each value's distance from the mean in standard deviations."""
    deviations, squares = _centred(values)
    if not squares:
        raise DomainError("values", expected="values that are not all equal")
    scale = order.square_root(squares / (len(deviations) - (1 if divisor == "sample" else 0)))
    return [deviation / scale if deviation else 0 for deviation in deviations]


@capability(
    "stats.modified_z_scores",
    tier="certified",
    source="iglewicz1993, sec. 3.3",
    params={"values": VALUES},
    result=R("float64[n]", about="modified z scores"),
    latex=r"M_i = \frac{0.6745 (x_i - \tilde{x})}{\operatorname{MAD}}",
    limit={"n": 100_000},
    keywords=["outlier detection", "robust z score"],
    cases=[
        case(values=[1.0, 2.0, 3.0, 4.0, 104.0], result=[-1.349, -0.6745, 0.0, 0.6745, 68.1245], origin="by hand"),
        case(values=[0.0, 1.0, 2.0, 3.0, 4.0], result=[-1.349, -0.6745, 0.0, 0.6745, 1.349], origin="by hand"),
        case(values=[2.0, 2.0, 9.0], error="domain_error", origin="by hand: half of the values agree"),
    ],
)
def modified_z_scores(values: NDArray[Any]) -> Any:
    """Each value's distance from the median, scaled by the median absolute deviation; beyond 3.5 it is an outlier."""
    middle = order.median(sums.finite(values))
    deviations = [value - middle for value in sums.rationals(values)]
    scale = order.median_of([abs(deviation) for deviation in deviations])
    if not scale:
        raise DomainError("values", expected="a median absolute deviation above 0")
    return [fmpq(6745, 10000) * deviation / scale for deviation in deviations]


@capability(
    "stats.min_max_scale",
    tier="certified",
    version=2,
    source="hastie2009, sec. 14.3",
    params={"values": VALUES},
    result=R("float64[n]", about="values between 0 and 1", range="[0, 1]"),
    latex=r"\frac{x_i - x_{(1)}}{x_{(n)} - x_{(1)}}",
    limit={"n": 100_000},
    keywords=["normalise", "rescale"],
    cases=[
        case(values=[1.0, 2.0, 5.0], result=[0.0, 0.25, 1.0], origin="by hand"),
        case(values=[0.1, 0.2, 0.7], result=[0.0, 0.16666666666666669, 1.0], origin=EXACT),
        case(
            values=[1.75, -1.07, -1.66],
            result=[0.9999999999999999, 0.17302052785923744, 0.0],
            within=1e-14,
            origin="scikit-learn 1.9.1, sklearn.preprocessing.minmax_scale",
        ),
    ],
)
def min_max_scale(values: NDArray[Any]) -> Any:
    """Sample moved and scaled so that its smallest value is 0 and its largest 1."""
    exact = sums.rationals(sums.finite(values))
    low, high = min(exact), max(exact)
    if low == high:
        raise DomainError("values", expected="values that are not all equal")
    return [(value - low) / (high - low) for value in exact]


@capability(
    "stats.normal_scores",
    tier="certified",
    source="blom1958, ch. 6",
    params={"values": VALUES},
    result=R("float64[n]", about="normal scores"),
    latex=r"\Phi^{-1}\left(\frac{r_i - 3/8}{n + 1/4}\right)",
    limit={"n": 5000},
    keywords=["rankit", "Blom", "normal probability plot", "quantile plot"],
    cases=[
        case(values=[5.0, 1.0, 3.0], result=[0.869423773288886, -0.869423773288886, 0.0], origin=MP),
        case(
            values=DATA,
            result=[
                -0.8524950342746941,
                -0.47278912099226733,
                -0.15250597424624437,
                0.308665805694934,
                0.8524950342746941,
                0.308665805694934,
                1.4342001596863794,
                -1.4342001596863794,
            ],
            origin=MP,
        ),
        case(
            values=[-3.97, -1.29],
            result=[-0.5894557978497783, 0.5894557978497783],
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.norm.ppf: of scipy.stats.rankdata, less 3/8, over n + 1/4",
        ),
    ],
)
def normal_scores(values: NDArray[Any]) -> Any:
    """Expected normal deviate of each value's rank, after Blom, as on a normal probability plot."""
    size = int(values.size)
    places = [(fmpq(rank, 2) - fmpq(3, 8)) / (size + fmpq(1, 4)) for rank in order.doubled_ranks(sums.finite(values))]
    return [0 if place == fmpq(1, 2) else special.normal_quantile(arb(place)) for place in places]


@capability(
    "stats.cumulative_sum",
    tier="certified",
    source="nist2012, sec. 6.3.2.3",
    params={"values": VALUES},
    result=R("float64[n]", unit="?u", about="running totals"),
    latex=r"S_k = \sum_{i \le k} x_i",
    limit={"n": 200_000},
    keywords=["running total", "cusum", "prefix sum"],
    cases=[
        case(
            values=[1e16, 1.0, -1e16],
            result=[1e16, 1e16, 1.0],
            origin="by hand: the second is rounded, the third is not",
        ),
        case(values=[0.1, 0.2, 0.3], result=[0.1, 0.30000000000000004, 0.6], origin=EXACT),
        case(
            values=[-1.81, -0.54, -1.55, -0.639, 3.93, 4.99],
            result=[-1.81, -2.35, -3.9000000000000004, -4.539000000000001, -0.6090000000000004, 4.381],
            within=1e-14,
            origin="numpy 2.4.6, numpy.cumsum",
        ),
    ],
)
def cumulative_sum(values: NDArray[Any]) -> Any:
    """Running totals of a sample, each exact before its one rounding."""
    whole, exponent = sums.integers(values)
    totals, running = [], 0
    for value in whole:
        running += value
        totals.append(sums.scaled_by(running, exponent))
    return totals


@capability(
    "stats.histogram_counts",
    tier="certified",
    version=2,
    source="nist2012, sec. 1.3.3.14",
    params={
        "values": VALUES,
        "edges": P("float64[k]", unit="?u", about="edges of the bins, increasing", min_size=2),
    },
    result=R("int[m]", about="count in each bin; values outside of all bins are left out", range="[0, inf)"),
    limit={"n": 10_000_000, "k": 100_000},
    keywords=["bins", "frequency distribution"],
    cases=[
        case(
            values=[1.0, 2.0, 2.5, 3.0, 9.0],
            edges=[1.0, 2.0, 3.0],
            result=[1, 3],
            origin="by hand: the last bin holds its upper edge",
        ),
        case(values=DATA, edges=[0.0, 2.5, 5.0, 7.5, 10.0], result=[1, 3, 3, 0], origin="numpy 2.4.6, numpy.histogram"),
        case(values=DATA, edges=[1.0, 1.0], error="domain_error", origin="by hand: a bin without width"),
    ],
)
def histogram_counts(values: NDArray[Any], edges: NDArray[Any]) -> Any:
    """Number of values in each bin; a bin holds its lower edge, the last one its upper edge as well."""
    if not (np.diff(sums.finite(edges, "edges")) > 0).all():
        raise DomainError("edges", expected="edges that increase")
    ordered = np.sort(sums.finite(values))
    places = np.searchsorted(ordered, edges, side="left")
    places[-1] = np.searchsorted(ordered, edges[-1], side="right")
    return [int(count) for count in np.diff(places).tolist()]
