"""How far a sample spreads: variances from exact sums of squares, deviations, ranges and inequality."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

from service_nb_kernels.certified import order, special, sums
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray, np

VALUES = P("float64[n]", unit="?u", about="sample", min_size=1, symbol="x")
TWO = P("float64[n]", unit="?u", about="sample of two values or more", min_size=2, symbol="x")
POSITIVE = P("float64[n]", unit="?u", domain="(0, inf)", about="sample of positive numbers", min_size=2, symbol="x")
WEIGHTS = P("float64[n]", domain="[0, inf)", about="weight of each value", min_size=1, symbol="w")
LONG = {"n": 10_000_000}
MEDIUM = {"n": 1_000_000}
DATA = [2.5, 3.1, 4.7, 5.0, 5.9, 5.0, 12.25, 0.1]
NUMACC = [10000000.2, 10000000.1, 10000000.3]
LEW = [1.2, 1.4, 1.1, 1.7]
EXACT = "Python 3.11, fractions.Fraction"
MP = "mpmath 1.4.1, 60 digits"


def squares(values: NDArray[Any]) -> Any:
    """Return the exact sum of squared deviations from the mean."""
    _, first, second = sums.power_sums(values, 2)
    return second - first * first / int(values.size)


@capability(
    "stats.sum_of_squares",
    tier="certified",
    source="nist2012, sec. 7.4.3.3",
    params={"values": VALUES},
    result=R(unit="?u^2", about="sum of squared deviations"),
    latex=r"\sum_i (x_i - \bar{x})^2",
    limit=LONG,
    keywords=["total sum of squares", "corrected"],
    cases=[
        case(values=[1.0, 2.0, 6.0], result=14.0, origin="by hand"),
        case(values=DATA, result=87.0696875, origin=EXACT),
        case(
            values=[2.49, 3.61, -4.26],
            result=36.251266666666666,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.weightstats.DescrStatsW: sumsquares",
        ),
    ],
)
def sum_of_squares(values: NDArray[Any]) -> Any:
    """Sum of the squared deviations of a sample from its mean."""
    return squares(values)


@capability(
    "stats.variance",
    tier="certified",
    source="nist2012, sec. 1.3.5.2",
    params={"values": TWO},
    result=R(unit="?u^2", about="sample variance"),
    latex=r"s^2 = \frac{1}{n-1} \sum_i (x_i - \bar{x})^2",
    limit=LONG,
    keywords=["unbiased", "n - 1"],
    cases=[
        case(values=[1.0, 2.0, 6.0], result=7.0, origin="by hand"),
        case(values=NUMACC, result=0.01000000011175871, origin=EXACT),
        case(values=DATA, result=12.438526785714286, origin=EXACT),
        case(
            values=[-1.09, 3.5, 2.09, -2.82, 4.37],
            result=9.383750000000003,
            within=1e-14,
            origin="numpy 2.4.6, numpy.var: ddof 1",
        ),
    ],
)
def variance(values: NDArray[Any]) -> Any:
    """Unbiased variance of a sample, with divisor n - 1."""
    return squares(values) / (int(values.size) - 1)


@capability(
    "stats.variance_population",
    tier="certified",
    source="kendall1994, sec. 2.19",
    params={"values": VALUES},
    result=R(unit="?u^2", about="population variance"),
    latex=r"\sigma^2 = \frac{1}{n} \sum_i (x_i - \bar{x})^2",
    limit=LONG,
    keywords=["second central moment"],
    cases=[
        case(values=[1.0, 3.0], result=1.0, origin="by hand"),
        case(values=DATA, result=10.8837109375, origin=EXACT),
        case(
            values=[0.157, -3.92, -4.51, -4.71, -0.926, -3.77],
            result=3.482408583333333,
            within=1e-14,
            origin="numpy 2.4.6, numpy.var",
        ),
    ],
)
def variance_population(values: NDArray[Any]) -> Any:
    """Variance of a whole population, with divisor n."""
    return squares(values) / int(values.size)


@capability(
    "stats.std",
    tier="certified",
    source="nist2012, sec. 1.3.5.2",
    params={"values": TWO},
    result=R(unit="?u", about="sample standard deviation"),
    latex=r"s = \sqrt{\frac{1}{n-1} \sum_i (x_i - \bar{x})^2}",
    limit=LONG,
    keywords=["standard deviation", "spread", "standard deviation of a sample"],
    cases=[
        case(values=[10000001.0, 10000003.0, 10000002.0], result=1.0, origin="strd, NumAcc1, certified value"),
        case(values=DATA, result=3.526829565730996, origin=MP),
        case(values=[3.0, 3.0, 3.0], result=0.0, origin="by hand"),
    ],
)
def std(values: NDArray[Any]) -> Any:
    """Standard deviation of a sample, with divisor n - 1."""
    return order.square_root(squares(values) / (int(values.size) - 1))


@capability(
    "stats.std_population",
    tier="certified",
    source="kendall1994, sec. 2.19",
    params={"values": VALUES},
    result=R(unit="?u", about="population standard deviation"),
    latex=r"\sigma = \sqrt{\frac{1}{n} \sum_i (x_i - \bar{x})^2}",
    limit=LONG,
    cases=[
        case(values=[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], result=2.0, origin="by hand"),
        case(values=DATA, result=3.299046974127528, origin=MP),
        case(
            values=[-2.55, -2.18, -1.94, 4.07, 3.41, 2.2],
            result=2.7851236756899844,
            within=1e-14,
            origin="numpy 2.4.6, numpy.std",
        ),
    ],
)
def std_population(values: NDArray[Any]) -> Any:
    """Standard deviation of a whole population, with divisor n."""
    return order.square_root(squares(values) / int(values.size))


@capability(
    "stats.weighted_variance",
    tier="certified",
    source="kendall1994, sec. 2.19",
    params={"values": VALUES, "weights": WEIGHTS},
    result=R(unit="?u^2", about="weighted variance"),
    latex=r"\frac{\sum_i w_i (x_i - \bar{x}_w)^2}{\sum_i w_i}",
    limit=MEDIUM,
    cases=[
        case(values=[1.0, 2.0, 4.0], weights=[1.0, 1.0, 2.0], result=1.6875, origin="by hand"),
        case(values=[0.1, 0.2, 0.7], weights=[0.3, 0.3, 0.1], result=0.03918367346938775, origin=EXACT),
        case(
            values=[1.27, 0.19, -0.111, -2.68, 2.06, -2.5],
            weights=[0.894, 2.03, 0.981, 1.46, 1.02, 3.67],
            result=2.9997798367618973,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.weightstats.DescrStatsW: var",
        ),
    ],
)
def weighted_variance(values: NDArray[Any], weights: NDArray[Any]) -> Any:
    """Variance of a population in which every value counts by its weight, with the sum of the weights as divisor."""
    weight = sums.total(weights)
    if not weight:
        raise DomainError("weights", expected="a sum above 0")
    return _weighted_squares(values, weights, weight) / weight


def _weighted_squares(values: NDArray[Any], weights: NDArray[Any], weight: Any) -> Any:
    x, w = sums.rationals(values), sums.rationals(weights)
    first = sums.dot(values, weights)
    return sum((b * a * a for a, b in zip(x, w, strict=True)), fmpq(0)) - first * first / weight


@capability(
    "stats.frequency_variance",
    tier="certified",
    source="nist2012, sec. 1.3.5.2",
    params={
        "values": VALUES,
        "counts": P("int[n]", domain="[0, 1000000000]", about="how often each value was observed", symbol="f"),
    },
    result=R(unit="?u^2", about="sample variance"),
    latex=r"\frac{\sum_i f_i (x_i - \bar{x})^2}{\sum_i f_i - 1}",
    limit=MEDIUM,
    keywords=["grouped data", "frequency table"],
    cases=[
        case(values=[1.0, 2.0, 6.0], counts=[1, 1, 1], result=7.0, origin="by hand"),
        case(values=[0.1, 0.4, 2.0], counts=[3, 2, 5], result=0.8921111111111111, origin=EXACT),
        case(values=[1.0, 2.0], counts=[0, 1], error="domain_error", origin="by hand: one observation does not vary"),
        case(
            values=[4.1, 2.28, 3.16],
            counts=[4, 3, 1],
            result=0.8143999999999998,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.weightstats.DescrStatsW: var, ddof 1",
        ),
    ],
)
def frequency_variance(values: NDArray[Any], counts: list[int]) -> Any:
    """Unbiased variance of a frequency table: each value observed a whole number of times."""
    size = sum(counts)
    if size < 2:
        raise DomainError("counts", expected="a sum of 2 or more")
    x = sums.rationals(values)
    first = sum((a * f for a, f in zip(x, counts, strict=True)), fmpq(0))
    second = sum((a * a * f for a, f in zip(x, counts, strict=True)), fmpq(0))
    return (second - first * first / size) / (size - 1)


@capability(
    "stats.standard_error",
    tier="certified",
    source="nist2012, sec. 1.3.5.2",
    params={"values": TWO},
    result=R(unit="?u", about="standard error of the mean, from the variance with divisor n - 1"),
    latex=r"\frac{s}{\sqrt{n}}",
    limit=LONG,
    keywords=["SEM"],
    cases=[
        case(values=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], result=0.8660254037844386, origin=MP),
        case(values=DATA, result=1.246922551008797, origin=MP),
        case(
            values=[-2.98, 4.5, -3.39], result=2.564399431532546, within=1e-14, origin="scipy 1.17.1, scipy.stats.sem"
        ),
    ],
)
def standard_error(values: NDArray[Any]) -> Any:
    """Standard error of the mean of a sample."""
    size = int(values.size)
    return order.square_root(squares(values) / (size * (size - 1)))


@capability(
    "stats.coefficient_of_variation",
    tier="certified",
    source="kendall1994, sec. 2.24",
    params={"values": TWO},
    result=R(about="coefficient of variation"),
    latex=r"\frac{s}{|\bar{x}|}",
    limit=LONG,
    keywords=["relative standard deviation", "RSD"],
    cases=[
        case(values=[1.0, 2.0, 3.0], result=0.5, origin="by hand"),
        case(values=DATA, result=0.7318971861439162, origin=MP),
        case(values=[-1.0, 1.0], error="domain_error", origin="by hand: the mean is 0"),
        case(
            values=[4.75, 1.22, 1.36, 7.69],
            result=0.8227907481708243,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.variation: ddof 1",
        ),
    ],
)
def coefficient_of_variation(values: NDArray[Any]) -> Any:
    """Sample standard deviation over the magnitude of the mean."""
    size, average = int(values.size), sums.total(values) / int(values.size)
    if not average:
        raise DomainError("values", expected="a mean other than 0")
    return order.square_root(squares(values) / (size - 1) / (average * average))


@capability(
    "stats.index_of_dispersion",
    tier="certified",
    version=2,
    source="kendall1994, sec. 5.10",
    params={
        "values": P(
            "float64[n]",
            unit="?u",
            domain="[0, inf)",
            about="sample of two values or more, none negative",
            min_size=2,
            symbol="x",
        )
    },
    result=R(unit="?u", range="[0, inf)", about="variance to mean ratio"),
    latex=r"\frac{s^2}{\bar{x}}",
    limit=LONG,
    keywords=["Fano factor", "variance to mean ratio", "overdispersion"],
    cases=[
        case(values=[1.0, 3.0], result=1.0, origin="by hand"),
        case(values=DATA, result=2.581276635167686, origin=EXACT),
        case(
            values=[5.01, 6.31],
            result=0.14929328621908125,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.variation: squared, times the mean",
        ),
    ],
)
def index_of_dispersion(values: NDArray[Any]) -> Any:
    """Sample variance over the mean: 1 is expected of Poisson counts."""
    size, first = int(values.size), sums.total(values)
    if not first:
        raise DomainError("values", expected="a mean other than 0")
    return squares(values) / (size - 1) / (first / size)


@capability(
    "stats.range",
    tier="certified",
    source="nist2012, sec. 1.3.5.6",
    keywords=["spread of values"],
    params={"values": VALUES},
    result=R(unit="?u", about="range"),
    latex=r"x_{(n)} - x_{(1)}",
    limit=LONG,
    cases=[
        case(values=[3.0, -1.5, 7.0], result=8.5, origin="by hand"),
        case(values=[0.1, 0.3, 0.2], result=0.19999999999999998, origin=EXACT),
        case(values=[2.6, 0.794, 1.6, 4.79, 0.301], result=4.489, within=1e-14, origin="numpy 2.4.6, numpy.ptp"),
    ],
)
def spread(values: NDArray[Any]) -> Any:
    """Distance between the smallest and the largest value of a sample."""
    values = sums.finite(values)
    return order.rational(values.max()) - order.rational(values.min())


def _deviations(values: NDArray[Any]) -> Any:
    """The median of the absolute deviations from the median, in integers that are twice or four times the values."""
    whole, exponent = sums.integers(values)
    whole.sort()
    size = len(whole)
    doubled = whole[(size - 1) // 2] + whole[size // 2]
    apart = sorted(abs(2 * value - doubled) for value in whole)
    return sums.scaled_by(apart[(size - 1) // 2] + apart[size // 2], exponent) / 4


@capability(
    "stats.mad",
    tier="certified",
    source="rousseeuw1993, sec. 1",
    params={"values": VALUES},
    result=R(unit="?u", about="median absolute deviation, not scaled to a standard deviation"),
    latex=r"\operatorname{median}_i |x_i - \tilde{x}|",
    limit=MEDIUM,
    keywords=["median absolute deviation", "robust scale"],
    cases=[
        case(values=[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0], result=1.0, origin="by hand"),
        case(values=DATA, result=1.4000000000000001, origin=EXACT),
        case(
            values=[-2.93, -1.81, 2.23, -3.81, -3.66],
            result=0.8799999999999999,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.median_abs_deviation",
        ),
    ],
)
def mad(values: NDArray[Any]) -> Any:
    """Median of the absolute deviations of a sample from its median."""
    return _deviations(sums.finite(values))


@capability(
    "stats.mad_std",
    tier="certified",
    source="rousseeuw1993, sec. 1",
    params={"values": VALUES},
    result=R(unit="?u", about="robust standard deviation"),
    latex=r"\frac{\operatorname{MAD}}{\Phi^{-1}(3/4)}",
    limit=MEDIUM,
    keywords=["normal consistent", "1.4826"],
    cases=[
        case(values=[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0], result=1.4826022185056018, origin=MP),
        case(values=DATA, result=2.075643105907843, origin=MP),
        case(
            values=[-2.33, 3.31, -4.86, -2.47, 2.21],
            result=3.7509836128191734,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.median_abs_deviation: scale 'normal'",
        ),
    ],
)
def mad_std(values: NDArray[Any]) -> Any:
    """Standard deviation of a normal population estimated by the median absolute deviation."""
    deviation = _deviations(sums.finite(values))
    return arb(deviation) / special.normal_quantile(fmpq(3, 4)) if deviation else fmpq(0)


@capability(
    "stats.mean_absolute_deviation",
    tier="certified",
    source="kendall1994, sec. 2.18",
    params={"values": VALUES},
    result=R(unit="?u", about="mean absolute deviation"),
    latex=r"\frac{1}{n} \sum_i |x_i - \bar{x}|",
    limit=MEDIUM,
    cases=[
        case(values=[1.0, 2.0, 6.0], result=2.0, origin="by hand"),
        case(values=DATA, result=2.21875, origin=EXACT),
        case(
            values=[1.27, 2.48, -3.48, -3.4, -0.967],
            result=2.15552,
            within=1e-14,
            origin="HydroErr 2.0.0, HydroErr.mae: to the mean",
        ),
    ],
)
def mean_absolute_deviation(values: NDArray[Any]) -> Any:
    """Mean of the absolute deviations of a sample from its mean."""
    whole, exponent = sums.integers(values)
    size, everything = len(whole), sum(whole)
    return sums.scaled_by(sum(abs(size * value - everything) for value in whole), exponent) / (size * size)


def _pair_differences(values: NDArray[Any]) -> Any:
    """The sum of |x_i - x_j| over pairs i < j."""
    whole, exponent = sums.integers(np.sort(values))
    size = len(whole)
    return sums.scaled_by(sum((2 * place - size + 1) * value for place, value in enumerate(whole)), exponent)


@capability(
    "stats.mean_difference",
    tier="certified",
    source="kendall1994, sec. 2.22",
    params={"values": TWO},
    result=R(unit="?u", about="mean difference"),
    latex=r"\frac{2}{n (n-1)} \sum_{i < j} |x_i - x_j|",
    limit=MEDIUM,
    keywords=["Gini mean difference"],
    cases=[
        case(values=[1.0, 2.0, 6.0], result=3.3333333333333335, origin="by hand: 1, 4 and 5 in the mean"),
        case(values=DATA, result=3.8589285714285713, origin=EXACT),
        case(
            values=[-1.25, 4.63, 1.93, -2.97, -3.12, 0.129],
            result=3.655266666666667,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.lmoment: order 2, twice",
        ),
    ],
)
def mean_difference(values: NDArray[Any]) -> Any:
    """Mean absolute difference between all pairs of different members of a sample, after Gini."""
    size = int(values.size)
    return 2 * _pair_differences(values) / (size * (size - 1))


@capability(
    "stats.gini",
    tier="certified",
    source="cowell2011, sec. 2.2",
    params={"values": P("float64[n]", unit="?u", domain="[0, inf)", about="incomes", min_size=1, symbol="x")},
    result=R(about="Gini coefficient"),
    latex=r"\frac{\sum_{i < j} |x_i - x_j|}{n^2 \bar{x}}",
    limit=MEDIUM,
    keywords=["inequality", "Lorenz curve", "concentration", "Gini coefficient"],
    cases=[
        case(values=[1.0, 1.0, 1.0], result=0.0, origin="by hand: everyone has the same"),
        case(values=[0.0, 0.0, 0.0, 8.0], result=0.75, origin="by hand: one of four has everything"),
        case(values=DATA, result=0.35035667963683526, origin=EXACT),
        case(
            values=[10.4, 17.6, 10.7, 3.17, 8.87, 7.5],
            result=0.23832417582417584,
            within=1e-14,
            origin="quantecon 0.11.4, quantecon.gini_coefficient",
        ),
    ],
)
def gini(values: NDArray[Any]) -> Any:
    """Gini coefficient of inequality of incomes, without correction for small samples."""
    everything = sums.total(values)
    if not everything:
        raise DomainError("values", expected="a sum above 0")
    return _pair_differences(values) / (int(values.size) * everything)


@capability(
    "stats.pooled_variance",
    tier="certified",
    source="nist2012, sec. 7.3.1",
    compares=["first", "second"],
    params={
        "first": P("float64[m]", unit="?u", about="one sample", min_size=2),
        "second": P("float64[n]", unit="?u", about="the other sample", min_size=2),
    },
    result=R(unit="?u^2", about="pooled variance"),
    latex=r"\frac{(m-1) s_1^2 + (n-1) s_2^2}{m + n - 2}",
    limit={"m": 1_000_000, "n": 1_000_000},
    cases=[
        case(first=[1.0, 3.0], second=[1.0, 2.0, 6.0], result=5.333333333333333, origin="by hand"),
        case(first=DATA, second=LEW, result=8.72796875, origin=EXACT),
        case(
            first=[-3.52, 2.81, 1.96, -3.11],
            second=[-2.76, -3.65, 3.63, -0.0384, 4.36, 3.9],
            result=12.042275766666664,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.weightstats.CompareMeans: pooled",
        ),
    ],
)
def pooled_variance(first: NDArray[Any], second: NDArray[Any]) -> Any:
    """Common variance of two samples whose means may differ."""
    return (squares(first) + squares(second)) / (int(first.size) + int(second.size) - 2)


@capability(
    "stats.geometric_std",
    tier="certified",
    source="kendall1994, sec. 6.30",
    params={"values": POSITIVE},
    result=R(about="geometric standard deviation, with divisor n - 1"),
    latex=r"\exp \sqrt{\frac{1}{n-1} \sum_i \left(\ln x_i - \overline{\ln x}\right)^2}",
    limit={"n": 100_000},
    keywords=["lognormal", "multiplicative"],
    cases=[
        case(values=DATA, result=4.272618996525047, origin=MP),
        case(values=[3.0, 3.0], result=1.0, origin="by hand"),
        case(values=[0.537, 2.8], result=3.214589263799576, within=1e-14, origin="scipy 1.17.1, scipy.stats.gstd"),
    ],
)
def geometric_std(values: NDArray[Any]) -> Any:
    """Factor by which a positive sample spreads: the standard deviation of the logarithms, as a power of e."""
    if values.min() == values.max():
        return 1
    logs = [arb(value).log() for value in values.tolist()]
    centre = sum(logs, arb(0)) / len(logs)
    return (sum(((x - centre) ** 2 for x in logs), arb(0)) / (len(logs) - 1)).sqrt().exp()
