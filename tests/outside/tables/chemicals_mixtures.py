"""Properties of mixtures and more of pure substances, by chemicals."""

from __future__ import annotations

from typing import Any

import chemicals
from chemicals import critical, interface, lennard_jones, refractivity, thermal_conductivity, viscosity
from oracle import OracleTable


def _share(amounts: list[float]) -> list[float]:
    return [each / sum(amounts) for each in amounts]


def _fractions(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make mole fractions, which sum to 1, of what was drawn."""
    return drawn | {name: _rounded(drawn[name]) for name in ("liquid_fractions", "vapor_fractions")}


def _rounded(amounts: list[float]) -> list[float]:
    shares = [round(each, 4) for each in _share(amounts)]
    return [*shares[:-1], round(1 - sum(shares[:-1]), 4)]


TABLE = OracleTable("chemicals", chemicals.__version__)
TABLE.add(
    "property_estimation.herning_zipperer_mixture_viscosity",
    "chemicals.viscosity.Herning_Zipperer",
    lambda amounts, viscosities, molar_masses: viscosity.Herning_Zipperer(_share(amounts), viscosities, molar_masses),
    draws={"amounts": [0.1, 1.0], "viscosities": [8e-06, 3e-05], "molar_masses": [2.0, 60.0], "n": [2, 5]},
)
TABLE.add(
    "property_estimation.wilke_mixture_viscosity",
    "chemicals.viscosity.Wilke",
    lambda amounts, viscosities, molar_masses: viscosity.Wilke(_share(amounts), viscosities, molar_masses),
    draws={"amounts": [0.1, 1.0], "viscosities": [8e-06, 3e-05], "molar_masses": [2.0, 60.0], "n": [2, 5]},
)
TABLE.add(
    "property_estimation.vredeveld_mixture_conductivity",
    "chemicals.thermal_conductivity.DIPPR9H",
    lambda masses, conductivities: thermal_conductivity.DIPPR9H(_share(masses), conductivities),
    draws={"masses": [0.1, 1.0], "conductivities": [0.1, 0.6], "n": [2, 5]},
)
TABLE.add(
    "property_estimation.li_mixture_conductivity",
    "chemicals.thermal_conductivity.DIPPR9I",
    lambda amounts, molar_volumes, conductivities: thermal_conductivity.DIPPR9I(
        _share(amounts), molar_volumes, conductivities
    ),
    draws={"amounts": [0.1, 1.0], "molar_volumes": [2e-05, 0.0002], "conductivities": [0.1, 0.6], "n": [2, 5]},
)
TABLE.add(
    "property_estimation.filippov_mixture_conductivity",
    "chemicals.thermal_conductivity.Filippov",
    lambda mass_fraction, first_conductivity, second_conductivity: thermal_conductivity.Filippov(
        [1 - mass_fraction, mass_fraction], [first_conductivity, second_conductivity]
    ),
    draws={"mass_fraction": [0.05, 0.95], "first_conductivity": [0.1, 0.3], "second_conductivity": [0.31, 0.6]},
)
TABLE.add(
    "property_estimation.lindsay_bromley_mixture_conductivity",
    "chemicals.thermal_conductivity.Lindsay_Bromley",
    lambda temperature, amounts, conductivities, viscosities, boiling_temperatures, molar_masses: (
        thermal_conductivity.Lindsay_Bromley(
            temperature, _share(amounts), conductivities, viscosities, boiling_temperatures, molar_masses
        )
    ),
    draws={
        "temperature": [280.0, 400.0],
        "amounts": [0.1, 1.0],
        "conductivities": [0.01, 0.2],
        "viscosities": [8e-06, 3e-05],
        "boiling_temperatures": [200.0, 450.0],
        "molar_masses": [2.0, 60.0],
        "n": [2, 5],
    },
)
TABLE.add(
    "property_estimation.winterfeld_mixture_surface_tension",
    "chemicals.interface.Winterfeld_Scriven_Davis",
    lambda amounts, molar_volumes, surface_tensions: interface.Winterfeld_Scriven_Davis(
        _share(amounts), surface_tensions, [1 / each for each in molar_volumes]
    ),
    draws={"amounts": [0.1, 1.0], "molar_volumes": [2e-05, 0.0002], "surface_tensions": [0.015, 0.05], "n": [2, 5]},
)
TABLE.add(
    "property_estimation.weinaug_katz_mixture_surface_tension",
    "chemicals.interface.Weinaug_Katz",
    lambda parachors, liquid_fractions, vapor_fractions, liquid_volume, vapor_volume: interface.Weinaug_Katz(
        parachors, liquid_volume, vapor_volume, liquid_fractions, vapor_fractions
    ),
    draws={
        "parachors": [1e-05, 8e-05],
        "liquid_fractions": [0.1, 0.9],
        "vapor_fractions": [0.1, 0.9],
        "liquid_volume": [5e-05, 0.0002],
        "vapor_volume": [0.002, 0.02],
        "n": [2, 5],
    },
    prepare=_fractions,
)
TABLE.add(
    "property_estimation.diguilio_teja_mixture_surface_tension",
    "chemicals.interface.Diguilio_Teja",
    lambda temperature, amounts, surface_tensions, boiling_temperatures, critical_temperatures: interface.Diguilio_Teja(
        temperature, _share(amounts), surface_tensions, boiling_temperatures, critical_temperatures
    ),
    draws={
        "temperature": [280.0, 400.0],
        "amounts": [0.1, 1.0],
        "surface_tensions": [0.012, 0.03],
        "boiling_temperatures": [200.0, 450.0],
        "critical_temperatures": [460.0, 700.0],
        "n": [2, 5],
    },
)
TABLE.add(
    "property_estimation.li_mixture_critical_temperature",
    "chemicals.critical.Li",
    lambda amounts, critical_temperatures, critical_volumes: critical.Li(
        _share(amounts), critical_temperatures, critical_volumes
    ),
    draws={
        "amounts": [0.1, 1.0],
        "critical_temperatures": [460.0, 700.0],
        "critical_volumes": [0.0001, 0.0005],
        "n": [2, 5],
    },
)
TABLE.add(
    "property_estimation.lucas_gas_viscosity",
    "chemicals.viscosity.Lucas_gas",
    lambda temperature, critical_temperature, critical_pressure, critical_compressibility, molar_mass, dipole_moment: (
        viscosity.Lucas_gas(
            temperature, critical_temperature, critical_pressure, critical_compressibility, molar_mass, dipole_moment
        )
    ),
    draws={
        "temperature": [280.0, 400.0],
        "critical_temperature": [450.0, 650.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "critical_compressibility": [0.23, 0.29],
        "molar_mass": [20.0, 150.0],
        "dipole_moment": [0.0, 3.0],
    },
)
TABLE.add(
    "property_estimation.lucas_compressed_viscosity",
    "chemicals.viscosity.Lucas",
    lambda temperature, pressure, critical_temperature, critical_pressure, acentric_factor, saturation_pressure, viscosity: (
        chemicals.viscosity.Lucas(
            temperature,
            pressure,
            critical_temperature,
            critical_pressure,
            acentric_factor,
            saturation_pressure,
            viscosity,
        )
    ),
    within=1e-10,
    draws={
        "temperature": [280.0, 400.0],
        "pressure": [3000000.0, 40000000.0],
        "critical_temperature": [450.0, 650.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.01, 0.5],
        "saturation_pressure": [10000.0, 2000000.0],
        "viscosity": [0.0001, 0.002],
    },
)
TABLE.add(
    "property_estimation.missenard_compressed_conductivity",
    "chemicals.thermal_conductivity.DIPPR9G",
    lambda temperature, pressure, critical_temperature, critical_pressure, conductivity: thermal_conductivity.DIPPR9G(
        temperature, pressure, critical_temperature, critical_pressure, conductivity
    ),
    draws={
        "temperature": [280.0, 400.0],
        "pressure": [3000000.0, 40000000.0],
        "critical_temperature": [450.0, 650.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "conductivity": [0.08, 0.2],
    },
)
TABLE.add(
    "property_estimation.scheffy_johnson_conductivity",
    "chemicals.thermal_conductivity.Sheffy_Johnson",
    lambda temperature, molar_mass, melting_temperature: thermal_conductivity.Sheffy_Johnson(
        temperature, molar_mass, melting_temperature
    ),
    draws={"temperature": [280.0, 400.0], "molar_mass": [20.0, 150.0], "melting_temperature": [180.0, 270.0]},
)
TABLE.add(
    "property_estimation.lakshmi_prasad_conductivity",
    "chemicals.thermal_conductivity.Lakshmi_Prasad",
    lambda temperature, molar_mass: (
        thermal_conductivity.Lakshmi_Prasad(temperature, molar_mass) + 0.00045 * temperature
    ),
    within=1e-11,
    draws={"temperature": [150.0, 280.0], "molar_mass": [20.0, 110.0]},
    asked="with 0.00005 for its 0.0005",
)
TABLE.add(
    "property_estimation.zuo_stenby_surface_tension",
    "chemicals.interface.Zuo_Stenby",
    lambda temperature, critical_temperature, critical_pressure, acentric_factor: interface.Zuo_Stenby(
        temperature, critical_temperature, critical_pressure, acentric_factor
    ),
    within=1e-10,
    draws={
        "temperature": [280.0, 400.0],
        "critical_temperature": [450.0, 650.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.01, 0.5],
    },
)
TABLE.add(
    "property_estimation.molar_refractivity",
    "chemicals.refractivity.molar_refractivity_from_RI",
    lambda refractive_index, molar_volume: refractivity.molar_refractivity_from_RI(refractive_index, molar_volume),
    draws={"refractive_index": [1.3, 1.6], "molar_volume": [5e-05, 0.0003]},
)
TABLE.add(
    "property_estimation.polarizability_of_refraction",
    "chemicals.refractivity.polarizability_from_RI",
    lambda refractive_index, molar_volume: refractivity.polarizability_from_RI(refractive_index, molar_volume),
    draws={"refractive_index": [1.3, 1.6], "molar_volume": [5e-05, 0.0003]},
)
TABLE.add(
    "property_estimation.lennard_jones_collision_integral",
    "chemicals.lennard_jones.collision_integral_Neufeld_Janzen_Aziz",
    lambda reduced_temperature: lennard_jones.collision_integral_Neufeld_Janzen_Aziz(reduced_temperature),
    draws={"reduced_temperature": [0.35, 50.0]},
)
TABLE.add(
    "property_estimation.lennard_jones_viscosity_integral",
    "chemicals.lennard_jones.collision_integral_Neufeld_Janzen_Aziz",
    lambda reduced_temperature: lennard_jones.collision_integral_Neufeld_Janzen_Aziz(reduced_temperature, 2, 2),
    asked="l = 2, s = 2",
    draws={"reduced_temperature": [0.35, 50.0]},
)
TABLE.add(
    "property_estimation.lennard_jones_diameter",
    "chemicals.lennard_jones.sigma_Tee_Gotoh_Steward_2",
    lambda critical_temperature, critical_pressure, acentric_factor: (
        lennard_jones.sigma_Tee_Gotoh_Steward_2(critical_temperature, critical_pressure, acentric_factor) * 1e-10
    ),
    draws={
        "critical_temperature": [450.0, 650.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.01, 0.5],
    },
)
TABLE.add(
    "property_estimation.lennard_jones_depth",
    "chemicals.lennard_jones.epsilon_Tee_Gotoh_Steward_2",
    lambda critical_temperature, acentric_factor: lennard_jones.epsilon_Tee_Gotoh_Steward_2(
        critical_temperature, acentric_factor
    ),
    draws={"critical_temperature": [450.0, 650.0], "acentric_factor": [0.01, 0.5]},
)
