"""Light, distances and cosmology of Astropy."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from typing import Any

import astropy
import numpy as np
from astropy import units as u
from astropy.coordinates import Distance
from astropy.cosmology import FlatLambdaCDM
from astropy.modeling.models import BlackBody
from oracle import OracleTable

TABLE = OracleTable("astropy", astropy.__version__)
_HUBBLE = {"hubble": (1.8e-18, 2.8e-18), "matter": (0.1, 0.9), "redshift": (0.1, 6)}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"astropy.{function}", compute, **{"within": 1e-9, **more})


def _universe(hubble: float, matter: float) -> FlatLambdaCDM:
    return FlatLambdaCDM(H0=(hubble / u.s).to(u.km / u.s / u.Mpc), Om0=matter, Tcmb0=0 * u.K)


_add(
    "relativity.rest_energy",
    "units.equivalencies.mass_energy",
    lambda mass: (mass * u.kg).to_value(u.J, u.mass_energy()),
)
_add(
    "nuclear.fusion_q_value",
    "units.equivalencies.mass_energy",
    lambda initial_mass, final_mass: ((initial_mass - final_mass) * u.kg).to_value(u.J, u.mass_energy()),
    prepare=lambda given: {"initial_mass": max(given.values()), "final_mass": min(given.values())},
    within=1e-8,
)
_add(
    "quantum.photon_energy",
    "units.equivalencies.spectral",
    lambda wavelength: (wavelength * u.m).to_value(u.J, u.spectral()),
)
_add(
    "quantum.photoelectron_energy",
    "units.equivalencies.spectral",
    lambda wavelength, work_function: (wavelength * u.m).to_value(u.J, u.spectral()) - work_function,
    draws={"wavelength": (1e-7, 2.5e-7), "work_function": (1e-19, 5e-19)},
    asked="less the work function",
)
_add(
    "relativity.relativistic_doppler_frequency",
    "units.equivalencies.doppler_relativistic",
    lambda frequency, speed: (speed * u.m / u.s).to_value(u.Hz, u.doppler_relativistic(frequency * u.Hz)),
    draws={"speed": (-2.9e8, 2.9e8)},
)
_add(
    "relativity.recession_speed_from_redshift",
    "units.equivalencies.doppler_redshift",
    lambda redshift: (redshift * u.dimensionless_unscaled).to_value(u.m / u.s, u.doppler_redshift()),
)
_add(
    "quantum.planck_spectral_radiance",
    "modeling.models.BlackBody",
    lambda frequency, temperature: (
        BlackBody(temperature * u.K, scale=1 * u.W / u.m**2 / u.Hz / u.sr)(frequency * u.Hz).value
    ),
    draws={"frequency": (1e13, 1e15), "temperature": (300, 9000)},
    within=1e-8,
)
_add(
    "quantum.planck_wavelength_radiance",
    "modeling.models.BlackBody",
    lambda wavelength, temperature: BlackBody(temperature * u.K, scale=1 * u.W / u.m**3 / u.sr)(wavelength * u.m).value,
    draws={"wavelength": (3e-7, 2e-5), "temperature": (300, 9000)},
    within=1e-8,
)
_add(
    "astronomy.distance_modulus",
    "coordinates.Distance.distmod",
    lambda distance: Distance(distance * u.m).distmod.value,
    draws={"distance": (1e17, 1e20)},
)
_add(
    "astronomy.parallax_distance",
    "units.equivalencies.parallax",
    lambda parallax: (parallax * u.deg).to_value(u.m, u.parallax()),
    draws={"parallax": (1e-6, 1e-3)},
)
_add(
    "astronomy.magnitude_difference",
    "units.equivalencies.logarithmic",
    lambda flux, reference_flux: (flux / reference_flux * u.dimensionless_unscaled).to_value(u.mag, u.logarithmic()),
    near_zero=1e-12,
)
_add(
    "astronomy.star_luminosity",
    "modeling.models.BlackBody.bolometric_flux",
    lambda radius, temperature: (
        BlackBody(temperature * u.K).bolometric_flux * np.pi * 4 * np.pi * (radius * u.m) ** 2
    ).to_value(u.W),
    draws={"temperature": (2500, 40000), "radius": (1e8, 1e10)},
    asked="a radiance; times pi and the surface",
)
_add(
    "astronomy.comoving_distance",
    "cosmology.FlatLambdaCDM.comoving_distance",
    lambda hubble, redshift, matter: _universe(hubble, matter).comoving_distance(redshift).to_value(u.m),
    draws=_HUBBLE,
    within=1e-8,
)
_add(
    "astronomy.universe_age",
    "cosmology.FlatLambdaCDM.age",
    lambda hubble, matter: _universe(hubble, matter).age(0).to_value(u.s),
    draws=_HUBBLE,
    within=1e-8,
)
