"""Moving averages of prices, exact."""

from math import isqrt

from flint import arb, fmpq

from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.certified.rounding import is_long
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def _exact(values, window=1):
    if window > len(values):
        raise DomainError("window", window, f"at most the {len(values)} values that there are")
    return column(rational(values))


def _average(values, window):
    return [sum(values[i : i + window], fmpq(0)) / window for i in range(len(values) - window + 1)]


def _smooth(values, window, share):
    """Exponential smoothing that begins with the mean of the first window."""
    found = [sum(values[:window], fmpq(0)) / window]
    for value in values[window:]:
        found.append(found[-1] + share * (value - found[-1]))
    return found


def _exponential(values, window):
    return _smooth(values, window, fmpq(2, window + 1)) if len(values) >= window else []


def _weighted(values, window):
    total = fmpq(window * (window + 1), 2)
    return [sum((k + 1) * values[i + k] for k in range(window)) / total for i in range(len(values) - window + 1)]


@capability(
    "technical_analysis.exponential_moving_average",
    tier="certified",
    source="murphy1999, ch. 9",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=20, about="bars of the window"),
    },
    result=R("float64[k]", about="average at each bar from which the window is full"),
    limit={"n": 2000},
    keywords=["EMA", "smoothing"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                11.4,
                11.45,
                12.225,
                12.2625,
                13.13125,
                14.165624999999999,
                14.032812499999999,
                13.41640625,
                13.158203125,
                13.4291015625,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.EMA",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                22.952499999999997,
                24.2675,
                24.4005,
                23.0043,
                22.80258,
                21.821548,
                20.9809288,
                20.70455728,
                20.154734368,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.EMA",
        ),
    ],
)
def exponential_moving_average(prices, window):
    """Exponential moving average of prices of weight 2 / (window + 1), from the mean of the first window on."""
    return _exponential(_exact(prices, window), window)


@capability(
    "technical_analysis.wilder_moving_average",
    tier="certified",
    source="wilder1978",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=14, about="bars of the window"),
    },
    result=R("float64[k]", about="average at each bar from which the window is full"),
    limit={"n": 2000},
    keywords=["RMA", "SMMA", "smoothed"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                11.4,
                11.433333333333334,
                11.955555555555556,
                12.070370370370371,
                12.713580246913581,
                13.54238683127572,
                13.66159122085048,
                13.374394147233653,
                13.216262764822435,
                13.377508509881624,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.RMA",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                22.952499999999997,
                23.774375,
                23.98078125,
                23.2130859375,
                23.034814453125,
                22.36361083984375,
                21.702708129882815,
                21.34953109741211,
                20.844648323059083,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.RMA",
        ),
    ],
)
def wilder_moving_average(prices, window):
    """Moving average of prices with Wilder's weight 1 / window, from the mean of the first window on."""
    return _smooth(_exact(prices, window), window, fmpq(1, window))


@capability(
    "technical_analysis.double_exponential_moving_average",
    tier="certified",
    source="mulloy1994",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=20, about="bars of the window"),
    },
    result=R("float64[k]", about="average at each bar from bar 2 * window - 1 on, of as many prices at least"),
    limit={"n": 2000},
    keywords=["DEMA", "lag"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                12.758333333333331,
                12.547916666666666,
                13.708333333333332,
                14.971354166666664,
                14.369270833333331,
                13.276432291666666,
                12.959114583333333,
                13.465006510416666,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.DEMA",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[22.352400000000003, 22.290408, 20.9256256, 19.93900384, 19.913579392, 19.350253888],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.DEMA",
        ),
    ],
)
def double_exponential_moving_average(prices, window):
    """Double exponential moving average of prices (DEMA of Mulloy): not a smoothing done twice, and less lag."""
    first = _exponential(_exact(prices, 2 * window - 1), window)
    second = _exponential(first, window)
    return [2 * a - b for a, b in zip(first[window - 1 :], second, strict=True)]


@capability(
    "technical_analysis.triple_exponential_moving_average",
    tier="certified",
    source="mulloy1994",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=20, about="bars of the window"),
    },
    result=R("float64[k]", about="average at each bar from bar 3 * window - 2 on, of as many prices at least"),
    limit={"n": 2000},
    keywords=["TEMA", "lag"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                13.805555555555552,
                15.13428819444444,
                14.216102430555553,
                12.961631944444445,
                12.772157118055556,
                13.48902452256944,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.TEMA",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[19.802044160000005, 19.9819718272, 19.38318779392001],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.TEMA",
        ),
    ],
)
def triple_exponential_moving_average(prices, window):
    """Triple exponential moving average of prices (TEMA of Mulloy): not a smoothing done three times, and less lag."""
    first = _exponential(_exact(prices, 3 * window - 2), window)
    second = _exponential(first, window)
    third = _exponential(second, window)
    ends = zip(first[2 * window - 2 :], second[window - 1 :], third, strict=True)
    return [3 * a - 3 * b + c for a, b, c in ends]


