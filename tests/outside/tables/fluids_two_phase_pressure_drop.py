"""Pressure drop of two-phase flow, by fluids."""

from __future__ import annotations

import fluids
from fluids import two_phase
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "two_phase_flow.lockhart_martinelli_pressure_drop",
    "fluids.two_phase.Lockhart_Martinelli",
    lambda mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, length: (
        two_phase.Lockhart_Martinelli(
            mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, L=length
        )
    ),
    within=1e-09,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "gas_density": [1.0, 60.0],
        "liquid_viscosity": [0.0001, 0.002],
        "gas_viscosity": [1e-05, 2e-05],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
TABLE.add(
    "two_phase_flow.friedel_pressure_drop",
    "fluids.two_phase.Friedel",
    lambda mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, surface_tension, diameter, length: (
        two_phase.Friedel(
            mass_flow_rate,
            quality,
            liquid_density,
            gas_density,
            liquid_viscosity,
            gas_viscosity,
            surface_tension,
            diameter,
            L=length,
        )
    ),
    within=1e-09,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "gas_density": [1.0, 60.0],
        "liquid_viscosity": [0.0001, 0.002],
        "gas_viscosity": [1e-05, 2e-05],
        "surface_tension": [0.005, 0.07],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
TABLE.add(
    "two_phase_flow.chisholm_pressure_drop",
    "fluids.two_phase.Chisholm",
    lambda mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, length: (
        two_phase.Chisholm(
            mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, L=length
        )
    ),
    within=1e-09,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "gas_density": [1.0, 60.0],
        "liquid_viscosity": [0.0001, 0.002],
        "gas_viscosity": [1e-05, 2e-05],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
TABLE.add(
    "two_phase_flow.muller_steinhagen_heck_pressure_drop",
    "fluids.two_phase.Muller_Steinhagen_Heck",
    lambda mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, length: (
        two_phase.Muller_Steinhagen_Heck(
            mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, L=length
        )
    ),
    within=1e-09,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "gas_density": [1.0, 60.0],
        "liquid_viscosity": [0.0001, 0.002],
        "gas_viscosity": [1e-05, 2e-05],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
TABLE.add(
    "two_phase_flow.gronnerud_pressure_drop",
    "fluids.two_phase.Gronnerud",
    lambda mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, length: (
        two_phase.Gronnerud(
            mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, L=length
        )
    ),
    within=1e-09,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "gas_density": [1.0, 60.0],
        "liquid_viscosity": [0.0001, 0.002],
        "gas_viscosity": [1e-05, 2e-05],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
TABLE.add(
    "two_phase_flow.theissing_pressure_drop",
    "fluids.two_phase.Theissing",
    lambda mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, length: (
        two_phase.Theissing(
            mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, L=length
        )
    ),
    within=1e-08,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "gas_density": [1.0, 60.0],
        "liquid_viscosity": [0.0001, 0.002],
        "gas_viscosity": [1e-05, 2e-05],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
TABLE.add(
    "two_phase_flow.zhang_webb_pressure_drop",
    "fluids.two_phase.Zhang_Webb",
    lambda mass_flow_rate, quality, liquid_density, liquid_viscosity, pressure, critical_pressure, diameter, length: (
        two_phase.Zhang_Webb(
            mass_flow_rate, quality, liquid_density, liquid_viscosity, pressure, critical_pressure, diameter, L=length
        )
    ),
    within=1e-09,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "liquid_viscosity": [0.0001, 0.002],
        "pressure": [500000.0, 2000000.0],
        "critical_pressure": [3000000.0, 5000000.0],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
TABLE.add(
    "two_phase_flow.kim_mudawar_pressure_drop",
    "fluids.two_phase.Kim_Mudawar",
    lambda mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, surface_tension, diameter, length: (
        two_phase.Kim_Mudawar(
            mass_flow_rate,
            quality,
            liquid_density,
            gas_density,
            liquid_viscosity,
            gas_viscosity,
            surface_tension,
            diameter,
            L=length,
        )
    ),
    within=1e-09,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "gas_density": [1.0, 60.0],
        "liquid_viscosity": [0.0001, 0.002],
        "gas_viscosity": [1e-05, 2e-05],
        "surface_tension": [0.005, 0.07],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
TABLE.add(
    "two_phase_flow.mishima_hibiki_pressure_drop",
    "fluids.two_phase.Mishima_Hibiki",
    lambda mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, length: (
        two_phase.Mishima_Hibiki(
            mass_flow_rate,
            quality,
            liquid_density,
            gas_density,
            liquid_viscosity,
            gas_viscosity,
            0.05,
            diameter,
            L=length,
        )
    ),
    within=1e-09,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "gas_density": [1.0, 60.0],
        "liquid_viscosity": [0.0001, 0.002],
        "gas_viscosity": [1e-05, 2e-05],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
TABLE.add(
    "two_phase_flow.tran_pressure_drop",
    "fluids.two_phase.Tran",
    lambda mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, surface_tension, diameter, length: (
        two_phase.Tran(
            mass_flow_rate,
            quality,
            liquid_density,
            gas_density,
            liquid_viscosity,
            gas_viscosity,
            surface_tension,
            diameter,
            L=length,
        )
    ),
    within=1e-09,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "gas_density": [1.0, 60.0],
        "liquid_viscosity": [0.0001, 0.002],
        "gas_viscosity": [1e-05, 2e-05],
        "surface_tension": [0.005, 0.07],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
TABLE.add(
    "two_phase_flow.jung_radermacher_pressure_drop",
    "fluids.two_phase.Jung_Radermacher",
    lambda mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, length: (
        two_phase.Jung_Radermacher(
            mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, diameter, L=length
        )
    ),
    within=1e-09,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "gas_density": [1.0, 60.0],
        "liquid_viscosity": [0.0001, 0.002],
        "gas_viscosity": [1e-05, 2e-05],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
TABLE.add(
    "two_phase_flow.lombardi_pedrocchi_pressure_drop",
    "fluids.two_phase.Lombardi_Pedrocchi",
    lambda mass_flow_rate, quality, liquid_density, gas_density, surface_tension, diameter, length: (
        two_phase.Lombardi_Pedrocchi(
            mass_flow_rate, quality, liquid_density, gas_density, surface_tension, diameter, L=length
        )
    ),
    within=1e-09,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "gas_density": [1.0, 60.0],
        "surface_tension": [0.005, 0.07],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
TABLE.add(
    "two_phase_flow.xu_fang_pressure_drop",
    "fluids.two_phase.Xu_Fang",
    lambda mass_flow_rate, quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity, surface_tension, diameter, length: (
        two_phase.Xu_Fang(
            mass_flow_rate,
            quality,
            liquid_density,
            gas_density,
            liquid_viscosity,
            gas_viscosity,
            surface_tension,
            diameter,
            L=length,
        )
    ),
    within=1e-09,
    draws={
        "mass_flow_rate": [0.02, 1.0],
        "quality": [0.05, 0.95],
        "liquid_density": [600.0, 1100.0],
        "gas_density": [1.0, 60.0],
        "liquid_viscosity": [0.0001, 0.002],
        "gas_viscosity": [1e-05, 2e-05],
        "surface_tension": [0.005, 0.07],
        "diameter": [0.01, 0.1],
        "length": [1.0, 20.0],
    },
)
