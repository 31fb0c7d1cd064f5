"""Moist air of PsychroLib, which follows the ASHRAE Handbook."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import psychrolib
from oracle import OracleTable

psychrolib.SetUnitSystem(psychrolib.SI)
TABLE = OracleTable("PsychroLib", version("psychrolib"))
_AIR = {
    "temperature": (275, 320),
    "humidity_ratio": (0.001, 0.03),
    "pressure": (7e4, 1.1e5),
    "vapor_pressure": (500, 5000),
}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"psychrolib.{function}", compute, **{"within": 1e-9, "draws": _AIR, **more})


_add(
    "refrigeration.humidity_ratio",
    "GetHumRatioFromVapPres",
    lambda vapor_pressure, pressure: psychrolib.GetHumRatioFromVapPres(vapor_pressure, pressure),
)
_add(
    "refrigeration.vapor_pressure_from_humidity_ratio",
    "GetVapPresFromHumRatio",
    lambda pressure, humidity_ratio: psychrolib.GetVapPresFromHumRatio(humidity_ratio, pressure),
)
_add(
    "refrigeration.moist_air_enthalpy",
    "GetMoistAirEnthalpy",
    lambda temperature, humidity_ratio: psychrolib.GetMoistAirEnthalpy(temperature - 273.15, humidity_ratio),
)
