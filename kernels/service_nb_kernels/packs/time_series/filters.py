"""Differences, filters, transforms and charts of a series."""

from __future__ import annotations

from math import comb

from flint import arb, fmpq

from service_nb_kernels.certified import order as ordering
from service_nb_kernels.certified import sums
from service_nb_kernels.certified.rounding import check_growth
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError

SERIES = P("float64[n]", unit="?u", about="series in the order of time", min_size=1, symbol="x")
ALPHA = P(domain="[0, 1]", about="weight of the newest value in the level", symbol=r"\alpha")
RECURSIVE = {"n": 3000}
DATA = [2.5, 3.1, 4.7, 5.0, 5.9, 5.0, 12.25, 0.1, 3.5, 4.25]
EXACT = "Python 3.11, fractions.Fraction"


@capability(
    "time_series.difference",
    tier="certified",
    source="box2015, sec. 4.1",
    params={
        "series": SERIES,
        "order": P("int", domain="[1, 20]", about="how often differences are taken", symbol="d"),
        "lag": P("int", domain="[1, 100000]", about="distance of the values, 1 or a season", symbol="s"),
    },
    result=R("float64[k]", unit="?u", about="differences, from the value order * lag places after the first on"),
    latex=r"(1 - B^s)^d x_t",
    limit={"n": 100_000},
    keywords=["seasonal difference", "integration", "stationarity"],
    cases=[
        case(series=[1.0, 4.0, 9.0, 16.0], order=2, lag=1, result=[2.0, 2.0], origin="by hand"),
        case(series=[1.0, 2.0, 5.0, 7.0], order=1, lag=2, result=[4.0, 5.0], origin="by hand"),
        case(series=[0.1, 0.2, 0.4], order=2, lag=1, result=[0.1], origin=EXACT),
        case(
            series=[0.123, 2.97, -4.62, -2.06, 1.04, 0.395, 3.7, -2.33, -4.67, 0.278, 2.51, 4.16],
            order=2,
            lag=1,
            result=[
                -10.437000000000001,
                10.15,
                0.54,
                -3.745,
                3.95,
                -9.335,
                3.6900000000000004,
                7.288,
                -2.7160000000000006,
                -0.5819999999999994,
            ],
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.tsa.statespace.tools.diff",
        ),
    ],
)
def difference(series, order, lag):
    """Differences of a series of a stated order and lag, each exact before its one rounding."""
    whole, exponent = sums.integers(series)
    if order * lag >= len(whole):
        raise DomainError("order", order, "order times lag below the length of the series")
    signs = [(-1) ** k * comb(order, k) for k in range(order + 1)]
    return [
        sums.scaled_by(sum(sign * whole[t - k * lag] for k, sign in enumerate(signs)), exponent)
        for t in range(order * lag, len(whole))
    ]


@capability(
    "time_series.croston",
    tier="certified",
    version=2,
    source="croston1972",
    params={
        "demand": P("float64[n]", unit="?u", domain="[0, inf)", about="demand of each period, often 0", min_size=1),
        "alpha": ALPHA,
    },
    result=R(unit="?u", about="forecast of the mean demand per period"),
    limit=RECURSIVE,
    keywords=["intermittent demand", "spare parts", "inventory"],
    cases=[
        case(demand=[0.0, 4.0, 0.0, 2.0], alpha=0.5, result=1.5, origin="by hand: size 3 over interval 2"),
        case(demand=[0.0, 0.0, 8.0, 0.0, 4.0], alpha=0.5, result=2.4, origin="by hand: size 6 over interval 2.5"),
        case(demand=[0.0, 0.0], alpha=0.5, error="domain_error", origin="by hand: no demand"),
    ],
)
def croston(demand, alpha):
    """Mean demand per period from smoothed sizes and smoothed intervals of intermittent demand, after Croston."""
    weight, size, interval, waited = ordering.rational(alpha), None, None, 0
    for value in sums.rationals(sums.finite(demand, "demand")):
        waited += 1
        if value != 0:
            size = value if size is None else size + weight * (value - size)
            interval = fmpq(waited) if interval is None else interval + weight * (waited - interval)
            waited = 0
            check_growth(size)
    if size is None:
        raise DomainError("demand", expected="a period with demand")
    return size / interval


