"""Momentum of prices: how fast and how far they went, exact."""

from itertools import pairwise

from flint import fmpq

from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.packs.technical_analysis.ranges import check_bars


def _exact(values, needed, window):
    if needed > len(values):
        raise DomainError("window", window, f"a window for which {len(values)} values suffice")
    return column(rational(values))


def _exponential(values, window):
    """Exponential moving average that begins with the mean of the first window."""
    if len(values) < window:
        return []
    found = [sum(values[:window], fmpq(0)) / window]
    for value in values[window:]:
        found.append(found[-1] + fmpq(2, window + 1) * (value - found[-1]))
    return found


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
    "technical_analysis.relative_strength_index",
    tier="certified",
    source="wilder1978",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=14, about="bars of the window"),
    },
    result=R("float64[k]", range="[0, 100]", about="index at each bar from bar window + 1 on"),
    limit={"n": 2000},
    keywords=["RSI", "overbought", "oversold"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                80.00000000000004,
                93.84615384615387,
                63.21243523316065,
                83.19526627218934,
                89.33132982719759,
                56.06507131910882,
                38.07084250550331,
                40.66759974691795,
                60.528564686674905,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.RSI",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                80.28747433264886,
                55.40859707132737,
                28.71481028151775,
                44.16821115868857,
                31.756380735514117,
                28.614739127834486,
                36.22577662088571,
                29.227877171605808,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.RSI",
        ),
    ],
)
def relative_strength_index(prices, window):
    """Relative strength index of prices, from 0 to 100, by Wilder."""
    values = _exact(prices, window + 1, window)
    moves = [b - a for a, b in pairwise(values)]
    ups = _smoothed([max(move, fmpq(0)) for move in moves], window)
    downs = _smoothed([max(-move, fmpq(0)) for move in moves], window)
    return [_share(up, up + down) for up, down in zip(ups, downs, strict=True)]


@capability(
    "technical_analysis.chande_momentum_oscillator",
    tier="certified",
    source="chande1994",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=14, about="bars of the window"),
    },
    result=R("float64[k]", range="[-100, 100]", about="oscillator at each bar from bar window + 1 on"),
    limit={"n": 2000},
    keywords=["CMO", "overbought"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                60.00000000000008,
                87.69230769230772,
                26.424870466321295,
                66.39053254437871,
                78.66265965439521,
                12.13014263821764,
                -23.85831498899338,
                -18.66480050616408,
                21.057129373349824,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.CMO",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                60.57494866529771,
                10.81719414265475,
                -42.5703794369645,
                -11.663577682622856,
                -36.48723852897176,
                -42.77052174433102,
                -27.54844675822859,
                -41.54424565678837,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.CMO",
        ),
    ],
)
def chande_momentum_oscillator(prices, window):
    """Chande's momentum oscillator of prices, from -100 to 100, with Wilder's smoothing for his plain sums."""
    values = _exact(prices, window + 1, window)
    moves = [b - a for a, b in pairwise(values)]
    ups = _smoothed([max(move, fmpq(0)) for move in moves], window)
    downs = _smoothed([max(-move, fmpq(0)) for move in moves], window)
    return [_share(up - down, up + down) for up, down in zip(ups, downs, strict=True)]


@capability(
    "technical_analysis.price_momentum",
    tier="certified",
    version=2,
    source="murphy1999, ch. 10",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[1, 500]", default=10, about="bars from the earlier price to the later"),
    },
    result=R("float64[k]", about="change at each bar from bar window + 1 on"),
    limit={"n": 2000},
    keywords=["MOM", "difference"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                0.5999999999999996,
                1.3000000000000007,
                0.7000000000000011,
                2.5,
                2.1999999999999993,
                1.5999999999999996,
                -1.1999999999999993,
                -2.299999999999999,
                -0.20000000000000107,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.MOM",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                2.9499999999999993,
                2.270000000000003,
                -1.6499999999999986,
                -1.129999999999999,
                -5.889999999999997,
                -4.880000000000003,
                -0.620000000000001,
                -3.1700000000000017,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.MOM",
        ),
    ],
)
def price_momentum(prices, window):
    """Change of the price at each bar from so many bars before, as a difference."""
    values = _exact(prices, window + 1, window)
    return [b - a for a, b in zip(values, values[window:], strict=False)]


