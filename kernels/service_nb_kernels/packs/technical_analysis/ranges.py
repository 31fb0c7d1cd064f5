"""Ranges and channels of prices, exact; the spread of bands is rounded once."""

from flint import fmpq

from service_nb_kernels.certified.linalg import root_of
from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def _exact(values, needed=1, window=None):
    if needed > len(values):
        raise DomainError("window", window, f"a window for which {len(values)} values suffice")
    return column(rational(values))


def _spans(values, window):
    return [values[i : i + window] for i in range(len(values) - window + 1)]


def check_bars(high, low, **inside):
    """Refuse a bar whose low is above its high, or with another price outside of them."""
    if any(b > a for a, b in zip(high, low, strict=True)):
        raise DomainError("low", None, "at most the high of the same bar")
    for name, prices in inside.items():
        if any(not b <= c <= a for a, b, c in zip(high, low, prices, strict=True)):
            raise DomainError(name, None, "between the low and the high of the same bar")


def _true_ranges(high, low, close):
    check_bars(high, low, close=close)
    bars = zip(_exact(high)[1:], _exact(low)[1:], _exact(close), strict=False)
    return [max(a, last) - min(b, last) for a, b, last in bars]


@capability(
    "technical_analysis.true_range",
    tier="certified",
    version=2,
    source="wilder1978",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", about="last price of each bar, oldest first"),
    },
    result=R("float64[k]", range="[0, inf)", about="range of each bar from the second on"),
    limit={"n": 2000},
    keywords=["TRANGE", "volatility", "gap"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            result=[
                1.0999999999999996,
                1.0999999999999996,
                1.0999999999999996,
                1.8000000000000007,
                0.9000000000000004,
                1.8999999999999986,
                1.4000000000000004,
                1.5,
                1.4000000000000004,
                1.1999999999999993,
                1.4000000000000004,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.TRANGE",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            result=[
                2.4899999999999984,
                2.3800000000000026,
                3.110000000000003,
                2.9499999999999993,
                3.6799999999999997,
                4.030000000000001,
                2.3800000000000026,
                3.0,
                1.8699999999999974,
                1.8699999999999974,
                2.3200000000000003,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.TRANGE",
        ),
    ],
)
def true_range(high, low, close):
    """True range of each bar after the first: its range, widened to the close before."""
    if len(close) < 2:
        raise DomainError("close", None, "two bars or more")
    return _true_ranges(high, low, close)


@capability(
    "technical_analysis.average_true_range",
    tier="certified",
    version=2,
    source="wilder1978",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", about="last price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=14, about="bars of the window"),
    },
    result=R("float64[k]", range="[0, inf)", about="range at each bar from bar window + 1 on"),
    limit={"n": 2000},
    keywords=["ATR", "volatility", "stop loss"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                1.0999999999999996,
                1.3333333333333333,
                1.1888888888888889,
                1.4259259259259256,
                1.4172839506172838,
                1.444855967078189,
                1.429903978052126,
                1.353269318701417,
                1.3688462124676115,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.ATR",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                2.732500000000001,
                2.9693750000000003,
                3.2345312500000007,
                3.0208984375000014,
                3.015673828125001,
                2.72925537109375,
                2.514441528320312,
                2.4658311462402343,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.ATR",
        ),
    ],
)
def average_true_range(high, low, close, window):
    """Wilder's average true range of prices, a measure of their volatility."""
    _exact(close, window + 1, window)
    ranges = _true_ranges(high, low, close)
    found = [sum(ranges[:window], fmpq(0)) / window]
    for each in ranges[window:]:
        found.append((found[-1] * (window - 1) + each) / window)
    return found


@capability(
    "technical_analysis.normalized_average_true_range",
    tier="certified",
    version=2,
    source="wilder1978",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", domain="(0, inf)", about="last price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=14, about="bars of the window"),
    },
    result=R("float64[k]", range="[0, inf)", about="range in percent, at each bar from bar window + 1 on"),
    limit={"n": 2000},
    keywords=["NATR", "volatility"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                9.565217391304346,
                10.256410256410255,
                9.665763324299908,
                10.185185185185183,
                9.324236517218973,
                10.394647245166826,
                11.171124828532236,
                10.490459834894706,
                9.991578193194245,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.NATR",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                10.41349085365854,
                12.070630081300813,
                15.46882472501196,
                13.426215277777784,
                14.819036010442266,
                13.840037378771552,
                12.392516157320415,
                12.756498428557862,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.NATR",
        ),
    ],
)
def normalized_average_true_range(high, low, close, window):
    """Average true range of prices in percent of the close."""
    found = average_true_range(high, low, close, window)
    return [100 * a / c for a, c in zip(found, _exact(close)[window:], strict=True)]


