"""Tests of counts and of tables of counts, exact where the distribution is finite."""

from __future__ import annotations

from math import comb

from flint import arb, fmpq

from service_nb_kernels.certified import incomplete, order, sums, tails
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, LimitError
from service_nb_kernels.packs.hypothesis.alternatives import make_alternative

MOST_BITS = 1_000_000_000  # of all counts of an exact distribution together
ALTERNATIVE = make_alternative("the probability, or the median, is less or greater than the stated one")
ODDS = make_alternative("the odds ratio a d / (b c) is less or greater than 1")
RATES = make_alternative("the first rate is less or greater; two-sided adds outcomes that are no likelier")
COUNT = "[0, 1000000]"
OBSERVED = P("int[k]", domain="[0, 1000000000]", about="observed count of each class", min_size=2, symbol="O")
TABLE = P("int[m,n]", domain="[0, 1000000000]", about="contingency table of counts", min_size=2)
SHARES = P("float64[k]", domain="(0, inf)", about="expected share of each class, to any scale", min_size=2)
CELL = {name: P("int", domain="[0, 5000]", about=about) for name, about in (
    ("a", "first row, first column"), ("b", "first row, second column"),
    ("c", "second row, first column"), ("d", "second row, second column"),
)}  # fmt: skip
PVALUE = R(about="p-value", range="[0, 1]")
LIMITING = R(about="p-value by the chi-square limit: no expected count may be small (5, as a rule)", range="[0, 1]")
CHI2 = R(fields={"statistic": R(about="statistic"), "df": R("int", about="degrees of freedom"), "pvalue": LIMITING})
LIMIT = {"k": 10_000}
WIDE = {"m": 300, "n": 300}
PEAS = [315, 108, 101, 32]
MENDEL = [9.0, 3.0, 3.0, 1.0]
HAIR = [[762, 327, 468], [484, 239, 477]]
MP = "mpmath 1.4.1, 60 digits"
SCIPY = "scipy 1.17.1, scipy.stats."


def _expected(observed, shares):
    exact = sums.rationals(sums.finite(shares, "shares"))
    whole = sum(exact, fmpq(0))
    return [sum(observed) * share / whole for share in exact]


def _some(total):
    if total == 0:
        raise DomainError("observed", expected="counts that are not all 0")
    return total


def _pearson(observed, expected):
    return sum(((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True)), fmpq(0))


def _likelihood(observed, expected):
    pairs = [(o, e) for o, e in zip(observed, expected, strict=True) if o and o != e]
    return 2 * sum((o * arb(o / e).log() for o, e in pairs), arb(0)) if pairs else fmpq(0)


@capability(
    "hypothesis.chi2_goodness_of_fit",
    tier="certified",
    version=2,
    source="agresti2013, sec. 1.5.2",
    compares=["observed", "shares"],
    params={"observed": OBSERVED, "shares": SHARES},
    result=CHI2,
    latex=r"\chi^2 = \sum \frac{(O - E)^2}{E}",
    limit=LIMIT,
    keywords=["Pearson", "chi-squared"],
    cases=[
        case(
            observed=PEAS,
            shares=MENDEL,
            result={"statistic": 0.47, "df": 3, "pvalue": 0.925},
            within=1e-3,
            origin="sokal2012, Mendel's peas: 0.470",
        ),
        case(
            observed=PEAS,
            shares=MENDEL,
            result={"statistic": 0.47002398081534774, "df": 3, "pvalue": 0.925425895103616},
            origin=MP,
        ),
        case(observed=[5, 5], shares=[1.0, 1.0], result={"statistic": 0.0, "df": 1, "pvalue": 1.0}, origin="by hand"),
    ],
)
def chi2_goodness_of_fit(observed, shares):
    """Pearson test of whether counts follow expected shares."""
    _some(sum(observed))
    statistic = _pearson(observed, _expected(observed, shares))
    return {"statistic": statistic, "df": len(observed) - 1, "pvalue": tails.chi2(statistic, len(observed) - 1)}


