"""Seawater by EOS-80, by seawater."""

from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from seawater import eos80, extras, library

TABLE = OracleTable("seawater", version("seawater"))
TABLE.add(
    "seawater.seawater_density",
    "seawater.eos80.dens",
    lambda salinity, temperature, pressure: float(eos80.dens(salinity, temperature, pressure)),
    draws={"salinity": [5, 40], "temperature": [0, 32], "pressure": [0, 8000]},
)
TABLE.add(
    "seawater.sigma_t",
    "seawater.eos80.dens0",
    lambda salinity, temperature: float(eos80.dens0(salinity, temperature)) - 1000.0,
    draws={"salinity": [5, 40], "temperature": [0, 32]},
    within=1e-09,
    near_zero=1e-11,
)
TABLE.add(
    "seawater.mean_ocean_water_density",
    "seawater.library.smow",
    lambda temperature: float(library.smow(temperature)),
    draws={"temperature": [0, 32]},
)
TABLE.add(
    "seawater.seawater_bulk_modulus",
    "seawater.library.seck",
    lambda salinity, temperature, pressure: float(library.seck(salinity, temperature, pressure)),
    draws={"salinity": [5, 40], "temperature": [0, 32], "pressure": [0, 8000]},
)
TABLE.add(
    "seawater.seawater_freezing_temperature",
    "seawater.eos80.fp",
    lambda salinity, pressure: float(eos80.fp(salinity, pressure)),
    draws={"salinity": [5, 40], "pressure": [0, 500]},
)
TABLE.add(
    "seawater.seawater_sound_speed",
    "seawater.eos80.svel",
    lambda salinity, temperature, pressure: float(eos80.svel(salinity, temperature, pressure)),
    draws={"salinity": [5, 40], "temperature": [0, 32], "pressure": [0, 8000]},
)
TABLE.add(
    "seawater.seawater_specific_heat",
    "seawater.eos80.cp",
    lambda salinity, temperature, pressure: float(eos80.cp(salinity, temperature, pressure)),
    draws={"salinity": [5, 40], "temperature": [0, 32], "pressure": [0, 8000]},
)
TABLE.add(
    "seawater.seawater_adiabatic_gradient",
    "seawater.eos80.adtg",
    lambda salinity, temperature, pressure: float(eos80.adtg(salinity, temperature, pressure)),
    draws={"salinity": [5, 40], "temperature": [0, 32], "pressure": [0, 8000]},
)
TABLE.add(
    "seawater.practical_salinity",
    "seawater.eos80.salt",
    lambda ratio, temperature, pressure: float(eos80.salt(ratio, temperature, pressure)),
    draws={"ratio": [0.5, 1.5], "temperature": [0, 32], "pressure": [0, 8000]},
)
TABLE.add(
    "seawater.sea_depth_from_pressure",
    "seawater.eos80.dpth",
    lambda pressure, latitude: float(eos80.dpth(pressure, latitude)),
    draws={"pressure": [0, 8000], "latitude": [-80, 80]},
)
TABLE.add(
    "seawater.sea_pressure_from_depth",
    "seawater.eos80.pres",
    lambda depth, latitude: float(eos80.pres(depth, latitude)),
    draws={"depth": [5, 8000], "latitude": [-80, 80]},
    within=1e-10,
)
TABLE.add(
    "seawater.sea_gravity",
    "seawater.eos80.g",
    lambda latitude: float(eos80.g(latitude)),
    draws={"latitude": [-80, 80]},
)
TABLE.add(
    "seawater.oxygen_saturation",
    "seawater.extras.satO2",
    lambda salinity, temperature: float(extras.satO2(salinity, temperature)),
    draws={"salinity": [5, 40], "temperature": [0, 32]},
)
TABLE.add(
    "seawater.nitrogen_saturation",
    "seawater.extras.satN2",
    lambda salinity, temperature: float(extras.satN2(salinity, temperature)),
    draws={"salinity": [5, 40], "temperature": [0, 32]},
)
TABLE.add(
    "seawater.argon_saturation",
    "seawater.extras.satAr",
    lambda salinity, temperature: float(extras.satAr(salinity, temperature)),
    draws={"salinity": [5, 40], "temperature": [0, 32]},
)
