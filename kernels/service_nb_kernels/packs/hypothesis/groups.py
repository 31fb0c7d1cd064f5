"""Comparisons of several groups: analysis of variance, its rank versions, and tests of equal variances."""

from __future__ import annotations

from flint import arb, fmpq

from service_nb_kernels.certified import order, sums, tails
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import np

VALUES = P("float64[n]", unit="?u", about="observations", min_size=3, symbol="x")
GROUPS = P("int[n]", about="group of each observation, as any whole number", min_size=3, symbol="g")
LIMIT = {"n": 200_000}
CHI2 = R(
    fields={
        "statistic": R(about="statistic"),
        "df": R("int", about="degrees of freedom"),
        "pvalue": R(about="p-value by the chi-square limit", range="[0, 1]"),
    }
)
F = R(
    fields={
        "statistic": R(about="F"),
        "df_between": R("int", about="degrees of freedom between groups"),
        "df_within": R("int", about="degrees of freedom within groups"),
        "pvalue": R(about="p-value", range="[0, 1]"),
    }
)
WEIGHTS = [4.17, 5.58, 5.18, 6.11, 4.5, 4.61, 5.17, 4.53, 5.33, 5.14]
WEIGHTS += [4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69]
WEIGHTS += [6.31, 5.12, 5.54, 5.5, 5.37, 5.29, 4.92, 6.15, 5.8, 5.26]
PLOTS = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3]
JUDGED = [[1.0, 3.0, 2.0], [2.0, 3.0, 1.0], [1.0, 2.0, 3.0], [1.5, 1.5, 3.0]]
SCIPY = "scipy 1.17.1, scipy.stats."
PLANTS = ": data set PlantGrowth"


def split(values, groups):
    """Return the groups' values, refusing fewer than two groups or nothing left to compare within them."""
    labels = np.array(groups)
    parts = [sums.finite(values)[labels == label] for label in sorted(set(groups))]
    if len(parts) < 2 or len(parts) == len(groups):
        raise DomainError("groups", expected="two groups or more, one of them with two observations or more")
    return parts


def within(part):
    """Return the exact sum of squared deviations from the mean of a group."""
    first = sums.total(part)
    return sums.dot(part, part) - first * first / int(part.size)


def _f(between, rest, df_between, df_within):
    if rest == 0:
        raise DomainError("values", expected="values that vary within a group")
    f = between / df_between / (rest / df_within)
    return {
        "statistic": f,
        "df_between": df_between,
        "df_within": df_within,
        "pvalue": tails.f(f, df_between, df_within),
    }


@capability(
    "hypothesis.anova",
    tier="certified",
    version=2,
    source="nist2012, sec. 7.4.3.1",
    params={"values": VALUES, "groups": GROUPS},
    result=F,
    limit=LIMIT,
    keywords=["one-way analysis of variance", "ANOVA", "F test of means"],
    cases=[
        case(
            values=WEIGHTS,
            groups=PLOTS,
            result={"statistic": 4.846, "df_between": 2, "df_within": 27, "pvalue": 0.01591},
            within=2e-4,
            origin="R 4.3, stats::anova" + PLANTS,
        ),
        case(
            values=WEIGHTS,
            groups=PLOTS,
            result={"statistic": 4.846087862380136, "df_between": 2, "df_within": 27, "pvalue": 0.015909958325622912},
            within=1e-11,
            origin=SCIPY + "f_oneway",
        ),
        case(
            values=[1.0, 2.0, 3.0, 6.0],
            groups=[0, 0, 1, 1],
            result={"statistic": 3.6, "df_between": 1, "df_within": 2, "pvalue": 0.19821627426272684},
            origin="mpmath 1.4.1, 60 digits",
        ),
    ],
)
def anova(values, groups):
    """One-way analysis of variance: whether normal groups of one variance have one mean."""
    parts = split(values, groups)
    rest = sum((within(part) for part in parts), fmpq(0))
    return _f(within(np.concatenate(parts)) - rest, rest, len(parts) - 1, len(groups) - len(parts))