@capability(
    "technical_analysis.rate_of_change",
    tier="certified",
    version=2,
    source="murphy1999, ch. 10",
    params={
        "prices": P("float64[n]", domain="(0, inf)", about="price of each bar, oldest first"),
        "window": P("int", domain="[1, 500]", default=10, about="bars from the earlier price to the later"),
    },
    result=R("float64[k]", about="change at each bar from bar window + 1 on"),
    limit={"n": 2000},
    keywords=["ROC", "percent"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                5.504587155963292,
                11.111111111111116,
                6.034482758620707,
                21.739130434782616,
                16.923076923076906,
                13.008130081300816,
                -8.571428571428562,
                -15.131578947368418,
                -1.4388489208633115,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.ROC",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                12.666380420781454,
                10.165696372592947,
                -7.313829787234038,
                -4.78205670757511,
                -22.446646341463406,
                -19.83739837398375,
                -2.965088474414157,
                -14.088888888888896,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.ROC",
        ),
    ],
)
def rate_of_change(prices, window):
    """Change of the price at each bar from so many bars before, in percent."""
    values = _exact(prices, window + 1, window)
    return [100 * (b - a) / a for a, b in zip(values, values[window:], strict=False)]


@capability(
    "technical_analysis.macd",
    tier="certified",
    source="appel2005",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "fast": P("int", domain="[2, 500]", default=12, about="bars of the fast average"),
        "slow": P("int", domain="[2, 500]", default=26, about="bars of the slow average"),
        "signal": P("int", domain="[2, 500]", default=9, about="bars of the average of the line"),
    },
    result=R(
        fields={
            "macd": R("float64[k]", about="line at each bar from bar slow + signal - 1 on: fast less slow average"),
            "signal": R("float64[k]", about="exponential average of the line at the same bars"),
            "histogram": R("float64[k]", about="line less signal at the same bars"),
        }
    ),
    limit={"n": 2000},
    keywords=["MACD", "trend"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            fast=2,
            slow=4,
            signal=3,
            result={
                "macd": [
                    0.2192222222222231,
                    0.5656074074074073,
                    0.8040558024691347,
                    0.29066393415637926,
                    -0.18285815528120608,
                    -0.20213373176040328,
                    0.06124681474653215,
                ],
                "signal": [
                    0.2686296296296303,
                    0.4171185185185188,
                    0.6105871604938267,
                    0.45062554732510296,
                    0.13388369602194844,
                    -0.03412501786922742,
                    0.013560898438652366,
                ],
                "histogram": [
                    -0.04940740740740718,
                    0.14848888888888856,
                    0.193468641975308,
                    -0.1599616131687237,
                    -0.3167418513031545,
                    -0.16800871389117586,
                    0.047685916307879786,
                ],
            },
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.MACD",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            fast=3,
            slow=5,
            signal=2,
            result={
                "macd": [
                    0.4316666666666684,
                    -0.28916666666666657,
                    -0.21624999999999872,
                    -0.51423611111111,
                    -0.632858796296297,
                    -0.4719232253086396,
                    -0.49962416409464794,
                ],
                "signal": [
                    0.4825000000000017,
                    -0.03194444444444378,
                    -0.15481481481481374,
                    -0.3944290123456779,
                    -0.5533822016460906,
                    -0.4990762174211233,
                    -0.4994415152034731,
                ],
                "histogram": [
                    -0.050833333333333286,
                    -0.2572222222222228,
                    -0.06143518518518498,
                    -0.11980709876543211,
                    -0.0794765946502064,
                    0.027152992112483676,
                    -0.0001826488911748636,
                ],
            },
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.MACD",
        ),
    ],
)
def macd(prices, fast, slow, signal):
    """Moving average convergence divergence of prices: its line, its signal line and their difference."""
    if fast >= slow:
        raise DomainError("fast", fast, f"less than the slow window, {slow}")
    values = _exact(prices, slow + signal - 1, slow)
    line = [a - b for a, b in zip(_exponential(values[slow - fast :], fast), _exponential(values, slow), strict=True)]
    average = _exponential(line, signal)
    line = line[signal - 1 :]
    return {"macd": line, "signal": average, "histogram": [a - b for a, b in zip(line, average, strict=True)]}


