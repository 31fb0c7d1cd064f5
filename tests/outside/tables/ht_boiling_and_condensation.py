"""Boiling and condensation, by ht."""

from __future__ import annotations

import math

import ht
from ht import boiling_flow, boiling_nucleic, condensation
from oracle import OracleTable

TABLE = OracleTable("ht", ht.__version__)
TABLE.add(
    "boiling_and_condensation.rohsenow_boiling",
    "ht.boiling_nucleic.Rohsenow",
    lambda excess_temperature, liquid_density, gas_density, liquid_viscosity, conductivity, heat_capacity, vaporization_heat, surface_tension, surface_coefficient, prandtl_exponent, gravity: (
        boiling_nucleic.Rohsenow(
            liquid_density,
            gas_density,
            liquid_viscosity,
            conductivity,
            heat_capacity,
            vaporization_heat,
            surface_tension,
            excess_temperature,
            None,
            surface_coefficient,
            prandtl_exponent,
        )
    ),
    draws={
        "excess_temperature": [2.0, 25.0],
        "liquid_density": [400.0, 1200.0],
        "gas_density": [0.5, 60.0],
        "liquid_viscosity": [0.0001, 0.001],
        "conductivity": [0.06, 0.7],
        "heat_capacity": [1200.0, 4400.0],
        "vaporization_heat": [150000.0, 2300000.0],
        "surface_tension": [0.005, 0.06],
        "surface_coefficient": [0.003, 0.015],
        "prandtl_exponent": [0.9, 1.8],
        "gravity": [9.80665],
    },
)
TABLE.add(
    "boiling_and_condensation.cooper_boiling",
    "ht.boiling_nucleic.Cooper",
    lambda heat_flux, pressure, critical_pressure, molar_mass, roughness: boiling_nucleic.Cooper(
        pressure, critical_pressure, molar_mass, None, heat_flux, roughness * 1e-6
    ),
    draws={
        "heat_flux": [2000.0, 200000.0],
        "pressure": [90000.0, 2000000.0],
        "critical_pressure": [2100000.0, 22000000.0],
        "molar_mass": [16.0, 150.0],
        "roughness": [0.2, 5.0],
    },
)
TABLE.add(
    "boiling_and_condensation.mostinski_boiling",
    "ht.boiling_nucleic.Montinsky",
    lambda heat_flux, pressure, critical_pressure: boiling_nucleic.Montinsky(
        pressure, critical_pressure, None, heat_flux
    ),
    draws={
        "heat_flux": [2000.0, 200000.0],
        "pressure": [90000.0, 2000000.0],
        "critical_pressure": [2100000.0, 22000000.0],
    },
)
TABLE.add(
    "boiling_and_condensation.forster_zuber_boiling",
    "ht.boiling_nucleic.Forster_Zuber",
    lambda excess_temperature, excess_pressure, liquid_density, gas_density, liquid_viscosity, conductivity, heat_capacity, vaporization_heat, surface_tension: (
        boiling_nucleic.Forster_Zuber(
            liquid_density,
            gas_density,
            liquid_viscosity,
            conductivity,
            heat_capacity,
            vaporization_heat,
            surface_tension,
            excess_pressure,
            excess_temperature,
        )
    ),
    draws={
        "excess_temperature": [2.0, 25.0],
        "excess_pressure": [2000.0, 90000.0],
        "liquid_density": [400.0, 1200.0],
        "gas_density": [0.5, 60.0],
        "liquid_viscosity": [0.0001, 0.001],
        "conductivity": [0.06, 0.7],
        "heat_capacity": [1200.0, 4400.0],
        "vaporization_heat": [150000.0, 2300000.0],
        "surface_tension": [0.005, 0.06],
    },
)
TABLE.add(
    "boiling_and_condensation.mcnelly_boiling",
    "ht.boiling_nucleic.McNelly",
    lambda heat_flux, pressure, liquid_density, gas_density, conductivity, heat_capacity, vaporization_heat, surface_tension: (
        boiling_nucleic.McNelly(
            liquid_density,
            gas_density,
            conductivity,
            heat_capacity,
            vaporization_heat,
            surface_tension,
            pressure,
            None,
            heat_flux,
        )
    ),
    draws={
        "heat_flux": [2000.0, 200000.0],
        "pressure": [90000.0, 2000000.0],
        "liquid_density": [400.0, 1200.0],
        "gas_density": [0.5, 60.0],
        "conductivity": [0.06, 0.7],
        "heat_capacity": [1200.0, 4400.0],
        "vaporization_heat": [150000.0, 2300000.0],
        "surface_tension": [0.005, 0.06],
    },
)
TABLE.add(
    "boiling_and_condensation.critical_heat_flux",
    "ht.boiling_nucleic.Zuber",
    lambda liquid_density, gas_density, vaporization_heat, surface_tension, geometry_coefficient, gravity: (
        boiling_nucleic.Zuber(surface_tension, vaporization_heat, liquid_density, gas_density, geometry_coefficient)
    ),
    draws={
        "liquid_density": [400.0, 1200.0],
        "gas_density": [0.5, 60.0],
        "vaporization_heat": [150000.0, 2300000.0],
        "surface_tension": [0.005, 0.06],
        "geometry_coefficient": [0.12, 0.2],
        "gravity": [9.80665],
    },
)
TABLE.add(
    "boiling_and_condensation.mostinski_critical_heat_flux",
    "ht.boiling_nucleic.HEDH_Montinsky",
    lambda pressure, critical_pressure: boiling_nucleic.HEDH_Montinsky(pressure, critical_pressure),
    draws={"pressure": [90000.0, 2000000.0], "critical_pressure": [2100000.0, 22000000.0]},
)
TABLE.add(
    "boiling_and_condensation.lazarek_black_boiling",
    "ht.boiling_flow.Lazarek_Black",
    lambda heat_flux, mass_flux, diameter, liquid_viscosity, conductivity, vaporization_heat: (
        boiling_flow.Lazarek_Black(
            math.pi / 4 * diameter**2 * mass_flux,
            diameter,
            liquid_viscosity,
            conductivity,
            vaporization_heat,
            heat_flux,
        )
    ),
    draws={
        "heat_flux": [2000.0, 200000.0],
        "mass_flux": [50.0, 900.0],
        "diameter": [0.001, 0.03],
        "liquid_viscosity": [0.0001, 0.001],
        "conductivity": [0.06, 0.7],
        "vaporization_heat": [150000.0, 2300000.0],
    },
)
TABLE.add(
    "boiling_and_condensation.li_wu_boiling",
    "ht.boiling_flow.Li_Wu",
    lambda heat_flux, mass_flux, quality, diameter, liquid_density, gas_density, liquid_viscosity, conductivity, vaporization_heat, surface_tension, gravity: (
        boiling_flow.Li_Wu(
            math.pi / 4 * diameter**2 * mass_flux,
            quality,
            diameter,
            liquid_density,
            gas_density,
            liquid_viscosity,
            conductivity,
            vaporization_heat,
            surface_tension,
            heat_flux,
        )
    ),
    draws={
        "heat_flux": [2000.0, 200000.0],
        "mass_flux": [50.0, 900.0],
        "quality": [0.03, 0.95],
        "diameter": [0.001, 0.03],
        "liquid_density": [400.0, 1200.0],
        "gas_density": [0.5, 60.0],
        "liquid_viscosity": [0.0001, 0.001],
        "conductivity": [0.06, 0.7],
        "vaporization_heat": [150000.0, 2300000.0],
        "surface_tension": [0.005, 0.06],
        "gravity": [9.80665],
    },
)
TABLE.add(
    "boiling_and_condensation.sun_mishima_boiling",
    "ht.boiling_flow.Sun_Mishima",
    lambda heat_flux, mass_flux, diameter, liquid_density, gas_density, liquid_viscosity, conductivity, vaporization_heat, surface_tension: (
        boiling_flow.Sun_Mishima(
            math.pi / 4 * diameter**2 * mass_flux,
            diameter,
            liquid_density,
            gas_density,
            liquid_viscosity,
            conductivity,
            vaporization_heat,
            surface_tension,
            heat_flux,
        )
    ),
    draws={
        "heat_flux": [2000.0, 200000.0],
        "mass_flux": [50.0, 900.0],
        "diameter": [0.001, 0.03],
        "liquid_density": [400.0, 1200.0],
        "gas_density": [0.5, 60.0],
        "liquid_viscosity": [0.0001, 0.001],
        "conductivity": [0.06, 0.7],
        "vaporization_heat": [150000.0, 2300000.0],
        "surface_tension": [0.005, 0.06],
    },
)
TABLE.add(
    "boiling_and_condensation.yun_heo_kim_boiling",
    "ht.boiling_flow.Yun_Heo_Kim",
    lambda heat_flux, mass_flux, quality, diameter, liquid_density, liquid_viscosity, vaporization_heat, surface_tension: (
        boiling_flow.Yun_Heo_Kim(
            math.pi / 4 * diameter**2 * mass_flux,
            quality,
            diameter,
            liquid_density,
            liquid_viscosity,
            vaporization_heat,
            surface_tension,
            heat_flux,
        )
    ),
    draws={
        "heat_flux": [2000.0, 200000.0],
        "mass_flux": [50.0, 900.0],
        "quality": [0.03, 0.95],
        "diameter": [0.001, 0.03],
        "liquid_density": [400.0, 1200.0],
        "liquid_viscosity": [0.0001, 0.001],
        "vaporization_heat": [150000.0, 2300000.0],
        "surface_tension": [0.005, 0.06],
    },
)
TABLE.add(
    "boiling_and_condensation.plate_film_condensation",
    "ht.condensation.Nusselt_laminar",
    lambda temperature_difference, length, liquid_density, gas_density, liquid_viscosity, conductivity, vaporization_heat, angle, gravity: (
        condensation.Nusselt_laminar(
            400.0,
            400.0 - temperature_difference,
            gas_density,
            liquid_density,
            conductivity,
            liquid_viscosity,
            vaporization_heat,
            length,
            angle,
        )
    ),
    draws={
        "temperature_difference": [2.0, 30.0],
        "length": [0.05, 2.0],
        "liquid_density": [400.0, 1200.0],
        "gas_density": [0.5, 60.0],
        "liquid_viscosity": [0.0001, 0.001],
        "conductivity": [0.06, 0.7],
        "vaporization_heat": [150000.0, 2300000.0],
        "angle": [10.0, 90.0],
        "gravity": [9.80665],
    },
)
TABLE.add(
    "boiling_and_condensation.akers_condensation",
    "ht.condensation.Akers_Deans_Crosser",
    lambda mass_flux, quality, diameter, liquid_density, gas_density, liquid_viscosity, conductivity, heat_capacity: (
        condensation.Akers_Deans_Crosser(
            math.pi / 4 * diameter**2 * mass_flux,
            gas_density,
            liquid_density,
            conductivity,
            liquid_viscosity,
            heat_capacity,
            diameter,
            quality,
        )
    ),
    draws={
        "mass_flux": [50.0, 900.0],
        "quality": [0.03, 0.95],
        "diameter": [0.001, 0.03],
        "liquid_density": [400.0, 1200.0],
        "gas_density": [0.5, 60.0],
        "liquid_viscosity": [0.0001, 0.001],
        "conductivity": [0.06, 0.7],
        "heat_capacity": [1200.0, 4400.0],
    },
)
TABLE.add(
    "boiling_and_condensation.boyko_kruzhilin_condensation",
    "ht.condensation.Boyko_Kruzhilin",
    lambda mass_flux, quality, diameter, liquid_density, gas_density, liquid_viscosity, conductivity, heat_capacity: (
        condensation.Boyko_Kruzhilin(
            math.pi / 4 * diameter**2 * mass_flux,
            gas_density,
            liquid_density,
            conductivity,
            liquid_viscosity,
            heat_capacity,
            diameter,
            quality,
        )
    ),
    draws={
        "mass_flux": [50.0, 900.0],
        "quality": [0.03, 0.95],
        "diameter": [0.001, 0.03],
        "liquid_density": [400.0, 1200.0],
        "gas_density": [0.5, 60.0],
        "liquid_viscosity": [0.0001, 0.001],
        "conductivity": [0.06, 0.7],
        "heat_capacity": [1200.0, 4400.0],
    },
)
TABLE.add(
    "boiling_and_condensation.shah_condensation",
    "ht.condensation.Shah",
    lambda mass_flux, quality, diameter, liquid_viscosity, conductivity, heat_capacity, pressure, critical_pressure: (
        condensation.Shah(
            math.pi / 4 * diameter**2 * mass_flux,
            quality,
            diameter,
            800.0,
            liquid_viscosity,
            conductivity,
            heat_capacity,
            pressure,
            critical_pressure,
        )
    ),
    draws={
        "mass_flux": [50.0, 900.0],
        "quality": [0.03, 0.95],
        "diameter": [0.001, 0.03],
        "liquid_viscosity": [0.0001, 0.001],
        "conductivity": [0.06, 0.7],
        "heat_capacity": [1200.0, 4400.0],
        "pressure": [90000.0, 2000000.0],
        "critical_pressure": [2100000.0, 22000000.0],
    },
)
TABLE.add(
    "boiling_and_condensation.cavallini_condensation",
    "ht.condensation.Cavallini_Smith_Zecchin",
    lambda mass_flux, quality, diameter, liquid_density, gas_density, liquid_viscosity, gas_viscosity, conductivity, heat_capacity: (
        condensation.Cavallini_Smith_Zecchin(
            math.pi / 4 * diameter**2 * mass_flux,
            quality,
            diameter,
            liquid_density,
            gas_density,
            liquid_viscosity,
            gas_viscosity,
            conductivity,
            heat_capacity,
        )
    ),
    draws={
        "mass_flux": [50.0, 900.0],
        "quality": [0.03, 0.95],
        "diameter": [0.001, 0.03],
        "liquid_density": [400.0, 1200.0],
        "gas_density": [0.5, 60.0],
        "liquid_viscosity": [0.0001, 0.001],
        "gas_viscosity": [8e-06, 2e-05],
        "conductivity": [0.06, 0.7],
        "heat_capacity": [1200.0, 4400.0],
    },
)
TABLE.add(
    "boiling_and_condensation.kinetic_condensation",
    "ht.condensation.h_kinetic",
    lambda temperature, pressure, molar_mass, vaporization_heat, accommodation: condensation.h_kinetic(
        temperature, pressure, molar_mass * 1000, vaporization_heat, accommodation
    ),
    draws={
        "temperature": [250.0, 450.0],
        "pressure": [90000.0, 2000000.0],
        "molar_mass": [0.016, 0.15],
        "vaporization_heat": [150000.0, 2300000.0],
        "accommodation": [0.3, 1.0],
    },
)