@capability(
    "hypothesis.welch_anova",
    tier="certified",
    version=2,
    source="welch1951",
    params={"values": VALUES, "groups": GROUPS},
    result=R(
        fields={
            "statistic": R(about="F"),
            "df_between": R("int", about="degrees of freedom between groups"),
            "df_within": R(about="approximate degrees of freedom within groups"),
            "pvalue": R(about="p-value", range="[0, 1]"),
        }
    ),
    limit=LIMIT,
    keywords=["unequal variances", "heteroscedastic"],
    cases=[
        case(
            values=WEIGHTS,
            groups=PLOTS,
            result={
                "statistic": 5.180972408113187,
                "df_between": 2,
                "df_within": 17.128418616644133,
                "pvalue": 0.017392821490170005,
            },
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            values=WEIGHTS,
            groups=PLOTS,
            result={"statistic": 5.181, "df_between": 2, "df_within": 17.128, "pvalue": 0.01739},
            within=2e-4,
            origin="R 4.3, stats::oneway.test" + PLANTS,
        ),
    ],
)
def welch_anova(values, groups):
    """Welch analysis of variance: whether normal groups have one mean, whatever their variances."""
    parts = split(values, groups)
    if any(part.size < 2 or within(part) == 0 for part in parts):
        raise DomainError("values", expected="values that vary within every group")
    k, sizes = len(parts), [int(part.size) for part in parts]
    means = [sums.total(part) / n for part, n in zip(parts, sizes, strict=True)]
    weights = [n * (n - 1) / within(part) for part, n in zip(parts, sizes, strict=True)]
    whole = sum(weights, fmpq(0))
    grand = sum((w * m for w, m in zip(weights, means, strict=True)), fmpq(0)) / whole
    spread = sum(((1 - w / whole) ** 2 / (n - 1) for w, n in zip(weights, sizes, strict=True)), fmpq(0))
    between = sum((w * (m - grand) ** 2 for w, m in zip(weights, means, strict=True)), fmpq(0)) / (k - 1)
    f = between / (1 + 2 * (k - 2) * spread / (k * k - 1))
    df = (k * k - 1) / (3 * spread)
    return {"statistic": f, "df_between": k - 1, "df_within": df, "pvalue": tails.f(f, k - 1, df)}


@capability(
    "hypothesis.levene",
    tier="certified",
    version=3,
    source="nist2012, sec. 1.3.5.10",
    params={
        "values": VALUES,
        "groups": GROUPS,
        "centre": P(
            "string",
            choices=["mean", "median"],
            default="median",
            about="what deviations are taken from; the median is the Brown-Forsythe version",
        ),
    },
    result=F,
    limit={"n": 20_000},
    keywords=["Brown-Forsythe", "homogeneity of variance", "homoscedasticity"],
    cases=[
        case(
            values=WEIGHTS,
            groups=PLOTS,
            centre="median",
            result={"statistic": 1.11918569487039, "df_between": 2, "df_within": 27, "pvalue": 0.34122662412547394},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            values=WEIGHTS,
            groups=PLOTS,
            centre="mean",
            result={"statistic": 1.2369629544697835, "df_between": 2, "df_within": 27, "pvalue": 0.3061949229914475},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            values=[-2.67, 2.0, -1.87, -2.09, -0.24, -4.62, 4.43, 0.934, -4.82, -2.99],
            groups=[0, 1, 2, 0, 1, 2, 0, 1, 2, 0],
            centre="mean",
            result={"statistic": 2.1121201241428, "pvalue": 0.19155513619049186, "df_between": 2, "df_within": 7},
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.levene",
        ),
    ],
)
def levene(values, groups, centre):
    """Whether groups have one variance: analysis of variance of the absolute deviations from their centers."""
    parts = []
    for part in split(values, groups):
        middle = order.median(part) if centre == "median" else sums.total(part) / int(part.size)
        parts.append([abs(value - middle) for value in sums.rationals(part)])
    everything = [value for part in parts for value in part]
    rest = sum((_squares(part) for part in parts), fmpq(0))
    return _f(_squares(everything) - rest, rest, len(parts) - 1, len(groups) - len(parts))


def _squares(values):
    first = sum(values, fmpq(0))
    return sum((value * value for value in values), fmpq(0)) - first * first / len(values)


