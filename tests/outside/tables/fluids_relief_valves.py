"""Safety valves by API 520, by fluids."""

from __future__ import annotations

import fluids
from fluids import safety_valve
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "relief_valves.critical_flow_coefficient",
    "fluids.safety_valve.API520_C",
    lambda heat_capacity_ratio: safety_valve.API520_C(heat_capacity_ratio),
    draws={"heat_capacity_ratio": [1.05, 1.67]},
)
TABLE.add(
    "relief_valves.subcritical_flow_coefficient",
    "fluids.safety_valve.API520_F2",
    lambda heat_capacity_ratio, relieving_pressure, back_pressure: safety_valve.API520_F2(
        heat_capacity_ratio, relieving_pressure, back_pressure
    ),
    within=1e-11,
    draws={"heat_capacity_ratio": [1.05, 1.67], "relieving_pressure": [500.0, 600.0], "back_pressure": [400.0, 495.0]},
)
TABLE.add(
    "relief_valves.gas_relief_area",
    "fluids.safety_valve.API520_A_g",
    lambda mass_flow_rate, temperature, compressibility, molar_mass, heat_capacity_ratio, relieving_pressure, discharge_coefficient, back_pressure_factor, disk_factor: (
        safety_valve.API520_A_g(
            mass_flow_rate / 3600.0,
            temperature,
            compressibility,
            molar_mass,
            heat_capacity_ratio,
            relieving_pressure * 1e3,
            101325.0,
            discharge_coefficient,
            back_pressure_factor,
            disk_factor,
        )
        * 1e6
    ),
    draws={
        "mass_flow_rate": [500.0, 50000.0],
        "temperature": [290.0, 500.0],
        "compressibility": [0.8, 1.0],
        "molar_mass": [16.0, 80.0],
        "heat_capacity_ratio": [1.05, 1.67],
        "relieving_pressure": [500.0, 3000.0],
        "discharge_coefficient": [0.9, 1.0],
        "back_pressure_factor": [0.7, 1.0],
        "disk_factor": [0.9, 1.0, 1.0],
    },
)
TABLE.add(
    "relief_valves.subcritical_gas_relief_area",
    "fluids.safety_valve.API520_A_g",
    lambda mass_flow_rate, temperature, compressibility, molar_mass, heat_capacity_ratio, relieving_pressure, back_pressure, discharge_coefficient, disk_factor: (
        safety_valve.API520_A_g(
            mass_flow_rate / 3600.0,
            temperature,
            compressibility,
            molar_mass,
            heat_capacity_ratio,
            relieving_pressure * 1e3,
            back_pressure * 1e3,
            discharge_coefficient,
            1.0,
            disk_factor,
        )
        * 1e6
    ),
    within=1e-11,
    draws={
        "mass_flow_rate": [500.0, 50000.0],
        "temperature": [290.0, 500.0],
        "compressibility": [0.8, 1.0],
        "molar_mass": [16.0, 80.0],
        "heat_capacity_ratio": [1.05, 1.67],
        "relieving_pressure": [500.0, 600.0],
        "back_pressure": [400.0, 495.0],
        "discharge_coefficient": [0.9, 1.0],
        "disk_factor": [0.9, 1.0, 1.0],
    },
)
TABLE.add(
    "relief_valves.steam_relief_area",
    "fluids.safety_valve.API520_A_steam",
    lambda mass_flow_rate, relieving_pressure, discharge_coefficient, back_pressure_factor, disk_factor, superheat_factor: (
        safety_valve.API520_A_steam(
            mass_flow_rate / 3600.0,
            450.0,
            relieving_pressure * 1e3,
            discharge_coefficient,
            back_pressure_factor,
            disk_factor,
        )
        * 1e6
    ),
    draws={
        "mass_flow_rate": [500.0, 50000.0],
        "relieving_pressure": [900.0, 20000.0],
        "discharge_coefficient": [0.9, 1.0],
        "back_pressure_factor": [0.7, 1.0],
        "disk_factor": [0.9, 1.0, 1.0],
        "superheat_factor": [1.0],
    },
)
TABLE.add(
    "relief_valves.steam_pressure_factor",
    "fluids.safety_valve.API520_N",
    lambda relieving_pressure: safety_valve.API520_N(relieving_pressure * 1e3),
    draws={"relieving_pressure": [900.0, 20000.0]},
)
TABLE.add(
    "relief_valves.liquid_relief_area",
    "fluids.safety_valve.API520_A_l",
    lambda volume_flow_rate, relative_density, relieving_pressure, back_pressure, discharge_coefficient, back_pressure_factor, disk_factor, viscosity_factor: (
        safety_valve.API520_A_l(
            volume_flow_rate / 60000.0 * relative_density * safety_valve.rho0,
            relative_density * safety_valve.rho0,
            relieving_pressure * 1e3,
            back_pressure * 1e3,
            0.1,
            discharge_coefficient,
            disk_factor,
            back_pressure_factor,
            viscosity_factor,
        )
        * 1e6
    ),
    draws={
        "volume_flow_rate": [100.0, 5000.0],
        "relative_density": [0.6, 1.2],
        "relieving_pressure": [500.0, 3000.0],
        "back_pressure": [101.325, 150.0],
        "discharge_coefficient": [0.62, 0.7],
        "back_pressure_factor": [0.7, 1.0],
        "disk_factor": [0.9, 1.0, 1.0],
        "viscosity_factor": [0.7, 1.0],
    },
)
TABLE.add(
    "relief_valves.viscosity_correction",
    "fluids.safety_valve.API520_Kv",
    lambda reynolds_number: safety_valve.API520_Kv(reynolds_number),
    draws={"reynolds_number": [100.0, 100000.0]},
)