@capability(
    "technical_analysis.percentage_price_oscillator",
    tier="certified",
    source="appel2005",
    params={
        "prices": P("float64[n]", domain="(0, inf)", about="price of each bar, oldest first"),
        "fast": P("int", domain="[2, 500]", default=12, about="bars of the fast average"),
        "slow": P("int", domain="[2, 500]", default=26, about="bars of the slow average"),
    },
    result=R("float64[k]", about="oscillator at each bar from bar slow on"),
    limit={"n": 2000},
    keywords=["PPO", "MACD"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            fast=2,
            slow=4,
            result=[
                0.6564551422319412,
                3.691414350891749,
                1.7581392797388846,
                4.37297782742174,
                5.815663163141426,
                2.0973150850477755,
                -1.362133454155781,
                -1.529443454664485,
                0.45664787314084576,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.PPO: exponential",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            fast=3,
            slow=5,
            result=[
                4.655513200621216,
                2.9848927875243825,
                -0.6441706643407501,
                -0.6386227325921552,
                -2.1792201800070745,
                -2.8986362823287184,
                -2.214434899815222,
                -2.4292964862258155,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.PPO: exponential",
        ),
    ],
)
def percentage_price_oscillator(prices, fast, slow):
    """Percentage price oscillator: a fast exponential average less a slow one, in percent of the slow."""
    if fast >= slow:
        raise DomainError("fast", fast, f"less than the slow window, {slow}")
    values = _exact(prices, slow, slow)
    quick, still = _exponential(values, fast)[slow - fast :], _exponential(values, slow)
    return [100 * (a - b) / b for a, b in zip(quick, still, strict=True)]


@capability(
    "technical_analysis.trix",
    tier="certified",
    source="hutson1983",
    params={
        "prices": P("float64[n]", domain="(0, inf)", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=15, about="bars of the window"),
    },
    result=R("float64[k]", about="change at each bar from bar 3 * window - 1 on"),
    limit={"n": 2000},
    keywords=["TRIX", "triple exponential"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[5.323661356185649, 3.850144367615238, 1.323767676800891, -0.09065521502639173, 0.0889113613380621],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.TRIX",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[-2.49877037061611, -2.497332218647774],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.TRIX",
        ),
    ],
)
def trix(prices, window):
    """Change in percent from bar to bar of prices that are smoothed exponentially three times."""
    values = _exact(prices, 3 * window - 1, window)
    for _ in range(3):
        values = _exponential(values, window)
    return [100 * (b - a) / a for a, b in pairwise(values)]


@capability(
    "technical_analysis.efficiency_ratio",
    tier="certified",
    source="kaufman1995",
    params={
        "prices": P("float64[n]", about="price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=10, about="bars from the earlier price to the later"),
    },
    result=R("float64[k]", range="[0, 1]", about="ratio at each bar from bar window + 1 on"),
    limit={"n": 2000},
    keywords=["fractal efficiency", "noise", "trend strength"],
    cases=[
        case(
            prices=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                0.6000000000000008,
                0.7647058823529419,
                0.30434782608695715,
                0.6410256410256413,
                0.6111111111111113,
                0.3809523809523811,
                0.3333333333333333,
                0.9200000000000003,
                0.10000000000000062,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.ER",
        ),
        case(
            prices=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                0.6057494866529771,
                0.40900900900900977,
                0.18312985571587115,
                0.11857292759706184,
                0.6493936052921719,
                0.6054590570719605,
                0.12550607287449408,
                0.7354988399071926,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.ER",
        ),
    ],
)
def efficiency_ratio(prices, window):
    """Efficiency of prices over a window: their net change over the way that they went, from 0 to 1."""
    values = _exact(prices, window + 1, window)
    way = [abs(b - a) for a, b in pairwise(values)]
    net = [abs(b - a) for a, b in zip(values, values[window:], strict=False)]
    return [_share(a, sum(span, fmpq(0))) / 100 for a, span in zip(net, _spans(way, window), strict=True)]


@capability(
    "technical_analysis.commodity_channel_index",
    tier="certified",
    version=2,
    source="lambert1980",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", about="last price of each bar, oldest first"),
        "window": P("int", domain="[2, 500]", default=14, about="bars of the window"),
    },
    result=R("float64[k]", about="index at each bar from which the window is full"),
    limit={"n": 2000},
    keywords=["CCI", "typical price"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            window=3,
            result=[
                75.47169811320741,
                -31.250000000000004,
                100.00000000000011,
                31.250000000000096,
                100.00000000000013,
                100.00000000000014,
                -5.26315789473682,
                -99.99999999999991,
                -74.68354430379753,
                81.81818181818133,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.CCI",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            window=4,
            result=[
                121.3282247765007,
                109.17070917070902,
                -21.79047619047648,
                -133.33333333333343,
                -49.22500425821833,
                -90.07936507936485,
                -85.66941499803715,
                -63.430420711974214,
                -133.33333333333366,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.CCI",
        ),
    ],
)
def commodity_channel_index(high, low, close, window):
    """Commodity channel index of prices, by Lambert."""
    check_bars(high, low, close=close)
    bars = zip(_exact(high, window, window), _exact(low, window, window), _exact(close, window, window), strict=True)
    typical = [(a + b + c) / 3 for a, b, c in bars]
    found = []
    for span in _spans(typical, window):
        mean = sum(span, fmpq(0)) / window
        spread = sum((abs(value - mean) for value in span), fmpq(0)) / window
        found.append(_share(span[-1] - mean, spread * fmpq(15, 1000)) / 100)
    return found
