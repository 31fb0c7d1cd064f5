"""Orbits and maneuvers of boinor. Its environment may be its own: its plots want a plotly older than others do."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from typing import Any

import boinor.twobody  # first, for its modules import each other
import numpy as np
from astropy import units as u
from boinor.bodies import Earth, Jupiter, Mars, Mercury, Neptune, Saturn, Uranus, Venus
from boinor.core import angles, elements, flybys, maneuver
from boinor.core.propagation.farnocchia import delta_t_from_nu, farnocchia_coe
from boinor.core.thrust.change_a_inc import extra_quantities
from boinor.threebody import restricted, soi
from boinor.twobody.mean_elements import get_mean_elements
from oracle import OracleTable

TABLE = OracleTable("boinor", metadata.version("boinor"))
ROUND = {
    "gravitational_parameter": (3e13, 1.3e17),
    "semi_major_axis": (7e6, 5e9),
    "start_radius": (7e6, 5e7),
    "end_radius": (7e6, 5e7),
    "intermediate_radius": (5e7, 5e8),
    "eccentricity": (0.01, 0.9),
    "true_anomaly": (-3.1, 3.1),
    "inclination": (0.05, 3.0),
    "ascending_node": (0.05, 6.2),
    "argument_of_periapsis": (0.05, 6.2),
    "semi_latus_rectum": (7e6, 5e8),
}
HYPERBOLA = {"eccentricity": (1.05, 4.0), "true_anomaly": (-1.7, 1.7), "mean_anomaly": (-8.0, 8.0)}
STATE = {f"{axis}_position": (-4e7, 4e7) for axis in "xyz"} | {f"{axis}_velocity": (-3e3, 3e3) for axis in "xyz"}
PLANETS = (Mercury, Venus, Earth, Mars, Jupiter, Saturn, Uranus, Neptune)
OF_THE_EARTH = {
    "gravitational_parameter": float(Earth.k.to_value(u.m**3 / u.s**2)),
    "oblateness": float(Earth.J2.value),
    "planet_radius": float(Earth.R.to_value(u.m)),
}


def _add(name: str, function: str, compute: Callable[..., Any], within: float = 1e-10, **more: Any) -> None:
    draws = {**ROUND, **more.pop("draws", {})}
    TABLE.add(f"astrodynamics.{name}", f"boinor.{function}", compute, within=within, draws=draws, **more)


def _make_orbit(gravitational_parameter: float, semi_major_axis: float, eccentricity: float) -> Any:
    body = boinor.bodies.Body(None, gravitational_parameter * u.m**3 / u.s**2, "center")
    zero = 0 * u.rad
    return boinor.twobody.Orbit.from_classical(
        body, semi_major_axis * u.m, eccentricity * u.one, zero, zero, zero, zero
    )


def _start_round(gravitational_parameter: float, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Return position and velocity on a circular orbit."""
    speed = float(elements.circular_velocity(gravitational_parameter, radius))
    return np.array([radius, 0.0, 0.0]), np.array([0.0, speed, 0.0])


def _transfer(
    gravitational_parameter: float, start_radius: float, intermediate_radius: float, end_radius: float
) -> Any:
    at = _start_round(gravitational_parameter, start_radius)
    return maneuver.bielliptic(gravitational_parameter, intermediate_radius, end_radius, at)


def _ask_elements(gravitational_parameter: float, **state: float) -> dict[str, float]:
    r = np.array([state[f"{axis}_position"] for axis in "xyz"])
    v = np.array([state[f"{axis}_velocity"] for axis in "xyz"])
    p, ecc, inc, raan, argp, nu = elements.rv2coe(gravitational_parameter, r, v)
    return {
        "semi_major_axis": p / (1 - ecc**2),
        "eccentricity": ecc,
        "inclination": inc,
        "ascending_node": raan,
        "argument_of_periapsis": argp,
        "true_anomaly": nu,
    }


def _ask_state(
    gravitational_parameter: float,
    semi_major_axis: float,
    eccentricity: float,
    inclination: float,
    ascending_node: float,
    argument_of_periapsis: float,
    true_anomaly: float,
) -> dict[str, float]:
    p = semi_major_axis * (1 - eccentricity**2)
    r, v = elements.coe2rv(
        gravitational_parameter, p, eccentricity, inclination, ascending_node, argument_of_periapsis, true_anomaly
    )
    return {f"{axis}_position": r[at] for at, axis in enumerate("xyz")} | {
        f"{axis}_velocity": v[at] for at, axis in enumerate("xyz")
    }


