"""Rank tests and tests of order and of distributions, with exact distributions where samples are small."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, pairwise
from math import comb, factorial

from flint import arb, arb_mat, fmpq, fmpq_mat

from service_nb_kernels.certified import order, sums, tails
from service_nb_kernels.certified.linalg import by_balls
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, LimitError
from service_nb_kernels.numeric import np
from service_nb_kernels.packs.hypothesis.alternatives import make_alternative

WIDEST = 400  # rows of the matrix whose power is taken
MOST_SUMS = 1_000_000  # of subsets of the values, or of their signs
MOST_BITS = 200_000  # of an entry of Kolmogorov's power, beyond which balls alone are tried
ALTERNATIVE = make_alternative("the center is less or greater than 0")
BETWEEN = make_alternative("the first population tends to values less or greater than those of the second")
TOGETHER = make_alternative("the association is negative (less) or positive (greater)")
VALUES = P("float64[n]", unit="?u", about="sample, or differences of pairs", min_size=1, symbol="x")
FIRST = P("float64[m]", unit="?u", about="one sample", min_size=1, symbol="x")
SECOND = P("float64[n]", unit="?u", about="the other sample", min_size=1, symbol="y")
PAIR_X = P("float64[n]", unit="?u", about="values of one variable", min_size=3, symbol="x")
PAIR_Y = P("float64[n]", unit="?v", about="values of the other variable", min_size=3, symbol="y")
U_ABOUT = "U of the first sample: pairs in which its value is the greater, ties by half"
U = R(fields={"statistic": R(about=U_ABOUT), "pvalue": R(about="exact p-value", range="[0, 1]")})
U_NORMAL = R(fields={"statistic": R(about=U_ABOUT), "pvalue": R(about="p-value by the normal limit", range="[0, 1]")})
W_ABOUT = "sum of the ranks of positive values, zeros left out before ranking"
W = R(fields={"statistic": R(about=W_ABOUT), "pvalue": R(about="p-value", range="[0, 1]")})
DEPRESSION = [0.952, -0.147, 1.022, 0.43, 0.62, 0.59, 0.49, -0.08, 0.01]
PERMEABLE = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
TERM = [1.15, 0.88, 0.9, 0.74, 1.21]
SCIPY = "scipy 1.17.1, scipy.stats."
WHOLE = "Python 3.11, all permutations by itertools"


def _signed_ranks(values):
    """Doubled ranks of the magnitudes of what is not 0, and the doubled rank sum of what is above 0."""
    values = sums.finite(values)
    values = values[values != 0]
    if not values.size:
        raise DomainError("values", expected="a value other than 0")
    ranks = order.doubled_ranks(abs(values))
    return ranks, sum(rank for rank, value in zip(ranks, values.tolist(), strict=True) if value > 0)


@capability(
    "hypothesis.wilcoxon_exact",
    tier="certified",
    version=3,
    source="wilcoxon1945",
    params={"values": VALUES, "alternative": ALTERNATIVE},
    result=W,
    limit={"n": 100},
    keywords=["signed rank", "paired", "nonparametric"],
    cases=[
        case(
            values=DEPRESSION,
            alternative="greater",
            result={"statistic": 40.0, "pvalue": 0.01953125},
            origin="R 4.3, stats::wilcox.test: depression scale: V = 40, p = 0.01953",
        ),
        case(
            values=[1.0, 2.0, -3.0, 4.0],
            alternative="two-sided",
            result={"statistic": 7.0, "pvalue": 0.625},
            origin="by hand: 5 of 16 at or above 7, twice",
        ),
        case(
            values=[1.0, 1.0, -1.0, 2.0, 3.0, -0.5],
            alternative="greater",
            result={"statistic": 17.0, "pvalue": 0.125},
            origin="Python 3.11, all signs by itertools",
        ),
    ],
)
def wilcoxon_exact(values, alternative):
    """Signed-rank test of whether a symmetric distribution is centered at 0; exact, ties by average ranks."""
    ranks, met = _signed_ranks(values)
    counts = {0: 1}
    for rank in ranks:
        counts = tails.convolved(counts, {0: 1, rank: 1})
    return {"statistic": fmpq(met, 2), "pvalue": tails.of_counts(counts, met, alternative)}


@capability(
    "hypothesis.wilcoxon_normal",
    tier="certified",
    version=3,
    source="hollander2014, sec. 3.1",
    params={"values": VALUES, "alternative": ALTERNATIVE},
    result=W,
    limit={"n": 200_000},
    keywords=["signed rank", "large sample approximation"],
    cases=[
        case(
            values=DEPRESSION,
            alternative="two-sided",
            result={"statistic": 40.0, "pvalue": 0.03815171017341513},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            values=[1.0, 1.0, -1.0, 2.0, 3.0, -0.5],
            alternative="greater",
            result={"statistic": 17.0, "pvalue": 0.08410206952409004},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            values=[
                -2.89,
                -0.965,
                -4.32,
                -4.58,
                4.9,
                -1.93,
                -1.22,
                1.22,
                0.345,
                -3.04,
                3.89,
                4.62,
                2.43,
                4.51,
                4.71,
                -4.22,
                -2.58,
            ],
            alternative="less",
            result={"statistic": 81.5, "pvalue": 0.5935644227706918},
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.wilcoxon: asymptotic",
        ),
    ],
)
def wilcoxon_normal(values, alternative):
    """Signed-rank test by the normal limit with correction for ties, without correction for continuity."""
    ranks, met = _signed_ranks(values)
    distance = fmpq(2 * met - sum(ranks), 4)
    z = distance / order.square_root(fmpq(sum(rank * rank for rank in ranks), 16)) if distance != 0 else fmpq(0)
    return {"statistic": fmpq(met, 2), "pvalue": tails.normal(z, alternative)}


def _rank_sum(first, second):
    m, n = int(first.size), int(second.size)
    ranks = order.doubled_ranks(np.concatenate([sums.finite(first, "first"), sums.finite(second, "second")]))
    return m, n, ranks, sum(ranks[:m])


def _subset_sums(values, size):
    """How many subsets of a size have each sum."""
    ways = [{0: 1}] + [{} for _ in range(size)]
    for done, value in enumerate(values):
        check_deadline()
        for taken in range(min(size, done + 1), max(0, size - len(values) + done), -1):
            for total, many in ways[taken - 1].items():
                ways[taken][total + value] = ways[taken].get(total + value, 0) + many
        if sum(map(len, ways)) > MOST_SUMS:
            raise LimitError(f"The samples can be dealt with more than {MOST_SUMS:,} different sums.")
    return ways[size]


@capability(
    "hypothesis.mann_whitney_exact",
    tier="certified",
    version=3,
    source="mann1947",
    compares=["first", "second"],
    params={"first": FIRST, "second": SECOND, "alternative": BETWEEN},
    result=U,
    limit={"m": 30, "n": 30},
    keywords=["rank sum", "Wilcoxon", "U test", "nonparametric"],
    cases=[
        case(
            first=PERMEABLE,
            second=TERM,
            alternative="greater",
            result={"statistic": 35.0, "pvalue": 0.1272},
            within=2e-4,
            origin="R 4.3, stats::wilcox.test: permeability: W = 35, p = 0.1272",
        ),
        case(
            first=[1.0, 2.0],
            second=[3.0, 4.0, 5.0],
            alternative="two-sided",
            result={"statistic": 0.0, "pvalue": 0.2},
            origin="by hand: 1 of 10, twice",
        ),
        case(
            first=[1.0, 2.0, 2.0],
            second=[2.0, 3.0, 4.0, 4.0],
            alternative="less",
            result={"statistic": 1.0, "pvalue": 0.08571428571428572},
            origin=WHOLE,
        ),
    ],
)
def mann_whitney_exact(first, second, alternative):
    """Whether one of two populations tends to larger values, by ranks; exact, ties by average ranks."""
    m, _, each, met = _rank_sum(first, second)
    return {"statistic": fmpq(met - m * (m + 1), 2), "pvalue": tails.of_counts(_subset_sums(each, m), met, alternative)}


@capability(
    "hypothesis.mann_whitney_normal",
    tier="certified",
    version=3,
    source="hollander2014, sec. 4.1",
    compares=["first", "second"],
    params={"first": FIRST, "second": SECOND, "alternative": BETWEEN},
    result=U_NORMAL,
    limit={"m": 200_000, "n": 200_000},
    keywords=["rank sum", "large sample approximation"],
    cases=[
        case(
            first=PERMEABLE,
            second=TERM,
            alternative="two-sided",
            result={"statistic": 35.0, "pvalue": 0.2206713619198468},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            first=[1.0, 2.0, 2.0],
            second=[2.0, 3.0, 4.0, 4.0],
            alternative="less",
            result={"statistic": 1.0, "pvalue": 0.031984458495414425},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
        case(
            first=[0.031, 0.336, -0.734, -0.39, -1.86, 2.13],
            second=[-2.22, 1.0, 0.172, 3.27, -2.55, -0.361, -4.1, 2.48],
            alternative="less",
            result={"statistic": 24.0, "pvalue": 0.5},
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.mannwhitneyu: asymptotic, without continuity",
        ),
    ],
)
def mann_whitney_normal(first, second, alternative):
    """Rank-sum test of two samples by the normal limit with correction for ties, not for continuity."""
    m, n, ranks, met = _rank_sum(first, second)
    size = m + n
    distance = fmpq(met - m * (size + 1), 2)
    spread = fmpq(sum(rank * rank for rank in ranks), 4) - fmpq(size * (size + 1) ** 2, 4)
    if spread == 0:
        raise DomainError("first and second", expected="values that are not all equal")
    z = distance / order.square_root(spread * fmpq(m * n, size * (size - 1))) if distance != 0 else fmpq(0)
    return {"statistic": fmpq(met - m * (m + 1), 2), "pvalue": tails.normal(z, alternative)}


@capability(
    "hypothesis.permutation_test",
    tier="certified",
    version=5,
    source="fisher1935, sec. 21",
    compares=["first", "second"],
    params={"first": FIRST, "second": SECOND, "alternative": BETWEEN},
    result=R(
        fields={
            "statistic": R(unit="?u", about="mean of the first sample less that of the second"),
            "pvalue": R(about="exact p-value", range="[0, 1]"),
        }
    ),
    limit={"m": 30, "n": 30},
    keywords=["randomisation test", "exact test of means"],
    cases=[
        case(
            first=[1.0, 2.0],
            second=[3.0, 4.0, 5.0],
            alternative="two-sided",
            result={"statistic": -2.5, "pvalue": 0.2},
            origin="by hand: 1 of 10, twice",
        ),
        case(
            first=[0.1, 0.7, 0.4],
            second=[0.3, 0.9, 1.1, 0.8],
            alternative="less",
            result={"statistic": -0.375, "pvalue": 0.11428571428571428},
            origin=WHOLE + ", of fractions",
        ),
        case(
            first=[-4.23, -0.0315, -4.76, 2.97, -0.289],
            second=[-1.94, 4.57, 1.66, 1.16],
            alternative="two-sided",
            result={"statistic": -2.6306, "pvalue": 0.23809523809523808},
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.permutation_test",
        ),
    ],
)
def permutation_test(first, second, alternative):
    """Difference of two means against all ways to deal the same values into samples of these sizes, exactly.

    Values are the decimals that they are written as, so that sums which are equal on paper are ties.
    """
    m, n = int(first.size), int(second.size)
    whole, unit = sums.decimals(np.concatenate([first, second]))
    met = sum(whole[:m])
    difference = fmpq((m + n) * met - m * sum(whole), unit * m * n)
    return {"statistic": difference, "pvalue": tails.of_counts(_subset_sums(whole, m), met, alternative)}


@capability(
    "hypothesis.sign_flip_test",
    tier="certified",
    version=5,
    source="fisher1935, sec. 21",
    params={"values": VALUES, "alternative": ALTERNATIVE},
    result=R(
        fields={"statistic": R(unit="?u", about="mean difference"), "pvalue": R(about="exact p-value", range="[0, 1]")}
    ),
    limit={"n": 100},
    keywords=["paired randomisation test", "Darwin's maize"],
    cases=[
        case(
            values=[49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0],
            alternative="two-sided",
            result={"statistic": 20.933333333333334, "pvalue": 0.05267333984375},
            origin="fisher1935, sec. 21, Darwin's maize: 863 of 32,768 in a tail",
        ),
        case(values=[1.0, 2.0], alternative="greater", result={"statistic": 1.5, "pvalue": 0.25}, origin="by hand"),
    ],
)
def sign_flip_test(values, alternative):
    """Mean of paired differences against all choices of their signs, exactly.

    Values are the decimals that they are written as, so that sums which are equal on paper are ties.
    """
    whole, unit = sums.decimals(values)
    counts = {0: 1}
    for value in whole:
        check_deadline()
        counts = tails.convolved(counts, Counter([value, -value]))
        if len(counts) > MOST_SUMS:
            raise LimitError(f"The values have more than {MOST_SUMS:,} different sums.")
    met = sum(whole)
    return {"statistic": fmpq(met, unit * len(whole)), "pvalue": tails.of_counts(counts, met, alternative)}


@capability(
    "hypothesis.runs_test",
    tier="certified",
    version=2,
    source="wald1940",
    params={"signs": P("int[n]", domain="[0, 1]", about="sequence of two kinds, as 0 and 1", min_size=2)},
    result=R(
        fields={
            "runs": R("int", about="number of runs"),
            "statistic": R(about="z"),
            "pvalue": R(about="two-sided p-value", range="[0, 1]"),
        }
    ),
    limit={"n": 1_000_000},
    keywords=["randomness", "Wald-Wolfowitz"],
    cases=[
        case(
            signs=[1, 1, 0, 0, 1, 0, 1, 0, 0, 1],
            result={"runs": 7, "statistic": 0.6708203932499369, "pvalue": 0.5023349543605021},
            origin="mpmath 1.4.1, 60 digits",
        ),
        case(
            signs=[0, 1, 0, 1, 0, 1],
            result={"runs": 6, "statistic": 1.8257418583505538, "pvalue": 0.06788915486182902},
            origin="mpmath 1.4.1, 60 digits",
        ),
        case(signs=[1, 1, 1], error="domain_error", origin="by hand: one kind only"),
        case(
            signs=[1, 0, 0, 1, 0, 1, 0, 0],
            result={"runs": 6, "statistic": 1.0298573010888745, "pvalue": 0.3030769972966254},
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.sandbox.stats.runs.runstest_1samp: without correction",
        ),
    ],
)
def runs_test(signs):
    """Whether a sequence of two kinds is in random order, by its number of runs and the normal limit."""
    size, ones = len(signs), sum(signs)
    zeros = size - ones
    if not ones or not zeros:
        raise DomainError("signs", expected="both kinds")
    runs = 1 + sum(a != b for a, b in pairwise(signs))
    product = 2 * ones * zeros
    variance = fmpq(product * (product - size), size * size * (size - 1))
    if variance == 0:
        raise DomainError("signs", expected="three or more")
    distance = runs - 1 - fmpq(product, size)
    z = distance / order.square_root(variance) if distance != 0 else fmpq(0)
    return {"runs": runs, "statistic": z, "pvalue": tails.normal(z)}


@capability(
    "hypothesis.ks_two_sample",
    tier="certified",
    version=2,
    source="hodges1958",
    compares=["first", "second"],
    params={"first": FIRST, "second": SECOND},
    result=R(
        fields={
            "statistic": R(about="largest distance of the distribution functions"),
            "pvalue": R(about="exact two-sided p-value of samples without ties", range="[0, 1]"),
        }
    ),
    limit={"m": 500, "n": 500},
    keywords=["Kolmogorov-Smirnov", "Smirnov", "distribution", "Kolmogorov-Smirnov test"],
    cases=[
        case(
            first=PERMEABLE,
            second=TERM,
            result={"statistic": 0.6, "pvalue": 0.16583416583416583},
            within=1e-12,
            origin=SCIPY + "ks_2samp",
        ),
        case(
            first=[1.0, 2.0],
            second=[3.0, 4.0],
            result={"statistic": 1.0, "pvalue": 0.3333333333333333},
            origin="by hand: 2 of 6",
        ),
    ],
)
def ks_two_sample(first, second):
    """Whether two samples come from one continuous distribution, exactly by counting lattice paths."""
    m, n = int(first.size), int(second.size)
    a, b = np.sort(sums.finite(first, "first")), np.sort(sums.finite(second, "second"))
    below = [np.searchsorted(v, np.concatenate([a, b]), side="right").astype(np.int64) for v in (a, b)]
    met = int(abs(below[0] * n - below[1] * m).max())
    row = [1 if j * m < met else 0 for j in range(n + 1)]  # paths that never come as far from the diagonal
    for i in range(1, m + 1):
        row[0] = row[0] if i * n < met else 0
        for j in range(1, n + 1):
            row[j] = row[j] + row[j - 1] if abs(i * n - j * m) < met else 0
    return {"statistic": fmpq(met, m * n), "pvalue": 1 - fmpq(row[n], comb(m + n, m))}


@capability(
    "hypothesis.ks_uniform",
    tier="certified",
    version=3,
    source="marsaglia2003",
    params={
        "values": P("float64[n]", domain="[0, 1]", about="distribution function at each value of a sample", min_size=1)
    },
    result=R(
        fields={
            "statistic": R(about="largest distance to the uniform distribution function"),
            "pvalue": R(about="exact two-sided p-value", range="[0, 1]"),
        }
    ),
    limit={"n": 1000},
    keywords=["Kolmogorov-Smirnov", "goodness of fit", "probability integral transform"],
    cases=[
        case(values=[0.5], result={"statistic": 0.5, "pvalue": 1.0}, origin="by hand: the least there is"),
        case(
            values=[0.1, 0.35, 0.4, 0.8],
            result={"statistic": 0.35, "pvalue": 0.6050500000000001},
            within=1e-12,
            origin=SCIPY + "kstest",
        ),
        case(
            values=[0.25, 0.25, 0.25, 0.25],
            result={"statistic": 0.75, "pvalue": 0.0078125},
            within=1e-12,
            origin=SCIPY + "kstest",
        ),
    ],
)
def ks_uniform(values):
    """Whether a sample is uniform on [0, 1], by Kolmogorov's statistic and its exact distribution."""
    exact = sorted(sums.rationals(sums.finite(values)))
    size = len(exact)
    met = max(max(fmpq(i + 1, size) - x, x - fmpq(i, size)) for i, x in enumerate(exact))
    return {"statistic": met, "pvalue": 1 - _kolmogorov(size, met)}


