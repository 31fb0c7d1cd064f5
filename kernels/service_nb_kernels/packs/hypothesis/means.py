"""Tests of means and variances of samples."""

from __future__ import annotations

from flint import fmpq

from service_nb_kernels.certified import order, sums, tails
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.packs.hypothesis.alternatives import make_alternative
from service_nb_kernels.packs.stats.spread import squares

ALTERNATIVE = make_alternative("the population's value is less or greater than the stated one")
PAIRED = make_alternative("the first measurement is less or greater in the mean than the second")
BETWEEN = make_alternative("the first population's value is less or greater than the second's")
SAMPLE = P("float64[n]", unit="?u", about="sample", min_size=2, symbol="x")
FIRST = P("float64[m]", unit="?u", about="one sample", min_size=2, symbol="x")
SECOND = P("float64[n]", unit="?u", about="the other sample", min_size=2, symbol="y")
ONE = {"n": 1_000_000}
TWO = {"m": 1_000_000, "n": 1_000_000}
T = R(
    fields={
        "statistic": R(about="t"),
        "df": R(about="degrees of freedom"),
        "pvalue": R(about="p-value", range="[0, 1]"),
    }
)
Z = R(fields={"statistic": R(about="z"), "pvalue": R(about="p-value", range="[0, 1]")})
EXTRA = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
OTHER = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
ROUNDED = fmpq(4, 10**32)  # the square of what decimals lose when they become doubles, relative to theirs
MP = "mpmath 1.4.1, 60 digits"
SLEEP = "student1908, table of ten patients"


def _mean(values):
    return sums.total(values) / int(values.size)


def _ratio(difference, squared):
    """A difference over its standard error."""
    if squared == 0:
        raise DomainError("values", expected="values that are not all equal")
    return difference / order.square_root(squared) if difference != 0 else fmpq(0)


def _student(difference, squared, df, alternative):
    t = _ratio(difference, squared)
    return {"statistic": t, "df": df, "pvalue": tails.student(t, df, alternative)}


@capability(
    "hypothesis.t_test_one_sample",
    tier="certified",
    version=3,
    source="student1908",
    params={
        "values": SAMPLE,
        "mean": P(unit="?u", about="mean under the hypothesis", symbol=r"\mu_0"),
        "alternative": ALTERNATIVE,
    },
    result=T,
    latex=r"t = \frac{\bar{x} - \mu_0}{s / \sqrt{n}}",
    limit=ONE,
    keywords=["Student", "t-test", "location"],
    cases=[
        case(
            values=EXTRA,
            mean=0.0,
            alternative="two-sided",
            result={"statistic": 1.3257101407138212, "df": 9.0, "pvalue": 0.21759778006844896},
            origin=MP,
        ),
        case(
            values=EXTRA,
            mean=0.5,
            alternative="less",
            result={"statistic": 0.4419033802379404, "df": 9.0, "pvalue": 0.6655066881926626},
            origin=MP,
        ),
        case(
            values=[1.0, 2.0, 3.0],
            mean=2.0,
            alternative="greater",
            result={"statistic": 0.0, "df": 2.0, "pvalue": 0.5},
            origin="by hand",
        ),
        case(values=[1.0, 1.0], mean=2.0, alternative="less", error="domain_error", origin="by hand: nothing varies"),
        case(
            values=[0.931, 3.16, 0.34, 0.82, 1.68, 3.36],
            mean=1.52,
            alternative="greater",
            result={"statistic": 0.37556177872687896, "df": 5, "pvalue": 0.36132420831567147},
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.ttest_1samp",
        ),
    ],
)
def t_test_one_sample(values, mean, alternative):
    """Student test of whether a sample comes from a normal population of a stated mean."""
    size = int(values.size)
    return _student(_mean(values) - order.rational(mean), squares(values) / (size * (size - 1)), size - 1, alternative)


