"""The Watts index by povertyinequalitymeasures, which rounds to five decimals."""

from __future__ import annotations

from importlib.metadata import version

import pandas as pd
from oracle import OracleTable
from povertyInequalityMeasures import poverty

TABLE = OracleTable("povertyinequalitymeasures", version("povertyinequalitymeasures"))
TABLE.add(
    "inequality.watts_index",
    "povertyInequalityMeasures.poverty.get_watts_index",
    lambda incomes, poverty_line: float(
        poverty.get_watts_index(poverty_line, pd.DataFrame({"income": incomes, "one": 1.0}), "income", "one")
    ),
    draws={"n": [4, 9], "incomes": [1.0, 40.0], "poverty_line": [20.0, 30.0]},
    within=1e-4,
    near_zero=6e-6,
)
