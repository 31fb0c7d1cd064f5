"""The shape of a sample: moments, skewness, kurtosis, k-statistics and L-moments, from exact power sums."""

from __future__ import annotations

from math import comb
from typing import Any

from flint import fmpq

from service_nb_kernels.certified import order, sums
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray, np

TWO = P("float64[n]", unit="?u", about="sample of two values or more", min_size=2, symbol="x")
THREE = P("float64[n]", unit="?u", about="sample of three values or more", min_size=3, symbol="x")
FOUR = P("float64[n]", unit="?u", about="sample of four values or more", min_size=4, symbol="x")
LIMIT = {"n": 1_000_000}
DATA = [2.5, 3.1, 4.7, 5.0, 5.9, 5.0, 12.25, 0.1]
EXACT = "Python 3.11, fractions.Fraction"
MP = "mpmath 1.4.1, 60 digits"


def central(values: NDArray[Any], highest: int) -> Any:
    """Return the exact central moments 0, 1, ... of a sample, with divisor n."""
    powers = sums.power_sums(values, highest)
    size, shift = powers[0], powers[1] / powers[0]
    return [
        sum((comb(k, j) * powers[j] * (-shift) ** (k - j) for j in range(k + 1)), fmpq(0)) / size
        for k in range(highest + 1)
    ]


def _varying(second: Any) -> Any:
    if not second:
        raise DomainError("values", expected="values that are not all equal")
    return second


@capability(
    "stats.raw_moment",
    tier="certified",
    source="kendall1994, sec. 3.1",
    params={
        "values": P("float64[n]", about="sample", min_size=1, symbol="x"),
        "order": P("int", domain="[1, 20]", about="order of the moment", symbol="k"),
    },
    result=R(about="raw moment"),
    latex=r"\frac{1}{n} \sum_i x_i^k",
    limit=LIMIT,
    keywords=["moment about zero"],
    cases=[
        case(values=[1.0, 2.0, 3.0], order=3, result=12.0, origin="by hand"),
        case(values=DATA, order=5, result=36491.42202269531, origin=EXACT),
        case(
            values=[-2.71, 4.68],
            order=5,
            result=1049.4503787608496,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.moment: center 0",
        ),
    ],
)
def raw_moment(values: NDArray[Any], order: int) -> Any:
    """Mean of a power of the values of a sample: a moment about zero."""
    return sums.power_sums(values, order)[order] / int(values.size)


@capability(
    "stats.central_moment",
    tier="certified",
    source="kendall1994, sec. 3.2",
    params={
        "values": P("float64[n]", about="sample", min_size=1, symbol="x"),
        "order": P("int", domain="[1, 20]", about="order of the moment", symbol="k"),
    },
    result=R(about="central moment"),
    latex=r"m_k = \frac{1}{n} \sum_i (x_i - \bar{x})^k",
    limit=LIMIT,
    keywords=["moment about the mean"],
    cases=[
        case(values=[1.0, 2.0, 6.0], order=3, result=6.0, origin="by hand: (-8 - 1 + 27) / 3"),
        case(values=DATA, order=4, result=448.05470312042235, origin=EXACT),
        case(values=DATA, order=1, result=0.0, origin="by hand"),
        case(
            values=[4.23, -1.48, 1.45, 3.77],
            order=3,
            result=-6.303524906250002,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.moment",
        ),
    ],
)
def central_moment(values: NDArray[Any], order: int) -> Any:
    """Mean of a power of the deviations of a sample from its mean."""
    return central(values, order)[order]


@capability(
    "stats.skewness",
    tier="certified",
    source="joanes1998, g1",
    params={"values": TWO},
    result=R(about="skewness"),
    latex=r"g_1 = \frac{m_3}{m_2^{3/2}}",
    limit=LIMIT,
    keywords=["asymmetry", "third standardised moment"],
    cases=[
        case(values=[1.0, 2.0, 3.0], result=0.0, origin="by hand"),
        case(values=DATA, result=1.0062382316498872, origin=MP),
        case(values=[2.0, 2.0], error="domain_error", origin="by hand: nothing varies"),
        case(
            values=[-1.26, 2.51, 3.79, -2.06, 3.82],
            result=-0.33890059415235585,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.skew",
        ),
    ],
)
def skewness(values: NDArray[Any]) -> Any:
    """Skewness of a sample: third standardized moment, with divisors n."""
    _, _, second, third = central(values, 3)
    return third / _varying(second) / order.square_root(second)