@capability(
    "hypothesis.t_test_paired",
    tier="certified",
    version=4,
    source="student1908",
    compares=["before", "after"],
    params={
        "before": P("float64[n]", unit="?u", about="first measurement of each subject", min_size=2),
        "after": P("float64[n]", unit="?u", about="second measurement of each subject", min_size=2),
        "alternative": PAIRED,
    },
    result=T,
    limit=ONE,
    keywords=["Student", "dependent samples", "matched pairs"],
    cases=[
        case(
            before=[0.1, 0.2, 0.3],
            after=[0.2, 0.3, 0.4],
            alternative="two-sided",
            error="domain_error",
            origin="by hand: the differences are equal but for rounding",
        ),
        case(
            before=EXTRA,
            after=OTHER,
            alternative="two-sided",
            result={"statistic": -4.0621, "df": 9.0, "pvalue": 0.002833},
            within=5e-5,
            origin=SLEEP,
        ),
        case(
            before=EXTRA,
            after=OTHER,
            alternative="less",
            result={"statistic": -4.062127683382037, "df": 9.0, "pvalue": 0.0014164450986921355},
            origin=MP,
        ),
    ],
)
def t_test_paired(before, after, alternative):
    """Student test of whether pairs of measurements differ in the mean, first less second."""
    size = int(before.size)
    difference = sums.total(before) - sums.total(after)
    sizes = sums.dot(before, before) + sums.dot(after, after)
    spread = sizes - 2 * sums.dot(before, after) - difference * difference / size
    if spread <= ROUNDED * sizes:
        raise DomainError("before and after", expected="differences that are not all equal")
    squared = spread / (size * (size - 1))
    return _student(difference / size, squared, size - 1, alternative)


@capability(
    "hypothesis.t_test_two_sample",
    tier="certified",
    version=3,
    source="nist2012, sec. 7.3.1",
    compares=["first", "second"],
    params={"first": FIRST, "second": SECOND, "alternative": BETWEEN},
    result=T,
    latex=r"t = \frac{\bar{x} - \bar{y}}{s_p \sqrt{1/m + 1/n}}",
    limit=TWO,
    keywords=["Student", "independent samples", "pooled variance"],
    cases=[
        case(
            first=EXTRA,
            second=OTHER,
            alternative="two-sided",
            result={"statistic": -1.8608, "df": 18.0, "pvalue": 0.07919},
            within=5e-5,
            origin="R 4.3, stats::t.test: data set sleep, equal variances",
        ),
        case(
            first=EXTRA,
            second=[1.0, 2.5, 0.5],
            alternative="greater",
            result={"statistic": -0.5281044165226254, "df": 11.0, "pvalue": 0.6960420639565031},
            origin=MP,
        ),
    ],
)
def t_test_two_sample(first, second, alternative):
    """Student test of whether two normal populations of one variance have one mean."""
    m, n = int(first.size), int(second.size)
    variance = (squares(first) + squares(second)) / (m + n - 2)
    return _student(_mean(first) - _mean(second), variance * fmpq(m + n, m * n), m + n - 2, alternative)


@capability(
    "hypothesis.t_test_welch",
    tier="certified",
    version=3,
    source="welch1947",
    compares=["first", "second"],
    params={"first": FIRST, "second": SECOND, "alternative": BETWEEN},
    result=T,
    limit=TWO,
    keywords=["unequal variances", "Satterthwaite", "Behrens-Fisher"],
    cases=[
        case(
            first=EXTRA,
            second=OTHER,
            alternative="two-sided",
            result={"statistic": -1.8608, "df": 17.776, "pvalue": 0.07939},
            within=6e-5,
            origin="R 4.3, stats::t.test: data set sleep, documentation",
        ),
        case(
            first=EXTRA,
            second=[1.0, 2.5, 0.5],
            alternative="greater",
            result={"statistic": -0.7067895183233901, "df": 6.058681300319562, "pvalue": 0.7470211086004691},
            origin=MP,
        ),
    ],
)
def t_test_welch(first, second, alternative):
    """Welch test of whether two normal populations have one mean, whatever their variances."""
    parts = [(squares(v) / (int(v.size) * (int(v.size) - 1)), int(v.size) - 1) for v in (first, second)]
    whole = sum((part for part, _ in parts), fmpq(0))
    if whole == 0:
        raise DomainError("values", expected="values that are not all equal")
    df = whole**2 / sum((part**2 / free for part, free in parts), fmpq(0))
    return _student(_mean(first) - _mean(second), whole, df, alternative)


