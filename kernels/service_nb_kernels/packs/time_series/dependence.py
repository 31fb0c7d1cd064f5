"""Dependence in time: autocovariances, correlograms and tests of whiteness and trend."""

from __future__ import annotations

from math import gcd

from flint import arb, fmpq, fmpq_poly, fmpz_poly

from service_nb_kernels.certified import order, sums, tails
from service_nb_kernels.certified.rounding import check_growth
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError

SERIES = P("float64[n]", unit="?u", about="series in the order of time", min_size=2, symbol="x")
LAG = P("int", domain="[0, 1000000]", about="lag", symbol="k")
LAGS = P("int", domain="[1, 500]", about="largest lag", symbol="m")
LIMIT = {"n": 1_000_000}
CHI2 = R(
    fields={
        "statistic": R(about="statistic"),
        "df": R("int", about="degrees of freedom"),
        "pvalue": R(about="p-value", range="[0, 1]"),
    }
)
DATA = [2.5, 3.1, 4.7, 5.0, 5.9, 5.0, 12.25, 0.1, 3.5, 4.25]
EXACT = "Python 3.11, fractions.Fraction"
MP = "mpmath 1.4.1, 60 digits"
SM = "statsmodels 0.15.0, statsmodels."


def autocovariances(series, highest):
    """Return n times the autocovariances of lags 0 ... highest, exactly."""
    series = sums.finite(series, "series")
    size, first = int(series.size), sums.total(series)
    if highest >= size:
        raise DomainError("lag", highest, "a lag below the length of the series")
    centre = first / size
    found = []
    for lag in range(highest + 1):
        head, tail = series[: size - lag], series[lag:]
        ends = sums.total(head) + sums.total(tail)
        found.append(sums.dot(head, tail) - centre * ends + (size - lag) * centre * centre)
    return found


def correlogram(series, highest):
    """Return the autocorrelations of lags 1 ... highest, exactly."""
    variance, *others = autocovariances(series, highest)
    if variance == 0:
        raise DomainError("series", expected="values that are not all equal")
    return [other / variance for other in others]


@capability(
    "time_series.autocovariance",
    tier="certified",
    source="box2015, sec. 2.1",
    params={"series": SERIES, "lag": LAG},
    result=R(unit="?u^2", about="autocovariance, with divisor n"),
    latex=r"c_k = \frac{1}{n} \sum_{t=1}^{n-k} (x_t - \bar{x})(x_{t+k} - \bar{x})",
    limit=LIMIT,
    cases=[
        case(series=[1.0, 2.0, 3.0], lag=1, result=0.0, origin="by hand"),
        case(series=DATA, lag=2, result=0.06227000000000023, origin=EXACT),
        case(series=[1.0, 2.0], lag=2, error="domain_error", origin="by hand"),
        case(
            series=[0.632, -2.43, -2.32, -4.36, -1.02, 4.22, 4.57, -3.28, 3.09, 4.66, 2.63, 2.49, 2.43],
            lag=4,
            result=0.849901767865271,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.tsa.stattools.acovf",
        ),
    ],
)
def autocovariance(series, lag):
    """Covariance of a series with itself some steps later, with divisor n."""
    return autocovariances(series, lag)[lag] / int(series.size)


@capability(
    "time_series.autocorrelations",
    tier="certified",
    source="box2015, sec. 2.1",
    params={"series": SERIES, "lags": LAGS},
    result=R("float64[m]", about="autocorrelations of lags 1 to m"),
    latex=r"r_k = \frac{c_k}{c_0}",
    limit={"n": 100_000},
    keywords=["ACF", "correlogram"],
    cases=[
        case(series=[1.0, 2.0, 3.0], lags=2, result=[0.0, -0.5], origin="by hand"),
        case(
            series=DATA,
            lags=4,
            result=[-0.2481909525096873, 0.007014283139587301, -0.10084594935568174, -0.06746868523024241],
            origin=EXACT,
        ),
        case(
            series=[2.44, 0.419, -0.913, -3.84, -4.39, -3.3, 1.97, -0.0389, -3.05, -3.18, 0.0298],
            lags=2,
            result=[0.2857286249395566, -0.37946704676275445],
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.tsa.stattools.acf",
        ),
    ],
)
def autocorrelations(series, lags):
    """Correlogram of a series: its autocorrelations from lag 1 on."""
    return correlogram(series, lags)


