"""Oscillators and indexes of bars: where a close lies, and how strong a trend is, exact."""

from flint import arb, fmpq

from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.packs.technical_analysis.ranges import check_bars


def _exact(values, needed, window):
    if needed > len(values):
        raise DomainError("window", window, f"a window for which {len(values)} values suffice")
    return column(rational(values))


def _smoothed(values, window):
    """Wilder's moving average."""
    found = [sum(values[:window], fmpq(0)) / window]
    for value in values[window:]:
        found.append((found[-1] * (window - 1) + value) / window)
    return found


def _share(part, whole, name="prices"):
    if whole == 0:
        raise DomainError(name, None, "prices that move within each window")
    return 100 * part / whole


def _spans(values, window):
    return [values[i : i + window] for i in range(len(values) - window + 1)]


@capability(
    "technical_analysis.fast_stochastic",
    tier="certified",
    version=2,
    source="lane1984",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", about="last price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=14, about="bars of the window"),
    },
    result=R("float64[k]", range="[0, 100]", about="oscillator at each bar from which the window is full"),
    limit={"n": 2000},
    keywords=["stochastic", "overbought"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                65.2173913043478,
                43.749999999999964,
                86.95652173913041,
                56.5217391304348,
                91.30434782608698,
                93.93939393939391,
                42.3076923076923,
                7.142857142857179,
                29.032258064516142,
                84.99999999999997,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.STOCHF: %K",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                58.110882956878804,
                94.11764705882352,
                54.58715596330281,
                5.657237936772046,
                32.113144758735444,
                15.625000000000021,
                13.421052631578892,
                35.99999999999994,
                39.99999999999996,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.STOCHF: %K",
        ),
    ],
)
def fast_stochastic(high, low, close, window):
    """Stochastic oscillator %K: where the close lies between the lowest and the highest price of the window."""
    check_bars(high, low, close=close)
    tops = [max(span) for span in _spans(_exact(high, window, window), window)]
    floors = [min(span) for span in _spans(_exact(low, window, window), window)]
    closes = _exact(close, window, window)[window - 1 :]
    return [_share(c - b, a - b) for a, b, c in zip(tops, floors, closes, strict=True)]


@capability(
    "technical_analysis.williams_r",
    tier="certified",
    version=2,
    source="williams1979",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", about="last price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=14, about="bars of the window"),
    },
    result=R("float64[k]", range="[-100, 0]", about="oscillator at each bar from which the window is full"),
    limit={"n": 2000},
    keywords=["WILLR", "overbought", "oversold"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                -34.78260869565219,
                -56.250000000000036,
                -13.043478260869593,
                -43.478260869565204,
                -8.695652173913016,
                -6.060606060606092,
                -57.6923076923077,
                -92.85714285714282,
                -70.96774193548386,
                -15.000000000000036,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.WILLR",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                -41.889117043121196,
                -5.88235294117647,
                -45.41284403669718,
                -94.34276206322795,
                -67.88685524126456,
                -84.37499999999997,
                -86.57894736842111,
                -64.00000000000006,
                -60.00000000000004,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.WILLR",
        ),
    ],
)
def williams_r(high, low, close, window):
    """Williams' %R: how far the close lies below the highest price of the window, from -100 to 0."""
    check_bars(high, low, close=close)
    tops = [max(span) for span in _spans(_exact(high, window, window), window)]
    floors = [min(span) for span in _spans(_exact(low, window, window), window)]
    closes = _exact(close, window, window)[window - 1 :]
    return [_share(c - a, a - b) for a, b, c in zip(tops, floors, closes, strict=True)]


@capability(
    "technical_analysis.ultimate_oscillator",
    tier="certified",
    version=2,
    source="williams1985",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", about="last price of each bar, oldest first"),
        "short": P("int", domain="[2, 500]", default=7, about="bars of the shortest window"),
        "middle": P("int", domain="[2, 500]", default=14, about="bars of the middle window"),
        "long": P("int", domain="[2, 500]", default=28, about="bars of the longest window"),
    },
    result=R("float64[k]", range="[0, 100]", about="oscillator at each bar from bar long + 1 on"),
    limit={"n": 2000},
    keywords=["ULTOSC", "buying pressure"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            short=2,
            middle=3,
            long=5,
            result=[
                60.615427457532725,
                68.71705203820662,
                81.56645500709885,
                55.18144499178983,
                25.55525615602199,
                41.343165733409684,
                70.24287306896004,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.ULTOSC",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            short=2,
            middle=4,
            long=6,
            result=[
                36.29090754812899,
                41.107795643276305,
                46.571589308874564,
                31.556904551300054,
                52.141717931191586,
                58.78174491036125,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.ULTOSC",
        ),
    ],
)
def ultimate_oscillator(high, low, close, short, middle, long):  # noqa: PLR0917
    """Williams' ultimate oscillator over three windows, from 0 to 100."""
    if not short < middle < long:
        raise DomainError("short", short, "windows that grow: short, middle, long")
    check_bars(high, low, close=close)
    tops, floors, closes = (_exact(each, long + 1, long) for each in (high, low, close))
    true_lows = [min(b, last) for b, last in zip(floors[1:], closes, strict=False)]
    true_highs = [max(a, last) for a, last in zip(tops[1:], closes, strict=False)]
    pressure = [c - b for c, b in zip(closes[1:], true_lows, strict=True)]
    ranges = [a - b for a, b in zip(true_highs, true_lows, strict=True)]
    found = []
    for end in range(long, len(pressure) + 1):
        parts = [
            weight * _share(sum(pressure[end - n : end], fmpq(0)), sum(ranges[end - n : end], fmpq(0)))
            for weight, n in ((4, short), (2, middle), (1, long))
        ]
        found.append(sum(parts, fmpq(0)) / 7)
    return found


