"""Tests of trend, stationarity and randomness of a series."""

from __future__ import annotations

from itertools import pairwise

from flint import fmpq, fmpq_mat

from service_nb_kernels.certified import order, sums, tails
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import np
from service_nb_kernels.packs.time_series.dependence import autocovariances

SERIES = P("float64[n]", unit="?u", about="series in the order of time", min_size=2, symbol="x")
LIMIT = {"n": 1_000_000}
CHI2 = R(
    fields={
        "statistic": R(about="statistic"),
        "df": R("int", about="degrees of freedom"),
        "pvalue": R(about="p-value", range="[0, 1]"),
    }
)
DATA = [2.5, 3.1, 4.7, 5.0, 5.9, 5.0, 12.25, 0.1, 3.5, 4.25]
ROUNDED = fmpq(4, 10**32)  # the square of what decimals lose when they become doubles, relative to theirs
MP = "mpmath 1.4.1, 60 digits"
SM = "statsmodels 0.15.0, statsmodels."


@capability(
    "time_series.arch_test",
    tier="certified",
    version=2,
    source="engle1982",
    params={
        "residuals": P("float64[n]", unit="?u", about="residuals of a model", min_size=4),
        "lags": P("int", domain="[1, 20]", about="lags of the squared residuals", symbol="m"),
    },
    result=CHI2,
    limit={"n": 3000},
    keywords=["conditional heteroscedasticity", "Lagrange multiplier", "volatility clustering"],
    cases=[
        case(
            residuals=DATA,
            lags=1,
            result={"statistic": 0.2719876519937564, "df": 1, "pvalue": 0.6020015444467822},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            residuals=DATA,
            lags=2,
            result={"statistic": 0.4906180250402759, "df": 2, "pvalue": 0.7824627101058679},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            residuals=[
                2.4,
                3.28,
                4.51,
                1.22,
                2.32,
                -3.1,
                0.479,
                1.17,
                2.38,
                3.4,
                4.31,
                -4.41,
                0.59,
                0.929,
                4.95,
                -0.418,
                -0.0023,
                4.63,
                -1.49,
                4.81,
            ],
            lags=3,
            result={"statistic": 2.581992758112655, "df": 3, "pvalue": 0.46065519812829325},
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.diagnostic.het_arch",
        ),
    ],
)
def arch_test(residuals, lags):
    """Whether squared residuals depend on those before, by n R squared of their autoregression, after Engle."""
    squares = [value * value for value in sums.rationals(sums.finite(residuals, "residuals"))]
    size = len(squares) - lags
    if size < lags + 2:
        raise DomainError("lags", lags, "fewer lags than half of the series")
    rows = [[fmpq(1), *(squares[t - k] for k in range(1, lags + 1))] for t in range(lags, len(squares))]
    y = squares[lags:]
    x = fmpq_mat(rows)
    moment = x.transpose() * fmpq_mat([[value] for value in y])
    try:
        found = (x.transpose() * x).solve(moment)
    except ZeroDivisionError:
        raise DomainError("residuals", expected="squares whose lags are linearly independent") from None
    mean = sum(y, fmpq(0)) ** 2 / size
    explained = sum((a[0] * b[0] for a, b in zip(found.table(), moment.table(), strict=True)), fmpq(0)) - mean
    whole = sum((value * value for value in y), fmpq(0)) - mean
    if whole == 0:
        raise DomainError("residuals", expected="squares that are not all equal")
    statistic = size * explained / whole
    return {"statistic": statistic, "df": lags, "pvalue": tails.chi2(statistic, lags)}


