"""The inequality of Kolm and Pollak by inequalipy."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from inequalipy import kolmpollak
from oracle import OracleTable

TABLE = OracleTable("inequalipy", version("inequalipy"))
DRAWS = {"n": [3, 9], "values": [1.0, 60.0], "aversion": [0.005, 0.2]}

TABLE.add(
    "inequality.kolm_equivalent",
    "inequalipy.kolmpollak.ede",
    lambda values, aversion: float(kolmpollak.ede(np.array(values), kappa=aversion)),
    draws=DRAWS,
)
TABLE.add(
    "inequality.kolm_index",
    "inequalipy.kolmpollak.index",
    lambda values, aversion: -float(kolmpollak.index(np.array(values), kappa=aversion)),
    draws=DRAWS,
    asked="its negative, as for what is wanted",
    within=1e-9,
)