@capability(
    "technical_analysis.bollinger_bands",
    tier="certified",
    source="bollinger2002",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=20, about="bars of the window"),
        "deviations": P(
            "float64", domain="[0, 100]", default=2.0, about="standard deviations, over n, from the middle to a band"
        ),
    },
    result=R(
        fields={
            "lower": R("float64[k]", about="lower band at each bar from which the window is full"),
            "middle": R("float64[k]", about="moving average at each bar from which the window is full"),
            "upper": R("float64[k]", about="upper band at each bar from which the window is full"),
        }
    ),
    limit={"n": 2000},
    keywords=["BBANDS", "volatility", "channel"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            deviations=2.0,
            result={
                "upper": [
                    12.111805216802086,
                    11.763299316185545,
                    13.40284257227828,
                    13.492318420723354,
                    14.495229969097092,
                    16.21287577300997,
                    15.548003009777965,
                    15.928525195941624,
                    14.193310961716763,
                    13.938869731572973,
                ],
                "middle": [
                    11.4,
                    11.600000000000001,
                    12.033333333333337,
                    12.266666666666671,
                    13.100000000000003,
                    13.833333333333337,
                    14.366666666666672,
                    13.966666666666674,
                    13.200000000000008,
                    13.13333333333334,
                ],
                "lower": [
                    10.688194783197915,
                    11.436700683814458,
                    10.663824094388394,
                    11.041014912609988,
                    11.704770030902914,
                    11.453790893656706,
                    13.18533032355538,
                    12.004808137391723,
                    12.206689038283253,
                    12.327796935093707,
                ],
            },
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.BBANDS",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            deviations=1.5,
            result={
                "upper": [
                    23.744265235091813,
                    26.017732265532267,
                    26.287060836117007,
                    26.746492073054817,
                    26.600701307928748,
                    24.56479544609246,
                    22.416419251044164,
                    22.304239204776923,
                    20.55440560014926,
                ],
                "middle": [
                    22.952499999999997,
                    23.689999999999994,
                    24.257499999999993,
                    23.84499999999999,
                    23.562499999999993,
                    22.089999999999996,
                    20.869999999999997,
                    20.714999999999996,
                    19.922499999999996,
                ],
                "lower": [
                    22.16073476490818,
                    21.36226773446772,
                    22.22793916388298,
                    20.943507926945166,
                    20.524298692071238,
                    19.61520455390753,
                    19.32358074895583,
                    19.12576079522307,
                    19.290594399850733,
                ],
            },
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.BBANDS",
        ),
    ],
)
def bollinger_bands(prices, window, deviations):
    """Bollinger bands of prices: the moving average, and so many standard deviations below and above it."""
    width = fmpq(*deviations.as_integer_ratio())
    lower, middle, upper = [], [], []
    for span in _spans(_exact(prices, window, window), window):
        mean = sum(span, fmpq(0)) / window
        spread = width * root_of(sum(((value - mean) ** 2 for value in span), fmpq(0)) / window)
        lower.append(mean - spread)
        middle.append(mean)
        upper.append(mean + spread)
    return {"lower": lower, "middle": middle, "upper": upper}


@capability(
    "technical_analysis.donchian_channel",
    tier="certified",
    version=2,
    source="murphy1999, ch. 9",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=20, about="bars of the window"),
    },
    result=R(
        fields={
            "lower": R("float64[k]", about="lowest low at each bar from which the window is full"),
            "middle": R("float64[k]", about="midpoint of the two at each bar from which the window is full"),
            "upper": R("float64[k]", about="highest high at each bar from which the window is full"),
        }
    ),
    limit={"n": 2000},
    keywords=["breakout", "turtle", "price channel"],
    cases=[
        case(
            high=[1.0, 2.0, 3.0],
            low=[2.0, 1.5, 2.5],
            window=2,
            error="domain_error",
            origin="by hand: a low above its high",
        ),
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            window=3,
            result={
                "upper": [12.4, 12.4, 13.3, 13.3, 14.2, 15.4, 15.4, 15.4, 15.1, 14.0],
                "middle": [
                    11.25,
                    11.600000000000001,
                    12.15,
                    12.15,
                    13.05,
                    13.75,
                    14.100000000000001,
                    14.0,
                    13.55,
                    13.0,
                ],
                "lower": [10.1, 10.8, 11.0, 11.0, 11.9, 12.1, 12.8, 12.6, 12.0, 12.0],
            },
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.DONCHIAN",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            window=4,
            result={
                "upper": [25.67, 26.58, 26.58, 26.58, 26.58, 24.94, 23.01, 23.01, 21.37],
                "middle": [23.235, 23.689999999999998, 24.4, 23.575, 23.575, 22.22, 21.11, 20.885, 19.67],
                "lower": [20.8, 20.8, 22.22, 20.57, 20.57, 19.5, 19.21, 18.76, 17.97],
            },
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.DONCHIAN",
        ),
    ],
)
def donchian_channel(high, low, window):
    """Donchian channel of prices: the lowest low, the highest high and their midpoint of each window."""
    check_bars(high, low)
    upper = [max(span) for span in _spans(_exact(high, window, window), window)]
    lower = [min(span) for span in _spans(_exact(low, window, window), window)]
    return {"lower": lower, "middle": [(a + b) / 2 for a, b in zip(lower, upper, strict=True)], "upper": upper}
