"""Wind, energy and density of air, by MetPy."""

from __future__ import annotations

from importlib.metadata import version

from metpy import calc
from metpy.units import units
from oracle import OracleTable

TABLE = OracleTable("MetPy", version("metpy"))
TABLE.add(
    "meteorology.wind_from_components",
    "metpy.calc.wind_direction",
    lambda eastward, northward: {
        "speed": float(calc.wind_speed(eastward * units("m/s"), northward * units("m/s")).m_as("m/s")),
        "direction": float(calc.wind_direction(eastward * units("m/s"), northward * units("m/s")).m_as("deg")),
    },
    draws={"eastward": [-25, 25], "northward": [-25, 25]},
    asked="speed by metpy.calc.wind_speed",
)
TABLE.add(
    "meteorology.wind_components",
    "metpy.calc.wind_components",
    lambda speed, direction: dict(
        zip(
            ("eastward", "northward"),
            (float(each.m_as("m/s")) for each in calc.wind_components(speed * units("m/s"), direction * units.deg)),
            strict=True,
        )
    ),
    draws={"speed": [0.5, 40], "direction": [0, 360]},
    within=1e-11,
    near_zero=1e-12,
)
TABLE.add(
    "meteorology.specific_humidity",
    "metpy.calc.specific_humidity_from_mixing_ratio",
    lambda mixing_ratio: float(calc.specific_humidity_from_mixing_ratio(mixing_ratio * units("kg/kg")).m),
    draws={"mixing_ratio": [0.001, 0.04]},
)
TABLE.add(
    "meteorology.dry_static_energy",
    "metpy.calc.dry_static_energy",
    lambda temperature, height, specific_heat, gravity: float(
        calc.dry_static_energy(height * units.m, temperature * units.K).m_as("J/kg")
    ),
    draws={
        "temperature": [230, 310],
        "height": [0, 8000],
        "specific_heat": [1004.6662184201462, 1004.6662184201462, 1004.6662184201462],
        "gravity": [9.80665, 9.80665, 9.80665],
    },
)
TABLE.add(
    "meteorology.moist_static_energy",
    "metpy.calc.moist_static_energy",
    lambda temperature, height, specific_humidity, specific_heat, gravity, latent_heat: float(
        calc.moist_static_energy(height * units.m, temperature * units.K, specific_humidity * units("kg/kg")).m_as(
            "J/kg"
        )
    ),
    draws={
        "temperature": [230, 310],
        "height": [0, 8000],
        "specific_humidity": [0.0005, 0.02],
        "specific_heat": [1004.6662184201462, 1004.6662184201462, 1004.6662184201462],
        "gravity": [9.80665, 9.80665, 9.80665],
        "latent_heat": [2500840.0, 2500840.0, 2500840.0],
    },
)
TABLE.add(
    "meteorology.exner_function",
    "metpy.calc.exner_function",
    lambda pressure, reference: float(calc.exner_function(pressure * units.Pa, reference * units.Pa).m),
    draws={"pressure": [10000, 103000], "reference": [100000.0, 100000.0, 101325.0]},
)
TABLE.add(
    "meteorology.moist_air_density",
    "metpy.calc.density",
    lambda pressure, temperature, mixing_ratio, gas_constant_dry, ratio: float(
        calc.density(
            pressure * units.Pa, temperature * units.K, mixing_ratio * units("kg/kg"), molecular_weight_ratio=ratio
        ).m_as("kg/m^3")
    ),
    draws={
        "pressure": [50000, 103000],
        "temperature": [230, 310],
        "mixing_ratio": [0.0005, 0.03],
        "gas_constant_dry": [287.04749097718457, 287.04749097718457, 287.04749097718457],
        "ratio": [0.622, 0.622, 0.6219569100577033],
    },
)
TABLE.add(
    "meteorology.station_pressure",
    "metpy.calc.altimeter_to_station_pressure",
    lambda altimeter, height: float(
        calc.altimeter_to_station_pressure(altimeter * units.hPa, height * units.m).m_as("hPa")
    ),
    draws={"altimeter": [970, 1040], "height": [0, 3000]},
    within=0.0001,
)
