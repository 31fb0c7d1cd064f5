"""Many p-values at once: adjusted for their number, or combined into one."""

from __future__ import annotations

from flint import arb, fmpq

from service_nb_kernels.certified import special, sums, tails
from service_nb_kernels.declare import P, R, capability, case

PVALUES = P("float64[n]", domain="[0, 1]", about="p-values", min_size=1, symbol="p")
INNER = P("float64[n]", domain="(0, 1)", about="p-values, one-sided in one direction", min_size=1, symbol="p")
ADJUSTED = R("float64[n]", about="adjusted p-values, in the order given", range="[0, 1]")
LIMIT = {"n": 100_000}
SHORT = 500  # p-values whose adjustment stays exact; that of more is never a tie of two doubles
FOUR = [0.01, 0.04, 0.03, 0.005]
EIGHT = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.9]
R_SM = "statsmodels 0.15.0, statsmodels.stats.multitest.multipletests"
MP = "mpmath 1.4.1, 60 digits"


def _stepped(pvalues, factor, *, up):
    """Adjusted values: those in order times a factor of (place, size), made monotone from one end."""
    exact = sums.rationals(sums.finite(pvalues, "pvalues"))
    size = len(exact)
    places = sorted(range(size), key=exact.__getitem__)
    found = [fmpq(0)] * size
    running = fmpq(1) if up else fmpq(0)
    for rank in reversed(range(size)) if up else range(size):
        value = min(exact[places[rank]] * factor(rank + 1, size), fmpq(1))
        running = min(running, value) if up else max(running, value)
        found[places[rank]] = running
    return found


@capability(
    "hypothesis.bonferroni",
    tier="certified",
    version=2,
    source="dunn1961",
    params={"pvalues": PVALUES},
    result=ADJUSTED,
    limit=LIMIT,
    keywords=["family-wise error rate", "multiple comparisons"],
    cases=[
        case(pvalues=[0.25, 0.5, 0.0625], result=[0.75, 1.0, 0.1875], origin="by hand"),
        case(pvalues=FOUR, result=[0.04, 0.16, 0.12, 0.02], origin="Python 3.11, fractions.Fraction"),
        case(
            pvalues=[0.24, 0.754, 0.433],
            result=[0.72, 1.0, 1.0],
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.multitest.multipletests: bonferroni",
        ),
    ],
)
def bonferroni(pvalues):
    """P-values times their number, at most 1, which controls the family-wise error rate."""
    size = int(pvalues.size)
    return [min(value * size, fmpq(1)) for value in sums.rationals(sums.finite(pvalues, "pvalues"))]


@capability(
    "hypothesis.sidak",
    tier="certified",
    version=3,
    source="sidak1967",
    params={"pvalues": PVALUES},
    result=ADJUSTED,
    latex=r"1 - (1 - p)^n",
    limit=LIMIT,
    keywords=["family-wise error rate", "independent tests"],
    cases=[
        case(pvalues=[0.5, 0.25], result=[0.75, 0.4375], origin="by hand"),
        case(pvalues=FOUR, result=[0.03940399, 0.15065344, 0.11470719, 0.019850499375], origin=MP),
        case(
            pvalues=[0.386, 0.916],
            result=[0.623004, 0.992944],
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.multitest.multipletests: sidak",
        ),
    ],
)
def sidak(pvalues):
    """P-values adjusted for their number when the tests are independent."""
    exact, size = sums.rationals(sums.finite(pvalues, "pvalues")), int(pvalues.size)
    if size <= SHORT:
        return [1 - (1 - value) ** size for value in exact]
    return [value if value in (0, 1) else -(size * (-arb(value)).log1p()).expm1() for value in exact]


@capability(
    "hypothesis.holm",
    tier="certified",
    version=2,
    source="holm1979",
    params={"pvalues": PVALUES},
    result=ADJUSTED,
    limit=LIMIT,
    keywords=["family-wise error rate", "step-down", "Bonferroni-Holm"],
    cases=[
        case(pvalues=[0.25, 0.5, 0.0625], result=[0.5, 0.5, 0.1875], origin="by hand"),
        case(pvalues=FOUR, result=[0.03, 0.06, 0.06, 0.02], within=1e-13, origin=R_SM),
    ],
)
def holm(pvalues):
    """Step-down adjusted p-values, which control the family-wise error rate and are never above Bonferroni's."""
    return _stepped(pvalues, lambda rank, size: size - rank + 1, up=False)


