"""Weights of portfolios and returns by views of PyPortfolioOpt."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
from oracle import OracleTable
from pypfopt import black_litterman

TABLE = OracleTable("pyportfolioopt", version("pyportfolioopt"))


def _spread(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make a covariance of whatever matrix was drawn."""
    size = len(drawn["covariance"])
    root = np.array(drawn["covariance"]) / 4
    return drawn | {"covariance": (root @ root.T + np.diag([0.02] * size)).round(6).tolist()}


def _join(equilibrium: list[float], covariance: Any, tau: float, views: Any, view_returns: Any, view_variances: Any) -> Any:
    model = black_litterman.BlackLittermanModel(
        pd.DataFrame(covariance), pi=np.array(equilibrium), Q=np.array(view_returns), P=np.array(views),
        omega=np.diag(view_variances), tau=tau,
    )
    return list(map(float, model.bl_returns()))


TABLE.add("portfolio.black_litterman_returns", "pypfopt.black_litterman.BlackLittermanModel.bl_returns", _join, prepare=_spread, draws={"equilibrium": (0.01, 0.12), "covariance": (-1, 1), "tau": (0.02, 0.5), "views": (-1, 1), "view_returns": (-0.05, 0.1), "view_variances": (0.001, 0.05), "n": (2, 4), "k": (1, 3)}, within=1e-9)
