"""Inequality of incomes by PySAL's inequality."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np
import pandas as pd
from inequality.atkinson import Atkinson, atkinson
from inequality.schutz import Schutz
from inequality.theil import Theil, TheilD
from inequality.wolfson import wolfson
from oracle import OracleTable

TABLE = OracleTable("inequality", version("inequality"))
INCOMES = {"n": [3, 9], "incomes": [5.0, 90.0], "aversion": [0.3, 0.5, 1.0, 1.5, 2.0], "groups": [0, 2]}


def split(incomes: Sequence[float], groups: Sequence[int]) -> dict[str, float]:
    """Split Theil's T by groups."""
    found = TheilD(np.array(incomes), np.array(groups))
    return {"total": float(found.T), "between": found.bg.item(), "within": found.wg.item()}


TABLE.add(
    "inequality.hoover_index",
    "inequality.schutz.Schutz",
    lambda incomes: float(Schutz(pd.DataFrame({"income": incomes}), "income").distance),
    draws=INCOMES,
)
TABLE.add(
    "inequality.wolfson_polarization",
    "inequality.wolfson.wolfson",
    lambda incomes: float(wolfson(incomes)),
    draws=INCOMES,
    within=1e-11,
)
TABLE.add(
    "inequality.atkinson_equivalent_income",
    "inequality.atkinson.Atkinson",
    lambda incomes, aversion: float(Atkinson(incomes, aversion).EDE),
    draws=INCOMES,
    asked="EDE",
)
TABLE.add(
    "inequality.theil_decomposition", "inequality.theil.TheilD", split, draws=INCOMES, within=1e-11, near_zero=1e-14
)
TABLE.add(
    "economics.atkinson_index",
    "inequality.atkinson.atkinson",
    lambda incomes, aversion: float(atkinson(incomes, aversion)),
    draws=INCOMES,
    within=1e-11,
)
TABLE.add(
    "economics.theil_index",
    "inequality.theil.Theil",
    lambda incomes: float(Theil(np.array(incomes)).T),
    draws=INCOMES,
    within=1e-11,
)
