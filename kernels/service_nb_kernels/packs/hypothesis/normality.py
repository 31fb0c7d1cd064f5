"""Tests of normality, and of the assumptions behind a regression."""

from __future__ import annotations

from flint import arb, fmpq

from service_nb_kernels.certified import order, special, sums, tails
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import np
from service_nb_kernels.packs.stats.least_squares import exact_rows, solved
from service_nb_kernels.packs.stats.shape import central

VALUES = P("float64[n]", unit="?u", about="sample", min_size=3, symbol="x")
EIGHT = P("float64[n]", unit="?u", about="sample of eight values or more", min_size=8, symbol="x")
RESIDUALS = P("float64[n]", unit="?u", about="residuals in the order of observation", min_size=2, symbol="e")
LIMIT = {"n": 1_000_000}
Z = R(fields={"statistic": R(about="z"), "pvalue": R(about="two-sided p-value", range="[0, 1]")})
CHI2 = R(
    fields={"statistic": R(about="statistic"), "pvalue": R(about="p-value by the chi-square limit", range="[0, 1]")}
)
WEIGHTS = [148.0, 154.0, 158.0, 160.0, 161.0, 162.0, 166.0, 170.0, 182.0, 195.0, 236.0]
SCIPY = "scipy 1.17.1, scipy.stats."
MP = "mpmath 1.4.1, 60 digits"


def _moments(values):
    moments = central(values, 4)
    if moments[2] == 0:
        raise DomainError("values", expected="values that are not all equal")
    return moments


@capability(
    "hypothesis.jarque_bera",
    tier="certified",
    version=2,
    source="jarque1987",
    params={"values": VALUES},
    result=CHI2,
    latex=r"JB = \frac{n}{6} \left(g_1^2 + \frac{g_2^2}{4}\right)",
    limit=LIMIT,
    keywords=["skewness", "kurtosis", "normality"],
    cases=[
        case(
            values=WEIGHTS,
            result={"statistic": 6.982848237344646, "pvalue": 0.03045746622458189},
            within=1e-12,
            origin=SCIPY + "jarque_bera",
        ),
        case(
            values=[-1.0, 1.0, -1.0, 1.0],
            result={"statistic": 0.6666666666666666, "pvalue": 0.7165313105737893},
            origin=MP,
        ),
    ],
)
def jarque_bera(values):
    """Test of normality by skewness and kurtosis together."""
    _, _, second, third, fourth = _moments(values)
    skewed, tailed = third**2 / second**3, fourth / second**2 - 3
    statistic = int(values.size) * (skewed + tailed**2 / 4) / 6
    return {"statistic": statistic, "pvalue": tails.chi2(statistic, 2)}


def _skew_z(values):
    n, (_, _, second, third, _) = int(values.size), _moments(values)
    if third == 0:
        return arb(0)
    b2 = fmpq(3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3), (n - 2) * (n + 5) * (n + 7) * (n + 9))
    y = arb(third) / (arb(second) ** fmpq(3, 2)) * arb(fmpq((n + 1) * (n + 3), 6 * (n - 2))).sqrt()
    w2 = arb(2 * (b2 - 1)).sqrt() - 1
    return (y / (2 / (w2 - 1)).sqrt()).asinh() / (w2.log() / 2).sqrt()


def _kurtosis_z(values):
    n, (_, _, second, _, fourth) = int(values.size), _moments(values)
    mean = fmpq(3 * (n - 1), n + 1)
    variance = fmpq(24 * n * (n - 2) * (n - 3), (n + 1) ** 2 * (n + 3) * (n + 5))
    x = arb(fourth / second**2 - mean) / arb(variance).sqrt()
    skew = (
        6 * fmpq(n * n - 5 * n + 2, (n + 7) * (n + 9)) * arb(fmpq(6 * (n + 3) * (n + 5), n * (n - 2) * (n - 3))).sqrt()
    )
    a = 6 + 8 / skew * (2 / skew + (1 + 4 / skew**2).sqrt())
    inner = (1 - 2 / a) / (1 + x * (2 / (a - 4)).sqrt())
    root = inner.root(3) if inner > 0 else -((-inner).root(3))
    return (1 - 2 / (9 * a) - root) / (2 / (9 * a)).sqrt()


