"""Plasmas and relativistic bodies of PlasmaPy."""
# fmt: off  # a row compares one capability

from __future__ import annotations

import contextlib
import sys
from typing import Any

import numpy as np
from astropy import constants as const
from astropy import units as u
from oracle import OracleTable

with contextlib.redirect_stdout(sys.stderr):  # it says there that it reaches no network
    import plasmapy
    from plasmapy import formulary
    from plasmapy.formulary.relativity import Lorentz_factor, RelativisticBody
    from plasmapy.particles import CustomParticle

TABLE = OracleTable("plasmapy", plasmapy.__version__)
_FAST = {"speed": (1e6, 2.9e8)}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"plasmapy.formulary.{function}", compute, **{"within": 1e-9, **more})


def _body(mass: float, charge: float = 1.602e-19) -> CustomParticle:
    return CustomParticle(mass=mass * u.kg, charge=charge * u.C)


_ION = {
    "mass": (1e-27, 9e-27),
    "charge": (1e-19, 9e-19),
    "speed": (1e3, 9e5),
    "ion_mass": (1e-27, 9e-27),
    "electron_temperature": (1e4, 9e6),
    "ion_temperature": (1e4, 9e6),
}
_add(
    "plasma.alfven_speed",
    "Alfven_speed",
    lambda field, mass_density: formulary.Alfven_speed(field * u.T, mass_density * u.kg / u.m**3).si.value,
    draws={"mass_density": (1e-6, 1e-3), "field": (0.01, 0.1)},
)
_add(
    "plasma.cyclotron_frequency",
    "gyrofrequency",
    lambda charge, field, mass: formulary.gyrofrequency(field * u.T, _body(mass, charge), to_hz=True).value,
    draws=_ION,
)
_add(
    "plasma.debye_number",
    "Debye_number",
    lambda temperature, density: formulary.Debye_number(temperature * u.K, density / u.m**3).value,
    draws={"temperature": (1e4, 1e7), "density": (1e14, 1e20)},
)
_add(
    "plasma.exb_drift_speed",
    "ExB_drift",
    lambda electric_field, angle, field: np.linalg.norm(
        formulary.ExB_drift(
            electric_field * np.array([np.sin(angle), 0, np.cos(angle)]) * u.V / u.m, np.array([0, 0, field]) * u.T
        ).si.value
    ),
)
_add(
    "plasma.ion_sound_speed",
    "ion_sound_speed",
    lambda electron_temperature, adiabatic_index, ion_temperature, ion_mass: (
        formulary.ion_sound_speed(
            electron_temperature * u.K,
            ion_temperature * u.K,
            _body(ion_mass, const.e.si.value),
            gamma_e=1,
            gamma_i=adiabatic_index,
        ).si.value
    ),
    draws=_ION,
)
_add(
    "plasma.larmor_radius",
    "gyroradius",
    lambda mass, speed, charge, field: (
        formulary.gyroradius(field * u.T, _body(mass, charge), Vperp=speed * u.m / u.s, relativistic=False).si.value
    ),
    draws=_ION,
)
_add(
    "plasma.plasma_beta",
    "beta",
    lambda pressure, field: formulary.beta(1e4 * u.K, pressure * u.Pa / (const.k_B * 1e4 * u.K), field * u.T).si.value,
)
_add(
    "quantum.de_broglie_wavelength",
    "deBroglie_wavelength",
    lambda mass, speed: formulary.deBroglie_wavelength(speed * u.m / u.s, _body(mass)).si.value,
    draws={"mass": (1e-30, 9e-27), "speed": (10, 1000)},
)
_add("relativity.lorentz_factor", "Lorentz_factor", lambda speed: float(Lorentz_factor(speed * u.m / u.s)), draws=_FAST)
_add(
    "relativity.length_contraction",
    "Lorentz_factor",
    lambda proper_length, speed: proper_length / float(Lorentz_factor(speed * u.m / u.s)),
    draws=_FAST,
    asked="proper length divided by it",
)
_add(
    "relativity.time_dilation",
    "Lorentz_factor",
    lambda proper_time, speed: proper_time * float(Lorentz_factor(speed * u.m / u.s)),
    draws=_FAST,
    asked="proper time times it",
)
_add(
    "relativity.relativistic_kinetic_energy",
    "relativity.RelativisticBody.kinetic_energy",
    lambda mass, speed: RelativisticBody(_body(mass), V=speed * u.m / u.s).kinetic_energy.si.value,
    draws={"mass": (1e-30, 9e-27), "speed": (1e7, 2.9e8)},
)
_add(
    "relativity.relativistic_energy",
    "relativity.RelativisticBody.total_energy",
    lambda momentum, mass: RelativisticBody(_body(mass), momentum=momentum * u.kg * u.m / u.s).total_energy.si.value,
    draws={"mass": (1e-27, 9e-27), "momentum": (1e-20, 5e-18)},
)
