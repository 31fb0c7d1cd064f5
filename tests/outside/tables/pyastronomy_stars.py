"""Stars, planets and their transits by PyAstronomy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from oracle import OracleTable
from PyAstronomy import constants, pyasl
from PyAstronomy.PyA_Version import PyA_Version

TABLE = OracleTable("PyAstronomy", PyA_Version())
SI = constants.PyAConstants(unitSystem="SI")
CLOSE = {
    "semi_major_axis": (5e9, 5e10),
    "star_radius": (5e8, 1e9),
    "planet_radius": (5e6, 1e8),
    "inclination": (89.5, 90.0),
    "period": (1e5, 1e7),
}


def _add(name: str, function: str, compute: Callable[..., Any], within: float = 1e-9, **more: Any) -> None:
    TABLE.add(name, f"PyAstronomy.pyasl.{function}", compute, within=within, **more)


def _find_lobe(mass: float, companion_mass: float) -> float:
    """Return the radius of the lobe of the first of two masses; PyAstronomy wants the lighter one second."""
    if mass <= companion_mass:
        return float(pyasl.roche_lobe_radius_eggleton(mass / companion_mass, 2))
    return float(pyasl.roche_lobe_radius_eggleton(companion_mass / mass, 1))


def _transit(ask: Callable[..., float]) -> Callable[..., float]:
    """Ask in astronomical units, radii of Jupiter and of the Sun."""
    return lambda semi_major_axis, planet_radius, star_radius, inclination, period: ask(
        semi_major_axis / SI.AU, planet_radius / SI.RJ, star_radius / SI.RSun, inclination, period
    )


_add(
    "astronomy.transit_duration",
    "transitDuration",
    _transit(lambda *given: pyasl.transitDuration(*given, exact=True)),
    draws=CLOSE,
)
_add("astronomy.transit_ingress_duration", "ingressDuration", _transit(pyasl.ingressDuration), draws=CLOSE)
_add("astronomy.lambert_phase_function", "lambertPhaseFunction", pyasl.lambertPhaseFunction)
_add(
    "astronomy.roche_lobe_radius",
    "roche_lobe_radius_eggleton",
    lambda separation, mass, companion_mass: separation * _find_lobe(mass, companion_mass),
    draws={"separation": (1e8, 1e12), "mass": (1e28, 1e32), "companion_mass": (1e28, 1e32)},
)
_add(
    "astronomy.roche_limit",
    "roche_limit_fluid",
    lambda radius, density, satellite_density: pyasl.roche_limit_fluid(
        satellite_density / density * 1e-3, radius * 0.1
    ),
    draws={"radius": (1e6, 1e8), "density": (500.0, 8000.0), "satellite_density": (500.0, 8000.0)},
    asked="of a satellite a tenth as wide",
)
_add(
    "astronomy.atmospheric_scale_height",
    "atmosphericScaleHeight",
    lambda temperature, molar_mass, gravity: pyasl.atmosphericScaleHeight(temperature, molar_mass * 1e3, gravity) * 1e3,
    1e-5,  # its constants are older
    draws={"temperature": (50.0, 2000.0), "molar_mass": (0.002, 0.045), "gravity": (1.0, 30.0)},
)
_add(
    "astronomy.gyrochronology_age",
    "gyroAgeBarnes",
    lambda rotation_period, color: pyasl.gyroAgeBarnes(rotation_period, color)[0] * 1e9,
    draws={"rotation_period": (1.0, 60.0), "color": (0.45, 1.5)},
)
_add(
    "astronomy.chromospheric_age",
    "chromoAgeRHK",
    lambda activity: pyasl.chromoAgeRHK(activity) * 1e9,
    draws={"activity": (-5.2, -4.2)},
)
_add(
    "astronomy.star_temperature_from_color",
    "BallesterosBV_T.bv2T",
    lambda color: pyasl.BallesterosBV_T().bv2T(color),
    draws={"color": (-0.4, 2.0)},
)
_add(
    "astronomy.star_color_from_temperature",
    "BallesterosBV_T.t2bv",
    lambda temperature: pyasl.BallesterosBV_T().t2bv(temperature),
    1e-8,
    near_zero=1e-9,
    draws={"temperature": (2500.0, 15000.0)},
)
_add(
    "astronomy.air_wavelength",
    "RefractiveIndexAV.vactoair",
    lambda wavelength: pyasl.RefractiveIndexAV(mode="ciddor").vactoair(np.array([wavelength * 1e10]))[0] * 1e-10,
    draws={"wavelength": (3.1e-7, 1.6e-6)},
)
_add(
    "astronomy.equilibrium_temperature",
    "equiTempPlanet",
    lambda star_temperature, albedo, star_radius, distance: pyasl.equiTempPlanet(
        star_temperature, star_radius, distance, albedo
    ),
    draws={"star_temperature": (2500.0, 10000.0), "star_radius": (1e8, 2e9), "distance": (5e9, 5e12)},
)
_add(
    "spectroscopy.doppler_width",
    "thermalBroadeningWidth",
    lambda frequency, temperature, mass: pyasl.thermalBroadeningWidth(frequency, temperature, mass),
    1e-5,  # its constants are older
    draws={"frequency": (1e13, 1e15), "temperature": (50.0, 5000.0), "mass": (1.7e-27, 3e-25)},
)
_add(
    "astronomy.astronomical_refraction",
    "co_refract_forward",
    lambda altitude, pressure, temperature: float(
        np.ravel(pyasl.co_refract_forward(altitude, pressure / 100, temperature - 273.15))[0]
    ),
    draws={"pressure": (5e4, 1.1e5), "temperature": (230.0, 310.0)},
)