def _kolmogorov(size, distance):
    """Marsaglia's matrix power for P(D < d): n! / n**n times the middle of H**n, in balls where it is large."""
    scaled = size * distance
    k = int(scaled.ceil())
    if scaled >= size:
        return fmpq(1)
    h, width = k - scaled, 2 * k - 1
    if width > WIDEST:
        raise LimitError(f"A distance of {k} of {size} values needs {width} rows; expected at most {WIDEST}.")
    in_balls = lambda: _middle(h, k, size, arb, arb_mat)  # noqa: E731  # what stands beside it is one too
    is_short = max(int(h.p.bit_length()), int(h.q.bit_length())) * width * size <= MOST_BITS
    exactly = (lambda: _middle(h, k, size, fmpq, fmpq_mat)) if is_short else in_balls
    middle = by_balls(width, in_balls, exactly, "")
    return middle * factorial(size) / fmpq(size) ** size


def _middle(exact, k, size, number, table):
    h, width = number(exact), 2 * k - 1
    matrix = [[number(1 if i - j + 1 >= 0 else 0) for j in range(width)] for i in range(width)]
    for i in range(width):
        matrix[i][0] -= h ** (i + 1)
        matrix[width - 1][i] -= h ** (width - i)
    matrix[width - 1][0] += (2 * h - 1) ** width if 2 * exact > 1 else 0
    shrunk = [factorial(many) for many in range(width + 1)]
    for i in range(width):
        for j in range(i + 1):
            matrix[i][j] /= shrunk[i - j + 1]
    step = power = table(matrix)
    for digit in bin(size)[3:]:
        check_deadline()
        power = power * power * step if digit == "1" else power * power
    return power[k - 1, k - 1]


