"""Weather of MetPy."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from importlib.metadata import version

from metpy import calc
from metpy.units import units
from oracle import OracleTable

TABLE = OracleTable("MetPy", version("metpy"))
TABLE.add(
    "meteorology.coriolis_parameter",
    "metpy.calc.coriolis_parameter",
    lambda rotation_rate, latitude: float(calc.coriolis_parameter(latitude * units.deg).m_as("1/s")),
    draws={"rotation_rate": [7.2921159e-5], "latitude": (-80, 80)},
    within=1e-6,
)
TABLE.add(
    "meteorology.wind_chill",
    "metpy.calc.windchill",
    lambda temperature, wind_speed: float(
        calc.windchill(temperature * units.degC, wind_speed * units("km/h"), mask_undefined=False).m_as("degC")
    ),
    draws={"temperature": (-40, 5), "wind_speed": (5, 90)},
    within=1e-9,
)