def durbin_levinson(rho):
    """Return the partial autocorrelations, and the coefficients and the share of variance left of the last order."""
    partial, phi, left = [], [], fmpq(1)
    for k, value in enumerate(rho):
        check_growth(left, *phi)
        if left == 0:
            raise DomainError("lags", expected="lags before the series is predicted without error")
        last = (value - sum((c * rho[k - 1 - j] for j, c in enumerate(phi)), fmpq(0))) / left
        phi = [c - last * d for c, d in zip(phi, reversed(phi), strict=True)] + [last]
        left *= 1 - last * last
        partial.append(last)
    return partial, phi, left


@capability(
    "time_series.partial_autocorrelations",
    tier="certified",
    source="box2015, sec. 3.2",
    params={"series": SERIES, "lags": P("int", domain="[1, 60]", about="largest lag", symbol="m")},
    result=R("float64[m]", about="partial autocorrelations of lags 1 to m"),
    limit={"n": 100_000},
    keywords=["PACF", "Durbin-Levinson"],
    cases=[
        case(
            series=DATA,
            lags=4,
            result=[-0.2481909525096873, -0.05816751171691234, -0.12129734399300746, -0.13471855541889466],
            within=1e-11,
            origin=SM + "tsa.stattools.pacf: method ldb",
        ),
        case(series=[1.0, 2.0, 3.0], lags=2, result=[0.0, -0.5], origin="by hand"),
    ],
)
def partial_autocorrelations(series, lags):
    """Partial autocorrelations of a series from lag 1 on, by the recursion of Durbin and Levinson."""
    return durbin_levinson(correlogram(series, lags))[0]


@capability(
    "time_series.yule_walker",
    tier="certified",
    source="brockwell2016, sec. 5.1",
    params={"series": SERIES, "order": P("int", domain="[1, 60]", about="order of the autoregression", symbol="p")},
    result=R(
        fields={
            "coefficients": R(
                "float64[p]", about="autoregressive coefficients, of lag 1 first, as in x = a x' + b x'' + e"
            ),
            "variance": R(unit="?u^2", about="variance of the innovations, from autocovariances with divisor n"),
        }
    ),
    limit={"n": 100_000},
    keywords=["autoregressive model", "AR fit"],
    cases=[
        case(
            series=DATA,
            order=2,
            result={"coefficients": [-0.26262760264782614, -0.05816751171691231], "variance": 8.30256418893655},
            within=1e-11,
            origin=SM + "regression.linear_model.yule_walker: method mle",
        ),
        case(
            series=[1.0, 2.0, 3.0, 1.0],
            order=1,
            result={"coefficients": [-0.29545454545454547], "variance": 0.6274857954545454},
            origin=EXACT,
        ),
    ],
)
def yule_walker(series, order):
    """Autoregression fitted to a series through its autocorrelations."""
    variance = autocovariances(series, 0)[0] / int(series.size)
    _, phi, left = durbin_levinson(correlogram(series, order))
    return {"coefficients": phi, "variance": variance * left}


@capability(
    "time_series.cross_correlation",
    tier="certified",
    source="box2015, sec. 12.1",
    params={
        "first": P("float64[n]", unit="?u", about="series that leads", min_size=2),
        "second": P("float64[n]", unit="?v", about="series that follows", min_size=2),
        "lag": P("int", domain="[0, 1000000]", about="steps by which the second is later"),
    },
    result=R(about="cross-correlation, with divisors n"),
    limit=LIMIT,
    keywords=["lead and lag", "CCF"],
    cases=[
        case(first=[1.0, 0.0, 0.0, -1.0], second=[0.0, 1.0, 0.0, -1.0], lag=1, result=0.5, origin="by hand"),
        case(
            first=DATA,
            second=[1.0, 2.0, 1.5, 3.0, 2.5, 4.0, 3.0, 2.0, 1.0, 0.5],
            lag=2,
            result=0.022021303584941285,
            origin=MP,
        ),
        case(
            first=[2.22, 0.559, 4.88, 1.17, -1.86, -4.03, 2.99, -3.61, -1.09, -0.402, -3.97],
            second=[-1.77, -2.69, 0.314, -3.71, -0.695, 2.16, -2.37, -3.24, -2.99, -4.18, -2.62],
            lag=2,
            result=0.47806922997934104,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.tsa.stattools.ccf: not adjusted",
        ),
    ],
)
def cross_correlation(first, second, lag):
    """Correlation of a series with another one that is read some steps later."""
    size = int(first.size)
    if lag >= size:
        raise DomainError("lag", lag, "a lag below the length of the series")
    m1, m2 = sums.total(first) / size, sums.total(second) / size
    head, tail = first[: size - lag], second[lag:]
    above = sums.dot(head, tail) - m2 * sums.total(head) - m1 * sums.total(tail) + (size - lag) * m1 * m2
    below = (sums.dot(first, first) - size * m1 * m1) * (sums.dot(second, second) - size * m2 * m2)
    if below == 0:
        raise DomainError("first and second", expected="values that are not all equal")
    return above / order.square_root(below) if above != 0 else fmpq(0)


