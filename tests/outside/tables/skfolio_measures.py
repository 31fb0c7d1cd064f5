"""Measures of risk of skfolio."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
from oracle import OracleTable
from skfolio import Portfolio, measures

TABLE = OracleTable("skfolio", version("skfolio"))
DRAWS = {"values": (50, 150), "n": (4, 9), "returns": (-0.1, 0.1), "confidence": (0.6, 0.95)}
RETURNS: dict[str, Any] = {}


def _change(values: list[float]) -> Any:
    return np.diff([values[0], *values]) / np.array([values[0], *values[:-1]])


def _remember(drawn: dict[str, Any]) -> dict[str, Any]:
    """Returns that have a covariance, in the place of one that was drawn."""
    size = len(drawn["weights"])
    returns = np.random.default_rng(round(1000 * sum(drawn["weights"]))).normal(0, 0.05, (12, size))
    drawn |= {"weights": (np.array(drawn["weights"]) / sum(drawn["weights"])).tolist(), "covariance": np.atleast_2d(np.cov(returns, rowvar=False)).tolist()}
    RETURNS[str(drawn["weights"])] = returns
    return drawn


TABLE.add("risk.drawdowns", "skfolio.measures.get_drawdowns", lambda values: -measures.get_drawdowns(_change(values), compounded=True), draws=DRAWS, within=1e-10, near_zero=1e-13, asked="compounded, with the other sign")
TABLE.add("risk.ulcer_index", "skfolio.measures.ulcer_index", lambda values: measures.ulcer_index(measures.get_drawdowns(_change(values), compounded=True)), draws=DRAWS, within=1e-10, near_zero=1e-13, asked="of the compounded drawdowns")
TABLE.add("risk.historical_expected_shortfall", "skfolio.measures.cvar", lambda returns, confidence: measures.cvar(np.array(returns), beta=confidence), draws=DRAWS, within=1e-10, near_zero=1e-13)
TABLE.add("portfolio.diversification_ratio", "skfolio.Portfolio.diversification", lambda weights, covariance: Portfolio(RETURNS[str(weights)], weights=np.array(weights)).diversification, prepare=_remember, draws={"weights": (0.1, 1), "n": (2, 5)}, within=1e-10, asked="of returns that have the covariance")
