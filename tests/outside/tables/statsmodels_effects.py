"""Heterogeneity of studies by statsmodels."""

# fmt: off
from __future__ import annotations

import math

import numpy as np
import statsmodels
from oracle import OracleTable
from statsmodels.stats.meta_analysis import combine_effects

TABLE = OracleTable("statsmodels", statsmodels.__version__)


def _heterogeneity(q: float, studies: int) -> float:
    """Ask for effects of unit variance whose squares sum to q."""
    effects = [math.sqrt(q / 2), -math.sqrt(q / 2)] + [0.0] * (studies - 2)
    return max(0.0, float(combine_effects(np.array(effects), np.ones(studies)).i2))


TABLE.add("hypothesis.i_squared", "statsmodels.stats.meta_analysis.combine_effects", _heterogeneity, asked="i2 of effects whose squares sum to Q", draws={"q": (0.5, 40), "studies": (3, 12)}, within=1e-11, near_zero=1e-12)
