"""Coils, converters, fits, pumps and extractions of SciPy, each by the integral, the balance or the boundary values behind it."""

# fmt: off
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import differentiate, integrate, linalg, optimize

TABLE = OracleTable("scipy", scipy.__version__)
QUAD, ROOT = "integrate.quad", "optimize.brentq"


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"scipy.{function}", compute, **{"within": 1e-9, **more})


def _integrate(function: Callable[[float], float], low: float, high: float) -> float:
    return float(integrate.quad(function, low, high, epsabs=0, epsrel=1e-12, limit=400)[0])


def _solve(function: Callable[[float], float], low: float, high: float) -> float:
    return float(optimize.brentq(function, low, high, xtol=1e-300, rtol=1e-14, maxiter=900))


# Coils
COIL = {"frequency": (10, 400), "turns": (2, 900), "field": (0.01, 2), "area": (1e-4, 0.1), "voltage": (1, 400)}
_add("electromagnetism.faraday_coil_voltage", "differentiate.derivative", lambda frequency, turns, field, area: turns * frequency * float(differentiate.derivative(lambda cycle: field * area * np.sin(2 * math.pi * cycle), 0.0, initial_step=0.05, order=12, tolerances={"rtol": 1e-13}).df), asked="the flux where it changes most, over the cycle", draws=COIL)
_add("power_systems.transformer_peak_flux_density", QUAD, lambda voltage, frequency, turns, area: _integrate(lambda cycle: math.sqrt(2) * voltage * math.sin(2 * math.pi * cycle), 0, 0.5) / frequency / (2 * turns * area), asked="the volt-seconds of half a wave, which swing the flux from end to end", draws=COIL)


# Converters: what the coil takes up while the switch is closed it gives back while the switch is open
def _convert(rise: Callable[[float], float], fall: Callable[[float], float], duty_cycle: float) -> float:
    def gain(output: float) -> float:
        return integrate.quad(lambda _: rise(output), 0, duty_cycle)[0] - integrate.quad(lambda _: fall(output), duty_cycle, 1)[0]

    return _solve(gain, 0, 1e6)


DUTY = {"input_voltage": (1, 400), "duty_cycle": (0.05, 0.95)}
_add("electronics.boost_output_voltage", ROOT, lambda input_voltage, duty_cycle: _convert(lambda _: input_voltage, lambda output: output - input_voltage, duty_cycle), asked="the output at which the coil's volt-seconds of a cycle balance", draws=DUTY)
_add("electronics.buck_boost_output_voltage", ROOT, lambda input_voltage, duty_cycle: _convert(lambda _: input_voltage, lambda output: output, duty_cycle), asked="the output at which the coil's volt-seconds of a cycle balance", draws=DUTY)


# Fits
def _interfere(diameter: float, hub_diameter: float) -> float:
    """Find by how much a unit pressure, in moduli, shrinks a solid shaft and widens the hub around it, both of one material."""
    def stretch(r: Any, u: Any) -> Any:
        return np.array([u[1], u[0] / r**2 - u[1] / r])

    poisson = 0.3  # it is the same in both and cancels

    def stress(r: float, u: Any) -> Any:
        return (u[1] + poisson * u[0] / r) / (1 - poisson**2)

    hub = np.linspace(diameter / 2, hub_diameter / 2, 60)
    guess = np.full((2, hub.size), 0.1)
    widened = integrate.solve_bvp(stretch, lambda a, b: np.array([stress(hub[0], a) + 1, stress(hub[-1], b)]), hub, guess, tol=1e-11, max_nodes=200000)
    shrunk = (1 - poisson) * diameter / 2  # even pressure on a solid disk
    return float(2 * (widened.sol(hub[0])[0] + shrunk))


_add("machine_design.press_fit_pressure", "integrate.solve_bvp", lambda modulus, interference, diameter, hub_diameter: modulus * interference / hub_diameter / _interfere(diameter / hub_diameter, 1.0), asked="the displacements of a hub and of a solid shaft in one plane", draws={"modulus": (1e10, 4e11), "interference": (1e-6, 1e-4), "diameter": (0.05, 0.1), "hub_diameter": (0.15, 0.25)}, within=1e-8)

# Pumps, channels and extractions
PUMP = {"shutoff_head": (30, 90), "static_head": (1, 25), "pump_coefficient": (10, 9000), "system_coefficient": (10, 9000)}
_add("pumps.duty_point_flow", ROOT, lambda shutoff_head, static_head, pump_coefficient, system_coefficient: _solve(lambda flow: shutoff_head - pump_coefficient * flow**2 - static_head - system_coefficient * flow**2, 0, 100), asked="where the heads of pump and system meet", draws=PUMP)
_add("hydrology.muskingum_outflow", ROOT, lambda inflow_end, inflow_start, outflow_start, storage_time, weight, step: _route(inflow_end, inflow_start, outflow_start, storage_time, weight, step), asked="the outflow that keeps the water", draws={"inflow_end": (20, 90), "inflow_start": (10, 60), "outflow_start": (10, 60), "storage_time": (3600, 36000), "weight": (0.05, 0.4), "step": (3000, 9000)})


def _route(inflow_end: float, inflow_start: float, outflow_start: float, storage_time: float, weight: float, step: float) -> float:
    def store(inflow: float, outflow: float) -> float:
        return storage_time * (weight * inflow + (1 - weight) * outflow)

    def keep(outflow: float) -> float:
        gained = step * ((inflow_start + inflow_end) / 2 - (outflow_start + outflow) / 2)
        return gained - store(inflow_end, outflow) + store(inflow_start, outflow_start)

    return _solve(keep, -1e4, 1e4)


def _extract(distribution_ratio: float, solvent_volume: float, water_volume: float, extractions: int) -> float:
    left = 1.0
    for _ in range(extractions):
        left = _solve(lambda water, before=left: distribution_ratio * water / water_volume - (before - water) / solvent_volume, 0, left)
    return left


_add("chemistry.extraction_remaining", ROOT, _extract, asked="the balance of each extraction, one after the other", draws={"distribution_ratio": (0.2, 20), "solvent_volume": (0.01, 1), "water_volume": (0.01, 1), "extractions": [1, 2, 3, 5]})


def _buffer(concentration: float, acid_constant: float, hydrogen: float, water_product: float) -> float:
    """Find how much strong base a pH asks for, by the balance of charges, and its slope."""
    def base(ph: Any) -> Any:
        ions = 10.0**-ph
        return concentration * acid_constant / (acid_constant + ions) + water_product / ions - ions

    return float(differentiate.derivative(base, -math.log10(hydrogen), initial_step=0.1, order=10, tolerances={"rtol": 1e-12}).df)


_add("chemistry.buffer_capacity", "differentiate.derivative", _buffer, asked="the base by the balance of charges, over the pH", draws={"concentration": (0.01, 1), "acid_constant": (1e-6, 1e-4), "hydrogen": (1e-6, 1e-4), "water_product": (1e-15, 1e-13)}, within=1e-7)


# Oscillations
def _damp(decrement: float) -> float:
    """Find the damping whose free motion shrinks by the decrement in one of its periods."""
    def shrink(ratio: float) -> float:
        period = 2 * math.pi / math.sqrt(1 - ratio**2)
        moved = linalg.expm(np.array([[0.0, 1.0], [-1.0, -2 * ratio]]) * period)
        return -math.log(float(moved[0, 0])) - decrement

    return _solve(shrink, 1e-9, 0.95)


_add("vibrations.damping_ratio_from_decrement", "linalg.expm", _damp, asked="the free motion over one period", draws={"decrement": (0.05, 6)}, within=1e-8)