@capability(
    "hypothesis.hochberg",
    tier="certified",
    version=2,
    source="hochberg1988",
    params={"pvalues": PVALUES},
    result=ADJUSTED,
    limit=LIMIT,
    keywords=["family-wise error rate", "step-up", "Simes"],
    cases=[
        case(pvalues=[0.25, 0.5, 0.0625], result=[0.5, 0.5, 0.1875], origin="by hand"),
        case(pvalues=FOUR, result=[0.03, 0.04, 0.04, 0.02], within=1e-13, origin=R_SM),
    ],
)
def hochberg(pvalues):
    """Step-up adjusted p-values, which control the family-wise error rate of independent tests."""
    return _stepped(pvalues, lambda rank, size: size - rank + 1, up=True)


@capability(
    "hypothesis.benjamini_hochberg",
    tier="certified",
    version=2,
    source="benjamini1995",
    params={"pvalues": PVALUES},
    result=ADJUSTED,
    limit=LIMIT,
    keywords=["false discovery rate", "FDR", "q-value"],
    cases=[
        case(pvalues=[0.25, 0.5, 0.0625], result=[0.375, 0.5, 0.1875], origin="by hand"),
        case(
            pvalues=EIGHT,
            result=[
                0.0008,
                0.0016,
                0.005066666666666666,
                0.019,
                0.03216,
                0.034057142857142855,
                0.034057142857142855,
                0.9,
            ],
            within=1e-13,
            origin=R_SM,
        ),
    ],
)
def benjamini_hochberg(pvalues):
    """Adjusted p-values that control the false discovery rate of independent tests."""
    return _stepped(pvalues, lambda rank, size: fmpq(size, rank), up=True)


@capability(
    "hypothesis.benjamini_yekutieli",
    tier="certified",
    version=3,
    source="benjamini2001",
    params={"pvalues": PVALUES},
    result=ADJUSTED,
    limit=LIMIT,
    keywords=["false discovery rate", "dependent tests"],
    cases=[
        case(pvalues=[0.25, 0.125], result=[0.375, 0.375], origin="by hand: 2 * 0.125 * 1.5, and 0.25 * 1.5"),
        case(
            pvalues=EIGHT,
            result=[
                0.002174285714285714,
                0.004348571428571428,
                0.01377047619047619,
                0.05163928571428571,
                0.08740628571428571,
                0.09256244897959182,
                0.09256244897959182,
                1.0,
            ],
            within=1e-13,
            origin=R_SM,
        ),
    ],
)
def benjamini_yekutieli(pvalues):
    """Adjusted p-values that control the false discovery rate however the tests depend on each other."""
    size = int(pvalues.size)
    if size <= SHORT:
        harmonic = sum((fmpq(1, k) for k in range(1, size + 1)), fmpq(0))
        return _stepped(pvalues, lambda rank, size: harmonic * size / rank, up=True)
    found = _stepped(pvalues, lambda rank, size: fmpq(size, rank), up=True)
    harmonic = arb(size + 1).digamma() + arb.const_euler()
    return [value if value in (0, 1) else (value * harmonic).min(arb(1)) for value in found]


