"""Properties from derivatives, and heat capacities, by chemicals."""

from __future__ import annotations

import chemicals
from chemicals import heat_capacity, utils
from oracle import OracleTable

TABLE = OracleTable("chemicals", chemicals.__version__)
TABLE.add(
    "thermodynamics.joule_thomson_coefficient",
    "chemicals.utils.Joule_Thomson",
    lambda temperature, molar_volume, isobaric_heat_capacity, expansion_coefficient: utils.Joule_Thomson(
        temperature, molar_volume, isobaric_heat_capacity, beta=expansion_coefficient
    ),
    within=1e-11,
    draws={
        "temperature": [250.0, 600.0],
        "molar_volume": [0.0005, 0.02],
        "isobaric_heat_capacity": [30.0, 150.0],
        "expansion_coefficient": [0.001, 0.01],
    },
)
TABLE.add(
    "thermodynamics.real_fluid_speed_of_sound",
    "chemicals.utils.speed_of_sound",
    lambda molar_volume, pressure_slope, isobaric_heat_capacity, isochoric_heat_capacity, molar_mass: (
        utils.speed_of_sound(
            molar_volume, pressure_slope, isobaric_heat_capacity, isochoric_heat_capacity, molar_mass * 1000
        )
    ),
    draws={
        "molar_volume": [0.0005, 0.02],
        "pressure_slope": [-1000000000.0, -10000000.0],
        "isobaric_heat_capacity": [30.0, 150.0],
        "isochoric_heat_capacity": [20.0, 120.0],
        "molar_mass": [0.016, 0.1],
    },
)
TABLE.add(
    "thermodynamics.heat_capacity_difference",
    "chemicals.utils.Cp_minus_Cv",
    lambda temperature, thermal_slope, pressure_slope: utils.Cp_minus_Cv(temperature, thermal_slope, pressure_slope),
    draws={
        "temperature": [250.0, 600.0],
        "thermal_slope": [500.0, 50000.0],
        "pressure_slope": [-1000000000.0, -10000000.0],
    },
)
TABLE.add(
    "thermodynamics.shomate_heat_capacity",
    "chemicals.heat_capacity.Shomate",
    lambda temperature, coefficient_a, coefficient_b, coefficient_c, coefficient_d, coefficient_e: (
        heat_capacity.Shomate(
            temperature,
            coefficient_a,
            coefficient_b / 1e3,
            coefficient_c / 1e6,
            coefficient_d / 1e9,
            coefficient_e * 1e6,
        )
    ),
    within=1e-11,
    draws={
        "temperature": [250.0, 600.0],
        "coefficient_a": [20.0, 60.0],
        "coefficient_b": [1.0, 50.0],
        "coefficient_c": [-20.0, 20.0],
        "coefficient_d": [-5.0, 5.0],
        "coefficient_e": [-1.0, 1.0],
    },
)
TABLE.add(
    "thermodynamics.shomate_enthalpy_change",
    "chemicals.heat_capacity.Shomate_integral",
    lambda first_temperature, second_temperature, coefficient_a, coefficient_b, coefficient_c, coefficient_d, coefficient_e: (
        heat_capacity.Shomate_integral(
            second_temperature,
            coefficient_a,
            coefficient_b / 1e3,
            coefficient_c / 1e6,
            coefficient_d / 1e9,
            coefficient_e * 1e6,
        )
        - heat_capacity.Shomate_integral(
            first_temperature,
            coefficient_a,
            coefficient_b / 1e3,
            coefficient_c / 1e6,
            coefficient_d / 1e9,
            coefficient_e * 1e6,
        )
    ),
    within=1e-10,
    draws={
        "first_temperature": [298.15, 400.0],
        "second_temperature": [450.0, 1000.0],
        "coefficient_a": [20.0, 60.0],
        "coefficient_b": [1.0, 50.0],
        "coefficient_c": [-20.0, 20.0],
        "coefficient_d": [-5.0, 5.0],
        "coefficient_e": [-1.0, 1.0],
    },
)