def _ask_equinoctial(
    eccentricity: float, inclination: float, ascending_node: float, argument_of_periapsis: float, true_anomaly: float
) -> dict[str, float]:
    _, *four, longitude = elements.coe2mee(
        1.0, eccentricity, inclination, ascending_node, argument_of_periapsis, true_anomaly
    )
    return {**dict(zip("fghk", four, strict=True)), "true_longitude": longitude}


def _ask_lagrange(distance: float, mass: float, secondary_mass: float) -> dict[str, float]:
    points = restricted.lagrange_points(distance * u.m, mass * u.kg, secondary_mass * u.kg).to_value(u.m)
    return {"l1": points[0], "l2": points[1], "l3": -points[2]}


def _weigh(body: Any) -> float:
    """Return the mass by which boinor attracts: its masses in kilograms are of another source."""
    return float(body.k.to_value(u.m**3 / u.s**2)) / 6.67430e-11


def _of_planet(drawn: dict[str, Any]) -> dict[str, Any]:
    """Put a planet of the Sun in the place of what was drawn."""
    body = PLANETS[int(drawn["mass"]) % len(PLANETS)]
    mean = get_mean_elements(body)
    return {
        "semi_major_axis": float(mean.a.to_value(u.m)),
        "eccentricity": float(mean.ecc),
        "mass": _weigh(body),
        "central_mass": _weigh(body.parent),
    }


def _find_planet(mass: float) -> Any:
    return next(body for body in PLANETS if _weigh(body) == mass)


def _sun_synchronous(drawn: dict[str, Any]) -> tuple[float, float]:
    """Return the inclination of a sun-synchronous orbit about the Earth, and the drift of its node."""
    mean = get_mean_elements(Earth)
    drift = float(np.sqrt(mean.attractor.k / mean.a**3).to_value(1 / u.s))
    orbit = boinor.twobody.Orbit.heliosynchronous(
        Earth, a=drawn["semi_major_axis"] * u.m, ecc=drawn["eccentricity"] * u.one
    )
    return float(orbit.inc.to_value(u.rad)), drift


LOW = {"semi_major_axis": (6.8e6, 8.5e6), "eccentricity": (0.0, 0.1)}