@capability(
    "stats.skewness_adjusted",
    tier="certified",
    source="joanes1998, G1",
    params={"values": THREE},
    result=R(about="adjusted skewness"),
    latex=r"G_1 = \frac{\sqrt{n (n-1)}}{n-2} g_1",
    limit=LIMIT,
    keywords=["unbiased skewness", "Fisher-Pearson", "SKEW"],
    cases=[
        case(values=DATA, result=1.2549995707690496, origin=MP),
        case(
            values=[3.0, 4.0, 5.0, 2.0, 3.0, 4.0, 5.0, 6.0, 4.0, 7.0],
            result=0.359543,
            within=2e-6,
            origin="excel, example of the function SKEW",
        ),
    ],
)
def skewness_adjusted(values: NDArray[Any]) -> Any:
    """Skewness of a sample corrected for its size, as spreadsheets and statistical packages print it."""
    size = int(values.size)
    _, _, second, third = central(values, 3)
    return third / _varying(second) * order.square_root(fmpq(size * (size - 1)) / second) / (size - 2)


@capability(
    "stats.kurtosis_excess",
    tier="certified",
    source="joanes1998, g2",
    params={"values": TWO},
    result=R(about="excess kurtosis"),
    latex=r"g_2 = \frac{m_4}{m_2^2} - 3",
    limit=LIMIT,
    keywords=["tails", "Fisher kurtosis"],
    cases=[
        case(values=[-1.0, 1.0], result=-2.0, origin="by hand: the least there is"),
        case(values=DATA, result=0.782483505627454, origin=EXACT),
        case(
            values=[-1.79, -4.16, 4.58, 1.1, 4.27, 0.00767, -2.07, -0.668, 2.21],
            result=-1.0539678756849613,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.kurtosis",
        ),
    ],
)
def kurtosis_excess(values: NDArray[Any]) -> Any:
    """Fourth standardized moment of a sample less the 3 of a normal distribution, with divisors n."""
    _, _, second, _, fourth = central(values, 4)
    return fourth / _varying(second) ** 2 - 3


@capability(
    "stats.kurtosis_adjusted",
    tier="certified",
    source="joanes1998, G2",
    params={"values": FOUR},
    result=R(about="adjusted excess kurtosis"),
    latex=r"G_2 = \frac{n-1}{(n-2)(n-3)} \left((n+1) g_2 + 6\right)",
    limit=LIMIT,
    keywords=["unbiased kurtosis", "KURT"],
    cases=[
        case(values=DATA, result=3.043215361817653, origin=EXACT),
        case(
            values=[3.0, 4.0, 5.0, 2.0, 3.0, 4.0, 5.0, 6.0, 4.0, 7.0],
            result=-0.151799637,
            within=2e-9,
            origin="excel, example of the function KURT",
        ),
    ],
)
def kurtosis_adjusted(values: NDArray[Any]) -> Any:
    """Excess kurtosis of a sample corrected for its size, as spreadsheets and statistical packages print it."""
    size = int(values.size)
    return fmpq(size - 1, (size - 2) * (size - 3)) * ((size + 1) * kurtosis_excess(values) + 6)


@capability(
    "stats.k_statistic",
    tier="certified",
    version=2,
    source="kendall1994, sec. 12.7",
    params={
        "values": P("float64[n]", about="sample of as many values as the order or more", min_size=1, symbol="x"),
        "order": P("int", domain="[1, 4]", about="order of the cumulant", symbol="r"),
    },
    result=R(about="k-statistic"),
    limit=LIMIT,
    keywords=["cumulant", "Fisher", "unbiased"],
    requires=["len(values) >= order"],
    cases=[
        case(values=[1.0, 2.0, 6.0, 7.0], order=2, result=8.666666666666666, origin="by hand"),
        case(values=[1.0, 2.0, 6.0], order=3, result=27.0, origin="by hand: 9 * 6 / 2"),
        case(values=DATA, order=3, result=55.05502901785725, within=1e-12, origin="scipy 1.17.1, scipy.stats.kstat"),
        case(values=DATA, order=4, result=470.83699470981514, within=1e-12, origin="scipy 1.17.1, scipy.stats.kstat"),
    ],
)
def k_statistic(values: NDArray[Any], order: int) -> Any:
    """Unbiased estimate of a cumulant of the population, after Fisher."""
    n = int(values.size)
    if order == 1:
        return sums.mean(values)
    moments = central(values, order)
    if order == 2:
        return moments[2] * fmpq(n, n - 1)
    if order == 3:
        return moments[3] * fmpq(n * n, (n - 1) * (n - 2))
    return fmpq(n * n, (n - 1) * (n - 2) * (n - 3)) * ((n + 1) * moments[4] - 3 * (n - 1) * moments[2] ** 2)


def _l_moments(values: NDArray[Any], most: int = 4) -> Any:
    """The first sample L-moments, up to four, through the probability-weighted moments b_0 ... b_3."""
    whole, exponent = sums.integers(np.sort(sums.finite(values)))
    size = len(whole)
    b = []
    for r in range(most):
        weighted = sum(comb(place, r) * value for place, value in enumerate(whole))
        b.append(sums.scaled_by(weighted, exponent) / (size * comb(size - 1, r)))
    rows = ((1,), (-1, 2), (1, -6, 6), (-1, 12, -30, 20))[:most]
    return [sum((c * m for c, m in zip(row, b, strict=False)), fmpq(0)) for row in rows]


