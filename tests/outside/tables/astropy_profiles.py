"""Magnitudes in absolute units, and profiles of stars' images, clusters and galaxies, by Astropy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import astropy
from astropy import units as u
from astropy.modeling import models
from oracle import OracleTable

TABLE = OracleTable("astropy", astropy.__version__)
DRAWS = {
    "magnitude": (-5.0, 30.0),
    "radius": (1e17, 5e17),
    "effective_radius": (1e17, 5e17),
    "index": (0.5, 8.0),
    "core_radius": (5e16, 2e17),
    "tidal_radius": (6e17, 2e18),
    "scale_radius": (1e17, 5e17),
    "mass": (1e33, 1e36),
    "density": (0.0005, 0.02),
    "characteristic_magnitude": (-22.0, -19.0),
    "slope": (-1.8, -0.2),
    "width": (0.3, 3.0),
    "exponent": (1.2, 6.0),
    "amplitude": (0.1, 10.0),
}


def _add(name: str, function: str, compute: Callable[..., Any], **more: Any) -> None:
    draws = {**DRAWS, **more.pop("draws", {})}
    TABLE.add(f"astronomy.{name}", f"astropy.{function}", compute, **{"within": 1e-10, **more}, draws=draws)


_add(
    "luminosity_from_bolometric_magnitude",
    "units.M_bol",
    lambda magnitude: (magnitude * u.M_bol).to_value(u.W),
)
_add(
    "irradiance_from_bolometric_magnitude",
    "units.m_bol",
    lambda magnitude: (magnitude * u.m_bol).to_value(u.W / u.m**2),
)
_add(
    "flux_density_from_ab_magnitude",
    "units.ABmag",
    lambda magnitude: (magnitude * u.ABmag).to_value(u.W / u.m**2 / u.Hz),
)
_add(
    "flux_density_from_st_magnitude",
    "units.STmag",
    lambda magnitude: (magnitude * u.STmag).to_value(u.W / u.m**3),
)
_add(
    "sersic_profile",
    "modeling.models.Sersic1D",
    lambda amplitude, radius, effective_radius, index: models.Sersic1D(amplitude, effective_radius, index)(radius),
)
_add(
    "king_profile",
    "modeling.models.KingProjectedAnalytic1D",
    lambda amplitude, radius, core_radius, tidal_radius: models.KingProjectedAnalytic1D(
        amplitude, core_radius, tidal_radius
    )(radius),
)
_add(
    "plummer_density",
    "modeling.models.Plummer1D",
    lambda mass, radius, scale_radius: models.Plummer1D(mass, scale_radius)(radius),
)
_add(
    "schechter_luminosity_function",
    "modeling.models.Schechter1D",
    lambda magnitude, density, characteristic_magnitude, slope: models.Schechter1D(
        density, characteristic_magnitude, slope
    )(magnitude),
    draws={"magnitude": (-24.0, -15.0)},
)
_add(
    "moffat_width",
    "modeling.models.Moffat1D.fwhm",
    lambda width, exponent: models.Moffat1D(1.0, 0.0, width, exponent).fwhm,
)
