"""Scores of forecasts of scores."""

# fmt: off
from __future__ import annotations

import scores
import xarray as xr
from oracle import OracleTable
from scores import continuous, probability

TABLE = OracleTable("scores", scores.__version__)
TABLE.add("metrics.crps_ensemble", "scores.probability.crps_for_ensemble", lambda members, observed: float(probability.crps_for_ensemble(xr.DataArray(members, dims="member"), xr.DataArray(observed), "member", method="ecdf")), draws={"n": (3, 8)}, asked="ecdf", within=1e-10, near_zero=1e-13)
TABLE.add("metrics.mean_interval_score", "scores.continuous.interval_score", lambda actual, lower, upper, miss: float(continuous.interval_score(xr.DataArray(lower), xr.DataArray(upper), xr.DataArray(actual), 1 - miss)["total"]), draws={"n": (3, 7), "miss": (0.05, 0.3)}, prepare=lambda drawn: drawn | {"upper": [low + abs(high) for low, high in zip(drawn["lower"], drawn["upper"], strict=True)]}, within=1e-10)
