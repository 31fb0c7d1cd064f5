"""Machines, soils, chips and echoes of SciPy, each by the integral, the equation or the extreme that its formula solves."""

# fmt: off
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import integrate, linalg, optimize
from scipy.constants import Boltzmann, elementary_charge, epsilon_0

TABLE = OracleTable("scipy", scipy.__version__)
QUAD, ROOT, EXTREME = "integrate.quad", "optimize.brentq", "optimize.minimize_scalar"


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"scipy.{function}", compute, **{"within": 1e-9, **more})


def _integrate(function: Callable[[float], float], low: float, high: float) -> float:
    return float(integrate.quad(function, low, high, epsabs=0, epsrel=1e-12, limit=400)[0])


def _solve(function: Callable[[float], float], low: float, high: float) -> float:
    return float(optimize.brentq(function, low, high, xtol=1e-300, rtol=1e-14, maxiter=900))


def _find_lowest(function: Callable[[float], float], low: float, high: float) -> Any:
    return optimize.minimize_scalar(function, bounds=(low, high), method="bounded", options={"xatol": 1e-12})


# Machines and vessels
MACHINE = {"friction": (0.1, 0.5), "peak_pressure": (1e5, 2e6), "inner_diameter": (0.05, 0.2), "outer_diameter": (0.25, 0.5), "pressure": (1e5, 9e6), "radius": (0.1, 2), "thickness": (1e-3, 0.02), "inner_radius": (0.05, 0.4), "outer_radius": (0.5, 1)}
_add("machine_design.disk_clutch_torque", QUAD, lambda friction, peak_pressure, inner_diameter, outer_diameter: _integrate(lambda r: friction * peak_pressure * inner_diameter / (2 * r) * 2 * math.pi * r * r, inner_diameter / 2, outer_diameter / 2), asked="the rings' friction, their pressure as of even wear", draws=MACHINE)
_add("structural.thin_cylinder_hoop_stress", QUAD, lambda pressure, radius, thickness: _integrate(lambda angle: pressure * radius * math.sin(angle), 0, math.pi) / (2 * thickness), asked="the pressure on half a ring, which two walls carry", draws=MACHINE)


def _swell(inner: float, outer: float, inside: float, outside: float) -> float:
    """Find the hoop stress at the bore of a ring from the balance of its slices: the sum of the stresses is the same everywhere."""
    def balance(r: Any, stress: Any, total: Any) -> Any:
        return np.array([(total[0] - 2 * stress[0]) / r])

    def ends(at_inner: Any, at_outer: Any, _total: Any) -> Any:
        return np.array([at_inner[0] + inside, at_outer[0] + outside])

    mesh = np.linspace(inner, outer, 60)
    found = integrate.solve_bvp(balance, ends, mesh, np.full((1, mesh.size), -(inside + outside) / 2), p=[0.0], tol=1e-10, max_nodes=200000)
    return float(found.p[0] + inside)


_add("structural.thick_cylinder_bore_stress", "integrate.solve_bvp", lambda pressure, inner_radius, outer_radius: pressure * _swell(inner_radius / outer_radius, 1.0, 1.0, 0.0), asked="the balance of slices, for a unit pressure", draws=MACHINE | {"inner_radius": (0.3, 0.6), "outer_radius": (0.7, 1)}, within=1e-8)
_add("manufacturing.merchant_shear_angle", EXTREME, lambda rake, friction: float(_find_lowest(lambda angle: 1 / (math.sin(angle) * math.cos(angle + friction - rake)), 0.01, math.pi / 2 + rake - friction - 0.01).x), asked="the angle of the least cutting force", draws={"rake": (-0.1, 0.3), "friction": (0.4, 0.9)}, within=5e-7)
_add("rocketry.staged_delta_v", QUAD, lambda exhaust_speeds, mass_ratios: sum(_integrate(lambda mass, speed=speed: speed / mass, 1, ratio) for speed, ratio in zip(exhaust_speeds, mass_ratios, strict=True)), asked="the speed that each part of the mass gives, by stages", draws={"n": (1, 4), "exhaust_speeds": (1500, 4500), "mass_ratios": (1.5, 9)})
_add("hydraulics.hydraulic_jump_loss", ROOT, lambda depth, depth_behind: _jump(depth, depth_behind), asked="the flow of equal momentum, and its energies", draws={"depth": (0.1, 0.5), "depth_behind": (0.8, 3)})


def _jump(depth: float, depth_behind: float) -> float:
    flow = _solve(lambda q: q / depth + depth**2 / 2 - q / depth_behind - depth_behind**2 / 2, 0, 1e3)  # its square over gravity
    return depth + flow / (2 * depth**2) - depth_behind - flow / (2 * depth_behind**2)


# Soils
SOIL = {"friction": (5, 45), "compression_index": (0.1, 0.6), "thickness": (0.5, 9), "void_ratio": (0.4, 1.5), "stress": (20, 300), "added_stress": (10, 300)}
_add("soil_mechanics.active_pressure_coefficient", EXTREME, lambda friction: -float(_find_lowest(lambda angle: -math.tan(angle - math.radians(friction)) / math.tan(angle), math.radians(friction), 1.57).fun), asked="of the wedge that pushes most", draws=SOIL)
_add("soil_mechanics.passive_pressure_coefficient", EXTREME, lambda friction: float(_find_lowest(lambda angle: math.tan(angle + math.radians(friction)) / math.tan(angle), 0.01, math.pi / 2 - math.radians(friction) - 0.01).fun), asked="of the wedge that holds least", draws=SOIL)
_add("soil_mechanics.primary_settlement", QUAD, lambda compression_index, thickness, void_ratio, stress, added_stress: thickness / (1 + void_ratio) * _integrate(lambda s: compression_index / (s * math.log(10)), stress, stress + added_stress), asked="the voids that go with the stress", draws=SOIL)

