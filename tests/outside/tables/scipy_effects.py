"""Sizes of effects from statistics of SciPy's tests."""

# fmt: off
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import odr, stats

TABLE = OracleTable("scipy", scipy.__version__)
TWO = {"first_mean": (0, 20), "second_mean": (0, 20), "first_std": (1, 6), "second_std": (1, 6), "first_size": (5, 60), "second_size": (5, 60)}
TABLE.add("hypothesis.cohen_d", "scipy.stats.ttest_ind_from_stats", lambda first_mean, first_std, first_size, second_mean, second_std, second_size: float(stats.ttest_ind_from_stats(first_mean, first_std, first_size, second_mean, second_std, second_size).statistic) * math.sqrt(1 / first_size + 1 / second_size), draws=TWO, within=1e-11, near_zero=1e-13, asked="statistic times the root of 1/n1 + 1/n2")
TABLE.add("hypothesis.rank_biserial", "scipy.stats.somersd", lambda u, first_size, second_size: _oppose(u, first_size, second_size), draws={"u": (1, 60), "first_size": (6, 12), "second_size": (6, 12)}, prepare=lambda drawn: drawn | {"u": float(min(round(drawn["u"]), drawn["first_size"] * drawn["second_size"]))}, within=1e-11, near_zero=1e-13, asked="of two groups with that many favorable pairs")


def _oppose(u: float, first_size: int, second_size: int) -> float:
    """Make two groups of which u pairs are favorable to the first, and ask for Somers' D of values by group."""
    whole, part = divmod(int(u), second_size)
    second = list(range(second_size))
    first = [second_size + 0.5] * whole + ([part - 0.5] if whole < first_size else []) + [-0.5] * (first_size - whole - 1)
    return float(stats.somersd([1] * first_size + [0] * second_size, first + second).statistic)


def _line(x: list[float], y: list[float], ratio: float) -> Any:
    """Fit by orthogonal distances, the errors of y being the root of the ratio times those of x."""
    start = np.polyfit(x, y, 1)
    model = odr.Model(lambda beta, at: beta[0] * at + beta[1])
    data = odr.RealData(x, y, sx=np.ones(len(x)), sy=np.full(len(x), math.sqrt(ratio)))
    fitted = odr.ODR(data, model, beta0=start, maxit=500, sstol=1e-15, partol=1e-15).run().beta
    return {"slope": float(fitted[0]), "intercept": float(fitted[1])}


TABLE.add("stats.deming_regression", "scipy.odr.ODR", _line, draws={"x": (0, 20), "y": (0, 20), "ratio": (0.3, 3), "n": (6, 9)}, prepare=lambda drawn: drawn | {"y": [round(2 * a + b / 4, 3) for a, b in zip(drawn["x"], drawn["y"], strict=True)]}, within=1e-4)
