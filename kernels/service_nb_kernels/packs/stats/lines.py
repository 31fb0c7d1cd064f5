"""Lines through points: least squares, weighted, robust and with errors in both coordinates."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from service_nb_kernels.certified import order, sums, tails
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray, np
from service_nb_kernels.packs.stats.least_squares import solved

X = P("float64[n]", unit="?u", about="values of the independent variable", min_size=2, symbol="x")
Y = P("float64[n]", unit="?v", about="values of the dependent variable", min_size=2, symbol="y")
LEVEL = P(domain="(0, 1)", about="confidence level", default=0.95, symbol=r"1 - \alpha")
RESPONSE = P("float64[n]", unit="?v", about="response of each observation", min_size=1, symbol="y")
LIMIT = {"n": 1_000_000}
XS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.5]
YS = [1.1, 1.9, 3.2, 3.9, 5.3, 6.1]
NORRIS_X = [0.2, 337.4, 118.2, 884.6, 10.1, 226.5, 666.3, 996.3, 448.6, 777.0, 558.2, 0.4, 0.6, 775.5, 666.9, 338.0]
NORRIS_X += [447.5, 11.6, 556.0, 228.1, 995.8, 887.6, 120.2, 0.3, 0.3, 556.8, 339.1, 887.2, 999.0, 779.0, 11.1, 118.3]
NORRIS_X += [229.2, 669.1, 448.9, 0.5]
NORRIS_Y = [0.1, 338.8, 118.1, 888.0, 9.2, 228.1, 668.5, 998.5, 449.1, 778.9, 559.2, 0.3, 0.1, 778.1, 668.8, 339.3]
NORRIS_Y += [448.9, 10.8, 557.7, 228.3, 998.0, 888.8, 119.6, 0.3, 0.6, 557.6, 339.3, 888.0, 998.5, 778.9, 10.2, 117.6]
NORRIS_Y += [228.9, 668.4, 449.2, 0.2]
EXACT = "Python 3.11, fractions.Fraction"
MP = "mpmath 1.4.1, 60 digits"
STRD = "strd, Norris, certified values"
SM = "statsmodels 0.15.0, statsmodels.api.OLS"


def line(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Return the exact least-squares line, and the sums that its errors need."""
    size = int(x.size)
    first_x, first_y = sums.total(x), sums.total(y)
    sxx = sums.dot(x, x) - first_x * first_x / size
    sxy = sums.dot(x, y) - first_x * first_y / size
    syy = sums.dot(y, y) - first_y * first_y / size
    if not sxx:
        raise DomainError("x", expected="values that are not all equal")
    slope = sxy / sxx
    centre = first_x / size
    rest = syy - slope * sxy
    return {"slope": slope, "intercept": first_y / size - slope * centre, "centre": centre, "sxx": sxx, "syy": syy,
            "rest": rest}  # fmt: skip


