"""Scores of forecasts of HydroErr."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

import HydroErr as scores
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("HydroErr", version("HydroErr"))


def _add(capability: str, function: str, **more: Any) -> None:
    score = getattr(scores, function)
    TABLE.add(f"metrics.{capability}", f"HydroErr.{function}", lambda actual, predicted: score(np.array(predicted), np.array(actual)), **{"within": 1e-10, "near_zero": 1e-13, "draws": {"n": (4, 9), "actual": (0.5, 9), "predicted": (0.5, 9)}, **more})


_add("mean_bias_error", "me")
_add("kling_gupta_efficiency", "kge_2009")
_add("willmott_agreement", "d")
TABLE.add("metrics.symmetric_mape", "HydroErr.smape2", lambda actual, predicted: scores.smape2(np.array(predicted), np.array(actual)) / 100, within=1e-10, draws={"n": (4, 9), "actual": (0.5, 9), "predicted": (0.5, 9)}, asked="over 100")
TABLE.add("stats.mean_absolute_deviation", "HydroErr.mae", lambda values: scores.mae(np.array(values), np.full(len(values), np.mean(values))), within=1e-11, asked="to the mean")