# Chips
CHIP = {"temperature": (200, 500), "capacitance": (1e-15, 1e-9), "mobility": (0.01, 0.2), "oxide_capacitance": (1e-3, 0.03), "width": (1e-6, 1e-4), "length": (1e-7, 1e-5), "gate_voltage": (1.5, 5), "threshold_voltage": (0.3, 0.9), "conduction_states": (1e24, 1e26), "valence_states": (1e24, 1e26), "gap": (1e-19, 3e-19), "relative_permittivity": (3, 16), "built_in_voltage": (0.4, 1), "reverse_voltage": (0, 20), "acceptors": (1e21, 1e24), "donors": (1e21, 1e24), "intrinsic": (1e15, 1e17)}
_add("electronics.ktc_noise_voltage", QUAD, lambda temperature, capacitance: math.sqrt(_integrate(lambda angle: 4 * Boltzmann * temperature / (2 * math.pi * capacitance), 0, math.pi / 2)), asked="the noise of a resistor behind its low-pass, over the arctangent of the frequency", draws=CHIP)
_add("semiconductors.mosfet_saturation_current", QUAD, lambda mobility, oxide_capacitance, width, length, gate_voltage, threshold_voltage: mobility * width / length * _integrate(lambda channel: oxide_capacitance * (gate_voltage - threshold_voltage - channel), 0, gate_voltage - threshold_voltage), asked="the charge along the channel", draws=CHIP)
_add("semiconductors.intrinsic_density", ROOT, lambda conduction_states, valence_states, gap, temperature: _level(conduction_states, valence_states, gap / (Boltzmann * temperature)), asked="the level at which electrons and holes are as many", draws=CHIP)
_add("semiconductors.depletion_width", ROOT, lambda relative_permittivity, built_in_voltage, reverse_voltage, acceptors, donors: _deplete(elementary_charge / (relative_permittivity * epsilon_0), built_in_voltage + reverse_voltage, acceptors, donors), asked="where the field of the charges holds the voltage", draws=CHIP, within=1e-8)
_add("semiconductors.built_in_voltage", QUAD, lambda temperature, acceptors, donors, intrinsic: Boltzmann * temperature / elementary_charge * _integrate(lambda electrons: 1 / electrons, intrinsic**2 / acceptors / donors, 1), asked="the field that holds the electrons' diffusion, over their density", draws=CHIP | {"intrinsic": (1e19, 1e20)})


def _level(conduction_states: float, valence_states: float, gap: float) -> float:
    level = _solve(lambda at: math.log(conduction_states / valence_states) + 2 * at - gap, 0, 2 * gap)
    return conduction_states * math.exp(level - gap)


def _deplete(strength: float, voltage: float, acceptors: float, donors: float) -> float:
    """Find the layer whose charges balance and whose field, summed over it, is the voltage."""
    def hold(width: float) -> float:
        left, right = width * donors / (acceptors + donors), width * acceptors / (acceptors + donors)
        field = _integrate(lambda x: strength * acceptors * x, 0, left) + _integrate(lambda x: strength * donors * x, 0, right)
        return field - voltage

    return _solve(hold, 1e-12, 1.0)


# Molecules, neutrons and antennas
ATOM = (1e-27, 1e-25)
_add("spectroscopy.harmonic_frequency", "linalg.eigh", lambda force_constant, mass_1, mass_2: math.sqrt(float(linalg.eigh([[1, -1], [-1, 1]], [[mass_1 / mass_2, 0], [0, 1]], eigvals_only=True)[1]) * force_constant / mass_2) / (2 * math.pi), asked="of the matrices of a spring between two masses", draws={"force_constant": (50, 2000), "mass_1": ATOM, "mass_2": ATOM})
_add("nuclear.neutron_collisions", QUAD, lambda mass_number, start_energy, end_energy: _integrate(lambda energy: 1 / energy, end_energy, start_energy) / _lose(((mass_number - 1) / (mass_number + 1)) ** 2), asked="the mean logarithm that an even spread of energies loses", draws={"mass_number": (2, 240), "start_energy": (1e3, 2e4), "end_energy": (1, 100)}, within=1e-8)


def _lose(least: float) -> float:
    return -_integrate(math.log, least, 1) / (1 - least)


SPACE = 120 * math.pi  # of free space, as these formulas have it, in ohms
AERIAL = {"length": (0.001, 0.02), "circumference": (0.01, 0.1), "wavelength": (1, 9), "turns": [1, 2, 5, 20], "elements": [2, 3, 5, 8], "spacing": (0.1, 0.9), "angle": (0.1, 3), "phase": (-3, 3)}


def _radiate(moment: float) -> float:
    """Sum the power of a short dipole over the sphere; its moment is its length in radians of the wave."""
    return 2 * _integrate(lambda angle: SPACE / 2 * (moment * math.sin(angle) / (4 * math.pi)) ** 2 * 2 * math.pi * math.sin(angle), 0, math.pi)


_add("antennas.short_dipole_radiation_resistance", QUAD, lambda length, wavelength: _radiate(2 * math.pi * length / wavelength), asked="the power of its field over the sphere", draws=AERIAL)
_add("antennas.small_loop_radiation_resistance", QUAD, lambda circumference, wavelength, turns: _radiate(turns * (2 * math.pi / wavelength) ** 2 * circumference**2 / (4 * math.pi)), asked="the power of its field over the sphere", draws=AERIAL)
