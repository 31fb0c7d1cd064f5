"""Pneumatic conveying, by fluids."""

from __future__ import annotations

import fluids
from fluids import saltation
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "particle_technology.rizk_saltation_speed",
    "fluids.saltation.Rizk",
    lambda solids_flow_rate, particle_diameter, gas_density, pipe_diameter: saltation.Rizk(
        solids_flow_rate, particle_diameter, gas_density, pipe_diameter
    ),
    draws={
        "solids_flow_rate": [0.1, 3.0],
        "particle_diameter": [0.0001, 0.005],
        "gas_density": [0.8, 3.0],
        "pipe_diameter": [0.05, 0.3],
    },
)
TABLE.add(
    "particle_technology.matsumoto_saltation_speed",
    "fluids.saltation.Matsumoto_1977",
    lambda solids_flow_rate, particle_density, particle_diameter, gas_density, pipe_diameter, terminal_speed: (
        saltation.Matsumoto_1977(
            solids_flow_rate, particle_density, particle_diameter, gas_density, pipe_diameter, terminal_speed
        )
    ),
    draws={
        "solids_flow_rate": [0.1, 3.0],
        "particle_density": [800.0, 3000.0],
        "particle_diameter": [0.0001, 0.005],
        "gas_density": [0.8, 3.0],
        "pipe_diameter": [0.05, 0.3],
        "terminal_speed": [0.5, 9.0],
    },
)
TABLE.add(
    "particle_technology.schade_saltation_speed",
    "fluids.saltation.Schade",
    lambda solids_flow_rate, particle_density, particle_diameter, gas_density, pipe_diameter: saltation.Schade(
        solids_flow_rate, particle_density, particle_diameter, gas_density, pipe_diameter
    ),
    draws={
        "solids_flow_rate": [0.1, 3.0],
        "particle_density": [800.0, 3000.0],
        "particle_diameter": [0.0001, 0.005],
        "gas_density": [0.8, 3.0],
        "pipe_diameter": [0.05, 0.3],
    },
)
TABLE.add(
    "particle_technology.weber_saltation_speed",
    "fluids.saltation.Weber_saltation",
    lambda solids_flow_rate, particle_diameter, gas_density, pipe_diameter, terminal_speed: saltation.Weber_saltation(
        solids_flow_rate, 1000.0, particle_diameter, gas_density, pipe_diameter, terminal_speed
    ),
    draws={
        "solids_flow_rate": [0.1, 3.0],
        "particle_diameter": [0.0001, 0.005],
        "gas_density": [0.8, 3.0],
        "pipe_diameter": [0.05, 0.3],
        "terminal_speed": [0.5, 9.0],
    },
)
TABLE.add(
    "particle_technology.geldart_ling_saltation_speed",
    "fluids.saltation.Geldart_Ling",
    lambda solids_flow_rate, gas_density, pipe_diameter, gas_viscosity: saltation.Geldart_Ling(
        solids_flow_rate, gas_density, pipe_diameter, gas_viscosity
    ),
    draws={
        "solids_flow_rate": [0.1, 20.0],
        "gas_density": [0.8, 3.0],
        "pipe_diameter": [0.05, 0.3],
        "gas_viscosity": [1.5e-05, 3e-05],
    },
)