@capability(
    "technical_analysis.aroon",
    tier="certified",
    version=2,
    source="chande1995",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=14, about="bars that it looks back from a bar"),
    },
    result=R(
        fields={
            "down": R("float64[k]", about="100 where the bar has the lowest low, 0 where that is a window old"),
            "up": R("float64[k]", about="100 where the bar has the highest high, 0 where that is a window old"),
        }
    ),
    limit={"n": 2000},
    keywords=["AROON", "trend"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            window=3,
            result={
                "down": [0.0, 0.0, 33.333333333333336, 0.0, 0.0, 0.0, 100.0, 100.0, 66.66666666666667],
                "up": [
                    66.66666666666667,
                    100.0,
                    66.66666666666667,
                    100.0,
                    100.0,
                    66.66666666666667,
                    33.333333333333336,
                    0.0,
                    0.0,
                ],
            },
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.AROON",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            window=4,
            result={
                "down": [25.0, 0.0, 100.0, 75.0, 100.0, 100.0, 100.0, 100.0],
                "up": [100.0, 75.0, 50.0, 25.0, 0.0, 0.0, 25.0, 0.0],
            },
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.AROON",
        ),
    ],
)
def aroon(high, low, window):
    """Aroon indicators, 0 to 100, from bar window + 1 on: how lately a window had its extremes, the last of equals."""
    check_bars(high, low)
    tops, floors = _exact(high, window + 1, window), _exact(low, window + 1, window)
    latest = [(window - span[::-1].index(max(span)), window) for span in _spans(tops, window + 1)]
    lowest = [(window - span[::-1].index(min(span)), window) for span in _spans(floors, window + 1)]
    return {"down": [fmpq(100 * a, b) for a, b in lowest], "up": [fmpq(100 * a, b) for a, b in latest]}


