"""Statistics, matrices, windows and counts of SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import integrate, interpolate, linalg, optimize, signal, special, stats

TABLE = OracleTable("scipy", scipy.__version__)
USUAL, NEAR_ZERO = 1e-10, 1e-13
LONG = {"n": (9, 14), "m": (9, 14)}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"scipy.{function}", compute, **{"within": USUAL, "near_zero": NEAR_ZERO, **more})


def _result(found: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(found, name) for name in names}


def _definite(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make the drawn matrix symmetric and positive definite, in few digits."""
    matrix = np.array(drawn["matrix"])
    return drawn | {"matrix": np.round(matrix @ matrix.T + len(matrix) * np.eye(len(matrix)), 6).tolist()}


_add("stats.central_moment", "stats.moment", stats.moment, draws={"order": (2, 4)})
_add(
    "stats.coefficient_of_variation",
    "stats.variation",
    lambda values: stats.variation(values, ddof=1),
    draws={"values": (0.5, 9)},
    asked="ddof 1",
)
_add("stats.correlation", "stats.pearsonr", lambda x, y: stats.pearsonr(x, y).statistic)
_add("stats.geometric_mean", "stats.gmean", stats.gmean)
_add("stats.geometric_std", "stats.gstd", stats.gstd)
_add("stats.harmonic_mean", "stats.hmean", stats.hmean)
_add("stats.power_mean", "stats.pmean", stats.pmean, draws={"power": (-3, 3)})
_add("stats.kurtosis_excess", "stats.kurtosis", stats.kurtosis, draws=LONG)
_add("stats.skewness", "stats.skew", stats.skew)
_add("stats.mad", "stats.median_abs_deviation", stats.median_abs_deviation)
_add(
    "stats.mad_std",
    "stats.median_abs_deviation",
    lambda values: stats.median_abs_deviation(values, scale="normal"),
    asked="scale 'normal'",
)
_add(
    "stats.mode",
    "stats.mode",
    lambda values: stats.mode(values).mode,
    draws={"values": [1.5, 2.5, 3.5, 4.5], "n": (6, 12)},
)
_add("stats.spearman", "stats.spearmanr", lambda x, y: stats.spearmanr(x, y).statistic)
_add("stats.standard_error", "stats.sem", stats.sem)
_add(
    "stats.z_scores",
    "stats.zscore",
    lambda values, divisor: stats.zscore(values, ddof=int(divisor == "sample")),
)
_add("stats.ecdf", "stats.ecdf", lambda values, point: stats.ecdf(values).cdf.evaluate(point))
_add(
    "stats.l_moments",
    "stats.lmoment",
    lambda values: {f"l{n}": stats.lmoment(values, order=n, standardize=False) for n in range(1, 5)},
)
_add(
    "stats.isotonic_regression",
    "optimize.isotonic_regression",
    lambda response, weights: optimize.isotonic_regression(response, weights=weights).x,
    draws={"weights": (0.5, 3)},
)
_add(
    "hypothesis.t_test_one_sample",
    "stats.ttest_1samp",
    lambda values, mean, alternative: _result(
        stats.ttest_1samp(values, mean, alternative=alternative), "statistic", "df", "pvalue"
    ),
)
_add(
    "hypothesis.stouffer_combined",
    "stats.combine_pvalues",
    lambda pvalues, weights: _result(
        stats.combine_pvalues(pvalues, method="stouffer", weights=weights), "statistic", "pvalue"
    ),
    draws={"weights": (0.5, 3), "pvalues": (0.02, 0.9)},
    asked="method 'stouffer'",
)
_add(
    "hypothesis.kurtosis_test",
    "stats.kurtosistest",
    lambda values: _result(stats.kurtosistest(values), "statistic", "pvalue"),
    draws={"n": (20, 26)},
)
_add(
    "hypothesis.dagostino_omnibus",
    "stats.normaltest",
    lambda values: _result(stats.normaltest(values), "statistic", "pvalue"),
    draws={"n": (20, 26)},
)
_add(
    "hypothesis.anderson_darling_normal",
    "stats.anderson",
    lambda values: stats.anderson(values, "norm").statistic,
    draws=LONG,
)
_add(
    "linalg.matrix_exponential",
    "linalg.expm",
    linalg.expm,
    draws={"matrix": (-1, 1)},
    within=1e-9,
)
_add(
    "linalg.matrix_square_root",
    "linalg.sqrtm",
    lambda matrix: linalg.sqrtm(np.array(matrix)),
    prepare=_definite,
    within=1e-9,
)
_add(
    "linalg.matrix_logarithm",
    "linalg.logm",
    lambda matrix: linalg.logm(np.array(matrix)),
    prepare=_definite,
    within=1e-8,
)
_add("linalg.cholesky", "linalg.cholesky", lambda matrix: linalg.cholesky(matrix, lower=True), prepare=_definite)
_add("linalg.eigenvalues_symmetric", "linalg.eigvalsh", linalg.eigvalsh, prepare=_definite)
_add("linalg.singular_values", "linalg.svdvals", linalg.svdvals, within=1e-8)
_add(
    "linalg.sylvester_solve",
    "linalg.solve_sylvester",
    lambda a, b, c: linalg.solve_sylvester(np.array(a), np.array(b), np.array(c)),
    within=1e-7,
)
_add(
    "linalg.discrete_lyapunov_solve",
    "linalg.solve_discrete_lyapunov",
    linalg.solve_discrete_lyapunov,
    within=1e-7,
)
_add("linalg.hilbert_inverse", "linalg.invhilbert", linalg.invhilbert, draws={"n": (1, 8)})