@capability(
    "stats.l_moments",
    tier="certified",
    source="hosking1990, sec. 2",
    params={"values": FOUR},
    result=R(
        fields={
            "l1": R(unit="?u", about="L-location, the mean"),
            "l2": R(unit="?u", about="L-scale"),
            "l3": R(unit="?u", about="third L-moment"),
            "l4": R(unit="?u", about="fourth L-moment"),
        }
    ),
    limit=LIMIT,
    keywords=["L-scale", "hydrology", "probability weighted moments"],
    cases=[
        case(
            values=[1.0, 2.0, 3.0, 4.0],
            result={"l1": 2.5, "l2": 0.8333333333333334, "l3": 0.0, "l4": 0.0},
            origin="by hand",
        ),
        case(
            values=DATA,
            result={"l1": 4.81875, "l2": 1.9294642857142856, "l3": 0.39375, "l4": 0.9616071428571429},
            origin="Python 3.11, fractions.Fraction, means over all subsamples",
        ),
        case(
            values=[3.44, 4.79, -1.45, -3.34],
            result={"l1": 0.86, "l2": 2.4400000000000004, "l3": -0.13500000000000112, "l4": -1.6349999999999971},
            within=1e-13,
            origin="scipy 1.17.1, scipy.stats.lmoment",
        ),
    ],
)
def l_moments(values: NDArray[Any]) -> Any:
    """First four L-moments of a sample, unbiased: means of linear combinations of order statistics."""
    return dict(zip(("l1", "l2", "l3", "l4"), _l_moments(values), strict=True))


@capability(
    "stats.l_skewness",
    tier="certified",
    version=2,
    source="hosking1990, sec. 2.5",
    params={"values": THREE},
    result=R(about="L-skewness"),
    latex=r"\tau_3 = \frac{l_3}{l_2}",
    limit=LIMIT,
    cases=[
        case(values=[1.0, 2.0, 3.0, 4.0], result=0.0, origin="by hand"),
        case(values=[1.0, 2.0, 6.0], result=0.6, origin="by hand: 1 over 5/3"),
        case(
            values=DATA, result=0.20407218880148079, origin="Python 3.11, fractions.Fraction, means over all subsamples"
        ),
        case(
            values=[-3.7, 4.95, 1.99, -1.5, -1.67, 1.29, 3.86],
            result=-0.005629629629630686,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.lmoment: order 3, standardized",
        ),
    ],
)
def l_skewness(values: NDArray[Any]) -> Any:
    """Third over second L-moment of a sample, between -1 and 1."""
    _, second, third = _l_moments(values, 3)
    return third / _varying(second)


@capability(
    "stats.l_kurtosis",
    tier="certified",
    source="hosking1990, sec. 2.5",
    params={"values": FOUR},
    result=R(about="L-kurtosis"),
    latex=r"\tau_4 = \frac{l_4}{l_2}",
    limit=LIMIT,
    cases=[
        case(values=[1.0, 2.0, 3.0, 4.0], result=0.0, origin="by hand"),
        case(
            values=DATA, result=0.49838037945395647, origin="Python 3.11, fractions.Fraction, means over all subsamples"
        ),
        case(
            values=[-1.94, -3.72, 4.37, -3.8, 2.44, 0.572, -1.55, 4.68],
            result=-0.15743186874305068,
            within=1e-13,
            origin="scipy 1.17.1, scipy.stats.lmoment: order 4, standardized",
        ),
    ],
)
def l_kurtosis(values: NDArray[Any]) -> Any:
    """Fourth over second L-moment of a sample."""
    _, second, _, fourth = _l_moments(values)
    return fourth / _varying(second)


@capability(
    "stats.median_skewness",
    tier="certified",
    source="kendall1994, sec. 3.31",
    params={"values": TWO},
    result=R(about="median skewness, with the sample standard deviation"),
    latex=r"\frac{3 (\bar{x} - \tilde{x})}{s}",
    limit=LIMIT,
    keywords=["Pearson second coefficient of skewness"],
    cases=[
        case(values=[1.0, 2.0, 6.0], result=1.1338934190276817, origin=MP),
        case(values=DATA, result=-0.02658194796565644, origin=MP),
        case(
            values=[-3.33, -3.24, -7.97, 6.07, 6.28, 0.0413, 4.95, -7.74, 8.55, 0.376],
            result=0.09601449529398728,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.stattools.robust_skewness: three times, divisor n - 1",
        ),
    ],
)
def median_skewness(values: NDArray[Any]) -> Any:
    """Three times the distance from median to mean over the standard deviation, after Pearson."""
    size = int(values.size)
    _, centre, second = (part / size for part in sums.power_sums(values, 2))
    spread = _varying(second - centre * centre) * fmpq(size, size - 1)
    return 3 * (centre - order.median(values)) / order.square_root(spread)
