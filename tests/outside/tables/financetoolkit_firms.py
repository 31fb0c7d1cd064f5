"""Costs of capital and measures of portfolios of the Finance Toolkit."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

import pandas as pd
from financetoolkit.performance import performance_model
from oracle import OracleTable

TABLE = OracleTable("financetoolkit", version("financetoolkit"))
TABLE.add("finance.capm_return", "financetoolkit.performance.performance_model.get_capital_asset_pricing_model", lambda risk_free_rate, beta_factor, market_return: performance_model.get_capital_asset_pricing_model(risk_free_rate, beta_factor, market_return), draws={"risk_free_rate": (0.0, 0.06), "beta_factor": (0.3, 2.5), "market_return": (0.07, 0.15)}, within=1e-12)
TABLE.add("risk.modigliani_measure", "financetoolkit.performance.performance_model.get_m2_ratio", lambda returns, benchmark, risk_free: risk_free + float(performance_model.get_m2_ratio(pd.Series([pd.Series(returns).mean()]), risk_free, pd.Series([pd.Series(returns).std()])).iloc[0]) * pd.Series(benchmark).std(), asked="times the deviation of the benchmark, plus the riskless rate", draws={"returns": (-0.1, 0.15), "benchmark": (-0.1, 0.12), "risk_free": (0, 0.02), "n": (4, 9)}, within=1e-11)
