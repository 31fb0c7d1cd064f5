"""Balances, circuits, channels, walls and shares as equations, solved by SciPy."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import integrate, interpolate, linalg, optimize, stats
from scipy.constants import sigma

TABLE = OracleTable("scipy", scipy.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"scipy.{function}", compute, **{"within": 1e-8, **more})


def _follow(law: Callable[..., Any], start: float, time: float) -> float:
    return float(integrate.solve_ivp(law, (0, time), [start], method="DOP853", rtol=1e-11, atol=1e-13).y[0, -1])


def _sum_up(rate: Callable[[float], float], low: float, high: float) -> float:
    return float(integrate.quad(rate, low, high, epsrel=1e-12)[0])


# Enzymes: shares of the states at equilibrium


def _bind(equal: Sequence[Sequence[float]]) -> float:
    """The share of the enzyme with its substrate: each row is a balance of states, and all are one enzyme."""
    size = len(equal[0])
    return float(linalg.solve(np.array([*equal, [1.0] * size]), np.array([0.0] * len(equal) + [1.0]))[1])


_add(
    "biochemistry.michaelis_menten_rate",
    "linalg.solve",
    lambda maximum_rate, michaelis_constant, substrate: maximum_rate * _bind([[substrate, -michaelis_constant]]),
    asked="E S = K ES",
)
_add(
    "biochemistry.competitive_rate",
    "linalg.solve",
    lambda maximum_rate, michaelis_constant, substrate, inhibitor, inhibition_constant: (
        maximum_rate * _bind([[substrate, -michaelis_constant, 0], [inhibitor, 0, -inhibition_constant]])
    ),
    asked="E S = K ES, E I = K EI",
)
_add(
    "biochemistry.uncompetitive_rate",
    "linalg.solve",
    lambda maximum_rate, michaelis_constant, substrate, inhibitor, inhibition_constant: (
        maximum_rate * _bind([[substrate, -michaelis_constant, 0], [0, inhibitor, -inhibition_constant]])
    ),
    asked="E S = K ES, ES I = K ESI",
)
_add(
    "biochemistry.noncompetitive_rate",
    "linalg.solve",
    lambda maximum_rate, michaelis_constant, substrate, inhibitor, inhibition_constant: (
        maximum_rate
        * _bind(
            [
                [substrate, -michaelis_constant, 0, 0],
                [inhibitor, 0, -inhibition_constant, 0],
                [0, inhibitor, 0, -inhibition_constant],
            ]
        )
    ),
    asked="E S = K ES, E I = K EI, ES I = K ESI",
)
_add(
    "biochemistry.substrate_inhibition_rate",
    "linalg.solve",
    lambda maximum_rate, michaelis_constant, substrate, inhibition_constant: (
        maximum_rate * _bind([[substrate, -michaelis_constant, 0], [0, substrate, -inhibition_constant]])
    ),
    asked="E S = K ES, ES S = K ESS",
)
_add(
    "chemistry.langmuir_coverage",
    "linalg.solve",
    lambda adsorption_constant, pressure: _bind([[adsorption_constant * pressure, -1.0]]),
    asked="K p of the free sites are covered",
)

# Circuits and radiation as linear systems
_add(
    "electrical.voltage_divider",
    "linalg.solve",
    lambda supply_voltage, upper_resistance, lower_resistance: float(
        linalg.solve([[1 / upper_resistance + 1 / lower_resistance]], [supply_voltage / upper_resistance])[0]
    ),
    asked="currents of the node",
)
_add(
    "electrical.wheatstone_unknown_resistance",
    "optimize.brentq",
    lambda upper_known, lower_known, reference: optimize.brentq(
        lambda x: lower_known / (upper_known + lower_known) - x / (reference + x), 1e-9, 1e9, xtol=1e-14, rtol=1e-14
    ),
    asked="no voltage over the bridge",
)
_add(
    "heat_transfer.gray_plates_exchange",
    "linalg.solve",
    lambda area, hot_temperature, cold_temperature, hot_emissivity, cold_emissivity: (
        area
        * float(
            np.subtract(
                *linalg.solve(
                    [[1, hot_emissivity - 1], [cold_emissivity - 1, 1]],
                    [hot_emissivity * sigma * hot_temperature**4, cold_emissivity * sigma * cold_temperature**4],
                )
            )
        )
    ),
    draws={
        "hot_temperature": (600, 900),
        "cold_temperature": (250, 500),
        "hot_emissivity": (0.1, 0.95),
        "cold_emissivity": (0.1, 0.95),
    },
    asked="radiosities of both plates",
)
_add(
    "heat_transfer.sphere_wall_heat_flow",
    "integrate.quad",
    lambda conductivity, inner_temperature, outer_temperature, inner_radius, outer_radius: (
        (inner_temperature - outer_temperature)
        / _sum_up(lambda r: 1 / (4 * np.pi * r * r * conductivity), inner_radius, outer_radius)
    ),
    draws={
        "inner_radius": (0.1, 1),
        "outer_radius": (1.1, 3),
        "inner_temperature": (400, 500),
        "outer_temperature": (280, 390),
    },
    asked="resistance of the shells",
)
_add(
    "heat_transfer.fin_efficiency",
    "integrate.solve_bvp",
    lambda coefficient, perimeter, conductivity, section, length: _cool(
        np.sqrt(coefficient * perimeter / (conductivity * section)) * length
    ),
    within=1e-5,
    draws={"length": (0.1, 1), "coefficient": (0.1, 2), "conductivity": (1, 9)},
    asked="T'' = m^2 T, an adiabatic tip",
)


def _cool(steep: float) -> float:
    run = integrate.solve_bvp(
        lambda _, y: np.vstack((y[1], steep**2 * y[0])),
        lambda a, b: np.array([a[0] - 1, b[1]]),
        np.linspace(0, 1, 11),
        np.ones((2, 11)),
        tol=1e-10,
        max_nodes=20000,
    )
    return float(-run.y[1, 0] / steep**2)


# Channels, weirs and wells
_FLOW = {
    "froude_number": (1.5, 9),
    "gravity": (1, 10),
    "notch_angle": (0.3, 2.5),
    "coefficient": (0.3, 0.9),
    "outer_head": (5, 9),
    "inner_head": (1, 4),
    "outer_radius": (50, 300),
    "inner_radius": (0.1, 1),
}
_add(
    "hydraulics.hydraulic_jump_depth",
    "optimize.brentq",
    lambda depth, froude_number: optimize.brentq(
        lambda y: depth**2 / 2 + froude_number**2 * depth**2 - y**2 / 2 - froude_number**2 * depth**3 / y,
        depth * 1.01,
        depth * 30,
        xtol=1e-14,
        rtol=1e-14,
    ),
    draws=_FLOW,
    asked="momentum before and behind",
)
_add(
    "hydraulics.rectangular_critical_depth",
    "optimize.brentq",
    lambda flow_per_width, gravity: optimize.brentq(
        lambda y: 1 - flow_per_width**2 / (gravity * y**3), 1e-6, 1e6, xtol=1e-14, rtol=1e-14
    ),
    draws=_FLOW,
    asked="the least specific energy",
)
_add(
    "hydraulics.rectangular_weir_flow",
    "integrate.quad",
    lambda coefficient, width, gravity, head: _sum_up(
        lambda z: coefficient * width * np.sqrt(2 * gravity * z), 0, head
    ),
    draws=_FLOW,
    asked="the speed of outflow over the depth",
)
_add(
    "hydraulics.v_notch_weir_flow",
    "integrate.quad",
    lambda coefficient, gravity, notch_angle, head: _sum_up(
        lambda z: coefficient * 2 * (head - z) * np.tan(notch_angle / 2) * np.sqrt(2 * gravity * z), 0, head
    ),
    draws=_FLOW,
    asked="the speed of outflow over the depth of the notch",
)
_add(
    "hydraulics.dupuit_well_yield",
    "integrate.quad",
    lambda conductivity, outer_head, inner_head, outer_radius, inner_radius: (
        _sum_up(lambda h: h, inner_head, outer_head)
        / _sum_up(lambda r: 1 / (2 * np.pi * r * conductivity), inner_radius, outer_radius)
    ),
    draws=_FLOW,
    asked="h dh against dr / (2 pi r K)",
)
_add(
    "hydrology.horton_infiltration",
    "integrate.solve_ivp",
    lambda final_rate, initial_rate, decay, time: _follow(
        lambda _, s: [-decay * (s[0] - final_rate)], initial_rate, time
    ),
    draws={"final_rate": (1, 4), "initial_rate": (5, 9), "decay": (0.1, 2), "time": (0.1, 3)},
    asked="f' = -k (f - end)",
)
_add(
    "hydrology.exceedance_risk",
    "stats.binom.sf",
    lambda return_period, years: stats.binom.sf(0, years, 1 / return_period),
    draws={"return_period": (2, 200), "years": (1, 50)},
    asked="more than 0 in all years",
)

# Attenuation, decay and shares
_add(
    "nuclear.shielded_intensity",
    "integrate.solve_ivp",
    lambda intensity, mass_attenuation, density, thickness: _follow(
        lambda _, s: [-mass_attenuation * density * s[0]], intensity, thickness
    ),
    draws={"mass_attenuation": (0.1, 1), "density": (0.1, 2), "thickness": (0.1, 2)},
    asked="I' = -mu rho I",
)
_add(
    "food_engineering.survivors",
    "integrate.solve_ivp",
    lambda start, time, d_value: _follow(lambda _, s: [-np.log(10) / d_value * s[0]], start, time),
    draws={"time": (0.1, 2), "d_value": (1, 5)},
    asked="N' = -ln 10 / D N",
)
_add(
    "photonics.aperture_transmission",
    "integrate.quad",
    lambda aperture_radius, beam_radius: _sum_up(
        lambda r: 4 * r / beam_radius**2 * np.exp(-2 * (r / beam_radius) ** 2), 0, aperture_radius
    ),
    draws={"aperture_radius": (0.5, 2), "beam_radius": (0.5, 2)},
    asked="intensity over the opening",
)
_add(
    "radar.steady_target_detection_threshold",
    "stats.expon.isf",
    lambda false_alarm_probability: stats.expon.isf(false_alarm_probability),
)
_add(
    "radar.swerling_one_detection",
    "stats.expon.sf",
    lambda false_alarm_probability, signal_to_noise: stats.expon.sf(
        stats.expon.isf(false_alarm_probability), scale=1 + signal_to_noise
    ),
    asked="of the threshold, with the power of noise and signal",
)

# Beams and sections
_add(
    "structural.rectangle_inertia",
    "integrate.quad",
    lambda width, height: _sum_up(lambda y: width * y * y, -height / 2, height / 2),
    asked="y^2 over the section",
)
_add(
    "structural.tube_inertia",
    "integrate.quad",
    lambda outer_diameter, inner_diameter: _sum_up(lambda r: np.pi * r**3, inner_diameter / 2, outer_diameter / 2),
    draws={"outer_diameter": (3, 9), "inner_diameter": (0.5, 2.5)},
    asked="r^2 over the section, halved",
)


def _turn(steepness: float) -> float:
    """Where a pinned column has turned sideways: w'' = -q^2 w."""
    return float(
        integrate.solve_ivp(
            lambda _, s: [s[1], -(steepness**2) * s[0]], (0, 1), [0, 1], method="DOP853", rtol=1e-12, atol=1e-14
        ).y[0, -1]
    )


_HALF = optimize.brentq(_turn, 2.5, 3.8, xtol=1e-13)
_add(
    "structural.euler_buckling_load",
    "integrate.solve_ivp",
    lambda modulus, inertia, effective_length_factor, length: (
        modulus * inertia * (_HALF / (effective_length_factor * length)) ** 2
    ),
    asked="E I w'' = -P w between pins, by shooting",
)


def _vibrate(harmonic: int) -> float:
    return float(optimize.brentq(_turn, np.pi * (harmonic - 0.4), np.pi * (harmonic + 0.4), xtol=1e-13))


_MODES = [_vibrate(each) for each in range(1, 6)]
_add(
    "acoustics.string_frequency",
    "integrate.solve_ivp",
    lambda harmonic, length, tension, linear_density: (
        _MODES[harmonic - 1] / (2 * np.pi * length) * np.sqrt(tension / linear_density)
    ),
    draws={"harmonic": (1, 5)},
    asked="T w'' = -m omega^2 w between ends, by shooting",
)
_add(
    "materials.principal_stresses_plane",
    "linalg.eigvalsh",
    lambda stress_x, stress_y, shear: _turn_stress(stress_x, stress_y, shear),
)


def _turn_stress(stress_x: float, stress_y: float, shear: float) -> dict[str, float]:
    low, high = (float(each) for each in linalg.eigvalsh([[stress_x, shear], [shear, stress_y]]))
    return {"largest": high, "smallest": low, "largest_shear": (high - low) / 2}


# Interpolation
_add(
    "interpolation.divided_differences",
    "interpolate.KroghInterpolator",
    lambda x, y: interpolate.KroghInterpolator(x, y).c.ravel()[: len(x)],
    prepare=lambda given: {**given, "x": sorted(given["x"])},
    near_zero=1e-12,
)
_add(
    "interpolation.bezier_point",
    "interpolate.BPoly",
    lambda controls, t: interpolate.BPoly(np.array(controls)[:, None, :], [0, 1])(t),
    draws={"t": (0, 1)},
    near_zero=1e-12,
)
