"""Sunlight and photovoltaic modules, by pvlib."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pvlib
from oracle import OracleTable
from pvlib import (
    atmosphere,
    clearsky,
    iam,
    inverter,
    irradiance,
    pvsystem,
    shading,
    solarposition,
    temperature,
    tracking,
)


def _diffuse_fraction(model: Any, clearness: float) -> float:
    ghi = clearness * float(irradiance.get_extra_radiation(100)) * np.cos(np.radians(30.0))
    return float(model(ghi, 30.0, 100)["dhi"]) / ghi


TABLE = OracleTable("pvlib", pvlib.__version__)
TABLE.add(
    "solar_energy.extraterrestrial_irradiance",
    "pvlib.irradiance.get_extra_radiation",
    lambda day, solar_constant: float(irradiance.get_extra_radiation(day, solar_constant)),
    draws={"day": [1, 365], "solar_constant": [1361.0, 1366.1, 1367.0]},
)
TABLE.add(
    "solar_energy.spencer_declination",
    "pvlib.solarposition.declination_spencer71",
    lambda day: float(np.degrees(solarposition.declination_spencer71(day))),
    draws={"day": [1, 365]},
    near_zero=1e-13,
)
TABLE.add(
    "solar_energy.equation_of_time",
    "pvlib.solarposition.equation_of_time_spencer71",
    lambda day: float(solarposition.equation_of_time_spencer71(day)),
    draws={"day": [1, 365]},
    near_zero=1e-12,
)
TABLE.add(
    "solar_energy.haurwitz_clear_sky",
    "pvlib.clearsky.haurwitz",
    lambda zenith: float(clearsky.haurwitz(pd.Series([zenith]))["ghi"].iloc[0]),
    draws={"zenith": [5, 85]},
)
TABLE.add(
    "solar_energy.clearness_index",
    "pvlib.irradiance.clearness_index",
    lambda global_horizontal, zenith, extraterrestrial: float(
        irradiance.clearness_index(global_horizontal, zenith, extraterrestrial)
    ),
    draws={"global_horizontal": [320, 1000], "zenith": [5, 60], "extraterrestrial": [1320, 1410]},
)
TABLE.add(
    "solar_energy.erbs_diffuse_fraction",
    "pvlib.irradiance.erbs",
    lambda clearness: _diffuse_fraction(irradiance.erbs, clearness),
    draws={"clearness": [0.02, 0.98]},
)
TABLE.add(
    "solar_energy.orgill_hollands_diffuse_fraction",
    "pvlib.irradiance.orgill_hollands",
    lambda clearness: _diffuse_fraction(irradiance.orgill_hollands, clearness),
    draws={"clearness": [0.02, 0.98]},
)
TABLE.add(
    "solar_energy.boland_diffuse_fraction",
    "pvlib.irradiance.boland",
    lambda clearness: _diffuse_fraction(irradiance.boland, clearness),
    draws={"clearness": [0.02, 0.98]},
)
TABLE.add(
    "solar_energy.kasten_air_mass",
    "pvlib.atmosphere.get_relative_airmass",
    lambda zenith: float(atmosphere.get_relative_airmass(zenith, "kasten1966")),
    draws={"zenith": [5, 85]},
    asked="kasten1966",
)
TABLE.add(
    "solar_energy.young_irvine_air_mass",
    "pvlib.atmosphere.get_relative_airmass",
    lambda zenith: float(atmosphere.get_relative_airmass(zenith, "youngirvine1967")),
    draws={"zenith": [5, 80]},
    asked="youngirvine1967",
)
TABLE.add(
    "solar_energy.pickering_air_mass",
    "pvlib.atmosphere.get_relative_airmass",
    lambda zenith: float(atmosphere.get_relative_airmass(zenith, "pickering2002")),
    draws={"zenith": [5, 85]},
    within=1e-11,
    asked="pickering2002",
)
TABLE.add(
    "solar_energy.absolute_air_mass",
    "pvlib.atmosphere.get_absolute_airmass",
    lambda relative, pressure: float(atmosphere.get_absolute_airmass(relative, pressure)),
    draws={"relative": [1, 10], "pressure": [60000, 103000]},
)
TABLE.add(
    "solar_energy.precipitable_water",
    "pvlib.atmosphere.gueymard94_pw",
    lambda temperature, humidity: float(atmosphere.gueymard94_pw(temperature, humidity)),
    draws={"temperature": [-10, 40], "humidity": [20, 100]},
    within=1e-11,
)
TABLE.add(
    "solar_energy.incidence_angle",
    "pvlib.irradiance.aoi",
    lambda tilt, azimuth, zenith, solar_azimuth: float(irradiance.aoi(tilt, azimuth, zenith, solar_azimuth)),
    draws={"tilt": [5, 80], "azimuth": [90, 270], "zenith": [5, 85], "solar_azimuth": [90, 270]},
    within=1e-10,
)
TABLE.add(
    "solar_energy.beam_on_surface",
    "pvlib.irradiance.beam_component",
    lambda tilt, azimuth, zenith, solar_azimuth, direct_normal: float(
        irradiance.beam_component(tilt, azimuth, zenith, solar_azimuth, direct_normal)
    ),
    draws={
        "tilt": [5, 80],
        "azimuth": [90, 270],
        "zenith": [5, 85],
        "solar_azimuth": [90, 270],
        "direct_normal": [50, 600],
    },
    within=1e-11,
    near_zero=1e-10,
)
TABLE.add(
    "solar_energy.isotropic_sky_diffuse",
    "pvlib.irradiance.isotropic",
    lambda tilt, diffuse: float(irradiance.isotropic(tilt, diffuse)),
    draws={"tilt": [5, 80], "diffuse": [20, 300]},
)
TABLE.add(
    "solar_energy.hay_davies_sky_diffuse",
    "pvlib.irradiance.haydavies",
    lambda tilt, azimuth, zenith, solar_azimuth, diffuse, direct_normal, extraterrestrial: float(
        irradiance.haydavies(tilt, azimuth, diffuse, direct_normal, extraterrestrial, zenith, solar_azimuth)
    ),
    draws={
        "tilt": [5, 80],
        "azimuth": [90, 270],
        "zenith": [5, 85],
        "solar_azimuth": [90, 270],
        "diffuse": [20, 300],
        "direct_normal": [50, 600],
        "extraterrestrial": [1320, 1410],
    },
    within=1e-11,
)
TABLE.add(
    "solar_energy.klucher_sky_diffuse",
    "pvlib.irradiance.klucher",
    lambda tilt, azimuth, zenith, solar_azimuth, diffuse, global_horizontal: float(
        irradiance.klucher(tilt, azimuth, diffuse, global_horizontal, zenith, solar_azimuth)
    ),
    draws={
        "tilt": [5, 80],
        "azimuth": [90, 270],
        "zenith": [5, 85],
        "solar_azimuth": [90, 270],
        "diffuse": [20, 300],
        "global_horizontal": [320, 1000],
    },
    within=1e-11,
)
TABLE.add(
    "solar_energy.reindl_sky_diffuse",
    "pvlib.irradiance.reindl",
    lambda tilt, azimuth, zenith, solar_azimuth, diffuse, direct_normal, global_horizontal, extraterrestrial: float(
        irradiance.reindl(
            tilt, azimuth, diffuse, direct_normal, global_horizontal, extraterrestrial, zenith, solar_azimuth
        )
    ),
    draws={
        "tilt": [5, 80],
        "azimuth": [90, 270],
        "zenith": [5, 85],
        "solar_azimuth": [90, 270],
        "diffuse": [20, 300],
        "direct_normal": [50, 600],
        "global_horizontal": [320, 1000],
        "extraterrestrial": [1320, 1410],
    },
    within=1e-11,
)
TABLE.add(
    "solar_energy.ground_reflected_irradiance",
    "pvlib.irradiance.get_ground_diffuse",
    lambda tilt, global_horizontal, albedo: float(irradiance.get_ground_diffuse(tilt, global_horizontal, albedo)),
    draws={"tilt": [5, 80], "global_horizontal": [320, 1000], "albedo": [0.1, 0.9]},
    within=1e-11,
)
TABLE.add(
    "solar_energy.tracker_rotation",
    "pvlib.tracking.singleaxis",
    lambda zenith, solar_azimuth, axis_azimuth: float(
        tracking.singleaxis(zenith, solar_azimuth, 0, axis_azimuth, backtrack=False)["tracker_theta"][0]
    ),
    draws={"zenith": [5, 85], "solar_azimuth": [90, 270], "axis_azimuth": [170, 190]},
    within=1e-11,
    near_zero=1e-11,
    asked="without backtracking",
)
TABLE.add(
    "solar_energy.masking_angle",
    "pvlib.shading.masking_angle",
    lambda tilt, coverage, position: float(shading.masking_angle(tilt, coverage, position)),
    draws={"tilt": [5, 80], "coverage": [0.2, 0.8], "position": [0, 0.95]},
    within=1e-11,
)
TABLE.add(
    "solar_energy.sapm_cell_temperature",
    "pvlib.temperature.sapm_cell",
    lambda irradiance, air_temperature, wind_speed, a, b, difference: float(
        temperature.sapm_cell(irradiance, air_temperature, wind_speed, a, b, difference)
    ),
    draws={
        "irradiance": [50, 1100],
        "air_temperature": [-10, 40],
        "wind_speed": [0, 12],
        "a": [-3.47, -2.98, -3.56],
        "b": [-0.0594, -0.0471, -0.075],
        "difference": [1.0, 3.0, 0.0],
    },
    near_zero=1e-11,
)
TABLE.add(
    "solar_energy.faiman_module_temperature",
    "pvlib.temperature.faiman",
    lambda irradiance, air_temperature, wind_speed, loss, wind_loss: float(
        temperature.faiman(irradiance, air_temperature, wind_speed, loss, wind_loss)
    ),
    draws={
        "irradiance": [50, 1100],
        "air_temperature": [-10, 40],
        "wind_speed": [0, 12],
        "loss": [20, 30],
        "wind_loss": [4, 8],
    },
    near_zero=1e-11,
)
TABLE.add(
    "solar_energy.pvsyst_cell_temperature",
    "pvlib.temperature.pvsyst_cell",
    lambda irradiance, air_temperature, wind_speed, loss, wind_loss, efficiency, absorption: float(
        temperature.pvsyst_cell(irradiance, air_temperature, wind_speed, loss, wind_loss, efficiency, absorption)
    ),
    draws={
        "irradiance": [50, 1100],
        "air_temperature": [-10, 40],
        "wind_speed": [0, 12],
        "loss": [15, 29],
        "wind_loss": [0, 2],
        "efficiency": [0.1, 0.24],
        "absorption": [0.8, 0.95],
    },
    near_zero=1e-11,
)
TABLE.add(
    "solar_energy.noct_cell_temperature",
    "pvlib.temperature.ross",
    lambda irradiance, air_temperature, noct: float(temperature.ross(irradiance, air_temperature, noct)),
    draws={"irradiance": [50, 1100], "air_temperature": [-10, 40], "noct": [40, 50]},
    near_zero=1e-11,
)
TABLE.add(
    "solar_energy.sam_cell_temperature",
    "pvlib.temperature.noct_sam",
    lambda irradiance, air_temperature, wind_speed, noct, efficiency: float(
        temperature.noct_sam(irradiance, air_temperature, wind_speed, noct, efficiency)
    ),
    draws={
        "irradiance": [50, 1100],
        "air_temperature": [-10, 40],
        "wind_speed": [0, 12],
        "noct": [40, 50],
        "efficiency": [0.1, 0.24],
    },
    near_zero=1e-11,
)
TABLE.add(
    "solar_energy.ashrae_incidence_modifier",
    "pvlib.iam.ashrae",
    lambda incidence, loss: float(iam.ashrae(incidence, loss)),
    draws={"incidence": [0, 85], "loss": [0.03, 0.1]},
    within=1e-11,
)
TABLE.add(
    "solar_energy.martin_ruiz_incidence_modifier",
    "pvlib.iam.martin_ruiz",
    lambda incidence, loss: float(iam.martin_ruiz(incidence, loss)),
    draws={"incidence": [0, 85], "loss": [0.1, 0.3]},
    within=1e-11,
)
TABLE.add(
    "solar_energy.physical_incidence_modifier",
    "pvlib.iam.physical",
    lambda incidence, index, extinction, thickness: float(iam.physical(incidence, index, extinction, thickness)),
    draws={"incidence": [0, 85], "index": [1.3, 1.6], "extinction": [2, 8], "thickness": [0.001, 0.005]},
    within=1e-11,
)
TABLE.add(
    "solar_energy.pvwatts_dc_power",
    "pvlib.pvsystem.pvwatts_dc",
    lambda irradiance, cell_temperature, rated_power, coefficient: float(
        pvsystem.pvwatts_dc(irradiance, cell_temperature, rated_power, coefficient)
    ),
    draws={
        "irradiance": [50, 1100],
        "cell_temperature": [0, 70],
        "rated_power": [200, 8000],
        "coefficient": [-0.005, -0.002],
    },
)
TABLE.add(
    "solar_energy.pvwatts_ac_power",
    "pvlib.inverter.pvwatts",
    lambda dc_power, rated_dc_power, efficiency: float(inverter.pvwatts(dc_power, rated_dc_power, efficiency)),
    draws={"dc_power": [100, 6000], "rated_dc_power": [3000, 5500], "efficiency": [0.94, 0.98]},
)
