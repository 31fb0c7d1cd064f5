"""Convection at supercritical pressure, by ht."""

from __future__ import annotations

import ht
from ht import conv_supercritical
from oracle import OracleTable

TABLE = OracleTable("ht", ht.__version__)
TABLE.add(
    "convection.swenson_nusselt",
    "ht.conv_supercritical.Nu_Swenson",
    lambda reynolds_number, prandtl_number, wall_density, bulk_density: conv_supercritical.Nu_Swenson(
        reynolds_number, prandtl_number, wall_density, bulk_density
    ),
    draws={
        "reynolds_number": [50000.0, 500000.0],
        "prandtl_number": [0.8, 3.0],
        "wall_density": [80.0, 300.0],
        "bulk_density": [310.0, 750.0],
    },
)
TABLE.add(
    "convection.mokry_nusselt",
    "ht.conv_supercritical.Nu_Mokry",
    lambda reynolds_number, prandtl_number, wall_density, bulk_density: conv_supercritical.Nu_Mokry(
        reynolds_number, prandtl_number, wall_density, bulk_density
    ),
    draws={
        "reynolds_number": [50000.0, 500000.0],
        "prandtl_number": [0.8, 3.0],
        "wall_density": [80.0, 300.0],
        "bulk_density": [310.0, 750.0],
    },
)
TABLE.add(
    "convection.gupta_nusselt",
    "ht.conv_supercritical.Nu_Gupta",
    lambda reynolds_number, prandtl_number, wall_density, bulk_density, wall_viscosity, bulk_viscosity: (
        conv_supercritical.Nu_Gupta(
            reynolds_number, prandtl_number, wall_density, bulk_density, wall_viscosity, bulk_viscosity
        )
    ),
    draws={
        "reynolds_number": [50000.0, 500000.0],
        "prandtl_number": [0.8, 3.0],
        "wall_density": [80.0, 300.0],
        "bulk_density": [310.0, 750.0],
        "wall_viscosity": [2e-05, 5e-05],
        "bulk_viscosity": [5e-05, 0.0001],
    },
)
TABLE.add(
    "convection.bringer_smith_nusselt",
    "ht.conv_supercritical.Nu_Bringer_Smith",
    lambda reynolds_number, prandtl_number: conv_supercritical.Nu_Bringer_Smith(reynolds_number, prandtl_number),
    draws={"reynolds_number": [50000.0, 500000.0], "prandtl_number": [0.8, 3.0]},
)
TABLE.add(
    "convection.bishop_nusselt",
    "ht.conv_supercritical.Nu_Bishop",
    lambda reynolds_number, prandtl_number, wall_density, bulk_density, diameter, distance: (
        conv_supercritical.Nu_Bishop(reynolds_number, prandtl_number, wall_density, bulk_density, diameter, distance)
    ),
    draws={
        "reynolds_number": [50000.0, 500000.0],
        "prandtl_number": [0.8, 3.0],
        "wall_density": [80.0, 300.0],
        "bulk_density": [310.0, 750.0],
        "diameter": [0.005, 0.03],
        "distance": [0.1, 4.0],
    },
)
