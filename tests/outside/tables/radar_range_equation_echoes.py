"""Echoes and links of Radar-Range-Equation."""

# fmt: off
from __future__ import annotations

import math
from importlib.metadata import version
from typing import Any

import sympy
from oracle import OracleTable
from radar_range_equation.analysis import analysis
from radar_range_equation.converters import convert
from radar_range_equation.equations import equations
from radar_range_equation.solvers import solve
from radar_range_equation.variables import vars as given_to_it
from scipy.constants import c

TABLE = OracleTable("radar-range-equation", version("radar-range-equation"))
DRAWS = {
    "power": (1, 1e6), "gain": (1, 9e3), "receiver_gain": (1, 9e3), "wavelength": (0.003, 3), "cross_section": (0.01, 90), "distance": (10, 1e5), "smallest_signal": (1e-15, 1e-12),
    "radial_speed": (-900, 900), "bandwidth": (1e4, 1e9), "delay": (1e-7, 1e-3), "repetition_frequency": (100, 9e4), "size": (0.1, 9), "efficiency": (0.3, 0.9), "diameter": (0.1, 30),
}


def _solve(equation: Any, result: str, **given: float) -> float:
    """Put numbers into one of the equations, and take the positive solution for what is left."""
    put = equation.subs({sympy.Symbol("pi"): sympy.pi} | {sympy.Symbol(name): value for name, value in given.items()})
    return float(max(sympy.solve(put, sympy.Symbol(result)), key=float))


def _gain(efficiency: float, diameter: float, wavelength: float) -> float:
    """Ask for the aperture of a circular antenna, and for the gain of that aperture."""
    given_to_it.eta, given_to_it.D, given_to_it.pi = efficiency, diameter, math.pi
    return _solve(equations.G_t, "G_t", A_e=solve.A_e_circ(), **{"lambda": wavelength})


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"radar_range_equation.{function}", compute, **{"draws": DRAWS, "within": 1e-11, **more})


_add("radar.radar_received_power", "analysis.analysis.monostatic_received_power", lambda power, gain, wavelength, cross_section, distance: analysis.monostatic_received_power(power, gain, gain, wavelength, cross_section, distance))
_add("radar.radar_maximum_range", "equations.equations.R_max", lambda power, gain, wavelength, cross_section, smallest_signal: _solve(equations.R_max, "R_max", P_t=power, G_t=gain, **{"lambda": wavelength}, sigma=cross_section, S_min=smallest_signal))
_add("radar.doppler_shift", "equations.equations.eq_f_doppler", lambda radial_speed, wavelength: -_solve(equations.eq_f_doppler, "f_doppler", v=radial_speed, **{"lambda": wavelength}), asked="with the other sign")
_add("radar.range_resolution", "equations.equations.eq_delta_r_compressed", lambda bandwidth: _solve(equations.eq_delta_r_compressed, "delta_r", c=c, B=bandwidth))
_add("radar.unambiguous_range", "equations.equations.eq_R_un_from_fp", lambda repetition_frequency: _solve(equations.eq_R_un_from_fp, "R_un", c=c, f_p=repetition_frequency))
_add("radar.target_range", "equations.equations.eq_R_from_time", lambda delay: _solve(equations.eq_R_from_time, "R", c=c, t_delay=delay))
_add("antennas.effective_aperture", "equations.equations.G_t", lambda gain, wavelength: _solve(equations.G_t, "A_e", G_t=gain, **{"lambda": wavelength}), asked="solved for the aperture")
_add("antennas.friis_received_power", "analysis.analysis.jammer_received_power", lambda power, gain, receiver_gain, wavelength, distance: analysis.jammer_received_power(power, convert.lin_to_db(gain), convert.lin_to_db(receiver_gain), wavelength, distance), asked="the gains in decibels", within=1e-10)
_add("antennas.free_space_path_loss", "analysis.analysis.jammer_received_power", lambda distance, wavelength: -float(convert.lin_to_db(analysis.jammer_received_power(1, 0, 0, wavelength, distance))), asked="of 1 W between isotropic antennas, in decibels", within=1e-10)
_add("antennas.dish_gain", "solvers.solve.A_e_circ", _gain, asked="the gain of its aperture")
