"""Effect sizes, tables and tests by rank of statsmodels."""

# fmt: off
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import statsmodels
from oracle import OracleTable
from statsmodels.formula.api import ols
from statsmodels.sandbox.stats import runs
from statsmodels.stats import anova, dist_dependence_measures, gof, oneway, proportion, weightstats

TABLE = OracleTable("statsmodels", statsmodels.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"statsmodels.{function}", compute, **{"within": 1e-9, "near_zero": 1e-13, **more})


GROUPS = {"f": (0.5, 9), "df_between": (1, 5), "df_within": (5, 60), "eta_squared": (0.02, 0.9)}
_add("hypothesis.eta_squared", "stats.oneway._fstat2effectsize", lambda f, df_between, df_within: oneway._fstat2effectsize(f, (df_between, df_within)).eta2, draws=GROUPS, asked="eta2")
_add("hypothesis.omega_squared", "stats.oneway._fstat2effectsize", lambda f, df_between, df_within: oneway._fstat2effectsize(f, (df_between, df_within)).omega2, draws=GROUPS, asked="omega2")
_add("hypothesis.cohen_f_from_eta_squared", "stats.oneway.convert_effectsize_fsqu", lambda eta_squared: math.sqrt(oneway.convert_effectsize_fsqu(eta2=eta_squared).f2), draws=GROUPS, asked="root of f2")


def _share(drawn: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name in ("alternative", "null"):
        parts = [0.1 + abs(each) for each in drawn[name]]
        shares = [round(each / sum(parts), 3) for each in parts]
        found[name] = [*shares[:-1], round(1 - sum(shares[:-1]), 3)]
    return found


_add("hypothesis.cohen_w", "stats.gof.chisquare_effectsize", lambda alternative, null: gof.chisquare_effectsize(np.array(null), np.array(alternative)), draws={"k": (3, 5)}, prepare=_share)
TAILS = {"two-sided": "two-sided", "less": "smaller", "greater": "larger"}
_add("hypothesis.z_test_one_sample", "stats.weightstats._zstat_generic2", lambda values, mean, std, alternative: dict(zip(("statistic", "pvalue"), weightstats._zstat_generic2(np.mean(values) - mean, std / math.sqrt(len(values)), TAILS[alternative]), strict=True)), draws={"n": (4, 9), "mean": (-2, 2), "std": (1, 4)})
_add("hypothesis.z_test_two_sample", "stats.weightstats._zstat_generic2", lambda first, second, first_std, second_std, alternative: dict(zip(("statistic", "pvalue"), weightstats._zstat_generic2(np.mean(first) - np.mean(second), math.hypot(first_std / math.sqrt(len(first)), second_std / math.sqrt(len(second))), TAILS[alternative]), strict=True)), draws={"n": (4, 9), "m": (4, 9), "first_std": (1, 4), "second_std": (1, 4)})
_add("hypothesis.correlation_difference_test", "stats.weightstats._zstat_generic2", lambda first, first_size, second, second_size: dict(zip(("statistic", "pvalue"), weightstats._zstat_generic2(np.arctanh(first) - np.arctanh(second), math.sqrt(1 / (first_size - 3) + 1 / (second_size - 3)), "two-sided"), strict=True)), draws={"first": (-0.9, 0.9), "second": (-0.9, 0.9), "first_size": (5, 90), "second_size": (5, 90)}, asked="of arctanh")
_add("hypothesis.runs_test", "sandbox.stats.runs.runstest_1samp", lambda signs: {"runs": len(runs.Runs(np.array(signs)).runs), **dict(zip(("statistic", "pvalue"), runs.runstest_1samp(signs, cutoff=0.5, correction=False), strict=True))}, draws={"n": (8, 16)}, asked="without correction")
_add("stats.distance_correlation", "stats.dist_dependence_measures.distance_correlation", lambda x, y: dist_dependence_measures.distance_correlation(np.array(x), np.array(y)), draws={"n": (4, 8)})
_add("stats.sum_of_squares", "stats.weightstats.DescrStatsW", lambda values: weightstats.DescrStatsW(values).sumsquares, asked="sumsquares")
_add("stats.pooled_variance", "stats.weightstats.CompareMeans", lambda first, second: (lambda found: found.std_meandiff_pooledvar**2 / (1 / len(first) + 1 / len(second)))(weightstats.CompareMeans(weightstats.DescrStatsW(first), weightstats.DescrStatsW(second))), draws={"m": (3, 7), "n": (3, 7)}, asked="pooled")


def _analyze(table: list[list[float]]) -> dict[str, float]:
    rows = [(i, j, value) for i, row in enumerate(table) for j, value in enumerate(row)]
    frame = pd.DataFrame(rows, columns=["row", "column", "value"])
    found = anova.anova_lm(ols("value ~ C(row) + C(column)", frame).fit())["sum_sq"]
    return {"rows": found["C(row)"], "columns": found["C(column)"], "error": found["Residual"], "total": found.sum()}


_add("experiments.two_way_sums_of_squares", "stats.anova.anova_lm", _analyze, draws={"m": (2, 4), "n": (2, 4)}, within=1e-8, near_zero=1e-11)
_add("experiments.size_for_proportions", "stats.proportion.samplesize_proportions_2indep_onetail", lambda first, second, alpha, power: math.ceil(proportion.samplesize_proportions_2indep_onetail(first - second, second, power, alpha=alpha)), draws={"first": (0.1, 0.4), "second": (0.5, 0.9), "alpha": (0.01, 0.1), "power": (0.7, 0.95)}, asked="rounded up")
