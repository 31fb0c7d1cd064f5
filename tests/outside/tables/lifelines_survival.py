"""Survival estimates of lifelines."""

# fmt: off
from __future__ import annotations

from typing import Any

import lifelines
import numpy as np
from lifelines import utils
from oracle import OracleTable

TABLE = OracleTable("lifelines", lifelines.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(f"survival.{capability}", f"lifelines.{function}", compute, **{"within": 1e-9, "near_zero": 1e-12, "draws": {"n": (6, 10), "times": (0.5, 9), "at": (1, 8), "horizon": (2, 8), "level": (0.8, 0.99)}, **more})


def _fit(times: Any, events: Any, level: float = 0.95) -> Any:
    return lifelines.KaplanMeierFitter(alpha=1 - level).fit(times, events)


_add("survival_at", "KaplanMeierFitter.survival_function_at_times", lambda times, events, at: float(_fit(times, events).survival_function_at_times(at).iloc[0]))
_add("restricted_mean", "utils.restricted_mean_survival_time", lambda times, events, horizon: utils.restricted_mean_survival_time(_fit(times, events), horizon))
_add("concordance_index", "utils.concordance_index", lambda times, events, scores: utils.concordance_index(times, -np.array(scores), events), asked="of the negative scores")


def _interval(times: Any, events: Any, at: float, level: float) -> dict[str, float]:
    ends = _fit(times, events, level).confidence_interval_
    row = ends[ends.index <= at].iloc[-1]
    return {"low": float(row.iloc[0]), "high": float(row.iloc[1])}


_add("survival_interval", "KaplanMeierFitter.confidence_interval_", _interval)