@capability(
    "hypothesis.skewness_test",
    tier="certified",
    version=2,
    source="dagostino1990, sec. 3.1",
    params={"values": EIGHT},
    result=Z,
    limit=LIMIT,
    keywords=["normality", "D'Agostino"],
    cases=[
        case(
            values=WEIGHTS,
            result={"statistic": 2.7788579769903414, "pvalue": 0.005455036974740185},
            within=1e-12,
            origin=SCIPY + "skewtest",
        ),
        case(
            values=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8000.0],
            result={"statistic": 3.571773510360407, "pvalue": 0.0003545719905823133},
            within=1e-11,
            origin=SCIPY + "skewtest",
        ),
        case(
            values=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
            result={"statistic": 0.0, "pvalue": 1.0},
            origin="by hand: symmetric",
        ),
    ],
)
def skewness_test(values):
    """Whether a sample is as symmetric as a normal one, by D'Agostino's transform of the skewness."""
    z = _skew_z(values)
    return {"statistic": z, "pvalue": tails.normal(z)}


@capability(
    "hypothesis.kurtosis_test",
    tier="certified",
    version=2,
    source="dagostino1990, sec. 3.2",
    params={
        "values": P("float64[n]", unit="?u", about="sample; twenty values or more are advised", min_size=5, symbol="x")
    },
    result=Z,
    limit=LIMIT,
    keywords=["normality", "tails", "Anscombe-Glynn"],
    cases=[
        case(
            values=WEIGHTS,
            result={"statistic": 2.304823521424087, "pvalue": 0.02117645921138683},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            values=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0],
            result={"statistic": -1.0680349417940322, "pvalue": 0.28550475043177015},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            values=[
                3.25,
                -1.31,
                -0.229,
                -3.38,
                -3.86,
                -4.02,
                -0.936,
                -0.848,
                0.14,
                -2.1,
                -1.29,
                -0.029,
                3.64,
                -3.34,
                3.3,
                0.855,
                -3.51,
                1.26,
                -2.23,
                -2.19,
                -1.56,
                4.4,
                -4.24,
                -3.47,
                0.919,
                -3.87,
            ],
            result={"statistic": -0.622215610771712, "pvalue": 0.5338001024965093},
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.kurtosistest",
        ),
    ],
)
def kurtosis_test(values):
    """Whether a sample has the tails of a normal one, by Anscombe and Glynn's transform of the kurtosis."""
    z = _kurtosis_z(values)
    return {"statistic": z, "pvalue": tails.normal(z)}


@capability(
    "hypothesis.dagostino_omnibus",
    tier="certified",
    version=2,
    source="dagostino1990, sec. 3.3",
    params={"values": EIGHT},
    result=CHI2,
    latex=r"K^2 = Z(\sqrt{b_1})^2 + Z(b_2)^2",
    limit=LIMIT,
    keywords=["normality", "K squared", "D'Agostino-Pearson"],
    cases=[
        case(
            values=WEIGHTS,
            result={"statistic": 13.034263121192582, "pvalue": 0.0014779023013100174},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            values=[1.0, 2.0, 4.0, 4.5, 5.0, 6.5, 7.0, 8.0, 30.0],
            result={"statistic": 20.823605666711767, "pvalue": 3.007540489486101e-05},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            values=[
                2.89,
                -1.13,
                3.21,
                -2.62,
                -0.695,
                2.41,
                -2.21,
                -1.23,
                4.26,
                2.61,
                -1.51,
                -4.88,
                -1.73,
                -1.74,
                4.95,
                4.18,
                -0.888,
                4.09,
                2.55,
                -1.04,
                1.86,
                -0.998,
                -3.94,
            ],
            result={"statistic": 3.5664656641591925, "pvalue": 0.16809384874317665},
            within=1e-13,
            origin="scipy 1.17.1, scipy.stats.normaltest",
        ),
    ],
)
def dagostino_omnibus(values):
    """Test of normality by the squares of the skewness and the kurtosis statistics."""
    statistic = _skew_z(values) ** 2 + _kurtosis_z(values) ** 2
    return {"statistic": statistic, "pvalue": tails.chi2(statistic, 2)}


def _standardised(values):
    ordered = np.sort(sums.finite(values))
    size = int(values.size)
    _, first, second = sums.power_sums(ordered, 2)
    variance = (second - first * first / size) / (size - 1)
    if variance == 0:
        raise DomainError("values", expected="values that are not all equal")
    scale = order.square_root(variance)
    return [arb(value - first / size) / scale for value in sums.rationals(ordered)]


