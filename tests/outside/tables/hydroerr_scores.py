"""Scores of simulated series."""

from __future__ import annotations

from importlib.metadata import version

import HydroErr
from oracle import OracleTable

TABLE = OracleTable("HydroErr", version("HydroErr"))
TABLE.add(
    "hydrology_scores.modified_kling_gupta_efficiency",
    "HydroErr.kge_2012",
    HydroErr.kge_2012,
    within=1e-10,
    near_zero=1e-13,
)
TABLE.add(
    "hydrology_scores.legates_mccabe_efficiency", "HydroErr.lm_index", HydroErr.lm_index, within=1e-10, near_zero=1e-13
)
TABLE.add(
    "hydrology_scores.relative_nash_sutcliffe_efficiency",
    "HydroErr.nse_rel",
    HydroErr.nse_rel,
    within=1e-10,
    near_zero=1e-13,
)
TABLE.add("hydrology_scores.absolute_agreement_index", "HydroErr.d1", HydroErr.d1, within=1e-10, near_zero=1e-13)
TABLE.add("hydrology_scores.refined_agreement_index", "HydroErr.dr", HydroErr.dr, within=1e-10, near_zero=1e-13)
TABLE.add("hydrology_scores.relative_agreement_index", "HydroErr.drel", HydroErr.drel, within=1e-10, near_zero=1e-13)
TABLE.add("hydrology_scores.normalized_euclidean_distance", "HydroErr.ned", HydroErr.ned, within=1e-10, near_zero=1e-13)
TABLE.add(
    "hydrology_scores.inertia_root_mean_squared_error", "HydroErr.irmse", HydroErr.irmse, within=1e-10, near_zero=1e-13
)
TABLE.add("hydrology_scores.rmse_over_mean", "HydroErr.nrmse_mean", HydroErr.nrmse_mean, within=1e-10, near_zero=1e-13)
TABLE.add(
    "hydrology_scores.rmse_over_range", "HydroErr.nrmse_range", HydroErr.nrmse_range, within=1e-10, near_zero=1e-13
)
TABLE.add(
    "hydrology_scores.mean_arctangent_absolute_percentage_error",
    "HydroErr.maape",
    HydroErr.maape,
    within=1e-10,
    near_zero=1e-13,
)
TABLE.add("hydrology_scores.mean_squared_log_error", "HydroErr.msle", HydroErr.msle, within=1e-10, near_zero=1e-13)
TABLE.add(
    "hydrology_scores.root_mean_squared_log_error", "HydroErr.rmsle", HydroErr.rmsle, within=1e-10, near_zero=1e-13
)
TABLE.add("hydrology_scores.mean_absolute_log_error", "HydroErr.male", HydroErr.male, within=1e-10, near_zero=1e-13)
TABLE.add("hydrology_scores.volumetric_efficiency", "HydroErr.ve", HydroErr.ve, within=1e-10, near_zero=1e-13)
TABLE.add("hydrology_scores.watterson_m", "HydroErr.watt_m", HydroErr.watt_m, within=1e-09, near_zero=1e-12)
TABLE.add("hydrology_scores.spectral_correlation_angle", "HydroErr.sc", HydroErr.sc, within=1e-08, near_zero=1e-13)
TABLE.add("hydrology_scores.spectral_gradient_angle", "HydroErr.sga", HydroErr.sga, within=1e-08, near_zero=1e-13)
TABLE.add("hydrology_scores.mielke_berry_r", "HydroErr.mb_r", HydroErr.mb_r, within=1e-10, near_zero=1e-13)
