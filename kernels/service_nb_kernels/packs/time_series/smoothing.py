"""Smoothing, differences and seasons of a series, in exact rationals, or in balls where those would get too long."""

from __future__ import annotations

from flint import arb, fmpq

from service_nb_kernels.certified import order as ordering
from service_nb_kernels.certified import sums
from service_nb_kernels.certified.rounding import check_deadline, check_growth, is_long
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError

SERIES = P("float64[n]", unit="?u", about="series in the order of time", min_size=1, symbol="x")
ALPHA = P(domain="[0, 1]", about="weight of the newest value in the level", symbol=r"\alpha")
BETA = P(domain="[0, 1]", about="weight of the newest change in the trend", symbol=r"\beta")
GAMMA = P(domain="[0, 1]", about="weight of the newest value in the season", symbol=r"\gamma")
PERIOD = P("int", domain="[2, 1000]", about="steps in a season", symbol="m")
HORIZON = P("int", domain="[1, 1000]", about="steps to be forecast", symbol="h")
RECURSIVE = {"n": 3000}
DATA = [2.5, 3.1, 4.7, 5.0, 5.9, 5.0, 12.25, 0.1, 3.5, 4.25]
QUARTERS = [30.0, 21.0, 29.0, 31.0, 40.0, 48.0, 53.0, 47.0, 37.0, 39.0, 31.0, 29.0]
EXACT = "Python 3.11, fractions.Fraction"


def _series(series):
    return sums.rationals(sums.finite(series, "series"))


@capability(
    "time_series.moving_average",
    tier="certified",
    source="hyndman2021, sec. 3.3",
    params={"series": SERIES, "window": P("int", domain="[1, 1000000]", about="values in each mean")},
    result=R("float64[k]", unit="?u", about="means of successive windows"),
    limit={"n": 200_000},
    keywords=["rolling mean", "simple moving average", "SMA"],
    cases=[
        case(series=[1.0, 2.0, 6.0, 4.0], window=2, result=[1.5, 4.0, 5.0], origin="by hand"),
        case(
            series=DATA,
            window=3,
            result=[
                3.4333333333333336,
                4.266666666666667,
                5.2,
                5.3,
                7.716666666666667,
                5.783333333333333,
                5.283333333333333,
                2.6166666666666667,
            ],
            origin=EXACT,
        ),
        case(series=[1.0], window=2, error="domain_error", origin="by hand"),
        case(
            series=[-3.66, -1.21, 0.541, 2.49, -0.486, 0.0428, -4.53, -4.78, -3.77],
            window=2,
            result=[
                -2.435,
                -0.33449999999999996,
                1.5155,
                1.0020000000000002,
                -0.2216,
                -2.2436000000000003,
                -4.655,
                -4.275,
            ],
            within=1e-14,
            origin="scipy 1.17.1, scipy.signal.convolve: valid",
        ),
    ],
)
def moving_average(series, window):
    """Means of all windows of successive values, the first ending at the last value of the first window."""
    whole, exponent = sums.integers(series)
    if window > len(whole):
        raise DomainError("window", window, "no more than the length of the series")
    running = sum(whole[:window])
    found = [sums.scaled_by(running, exponent) / window]
    for new, old in zip(whole[window:], whole, strict=False):
        running += new - old
        found.append(sums.scaled_by(running, exponent) / window)
    return found


@capability(
    "time_series.weighted_moving_average",
    tier="certified",
    source="hyndman2021, sec. 3.3",
    params={
        "series": SERIES,
        "weights": P("float64[k]", about="weight of each value of a window, the oldest first", min_size=1),
    },
    result=R("float64[m]", unit="?u", about="weighted means of successive windows, each at its last value"),
    limit={"n": 10_000, "k": 50},
    keywords=["WMA", "linear filter", "Henderson"],
    cases=[
        case(series=[1.0, 2.0, 6.0, 4.0], weights=[1.0, 3.0], result=[1.75, 5.0, 4.5], origin="by hand"),
        case(
            series=DATA,
            weights=[1.0, 2.0, 4.0],
            result=[
                3.928571428571429,
                4.642857142857143,
                5.4714285714285715,
                5.257142857142857,
                9.271428571428572,
                4.271428571428571,
                3.7785714285714285,
                3.442857142857143,
            ],
            origin=EXACT,
        ),
        case(
            series=[3.09, 4.04, -2.8, 0.807, -3.36, 2.98, -3.03, -0.0622, 3.92, 3.12],
            weights=[2.72, 1.56],
            result=[
                3.43626168224299,
                1.5469158878504672,
                -1.4852990654205604,
                -0.7118130841121494,
                -1.0491588785046728,
                0.7894392523364486,
                -1.948278504672897,
                1.389256074766355,
                3.628411214953271,
            ],
            within=1e-14,
            origin="scipy 1.17.1, scipy.signal.correlate: valid",
        ),
    ],
)
def weighted_moving_average(series, weights):
    """Weighted means of all windows of successive values."""
    x, w = _series(series), sums.rationals(sums.finite(weights, "weights"))
    whole = sum(w, fmpq(0))
    if whole == 0 or len(w) > len(x):
        raise DomainError("weights", expected="a sum other than 0, and no more weights than values")
    return [
        sum((a * b for a, b in zip(w, x[start : start + len(w)], strict=True)), fmpq(0)) / whole
        for start in range(len(x) - len(w) + 1)
    ]