@capability(
    "hypothesis.fisher_combined",
    tier="certified",
    version=2,
    source="fisher1932, sec. 21.1",
    params={"pvalues": P("float64[n]", domain="(0, 1]", about="p-values of independent tests", min_size=1, symbol="p")},
    result=R(
        fields={
            "statistic": R(about="chi-square"),
            "df": R("int", about="degrees of freedom"),
            "pvalue": R(about="combined p-value", range="[0, 1]"),
        }
    ),
    latex=r"\chi^2_{2n} = -2 \sum_i \ln p_i",
    limit={"n": 10_000},
    keywords=["meta-analysis", "combining p-values"],
    cases=[
        case(
            pvalues=[0.145, 0.263, 0.087],
            result={"statistic": 11.4169, "df": 6, "pvalue": 0.0763},
            within=5e-4,
            origin="fisher1932, sec. 21.1: 11.42 with 6 degrees of freedom",
        ),
        case(
            pvalues=FOUR, result={"statistic": 33.25784254944862, "df": 8, "pvalue": 5.533582914229848e-05}, origin=MP
        ),
        case(pvalues=[1.0], result={"statistic": 0.0, "df": 2, "pvalue": 1.0}, origin="by hand"),
    ],
)
def fisher_combined(pvalues):
    """One p-value from those of independent tests, by the sum of their logarithms."""
    logs = [arb(value).log() for value in pvalues.tolist() if value != 1]
    statistic, df = (-2 * sum(logs, arb(0)) if logs else fmpq(0)), 2 * int(pvalues.size)
    return {"statistic": statistic, "df": df, "pvalue": tails.chi2(statistic, df)}


@capability(
    "hypothesis.stouffer_combined",
    tier="certified",
    version=2,
    source="stouffer1949",
    params={"pvalues": INNER, "weights": P("float64[n]", domain="(0, inf)", about="weight of each test", symbol="w")},
    result=R(
        fields={"statistic": R(about="combined z"), "pvalue": R(about="combined one-sided p-value", range="[0, 1]")}
    ),
    latex=r"Z = \frac{\sum_i w_i \Phi^{-1}(1 - p_i)}{\sqrt{\sum_i w_i^2}}",
    limit={"n": 5000},
    keywords=["meta-analysis", "z-score method"],
    cases=[
        case(
            pvalues=FOUR,
            weights=[1.0, 2.0, 1.0, 0.5],
            result={"statistic": 3.598571310588353, "pvalue": 0.0001599850597011024},
            origin=MP,
        ),
        case(pvalues=[0.5, 0.5], weights=[1.0, 1.0], result={"statistic": 0.0, "pvalue": 0.5}, origin="by hand"),
        case(
            pvalues=[0.205, 0.71, 0.444, 0.859, 0.827],
            weights=[2.56, 2.1, 2.74, 2.53, 0.684],
            result={"statistic": -0.40396372392733965, "pvalue": 0.6568803023843979},
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.combine_pvalues: method 'stouffer'",
        ),
    ],
)
def stouffer_combined(pvalues, weights):
    """One p-value from one-sided ones of independent tests, by the weighted sum of their normal deviates."""
    pairs = [(p, w) for p, w in zip(pvalues.tolist(), weights.tolist(), strict=True) if p != 0.5]
    if not pairs:
        return {"statistic": fmpq(0), "pvalue": fmpq(1, 2)}
    above = sum((-arb(w) * special.normal_quantile(arb(p)) for p, w in pairs), arb(0))
    z = above / arb(sums.dot(weights, weights)).sqrt()
    return {"statistic": z, "pvalue": special.normal_sf(z)}


@capability(
    "hypothesis.simes_combined",
    tier="certified",
    version=2,
    source="simes1986",
    params={"pvalues": PVALUES},
    result=R(about="combined p-value", range="[0, 1]"),
    latex=r"\min_k \frac{n p_{(k)}}{k}",
    limit=LIMIT,
    keywords=["global null hypothesis", "combining p-values"],
    cases=[
        case(pvalues=[0.25, 0.5, 0.0625], result=0.1875, origin="by hand"),
        case(pvalues=[0.5, 0.25, 0.25], result=0.375, origin="by hand: 3 * 0.25 / 2"),
        case(
            pvalues=[0.948, 0.231, 0.777, 0.428, 0.279, 0.589],
            result=0.8370000000000001,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.false_discovery_control: least",
        ),
    ],
)
def simes_combined(pvalues):
    """One p-value for the hypothesis that all hypotheses of independent tests hold, sharper than Bonferroni's."""
    ordered = sorted(sums.rationals(sums.finite(pvalues, "pvalues")))
    return min(len(ordered) * value / rank for rank, value in enumerate(ordered, 1))
