"""Wells of anaflow."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from importlib.metadata import version

import anaflow
from oracle import OracleTable

TABLE = OracleTable("anaflow", version("anaflow"))
_WELL = {
    "outer_radius": (50, 500),
    "inner_radius": (0.1, 1),
    "flow": (1e-4, 1e-1),
    "transmissivity": (1e-5, 1e-2),
    "storativity": (1e-5, 1e-2),
    "radius": (1, 50),
    "time": (1e3, 1e6),
}
TABLE.add(
    "hydrology.thiem_drawdown",
    "anaflow.thiem",
    lambda flow, transmissivity, outer_radius, inner_radius: (
        -float(anaflow.thiem([inner_radius], outer_radius, transmissivity, rate=-flow)[0])
    ),
    within=1e-9,
    draws=_WELL,
)
TABLE.add(
    "hydrology.theis_drawdown",
    "anaflow.theis",
    lambda flow, transmissivity, radius, storativity, time: (
        -float(anaflow.theis([time], [radius], storativity, transmissivity, rate=-flow).ravel()[0])
    ),
    within=1e-4,
    draws=_WELL,
)
