"""Tests, intervals, regressions and smoothing of statsmodels."""

# fmt: off
from __future__ import annotations

import math
from typing import Any

import numpy as np
import statsmodels
import statsmodels.api as models
from oracle import OracleTable
from statsmodels.genmod.families import links
from statsmodels.stats import (
    contingency_tables,
    diagnostic,
    inter_rater,
    meta_analysis,
    multitest,
    outliers_influence,
    power,
    proportion,
    rates,
    stattools,
    weightstats,
)
from statsmodels.tsa import api as tsa
from statsmodels.tsa import arima_process
from statsmodels.tsa import stattools as series_tools

TABLE = OracleTable("statsmodels", statsmodels.__version__)
LEVEL = {"level": (0.8, 0.99)}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"statsmodels.{function}", compute, **{"within": 1e-9, "near_zero": 1e-13, **more})


def _pair(names: str, values: Any) -> dict[str, Any]:
    return dict(zip(names.split(), values, strict=True))


def _ends(values: Any) -> dict[str, Any]:
    return _pair("low high", values)


# Proportions, rates, effect sizes
COUNTS = {"trials": (10, 60), "successes": (1, 9), "size": (20, 200)}
_add("hypothesis.cohen_h", "stats.proportion.proportion_effectsize", lambda first, second: proportion.proportion_effectsize(first, second))
_add("hypothesis.proportion_z_test", "stats.proportion.proportions_ztest", lambda successes, trials, probability: _pair("statistic pvalue", proportion.proportions_ztest(successes, trials, probability, prop_var=probability)), draws=COUNTS)
_add("hypothesis.proportion_interval_wald", "stats.proportion.proportion_confint", lambda successes, trials, level: _ends(proportion.proportion_confint(successes, trials, 1 - level, "normal")), draws={"trials": (40, 60), "successes": (18, 22)} | LEVEL, asked="normal")
_add("hypothesis.proportion_interval_agresti_coull", "stats.proportion.proportion_confint", lambda successes, trials, level: _ends(proportion.proportion_confint(successes, trials, 1 - level, "agresti_coull")), draws={"trials": (40, 60), "successes": (18, 22)} | LEVEL, asked="agresti_coull")
_add("hypothesis.mcnemar", "stats.contingency_tables.mcnemar", lambda first_only, second_only: (lambda found: {"statistic": found.statistic, "pvalue": found.pvalue})(contingency_tables.mcnemar([[5, first_only], [second_only, 7]], exact=False, correction=False)), draws={"first_only": (1, 40), "second_only": (1, 40)})
_add("hypothesis.mcnemar_exact", "stats.contingency_tables.mcnemar", lambda first_only, second_only: contingency_tables.mcnemar([[5, first_only], [second_only, 7]], exact=True).pvalue, draws={"first_only": (1, 40), "second_only": (1, 40)}, asked="exact")
_add("hypothesis.poisson_test", "stats.rates.test_poisson", lambda events, expected, alternative: rates.test_poisson(events, 1, expected, method="exact-c", alternative="larger" if alternative == "greater" else "smaller").pvalue, draws={"events": (0, 15), "expected": (0.5, 14)}, asked="exact-c")
_add("hypothesis.yule_q", "stats.contingency_tables.Table2x2", lambda a, b, c, d: (lambda ratio: (ratio - 1) / (ratio + 1))(contingency_tables.Table2x2([[a, b], [c, d]]).oddsratio), draws=dict.fromkeys("abcd", (1, 30)), asked="oddsratio, less 1 over plus 1")
_add("survival.event_rate_interval", "stats.rates.confint_poisson", lambda events, time_at_risk, level: _ends(rates.confint_poisson(events, time_at_risk, "exact-c", alpha=1 - level)), draws={"events": (1, 30), "time_at_risk": (1, 40)} | LEVEL, asked="exact-c")

# Samples
_add("hypothesis.mean_interval_z", "stats.weightstats._zconfint_generic", lambda mean, std, size, level: _ends(weightstats._zconfint_generic(mean, std / math.sqrt(size), 1 - level, "two-sided")), draws={"size": (2, 90), "mean": (-9, 9), "std": (0.5, 9)} | LEVEL)
_add("hypothesis.durbin_watson", "stats.stattools.durbin_watson", lambda residuals: stattools.durbin_watson(residuals), draws={"n": (5, 12)})
_add("hypothesis.lilliefors", "stats.diagnostic.lilliefors", lambda values: diagnostic.lilliefors(values)[0], draws={"n": (6, 15)})
_add(
    "hypothesis.breusch_pagan",
    "stats.diagnostic.het_breuschpagan",
    lambda design, residuals: (lambda found, table: {"statistic": found[0], "df": len(table[0]) - 1, "pvalue": found[1]})(diagnostic.het_breuschpagan(residuals, design), design),
    draws={"n": (8, 12), "p": (2, 3)},
    prepare=lambda drawn: drawn | {"design": [[1.0, *row[1:]] for row in drawn["design"]]},
)
_add("hypothesis.bonferroni", "stats.multitest.multipletests", lambda pvalues: multitest.multipletests(pvalues, method="bonferroni")[1], asked="bonferroni")
_add("hypothesis.sidak", "stats.multitest.multipletests", lambda pvalues: multitest.multipletests(pvalues, method="sidak")[1], asked="sidak")
STUDIES = {"k": (3, 6), "variances": (0.1, 3), "effects": (-3, 3)}


