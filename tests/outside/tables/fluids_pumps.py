"""Pumps and their motors, by fluids."""

from __future__ import annotations

import fluids
from fluids import pump
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "pumps.centrifugal_pump_efficiency",
    "fluids.pump.Corripio_pump_efficiency",
    lambda flow_rate: pump.Corripio_pump_efficiency(flow_rate / 15850.323),
    within=1e-11,
    draws={"flow_rate": [60.0, 4000.0]},
)
TABLE.add(
    "pumps.electric_motor_efficiency",
    "fluids.pump.Corripio_motor_efficiency",
    lambda shaft_power: pump.Corripio_motor_efficiency(shaft_power * 745.69987),
    within=1e-11,
    draws={"shaft_power": [2.0, 1000.0]},
)