@capability(
    "time_series.moving_median",
    tier="certified",
    source="hyndman2021, sec. 3.3",
    params={"series": SERIES, "window": P("int", domain="[1, 10000]", about="values in each median")},
    result=R("float64[k]", unit="?u", about="medians of successive windows"),
    limit={"n": 20_000},
    keywords=["rolling median", "median filter", "robust smoothing"],
    cases=[
        case(series=[1.0, 9.0, 2.0, 3.0], window=3, result=[2.0, 3.0], origin="by hand"),
        case(series=[1.0, 9.0, 2.0, 3.0], window=2, result=[5.0, 5.5, 2.5], origin="by hand"),
        case(
            series=[-7.04, -1.0, -7.17, 2.76, 1.99, -4.6, 5.34],
            window=5,
            result=[-1.0, -1.0, 1.99],
            within=1e-14,
            origin="pandas 2.3.3, pandas.Series.rolling: median",
        ),
    ],
)
def moving_median(series, window):
    """Medians of all windows of successive values."""
    series = sums.finite(series, "series")
    if window > series.size:
        raise DomainError("window", window, "no more than the length of the series")
    return [ordering.median(series[start : start + window]) for start in range(int(series.size) - window + 1)]


@capability(
    "time_series.exponential_smoothing",
    tier="certified",
    version=2,
    source="hyndman2021, sec. 8.1",
    params={"series": SERIES, "alpha": ALPHA},
    result=R("float64[n]", unit="?u", about="level after each value, the first value being the first level"),
    latex=r"l_t = \alpha x_t + (1 - \alpha) l_{t-1}",
    limit=RECURSIVE,
    keywords=["EWMA", "simple exponential smoothing", "EMA"],
    cases=[
        case(series=[4.0, 8.0, 2.0], alpha=0.5, result=[4.0, 6.0, 4.0], origin="by hand"),
        case(
            series=DATA,
            alpha=0.3,
            result=[2.5, 2.68, 3.286, 3.8002, 4.43014, 4.601098, 6.8957686, 4.85703802, 4.449926614, 4.3899486298],
            origin=EXACT,
        ),
        case(
            series=[-4.31, 3.87, -0.77, -3.14, 1.3, 3.84],
            alpha=0.495,
            result=[
                -4.31,
                -0.2608999999999997,
                -0.5129044999999999,
                -1.8133167725,
                -0.2722249701125,
                1.7633263900931873,
            ],
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.tsa.holtwinters.SimpleExpSmoothing",
        ),
    ],
)
def exponential_smoothing(series, alpha):
    """Exponentially weighted moving average of a series, started at its first value."""
    weight, levels = ordering.rational(alpha), []
    for value in _series(series):
        levels.append(value if not levels else levels[-1] + weight * (value - levels[-1]))
        check_growth(levels[-1])
    return levels


