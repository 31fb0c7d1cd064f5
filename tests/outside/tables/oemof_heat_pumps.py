"""Heat pumps and chillers of oemof.thermal."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from oemof.thermal.compression_heatpumps_and_chillers import calc_cops
from oracle import OracleTable

TABLE = OracleTable("oemof-thermal", version("oemof.thermal"))
DRAWS = {"hot_temperature": (290, 400), "cold_temperature": (230, 280)}


def _perform(mode: str, hot_temperature: float, cold_temperature: float) -> float:
    return float(calc_cops(mode=mode, temp_high=[hot_temperature - 273.15], temp_low=[cold_temperature - 273.15], quality_grade=1)[0])


for _capability, _mode in [("carnot_heat_pump_performance", "heat_pump"), ("carnot_refrigerator_performance", "chiller")]:
    TABLE.add(f"refrigeration.{_capability}", "oemof.thermal.compression_heatpumps_and_chillers.calc_cops", lambda hot_temperature, cold_temperature, _mode=_mode: _perform(_mode, hot_temperature, cold_temperature), asked=f"mode {_mode} of quality 1, in degrees Celsius", draws=DRAWS, within=1e-9)