@capability(
    "hypothesis.anderson_darling_normal",
    tier="certified",
    source="stephens1974, case 3",
    params={"values": VALUES},
    result=R(about="Anderson-Darling statistic, not adjusted for the size of the sample"),
    latex=r"A^2 = -n - \frac{1}{n} \sum_i (2i - 1) \left(\ln \Phi(z_i) + \ln(1 - \Phi(z_{n+1-i}))\right)",
    limit={"n": 10_000},
    keywords=["normality", "EDF", "goodness of fit"],
    cases=[
        case(values=WEIGHTS, result=0.9467718795988873, origin=MP),
        case(values=[1.0, 2.0, 3.5, 3.0, 2.5], result=0.16610747473301282, origin=MP),
        case(
            values=[2.22, 0.484, -4.25, 3.92, -0.692, -2.86, -4.42, -0.726, 2.56, 4.15, -3.63, -3.2],
            result=0.41312481360234976,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.anderson",
        ),
    ],
)
def anderson_darling_normal(values):
    """Anderson-Darling distance of a sample from the normal distribution of its own mean and variance."""
    z = _standardised(values)
    size = len(z)
    low = [special.normal_cdf(x).log() for x in z]
    high = [special.normal_sf(x).log() for x in reversed(z)]
    return -size - sum(((2 * i + 1) * (a + b) for i, (a, b) in enumerate(zip(low, high, strict=True))), arb(0)) / size


@capability(
    "hypothesis.lilliefors",
    tier="certified",
    source="lilliefors1967",
    params={"values": VALUES},
    result=R(about="largest distance of the distribution functions"),
    limit={"n": 10_000},
    keywords=["normality", "Kolmogorov-Smirnov", "estimated parameters"],
    cases=[
        case(values=WEIGHTS, result=0.2592153571488775, origin=MP),
        case(values=[1.0, 2.0, 3.5, 3.0, 2.5], result=0.14140542537151635, origin=MP),
        case(
            values=[1.42, -0.476, -0.786, -2.32, -4.02, 1.3, -1.05, 1.3, 2.62],
            result=0.21030741285900434,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.diagnostic.lilliefors",
        ),
    ],
)
def lilliefors(values):
    """Kolmogorov distance of a sample from the normal distribution of its own mean and variance."""
    size, largest = int(values.size), arb(0)
    for i, x in enumerate(_standardised(values)):
        p = special.normal_cdf(x)
        largest = largest.max(fmpq(i + 1, size) - p).max(p - fmpq(i, size))
    return largest


@capability(
    "hypothesis.grubbs",
    tier="certified",
    version=2,
    source="grubbs1969",
    params={"values": VALUES},
    result=R(
        fields={
            "statistic": R(about="largest deviation in standard deviations"),
            "pvalue": R(about="two-sided p-value, an upper bound", range="[0, 1]"),
        }
    ),
    limit=LIMIT,
    keywords=["outlier", "maximum normed residual"],
    cases=[
        case(
            values=[199.31, 199.53, 200.19, 200.82, 201.92, 201.95, 202.18, 245.57],
            result={"statistic": 2.4687646112124506, "pvalue": 3.002638682070797e-07},
            origin=MP + "; data and G = 2.4687 of the NIST/SEMATECH e-Handbook, sec. 1.3.5.17.1",
        ),
        case(values=WEIGHTS, result={"statistic": 2.564929401227214, "pvalue": 0.009923646701743312}, origin=MP),
    ],
)
def grubbs(values):
    """Whether the most extreme value of a normal sample is an outlier, after Grubbs."""
    size = int(values.size)
    _, first, second = sums.power_sums(values, 2)
    variance = (second - first * first / size) / (size - 1)
    if variance == 0:
        raise DomainError("values", expected="values that are not all equal")
    centre = first / size
    extreme = max(centre - order.rational(values.min()), order.rational(values.max()) - centre)
    squared = extreme**2 / variance
    below = (size - 1) ** 2 - size * squared
    if below == 0:  # all the other values agree
        return {"statistic": order.square_root(squared), "pvalue": fmpq(0)}
    t = order.square_root(squared * size * (size - 2) / below)
    tail = size * tails.student(t, size - 2)
    return {"statistic": order.square_root(squared), "pvalue": fmpq(1) if tail > 1 else tail}