@capability(
    "technical_analysis.balance_of_power",
    tier="certified",
    version=2,
    source="livshin2001",
    params={
        "open": P("float64[n]", about="first price of each bar, oldest first"),
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", about="last price of each bar, oldest first"),
    },
    result=R("float64[k]", range="[-1, 1]", about="balance of each bar"),
    limit={"n": 2000},
    keywords=["BOP", "buyers", "sellers"],
    cases=[
        case(
            open=[10.3, 11.0, 11.8, 11.7, 11.9, 12.9, 12.8, 14.2, 15.0, 13.8, 12.4, 12.7],
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            result=[
                0.5454545454545453,
                0.6363636363636359,
                -0.18181818181818285,
                -0.18181818181818124,
                0.7857142857142853,
                -0.666666666666666,
                0.8571428571428575,
                0.7692307692307688,
                -0.7857142857142853,
                -0.7142857142857141,
                0.4166666666666669,
                0.7142857142857141,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.BOP",
        ),
        case(
            open=[21.59, 21.48, 24.26, 25.5, 24.54, 22.56, 21.93, 20.63, 20.69, 20.06, 19.1, 18.31],
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            result=[
                0.7142857142857143,
                0.4166666666666658,
                -0.7142857142857147,
                -0.7857142857142853,
                0.7692307692307698,
                0.8571428571428573,
                -0.6666666666666659,
                0.7857142857142853,
                -0.18181818181818166,
                -0.181818181818182,
                0.636363636363636,
                0.545454545454545,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.BOP",
        ),
    ],
)
def balance_of_power(open, high, low, close):  # noqa: A002  # the field's names
    """Balance of power of each bar: close less open over high less low, from -1 to 1."""
    check_bars(high, low, open=open, close=close)
    bars = zip(*(column(rational(each)) for each in (open, high, low, close)), strict=True)
    return [_share(d - a, b - c) / 100 for a, b, c, d in bars]


def _directional(high, low, close, window):
    check_bars(high, low, close=close)
    tops, floors, closes = (_exact(each, window + 1, window) for each in (high, low, close))
    plus, minus, ranges = [], [], []
    for i in range(1, len(closes)):
        up, down = tops[i] - tops[i - 1], floors[i - 1] - floors[i]
        plus.append(up if up > down and up > 0 else fmpq(0))
        minus.append(down if down > up and down > 0 else fmpq(0))
        ranges.append(max(tops[i], closes[i - 1]) - min(floors[i], closes[i - 1]))
    ups, downs, whole = (_accumulate(each, window) for each in (plus, minus, ranges))
    rise = [_share(a, b) for a, b in zip(ups, whole, strict=True)]
    fall = [_share(a, b) for a, b in zip(downs, whole, strict=True)]
    index = [_share(abs(a - b), a + b) for a, b in zip(rise, fall, strict=True)]
    return {"plus": rise, "minus": fall, "index": index}


def _accumulate(values, window):
    """Wilder's smoothed sum: that of one value less than the window, then each time a window's part less."""
    last = sum(values[: window - 1], fmpq(0))
    found = []
    for value in values[window - 1 :]:
        last += value - last / window
        found.append(last)
    return found


@capability(
    "technical_analysis.directional_movement",
    tier="certified",
    version=2,
    source="wilder1978",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", about="last price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=14, about="bars of the window"),
    },
    result=R(
        fields={
            "plus": R("float64[k]", about="+DI at each bar from bar window + 1 on, from 0 to 100"),
            "minus": R("float64[k]", about="-DI at the same bars, from 0 to 100, not negative"),
            "index": R("float64[k]", about="DX at the same bars, from 0 to 100"),
        }
    ),
    limit={"n": 2000},
    keywords=["DMI", "trend strength", "ADX"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result={
                "plus": [
                    31.168831168831208,
                    49.36708860759498,
                    35.65714285714289,
                    48.52538765582245,
                    61.20240480961926,
                    39.540378702055364,
                    26.439269327330972,
                    18.540835066098023,
                    29.341139065455057,
                ],
                "minus": [
                    11.68831168831172,
                    5.696202531645582,
                    4.114285714285723,
                    2.1891152325934993,
                    1.4428857715430894,
                    10.370610131089183,
                    32.967924854990905,
                    38.056065688223775,
                    24.990967510446534,
                ],
                "index": [
                    45.4545454545454,
                    79.31034482758618,
                    79.31034482758619,
                    91.36690647482013,
                    95.39347408829174,
                    58.44357976653695,
                    10.989671566752264,
                    34.48109412711181,
                    8.00663149132891,
                ],
            },
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.PLUS_DI: with MINUS_DI and DX",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result={
                "plus": [
                    33.93956351426969,
                    21.908488862131225,
                    14.436275158022784,
                    19.47469370452475,
                    14.36388053122292,
                    11.791926405276852,
                    9.519269855220845,
                    7.218066322476401,
                ],
                "minus": [
                    3.777280358142131,
                    19.873570138470818,
                    29.937055354261982,
                    23.59917162970735,
                    27.290954414129022,
                    25.181137144323873,
                    24.965864418111135,
                    27.162294690943778,
                ],
                "index": [
                    79.97032640949556,
                    4.870317002881753,
                    34.93264989867687,
                    9.575360588557984,
                    31.033789714604477,
                    36.213419861962215,
                    44.79203833297944,
                    58.010526302159136,
                ],
            },
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.PLUS_DI: with MINUS_DI and DX",
        ),
    ],
)
def directional_movement(high, low, close, window):
    """Wilder's directional movement: the indicators +DI and -DI, and the index DX of their distance."""
    return _directional(high, low, close, window)


@capability(
    "technical_analysis.average_directional_index",
    tier="certified",
    version=2,
    source="wilder1978",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", about="last price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=14, about="bars of the window"),
    },
    result=R("float64[k]", range="[0, 100]", about="index at each bar from bar 2 * window on"),
    limit={"n": 2000},
    keywords=["ADX", "trend strength"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                68.02507836990593,
                75.80568773821066,
                82.33494985490437,
                74.37115982544856,
                53.243997072549796,
                46.989696090737134,
                33.995341224267726,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.ADX",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[32.337163474903036, 32.011320034828394, 33.06184499161185, 35.99439332695375, 41.4984265707551],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.ADX",
        ),
    ],
)
def average_directional_index(high, low, close, window):
    """Wilder's average directional movement index, from 0 to 100: how strong a trend is."""
    if len(close) < 2 * window:
        raise DomainError("window", window, f"a window for which {len(close)} values suffice")
    index = _directional(high, low, close, window)["index"]
    return _smoothed([arb(each) for each in index], window)  # their sums have the denominators of all of them
