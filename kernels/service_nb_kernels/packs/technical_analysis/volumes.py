"""Volumes of trading and where they went, exact."""

from flint import fmpq

from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.packs.technical_analysis.ranges import check_bars


def _exact(values, needed=1, window=None):
    if needed > len(values):
        raise DomainError("window", window, f"a window for which {len(values)} values suffice")
    return column(rational(values))


def _spans(values, window):
    return [values[i : i + window] for i in range(len(values) - window + 1)]


def _flows(high, low, close, volumes):
    """Volume of each bar, by where its close lies: all of it at the high, less all of it at the low."""
    check_bars(high, low, close=close)
    bars = zip(*map(_exact, (high, low, close, volumes)), strict=True)
    return [((c - b) - (a - c)) / (a - b) * v if a != b else fmpq(0) for a, b, c, v in bars]


def _running(start, values):
    found = [start]
    for value in values:
        found.append(found[-1] + value)
    return found


@capability(
    "technical_analysis.on_balance_volume",
    tier="certified",
    source="granville1963",
    params={
        "close": P("float64[n]", about="last price of each bar, oldest first"),
        "volumes": P("float64[n]", domain="[0, inf)", about="volume of each bar"),
    },
    result=R("float64[k]", about="running volume at each bar; at the first, its own volume"),
    limit={"n": 2000},
    keywords=["OBV", "accumulation"],
    cases=[
        case(
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            volumes=[120.0, 95.0, 143.0, 88.0, 210.0, 132.0, 175.0, 190.0, 160.0, 142.0, 101.0, 118.0],
            result=[120.0, 215.0, 72.0, -16.0, 194.0, 62.0, 237.0, 427.0, 267.0, 125.0, 226.0, 344.0],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.OBV",
        ),
        case(
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            volumes=[118.0, 132.0, 204.0, 253.0, 190.0, 206.0, 194.0, 303.0, 88.0, 174.0, 157.0, 213.0],
            result=[118.0, -14.0, 190.0, 443.0, 633.0, 427.0, 233.0, 536.0, 448.0, 274.0, 431.0, 218.0],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.OBV",
        ),
    ],
)
def on_balance_volume(close, volumes):
    """On-balance volume: volumes added up with the sign of the price's change."""
    prices, traded = _exact(close), _exact(volumes)
    moves = zip(prices, prices[1:], traded[1:], strict=False)
    return _running(traded[0], [v * ((b > a) - (b < a)) for a, b, v in moves])


@capability(
    "technical_analysis.accumulation_distribution",
    tier="certified",
    version=2,
    source="achelis2000",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", about="last price of each bar, oldest first"),
        "volumes": P("float64[n]", domain="[0, inf)", about="volume of each bar"),
    },
    result=R("float64[k]", about="running volume at each bar, the first included; a bar whose high is its low adds 0"),
    limit={"n": 2000},
    keywords=["AD", "Chaikin", "money flow"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            volumes=[120.0, 95.0, 143.0, 88.0, 210.0, 132.0, 175.0, 190.0, 160.0, 142.0, 101.0, 118.0],
            result=[
                54.54545454545476,
                115.00000000000003,
                49.99999999999977,
                41.9999999999998,
                161.9999999999996,
                88.66666666666656,
                213.66666666666669,
                345.20512820512795,
                230.9194139194139,
                129.49084249084268,
                179.99084249084282,
                264.27655677655696,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.AD",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            volumes=[118.0, 132.0, 204.0, 253.0, 190.0, 206.0, 194.0, 303.0, 88.0, 174.0, 157.0, 213.0],
            result=[
                84.28571428571429,
                150.28571428571405,
                4.5714285714282425,
                -176.1428571428576,
                -44.6043956043961,
                102.53846153846112,
                -5.23931623931675,
                167.90354090354015,
                159.90354090354023,
                80.8126318126309,
                180.72172272172173,
                277.53990453990326,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.AD",
        ),
    ],
)
def accumulation_distribution(high, low, close, volumes):
    """Accumulation/distribution line: volumes added up by where each close lies in the range of its bar."""
    flows = _flows(high, low, close, volumes)
    return _running(flows[0], flows[1:])