@capability(
    "hypothesis.z_test_one_sample",
    tier="certified",
    version=3,
    source="casella2002, sec. 8.2",
    params={
        "values": P("float64[n]", unit="?u", about="sample", min_size=1),
        "mean": P(unit="?u", about="mean under the hypothesis"),
        "std": P(unit="?u", domain="(0, inf)", about="known standard deviation of the population", symbol=r"\sigma"),
        "alternative": ALTERNATIVE,
    },
    result=Z,
    latex=r"z = \frac{\bar{x} - \mu_0}{\sigma / \sqrt{n}}",
    limit=ONE,
    cases=[
        case(
            values=[1.0, 2.0, 3.0, 6.0],
            mean=2.0,
            std=2.0,
            alternative="greater",
            result={"statistic": 1.0, "pvalue": 0.15865525393145705},
            origin=MP,
        ),
        case(
            values=EXTRA,
            mean=0.0,
            std=1.5,
            alternative="two-sided",
            result={"statistic": 1.5811388300841898, "pvalue": 0.11384629800665805},
            origin=MP,
        ),
        case(
            values=[-0.148, 3.37, -3.54, -4.63, 0.604],
            mean=1.96,
            std=3.56,
            alternative="less",
            result={"statistic": -1.7767946895369116, "pvalue": 0.037801012971880335},
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.weightstats._zstat_generic2",
        ),
    ],
)
def z_test_one_sample(values, mean, std, alternative):
    """Test of whether a sample comes from a population of a stated mean and known standard deviation."""
    z = _ratio(_mean(values) - order.rational(mean), order.rational(std) ** 2 / int(values.size))
    return {"statistic": z, "pvalue": tails.normal(z, alternative)}


@capability(
    "hypothesis.z_test_two_sample",
    tier="certified",
    version=4,
    source="casella2002, sec. 8.2",
    compares=["first", "second"],
    params={
        "first": FIRST | {"min_size": 1},
        "second": SECOND | {"min_size": 1},
        "first_std": P(unit="?u", domain="(0, inf)", about="known standard deviation of the first population"),
        "second_std": P(unit="?u", domain="(0, inf)", about="known standard deviation of the second population"),
        "alternative": BETWEEN,
    },
    result=Z,
    limit=TWO,
    cases=[
        case(
            first=[4.0, 6.0],
            second=[1.0, 3.0],
            first_std=1.0,
            second_std=1.0,
            alternative="two-sided",
            result={"statistic": 3.0, "pvalue": 0.002699796063260189},
            origin=MP,
        ),
        case(
            first=EXTRA,
            second=OTHER,
            first_std=1.5,
            second_std=2.0,
            alternative="less",
            result={"statistic": -1.9985594812264158, "pvalue": 0.02282801906610887},
            origin=MP,
        ),
        case(
            first=[-2.61, 1.66, -3.03, 4.74, -1.46, -4.09],
            second=[-4.59, 2.63, -0.45, 1.11, -4.3],
            first_std=1.22,
            second_std=1.95,
            alternative="less",
            result={"statistic": 0.3202976507855857, "pvalue": 0.6256286480828016},
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.weightstats._zstat_generic2",
        ),
    ],
)
def z_test_two_sample(first, second, first_std, second_std, alternative):
    """Test of whether two populations of known standard deviations have one mean."""
    squared = order.rational(first_std) ** 2 / int(first.size) + order.rational(second_std) ** 2 / int(second.size)
    z = _ratio(_mean(first) - _mean(second), squared)
    return {"statistic": z, "pvalue": tails.normal(z, alternative)}