@capability(
    "hypothesis.g_test_goodness_of_fit",
    tier="certified",
    version=2,
    source="sokal2012, ch. 17",
    compares=["observed", "shares"],
    params={"observed": OBSERVED, "shares": SHARES},
    result=CHI2,
    latex=r"G = 2 \sum O \ln \frac{O}{E}",
    limit=LIMIT,
    keywords=["likelihood ratio", "log-likelihood"],
    cases=[
        case(
            observed=PEAS,
            shares=MENDEL,
            result={"statistic": 0.47544523899826313, "df": 3, "pvalue": 0.9242519039745261},
            origin=MP,
        ),
        case(observed=[5, 5], shares=[1.0, 1.0], result={"statistic": 0.0, "df": 1, "pvalue": 1.0}, origin="by hand"),
        case(
            observed=[27, 15, 2, 23, 20],
            shares=[0.22, 0.249, 0.142, 0.154, 0.235],
            result={"statistic": 24.24669338726757, "pvalue": 7.127578858210306e-05, "df": 4},
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.power_divergence: log-likelihood",
        ),
    ],
)
def g_test_goodness_of_fit(observed, shares):
    """Likelihood-ratio test of whether counts follow expected shares."""
    _some(sum(observed))
    statistic = _likelihood(observed, _expected(observed, shares))
    return {"statistic": statistic, "df": len(observed) - 1, "pvalue": tails.chi2(statistic, len(observed) - 1)}


def _margins(table):
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    if 0 in rows or 0 in columns or len(columns) < 2:
        raise DomainError("table", expected="two columns or more, and no row or column without counts")
    return rows, columns


def _independence(table, measure):
    rows, columns = _margins(table)
    expected = [fmpq(r * c, sum(rows)) for r in rows for c in columns]
    statistic, df = measure([o for row in table for o in row], expected), (len(rows) - 1) * (len(columns) - 1)
    return {"statistic": statistic, "df": df, "pvalue": tails.chi2(statistic, df)}


@capability(
    "hypothesis.chi2_independence",
    tier="certified",
    version=2,
    source="agresti2013, sec. 3.2.1",
    params={"table": TABLE},
    result=CHI2,
    limit=WIDE,
    keywords=["contingency table", "homogeneity", "Pearson"],
    cases=[
        case(
            table=HAIR,
            result={"statistic": 30.07, "df": 2, "pvalue": 2.954e-7},
            within=2e-4,
            origin="R 4.3, stats::chisq.test: gender and party",
        ),
        case(
            table=[[10, 20], [30, 40]],
            result={"statistic": 0.7936507936507936, "df": 1, "pvalue": 0.37299848361348714},
            origin=MP,
        ),
    ],
)
def chi2_independence(table):
    """Pearson test of whether rows and columns of a table of counts are independent, without correction."""
    return _independence(table, _pearson)


@capability(
    "hypothesis.g_test_independence",
    tier="certified",
    version=2,
    source="agresti2013, sec. 3.2.1",
    params={"table": TABLE},
    result=CHI2,
    limit=WIDE,
    keywords=["likelihood ratio", "contingency table"],
    cases=[
        case(
            table=HAIR,
            result={"statistic": 30.0167, "df": 2, "pvalue": 3.0336e-7},
            within=1e-4,
            origin="agresti2013, sec. 3.2, G^2 = 30.0",
        ),
        case(
            table=HAIR,
            result={"statistic": 30.01669261323967, "df": 2, "pvalue": 3.0335979106388097e-07},
            origin="mpmath 1.4.1, 50 digits, textbook formula",
        ),
    ],
)
def g_test_independence(table):
    """Likelihood-ratio test of whether rows and columns of a table of counts are independent."""
    return _independence(table, _likelihood)


@capability(
    "hypothesis.binomial_test",
    tier="certified",
    version=5,
    source="conover1999, sec. 3.1",
    params={
        "successes": P("int", domain="[0, 10000]", about="number of successes", symbol="x"),
        "trials": P("int", domain="[1, 10000]", about="number of trials", symbol="n"),
        "probability": P(domain="(0, 1)", about="probability of success under the hypothesis", symbol="p_0"),
        "alternative": ALTERNATIVE,
    },
    result=PVALUE,
    requires=["successes <= trials"],
    keywords=["exact test of a proportion", "sign test"],
    cases=[
        case(
            successes=682,
            trials=925,
            probability=0.75,
            alternative="two-sided",
            result=0.3825,
            within=1e-4,
            origin="conover1999, example of the documentation of R, binom.test",
        ),
        case(successes=9, trials=10, probability=0.5, alternative="greater", result=0.0107421875, origin="by hand"),
        case(
            successes=3,
            trials=10,
            probability=0.7,
            alternative="two-sided",
            result=0.01059207840000001,
            origin="Python 3.11, fractions.Fraction",
        ),
        case(successes=2, trials=1, probability=0.5, alternative="less", error="domain_error", origin="by hand"),
        case(
            successes=0,
            trials=4,
            probability=0.2,
            alternative="two-sided",
            result=1.0,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.binomtest: 0 is as likely as 1",
        ),
        case(
            successes=7,
            trials=9,
            probability=0.7,
            alternative="two-sided",
            result=1.0,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.binomtest: 7 is as likely as 6",
        ),
    ],
)
def binomial_test(successes, trials, probability, alternative):
    """Exact p-value of a number of successes; two-sided it adds all outcomes that are no likelier."""
    return _of_outcomes(_binomials(trials, order.rational(probability)), successes, alternative)