def _portmanteau(series, lags, removed, weight):
    if lags <= removed:
        raise DomainError("removed", removed, "fewer parameters than lags")
    rho = correlogram(series, lags)
    statistic = sum((weight(k) * value * value for k, value in enumerate(rho, 1)), fmpq(0))
    return {"statistic": statistic, "df": lags - removed, "pvalue": tails.chi2(statistic, lags - removed)}


REMOVED = P("int", domain="[0, 100]", about="parameters fitted before, which lower the degrees of freedom")


@capability(
    "time_series.ljung_box",
    tier="certified",
    version=2,
    source="ljung1978",
    params={"series": SERIES, "lags": LAGS, "removed": REMOVED},
    result=CHI2,
    latex=r"Q = n (n + 2) \sum_{k=1}^{m} \frac{r_k^2}{n - k}",
    limit={"n": 100_000},
    keywords=["portmanteau test", "white noise", "serial correlation"],
    cases=[
        case(
            series=DATA,
            lags=3,
            removed=0,
            result={"statistic": 0.9963958917893385, "df": 3, "pvalue": 0.8021240446304695},
            within=1e-11,
            origin=SM + "stats.diagnostic.acorr_ljungbox",
        ),
        case(
            series=[1.0, 2.0, 3.0],
            lags=2,
            removed=1,
            result={"statistic": 3.75, "df": 1, "pvalue": 0.052807511416113624},
            origin="by hand: 3 * 5 * 0.25 / 1; mpmath 1.4.1",
        ),
    ],
)
def ljung_box(series, lags, removed):
    """Whether a series is white noise, by its squared autocorrelations weighted for a finite length."""
    size = int(series.size)
    return _portmanteau(series, lags, removed, lambda k: fmpq(size * (size + 2), size - k))


@capability(
    "time_series.box_pierce",
    tier="certified",
    version=2,
    source="box2015, sec. 8.2",
    params={"series": SERIES, "lags": LAGS, "removed": REMOVED},
    result=CHI2,
    latex=r"Q = n \sum_{k=1}^{m} r_k^2",
    limit={"n": 100_000},
    keywords=["portmanteau test", "white noise"],
    cases=[
        case(
            series=DATA,
            lags=3,
            removed=0,
            result={"statistic": 0.7181785457707689, "df": 3, "pvalue": 0.868920070144933},
            within=1e-11,
            origin=SM + "stats.diagnostic.acorr_ljungbox",
        ),
        case(
            series=[1.0, 2.0, 3.0],
            lags=2,
            removed=0,
            result={"statistic": 0.75, "df": 2, "pvalue": 0.6872892787909722},
            origin=MP,
        ),
    ],
)
def box_pierce(series, lags, removed):
    """Whether a series is white noise, by the sum of its squared autocorrelations."""
    return _portmanteau(series, lags, removed, lambda _: int(series.size))


@capability(
    "time_series.von_neumann_ratio",
    tier="certified",
    source="vonneumann1941",
    params={"series": SERIES},
    result=R(about="von Neumann ratio, to the variance with divisor n"),
    latex=r"\frac{\sum (x_{t+1} - x_t)^2 / (n-1)}{\sum (x_t - \bar{x})^2 / n}",
    limit=LIMIT,
    keywords=["mean square successive difference", "serial correlation"],
    cases=[
        case(series=[1.0, 2.0, 3.0], result=1.5, origin="by hand: 1 over 2 / 3"),
        case(series=DATA, result=2.7151670121053737, origin=EXACT),
    ],
)
def von_neumann_ratio(series):
    """Mean square successive difference over the variance: about 2 for independent values."""
    size = int(series.size)
    variance = autocovariances(series, 0)[0] / size
    if variance == 0:
        raise DomainError("series", expected="values that are not all equal")
    head, tail = series[:-1], series[1:]
    steps = sums.dot(head, head) - 2 * sums.dot(head, tail) + sums.dot(tail, tail)
    return steps / (size - 1) / variance


