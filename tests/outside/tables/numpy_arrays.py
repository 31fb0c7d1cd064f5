"""Sums, norms and products of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import polynomial
from oracle import OracleTable

TABLE = OracleTable("numpy", np.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"numpy.{function}", compute, **{"within": 1e-10, "near_zero": 1e-13, **more})


def _add_function(ours: str, theirs: str) -> None:
    function = getattr(np, theirs)
    _add(f"elementary.{ours}", theirs, function, near_zero=0.0)


_add("stats.median", "median", np.median)
_add("stats.mean", "mean", np.mean)
_add("stats.sum", "sum", np.sum)
_add("stats.range", "ptp", np.ptp)
_add("stats.cumulative_sum", "cumsum", np.cumsum)
_add("stats.std_population", "std", np.std)
_add("stats.variance_population", "var", np.var)
_add("stats.variance", "var", lambda values: np.var(values, ddof=1), asked="ddof 1")
_add("stats.covariance", "cov", lambda x, y: np.cov(x, y)[0, 1])
_add("stats.covariance_population", "cov", lambda x, y: np.cov(x, y, ddof=0)[0, 1], asked="ddof 0")
_add("stats.covariance_matrix", "cov", lambda table: np.cov(table, rowvar=False), asked="rowvar False")
_add("stats.correlation_matrix", "corrcoef", lambda table: np.corrcoef(table, rowvar=False), asked="rowvar False")
_add(
    "stats.weighted_mean",
    "average",
    lambda values, weights: np.average(values, weights=weights),
    draws={"weights": (0.5, 3)},
)
_add("linalg.dot", "dot", np.dot)
_add("linalg.cross", "cross", np.cross, draws={"n": (3, 3)})
_add("linalg.outer", "outer", np.outer)
_add("linalg.trace", "trace", np.trace)
_add("linalg.matrix_product", "matmul", np.matmul)
_add("linalg.matrix_vector", "matmul", np.matmul)
_add("linalg.condition_number", "linalg.cond", np.linalg.cond, within=1e-8)
_add(
    "linalg.log_determinant",
    "linalg.slogdet",
    lambda matrix: dict(zip(("sign", "logarithm"), np.linalg.slogdet(matrix), strict=True)),
)
_add("linalg.norm_1", "linalg.norm", lambda matrix: np.linalg.norm(matrix, 1), asked="order 1")
_add("linalg.norm_2", "linalg.norm", lambda matrix: np.linalg.norm(matrix, 2), asked="order 2")
_add("linalg.norm_inf", "linalg.norm", lambda matrix: np.linalg.norm(matrix, np.inf), asked="order inf")
_add("linalg.norm_frobenius", "linalg.norm", np.linalg.norm)
_add("linalg.norm_nuclear", "linalg.norm", lambda matrix: np.linalg.norm(matrix, "nuc"), asked="order 'nuc'")
_add("linalg.norm_p", "linalg.norm", np.linalg.norm, draws={"order": (1, 6)})
_add("linalg.vandermonde", "vander", lambda nodes: np.vander(nodes, increasing=True), asked="increasing")
_add("signal_processing.dft", "fft.fft", lambda signal: [[each.real, each.imag] for each in np.fft.fft(signal)])
_add(
    "interpolation.linear",
    "interp",
    lambda x, y, at: np.interp(at, x, y),
    prepare=lambda drawn: drawn | {"x": sorted(drawn["x"]), "at": min(drawn["x"]) + 0.1},
)
_add(
    "stats.least_squares",
    "linalg.lstsq",
    lambda design, response: np.linalg.lstsq(design, response)[0],
    draws={"m": (9, 12), "n": (2, 3)},
    within=1e-8,
)
_add(
    "stats.polynomial_fit",
    "polynomial.polynomial.polyfit",
    polynomial.polyfit,
    draws={"n": (9, 12), "degree": (1, 3)},
    within=1e-7,
)
for _ours, _theirs in {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atanh": "arctanh",
    "cbrt": "cbrt",
    "cos": "cos",
    "cosh": "cosh",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
}.items():
    _add_function(_ours, _theirs)
_add("elementary.atan2", "arctan2", np.arctan2)
_add("elementary.hypot", "hypot", np.hypot)
_add(
    "elementary.power",
    "power",
    np.power,
    draws={"base": (0.3, 5), "exponent": (-3, 4)},
)
_add("elementary.log_add_exp", "logaddexp", np.logaddexp)
_add("elementary.sinc", "sinc", lambda x: np.sinc(x / np.pi), asked="at x / pi")
_add("elementary.product", "prod", np.prod)
_add("elementary.sum", "sum", np.sum)
_add(
    "calculus.trapezoid",
    "trapezoid",
    lambda x, y: np.trapezoid(y, x),
    prepare=lambda drawn: drawn | {"x": sorted(drawn["x"])},
)
_add("calculus.finite_differences", "diff", np.diff, draws={"order": (1, 3)})
_add("polynomials.multiply", "polynomial.polynomial.polymul", polynomial.polymul)
_add("polynomials.add", "polynomial.polynomial.polyadd", polynomial.polyadd)
_add(
    "polynomials.derivative",
    "polynomial.polynomial.polyder",
    polynomial.polyder,
    draws={"order": (1, 1)},
)
_add("polynomials.antiderivative", "polynomial.polynomial.polyint", polynomial.polyint)
_add(
    "polynomials.evaluate", "polynomial.polynomial.polyval", lambda coefficients, x: polynomial.polyval(x, coefficients)
)
_add(
    "polynomials.evaluate_many",
    "polynomial.polynomial.polyval",
    lambda coefficients, points: polynomial.polyval(points, coefficients),
)
_add("polynomials.from_roots", "polynomial.polynomial.polyfromroots", polynomial.polyfromroots)