def _combine(effects: list[float], variances: list[float]) -> Any:
    return meta_analysis.combine_effects(np.array(effects), np.array(variances), method_re="dl")


_add("hypothesis.fixed_effect_estimate", "stats.meta_analysis.combine_effects", lambda effects, variances: {"estimate": _combine(effects, variances).mean_effect_fe, "standard_error": _combine(effects, variances).sd_eff_w_fe}, draws=STUDIES)
_add("hypothesis.heterogeneity_q", "stats.meta_analysis.combine_effects", lambda effects, variances: (lambda found: {"statistic": found.q, "pvalue": found.test_homogeneity().pvalue})(_combine(effects, variances)), draws=STUDIES, asked="q, test_homogeneity")
_add("hypothesis.between_study_variance", "stats.meta_analysis.combine_effects", lambda effects, variances: max(0.0, _combine(effects, variances).tau2), draws=STUDIES, asked="tau2, not below 0")

# Sample sizes and power
POWER = {"alpha": (0.01, 0.1), "power": (0.7, 0.95), "share": (0.3, 0.7)}
_add("experiments.size_for_proportion_margin", "stats.proportion.samplesize_confint_proportion", lambda proportion_, margin, level: math.ceil(proportion.samplesize_confint_proportion(proportion_, margin, 1 - level)), draws={"proportion": (0.1, 0.9), "margin": (0.01, 0.1)} | LEVEL, asked="rounded up")
_add("experiments.power_for_mean_difference", "stats.power.normal_power", lambda difference, std, size, alpha: power.normal_power(difference / std, size / 2, alpha), draws={"difference": (0.2, 2), "std": (1, 3), "size": (5, 60)} | POWER, asked="with half of the size of a group")

# Agreement and regression
_add(
    "metrics.fleiss_kappa", "stats.inter_rater.fleiss_kappa", lambda ratings: inter_rater.fleiss_kappa(np.array(ratings)), draws={"n": (4, 7), "k": (2, 4)}, prepare=lambda drawn: {"ratings": [[each % 3 for each in row[:-1]] + [6 - sum(each % 3 for each in row[:-1]) if len(row) <= 4 else 0] for row in drawn["ratings"]]}
)
DESIGN = {"n": (7, 10), "p": (2, 3), "m": (7, 10)}
_add("stats.coefficient_errors", "regression.linear_model.OLS", lambda design, response: models.OLS(response, design).fit().bse, draws=DESIGN, asked="bse")
_add("stats.residuals", "regression.linear_model.OLS", lambda design, response: models.OLS(response, design).fit().resid, draws=DESIGN, asked="resid")
_add("stats.multiple_r_squared", "regression.linear_model.OLS", lambda design, response: models.OLS(response, design).fit().rsquared, draws=DESIGN, asked="rsquared, with a constant", prepare=lambda drawn: drawn | {"design": [[1.0, *row[1:]] for row in drawn["design"]]})
_add("stats.slope_through_origin", "regression.linear_model.OLS", lambda x, y: models.OLS(y, x).fit().params[0], draws={"n": (4, 9)})
_add("stats.weighted_linear_regression", "regression.linear_model.WLS", lambda x, y, weights: _pair("intercept slope", models.WLS(y, models.add_constant(x), weights).fit().params), draws={"n": (4, 9), "weights": (0.5, 4)})
_add("linalg.weighted_least_squares", "regression.linear_model.WLS", lambda matrix, right, weights: models.WLS(right, matrix, weights).fit().params, draws={"m": (6, 9), "n": (2, 3), "weights": (0.5, 4)})
_add("stats.variance_inflation_factors", "stats.outliers_influence.variance_inflation_factor", lambda table: [outliers_influence.variance_inflation_factor(models.add_constant(np.array(table)), at + 1) for at in range(len(table[0]))], draws={"n": (8, 12), "p": (2, 4)}, within=1e-8)
_add("stats.weighted_variance", "stats.weightstats.DescrStatsW", lambda values, weights: weightstats.DescrStatsW(values, weights).var, draws={"weights": (0.5, 4)}, asked="var")
_add("stats.weighted_correlation", "stats.weightstats.DescrStatsW", lambda x, y, weights: weightstats.DescrStatsW(np.column_stack([x, y]), weights).corrcoef[0, 1], draws={"weights": (0.5, 4), "n": (4, 9)}, asked="corrcoef")
_add("stats.frequency_variance", "stats.weightstats.DescrStatsW", lambda values, counts: weightstats.DescrStatsW(values, counts, ddof=1).var, draws={"counts": (1, 6)}, asked="var, ddof 1")
_add("elementary.complementary_log_log", "genmod.families.links.CLogLog", lambda p: links.CLogLog()(p))