@capability(
    "hypothesis.bartlett",
    tier="certified",
    version=2,
    source="nist2012, sec. 1.3.5.7",
    params={"values": VALUES, "groups": GROUPS},
    result=CHI2,
    limit=LIMIT,
    keywords=["homogeneity of variance", "homoscedasticity"],
    cases=[
        case(
            values=WEIGHTS,
            groups=PLOTS,
            result={"statistic": 2.8786, "df": 2, "pvalue": 0.2371},
            within=1e-4,
            origin="R 4.3, stats::bartlett.test" + PLANTS,
        ),
        case(
            values=WEIGHTS,
            groups=PLOTS,
            result={"statistic": 2.8785737872360944, "df": 2, "pvalue": 0.23709677363455808},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
    ],
)
def bartlett(values, groups):
    """Whether normal groups have one variance, by the likelihood ratio with the correction of Bartlett."""
    parts = split(values, groups)
    if any(part.size < 2 or within(part) == 0 for part in parts):
        raise DomainError("values", expected="values that vary within every group")
    k, free = len(parts), [int(part.size) - 1 for part in parts]
    variances = [within(part) / n for part, n in zip(parts, free, strict=True)]
    whole = sum(free)
    pooled = sum((n * v for n, v in zip(free, variances, strict=True)), fmpq(0)) / whole
    ratio = sum((n * arb(pooled / v).log() for n, v in zip(free, variances, strict=True) if pooled != v), arb(0))
    statistic = ratio / (1 + (sum((fmpq(1, n) for n in free), fmpq(0)) - fmpq(1, whole)) / (3 * (k - 1)))
    return {"statistic": statistic, "df": k - 1, "pvalue": tails.chi2(statistic, k - 1)}


@capability(
    "hypothesis.kruskal_wallis",
    tier="certified",
    version=2,
    source="conover1999, sec. 5.2",
    params={"values": VALUES, "groups": GROUPS},
    result=CHI2,
    limit={"n": 20_000},
    keywords=["rank analysis of variance", "nonparametric"],
    cases=[
        case(
            values=WEIGHTS,
            groups=PLOTS,
            result={"statistic": 7.9882, "df": 2, "pvalue": 0.01842},
            within=1e-3,
            origin="R 4.3, stats::kruskal.test" + PLANTS,
        ),
        case(
            values=[1.0, 2.0, 2.0, 5.0, 3.0, 7.0],
            groups=[1, 1, 2, 2, 3, 3],
            result={"statistic": 3.161764705882353, "df": 2, "pvalue": 0.20579343562821376},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
    ],
)
def kruskal_wallis(values, groups):
    """Whether groups come from one population, by their ranks, with correction for ties and the chi-square limit."""
    parts = split(values, groups)
    size, doubled, start, between = len(groups), order.doubled_ranks(np.concatenate(parts)), 0, fmpq(0)
    for part in parts:
        total = sum(doubled[start : start + part.size])
        between += fmpq(total * total, 4 * int(part.size))
        start += part.size
    ties = sum(t**3 - t for t in order.tie_sizes(values))
    if ties == size**3 - size:
        raise DomainError("values", expected="values that are not all equal")
    h = (12 * between / (size * (size + 1)) - 3 * (size + 1)) / (1 - fmpq(ties, size**3 - size))
    return {"statistic": h, "df": len(parts) - 1, "pvalue": tails.chi2(h, len(parts) - 1)}


@capability(
    "hypothesis.friedman",
    tier="certified",
    version=2,
    source="conover1999, sec. 5.8",
    params={"table": P("float64[m,n]", unit="?u", about="a block in each row, a treatment in each column", min_size=2)},
    result=CHI2,
    limit={"m": 10_000, "n": 100},
    keywords=["randomised blocks", "rank test", "repeated measures"],
    cases=[
        case(
            table=JUDGED,
            result={"statistic": 2.533333333333333, "df": 2, "pvalue": 0.2817692890949582},
            within=1e-12,
            origin=SCIPY + "friedmanchisquare",
        ),
        case(
            table=[[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]],
            result={"statistic": 4.0, "df": 2, "pvalue": 0.1353352832366127},
            origin="mpmath 1.4.1, 60 digits",
        ),
    ],
)
def friedman(table):
    """Whether treatments differ within blocks, by the ranks in each block, with correction for ties."""
    blocks, k = int(table.shape[0]), int(table.shape[1])
    ranks = [order.doubled_ranks(sums.finite(row)) for row in table]
    totals = [sum(column) for column in zip(*ranks, strict=True)]
    mean = blocks * (k + 1)  # of the doubled rank sums
    spread = fmpq(sum(rank * rank for row in ranks for rank in row), 4) - fmpq(blocks * k * (k + 1) ** 2, 4)
    if spread == 0:
        raise DomainError("table", expected="values of a block that are not all equal")
    statistic = fmpq((k - 1) * sum((total - mean) ** 2 for total in totals), 4) / spread
    return {"statistic": statistic, "df": k - 1, "pvalue": tails.chi2(statistic, k - 1)}


@capability(
    "hypothesis.kendall_w",
    tier="certified",
    source="siegel1988, sec. 9.6",
    params={"table": P("float64[m,n]", unit="?u", about="a judge in each row, an item in each column", min_size=2)},
    result=R(about="coefficient of concordance"),
    latex=r"W = \frac{\chi^2_r}{m (n - 1)}",
    limit={"m": 5000, "n": 1000},
    keywords=["agreement of rankings", "concordance"],
    cases=[
        case(table=[[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]], result=1.0, origin="by hand: the judges agree"),
        case(
            table=JUDGED, result=0.31666666666666665, within=1e-12, origin=SCIPY + "friedmanchisquare: over m (n - 1)"
        ),
    ],
)
def kendall_w(table):
    """Agreement of several rankings of the same items, from 0 to 1, with correction for ties."""
    return friedman(table)["statistic"] / (int(table.shape[0]) * (int(table.shape[1]) - 1))


@capability(
    "hypothesis.cochran_q",
    tier="certified",
    version=2,
    source="conover1999, sec. 4.6",
    params={
        "table": P(
            "int[m,n]", domain="[0, 1]", about="success of each treatment (column) in each block (row)", min_size=2
        )
    },
    result=CHI2,
    limit={"m": 100_000, "n": 100},
    keywords=["binary repeated measures", "matched proportions"],
    cases=[
        case(
            table=[[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0]],
            result={"statistic": 3.5, "df": 2, "pvalue": 0.1737739434504451},
            within=1e-12,
            origin="statsmodels 0.15.0, statsmodels.stats.contingency_tables.cochrans_q",
        ),
        case(
            table=[[1, 0], [1, 0], [1, 0], [0, 1], [1, 1]],
            result={"statistic": 1.0, "df": 1, "pvalue": 0.3173105078629141},
            origin="mpmath 1.4.1, 60 digits; McNemar's (3 - 1)^2 / 4",
        ),
        case(table=[[1, 1], [0, 0]], error="domain_error", origin="by hand: no block tells the treatments apart"),
    ],
)
def cochran_q(table):
    """Whether treatments tried in the same blocks have one probability of success."""
    k, rows = len(table[0]), [sum(row) for row in table]
    columns = [sum(column) for column in zip(*table, strict=True)]
    below = k * sum(rows) - sum(row * row for row in rows)
    if not below:
        raise DomainError("table", expected="a block with both success and failure")
    statistic = fmpq((k - 1) * (k * sum(c * c for c in columns) - sum(columns) ** 2), below)
    return {"statistic": statistic, "df": k - 1, "pvalue": tails.chi2(statistic, k - 1)}


@capability(
    "hypothesis.jonckheere",
    tier="certified",
    version=2,
    source="hollander2014, sec. 6.2",
    params={"values": VALUES, "groups": GROUPS},
    result=R(
        fields={
            "statistic": R(about="pairs in the expected order, ties by half"),
            "z": R(about="standardized statistic"),
            "pvalue": R(about="one-sided p-value", range="[0, 1]"),
        }
    ),
    limit={"n": 5000},
    keywords=["ordered alternatives", "trend", "Terpstra"],
    cases=[
        case(
            values=[
                40.0,
                35.0,
                38.0,
                43.0,
                44.0,
                41.0,
                38.0,
                40.0,
                47.0,
                44.0,
                40.0,
                42.0,
                48.0,
                40.0,
                45.0,
                43.0,
                46.0,
                44.0,
            ],
            groups=[1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3],
            result={"statistic": 79.0, "z": 2.02, "pvalue": 0.0217},
            within=1e-2,
            origin="hollander2014, example 6.2, without correction for ties: z = 2.02",
        ),
        case(
            values=[1.0, 2.0, 3.0, 4.0],
            groups=[1, 1, 2, 2],
            result={"statistic": 4.0, "z": 1.5491933384829668, "pvalue": 0.060667625179241076},
            origin="mpmath 1.4.1, 60 digits, Mann-Whitney's variance m n (m + n + 1) / 12",
        ),
    ],
)
def jonckheere(values, groups):
    """Whether groups, in the order of their numbers, tend upwards; one-sided, by the normal limit, ties uncorrected."""
    parts = split(values, groups)
    size = len(groups)
    doubled = sum(
        int((np.sign(later[None, :] - earlier[:, None]) + 1).sum())
        for place, earlier in enumerate(parts)
        for later in parts[place + 1 :]
    )
    squared = sum(int(part.size) ** 2 for part in parts)
    cubed = sum(int(part.size) ** 2 * (2 * int(part.size) + 3) for part in parts)
    variance = fmpq(size * size * (2 * size + 3) - cubed, 72)
    distance = fmpq(doubled, 2) - fmpq(size * size - squared, 4)
    z = distance / order.square_root(variance) if distance != 0 else fmpq(0)
    return {"statistic": fmpq(doubled, 2), "z": z, "pvalue": tails.normal(z, "greater")}