@capability(
    "time_series.double_exponential_smoothing",
    tier="certified",
    version=2,
    source="brown1963, ch. 9",
    params={
        "series": SERIES,
        "alpha": P(domain="(0, 1)", about="smoothing weight", symbol=r"\alpha"),
        "horizon": HORIZON,
    },
    result=R("float64[h]", unit="?u", about="forecasts of 1, 2, ... steps after the last value"),
    limit=RECURSIVE,
    keywords=["Brown", "linear trend", "forecast"],
    cases=[
        case(series=[2.0, 4.0], alpha=0.5, horizon=2, result=[4.0, 4.5], origin="by hand: levels 3 and 2.5"),
        case(series=DATA, alpha=0.3, horizon=2, result=[4.100786188, 4.0140374554600005], origin=EXACT),
        case(
            series=[13.9, 10.4, 10.4, -8.79, -3.03, 4.48, -4.19, 17.6, 2.37, -1.63, -1.55, 2.84, 4.75, -0.577],
            alpha=0.336,
            horizon=3,
            result=[0.5629008461890526, 0.1904425316255406, -0.18201578293797138],
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.tsa.holtwinters.ExponentialSmoothing.fit: weights of Brown",
        ),
    ],
)
def double_exponential_smoothing(series, alpha, horizon):
    """Forecasts of a linear trend from a series smoothed twice with one weight, after Brown."""
    weight, once, twice = ordering.rational(alpha), None, None
    for value in _series(series):
        once = value if once is None else once + weight * (value - once)
        twice = once if twice is None else twice + weight * (once - twice)
        check_growth(twice)
    slope, forecasts = weight / (1 - weight) * (once - twice), []
    for step in range(1, horizon + 1):
        forecasts.append(2 * once - twice + slope * step)
        check_growth(forecasts[-1])
    return forecasts


@capability(
    "time_series.holt",
    tier="certified",
    version=2,
    source="holt2004",
    params={
        "series": P("float64[n]", unit="?u", about="series in the order of time", min_size=2, symbol="x"),
        "alpha": ALPHA,
        "beta": BETA,
        "horizon": HORIZON,
    },
    result=R("float64[h]", unit="?u", about="forecasts of 1, 2, ... steps after the last value"),
    limit={"n": 3000},
    keywords=["linear trend", "double exponential smoothing", "forecast"],
    cases=[
        case(
            series=[1.0, 3.0, 5.0],
            alpha=0.5,
            beta=0.5,
            horizon=2,
            result=[7.0, 9.0],
            origin="by hand: a line is continued",
        ),
        case(series=DATA, alpha=0.3, beta=0.2, horizon=2, result=[5.661879237195366, 5.772068401873101], origin=EXACT),
        case(
            series=[1.0, 3.22, 1.03, -3.37, 2.85, 2.97, -2.77, -1.65, -3.33],
            alpha=0.316,
            beta=0.843,
            horizon=4,
            result=[-4.554193838224473, -6.119901812332801, -7.6856097864411295, -9.251317760549458],
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.tsa.holtwinters.ExponentialSmoothing: additive trend",
        ),
    ],
)
def holt(series, alpha, beta, horizon):
    """Forecasts by Holt's linear method, started with the second value and the first change."""
    x, a, b = _series(series), ordering.rational(alpha), ordering.rational(beta)
    level, trend = x[1], x[1] - x[0]
    for value in x[2:]:
        check_deadline()
        if is_long(level, trend):
            level, trend, a, b = map(arb, (level, trend, a, b))
        before, level = level, a * value + (1 - a) * (level + trend)
        trend = b * (level - before) + (1 - b) * trend
    return [level + step * trend for step in range(1, horizon + 1)]


def _winters(series, weights, period, multiplicative):
    """Level, trend and seasons after the series; started from the means of its first two seasons."""
    x, (a, b, g) = _series(series), (ordering.rational(weight) for weight in weights)
    if len(x) < 2 * period:
        raise DomainError("period", period, "no more than half of the length of the series")
    if multiplicative and min(x) <= 0:
        raise DomainError("series", expected="values above 0")
    first, second = sum(x[:period], fmpq(0)) / period, sum(x[period : 2 * period], fmpq(0)) / period
    level, trend = first, (second - first) / period
    seasons = [value / first if multiplicative else value - first for value in x[:period]]
    for t, value in enumerate(x[period:]):
        season, before = seasons[t % period], level
        if isinstance(level, arb):
            check_deadline()
        else:
            check_growth(season, level, trend)
            if is_long(season, level, trend):
                level, trend, season, a, b, g, *seasons = map(arb, (level, trend, season, a, b, g, *seasons))
                before = level
        if multiplicative and season == 0:
            raise DomainError("series", expected="values whose season does not vanish")
        level = a * (value / season if multiplicative else value - season) + (1 - a) * (level + trend)
        trend = b * (level - before) + (1 - b) * trend
        if multiplicative and level == 0:
            raise DomainError("series", expected="values whose level does not vanish")
        seasons[t % period] = g * (value / level if multiplicative else value - level) + (1 - g) * season
    start = (len(x) - period) % period
    return level, trend, [seasons[(start + step) % period] for step in range(period)]


