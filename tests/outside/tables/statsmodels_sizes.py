"""Sizes of experiments, smoothing and skewness of statsmodels."""

# fmt: off
from __future__ import annotations

import math
from typing import Any

import numpy as np
import statsmodels
import statsmodels.api as sm
from oracle import OracleTable
from statsmodels.stats import power, proportion, stattools
from statsmodels.tsa.arima_process import ArmaProcess
from statsmodels.tsa.holtwinters import ExponentialSmoothing

TABLE = OracleTable("statsmodels", statsmodels.__version__)
DRAWS = {"first": (0.1, 0.45), "second": (0.5, 0.9), "size": (20, 200), "first_size": (20, 200), "second_size": (20, 200), "alpha": (0.01, 0.1), "power": (0.6, 0.95), "std": (0.5, 9), "margin": (0.1, 0.5), "level": (0.8, 0.99), "correlation": (0.1, 0.6),
         "hazard_ratio": (1.3, 3), "share": (0.2, 0.8), "events": (30, 300), "values": (-9, 9), "series": (-9, 20), "n": (9, 14), "period": (2, 4), "beta": (0.05, 0.9), "gamma": (0.05, 0.9), "horizon": (1, 4)}  # fmt: skip
SMOOTH = DRAWS | {"alpha": (0.1, 0.9)}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"statsmodels.{function}", compute, **{"within": 1e-9, "draws": DRAWS, **more})


# Half of a two-sided level on one side, for the tail beyond the other side is left out.
ONE_SIDE = "one side with half of the level"
SOLVE = "stats.power.NormalIndPower.solve_power"


def _detect(std: float, first_size: int, second_size: int, alpha: float, power_: float) -> float:
    return std * power.NormalIndPower().solve_power(None, first_size, alpha / 2, power_, second_size / first_size, "larger")


def _need(effect: float, alpha: float, power_: float, ratio: float = 0) -> float:
    return power.NormalIndPower().solve_power(effect, None, alpha / 2, power_, ratio, "larger")


_add("experiments.power_for_proportions", "stats.proportion.power_proportions_2indep", lambda first, second, size, alpha: proportion.power_proportions_2indep(second - first, first, size, 1, alpha / 2, 0, "larger").power, asked=ONE_SIDE)
_add("experiments.minimum_detectable_effect", SOLVE, lambda std, first_size, second_size, alpha, power: _detect(std, first_size, second_size, alpha, power), asked=f"{ONE_SIDE}, times the deviation", within=3e-5)
_add("experiments.size_for_mean_margin", SOLVE, lambda std, margin, level: math.ceil(_need(margin / std, 1 - level, 0.5)), asked=f"one sample, {ONE_SIDE}, for a power of a half, rounded up", draws=DRAWS | {"margin": (0.2, 0.5)})
_add("experiments.size_for_correlation", SOLVE, lambda correlation, alpha, power: math.ceil(_need(math.atanh(correlation), alpha, power) + 3), asked=f"one sample, {ONE_SIDE}, of Fisher's transform, with 3 more, rounded up")
_add("experiments.events_for_hazard_ratio", SOLVE, lambda hazard_ratio, share, alpha, power: math.ceil(_need(math.log(hazard_ratio), alpha, power, (1 - share) / share) / share), asked=f"{ONE_SIDE}, of the logarithm, over the share, rounded up")
_add("survival.log_rank_power", "stats.power.NormalIndPower.power", lambda hazard_ratio, events, share, alpha: power.NormalIndPower().power(math.log(hazard_ratio), share * events, alpha / 2, (1 - share) / share, "larger"), asked=f"{ONE_SIDE}, of the logarithm")
_add("stats.median_skewness", "stats.stattools.robust_skewness", lambda values: 3 * stattools.robust_skewness(np.array(values))[3] * math.sqrt(1 - 1 / len(values)), asked="three times, divisor n - 1", near_zero=1e-12)


# Smoothing from stated levels
def _follow(series: list[float], level: float, trend: float, weights: tuple[float, float], horizon: int, seasons: Any = None, gamma: float | None = None) -> Any:
    more = {} if seasons is None else {"seasonal": "add", "seasonal_periods": len(seasons), "initial_seasonal": seasons}
    model = ExponentialSmoothing(np.array(series), trend="add", initialization_method="known", initial_level=level, initial_trend=trend, **more)
    return model.fit(smoothing_level=weights[0], smoothing_trend=weights[1], smoothing_seasonal=gamma, optimized=False).forecast(horizon)


def _winter(series: list[float], alpha: float, beta: float, gamma: float, period: int, horizon: int) -> Any:
    """The first season starts the method; the season's weight is that of the error before the level has followed.

    Only the next value is compared: a whole season ahead statsmodels leaves out what the last value told of its season.
    """
    first, second = np.mean(series[:period]), np.mean(series[period : 2 * period])
    return _follow(series[period:], first, (second - first) / period, (alpha, beta), horizon, np.array(series[:period]) - first, gamma * (1 - alpha))


_add("time_series.double_exponential_smoothing", "tsa.holtwinters.ExponentialSmoothing.fit", lambda series, alpha, horizon: _follow(series[1:], series[0], 0.0, (alpha * (2 - alpha), alpha / (2 - alpha)), horizon), draws=SMOOTH, near_zero=1e-9, asked="weights of Brown")
_add("time_series.holt_winters_additive", "tsa.holtwinters.ExponentialSmoothing.fit", _winter, draws=SMOOTH | {"horizon": (1, 1)}, near_zero=1e-9, asked="with seasons")
_add("time_series.ar2_period", "tsa.arima_process.ArmaProcess.arroots", lambda first, second: 2 * math.pi / abs(np.angle(ArmaProcess([1, -first, -second], [1]).arroots[0])), draws={"first": (-0.8, 0.8), "second": (-0.95, -0.3)}, asked="a turn over the angle")


def _explain(r2: float, samples: int, predictors: int) -> float:
    """Fit observations of which the predictors explain just this part."""
    around = np.random.default_rng(samples * 100 + predictors).normal(size=(samples, predictors + 2))
    around[:, 0] = 1
    base = np.linalg.qr(around)[0]
    observed = math.sqrt(r2) * base[:, 1] + math.sqrt(1 - r2) * base[:, -1]
    return sm.OLS(observed, sm.add_constant(base[:, 1:-1], has_constant="add")).fit().rsquared_adj


_add("metrics.adjusted_r2", "regression.linear_model.OLS.fit", _explain, draws={"r2": (0.1, 0.95), "samples": (12, 60), "predictors": (1, 6)}, asked="adjusted, of observations with this part explained", near_zero=1e-12)