_add("true_anomaly", "core.angles.E_to_nu", angles.E_to_nu, draws={"eccentric_anomaly": (-3.1, 3.1)})
_add(
    "eccentric_anomaly_from_true_anomaly",
    "core.angles.nu_to_E",
    lambda eccentricity, true_anomaly: angles.nu_to_E(true_anomaly, eccentricity),
)
_add(
    "orbit_distance",
    "core.elements.rv_pqw",
    lambda semi_latus_rectum, eccentricity, true_anomaly: float(
        np.linalg.norm(elements.rv_pqw(1.0, semi_latus_rectum, eccentricity, true_anomaly)[0])
    ),
    draws={"true_anomaly": (0.0, 3.1)},
)
_add(
    "vis_viva_speed",
    "core.elements.rv_pqw",
    lambda gravitational_parameter, distance, semi_major_axis: float(
        np.linalg.norm(
            elements.rv_pqw(
                gravitational_parameter,
                semi_major_axis * (1 - 0.5**2),
                0.5,
                float(np.arccos((semi_major_axis * (1 - 0.5**2) / distance - 1) / 0.5)),
            )[1]
        )
    ),
    prepare=lambda given: {**given, "distance": given["semi_major_axis"] * (0.55 + 0.9 * (given["distance"] % 1.0))},
    asked="on an orbit of eccentricity 0.5",
)
_add(
    "inclination_from_node_regression_rate",
    "twobody.Orbit.heliosynchronous",
    lambda drift, **given: _sun_synchronous(given)[0],
    1e-9,
    draws=LOW,
    prepare=lambda given: {**given, **OF_THE_EARTH, "drift": _sun_synchronous(given)[1]},
)
_add(
    "node_regression_rate",
    "twobody.Orbit.heliosynchronous",
    lambda inclination, **given: _sun_synchronous(given)[1],
    1e-9,
    draws=LOW,
    prepare=lambda given: {**given, **OF_THE_EARTH, "inclination": _sun_synchronous(given)[0]},
    asked="the drift of the inclination that it finds",
)
_add(
    "mean_motion",
    "twobody.Orbit.n",
    lambda gravitational_parameter, semi_major_axis: _make_orbit(
        gravitational_parameter, semi_major_axis, 0.1
    ).n.to_value(u.rad / u.s),
)
_add(
    "periapsis_distance",
    "twobody.Orbit.r_p",
    lambda semi_major_axis, eccentricity: _make_orbit(4e14, semi_major_axis, eccentricity).r_p.to_value(u.m),
)
_add(
    "apoapsis_distance",
    "twobody.Orbit.r_a",
    lambda semi_major_axis, eccentricity: _make_orbit(4e14, semi_major_axis, eccentricity).r_a.to_value(u.m),
)
_add(
    "specific_angular_momentum",
    "twobody.Orbit.h_mag",
    lambda **orbit: _make_orbit(**orbit).h_mag.to_value(u.m**2 / u.s),
)
_add(
    "specific_orbital_energy",
    "twobody.Orbit.energy",
    lambda gravitational_parameter, semi_major_axis: _make_orbit(
        gravitational_parameter, semi_major_axis, 0.1
    ).energy.to_value(u.J / u.kg),
)
_add(
    "flight_path_angle",
    "core.angles.fp_angle",
    lambda eccentricity, true_anomaly: angles.fp_angle(true_anomaly, eccentricity),
    near_zero=1e-15,
)
_add(
    "time_since_periapsis",
    "core.propagation.farnocchia.delta_t_from_nu",
    lambda gravitational_parameter, semi_major_axis, eccentricity, true_anomaly: delta_t_from_nu(
        true_anomaly, eccentricity, gravitational_parameter, semi_major_axis * (1 - eccentricity)
    ),
)
_add(
    "true_anomaly_after_time",
    "core.propagation.farnocchia.farnocchia_coe",
    lambda gravitational_parameter, semi_major_axis, eccentricity, true_anomaly, time: farnocchia_coe(
        gravitational_parameter,
        semi_major_axis * (1 - eccentricity**2),
        eccentricity,
        0.0,
        0.0,
        0.0,
        true_anomaly,
        time,
    ),
    1e-7,
    near_zero=1e-7,
    draws={"time": (0.0, 1e5)},
)
_add(
    "hyperbolic_anomaly",
    "core.angles.nu_to_F",
    lambda eccentricity, true_anomaly: angles.nu_to_F(true_anomaly, eccentricity),
    draws=HYPERBOLA,
)
_add(
    "hyperbolic_mean_anomaly",
    "core.angles.F_to_M",
    lambda hyperbolic_anomaly, eccentricity: angles.F_to_M(hyperbolic_anomaly, eccentricity),
    draws=HYPERBOLA | {"hyperbolic_anomaly": (-3.0, 3.0)},
)
_add(
    "hyperbolic_kepler_equation",
    "core.angles.M_to_F",
    lambda mean_anomaly, eccentricity: angles.M_to_F(mean_anomaly, eccentricity),
    1e-7,
    draws=HYPERBOLA,
)
_add(
    "true_anomaly_of_parabola",
    "core.angles.M_to_D",
    lambda mean_anomaly: angles.D_to_nu(angles.M_to_D(mean_anomaly)),
    1e-9,
    draws={"mean_anomaly": (0.01, 5.0)},
    asked="then D_to_nu",
)
_add("state_from_orbital_elements", "core.elements.coe2rv", _ask_state, 1e-9)
_add(
    "orbital_elements_from_state",
    "core.elements.rv2coe",
    _ask_elements,
    1e-7,
    draws=STATE | {"gravitational_parameter": (3.9e14, 4e14)},
)
_add("modified_equinoctial_elements", "core.elements.coe2mee", _ask_equinoctial)
_add(
    "bielliptic_total_delta_v",
    "core.maneuver.bielliptic",
    lambda **given: float(sum(np.linalg.norm(each) for each in _transfer(**given)[:3])),
)
_add("bielliptic_transfer_time", "core.maneuver.bielliptic", lambda **given: float(sum(_transfer(**given)[3:])))
_add(
    "low_thrust_delta_v",
    "core.thrust.change_a_inc.extra_quantities",
    lambda gravitational_parameter, start_radius, end_radius, angle: extra_quantities(
        gravitational_parameter, start_radius, end_radius, 0.0, angle, 1.0
    )[0],
    1e-9,
    draws={"angle": (0.05, 1.5)},
)
_add(
    "flyby_turn_angle",
    "core.flybys.compute_flyby",
    lambda gravitational_parameter, excess_speed, periapsis_distance: flybys.compute_flyby(
        np.array([excess_speed, 0.0, 0.0]), np.zeros(3), gravitational_parameter, periapsis_distance, 0.4
    )[1],
    draws={"excess_speed": (2e3, 2e4), "periapsis_distance": (7e6, 1e9)},
)
_add(
    "hill_radius",
    "threebody.soi.hill_radius",
    lambda semi_major_axis, eccentricity, mass, central_mass: soi.hill_radius(_find_planet(mass)).to_value(u.m),
    draws={"mass": list(range(1, 9))},
    prepare=_of_planet,
)
_add(
    "lagrange_point_distances",
    "threebody.restricted.lagrange_points",
    _ask_lagrange,
    1e-8,
    draws={"distance": (3e8, 8e11), "mass": (1e24, 2e30), "secondary_mass": (1e21, 9e23)},
)