@capability(
    "time_series.hodrick_prescott",
    tier="certified",
    version=2,
    source="hodrick1997, eq. 2",
    params={
        "series": P("float64[n]", unit="?u", about="series in the order of time", min_size=3, symbol="y"),
        "smoothness": P(
            domain="[0, 1e12]", about="penalty on the curvature, such as 1600 for quarters", symbol=r"\lambda"
        ),
    },
    result=R("float64[n]", unit="?u", about="trend"),
    limit={"n": 600},
    keywords=["HP filter", "business cycle", "trend"],
    cases=[
        case(
            series=[1.0, 2.0, 3.0, 4.0],
            smoothness=1600.0,
            result=[1.0, 2.0, 3.0, 4.0],
            origin="by hand: a line is its own trend",
        ),
        case(
            series=[0.0, 3.0, 0.0],
            smoothness=1.0,
            result=[0.8571428571428571, 1.2857142857142858, 0.8571428571428571],
            origin="by hand: y - 6/7 (-1, 2, -1)",
        ),
        case(
            series=DATA,
            smoothness=100.0,
            result=[
                3.843628654797725,
                4.136628941875245,
                4.41619294240479,
                4.65851808041963,
                4.842639850528987,
                4.951008566537888,
                4.976648143746071,
                4.913072411787902,
                4.826528718860286,
                4.735133689042247,
            ],
            within=1e-11,
            origin="statsmodels 0.15.0, statsmodels.tsa.filters.hp_filter.hpfilter",
        ),
    ],
)
def hodrick_prescott(series, smoothness):
    """Trend that balances closeness to a series against curvature, by the filter of Hodrick and Prescott."""
    x, penalty = sums.rationals(sums.finite(series, "series")), ordering.rational(smoothness)
    size = len(x)
    matrix = [[fmpq(int(i == j)) for j in range(size)] for i in range(size)]
    for start in range(size - 2):
        for i, a in enumerate((1, -2, 1)):
            for j, b in enumerate((1, -2, 1)):
                matrix[start + i][start + j] += penalty * a * b
    for pivot in range(size):  # banded and positive definite: no other rows are touched
        for row in range(pivot + 1, min(pivot + 3, size)):
            factor = matrix[row][pivot] / matrix[pivot][pivot]
            for column in range(pivot, min(pivot + 3, size)):
                matrix[row][column] -= factor * matrix[pivot][column]
            x[row] -= factor * x[pivot]
    for row in reversed(range(size)):
        known = sum((matrix[row][k] * x[k] for k in range(row + 1, min(row + 3, size))), fmpq(0))
        x[row] = (x[row] - known) / matrix[row][row]
    return x


@capability(
    "time_series.box_cox",
    tier="certified",
    source="boxcox1964",
    params={
        "series": P("float64[n]", domain="(0, inf)", about="positive values", min_size=1, symbol="x"),
        "power": P(domain="[-100, 100]", about="power; 0 is the logarithm", symbol=r"\lambda"),
    },
    result=R("float64[n]", about="transformed values"),
    latex=r"\frac{x^\lambda - 1}{\lambda}",
    limit={"n": 20_000},
    keywords=["power transform", "variance stabilising"],
    cases=[
        case(series=[1.0, 4.0], power=0.5, result=[0.0, 2.0], origin="by hand"),
        case(series=[1.0, 2.5], power=0.0, result=[0.0, 0.9162907318741551], origin="mpmath 1.4.1, 60 digits"),
        case(
            series=[0.3, 2.5],
            power=0.3,
            result=[-1.0105156602135037, 1.0546073477807913],
            origin="mpmath 1.4.1, 60 digits",
        ),
        case(
            series=[7.96, 1.62, 4.22],
            power=1.35,
            result=[11.446317117353258, 0.6799890958830123, 4.433397648279748],
            within=1e-14,
            origin="scipy 1.17.1, scipy.special.boxcox",
        ),
    ],
)
def box_cox(series, power):
    """Values under the power transform of Box and Cox."""
    values = series.tolist()
    if power == 0:
        return [arb(value).log() if value != 1 else fmpq(0) for value in values]
    exponent = arb(power)
    return [((exponent * arb(value).log()).expm1()) / exponent if value != 1 else fmpq(0) for value in values]


@capability(
    "time_series.cusum",
    tier="certified",
    source="page1954",
    params={
        "series": SERIES,
        "target": P(unit="?u", about="mean in control"),
        "slack": P(unit="?u", domain="[0, inf)", about="deviation that is let pass, half of the shift to be found"),
    },
    result=R(
        fields={
            "high": R("float64[n]", unit="?u", about="upper sums"),
            "low": R("float64[n]", unit="?u", about="lower sums"),
        }
    ),
    limit={"n": 100_000},
    keywords=["control chart", "change detection", "Page"],
    cases=[
        case(
            series=[1.0, 3.0, 2.0, -4.0],
            target=0.0,
            slack=1.0,
            result={"high": [0.0, 2.0, 3.0, 0.0], "low": [0.0, 0.0, 0.0, 3.0]},
            origin="by hand",
        ),
        case(
            series=[5.5, 4.0, 4.0],
            target=5.0,
            slack=0.25,
            result={"high": [0.25, 0.0, 0.0], "low": [0.0, 0.75, 1.5]},
            origin="by hand",
        ),
        case(
            series=[2.56, 2.24, -0.0215, 2.87, 2.39, -1.29],
            target=0.348,
            slack=0.778,
            result={
                "high": [
                    1.4340000000000002,
                    2.5480000000000005,
                    1.4005000000000005,
                    3.1445000000000003,
                    4.4085,
                    1.9925000000000002,
                ],
                "low": [0.0, 0.0, 0.0, 0.0, 0.0, 0.86],
            },
            within=1e-14,
            origin="capstat-core 0.4.3, capstat_core.cusum_chart",
        ),
    ],
)
def cusum(series, target, slack):
    """Upper and lower cumulative sums of a control chart, each held at 0 from below."""
    aim, free = ordering.rational(target), ordering.rational(slack)
    high, low, found = fmpq(0), fmpq(0), {"high": [], "low": []}
    for value in sums.rationals(sums.finite(series, "series")):
        high, low = max(fmpq(0), high + value - aim - free), max(fmpq(0), low - value + aim - free)
        found["high"].append(high)
        found["low"].append(low)
    return found
