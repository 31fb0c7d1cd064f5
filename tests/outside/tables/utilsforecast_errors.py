"""Scaled errors of forecasts of utilsforecast."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pandas as pd
from oracle import OracleTable
from utilsforecast import losses

TABLE = OracleTable("utilsforecast", version("utilsforecast"))
DRAWS = {"actual": (5, 90), "predicted": (5, 90), "training": (5, 90), "lower": (5, 40), "upper": (41, 90), "n": (3, 6), "t": (8, 14), "season": (1, 4)}


def _frame(**columns: Any) -> pd.DataFrame:
    size = len(next(iter(columns.values())))
    return pd.DataFrame({"unique_id": ["one"] * size, "ds": range(size), **columns})


def _value(frame: pd.DataFrame, name: str = "model") -> float:
    return float(frame[name].iloc[0])


def _mase(actual: Any, predicted: Any, training: Any, season: int) -> float:
    return _value(losses.mase(_frame(y=actual, model=predicted), ["model"], season, _frame(y=training)))


def _rmsse(actual: Any, predicted: Any, training: Any) -> float:
    return _value(losses.rmsse(_frame(y=actual, model=predicted), ["model"], 1, _frame(y=training)))


TABLE.add("metrics.mean_absolute_scaled_error", "utilsforecast.losses.mase", _mase, draws=DRAWS, within=1e-11)
TABLE.add("metrics.root_mean_squared_scaled_error", "utilsforecast.losses.rmsse", _rmsse, draws=DRAWS, within=1e-11)
TABLE.add("metrics.weighted_absolute_percentage_error", "utilsforecast.losses.nd", lambda actual, predicted: _value(losses.nd(_frame(y=actual, model=predicted), ["model"])), draws=DRAWS, within=1e-11)
TABLE.add("metrics.interval_coverage", "utilsforecast.losses.coverage", lambda actual, lower, upper: _value(losses.coverage(_frame(y=actual, **{"model-lo-90": lower, "model-hi-90": upper}), ["model"], 90)), draws=DRAWS, within=1e-11)