@capability(
    "time_series.holt_winters_additive",
    tier="certified",
    version=2,
    source="winters1960",
    params={
        "series": P("float64[n]", unit="?u", about="series of two seasons or more", min_size=4, symbol="x"),
        "alpha": ALPHA,
        "beta": BETA,
        "gamma": GAMMA,
        "period": PERIOD,
        "horizon": HORIZON,
    },
    result=R("float64[h]", unit="?u", about="forecasts of 1, 2, ... steps after the last value"),
    limit={"n": 3000},
    keywords=["triple exponential smoothing", "seasonal forecast"],
    cases=[
        case(
            series=[1.0, 3.0, 1.0, 3.0],
            alpha=0.5,
            beta=0.5,
            gamma=0.5,
            period=2,
            horizon=3,
            result=[1.0, 3.0, 1.0],
            origin="by hand: the season goes on",
        ),
        case(
            series=QUARTERS,
            alpha=0.5,
            beta=0.25,
            gamma=0.125,
            period=4,
            horizon=5,
            result=[31.698640514165163, 22.452348105609417, 26.38959453627467, 25.929333554580808, 23.575939122587442],
            origin=EXACT,
        ),
        case(
            series=[-5.66, -5.57, 5.09, 3.91, 9.83, 14.6, 11.5, 0.538, -3.54, -7.61, 0.136, 2.89],
            alpha=0.877,
            beta=0.0582,
            gamma=0.434,
            period=3,
            horizon=1,
            result=[-2.629330957862771],
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.tsa.holtwinters.ExponentialSmoothing.fit: with seasons",
        ),
    ],
)
def holt_winters_additive(  # noqa: PLR0917  # its parameters, in their order
    series, alpha, beta, gamma, period, horizon
):
    """Forecasts by Holt and Winters with seasons that add, started from the first two seasons."""
    level, trend, seasons = _winters(series, (alpha, beta, gamma), period, multiplicative=False)
    return [level + step * trend + seasons[(step - 1) % period] for step in range(1, horizon + 1)]


@capability(
    "time_series.holt_winters_multiplicative",
    tier="certified",
    version=2,
    source="winters1960",
    params={
        "series": P(
            "float64[n]", unit="?u", domain="(0, inf)", about="series of two seasons or more", min_size=4, symbol="x"
        ),
        "alpha": ALPHA,
        "beta": BETA,
        "gamma": GAMMA,
        "period": PERIOD,
        "horizon": HORIZON,
    },
    result=R("float64[h]", unit="?u", about="forecasts of 1, 2, ... steps after the last value"),
    limit={"n": 3000},
    keywords=["triple exponential smoothing", "seasonal forecast"],
    cases=[
        case(
            series=[1.0, 3.0, 1.0, 3.0],
            alpha=0.5,
            beta=0.5,
            gamma=0.5,
            period=2,
            horizon=3,
            result=[1.0, 3.0, 1.0],
            origin="by hand: the season goes on",
        ),
        case(
            series=QUARTERS,
            alpha=0.5,
            beta=0.25,
            gamma=0.125,
            period=4,
            horizon=5,
            result=[32.76729919074712, 22.559247181418115, 26.740446645647015, 26.09341504180727, 23.626974853398703],
            origin=EXACT,
        ),
        case(
            series=[100.0 + t + 20.0 * (t % 12) for t in range(120)],
            alpha=0.3,
            beta=0.1,
            gamma=0.2,
            period=12,
            horizon=3,
            result=[184.41165309820943, 200.43633148950644, 217.90142018334134],
            origin="mpmath 1.4.1, 100 digits",
        ),
    ],
)
def holt_winters_multiplicative(  # noqa: PLR0917  # its parameters, in their order
    series, alpha, beta, gamma, period, horizon
):
    """Forecasts by Holt and Winters with seasons that multiply, started from the first two seasons."""
    level, trend, seasons = _winters(series, (alpha, beta, gamma), period, multiplicative=True)
    return [(level + step * trend) * seasons[(step - 1) % period] for step in range(1, horizon + 1)]


def _centred(x, period):
    """Centered moving averages over a period; of an even one, the two half ends."""
    half = period // 2
    found = []
    for t in range(half, len(x) - half):
        window = x[t - half : t + half + 1]
        ends = (window[0] + window[-1]) / 2 if period % 2 == 0 else fmpq(0)
        found.append((sum(window, fmpq(0)) - ends) / period)
    return found