def _add_window(ours: str, theirs: str) -> None:
    window = getattr(signal.windows, theirs)
    _add(
        f"signal_processing.{ours}_window",
        f"signal.windows.{theirs}",
        window,
        draws={"size": (2, 9)},
    )


for _name in ("hann", "hamming", "blackman", "nuttall"):
    _add_window(_name, _name)
_add_window("blackman_harris", "blackmanharris")
_add_window("flat_top", "flattop")
_add(
    "signal_processing.tukey_window",
    "signal.windows.tukey",
    signal.windows.tukey,
    draws={"size": (3, 9)},
)
_add(
    "combinatorics.binomial",
    "special.comb",
    lambda n, k: special.comb(n, k, exact=True),
    draws={"n": (0, 40), "k": (0, 20)},
    asked="exact",
)
_add(
    "combinatorics.permutations",
    "special.perm",
    lambda n, k: special.perm(n, k, exact=True),
    draws={"n": (0, 15), "k": (0, 9)},
    asked="exact",
)
_add(
    "combinatorics.multisets",
    "special.comb",
    lambda n, k: special.comb(n, k, exact=True, repetition=True),
    draws={"n": (1, 15), "k": (0, 9)},
    asked="exact, with repetition",
)
_add(
    "optimization.nonnegative_least_squares",
    "optimize.nnls",
    lambda matrix, right: optimize.nnls(np.array(matrix), right)[0],
    within=1e-8,
    near_zero=1e-11,
)
_add(
    "interpolation.akima",
    "interpolate.Akima1DInterpolator",
    lambda x, y, at: interpolate.Akima1DInterpolator(x, y)(at),
    prepare=lambda drawn: drawn | {"x": sorted(drawn["x"]), "at": sorted(drawn["x"])[1] + 0.1},
    draws=LONG,
)
_add(
    "interpolation.hermite_value",
    "interpolate.CubicHermiteSpline",
    lambda x, y, slopes, at: interpolate.CubicHermiteSpline(x, y, slopes)(at),
    prepare=lambda drawn: drawn | {"x": sorted(drawn["x"]), "at": sorted(drawn["x"])[1] + 0.1},
)
_add("elementary.exp10", "special.exp10", special.exp10)
_add("elementary.softmax", "special.softmax", special.softmax)
_add("elementary.log_softmax", "special.log_softmax", special.log_softmax)
_add("elementary.logistic", "special.expit", special.expit)
_add("elementary.log_sum_exp", "special.logsumexp", special.logsumexp)
_add("elementary.box_cox", "special.boxcox", special.boxcox)
_add("elementary.cos_degrees", "special.cosdg", special.cosdg)
_add("elementary.sin_degrees", "special.sindg", special.sindg)
_add("elementary.tan_degrees", "special.tandg", special.tandg)
_add("elementary.arithmetic_geometric_mean", "special.agm", special.agm)
_add(
    "calculus.cumulative_trapezoid",
    "integrate.cumulative_trapezoid",
    lambda x, y: integrate.cumulative_trapezoid(y, x, initial=0),
    prepare=lambda drawn: drawn | {"x": sorted(drawn["x"])},
    asked="initial 0",
)
_add(
    "calculus.simpson",
    "integrate.simpson",
    lambda values, step: integrate.simpson(values, dx=step),
    draws={"n": (5, 5)},
)
_add(
    "calculus.romberg",
    "integrate.romb",
    lambda values, step: integrate.romb(np.array(values), dx=step),
    draws={"n": (9, 9)},
)