def _of_outcomes(counts, met, alternative):
    """The p-value; two-sided, outcomes that are as likely but for the rounding of a probability belong to it.

    Their margin is that of R and of scipy, one part in 10 million.
    """
    if alternative != "two-sided":
        return tails.of_counts(counts, met, alternative)
    most = counts[met] * 10_000_001
    return fmpq(sum(n for n in counts.values() if n * 10_000_000 <= most), sum(counts.values()))


def _binomials(size, probability):
    """How many of equally likely outcomes have each number of successes."""
    p, q = int(probability.p), int(probability.q - probability.p)
    bits = size * size * q.bit_length()
    if bits > MOST_BITS:
        raise LimitError(f"The exact counts would have {bits:,} bits; expected at most {MOST_BITS:,}.")
    counts = {0: q**size}
    for k in range(1, size + 1):
        check_deadline()
        counts[k] = counts[k - 1] * (size - k + 1) * p // (k * q)  # without rest: it is binomial * p**k * q**(size - k)
    return counts


@capability(
    "hypothesis.sign_test",
    tier="certified",
    version=3,
    source="conover1999, sec. 3.4",
    params={
        "values": P("float64[n]", unit="?u", about="sample, or differences of pairs", min_size=1),
        "median": P(unit="?u", about="median under the hypothesis"),
        "alternative": ALTERNATIVE,
    },
    result=R(
        fields={
            "statistic": R("int", about="values above the median"),
            "size": R("int", about="values not equal to the median; if none, p is 1"),
            "pvalue": R(about="exact p-value", range="[0, 1]"),
        }
    ),
    limit={"n": 10_000},
    keywords=["median test", "nonparametric", "paired"],
    cases=[
        case(
            values=[1.0, 2.0, 3.0, 4.0, -1.0, 0.0],
            median=0.0,
            alternative="two-sided",
            result={"statistic": 4, "size": 5, "pvalue": 0.375},
            origin="by hand: 2 * 6 / 32",
        ),
        case(
            values=[1.0, 2.0, 3.0],
            median=0.0,
            alternative="greater",
            result={"statistic": 3, "size": 3, "pvalue": 0.125},
            origin="by hand",
        ),
        case(
            values=[4.51, -1.48, 0.745, 0.695, -2.35, -3.36, 2.58, -2.74, 4.85, 3.99, -3.77, 2.31],
            median=-0.914,
            alternative="greater",
            result={"statistic": 7, "size": 12, "pvalue": 0.38720703125},
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.binomtest",
        ),
    ],
)
def sign_test(values, median, alternative):
    """Exact test of the median of a sample by the number of values above it, values equal to it left out."""
    values = sums.finite(values)
    above, size = int((values > median).sum()), int((values != median).sum())
    counts = _binomials(size, fmpq(1, 2))
    return {"statistic": above, "size": size, "pvalue": tails.of_counts(counts, above, alternative)}


@capability(
    "hypothesis.fisher_exact",
    tier="certified",
    version=3,
    source="fisher1935, ch. II",
    params={**CELL, "alternative": ODDS},
    result=PVALUE,
    keywords=["2 x 2 table", "lady tasting tea", "hypergeometric"],
    cases=[
        case(
            a=3,
            b=1,
            c=1,
            d=3,
            alternative="greater",
            result=0.24285714285714285,
            origin="fisher1935, ch. 2: the lady tasting tea",
        ),
        case(
            a=3,
            b=1,
            c=1,
            d=3,
            alternative="two-sided",
            result=0.4857142857142857,
            origin="fisher1935, ch. 2: the lady tasting tea",
        ),
        case(
            a=10,
            b=2,
            c=3,
            d=15,
            alternative="two-sided",
            result=0.0005367241191434357,
            within=1e-11,
            origin=SCIPY + "fisher_exact",
        ),
        case(
            a=2,
            b=10,
            c=15,
            d=3,
            alternative="less",
            result=4.652e-4,
            within=2e-4,
            origin="R 4.3, stats::fisher.test: convictions of twins",
        ),
    ],
)
def fisher_exact(a, b, c, d, alternative):
    """Exact p-value of a 2 x 2 table with fixed margins; two-sided it adds all tables that are no likelier."""
    first, second, column = a + b, c + d, a + c
    low, high = max(0, column - second), min(first, column)
    counts = {low: comb(first, low) * comb(second, column - low)}
    for k in range(low + 1, high + 1):
        counts[k] = counts[k - 1] * (first - k + 1) * (column - k + 1) // (k * (second - column + k))
    return tails.of_counts(counts, a, alternative, doubled=False)