@capability(
    "hypothesis.kendall_test",
    tier="certified",
    version=4,
    source="kendall1938",
    params={"x": PAIR_X, "y": PAIR_Y, "alternative": TOGETHER},
    result=R(
        fields={
            "statistic": R("int", about="concordant less discordant pairs"),
            "pvalue": R(about="exact p-value", range="[0, 1]"),
        }
    ),
    limit={"n": 300},
    keywords=["rank correlation", "independence"],
    cases=[
        case(
            x=[44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1],
            y=[2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8],
            alternative="greater",
            result={"statistic": 16, "pvalue": 0.05972},
            within=2e-4,
            origin="R 4.3, stats::cor.test: tuna: T = 26, p = 0.05972",
        ),
        case(
            x=[1.0, 2.0, 3.0],
            y=[1.0, 2.0, 3.0],
            alternative="two-sided",
            result={"statistic": 3, "pvalue": 0.3333333333333333},
            origin="by hand: 1 of 6, twice",
        ),
        case(x=[1.0, 1.0, 3.0], y=[1.0, 2.0, 3.0], alternative="less", error="domain_error", origin="by hand: a tie"),
    ],
)
def kendall_test(x, y, alternative):
    """Whether two continuous variables are independent, exactly by Kendall's score; ties are refused."""
    x, y = sums.finite(x), sums.finite(y)
    if max(order.tie_sizes(x) + order.tie_sizes(y)) > 1:
        raise DomainError("x and y", expected="values without ties")
    size, ways = int(x.size), [1]
    score = sum(int((np.sign(x[i + 1 :] - x[i]) * np.sign(y[i + 1 :] - y[i])).sum()) for i in range(size - 1))
    for k in range(2, size + 1):  # the k-th value makes 0 ... k - 1 inversions
        check_deadline()
        upto = list(accumulate(ways + [0] * (k - 1)))
        ways = [a - b for a, b in zip(upto, [0] * k + upto, strict=False)]
    counts = {size * (size - 1) // 2 - 2 * inversions: many for inversions, many in enumerate(ways)}
    return {"statistic": score, "pvalue": tails.of_counts(counts, score, alternative)}


@capability(
    "hypothesis.mood_median_test",
    tier="certified",
    version=2,
    source="conover1999, sec. 4.3",
    compares=["first", "second"],
    params={"first": FIRST, "second": SECOND},
    result=R(
        fields={
            "statistic": R(about="chi-square without correction"),
            "median": R(unit="?u", about="grand median"),
            "pvalue": R(about="p-value", range="[0, 1]"),
        }
    ),
    limit={"m": 1_000_000, "n": 1_000_000},
    keywords=["median test", "Brown-Mood"],
    cases=[
        case(
            first=PERMEABLE,
            second=TERM,
            result={"statistic": 2.142857142857143, "median": 1.15, "pvalue": 0.1432349075246656},
            within=1e-12,
            origin=SCIPY + "median_test",
        ),
        case(
            first=[1.0, 2.0],
            second=[3.0, 4.0],
            result={"statistic": 4.0, "median": 2.5, "pvalue": 0.04550026389635842},
            origin="mpmath 1.4.1, 60 digits",
        ),
    ],
)
def mood_median_test(first, second):
    """Whether two populations have one median, by the counts above the median of all values."""
    everything = np.concatenate([sums.finite(first, "first"), sums.finite(second, "second")])
    middle = order.median(everything)
    above = [sum(value > middle for value in sums.rationals(part)) for part in (first, second)]
    sizes = [int(first.size), int(second.size)]
    high, whole = sum(above), sum(sizes)
    if not high:
        raise DomainError("first and second", expected="values above the median")
    cross = above[0] * (sizes[1] - above[1]) - above[1] * (sizes[0] - above[0])
    statistic = fmpq(whole * cross * cross, sizes[0] * sizes[1] * high * (whole - high))
    return {"statistic": statistic, "median": middle, "pvalue": tails.chi2(statistic, 1)}
