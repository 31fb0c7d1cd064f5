"""Hertz's contacts of SciPy, from the displacements of an elastic half-space under the pressure."""

# fmt: off
from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import scipy
from oracle import OracleTable
from scipy import integrate, special

TABLE = OracleTable("scipy", scipy.__version__)
POINT = {"load": (1, 900), "radius": (0.001, 0.5), "contact_modulus": (1e9, 3e11)}
LINE = {"load_per_length": (1e3, 9e5), "radius": (0.001, 0.5), "contact_modulus": (1e9, 3e11)}
NAME = "scipy.integrate.quad"


def _integrate(function: Callable[[float], float], low: float, high: float) -> float:
    return float(integrate.quad(function, low, high, epsabs=0, epsrel=1e-12, limit=800)[0])


@cache
def _sink(at: float) -> float:
    """Sum how far the surface sinks at a radius, under an elliptic pressure on the unit circle of a half-space of unit modulus."""
    def share(angle: float) -> float:
        place = math.sin(angle)  # the pressure is its cosine
        return math.cos(angle) ** 2 * place / (at + place) * special.ellipkm1(max(((at - place) / (at + place)) ** 2, 1e-300))

    split = math.asin(at)  # where the share has no end
    return 4 / math.pi * (_integrate(share, 0, split) + _integrate(share, split, math.pi / 2))


@cache
def _press() -> tuple[float, float, float]:
    """Find load, curvature and approach of the unit circle under a pressure of 1 at its middle and a modulus of 1."""
    load = 2 * math.pi * _integrate(lambda angle: math.cos(angle) ** 2 * math.sin(angle), 0, math.pi / 2)
    middle = 2 * _integrate(lambda angle: math.cos(angle) ** 2, 0, math.pi / 2)
    return load, 2 * (middle - _sink(0.5)) / 0.5**2, middle


def _touch(load: float, radius: float, contact_modulus: float) -> tuple[float, float, float]:
    """Scale the unit circle: lengths by the contact's radius, pressures by the modulus; the surface follows the ball."""
    unit_load, unit_curvature, unit_approach = _press()
    # For a pressure p in the middle: load = p a^2 unit_load, 1 / radius = p / modulus / a * unit_curvature.
    contact = (load * radius * unit_curvature / (contact_modulus * unit_load)) ** (1 / 3)
    pressure = load / (contact**2 * unit_load)
    return contact, pressure, pressure / contact_modulus * contact * unit_approach


@cache
def _lie() -> tuple[float, float]:
    """Find load and curvature of a strip of unit half-width under a pressure of 1 at its middle and a modulus of 1."""
    load = 2 * _integrate(lambda angle: math.cos(angle) ** 2, 0, math.pi / 2)
    slope = integrate.quad(lambda place: math.sqrt(1 - place**2), -1, 1, weight="cauchy", wvar=0.5, epsrel=1e-12, limit=800)[0]
    return load, -2 / math.pi * slope / 0.5


def _roll(load_per_length: float, radius: float, contact_modulus: float) -> tuple[float, float]:
    unit_load, unit_curvature = _lie()
    half_width = math.sqrt(load_per_length * radius * unit_curvature / (contact_modulus * unit_load))
    return half_width, load_per_length / (half_width * unit_load)


ASKED = "of the half-space's displacements under an elliptic pressure"
TABLE.add("tribology.hertz_point_contact_radius", NAME, lambda *given: _touch(*given)[0], asked=ASKED, draws=POINT, within=1e-8)
TABLE.add("tribology.hertz_point_contact_pressure", NAME, lambda *given: _touch(*given)[1], asked=ASKED, draws=POINT, within=1e-8)
TABLE.add("tribology.hertz_point_contact_approach", NAME, lambda *given: _touch(*given)[2], asked=ASKED, draws=POINT, within=1e-8)
TABLE.add("tribology.hertz_line_contact_half_width", NAME, lambda *given: _roll(*given)[0], asked=ASKED, draws=LINE, within=1e-7)
TABLE.add("tribology.hertz_line_contact_pressure", NAME, lambda *given: _roll(*given)[1], asked=ASKED, draws=LINE, within=1e-7)
