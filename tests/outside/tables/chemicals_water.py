"""Saturation and transport properties of water, by chemicals."""

from __future__ import annotations

import chemicals
from chemicals import iapws, interface, permittivity, refractivity, thermal_conductivity, viscosity
from oracle import OracleTable

TABLE = OracleTable("chemicals", chemicals.__version__)
TABLE.add(
    "water.saturation_pressure",
    "chemicals.iapws.Psat_IAPWS",
    lambda temperature: iapws.Psat_IAPWS(temperature) / 1e6,
    within=1e-10,
    draws={"temperature": [274.0, 640.0]},
)
TABLE.add(
    "water.saturation_temperature",
    "chemicals.iapws.Tsat_IAPWS",
    lambda pressure: iapws.Tsat_IAPWS(pressure * 1e6),
    within=1e-10,
    draws={"pressure": [0.001, 21.0]},
)
TABLE.add(
    "water.saturated_liquid_density",
    "chemicals.iapws.iapws92_rhol_sat",
    lambda temperature: iapws.iapws92_rhol_sat(temperature),
    draws={"temperature": [274.0, 640.0]},
)
TABLE.add(
    "water.saturated_vapor_density",
    "chemicals.iapws.iapws92_rhog_sat",
    lambda temperature: iapws.iapws92_rhog_sat(temperature),
    within=1e-11,
    draws={"temperature": [274.0, 640.0]},
)
TABLE.add(
    "water.ice_sublimation_pressure",
    "chemicals.iapws.iapws11_Psub",
    lambda temperature: iapws.iapws11_Psub(temperature),
    within=1e-08,
    draws={"temperature": [100.0, 273.0]},
)
TABLE.add(
    "water.surface_tension",
    "chemicals.interface.sigma_IAPWS",
    lambda temperature: interface.sigma_IAPWS(temperature) * 1e3,
    draws={"temperature": [274.0, 640.0]},
)
TABLE.add(
    "water.viscosity",
    "chemicals.viscosity.mu_IAPWS",
    lambda temperature, density: viscosity.mu_IAPWS(temperature, density) * 1e6,
    within=1e-10,
    draws={"temperature": [280.0, 1000.0], "density": [1.0, 1050.0]},
)
TABLE.add(
    "water.thermal_conductivity",
    "chemicals.thermal_conductivity.k_IAPWS",
    lambda temperature, density: thermal_conductivity.k_IAPWS(temperature, density) * 1e3,
    within=1e-10,
    draws={"temperature": [280.0, 1000.0], "density": [1.0, 1050.0]},
)
TABLE.add(
    "water.relative_permittivity",
    "chemicals.permittivity.permittivity_IAPWS",
    lambda temperature, density: permittivity.permittivity_IAPWS(temperature, density),
    within=1e-05,
    draws={"temperature": [270.0, 800.0], "density": [1.0, 1050.0]},
)
TABLE.add(
    "water.refractive_index",
    "chemicals.refractivity.RI_IAPWS",
    lambda temperature, density, wavelength: refractivity.RI_IAPWS(temperature, density, wavelength * 1e-6),
    within=1e-07,
    draws={"temperature": [270.0, 700.0], "density": [1.0, 1050.0], "wavelength": [0.3, 1.8]},
)
