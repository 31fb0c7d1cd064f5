"""Wind over the ground of windpowerlib."""

from __future__ import annotations

import windpowerlib
from oracle import OracleTable
from windpowerlib.wind_speed import hellman

TABLE = OracleTable("windpowerlib", windpowerlib.__version__)
TABLE.add(
    "energy.wind_at_height",
    "windpowerlib.wind_speed.hellman",
    lambda speed, height, reference_height, exponent: hellman(
        speed, reference_height, height, hellman_exponent=exponent
    ),
    draws={"height": (50, 150), "reference_height": (2, 20), "exponent": (0.05, 0.4)},
)