@capability(
    "time_series.turning_point_test",
    tier="certified",
    version=3,
    source="brockwell2016, sec. 1.6",
    params={"series": P("float64[n]", unit="?u", about="series in the order of time", min_size=3, symbol="x")},
    result=R(
        fields={
            "turning_points": R("int", about="number of turning points; a value equal to one beside it is none"),
            "statistic": R(about="z"),
            "pvalue": R(about="two-sided p-value", range="[0, 1]"),
        }
    ),
    limit=LIMIT,
    keywords=["randomness", "independence"],
    cases=[
        case(
            series=[1.0, 3.0, 2.0, 4.0, 3.0],
            result={"turning_points": 3, "statistic": 1.3284223283101428, "pvalue": 0.18403862719642541},
            origin=MP,
        ),
        case(
            series=[1.0, 2.0, 3.0, 4.0, 5.0],
            result={"turning_points": 0, "statistic": -2.6568446566202857, "pvalue": 0.00788757791967308},
            origin=MP,
        ),
    ],
)
def turning_point_test(series):
    """Whether values are independent, by the number of peaks and troughs of their series."""
    steps = np.sign(np.diff(sums.finite(series, "series")))
    if not steps.any():
        raise DomainError("series", expected="values that are not all equal")
    points, size = int((steps[1:] * steps[:-1] < 0).sum()), int(series.size)
    distance, variance = points - fmpq(2 * (size - 2), 3), fmpq(16 * size - 29, 90)
    z = distance / order.square_root(variance) if distance != 0 else fmpq(0)
    return {"turning_points": points, "statistic": z, "pvalue": tails.normal(z)}


@capability(
    "time_series.mann_kendall",
    tier="certified",
    version=2,
    source="mann1945",
    params={"series": P("float64[n]", unit="?u", about="series in the order of time", min_size=3, symbol="x")},
    result=R(
        fields={
            "statistic": R("int", about="rises less falls over all pairs, S"),
            "z": R(about="standardized S, corrected for continuity and ties"),
            "pvalue": R(about="two-sided p-value", range="[0, 1]"),
        }
    ),
    limit={"n": 20_000},
    keywords=["trend test", "hydrology", "monotone trend"],
    cases=[
        case(
            series=[1.0, 2.0, 3.0, 4.0, 5.0],
            result={"statistic": 10, "z": 2.2045407685048604, "pvalue": 0.027486336111510346},
            origin=MP,
        ),
        case(
            series=[3.0, 1.0, 2.0, 2.0],
            result={"statistic": -1, "z": 0.0, "pvalue": 1.0},
            origin="by hand: five pairs differ, two of them rise",
        ),
        case(
            series=[5.0, 4.0, 4.0, 1.0, 0.5],
            result={"statistic": -9, "z": -2.0211646105596457, "pvalue": 0.04326272780691069},
            origin=MP,
        ),
        case(
            series=[-1.6, 3.56, -4.14, -3.2, -4.85, -3.91, -2.03, -1.15],
            result={"statistic": 0, "z": 0, "pvalue": 1.0},
            within=1e-14,
            origin="pymannkendall 1.4.3, pymannkendall.original_test",
        ),
    ],
)
def mann_kendall(series):
    """Whether a series has a monotone trend, by the signs of all its later changes."""
    series = sums.finite(series, "series")
    size = int(series.size)
    score = sum(int(np.sign(series[t + 1 :] - series[t]).sum()) for t in range(size - 1))
    ties = sum(t * (t - 1) * (2 * t + 5) for t in order.tie_sizes(series))
    variance = fmpq(size * (size - 1) * (2 * size + 5) - ties, 18)
    step = (score > 0) - (score < 0)
    z = (score - step) / order.square_root(variance) if score not in (-1, 0, 1) else fmpq(0)
    return {"statistic": score, "z": z, "pvalue": tails.normal(z)}


@capability(
    "time_series.kpss",
    tier="certified",
    source="kwiatkowski1992, eq. 13",
    params={"series": SERIES, "lags": P("int", domain="[0, 500]", about="lags of the Bartlett window", symbol="l")},
    result=R(about="KPSS statistic for level stationarity"),
    limit={"n": 20_000},
    keywords=["stationarity", "unit root"],
    cases=[
        case(series=DATA, lags=2, result=0.14443952790852416, within=1e-11, origin=SM + "tsa.stattools.kpss"),
        case(series=[1.0, 3.0], lags=0, result=0.25, origin="by hand: 1 / 4 over 1"),
    ],
)
def kpss(series, lags):
    """Statistic of whether a series is stationary around a level, with a Bartlett window."""
    size = int(series.size)
    gamma = autocovariances(series, lags)
    variance = gamma[0] + 2 * sum((fmpq(lags + 1 - k, lags + 1) * c for k, c in enumerate(gamma) if k), fmpq(0))
    if variance <= 0:
        raise DomainError("lags", lags, "a long-run variance above 0")
    whole, exponent = sums.integers(series)
    running, squares, everything = 0, 0, sum(whole)
    for value in whole:
        running += size * value - everything
        squares += running * running
    return sums.scaled_by(squares, 2 * exponent) / size**4 / (variance / size)