@capability(
    "technical_analysis.triangular_moving_average",
    tier="certified",
    source="murphy1999, ch. 9",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=20, about="bars of the window"),
    },
    result=R("float64[k]", about="average at each bar from which the window is full"),
    limit={"n": 2000},
    keywords=["TRIMA"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[11.475, 11.6, 11.899999999999999, 12.45, 12.899999999999999, 13.875, 14.575, 13.95, 13.1, 13.075],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.TRIMA",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                22.78333333333333,
                23.491666666666664,
                24.483333333333327,
                24.369999999999997,
                23.29333333333333,
                21.961666666666662,
                21.054999999999996,
                20.48833333333333,
                19.949999999999996,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.TRIMA",
        ),
    ],
)
def triangular_moving_average(prices, window):
    """Triangular moving average of prices: most weight in the middle of the window."""
    return _average(_average(_exact(prices, window), (window + 1) // 2), window // 2 + 1)


@capability(
    "technical_analysis.hull_moving_average",
    tier="certified",
    source="hull2005",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=16, about="bars of the window"),
    },
    result=R("float64[k]", about="average at each bar from bar window + floor(sqrt(window)) - 1 on"),
    limit={"n": 2000},
    keywords=["HMA", "lag"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                11.683333333333334,
                11.433333333333335,
                13.733333333333334,
                12.200000000000003,
                14.733333333333334,
                16.083333333333336,
                13.450000000000005,
                12.033333333333337,
                12.766666666666667,
                14.116666666666665,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.HMA",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                25.45055555555555,
                25.869555555555554,
                22.48311111111111,
                21.056999999999995,
                20.775222222222215,
                19.717777777777766,
                19.657333333333316,
                19.617333333333313,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.HMA",
        ),
    ],
)
def hull_moving_average(prices, window):
    """Hull's moving average of prices: of weighted averages of a window, its half and its root."""
    last = isqrt(window)
    values = _exact(prices, window + last - 1)
    half, whole = _weighted(values, window // 2), _weighted(values, window)
    return _weighted([2 * a - b for a, b in zip(half[window - window // 2 :], whole, strict=True)], last)


@capability(
    "technical_analysis.kaufman_adaptive_moving_average",
    tier="certified",
    source="kaufman1995",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=10, about="bars of the window"),
    },
    result=R("float64[k]", about="average at each bar from bar window + 1 on; where prices stand still, the fast one"),
    limit={"n": 2000},
    keywords=["KAMA", "efficiency ratio"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                11.581868886576483,
                11.972717729248242,
                11.99281109315739,
                12.400188783255137,
                12.92390373651044,
                13.008220115741228,
                12.993572136478384,
                12.957777463154947,
                12.969324863381317,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.KAMA",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                24.110948489823436,
                24.158189564093885,
                24.058954775862883,
                24.030156430471518,
                23.2664329114394,
                22.61345893273153,
                22.567860777093557,
                21.734267469267255,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.KAMA",
        ),
    ],
)
def kaufman_adaptive_moving_average(prices, window):
    """Kaufman's adaptive moving average of prices: fast in trends, slow in noise, by constants of 2 and 30 bars."""
    values = _exact(prices, window + 1)
    fast, slow = fmpq(2, 3), fmpq(2, 31)
    last, found = values[window - 1], []
    for i in range(window, len(values)):
        noise = sum((abs(values[j] - values[j - 1]) for j in range(i - window + 1, i + 1)), fmpq(0))
        ratio = abs(values[i] - values[i - window]) / noise if noise else fmpq(1)
        share = (ratio * (fast - slow) + slow) ** 2
        last += share * (values[i] - last)
        if is_long(last):
            last = arb(last)
        found.append(last)
    return found


@capability(
    "technical_analysis.volume_weighted_moving_average",
    tier="certified",
    source="murphy1999, ch. 9",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "volumes": P("float64[n]", domain="[0, inf)", about="volume of each bar"),
        "window": P("int", domain="[2, 500]", default=20, about="bars of the window"),
    },
    result=R("float64[k]", about="average at each bar from which the window is full"),
    limit={"n": 2000},
    keywords=["VWMA", "trading volume"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            volumes=[120.0, 95.0, 143.0, 88.0, 210.0, 132.0, 175.0, 190.0, 160.0, 142.0, 101.0, 118.0],
            window=3,
            result=[
                11.391899441340783,
                11.602147239263804,
                12.24671201814059,
                12.478139534883722,
                13.159767891682785,
                14.007243460764588,
                14.403809523809523,
                14.084552845528457,
                13.261786600496277,
                13.122160664819948,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.VWMA",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            volumes=[118.0, 132.0, 204.0, 253.0, 190.0, 206.0, 194.0, 303.0, 88.0, 174.0, 157.0, 213.0],
            window=4,
            result=[
                23.02179632248939,
                23.76609756097561,
                24.189718640093787,
                23.829335705812575,
                23.43475923852184,
                22.417749683944376,
                21.2070092226614,
                21.08740997229917,
                19.817879746835445,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.VWMA",
        ),
    ],
)
def volume_weighted_moving_average(prices, volumes, window):
    """Moving average of prices that weighs each by its volume."""
    values, weights = _exact(prices, window), column(rational(volumes))
    traded = _average(weights, window)
    if not all(traded):
        raise DomainError("volumes", None, "windows in which something was traded")
    paid = _average([a * b for a, b in zip(values, weights, strict=True)], window)
    return [a / b for a, b in zip(paid, traded, strict=True)]


@capability(
    "technical_analysis.window_midpoint",
    tier="certified",
    source="murphy1999, ch. 9",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=14, about="bars of the window"),
    },
    result=R("float64[k]", about="midpoint at each bar from which the window is full"),
    limit={"n": 2000},
    keywords=["MIDPOINT", "channel"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[11.3, 11.6, 12.25, 12.25, 13.15, 13.75, 14.55, 14.0, 13.350000000000001, 13.25],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.MIDPOINT",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[22.979999999999997, 24.284999999999997, 24.4, 23.575, 23.575, 22.475, 21.11, 21.11, 19.84],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.MIDPOINT",
        ),
    ],
)
def window_midpoint(prices, window):
    """Midpoint of the highest and lowest price of each window."""
    values = _exact(prices, window)
    spans = [values[i : i + window] for i in range(len(values) - window + 1)]
    return [(max(span) + min(span)) / 2 for span in spans]
