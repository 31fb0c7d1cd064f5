"""Returns and risks of empyrical."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

import empyrical
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("empyrical-reloaded", version("empyrical-reloaded"))
RETURNS = {"returns": (-0.3, 0.4), "benchmark": (-0.3, 0.4), "market_returns": (-0.3, 0.4), "target": (-0.02, 0.05), "threshold": (-0.02, 0.05), "risk_free": (-0.01, 0.02), "n": (5, 9), "values": (50, 150)}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"empyrical.{function}", compute, **{"within": 1e-9, "near_zero": 1e-13, "draws": RETURNS, **more})


def _moves(values: Any) -> Any:
    return np.array([0.0, *empyrical.simple_returns(np.array(values))])


_add("finance.time_weighted_return", "cum_returns_final", lambda returns: empyrical.cum_returns_final(np.array(returns)))
_add("finance.mean_geometric_return", "annual_return", lambda returns: empyrical.annual_return(np.array(returns), annualization=1), asked="annualization 1")
_add("risk.maximum_drawdown", "max_drawdown", lambda values: -empyrical.max_drawdown(_moves(values)), asked="of simple_returns, less")
_add("risk.sharpe_ratio", "sharpe_ratio", lambda returns, risk_free: empyrical.sharpe_ratio(np.array(returns), risk_free, annualization=1), asked="annualization 1")
_add("risk.sortino_ratio", "sortino_ratio", lambda returns, target: empyrical.sortino_ratio(np.array(returns), target, annualization=1), asked="annualization 1")
_add("risk.downside_deviation", "downside_risk", lambda returns, target: empyrical.downside_risk(np.array(returns), target, annualization=1), asked="annualization 1")
_add("risk.omega_ratio", "omega_ratio", lambda returns, threshold: empyrical.omega_ratio(np.array(returns), 0.0, threshold, annualization=1), asked="annualization 1")
_add("risk.information_ratio", "excess_sharpe", lambda returns, benchmark: empyrical.excess_sharpe(np.array(returns), np.array(benchmark)))
_add("portfolio.beta_of_returns", "beta", lambda returns, market_returns: empyrical.beta(np.array(returns), np.array(market_returns)))
_add("risk.jensen_alpha", "alpha", lambda returns, benchmark, risk_free: empyrical.alpha(np.array(returns), np.array(benchmark), risk_free, annualization=1), asked="annualization 1")
_add("risk.tracking_error", "annual_volatility", lambda returns, benchmark: empyrical.annual_volatility(np.array(returns) - np.array(benchmark), annualization=1), asked="of the difference, annualization 1")
_add("risk.historical_volatility", "annual_volatility", lambda prices, periods_per_year: empyrical.annual_volatility(np.diff(np.log(prices)), annualization=periods_per_year), draws=RETURNS | {"prices": (80, 120), "periods_per_year": [12.0, 52.0, 252.0]}, asked="of log returns")
_add("risk.treynor_ratio", "beta", lambda returns, benchmark, risk_free: (np.mean(returns) - risk_free) / empyrical.beta(np.array(returns), np.array(benchmark)), asked="mean excess return over it")