def _seasonal(series, period, multiplicative):
    x = _series(series)
    if len(x) < 2 * period:
        raise DomainError("period", period, "no more than half of the length of the series")
    groups = [[] for _ in range(period)]
    for t, trend in enumerate(_centred(x, period), period // 2):
        if multiplicative and trend == 0:
            raise DomainError("series", expected="a trend that does not vanish")
        groups[t % period].append(x[t] / trend if multiplicative else x[t] - trend)
    raw = [sum(group, fmpq(0)) / len(group) for group in groups]
    mean = sum(raw, fmpq(0)) / period
    return [value / mean if multiplicative else value - mean for value in raw]


@capability(
    "time_series.seasonal_indices_additive",
    tier="certified",
    source="hyndman2021, sec. 3.4",
    params={"series": SERIES, "period": PERIOD},
    result=R(
        "float64[m]", unit="?u", about="effect of each place in the season, that of the first value first, of sum 0"
    ),
    limit={"n": 2000},
    keywords=["classical decomposition", "seasonal component"],
    cases=[
        case(series=[1.0, 3.0, 1.0, 3.0, 1.0], period=2, result=[-1.0, 1.0], origin="by hand"),
        case(
            series=QUARTERS,
            period=4,
            result=[-3.015625, 1.984375, 2.296875, -1.265625],
            within=1e-12,
            origin="statsmodels 0.15.0, statsmodels.tsa.seasonal.seasonal_decompose",
        ),
    ],
)
def seasonal_indices_additive(series, period):
    """Seasonal effects by classical decomposition with a centered moving average, as differences."""
    return _seasonal(series, period, multiplicative=False)


@capability(
    "time_series.seasonal_indices_multiplicative",
    tier="certified",
    version=2,
    source="hyndman2021, sec. 3.4",
    params={
        "series": P("float64[n]", unit="?u", domain="(0, inf)", about="series of positive values", symbol="x"),
        "period": PERIOD,
    },
    result=R("float64[m]", about="factor of each place in the season, that of the first value first, of mean 1"),
    limit={"n": 2000},
    keywords=["classical decomposition", "ratio to moving average"],
    cases=[
        case(series=[1.0, 3.0, 1.0, 3.0, 1.0], period=2, result=[0.5, 1.5], origin="by hand"),
        case(
            series=QUARTERS,
            period=4,
            result=[0.9322048249185154, 1.0528769268551967, 1.0500269424227133, 0.9648913058035744],
            within=1e-12,
            origin="statsmodels 0.15.0, statsmodels.tsa.seasonal.seasonal_decompose",
        ),
    ],
)
def seasonal_indices_multiplicative(series, period):
    """Seasonal factors by classical decomposition with a centered moving average, as ratios."""
    return _seasonal(series, period, multiplicative=True)


@capability(
    "time_series.centred_moving_average",
    tier="certified",
    source="hyndman2021, sec. 3.3",
    params={"series": SERIES, "period": PERIOD},
    result=R("float64[k]", unit="?u", about="trend, without the half period at each end"),
    limit={"n": 5000},
    keywords=["trend-cycle", "2 x m moving average"],
    cases=[
        case(series=[1.0, 3.0, 1.0, 3.0, 1.0], period=2, result=[2.0, 2.0, 2.0], origin="by hand"),
        case(series=QUARTERS, period=4, result=[29.0, 33.625, 40.0, 45.0, 46.625, 45.125, 41.25, 36.25], origin=EXACT),
        case(
            series=[3.37, -4.02, -4.63, 1.61, 3.17, 4.04, -1.2, -2.39, -4.45, -1.96, 4.85, -3.11, 2.47, 1.35],
            period=4,
            result=[
                -0.9424999999999999,
                0.04000000000000015,
                1.47625,
                1.405,
                -0.0475000000000001,
                -1.75,
                -1.7437500000000001,
                -1.0775000000000001,
                -0.30250000000000016,
                0.9762500000000001,
            ],
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.tsa.seasonal.seasonal_decompose: trend",
        ),
    ],
)
def centred_moving_average(series, period):
    """Trend of a series by a moving average over one period, centered also when the period is even."""
    if len(series) <= 2 * (period // 2):
        raise DomainError("period", period, "a period below the length of the series")
    return _centred(_series(series), period)
