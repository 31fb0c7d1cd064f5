"""Names of other libraries give the value of their counterpart: both are run, or what the other prints is quoted."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy
import statsmodels.api as sm
from scipy import special, stats
from statsmodels.stats import diagnostic, multitest, proportion, weightstats
from statsmodels.stats.stattools import durbin_watson
from statsmodels.tsa import stattools

from service_nb.compute.foreign_names import find_counterpart, list_all_counterparts
from tests.tools.foreign_calls import RUN, read, run_counterpart, run_row

X = [1.5, 2.0, 4.0, 4.25, 4.5, 7.25, 9.0, 3.75]
Y = [2.5, 1.0, 4.5, 4.75, 6.5, 6.25, 9.5, 0.5]
M = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]
P = [0.01, 0.04, 0.03, 0.2]
LABELS, SCORES = [0, 0, 1, 1, 1, 0], [0.1, 0.4, 0.35, 0.8, 0.6, 0.5]


def agree(ours: Any, theirs: Any, tolerance: float = 1e-9) -> None:
    if isinstance(ours, Mapping):
        ours, theirs = [float(ours[key]) for key in theirs], list(theirs.values())
    np.testing.assert_allclose(
        np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float), rtol=tolerance, atol=1e-12
    )


def read_test(result: Any) -> dict[str, float]:
    return {"statistic": float(result.statistic), "pvalue": float(result.pvalue)}


SERIES, OTHER = pd.Series(X), pd.Series(Y)
CASES: list[tuple[str, dict[str, Any], Callable[[], Any]]] = [
    ("np.mean", {"a": X}, lambda: np.mean(X)),
    ("np.average", {"a": X, "weights": Y}, lambda: np.average(X, weights=Y)),
    ("np.median", {"a": X}, lambda: np.median(X)),
    ("np.std", {"a": X}, lambda: np.std(X)),
    ("np.std", {"a": X, "ddof": 1}, lambda: np.std(X, ddof=1)),
    ("np.var", {"a": X}, lambda: np.var(X)),
    ("np.var", {"a": X, "ddof": 1}, lambda: np.var(X, ddof=1)),
    ("np.ptp", {"a": X}, lambda: np.ptp(X)),
    ("np.percentile", {"a": X, "q": 90}, lambda: np.percentile(X, 90)),
    ("np.percentile", {"a": X, "q": 30, "method": "weibull"}, lambda: np.percentile(X, 30, method="weibull")),
    ("np.quantile", {"a": X, "q": 0.3}, lambda: np.quantile(X, 0.3)),
    ("np.corrcoef", {"x": X, "y": Y}, lambda: np.corrcoef(X, Y)[0, 1]),
    ("np.cov", {"m": X, "y": Y}, lambda: np.cov(X, Y)[0, 1]),
    ("np.sum", {"a": X}, lambda: np.sum(X)),
    ("np.cumsum", {"a": X}, lambda: np.cumsum(X)),
    ("np.prod", {"a": X}, lambda: np.prod(X)),
    ("np.diff", {"a": X}, lambda: np.diff(X)),
    ("np.diff", {"a": X, "n": 2}, lambda: np.diff(X, n=2)),
    ("np.histogram", {"a": X, "bins": [0.0, 3.0, 9.0]}, lambda: np.histogram(X, bins=[0.0, 3.0, 9.0])[0]),
    ("np.trapezoid", {"y": Y, "x": sorted(X)}, lambda: np.trapezoid(Y, sorted(X))),
    ("np.dot", {"a": X, "b": Y}, lambda: np.dot(X, Y)),
    ("np.matmul", {"x1": M, "x2": M}, lambda: np.matmul(M, M)),
    ("np.cross", {"a": X[:3], "b": Y[:3]}, lambda: np.cross(X[:3], Y[:3])),
    ("np.outer", {"a": X, "b": Y}, lambda: np.outer(X, Y)),
    ("np.kron", {"a": M, "b": M}, lambda: np.kron(M, M)),
    ("np.trace", {"a": M}, lambda: np.trace(M)),
    ("np.linalg.det", {"a": M}, lambda: np.linalg.det(M)),
    ("np.linalg.inv", {"a": M}, lambda: np.linalg.inv(M)),
    ("np.linalg.solve", {"a": M, "b": X[:3]}, lambda: np.linalg.solve(M, X[:3])),
    ("np.linalg.norm", {"x": X}, lambda: np.linalg.norm(X)),
    ("np.linalg.eigvalsh", {"a": M}, lambda: np.linalg.eigvalsh(M)),
    ("np.linalg.svdvals", {"x": M}, lambda: np.linalg.svd(M, compute_uv=False)),
    ("np.linalg.cholesky", {"a": M}, lambda: np.linalg.cholesky(M)),
    ("np.linalg.cond", {"x": M}, lambda: np.linalg.cond(M)),
    ("np.linalg.matrix_power", {"a": M, "n": 3}, lambda: np.linalg.matrix_power(M, 3)),
    ("np.convolve", {"a": X, "v": [1.0, 0.5]}, lambda: np.convolve(X, [1.0, 0.5])),
    ("np.arctan2", {"x1": 1.0, "x2": -2.0}, lambda: np.arctan2(1.0, -2.0)),
    ("np.hypot", {"x1": 1.0, "x2": -2.0}, lambda: np.hypot(1.0, -2.0)),
    ("np.power", {"x1": 1.5, "x2": -2.5}, lambda: np.power(1.5, -2.5)),
    ("np.logaddexp", {"x1": 1.5, "x2": -2.5}, lambda: np.logaddexp(1.5, -2.5)),
    ("np.hanning", {"M": 7}, lambda: np.hanning(7)),
    ("np.hamming", {"M": 7}, lambda: np.hamming(7)),
    ("np.bartlett", {"M": 7}, lambda: np.bartlett(7)),
    ("np.blackman", {"M": 7}, lambda: np.blackman(7)),
    ("np.kaiser", {"M": 7, "beta": 4.0}, lambda: np.kaiser(7, 4.0)),
    ("statistics.stdev", {"data": X}, lambda: statistics.stdev(X)),
    ("statistics.pstdev", {"data": X}, lambda: statistics.pstdev(X)),
    ("statistics.variance", {"data": X}, lambda: statistics.variance(X)),
    ("statistics.pvariance", {"data": X}, lambda: statistics.pvariance(X)),
    ("statistics.geometric_mean", {"data": X}, lambda: statistics.geometric_mean(X)),
    ("statistics.harmonic_mean", {"data": X}, lambda: statistics.harmonic_mean(X)),
    ("statistics.fmean", {"data": X, "weights": Y}, lambda: statistics.fmean(X, weights=Y)),
    ("statistics.correlation", {"x": X, "y": Y}, lambda: statistics.correlation(X, Y)),
    ("statistics.correlation", {"x": X, "y": Y, "method": "ranked"}, lambda: stats.spearmanr(X, Y).statistic),
    ("statistics.covariance", {"x": X, "y": Y}, lambda: statistics.covariance(X, Y)),
    ("statistics.linear_regression", {"x": X, "y": Y}, lambda: statistics.linear_regression(X, Y)._asdict()),
    (
        "statistics.NormalDist.cdf",
        {"x": 1.0, "mu": 0.5, "sigma": 2.0},
        lambda: statistics.NormalDist(0.5, 2.0).cdf(1.0),
    ),
    (
        "statistics.NormalDist.inv_cdf",
        {"p": 0.9, "mu": 0.5, "sigma": 2.0},
        lambda: statistics.NormalDist(0.5, 2.0).inv_cdf(0.9),
    ),
    ("math.log", {"x": 8.0, "base": 3.0}, lambda: math.log(8.0, 3.0)),
    ("math.log", {"x": 8.0}, lambda: math.log(8.0)),
    ("math.atan2", {"y": 1.0, "x": -2.0}, lambda: math.atan2(1.0, -2.0)),
    ("math.comb", {"n": 9, "k": 4}, lambda: math.comb(9, 4)),
    ("math.perm", {"n": 9, "k": 4}, lambda: math.perm(9, 4)),
    ("math.dist", {"p": X, "q": Y}, lambda: math.dist(X, Y)),
    ("math.isqrt", {"n": 90}, lambda: math.isqrt(90)),
    ("math.lgamma", {"x": 4.5}, lambda: math.lgamma(4.5)),
    ("pd.Series.std", {"self": X}, SERIES.std),
    ("pd.Series.std", {"self": X, "ddof": 0}, lambda: SERIES.std(ddof=0)),
    ("pd.Series.var", {"self": X}, SERIES.var),
    ("pd.Series.sem", {"self": X}, SERIES.sem),
    ("pd.Series.quantile", {"self": X}, SERIES.quantile),
    ("pd.Series.quantile", {"self": X, "q": 0.3}, lambda: SERIES.quantile(0.3)),
    ("pd.Series.skew", {"self": X}, SERIES.skew),
    ("pd.Series.kurt", {"self": X}, SERIES.kurt),
    ("pd.Series.corr", {"self": X, "other": Y}, lambda: SERIES.corr(OTHER)),
    ("pd.Series.corr", {"self": X, "other": Y, "method": "spearman"}, lambda: SERIES.corr(OTHER, method="spearman")),
    ("pd.Series.corr", {"self": X, "other": Y, "method": "kendall"}, lambda: SERIES.corr(OTHER, method="kendall")),
    ("pd.Series.cov", {"self": X, "other": Y}, lambda: SERIES.cov(OTHER)),
    ("pd.Series.rank", {"self": X}, SERIES.rank),
    (
        "pd.Series.ewm.mean",
        {"self": X, "alpha": 0.3, "adjust": False},
        lambda: SERIES.ewm(alpha=0.3, adjust=False).mean(),
    ),
    ("scipy.stats.ttest_ind", {"a": X, "b": Y}, lambda: read_test(stats.ttest_ind(X, Y))),
    (
        "scipy.stats.ttest_ind",
        {"a": X, "b": Y, "equal_var": False},
        lambda: read_test(stats.ttest_ind(X, Y, equal_var=False)),
    ),
    (
        "scipy.stats.ttest_ind",
        {"a": X, "b": Y, "alternative": "less"},
        lambda: read_test(stats.ttest_ind(X, Y, alternative="less")),
    ),
    ("scipy.stats.ttest_rel", {"a": X, "b": Y}, lambda: read_test(stats.ttest_rel(X, Y))),
    ("scipy.stats.ttest_1samp", {"a": X, "popmean": 3.0}, lambda: read_test(stats.ttest_1samp(X, 3.0))),
    (
        "scipy.stats.mannwhitneyu",
        {"x": X, "y": Y, "method": "exact"},
        lambda: read_test(stats.mannwhitneyu(X, [it + 0.01 for it in Y], method="exact")),
    ),
    (
        "scipy.stats.chi2_contingency",
        {"observed": [[5, 9], [12, 4]], "correction": False},
        lambda: read_test(stats.chi2_contingency([[5, 9], [12, 4]], correction=False)),
    ),
    (
        "scipy.stats.chisquare",
        {"f_obs": [16, 18, 26], "f_exp": [20.0, 20.0, 20.0]},
        lambda: read_test(stats.chisquare([16, 18, 26])),
    ),
    ("scipy.stats.binomtest", {"k": 3, "n": 15, "p": 0.1}, lambda: stats.binomtest(3, 15, 0.1).pvalue),
    ("scipy.stats.ks_2samp", {"data1": X, "data2": Y}, lambda: read_test(stats.ks_2samp(X, Y))),
    ("scipy.stats.normaltest", {"a": X * 3}, lambda: read_test(stats.normaltest(X * 3))),
    ("scipy.stats.jarque_bera", {"x": X}, lambda: read_test(stats.jarque_bera(X))),
    ("scipy.stats.skewtest", {"a": X}, lambda: read_test(stats.skewtest(X))),
    ("scipy.stats.kurtosistest", {"a": X * 3}, lambda: read_test(stats.kurtosistest(X * 3))),
    ("scipy.stats.pearsonr", {"x": X, "y": Y}, lambda: stats.pearsonr(X, Y).statistic),
    ("scipy.stats.spearmanr", {"a": X, "b": Y}, lambda: stats.spearmanr(X, Y).statistic),
    ("scipy.stats.kendalltau", {"x": X, "y": Y}, lambda: stats.kendalltau(X, Y).statistic),
    (
        "scipy.stats.linregress",
        {"x": X, "y": Y},
        lambda: {"slope": stats.linregress(X, Y).slope, "intercept": stats.linregress(X, Y).intercept},
    ),
    ("scipy.stats.theilslopes", {"y": Y, "x": X}, lambda: stats.theilslopes(Y, X).slope),
    ("scipy.stats.siegelslopes", {"y": Y, "x": X}, lambda: stats.siegelslopes(Y, X).slope),
    ("scipy.stats.sem", {"a": X}, lambda: stats.sem(X)),
    ("scipy.stats.zscore", {"a": X}, lambda: stats.zscore(X)),
    ("scipy.stats.zscore", {"a": X, "ddof": 1}, lambda: stats.zscore(X, ddof=1)),
    ("scipy.stats.gmean", {"a": X}, lambda: stats.gmean(X)),
    ("scipy.stats.hmean", {"a": X}, lambda: stats.hmean(X)),
    ("scipy.stats.pmean", {"a": X, "p": 1.5}, lambda: stats.pmean(X, 1.5)),
    ("scipy.stats.mode", {"a": [2.0, 1.0, 2.0, 1.0, 3.0]}, lambda: stats.mode([2.0, 1.0, 2.0, 1.0, 3.0]).mode),
    ("scipy.stats.skew", {"a": X}, lambda: stats.skew(X)),
    ("scipy.stats.skew", {"a": X, "bias": False}, lambda: stats.skew(X, bias=False)),
    ("scipy.stats.kurtosis", {"a": X}, lambda: stats.kurtosis(X)),
    ("scipy.stats.kurtosis", {"a": X, "bias": False}, lambda: stats.kurtosis(X, bias=False)),
    ("scipy.stats.moment", {"a": X, "order": 3}, lambda: stats.moment(X, 3)),
    ("scipy.stats.kstat", {"data": X}, lambda: stats.kstat(X)),
    ("scipy.stats.iqr", {"x": X}, lambda: stats.iqr(X)),
    ("scipy.stats.median_abs_deviation", {"x": X}, lambda: stats.median_abs_deviation(X)),
    (
        "scipy.stats.median_abs_deviation",
        {"x": X, "scale": "normal"},
        lambda: stats.median_abs_deviation(X, scale="normal"),
    ),
    ("scipy.stats.rankdata", {"a": X}, lambda: stats.rankdata(X)),
    (
        "scipy.stats.rankdata",
        {"a": [1.0, 1.0, 2.0], "method": "dense"},
        lambda: stats.rankdata([1, 1, 2], method="dense"),
    ),
    ("scipy.stats.trim_mean", {"a": X, "proportiontocut": 0.2}, lambda: stats.trim_mean(X, 0.2)),
    ("scipy.stats.gstd", {"a": X}, lambda: stats.gstd(X)),
    ("scipy.stats.entropy", {"pk": [1.0, 2.0, 5.0], "base": 2.0}, lambda: stats.entropy([1, 2, 5], base=2)),
    ("scipy.stats.wasserstein_distance", {"u_values": X, "v_values": Y}, lambda: stats.wasserstein_distance(X, Y)),
    ("scipy.stats.combine_pvalues", {"pvalues": P}, lambda: read_test(stats.combine_pvalues(P))),
    ("scipy.stats.false_discovery_control", {"ps": P}, lambda: stats.false_discovery_control(P)),
    ("scipy.special.expit", {"x": 0.7}, lambda: special.expit(0.7)),
    ("scipy.special.logit", {"x": 0.7}, lambda: special.logit(0.7)),
    ("scipy.special.softmax", {"x": X}, lambda: special.softmax(X)),
    ("scipy.special.logsumexp", {"a": X}, lambda: special.logsumexp(X)),
    ("scipy.special.jv", {"v": 1.5, "z": 2.0}, lambda: special.jv(1.5, 2.0)),
    ("scipy.special.gammainc", {"a": 1.5, "x": 2.0}, lambda: special.gammainc(1.5, 2.0)),
    ("scipy.special.gammaincc", {"a": 1.5, "x": 2.0}, lambda: special.gammaincc(1.5, 2.0)),
    ("scipy.special.betainc", {"a": 1.5, "b": 2.0, "x": 0.3}, lambda: special.betainc(1.5, 2.0, 0.3)),
    ("scipy.special.ellipk", {"m": 0.3}, lambda: special.ellipk(0.3)),
    ("scipy.special.ellipe", {"m": 0.3}, lambda: special.ellipe(0.3)),
    ("scipy.special.lambertw", {"z": 1.3}, lambda: special.lambertw(1.3).real),
    ("scipy.special.ndtri", {"y": 0.3}, lambda: special.ndtri(0.3)),
    ("scipy.special.polygamma", {"n": 2, "x": 1.3}, lambda: special.polygamma(2, 1.3)),
    ("scipy.special.hyp2f1", {"a": 0.5, "b": 1.5, "c": 2.5, "z": 0.3}, lambda: special.hyp2f1(0.5, 1.5, 2.5, 0.3)),
    ("scipy.integrate.simpson", {"y": X[:7], "dx": 0.5}, lambda: scipy.integrate.simpson(X[:7], dx=0.5)),
    ("scipy.linalg.expm", {"A": M}, lambda: scipy.linalg.expm(M)),
    ("scipy.linalg.sqrtm", {"A": M}, lambda: scipy.linalg.sqrtm(M)),
    ("scipy.spatial.distance.cityblock", {"u": X, "v": Y}, lambda: scipy.spatial.distance.cityblock(X, Y)),
    ("scipy.spatial.distance.minkowski", {"u": X, "v": Y, "p": 3.0}, lambda: scipy.spatial.distance.minkowski(X, Y, 3)),
    ("scipy.spatial.distance.canberra", {"u": X, "v": Y}, lambda: scipy.spatial.distance.canberra(X, Y)),
    (
        "scipy.spatial.distance.jensenshannon",
        {"p": [0.2, 0.8], "q": [0.5, 0.5]},
        lambda: scipy.spatial.distance.jensenshannon([0.2, 0.8], [0.5, 0.5]),
    ),
    ("statsmodels.tsa.stattools.acf", {"x": X, "nlags": 3}, lambda: stattools.acf(X, nlags=3)[1:]),
    (
        "statsmodels.tsa.stattools.pacf",
        {"x": X, "nlags": 3, "method": "ldb"},
        lambda: stattools.pacf(X, nlags=3, method="ldb")[1:],
    ),
    ("statsmodels.stats.stattools.durbin_watson", {"resids": X}, lambda: durbin_watson(X)),
    ("statsmodels.stats.diagnostic.lilliefors", {"x": X}, lambda: diagnostic.lilliefors(X)[0]),
    (
        "statsmodels.stats.multitest.multipletests",
        {"pvals": P, "method": "holm"},
        lambda: multitest.multipletests(P, method="holm")[1],
    ),
    (
        "statsmodels.stats.multitest.multipletests",
        {"pvals": P, "method": "fdr_bh"},
        lambda: multitest.multipletests(P, method="fdr_bh")[1],
    ),
    (
        "statsmodels.stats.multitest.multipletests",
        {"pvals": P, "method": "fdr_by"},
        lambda: multitest.multipletests(P, method="fdr_by")[1],
    ),
    (
        "statsmodels.stats.multitest.multipletests",
        {"pvals": P, "method": "sidak"},
        lambda: multitest.multipletests(P, method="sidak")[1],
    ),
    (
        "statsmodels.stats.multitest.multipletests",
        {"pvals": P, "method": "simes-hochberg"},
        lambda: multitest.multipletests(P, method="simes-hochberg")[1],
    ),
    (
        "statsmodels.stats.weightstats.ttest_ind",
        {"x1": X, "x2": Y},
        lambda: dict(zip(("statistic", "pvalue"), weightstats.ttest_ind(X, Y), strict=False)),
    ),
    (
        "statsmodels.OLS",
        {"endog": Y, "exog": [[1.0, each] for each in X]},
        lambda: sm.OLS(Y, sm.add_constant(X)).fit().params,
    ),
]


@pytest.mark.parametrize(
    ("name", "given", "theirs"), CASES, ids=[f"{name}-{at}" for at, (name, *_) in enumerate(CASES)]
)
def test_a_counterpart_gives_the_value_of_the_other_library(
    name: str, given: dict[str, Any], theirs: Callable[[], Any]
) -> None:
    if name == "scipy.stats.mannwhitneyu":
        given = {**given, "y": [it + 0.01 for it in Y]}
    agree(run_counterpart(name, given), theirs(), 1e-8)


@pytest.mark.parametrize("method", ["normal", "wilson", "beta", "agresti_coull", "jeffreys"])
def test_intervals_of_proportions_are_those_of_statsmodels(method: str) -> None:
    given = {"count": 7, "nobs": 30, "method": method}
    ours = run_counterpart("statsmodels.stats.proportion.proportion_confint", given)
    agree(
        list(ours.values())[-2:] if isinstance(ours, dict) else ours,
        proportion.proportion_confint(7, 30, method=method),
    )


FUNCTIONS = (
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "cbrt",
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
)
MORE = ("arctan", "sinh", "cosh", "tanh", "arcsinh", "arctanh")


@pytest.mark.parametrize("name", [*FUNCTIONS, *MORE])
def test_elementary_functions_are_those_of_numpy(name: str) -> None:
    agree(run_counterpart(f"np.{name}", {"x": 0.7}), getattr(np, name)(0.7), 1e-14)


PARAMETERS = {"loc": 0.5, "scale": 2.0, "df": 5.0, "dfn": 4.0, "dfd": 7.0, "a": 2.5, "b": 1.5, "c": 0.4, "s": 0.8}
WHOLE = {"n": 9, "p": 0.3, "mu": 2.5, "M": 20, "N": 7}
FAMILIES = sorted(
    row.name
    for row in list_all_counterparts()
    if row.library == "scipy" and row.name.count(".") == 2 and row.capability.startswith("distributions.")
)


@pytest.mark.parametrize("name", FAMILIES)
def test_distributions_are_those_of_scipy(name: str) -> None:
    _, family, method = name.split(".")
    row = find_counterpart(name)
    assert row is not None
    is_whole = "pmf" in row.capability or (method != "pdf" and family in (
        "binom", "poisson", "geom", "nbinom", "hypergeom"))  # fmt: skip
    variable = next(iter(row.arguments))
    given: dict[str, Any] = {variable: 0.3 if method in ("ppf", "isf") else 3 if is_whole else 0.7}
    for key, argument in row.arguments.items():
        if key != variable and argument.parameter is not None:
            given[key] = (
                WHOLE[key] if is_whole or (key in WHOLE and family in ("binom", "hypergeom")) else PARAMETERS[key]
            )
    if family in ("pareto", "expon") or variable == "q":
        given |= {variable: 2.5 if variable == "x" else given[variable]}
    agree(run_row(row, given), getattr(getattr(stats, family), method)(**given))


SHAPES = {
    "norm": ({"mean": 0.5, "sd": 2.0}, lambda: stats.norm(0.5, 2.0)),
    "t": ({"df": 5.0}, lambda: stats.t(5.0)),
    "chisq": ({"df": 5.0}, lambda: stats.chi2(5.0)),
    "f": ({"df1": 4.0, "df2": 7.0}, lambda: stats.f(4.0, 7.0)),
    "binom": ({"size": 9, "prob": 0.3}, lambda: stats.binom(9, 0.3)),
    "pois": ({"lambda": 2.5}, lambda: stats.poisson(2.5)),
    "exp": ({"rate": 0.4}, lambda: stats.expon(scale=2.5)),
    "gamma": ({"shape": 2.5, "rate": 4.0}, lambda: stats.gamma(2.5, scale=0.25)),
    "beta": ({"shape1": 2.5, "shape2": 1.5}, lambda: stats.beta(2.5, 1.5)),
    "unif": ({"min": 0.25, "max": 4.0}, lambda: stats.uniform(0.25, 3.75)),
    "weibull": ({"shape": 1.5, "scale": 2.0}, lambda: stats.weibull_min(1.5, scale=2.0)),
    "lnorm": ({"meanlog": 0.5, "sdlog": 0.8}, lambda: stats.lognorm(0.8, scale=math.exp(0.5))),
    "logis": ({"location": 0.5, "scale": 2.0}, lambda: stats.logistic(0.5, 2.0)),
    "cauchy": ({"location": 0.5, "scale": 2.0}, lambda: stats.cauchy(0.5, 2.0)),
    "nbinom": ({"size": 3, "prob": 0.3}, lambda: stats.nbinom(3, 0.3)),
}


@pytest.mark.parametrize("family", SHAPES)
def test_distributions_of_r_are_those_of_scipy_with_its_own_parameters(family: str) -> None:
    given, build = SHAPES[family]
    theirs, is_whole = build(), family in ("binom", "pois", "nbinom")
    at = 3 if is_whole else 0.7
    agree(run_counterpart(f"p{family}", {"q": at, **given}, "R"), theirs.cdf(at))
    agree(run_counterpart(f"p{family}", {"q": at, "lower.tail": "FALSE", **given}, "R"), theirs.sf(at))
    agree(run_counterpart(f"q{family}", {"p": 0.3, **given}, "R"), theirs.ppf(0.3))
    agree(run_counterpart(f"q{family}", {"p": 0.3, "lower.tail": "FALSE", **given}, "R"), theirs.isf(0.3))
    agree(run_counterpart(f"d{family}", {"x": at, **given}, "R"), theirs.pmf(at) if is_whole else theirs.pdf(at))


# R 4 reference manual, ?sleep and ?t.test: extra sleep of ten patients under two drugs, and what R prints of them.
FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def test_t_tests_of_r_are_those_that_it_prints_of_its_sleep_data() -> None:
    welch = run_counterpart("t.test", {"x": FIRST, "y": SECOND}, "R")
    assert [round(welch["statistic"], 4), round(welch["df"], 3), round(welch["pvalue"], 5)] == [
        -1.8608,
        17.776,
        0.07939,
    ]
    paired = run_counterpart("t.test", {"x": FIRST, "y": SECOND, "paired": "TRUE"}, "R")
    assert [round(paired["statistic"], 4), round(paired["pvalue"], 6)] == [-4.0621, 0.002833]


VALUES, GROUPS = [1.0, 2.0, 2.0, 5.0, 6.0, 3.0, 8.0, 9.0, 9.0], [0, 0, 0, 1, 1, 1, 2, 2, 2]
SAMPLES = [VALUES[:3], VALUES[3:6], VALUES[6:]]
BLOCKS = [[1.0, 2.0, 3.0], [2.0, 2.0, 4.0], [5.0, 3.0, 6.0], [1.0, 4.0, 2.0], [2.5, 2.0, 2.5]]
KNOTS, HEIGHTS = [0.0, 1.0, 2.5, 4.0, 5.0], [1.0, 0.5, 3.0, 2.0, 2.5]
LONG = [*X, *Y, 3.0, 1.25, 6.5, 2.0]
RESIDUALS = sm.OLS(Y, sm.add_constant(X)).fit().resid
# What takes its arguments in another shape there, so that it is run here by its own: `scipy.stats.kruskal(*samples)`.
SHAPED: list[tuple[str, list[Any], Callable[[], Any]]] = [
    ("scipy.stats.kruskal", [VALUES, GROUPS], lambda: read_test(stats.kruskal(*SAMPLES))),
    ("scipy.stats.levene", [VALUES, GROUPS, "median"], lambda: read_test(stats.levene(*SAMPLES))),
    ("scipy.stats.bartlett", [VALUES, GROUPS], lambda: read_test(stats.bartlett(*SAMPLES))),
    ("scipy.stats.f_oneway", [VALUES, GROUPS], lambda: read_test(stats.f_oneway(*SAMPLES))),
    ("oneway.test", [VALUES, GROUPS], lambda: read_test(stats.f_oneway(*SAMPLES, equal_var=False))),
    ("scipy.stats.friedmanchisquare", [BLOCKS], lambda: read_test(stats.friedmanchisquare(*np.transpose(BLOCKS)))),
    ("scipy.stats.anderson", [X], lambda: stats.anderson(X, method="interpolate").statistic),
    ("scipy.stats.somersd", [SCORES, SCORES[::-1]], lambda: stats.somersd(SCORES, SCORES[::-1]).statistic),
    ("scipy.stats.fisher_exact", [5, 9, 12, 4, "two-sided"], lambda: stats.fisher_exact([[5, 9], [12, 4]]).pvalue),
    (
        "scipy.interpolate.CubicSpline",
        [KNOTS, HEIGHTS, 4.4],
        lambda: scipy.interpolate.CubicSpline(KNOTS, HEIGHTS)(4.4),
    ),
    (
        "scipy.interpolate.CubicSpline",
        [KNOTS, HEIGHTS, 0.3],
        lambda: scipy.interpolate.CubicSpline(KNOTS, HEIGHTS)(0.3),
    ),
    (
        "scipy.interpolate.Akima1DInterpolator",
        [KNOTS, HEIGHTS, 1.3],
        lambda: scipy.interpolate.Akima1DInterpolator(KNOTS, HEIGHTS)(1.3),
    ),
    ("scipy.interpolate.interp1d", [KNOTS, HEIGHTS, 1.3], lambda: np.interp(1.3, KNOTS, HEIGHTS)),
    (
        "statsmodels.stats.diagnostic.het_breuschpagan",
        [[[1.0, each] for each in X], [float(each) for each in RESIDUALS]],
        lambda: dict(
            zip(("statistic", "pvalue"), diagnostic.het_breuschpagan(RESIDUALS, sm.add_constant(X)), strict=False)
        ),
    ),
    ("statsmodels.tsa.stattools.kpss", [LONG, 1], lambda: stattools.kpss(LONG, regression="c", nlags=1)[0]),
    ("statsmodels.tsa.stattools.kpss", [LONG, 3], lambda: stattools.kpss(LONG, regression="c", nlags=3)[0]),
    (
        "statsmodels.stats.diagnostic.het_arch",
        [LONG, 2],
        lambda: dict(zip(("statistic", "pvalue"), diagnostic.het_arch(np.asarray(LONG), nlags=2), strict=False)),
    ),
    (
        "statsmodels.stats.diagnostic.acorr_ljungbox",
        [LONG, 4, 1],
        lambda: dict(
            zip(
                ("statistic", "pvalue"),
                diagnostic.acorr_ljungbox(LONG, lags=[4], model_df=1).to_numpy()[0],
                strict=True,
            )
        ),
    ),
    (
        "Box.test",
        [LONG, 4, 1],
        lambda: dict(
            zip(
                ("statistic", "pvalue"),
                diagnostic.acorr_ljungbox(LONG, lags=[4], model_df=1, boxpierce=True).to_numpy()[0][2:],
                strict=True,
            )
        ),
    ),
    (
        "statsmodels.stats.proportion.proportions_ztest",
        [12, 40, 25, 50],
        lambda: dict(zip(("statistic", "pvalue"), proportion.proportions_ztest([12, 25], [40, 50]), strict=True)),
    ),
    ("np.linalg.slogdet", [M], lambda: {"sign": 1.0, "logarithm": np.linalg.slogdet(M)[1]}),
    ("scipy.linalg.logm", [M], lambda: scipy.linalg.logm(M)),
    ("scipy.linalg.solve_sylvester", [M, M, M], lambda: scipy.linalg.solve_sylvester(M, M, M)),
    ("scipy.fft.dct", [X], lambda: scipy.fft.dct(X)),
    ("scipy.signal.savgol_coeffs", [5, 2], lambda: scipy.signal.savgol_coeffs(5, 2)),
    ("scipy.integrate.romb", [[*X, 2.0], 0.5], lambda: scipy.integrate.romb([*X, 2.0], dx=0.5)),
    ("scipy.stats.entropy", [[1.0, 2.0], math.e], lambda: stats.entropy([1.0, 2.0])),
    ("np.polynomial.polynomial.polyfit", [X, Y, 2], lambda: np.polynomial.polynomial.polyfit(X, Y, 2)),
    ("fivenum", [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]], lambda: dict(zip(HINGES, (1, 2, 3.5, 5, 6), strict=True))),
    ("fivenum", [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]], lambda: dict(zip(HINGES, (1, 2.5, 4, 5.5, 7), strict=True))),
]
HINGES = ("minimum", "lower_hinge", "median", "upper_hinge", "maximum")  # R 4 reference manual, ?fivenum: Tukey's


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "given", "theirs"), SHAPED, ids=[f"{name}-{at}" for at, (name, *_) in enumerate(SHAPED)]
)
def test_a_counterpart_of_another_shape_gives_the_value_of_the_other_library(
    name: str, given: list[Any], theirs: Callable[[], Any]
) -> None:
    row = find_counterpart(name)
    assert row is not None
    assert row.is_same
    agree(
        RUN.execute(row.capability, [read(each, "string" if isinstance(each, str) else "") for each in given]),
        theirs(),
        1e-8,
    )


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("scipy.stats.chi2_contingency", {"correction": "False"}),
        ("scipy.stats.mannwhitneyu", {"method": "exact"}),
        ("chisq.test", {"correct": "FALSE"}),
        ("pd.Series.ewm.mean", {"adjust": "False"}),
        ("statsmodels.tsa.stattools.pacf", {"method": "ldb"}),
        ("statsmodels.stats.multitest.multipletests", {"method": "holm"}),
    ],
)
def test_a_default_of_another_definition_is_no_counterpart(name: str, settings: dict[str, str]) -> None:
    usual, stated = find_counterpart(name), find_counterpart(name, settings)
    assert usual is not None
    assert stated is not None
    assert usual.difference
    assert (usual.is_same, stated.is_same) == (False, True)


def test_what_differs_differs_as_it_is_said() -> None:
    assert abs(np.sinc(0.3) - RUN.execute("elementary.sinc", [0.3 * math.pi])) < 1e-15
    fitted = RUN.execute("stats.polynomial_fit", [np.asarray(X), np.asarray(Y), 2])
    agree(fitted, np.polyfit(X, Y, 2)[::-1], 1e-8)
    agree(RUN.execute("polynomials.evaluate", [np.asarray([1.0, 2.0, 3.0]), 0.5]), np.polyval([3.0, 2.0, 1.0], 0.5))
    assert (
        abs(RUN.execute("stats.mad_std", [np.asarray(X)]) / RUN.execute("stats.mad", [np.asarray(X)]) - 1.4826) < 1e-5
    )
    agree(2 * RUN.execute("distributions.student_t_sf", [1.96, 60.0]), 2 * stats.t.sf(1.96, 60))
    agree(
        RUN.execute("embeddings.cosine_similarity", [np.asarray(X), np.asarray(Y)]),
        1 - scipy.spatial.distance.cosine(X, Y),
    )
    assert statistics.mode([3.0, 3.0, 1.0, 1.0]) == 3.0
    assert RUN.execute("stats.mode", [np.asarray([3.0, 3.0, 1.0, 1.0])]) == 1.0