@capability(
    "technical_analysis.chaikin_money_flow",
    tier="certified",
    version=2,
    source="achelis2000",
    params={
        "high": P("float64[n]", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", about="last price of each bar, oldest first"),
        "volumes": P("float64[n]", domain="[0, inf)", about="volume of each bar"),
        "window": P("int", domain="[2, 500]", default=20, about="bars of the window"),
    },
    result=R(
        "float64[k]",
        range="[-1, 1]",
        about="flow at each bar from which the window is full; a bar whose high is its low counts 0",
    ),
    limit={"n": 2000},
    keywords=["CMF", "buying pressure"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            volumes=[120.0, 95.0, 143.0, 88.0, 210.0, 132.0, 175.0, 190.0, 160.0, 142.0, 101.0, 118.0],
            window=3,
            result=[
                0.1396648044692731,
                -0.03848298940323608,
                0.10657596371881989,
                0.08992248062015532,
                0.33204384268214093,
                0.3686219883402984,
                0.2709576138147568,
                -0.1710890735280976,
                -0.4099610067351988,
                0.09240205777601952,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.CMF",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            volumes=[118.0, 132.0, 204.0, 253.0, 190.0, 206.0, 194.0, 303.0, 88.0, 174.0, 157.0, 213.0],
            window=4,
            result=[
                -0.24914124065467835,
                -0.16545585351747163,
                -0.055975677312137116,
                -0.01163789420017203,
                0.38527032256035576,
                0.25854353540826336,
                -0.02862428158870916,
                0.25756376587401447,
                0.173475258918296,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.CMF",
        ),
    ],
)
def chaikin_money_flow(high, low, close, volumes, window):
    """Chaikin's money flow over a window, from -1 to 1."""
    traded = [sum(span, fmpq(0)) for span in _spans(_exact(volumes, window, window), window)]
    if not all(traded):
        raise DomainError("volumes", None, "windows in which something was traded")
    flows = _spans(_flows(high, low, close, volumes), window)
    return [sum(span, fmpq(0)) / total for span, total in zip(flows, traded, strict=True)]


@capability(
    "technical_analysis.money_flow_index",
    tier="certified",
    version=3,
    source="achelis2000",
    params={
        "high": P("float64[n]", domain="[0, inf)", about="highest price of each bar, oldest first"),
        "low": P("float64[n]", domain="[0, inf)", about="lowest price of each bar, oldest first"),
        "close": P("float64[n]", domain="[0, inf)", about="last price of each bar, oldest first"),
        "volumes": P("float64[n]", domain="[0, inf)", about="volume of each bar"),
        "window": P("int", domain="[2, 500]", default=14, about="bars of the window"),
    },
    result=R("float64[k]", range="[0, 100]", about="index at each bar from bar window + 1 on"),
    limit={"n": 2000},
    keywords=["MFI", "overbought"],
    cases=[
        case(
            high=[11.2, 11.9, 12.4, 12.1, 13.3, 13.0, 14.2, 15.4, 15.1, 14.0, 13.2, 13.9],
            low=[10.1, 10.8, 11.3, 11.0, 11.9, 12.1, 12.8, 14.1, 13.7, 12.6, 12.0, 12.5],
            close=[10.9, 11.7, 11.6, 11.5, 13.0, 12.3, 14.0, 15.2, 13.9, 12.8, 12.9, 13.7],
            volumes=[120.0, 95.0, 143.0, 88.0, 210.0, 132.0, 175.0, 190.0, 160.0, 142.0, 101.0, 118.0],
            window=3,
            result=[
                73.19883457885517,
                81.10545030313936,
                50.126221600139964,
                75.480038542153,
                76.04053424444788,
                69.63555555555556,
                40.59790246560674,
                0.0,
                33.38201161223869,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.MFI",
        ),
        case(
            high=[23.63, 22.84, 24.6, 25.67, 26.58, 24.94, 22.1, 23.01, 21.37, 21.08, 20.63, 19.84],
            low=[21.25, 20.8, 22.22, 23.29, 24.37, 22.56, 20.57, 20.63, 19.5, 19.21, 18.76, 17.97],
            close=[23.29, 22.33, 22.56, 23.63, 26.24, 24.6, 20.91, 22.5, 20.35, 19.72, 20.29, 19.33],
            volumes=[118.0, 132.0, 204.0, 253.0, 190.0, 206.0, 194.0, 303.0, 88.0, 174.0, 157.0, 213.0],
            window=6,
            result=[
                56.79448917038448,
                71.2038764387274,
                61.96625959309144,
                44.65426720674027,
                27.670048490605637,
                28.734001274937054,
            ],
            within=1e-9,
            origin="TA-Lib 0.8.2, talib.MFI",
        ),
    ],
)
def money_flow_index(high, low, close, volumes, window):
    """Money flow index, from 0 to 100: a relative strength that weighs typical prices by volume."""
    check_bars(high, low, close=close)
    _exact(close, window + 1, window)
    typical = [(a + b + c) / 3 for a, b, c in zip(*map(_exact, (high, low, close)), strict=True)]
    moves = zip(typical, typical[1:], _exact(volumes)[1:], strict=False)
    flows = [b * v * ((b > a) - (b < a)) for a, b, v in moves]
    found = []
    for span in _spans(flows, window):
        whole = sum((abs(flow) for flow in span), fmpq(0))
        if whole == 0:
            raise DomainError("close", None, "prices that move within each window")
        found.append(100 * sum((max(flow, fmpq(0)) for flow in span), fmpq(0)) / whole)
    return found