@capability(
    "hypothesis.mcnemar_exact",
    tier="certified",
    version=2,
    source="agresti2013, sec. 11.1.2",
    params={
        "first_only": P("int", domain="[0, 5000]", about="pairs with success in the first only", symbol="b"),
        "second_only": P("int", domain="[0, 5000]", about="pairs with success in the second only", symbol="c"),
    },
    result=R(about="p-value; 1 where no pair differs", range="[0, 1]"),
    keywords=["paired proportions", "before and after"],
    cases=[
        case(first_only=3, second_only=1, result=0.625, origin="by hand: 2 * 5 / 16"),
        case(first_only=6, second_only=16, result=0.052478790283203125, origin="Python 3.11, fractions.Fraction"),
        case(first_only=0, second_only=0, result=1.0, origin="by hand"),
        case(
            first_only=7,
            second_only=10,
            result=0.629058837890625,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.contingency_tables.mcnemar: exact",
        ),
    ],
)
def mcnemar_exact(first_only, second_only):
    """Exact two-sided p-value of whether paired proportions agree, from the pairs that differ."""
    size = first_only + second_only
    return tails.of_counts(_binomials(size, fmpq(1, 2)), first_only, "two-sided")


@capability(
    "hypothesis.poisson_test",
    tier="certified",
    version=2,
    source="agresti2013, sec. 1.2",
    params={
        "events": P("int", domain="[0, 1000000]", about="number of events", symbol="x"),
        "expected": P(domain="(0, 1000000]", about="number expected under the hypothesis", symbol=r"\lambda_0"),
        "alternative": P(
            "string",
            choices=["less", "greater"],
            about="alternative hypothesis: more or fewer are expected than stated (greater, less)",
        ),
    },
    result=PVALUE,
    keywords=["exact test of a rate"],
    cases=[
        case(events=0, expected=2.0, alternative="less", result=0.1353352832366127, origin=MP),
        case(events=10, expected=5.5, alternative="greater", result=0.0537774695163661, origin=MP),
        case(
            events=8,
            expected=12.5,
            alternative="greater",
            result=0.9301745368159524,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.rates.test_poisson: exact-c",
        ),
    ],
)
def poisson_test(events, expected, alternative):
    """Exact one-sided p-value of a number of events of a Poisson process."""
    mean = arb(expected)
    if alternative == "less":
        return incomplete.gamma_q(arb(events + 1), mean)
    return incomplete.gamma_p(arb(events), mean) if events else fmpq(1)


@capability(
    "hypothesis.poisson_rates_test",
    tier="certified",
    version=4,
    source="agresti2013, sec. 1.2.5",
    params={
        "first_events": P("int", domain="[0, 1000]", about="events in the first period"),
        "first_time": P(unit="?t", domain="(0, inf)", about="length of the first period"),
        "second_events": P("int", domain="[0, 1000]", about="events in the second period"),
        "second_time": P(unit="?t", domain="(0, inf)", about="length of the second period"),
        "alternative": RATES,
    },
    result=R(about="p-value; 1 where there is no event", range="[0, 1]"),
    keywords=["rate ratio", "conditional test"],
    cases=[
        case(
            first_events=11,
            first_time=800.0,
            second_events=21,
            second_time=3011.0,
            alternative="two-sided",
            result=0.07967,
            within=1e-4,
            origin="R 4.3, stats::poisson.test: 11 of 800 against 21 of 3011",
        ),
        case(
            first_events=3,
            first_time=1.0,
            second_events=0,
            second_time=1.0,
            alternative="greater",
            result=0.125,
            origin="by hand",
        ),
    ],
)
def poisson_rates_test(first_events, first_time, second_events, second_time, alternative):
    """Exact p-value of whether two Poisson processes have one rate, given the number of events together."""
    p, q = order.rational(first_time), order.rational(second_time)
    return _of_outcomes(_binomials(first_events + second_events, p / (p + q)), first_events, alternative)


