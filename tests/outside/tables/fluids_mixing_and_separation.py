"""Separators and mixers, by fluids."""

from __future__ import annotations

import fluids
from fluids import mixing, separator
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "mixing_and_separation.souders_brown_speed",
    "fluids.separator.v_Souders_Brown",
    lambda k_factor, liquid_density, gas_density: separator.v_Souders_Brown(k_factor, liquid_density, gas_density),
    draws={"k_factor": [0.03, 0.12], "liquid_density": [500.0, 1100.0], "gas_density": [1.0, 80.0]},
)
TABLE.add(
    "mixing_and_separation.droplet_k_factor",
    "fluids.separator.K_Souders_Brown_theoretical",
    lambda droplet_diameter, drag_coefficient: separator.K_Souders_Brown_theoretical(
        droplet_diameter, drag_coefficient
    ),
    draws={"droplet_diameter": [0.0001, 0.001], "drag_coefficient": [0.4, 5.0]},
)
TABLE.add(
    "mixing_and_separation.york_k_factor",
    "fluids.separator.K_separator_demister_York",
    lambda pressure: separator.K_separator_demister_York(pressure * 6894.757293168361) / 0.3048,
    draws={"pressure": [2.0, 8.0, 14.0, 20.0, 35.0, 60.0, 300.0, 1500.0, 5000.0, 6000.0]},
)
TABLE.add(
    "mixing_and_separation.watkins_k_factor",
    "fluids.separator.K_separator_Watkins",
    lambda vapor_fraction, liquid_density, gas_density: (
        separator.K_separator_Watkins(vapor_fraction, liquid_density, gas_density, method="branan") / 0.3048
    ),
    asked="branan",
    draws={"vapor_fraction": [0.1, 0.95], "liquid_density": [500.0, 1100.0], "gas_density": [1.0, 80.0]},
)
TABLE.add(
    "mixing_and_separation.helical_ribbon_power_constant",
    "fluids.mixing.Kp_helical_ribbon_Rieger",
    lambda impeller_diameter, ribbon_height, ribbons, pitch, width, tank_diameter: mixing.Kp_helical_ribbon_Rieger(
        impeller_diameter, ribbon_height, ribbons, pitch, width, tank_diameter
    ),
    draws={
        "impeller_diameter": [0.3, 0.9],
        "ribbon_height": [0.5, 1.5],
        "ribbons": [1, 3],
        "pitch": [0.3, 1.0],
        "width": [0.03, 0.1],
        "tank_diameter": [1.0, 3.0],
    },
)
TABLE.add(
    "mixing_and_separation.helical_ribbon_blend_time",
    "fluids.mixing.time_helical_ribbon_Grenville",
    lambda power_constant, speed: mixing.time_helical_ribbon_Grenville(power_constant, speed),
    draws={"power_constant": [100.0, 500.0], "speed": [0.5, 3.0]},
)
TABLE.add(
    "mixing_and_separation.static_mixer_variation",
    "fluids.mixing.COV_motionless_mixer",
    lambda variation_ratio, main_flow, added_flow, diameters: mixing.COV_motionless_mixer(
        variation_ratio, main_flow, added_flow, diameters
    ),
    draws={
        "variation_ratio": [0.3, 0.9],
        "main_flow": [0.01, 0.1],
        "added_flow": [0.0005, 0.009],
        "diameters": [1.0, 10.0],
    },
)
