"""Layers and moisture of air of MetPy."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

from metpy import calc, constants
from metpy.units import units
from oracle import OracleTable

TABLE = OracleTable("MetPy", version("MetPy"))
DRAWS = {"temperature": (230, 310), "virtual_temperature": (230, 310), "pressure": (50000, 100000), "reference_pressure": (100000.0, 100000.0), "lower_pressure": (80000, 100000), "upper_pressure": (20000, 70000), "gas_constant_dry": (280, 290), "vapour_pressure": (50, 3500)}


def _thicken(gas_constant_dry: float, virtual_temperature: float, lower_pressure: float, upper_pressure: float) -> float:
    layer = calc.thickness_hydrostatic(units.Quantity([lower_pressure, upper_pressure], "Pa"), units.Quantity([virtual_temperature] * 2, "K"))
    return float(layer.m_as("m")) * gas_constant_dry / float(constants.Rd.m_as("J/(kg*K)"))


def _mix(pressure: float, vapour_pressure: float) -> Any:
    return calc.mixing_ratio(vapour_pressure * units.Pa, pressure * units.Pa, molecular_weight_ratio=0.622)


TABLE.add("meteorology.hypsometric_thickness", "metpy.calc.thickness_hydrostatic", _thicken, draws=DRAWS, within=1e-6, asked="of one temperature, times the ratio of the gas constants")
TABLE.add("meteorology.mixing_ratio", "metpy.calc.mixing_ratio", lambda **given: float(_mix(**given).m_as("")), draws=DRAWS, within=1e-11, asked="ratio of molecular weights 0.622")
TABLE.add("meteorology.virtual_temperature", "metpy.calc.virtual_temperature", lambda temperature, vapour_pressure, pressure: float(calc.virtual_temperature(temperature * units.K, _mix(pressure, vapour_pressure), molecular_weight_ratio=0.622).m_as("K")), draws=DRAWS, within=1e-11, asked="of the mixing ratio; ratio of molecular weights 0.622")
TABLE.add("meteorology.potential_temperature", "metpy.calc.potential_temperature", lambda temperature, pressure, reference_pressure: float(calc.potential_temperature(pressure * units.Pa, temperature * units.K).m_as("K")), draws=DRAWS, within=1e-6, asked="to 1000 hPa")
TABLE.add("meteorology.dew_point", "metpy.calc.dewpoint", lambda vapour_pressure: float(calc.dewpoint(vapour_pressure * units.Pa).m_as("degC")), draws=DRAWS, within=1e-6)