@capability(
    "hypothesis.cochran_armitage",
    tier="certified",
    version=2,
    source="agresti2013, sec. 5.3.5",
    params={
        "successes": P("int[k]", domain=COUNT, about="successes in each group", min_size=2),
        "trials": P("int[k]", domain="[1, 1000000]", about="trials in each group", min_size=2),
        "scores": P("float64[k]", about="dose or score of each group", min_size=2),
    },
    result=R(
        fields={"statistic": R(about="z, above 0 for a rise"), "pvalue": R(about="two-sided p-value", range="[0, 1]")}
    ),
    limit={"k": 1000},
    keywords=["trend in proportions", "dose response"],
    cases=[
        case(
            successes=[48, 38, 5, 1, 1],
            trials=[17114, 14502, 793, 127, 38],
            scores=[0.0, 0.5, 1.5, 4.0, 7.0],
            result={"statistic": 2.5633, "pvalue": 0.01037},
            within=2e-3,
            origin="agresti2013, sec. 5.3.5, alcohol and malformation: z^2 = 6.57",
        ),
        case(
            successes=[1, 2, 3],
            trials=[4, 4, 4],
            scores=[0.0, 1.0, 2.0],
            result={"statistic": 1.4142135623730951, "pvalue": 0.15729920705028513},
            origin="by hand: 2 / sqrt(8 / 4); mpmath 1.4.1, 60 digits",
        ),
    ],
)
def cochran_armitage(successes, trials, scores):
    """Whether a proportion rises or falls with a score, by the linear trend over the groups."""
    if any(x > n for x, n in zip(successes, trials, strict=True)):
        raise DomainError("successes", expected="no more than the trials of each group")
    score, size = sums.rationals(scores), sum(trials)
    p = fmpq(sum(successes), size)
    centre = sum((n * s for n, s in zip(trials, score, strict=True)), fmpq(0)) / size
    spread = sum((n * (s - centre) ** 2 for n, s in zip(trials, score, strict=True)), fmpq(0)) * p * (1 - p)
    if spread == 0:
        raise DomainError("successes", expected="both successes and failures, and scores that are not all equal")
    trend = sum((x * (s - centre) for x, s in zip(successes, score, strict=True)), fmpq(0))
    z = trend / order.square_root(spread) if trend != 0 else fmpq(0)
    return {"statistic": z, "pvalue": tails.normal(z)}


@capability(
    "hypothesis.mantel_haenszel",
    tier="certified",
    version=2,
    source="agresti2013, sec. 6.4.2",
    params={
        name: P("int[k]", domain=COUNT, about=f"{cell['about']}, of each stratum", min_size=1)
        for name, cell in CELL.items()
    },
    result=R(
        fields={
            "odds_ratio": R(about="common odds ratio, of a d over b c"),
            "statistic": R(about="chi-square without correction"),
            "pvalue": R(about="p-value", range="[0, 1]"),
        }
    ),
    limit={"k": 10_000},
    keywords=["stratified 2 x 2 tables", "common odds ratio", "CMH"],
    cases=[
        case(
            a=[3],
            b=[1],
            c=[1],
            d=[3],
            result={"odds_ratio": 9.0, "statistic": 1.75, "pvalue": 0.18587673236587593},
            origin=MP,
        ),
        case(
            a=[11, 16, 14, 2, 6, 1, 1, 4],
            b=[25, 4, 5, 14, 11, 10, 4, 2],
            c=[10, 22, 7, 1, 0, 0, 1, 6],
            d=[27, 10, 12, 16, 12, 10, 8, 1],
            result={"odds_ratio": 2.13, "statistic": 6.38, "pvalue": 0.0115},
            within=4e-3,
            origin="agresti2013, table 6.9, eight centres: CMH = 6.38, odds ratio 2.13",
        ),
    ],
)
def mantel_haenszel(a, b, c, d):
    """Common odds ratio of stratified 2 x 2 tables, and the test of whether it is 1."""
    above = below = distance = variance = fmpq(0)
    for w, x, y, z in zip(a, b, c, d, strict=True):
        size = w + x + y + z
        if size < 2:
            continue
        above, below = above + fmpq(w * z, size), below + fmpq(x * y, size)
        distance += w - fmpq((w + x) * (w + y), size)
        variance += fmpq((w + x) * (y + z) * (w + y) * (x + z), size * size * (size - 1))
    if below == 0 or variance == 0:
        raise DomainError("b and c", expected="a stratum where both are above 0")
    statistic = distance**2 / variance
    return {"odds_ratio": above / below, "statistic": statistic, "pvalue": tails.chi2(statistic, 1)}
