"""Nozzles of proptools, with the exact gas constant."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from oracle import OracleTable
from proptools import nozzle
from scipy.constants import R

nozzle.R_univ = R  # theirs has four digits
TABLE = OracleTable("proptools-rocket", version("proptools-rocket"))
_GAS = {
    "heat_capacity_ratio": (1.1, 1.6),
    "molar_mass": (0.002, 0.04),
    "chamber_temperature": (1500, 3500),
    "temperature": (300, 3500),
    "chamber_pressure": (2e6, 9e6),
    "exit_pressure": (1e4, 9e5),
    "area_ratio": (1.2, 50),
    "exit_ratio": (0.005, 0.2),
    "ambient_ratio": (0, 0.1),
    "pressure": (1e5, 9e6),
}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"proptools.nozzle.{function}", compute, **{"within": 1e-9, "draws": _GAS, **more})


_add(
    "rocketry.characteristic_velocity",
    "c_star",
    lambda chamber_temperature, heat_capacity_ratio, molar_mass: nozzle.c_star(
        heat_capacity_ratio, molar_mass, chamber_temperature
    ),
)
_add(
    "rocketry.choked_mass_flow",
    "mass_flow",
    lambda throat_area, pressure, heat_capacity_ratio, molar_mass, temperature: nozzle.mass_flow(
        throat_area, pressure, temperature, heat_capacity_ratio, molar_mass
    ),
)
_add(
    "rocketry.thrust_coefficient",
    "thrust_coef",
    lambda heat_capacity_ratio, exit_ratio, ambient_ratio, area_ratio: nozzle.thrust_coef(
        1.0, exit_ratio, heat_capacity_ratio, p_a=ambient_ratio, er=area_ratio
    ),
)
_add(
    "rocketry.nozzle_exhaust_speed",
    "thrust",
    lambda heat_capacity_ratio, chamber_temperature, molar_mass, exit_pressure, chamber_pressure: (
        nozzle.thrust(1.0, chamber_pressure, exit_pressure, heat_capacity_ratio)
        / nozzle.mass_flow(1.0, chamber_pressure, chamber_temperature, heat_capacity_ratio, molar_mass)
    ),
    asked="at matched pressure, divided by proptools.nozzle.mass_flow",
)
_add(
    "aerodynamics.supersonic_mach_from_area_ratio",
    "mach_from_er",
    lambda area_ratio, heat_capacity_ratio: nozzle.mach_from_er(area_ratio, heat_capacity_ratio),
    within=1e-6,
)
_add(
    "aerodynamics.subsonic_mach_from_area_ratio",
    "mach_from_area_subsonic",
    lambda area_ratio, heat_capacity_ratio: float(nozzle.mach_from_area_subsonic(area_ratio, heat_capacity_ratio)),
    within=1e-6,
)