@capability(
    "time_series.rescaled_range",
    tier="certified",
    source="hurst1951",
    params={"series": SERIES},
    result=R(about="rescaled range"),
    latex=r"\frac{R}{S}",
    limit={"n": 100_000},
    keywords=["Hurst", "R/S analysis", "long memory"],
    cases=[
        case(series=[1.0, 3.0], result=1.0, origin="by hand: range 1, standard deviation 1"),
        case(series=DATA, result=3.255546836279287, origin=MP),
    ],
)
def rescaled_range(series):
    """Range of the cumulative deviations from the mean over the population standard deviation."""
    whole, _ = sums.integers(series)
    size, everything = len(whole), sum(whole)
    running, low, high = 0, 0, 0
    for value in whole:
        running += size * value - everything
        low, high = min(low, running), max(high, running)
    squares = sum((size * value - everything) ** 2 for value in whole)
    if not squares:
        raise DomainError("series", expected="values that are not all equal")
    return fmpq(high - low) / order.square_root(fmpq(squares, size))


@capability(
    "time_series.periodogram",
    tier="certified",
    version=2,
    source="brockwell2016, sec. 4.2",
    params={"series": SERIES},
    result=R("float64[k]", unit="?u^2", about="periodogram at the Fourier frequencies 1 / n, 2 / n, ... up to 1 / 2"),
    latex=r"I_j = \frac{1}{n} \left|\sum_t x_t e^{-2 \pi i j t / n}\right|^2",
    limit={"n": 1024},
    keywords=["spectrum", "Fourier", "frequency"],
    cases=[
        case(series=[1.0, -1.0, 1.0, -1.0], result=[0.0, 4.0], origin="by hand"),
        case(
            series=[1.0, 2.0, 4.0, 1.0, 2.0, 4.0],
            result=[0.0, 14.0 / 3.0, 0.0],
            origin="by hand: period three; 6 (1 + 4 + 16 - 2 - 4 - 8) * 4 / 36",
        ),
        case(
            series=DATA,
            result=[10.76073019656536, 2.9021182235857617, 11.76751980343464, 12.459631776414238, 12.996],
            origin=MP,
        ),
        case(
            series=[3.48, 1.01, 4.65, 2.59, -1.44, 0.533],
            result=[5.391218166666667, 6.2118781666666685, 1.0897081666666666],
            within=1e-14,
            origin="scipy 1.17.1, scipy.signal.periodogram",
        ),
    ],
)
def periodogram(series):
    """Periodogram of a series at its Fourier frequencies, the sum over t as it stands divided by n."""
    exact = sums.rationals(sums.finite(series, "series"))
    size = len(exact)
    turns = [_unit_root(k, size) for k in range(size)]
    silent = {g for g in range(1, size + 1) if size % g == 0 and _vanishes(exact, size // g)}
    return [
        fmpq(0) if gcd(j, size) in silent else _ordinate(exact, [turns[j * t % size] for t in range(size)])
        for j in range(1, size // 2 + 1)
    ]


def _vanishes(exact, order):
    """Whether the transform is 0 at the primitive roots of unity of an order, where no ball could show it."""
    folded = [sum(exact[start::order], fmpq(0)) for start in range(order)]
    return fmpq_poly(folded) % fmpq_poly(fmpz_poly.cyclotomic(order)) == 0


def _ordinate(exact, turns):
    real = sum((x * c for x, (c, _) in zip(exact, turns, strict=True)), fmpq(0))
    imaginary = sum((x * s for x, (_, s) in zip(exact, turns, strict=True)), fmpq(0))
    return (real * real + imaginary * imaginary) / len(exact)


def _unit_root(k, size):
    """Cosine and sine of k / size of a turn, exact at quarters."""
    if 4 * k % size == 0:
        return [(fmpq(1), fmpq(0)), (fmpq(0), fmpq(1)), (fmpq(-1), fmpq(0)), (fmpq(0), fmpq(-1))][4 * k // size]
    angle = 2 * arb.pi() * k / size
    return angle.cos(), angle.sin()