@capability(
    "stats.linear_regression",
    tier="certified",
    version=2,
    source="draper1998, ch. 1",
    params={
        "x": P("float64[n]", unit="?u", about="values of the independent variable", min_size=3, symbol="x"),
        "y": P("float64[n]", unit="?v", about="values of the dependent variable", min_size=3, symbol="y"),
    },
    result=R(
        fields={
            "slope": R(unit="?v/?u", about="slope"),
            "intercept": R(unit="?v", about="intercept"),
            "r_squared": R(about="coefficient of determination, not adjusted", range="[0, 1]"),
            "slope_error": R(unit="?v/?u", about="standard error of the slope", range="[0, inf)"),
            "intercept_error": R(unit="?v", about="standard error of the intercept", range="[0, inf)"),
            "residual_error": R(unit="?v", about="residual standard deviation, with divisor n - 2", range="[0, inf)"),
        }
    ),
    limit=LIMIT,
    keywords=["least squares", "straight line", "trend", "OLS", "calibration line"],
    cases=[
        case(
            x=XS,
            y=YS,
            result={
                "slope": 0.9505154639175257,
                "intercept": 0.17731958762886618,
                "r_squared": 0.9853999029998637,
                "slope_error": 0.05784965910680474,
                "intercept_error": 0.23290026565954666,
                "residual_error": 0.26005550557406293,
            },
            origin=MP,
        ),
        case(
            x=NORRIS_X,
            y=NORRIS_Y,
            within=1e-13,
            origin=STRD,
            result={
                "slope": 1.00211681802045,
                "intercept": -0.262323073774029,
                "r_squared": 0.999993745883712,
                "slope_error": 0.429796848199937e-3,
                "intercept_error": 0.232818234301152,
                "residual_error": 0.884796396144373,
            },
        ),
        case(x=[1.0, 1.0, 1.0], y=[1.0, 2.0, 3.0], error="domain_error", origin="by hand: a vertical line"),
    ],
)
def linear_regression(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Least-squares line through points: slope, intercept, their standard errors and the goodness of fit."""
    fit, size = line(x, y), int(x.size)
    if not fit["syy"]:
        raise DomainError("y", expected="values that are not all equal")
    residual = fit["rest"] / (size - 2)
    return {
        "slope": fit["slope"],
        "intercept": fit["intercept"],
        "r_squared": 1 - fit["rest"] / fit["syy"],
        "slope_error": order.square_root(residual / fit["sxx"]),
        "intercept_error": order.square_root(residual * (fmpq(1, size) + fit["centre"] ** 2 / fit["sxx"])),
        "residual_error": order.square_root(residual),
    }


def _interval(centre: fmpq, squared: Any, level: float, df: int) -> dict[str, Any]:
    if not squared:
        return {"low": centre, "high": centre}
    half = tails.student_quantile((1 - order.rational(level)) / 2, df) * order.square_root(squared)
    return {"low": centre - half, "high": centre + half}


@capability(
    "stats.slope_interval",
    tier="certified",
    version=2,
    source="draper1998, sec. 1.4",
    params={"x": X, "y": Y, "level": LEVEL},
    result=R(fields={"low": R(unit="?v/?u", about="lower limit"), "high": R(unit="?v/?u", about="upper limit")}),
    limit=LIMIT,
    keywords=["confidence interval", "regression slope"],
    cases=[
        case(x=XS, y=YS, level=0.95, result={"low": 0.7898990610530767, "high": 1.1111318667819747}, origin=MP),
        case(
            x=NORRIS_X,
            y=NORRIS_Y,
            level=0.95,
            result={"low": 1.0012433657355777, "high": 1.0029902703053304},
            within=1e-10,
            origin=SM,
        ),
    ],
    requires=["len(x) >= 3"],
)
def slope_interval(x: NDArray[Any], y: NDArray[Any], level: float) -> Any:
    """Confidence interval of the slope of the least-squares line."""
    fit, df = line(x, y), int(x.size) - 2
    return _interval(fit["slope"], fit["rest"] / df / fit["sxx"], level, df)


@capability(
    "stats.mean_response_interval",
    tier="certified",
    version=2,
    source="draper1998, sec. 3.1",
    params={"x": X, "y": Y, "at": P(unit="?u", about="where the line is read"), "level": LEVEL},
    result=R(fields={"low": R(unit="?v", about="lower limit"), "high": R(unit="?v", about="upper limit")}),
    limit=LIMIT,
    keywords=["confidence band", "regression line"],
    cases=[
        case(x=XS, y=YS, at=7.0, level=0.9, result={"low": 6.352622997444974, "high": 7.309232672658118}, origin=MP),
        case(
            x=XS,
            y=YS,
            at=2.0,
            level=0.95,
            result={"low": 1.689042064995589, "high": 2.4676589659322445},
            within=1e-10,
            origin=SM,
        ),
    ],
    requires=["len(x) >= 3"],
)
def mean_response_interval(x: NDArray[Any], y: NDArray[Any], at: float, level: float) -> Any:
    """Confidence interval of the mean of y at a stated x, from the least-squares line."""
    return _band(x, y, at, level, 0)


@capability(
    "stats.prediction_interval",
    tier="certified",
    version=2,
    source="draper1998, sec. 3.1",
    params={"x": X, "y": Y, "at": P(unit="?u", about="where the next observation is made"), "level": LEVEL},
    result=R(fields={"low": R(unit="?v", about="lower limit"), "high": R(unit="?v", about="upper limit")}),
    limit=LIMIT,
    keywords=["forecast interval", "new observation"],
    cases=[
        case(x=XS, y=YS, at=7.0, level=0.9, result={"low": 6.098716658113598, "high": 7.563139011989494}, origin=MP),
        case(
            x=XS,
            y=YS,
            at=2.0,
            level=0.95,
            result={"low": 1.258052915197557, "high": 2.8986481157302766},
            within=1e-10,
            origin=SM,
        ),
    ],
    requires=["len(x) >= 3"],
)
def prediction_interval(x: NDArray[Any], y: NDArray[Any], at: float, level: float) -> Any:
    """Interval that holds the next observation at a stated x with the stated probability."""
    return _band(x, y, at, level, 1)


def _band(x: NDArray[Any], y: NDArray[Any], at: float, level: float, own: int) -> Any:
    fit, size = line(x, y), int(x.size)
    place = order.rational(at)
    spread = own + fmpq(1, size) + (place - fit["centre"]) ** 2 / fit["sxx"]
    return _interval(fit["intercept"] + fit["slope"] * place, fit["rest"] / (size - 2) * spread, level, size - 2)


@capability(
    "stats.slope_through_origin",
    tier="certified",
    source="draper1998, sec. 1.1",
    params={"x": X, "y": Y},
    result=R(unit="?v/?u", about="slope"),
    latex=r"\frac{\sum_i x_i y_i}{\sum_i x_i^2}",
    limit={"n": 10_000_000},
    keywords=["regression without intercept", "proportionality"],
    cases=[
        case(x=[1.0, 2.0], y=[2.0, 3.0], result=1.6, origin="by hand"),
        case(x=XS, y=YS, result=0.9897172236503856, origin=EXACT),
        case(
            x=[-4.53, 4.86, 1.34, 2.48, 3.59, -2.19, -3.77, -2.48, 0.0525],
            y=[-2.92, 2.63, -3.68, -0.538, -0.366, -3.64, 4.95, -1.95, -0.792],
            result=0.13906136099722366,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.regression.linear_model.OLS",
        ),
    ],
)
def slope_through_origin(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Slope of the least-squares line that passes through the origin."""
    below = sums.dot(x, x)
    if not below:
        raise DomainError("x", expected="a value other than 0")
    return sums.dot(x, y) / below


@capability(
    "stats.weighted_linear_regression",
    tier="certified",
    source="draper1998, sec. 9.2",
    params={
        "x": X,
        "y": Y,
        "weights": P("float64[n]", domain="[0, inf)", about="weight of each point, such as 1 / variance"),
    },
    result=R(fields={"slope": R(unit="?v/?u", about="slope"), "intercept": R(unit="?v", about="intercept")}),
    limit={"n": 100_000},
    keywords=["weighted least squares", "WLS"],
    cases=[
        case(
            x=[0.0, 1.0, 2.0],
            y=[1.0, 3.0, 0.0],
            weights=[1.0, 1.0, 0.0],
            result={"slope": 2.0, "intercept": 1.0},
            origin="by hand: the last point has no weight",
        ),
        case(
            x=XS,
            y=YS,
            weights=[1.0, 2.0, 1.0, 0.5, 0.25, 2.0],
            result={"intercept": 0.17887500000000017, "slope": 0.922375},
            origin=EXACT,
        ),
        case(
            x=[4.74, 1.31, -0.645, -3.19, -2.41, -1.76, -2.84, -4.22, 3.78],
            y=[-1.97, 1.35, -0.59, 1.67, -1.2, 0.613, -1.45, -4.37, -0.952],
            weights=[2.08, 1.26, 1.53, 1.66, 2.13, 2.52, 2.79, 0.98, 1.42],
            result={"intercept": -0.7100607207573065, "slope": -0.03674708012174072},
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.regression.linear_model.WLS",
        ),
    ],
)
def weighted_linear_regression(x: NDArray[Any], y: NDArray[Any], weights: NDArray[Any]) -> Any:
    """Least-squares line through points that count by their weights."""
    design = [[fmpq(1), value] for value in sums.rationals(sums.finite(x))]
    intercept, slope = solved(design, sums.rationals(y), sums.rationals(weights))
    return {"slope": slope, "intercept": intercept}


NEAR, NEARER = 2.0**-48, 2.0**-94  # of a slope: more than what one double is off by, or two
TINY, HUGE = 2.0**-400, 2.0**400  # beyond them the error of a double may not be one


def _median_slope(x: NDArray[Any], y: NDArray[Any], rationals: Any, start: Any, end: Any) -> Any:
    """The exact median of the slopes of pairs of places; doubles tell which few of them can be it."""
    a, b = rationals
    check_deadline()
    (run, short), (rise, rest) = _difference(x[end], x[start]), _difference(y[end], y[start])

    def exact(pairs: Any) -> Any:
        return sorted(
            (b[last] - b[first]) / (a[last] - a[first])
            for first, last in zip(start[pairs].tolist(), end[pairs].tolist(), strict=True)
        )

    if not all((((abs(v) > TINY) & (abs(v) < HUGE)) | (v == 0)).all() for v in (x, y, run, rise)):
        return order.median_of(exact(slice(None)))
    slopes = rise / run

    def at(place: int) -> Any:
        """The slope at a place of the sorted order."""
        center = np.partition(slopes, place)[place]
        is_near = abs(slopes - center) <= NEAR * abs(center)
        place -= int(((slopes < center) & ~is_near).sum())
        near = np.flatnonzero(is_near)
        product, error = _product(slopes[near], run[near])
        missed = rise[near] - product - error + (rest[near] - slopes[near] * short[near])
        offsets = slopes[near] - center + missed / run[near]
        middle = np.partition(offsets, place)[place]
        is_near = abs(offsets - middle) <= NEARER * abs(center)
        place -= int(((offsets < middle) & ~is_near).sum())
        return exact(near[is_near])[place]

    return (at((start.size - 1) // 2) + at(start.size // 2)) / 2


def _difference(a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The difference of doubles, and what its rounding left out, after Knuth."""
    with np.errstate(over="ignore", invalid="ignore"):
        difference = a - b
        back = difference - a
        return difference, a - (difference - back) + (-b - back)


def _product(a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The product of doubles, and what its rounding left out, after Dekker."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return product, a_high * b_high - product + a_high * b_low + a_low * b_high + a_low * b_low


def _halves(a: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    scaled = a * 134217729.0  # 2**27 + 1
    high = scaled - (scaled - a)
    return high, a - high


@capability(
    "stats.theil_sen_slope",
    tier="certified",
    version=2,
    source="sen1968, sec. 3",
    params={"x": X, "y": Y},
    result=R(unit="?v/?u", about="slope"),
    latex=r"\operatorname{median}_{i < j} \frac{y_j - y_i}{x_j - x_i}",
    limit={"n": 1000},
    keywords=["robust regression", "median slope", "Sen"],
    cases=[
        case(
            x=[0.0, 1.0, 2.0, 3.0], y=[0.0, 1.0, 2.0, 30.0], result=5.5, origin="by hand: of 1, 1, 1, 10, 14.5 and 28"
        ),
        case(x=XS, y=YS, result=0.9333333333333332, within=1e-13, origin="scipy 1.17.1, scipy.stats.theilslopes"),
    ],
)
def theil_sen_slope(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Median of the slopes of all pairs of points with different x."""
    x, y = sums.finite(x), sums.finite(y)
    start, end = np.triu_indices(int(x.size), 1)
    is_apart = x[start] != x[end]
    if not is_apart.any():
        raise DomainError("x", expected="values that are not all equal")
    return _median_slope(x, y, (sums.rationals(x), sums.rationals(y)), start[is_apart], end[is_apart])


@capability(
    "stats.repeated_median_slope",
    tier="certified",
    version=2,
    source="siegel1982",
    params={"x": X, "y": Y},
    result=R(unit="?v/?u", about="slope"),
    limit={"n": 1000},
    keywords=["Siegel", "robust regression"],
    cases=[
        case(x=[0.0, 1.0, 2.0, 3.0], y=[0.0, 1.0, 2.0, 30.0], result=1.0, origin="by hand: of 1, 1, 1 and 14.5"),
        case(x=XS, y=YS, result=0.9666666666666666, within=1e-13, origin="scipy 1.17.1, scipy.stats.siegelslopes"),
    ],
)
def repeated_median_slope(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Median over the points of the median slope from each to the others, after Siegel."""
    x, y = sums.finite(x), sums.finite(y)
    if x.min() == x.max():
        raise DomainError("x", expected="values that are not all equal")
    exact, others = (sums.rationals(x), sums.rationals(y)), [np.flatnonzero(x != value) for value in x]
    return order.median_of(
        [_median_slope(x, y, exact, np.full(other.size, place), other) for place, other in enumerate(others)]
    )


@capability(
    "stats.deming_regression",
    tier="certified",
    source="fuller1987, sec. 1.3",
    params={
        "x": X,
        "y": Y,
        "ratio": P(
            unit="?v^2/?u^2", domain="(0, inf)", about="variance of the errors of y over that of x", symbol=r"\delta"
        ),
    },
    result=R(fields={"slope": R(unit="?v/?u", about="slope"), "intercept": R(unit="?v", about="intercept")}),
    limit=LIMIT,
    keywords=["errors in variables", "method comparison", "orthogonal regression", "total least squares"],
    cases=[
        case(
            x=[0.0, 1.0, 2.0],
            y=[1.0, 3.0, 5.0],
            ratio=1.0,
            result={"slope": 2.0, "intercept": 1.0},
            origin="by hand: the points are on a line",
        ),
        case(x=XS, y=YS, ratio=2.0, result={"slope": 0.954911704406644, "intercept": 0.16156639254285887}, origin=MP),
        case(
            x=[16.7, 0.849, 15.6, 9.73, 0.899, 17.2, 12.3],
            y=[37.625, 2.575, 34.2, 23.335, 4.298, 36.402, 27.45],
            ratio=2.67,
            result={"slope": 2.0899259141810984, "intercept": 1.8199155229751192},
            within=1e-07,
            origin="scipy 1.17.1, scipy.odr.ODR",
        ),
    ],
)
def deming_regression(x: NDArray[Any], y: NDArray[Any], ratio: float) -> Any:
    """Line through points when both coordinates have errors of a known ratio of variances."""
    fit, delta = line(x, y), order.rational(ratio)
    sxy = fit["slope"] * fit["sxx"]
    if not sxy:
        raise DomainError("x and y", expected="a covariance other than 0")
    gap = fit["syy"] - delta * fit["sxx"]
    slope = (gap + order.square_root(gap * gap + 4 * delta * sxy * sxy)) / (2 * sxy)
    return {"slope": slope, "intercept": sums.total(y) / int(y.size) - slope * fit["centre"]}


@capability(
    "stats.isotonic_regression",
    tier="certified",
    source="barlow1972, sec. 1.2",
    params={
        "response": RESPONSE,
        "weights": P("float64[n]", domain="(0, inf)", about="weight of each observation", symbol="w"),
    },
    result=R("float64[n]", unit="?v", about="fitted values, nowhere decreasing"),
    limit={"n": 100_000},
    keywords=["pool adjacent violators", "monotone regression"],
    cases=[
        case(
            response=[1.0, 3.0, 2.0, 4.0], weights=[1.0, 1.0, 1.0, 1.0], result=[1.0, 2.5, 2.5, 4.0], origin="by hand"
        ),
        case(
            response=[3.0, 0.0, 1.0], weights=[1.0, 2.0, 1.0], result=[1.0, 1.0, 1.0], origin="by hand: 4 / 4 for all"
        ),
        case(
            response=[3.38, 2.88, -0.951, -3.1, 0.752, 2.67],
            weights=[2.81, 1.74, 0.949, 2.34, 1.74, 2.75],
            result=[
                0.7997683474266626,
                0.7997683474266626,
                0.7997683474266626,
                0.7997683474266626,
                0.7997683474266626,
                2.67,
            ],
            within=1e-14,
            origin="scipy 1.17.1, scipy.optimize.isotonic_regression",
        ),
    ],
)
def isotonic_regression(response: NDArray[Any], weights: NDArray[Any]) -> Any:
    """Weighted least-squares fit among all sequences that nowhere decrease, by pooling adjacent violators."""
    blocks: list[tuple[fmpq, fmpq, int]] = []  # weighted sum, weight, observations
    for value, weight in zip(sums.rationals(sums.finite(response)), sums.rationals(weights), strict=True):
        block = (value * weight, weight, 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    return [total / weight for total, weight, count in blocks for _ in range(count)]