@capability(
    "hypothesis.durbin_watson",
    tier="certified",
    source="durbin1950",
    params={"residuals": RESIDUALS},
    result=R(about="Durbin-Watson statistic"),
    latex=r"d = \frac{\sum_t (e_t - e_{t-1})^2}{\sum_t e_t^2}",
    limit=LIMIT,
    keywords=["serial correlation", "autocorrelation of residuals"],
    cases=[
        case(residuals=[1.0, -1.0, 1.0, -1.0], result=3.0, origin="by hand: 12 / 4"),
        case(residuals=[0.5, 0.1, -0.7, 0.2, 0.3], result=1.8409090909090908, origin="Python 3.11, fractions.Fraction"),
        case(
            residuals=[4.29, 0.651, 2.71, -0.641, -0.618, -1.17, 3.39, 3.14, -0.559, -1.9, 0.392, 3.72],
            result=1.2083154616487817,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.stattools.durbin_watson",
        ),
    ],
)
def durbin_watson(residuals):
    """Serial correlation of residuals: 2 without any, towards 0 if positive, towards 4 if negative."""
    residuals = sums.finite(residuals, "residuals")
    squares = sums.dot(residuals, residuals)
    if squares == 0:
        raise DomainError("residuals", expected="values that are not all 0")
    ends = order.rational(residuals[0]) ** 2 + order.rational(residuals[-1]) ** 2
    return (2 * squares - ends - 2 * sums.dot(residuals[:-1], residuals[1:])) / squares


@capability(
    "hypothesis.breusch_pagan",
    tier="certified",
    version=3,
    source="koenker1981",
    params={
        "design": P("float64[n,p]", about="design matrix with a column of ones", min_size=3),
        "residuals": P("float64[n]", about="residuals of the regression", min_size=3),
    },
    result=R(
        fields={
            "statistic": R(about="n R squared of the squared residuals"),
            "df": R("int", about="degrees of freedom"),
            "pvalue": R(about="p-value", range="[0, 1]"),
        }
    ),
    limit={"n": 5000, "p": 20},
    keywords=["heteroscedasticity", "Koenker", "Lagrange multiplier"],
    cases=[
        case(
            design=[[1.0, 1.0], [1.0, 2.0], [1.0, 3.0], [1.0, 4.0], [1.0, 5.0]],
            residuals=[0.1, -0.2, 0.4, -0.5, 0.9],
            result={"statistic": 3.8695313238212226, "df": 1, "pvalue": 0.04917025022162347},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            design=[[1.0, 1.0, 2.0], [1.0, 2.0, 1.0], [1.0, 3.0, 5.0], [1.0, 4.0, 2.0], [1.0, 5.5, 3.0]],
            residuals=[0.1, -0.2, 0.4, -0.5, 0.9],
            result={"statistic": 4.225904289713617, "df": 2, "pvalue": 0.12088058217892476},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            design=[
                [1.0, 0.535, 1.1],
                [1.0, -2.73, -1.02],
                [1.0, 4.81, -4.38],
                [1.0, -4.7, -4.46],
                [1.0, -4.12, -3.1],
                [1.0, 0.199, -1.47],
                [1.0, 1.07, -1.97],
                [1.0, 4.17, 2.65],
                [1.0, 3.51, -1.13],
            ],
            residuals=[3.64, -4.56, 2.76, -4.18, -2.05, 0.131, 2.18, 4.1, 1.29],
            result={"statistic": 1.8911009936497285, "df": 2, "pvalue": 0.3884656629153176},
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.diagnostic.het_breuschpagan",
        ),
        case(
            design=[[1.0, 1.0], [2.0, 2.5], [3.0, 3.0], [4.0, 4.2]],
            residuals=[0.1, -0.2, 0.4, -0.5],
            error="domain_error",
            origin="by hand: no constant",
        ),
    ],
)
def breusch_pagan(design, residuals):
    """Whether the variance of regression residuals depends on the predictors, in Koenker's studentised form."""
    if not any(column.min() == column.max() != 0 for column in design.T):
        raise DomainError("design", expected="a column of ones, or of another constant")
    rows, squares = exact_rows(design), [e * e for e in sums.rationals(sums.finite(residuals, "residuals"))]
    coefficients = solved(rows, squares)
    size, first = len(squares), sum(squares, fmpq(0))
    whole = sum((s * s for s in squares), fmpq(0)) - first * first / size
    if whole == 0 or len(coefficients) < 2:
        raise DomainError("residuals", expected="squares that are not all equal, and a predictor")
    fitted = sum((c * sum((row[j] * s for row, s in zip(rows, squares, strict=True)), fmpq(0))
                  for j, c in enumerate(coefficients)), fmpq(0))  # fmt: skip
    statistic = size * (fitted - first * first / size) / whole
    return {"statistic": statistic, "df": len(coefficients) - 1, "pvalue": tails.chi2(statistic, len(coefficients) - 1)}