# Time series
LONG = {"n": (8, 14), "lags": (1, 3)}
_add("time_series.autocovariance", "tsa.stattools.acovf", lambda series, lag: series_tools.acovf(series, fft=False)[lag], draws=LONG | {"lag": (0, 4)})
_add("time_series.autocorrelations", "tsa.stattools.acf", lambda series, lags: series_tools.acf(series, nlags=lags, fft=False)[1:], draws=LONG)
_add("time_series.cross_correlation", "tsa.stattools.ccf", lambda first, second, lag: series_tools.ccf(second, first, adjusted=False, fft=False)[lag], draws=LONG | {"lag": (0, 4)}, asked="not adjusted")
_add("time_series.arch_test", "stats.diagnostic.het_arch", lambda residuals, lags: (lambda found: {"statistic": found[0], "df": lags, "pvalue": found[1]})(diagnostic.het_arch(np.array(residuals), nlags=lags)), draws={"n": (15, 20), "lags": (1, 3)})
UNIT = {"coefficient": (-0.9, 0.9), "first": (-0.9, 0.9), "second": (-0.9, -0.1), "autoregressive": (-0.9, 0.9), "moving_average": (-0.9, 0.9), "innovation_variance": (0.5, 4), "frequency": (0, 0.5), "horizon": (1, 8), "lag": (1, 6)}


_add("time_series.ar1_variance", "tsa.arima_process.ArmaProcess", lambda coefficient, innovation_variance: arima_process.arma_acovf([1, -coefficient], [1], 2, innovation_variance)[0], draws=UNIT, asked="arma_acovf")
_add("time_series.ar2_variance", "tsa.arima_process.arma_acovf", lambda first, second, innovation_variance: arima_process.arma_acovf([1, -first, -second], [1], 3, innovation_variance)[0], draws=UNIT)
_add("time_series.ma1_autocorrelation", "tsa.arima_process.arma_acf", lambda coefficient: arima_process.arma_acf([1], [1, coefficient], 3)[1], draws=UNIT)
_add("time_series.arma11_autocorrelation", "tsa.arima_process.arma_acf", lambda autoregressive, moving_average, lag: arima_process.arma_acf([1, -autoregressive], [1, moving_average], 9)[lag], draws=UNIT)
_add("time_series.ar1_forecast_variance", "tsa.arima_process.arma2ma", lambda coefficient, innovation_variance, horizon: innovation_variance * float((arima_process.arma2ma([1, -coefficient], [1], horizon) ** 2).sum()), draws=UNIT, asked="sum of squares")


_add(
    "time_series.exponential_smoothing",
    "tsa.holtwinters.SimpleExpSmoothing",
    lambda series, alpha: [float(each) for each in (lambda fit: [*fit.fittedvalues[1:], fit.forecast(1)[0]])(tsa.SimpleExpSmoothing(np.array(series), initialization_method="known", initial_level=series[0]).fit(smoothing_level=alpha, optimized=False))],
    draws={"n": (5, 9), "alpha": (0.05, 0.95)},
)


def _holt(series: list[float], alpha: float, beta: float, horizon: int) -> Any:
    model = tsa.ExponentialSmoothing(np.array(series[2:]), trend="add", initialization_method="known", initial_level=series[1], initial_trend=series[1] - series[0])
    return model.fit(smoothing_level=alpha, smoothing_trend=beta, optimized=False).forecast(horizon)


_add("time_series.holt", "tsa.holtwinters.ExponentialSmoothing", _holt, draws={"n": (6, 10), "alpha": (0.05, 0.95), "beta": (0.05, 0.95), "horizon": (1, 4)}, asked="additive trend", within=1e-8)
_add(
    "time_series.difference",
    "tsa.statespace.tools.diff",
    lambda series, order, lag: models.tsa.statespace.tools.diff(np.array(series), k_diff=0, k_seasonal_diff=order, seasonal_periods=lag) if lag > 1 else models.tsa.statespace.tools.diff(np.array(series), k_diff=order),
    draws={"n": (9, 12), "order": (1, 3), "lag": (1, 3)},
)
_add("time_series.centred_moving_average", "tsa.seasonal.seasonal_decompose", lambda series, period: [float(each) for each in tsa.seasonal_decompose(np.array(series), period=period).trend if not np.isnan(each)], draws={"n": (12, 15), "period": (2, 5)}, asked="trend")