@capability(
    "hypothesis.f_test",
    tier="certified",
    version=3,
    source="nist2012, sec. 1.3.5.9",
    compares=["first", "second"],
    params={"first": FIRST, "second": SECOND, "alternative": BETWEEN},
    result=R(
        fields={
            "statistic": R(about="variance of the first sample over that of the second"),
            "pvalue": R(about="p-value; two-sided it is twice the smaller tail", range="[0, 1]"),
        }
    ),
    latex=r"F = \frac{s_x^2}{s_y^2}",
    limit=TWO,
    keywords=["equality of two variances"],
    cases=[
        case(
            first=EXTRA,
            second=OTHER,
            alternative="two-sided",
            result={"statistic": 0.7983426179983926, "pvalue": 0.7427199317260452},
            origin=MP,
        ),
        case(
            first=EXTRA,
            second=[1.0, 2.5, 0.5],
            alternative="greater",
            result={"statistic": 2.9543589743589744, "pvalue": 0.278452603945982},
            origin=MP,
        ),
        case(
            first=[1.0, 2.0],
            second=[1.0, 1.0],
            alternative="less",
            error="domain_error",
            origin="by hand: the second does not vary",
        ),
    ],
)
def f_test(first, second, alternative):
    """Test of whether two normal populations have one variance."""
    m, n = int(first.size) - 1, int(second.size) - 1
    above, below = squares(first) / m, squares(second) / n
    if above == 0 or below == 0:
        raise DomainError("values", expected="values of each sample that are not all equal")
    high, low = tails.f(above / below, m, n), tails.f(below / above, n, m)
    two_sided = fmpq(1) if above == below and m == n else 2 * min(high, low)
    return {"statistic": above / below, "pvalue": {"less": low, "greater": high, "two-sided": two_sided}[alternative]}


@capability(
    "hypothesis.variance_test",
    tier="certified",
    version=3,
    source="nist2012, sec. 1.3.5.8",
    params={
        "values": SAMPLE,
        "variance": P(unit="?u^2", domain="(0, inf)", about="variance under the hypothesis", symbol=r"\sigma_0^2"),
        "alternative": ALTERNATIVE,
    },
    result=R(
        fields={
            "statistic": R(about="chi-square"),
            "df": R("int", about="degrees of freedom"),
            "pvalue": R(about="p-value; two-sided it is twice the smaller tail", range="[0, 1]"),
        }
    ),
    latex=r"\chi^2 = \frac{(n-1) s^2}{\sigma_0^2}",
    limit=ONE,
    keywords=["chi-square test of a variance"],
    cases=[
        case(
            values=EXTRA,
            variance=2.0,
            alternative="greater",
            result={"statistic": 14.4025, "df": 9, "pvalue": 0.10871062667854016},
            origin=MP,
        ),
        case(
            values=EXTRA,
            variance=2.0,
            alternative="two-sided",
            result={"statistic": 14.4025, "df": 9, "pvalue": 0.21742125335708032},
            origin=MP,
        ),
        case(
            values=EXTRA,
            variance=9.0,
            alternative="less",
            result={"statistic": 3.200555555555556, "df": 9, "pvalue": 0.044190259070882525},
            origin=MP,
        ),
    ],
)
def variance_test(values, variance, alternative):
    """Test of whether a normal population has a stated variance."""
    statistic, df = squares(values) / order.rational(variance), int(values.size) - 1
    high = tails.chi2(statistic, df)
    low = tails.chi2_lower(statistic, df)
    pvalue = {"less": low, "greater": high}.get(alternative, 2 * min(high, low))
    return {"statistic": statistic, "df": df, "pvalue": pvalue}