@capability(
    "time_series.dickey_fuller",
    tier="certified",
    version=2,
    source="dickey1979",
    params={"series": P("float64[n]", unit="?u", about="series in the order of time", min_size=5, symbol="x")},
    result=R(about="t statistic of the unit root, with a constant and without lags"),
    latex=r"\Delta x_t = a + \rho x_{t-1} + e_t,\quad \tau = \frac{\hat{\rho}}{s_{\hat{\rho}}}",
    limit={"n": 100_000},
    keywords=["unit root", "ADF", "random walk", "stationarity"],
    cases=[
        case(series=DATA, result=-3.5193144500805307, within=1e-11, origin=SM + "tsa.stattools.adfuller"),
        case(series=[1.0, 2.0, 1.5, 3.0, 2.5, 4.0], result=-0.9045340337332909, origin=MP),
    ],
)
def dickey_fuller(series):
    """Statistic of whether a series has a unit root; compare with the tables of Dickey and Fuller."""
    whole, _ = sums.integers(series)
    x, size = whole[:-1], len(whole) - 1
    y = [b - a for a, b in zip(x, whole[1:], strict=True)]
    sxx = fmpq(size * sum(a * a for a in x) - sum(x) ** 2)
    sxy = fmpq(size * sum(a * b for a, b in zip(x, y, strict=True)) - sum(x) * sum(y))
    syy = fmpq(size * sum(b * b for b in y) - sum(y) ** 2)
    rest = syy * sxx - sxy * sxy
    if rest <= ROUNDED * size * sxx * sum(a * a for a in whole):
        raise DomainError("series", expected="values that no first-order recursion reproduces")
    return sxy / order.square_root(rest / (size - 2)) if sxy != 0 else fmpq(0)


@capability(
    "time_series.variance_ratio",
    tier="certified",
    version=2,
    source="lo1988, sec. 1.1",
    params={
        "series": P("float64[n]", unit="?u", about="series, such as log prices", min_size=3, symbol="x"),
        "horizon": P("int", domain="[2, 100000]", about="steps of the longer horizon", symbol="q"),
    },
    result=R(about="variance ratio, 1 for a random walk"),
    limit=LIMIT,
    keywords=["random walk", "market efficiency", "mean reversion"],
    cases=[
        case(
            series=[0.1, 0.2, 0.3, 0.4, 0.5],
            horizon=2,
            error="domain_error",
            origin="by hand: the changes are equal but for rounding",
        ),
        case(series=[0.0, 1.0, 1.0, 2.0, 2.0], horizon=2, result=0.0, origin=MP),
        case(series=DATA, horizon=3, result=0.4534361745980855, origin=MP),
    ],
)
def variance_ratio(series, horizon):
    """Variance of changes over several steps, in steps, over that of single ones, both unbiased."""
    steps = int(series.size) - 1
    if horizon >= steps:
        raise DomainError("horizon", horizon, "fewer steps than the series has")
    exact = sums.rationals(sums.finite(series, "series"))
    drift = (exact[-1] - exact[0]) / steps
    one = sum(((b - a - drift) ** 2 for a, b in pairwise(exact)), fmpq(0)) / (steps - 1)
    if one * (steps - 1) <= ROUNDED * sum((value * value for value in exact), fmpq(0)):
        raise DomainError("series", expected="changes that are not all equal")
    weight = horizon * (steps - horizon + 1) * (1 - fmpq(horizon, steps))
    long = sum(((b - a - horizon * drift) ** 2 for a, b in zip(exact, exact[horizon:], strict=False)), fmpq(0)) / weight
    return long / one
