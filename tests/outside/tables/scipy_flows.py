"""Springs, films, bubbles, shocks and sources of SciPy, each by the integral, the balance or the boundary values behind it."""

# fmt: off
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import integrate, optimize, signal

TABLE = OracleTable("scipy", scipy.__version__)
QUAD, ROOT = "integrate.quad", "optimize.brentq"


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"scipy.{function}", compute, **{"within": 1e-9, **more})


def _integrate(function: Callable[[float], float], low: float, high: float) -> float:
    return float(integrate.quad(function, low, high, epsabs=0, epsrel=1e-12, limit=400)[0])


def _solve(function: Callable[[float], float], low: float, high: float) -> float:
    return float(optimize.brentq(function, low, high, xtol=1e-300, rtol=1e-14, maxiter=900))


def _coil(shear_modulus: float, wire_diameter: float, coil_diameter: float, active_coils: float) -> float:
    """Twist the wire of a spring under a unit force, and sum how far its turns give way."""
    polar = _integrate(lambda r: 2 * math.pi * r**3, 0, wire_diameter / 2)
    arm = coil_diameter / 2
    return 1 / _integrate(lambda angle: arm / (shear_modulus * polar) * arm * arm, 0, 2 * math.pi * active_coils)


def _shear(viscosity: float, speed: float, gap: float) -> float:
    """Find the flow between a wall that rests and one that moves; no force acts within."""
    place = np.linspace(0, 1, 11)
    flow = integrate.solve_bvp(lambda _, u: np.array([u[1], 0 * u[1]]), lambda low, high: np.array([low[0], high[0] - 1]), place, np.zeros((2, place.size)), tol=1e-11)
    return float(viscosity * speed / gap * flow.sol(0)[1])


def _behind(mach: float, ratio: float) -> float:
    """Find how far a normal shock slows the gas, by its mass, momentum and energy; density and pressure before it are 1."""
    speed = mach * math.sqrt(ratio)

    def keep(slowing: float) -> float:
        pressure = 1 + speed**2 * (1 - slowing)
        gained = ratio / (ratio - 1) * (pressure * slowing - 1) + speed**2 * (slowing**2 - 1) / 2
        return gained / (slowing - 1)  # a slowing of 1, no shock, is a solution too

    return _solve(keep, 1e-3, 1 - 1e-9)


def _bend(mach: float, deflection: float, heat_capacity_ratio: float) -> float:
    """Find the weak wave across which the flow along it keeps its speed and the flow through it is slowed."""
    def turn(wave: float) -> float:
        return wave - math.atan(_behind(mach * math.sin(wave), heat_capacity_ratio) * math.tan(wave))

    start = math.asin(1 / mach) + 1e-4
    strongest = float(optimize.minimize_scalar(lambda wave: -turn(wave), bounds=(start, math.pi / 2 - 1e-4), method="bounded").x)
    return _solve(lambda wave: turn(wave) - deflection, start, strongest)


DRAWS = {
    "shear_modulus": (1e10, 9e10), "wire_diameter": (0.001, 0.01), "coil_diameter": (0.015, 0.09), "active_coils": (3, 20), "viscosity": (1e-3, 1), "speed": (0.01, 9), "gap": (1e-5, 1e-2),
    "surface_tension": (0.01, 0.5), "radius": (1e-5, 1e-2), "strength": (1e3, 1e12), "distance": (0.1, 90), "time": (1, 900), "start_power": (1, 900), "end_power": (1e3, 1e6),
    "transmissibility": (0.02, 0.9), "mach": (1.8, 5), "deflection": (0.05, 0.3), "heat_capacity_ratio": (1.2, 1.6),
}
_add("machine_design.helical_spring_rate", QUAD, _coil, asked="the twist of the wire, along its turns", draws=DRAWS)
_add("fluids.couette_shear_stress", "integrate.solve_bvp", _shear, asked="the flow between the walls", draws=DRAWS)
_add("fluids.bubble_pressure", QUAD, lambda surface_tension, radius: 2 * math.pi * radius * surface_tension / _integrate(lambda angle: 2 * math.pi * radius**2 * math.sin(angle) * math.cos(angle), 0, math.pi / 2), asked="the pressure on half a sphere, which its rim holds", draws=DRAWS)
_add("nuclear.point_source_flux", QUAD, lambda strength, distance: strength / _integrate(lambda angle: 2 * math.pi * distance**2 * math.sin(angle), 0, math.pi), asked="over the sphere", draws=DRAWS)
_add("nuclear.reactor_period", QUAD, lambda time, start_power, end_power: time / _integrate(lambda power: 1 / power, start_power, end_power), asked="the power's own growth, summed up", draws=DRAWS)
_add("vibrations.isolation_frequency_ratio", "signal.freqs", lambda transmissibility: _solve(lambda ratio: float(abs(signal.freqs([1.0], [1.0, 0.0, 1.0], [ratio])[1][0])) - transmissibility, 1.4, 100), asked="the response of a mass on a spring, solved for the frequency", draws=DRAWS)
_add("aerodynamics.oblique_shock_wave_angle", ROOT, _bend, asked="what the shock keeps of mass, momentum and energy", draws=DRAWS, within=1e-8)
