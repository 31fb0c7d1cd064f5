"""Yes/no forecasts and ensembles."""

from __future__ import annotations

import scores
import xarray as xr
from oracle import OracleTable
from scores import continuous, probability
from scores.categorical import BasicContingencyManager, relative_economic_value_from_rates


def count(method):
    """Return a score of the four counts."""

    def compute(hits, false_alarms, misses, correct_negatives=0):
        counts = {
            "tp_count": hits,
            "fp_count": false_alarms,
            "fn_count": misses,
            "tn_count": correct_negatives,
            "total_count": hits + false_alarms + misses + correct_negatives,
        }
        manager = BasicContingencyManager({name: xr.DataArray(float(each)) for name, each in counts.items()})
        return getattr(manager, method)().item()

    return compute


def series(values):
    """Make an array of forecasts or observations."""
    return xr.DataArray(values, dims=["time"])


def ensemble(members):
    """Make an array of members."""
    return xr.DataArray([members], dims=["time", "member"])


TABLE = OracleTable("scores", scores.__version__)
TABLE.add(
    "forecast_verification.frequency_bias",
    "scores.categorical.BasicContingencyManager.frequency_bias",
    count("frequency_bias"),
)
TABLE.add(
    "forecast_verification.event_base_rate", "scores.categorical.BasicContingencyManager.base_rate", count("base_rate")
)
TABLE.add(
    "forecast_verification.forecast_rate",
    "scores.categorical.BasicContingencyManager.forecast_rate",
    count("forecast_rate"),
)
TABLE.add(
    "forecast_verification.equitable_threat_score",
    "scores.categorical.BasicContingencyManager.equitable_threat_score",
    count("equitable_threat_score"),
    near_zero=1e-15,
)
TABLE.add(
    "forecast_verification.symmetric_extremal_dependence_index",
    "scores.categorical.BasicContingencyManager.symmetric_extremal_dependence_index",
    count("symmetric_extremal_dependence_index"),
    near_zero=1e-14,
)
TABLE.add(
    "forecast_verification.relative_economic_value",
    "scores.categorical.relative_economic_value_from_rates",
    lambda hit_rate, false_alarm_rate, base_rate, cost_loss_ratio: relative_economic_value_from_rates(
        xr.DataArray(hit_rate), xr.DataArray(false_alarm_rate), xr.DataArray(base_rate), [cost_loss_ratio]
    ).values.ravel()[0],
    near_zero=1e-13,
)
TABLE.add(
    "forecast_verification.multiplicative_bias",
    "scores.continuous.multiplicative_bias",
    lambda forecast, observed: continuous.multiplicative_bias(series(forecast), series(observed)).item(),
    within=1e-11,
    near_zero=1e-13,
)
TABLE.add(
    "forecast_verification.percent_bias",
    "scores.continuous.pbias",
    lambda forecast, observed: continuous.pbias(series(forecast), series(observed)).item(),
    within=1e-10,
    near_zero=1e-11,
)
TABLE.add(
    "forecast_verification.flip_flop_index",
    "scores.continuous.flip_flop_index",
    lambda forecast: continuous.flip_flop_index(series(forecast), "time").item(),
    near_zero=1e-14,
)
TABLE.add(
    "forecast_verification.share_within_tolerance",
    "scores.continuous.percent_within_x",
    lambda forecast, observed, tolerance: continuous.percent_within_x(
        series(forecast), series(observed), tolerance
    ).item(),
)
TABLE.add(
    "forecast_verification.fair_crps",
    "scores.probability.crps_for_ensemble",
    lambda members, observed: probability.crps_for_ensemble(
        ensemble(members), series([observed]), "member", method="fair"
    ).item(),
    asked="fair",
    near_zero=1e-14,
)
TABLE.add(
    "forecast_verification.fair_ensemble_brier_score",
    "scores.probability.brier_score_for_ensemble",
    lambda members, observed, threshold: probability.brier_score_for_ensemble(
        ensemble(members), series([observed]), "member", threshold
    ).item(),
    near_zero=1e-15,
)
TABLE.add(
    "forecast_verification.ensemble_brier_score",
    "scores.probability.brier_score_for_ensemble",
    lambda members, observed, threshold: probability.brier_score_for_ensemble(
        ensemble(members), series([observed]), "member", threshold, fair_correction=False
    ).item(),
    asked="no fair correction",
    near_zero=1e-15,
)
TABLE.add(
    "forecast_verification.upper_tail_crps",
    "scores.probability.tail_tw_crps_for_ensemble",
    lambda members, observed, threshold: probability.tail_tw_crps_for_ensemble(
        ensemble(members), series([observed]), "member", threshold, tail="upper"
    ).item(),
    asked="upper tail",
    near_zero=1e-14,
)
TABLE.add(
    "forecast_verification.lower_tail_crps",
    "scores.probability.tail_tw_crps_for_ensemble",
    lambda members, observed, threshold: probability.tail_tw_crps_for_ensemble(
        ensemble(members), series([observed]), "member", threshold, tail="lower"
    ).item(),
    asked="lower tail",
    near_zero=1e-14,
)
