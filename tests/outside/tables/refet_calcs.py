"""Pieces of reference evapotranspiration, by refet."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from oracle import OracleTable
from refet import calcs

TABLE = OracleTable("refet", version("refet"))
TABLE.add(
    "evapotranspiration.wind_at_two_metres",
    "refet.calcs.wind_height_adjust",
    lambda wind_speed, height: float(np.ravel(calcs.wind_height_adjust(np.array([wind_speed]), height))[0]),
    draws={"wind_speed": [0.5, 12], "height": [1.5, 20]},
)
