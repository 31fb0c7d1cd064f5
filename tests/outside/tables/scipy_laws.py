"""Laws of motion, reaction and chemistry as equations, solved by SciPy's integrators and roots."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import integrate, linalg, optimize, signal, special, stats
from scipy.constants import R, hbar, k, m_e

TABLE = OracleTable("scipy", scipy.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"scipy.{function}", compute, **{"within": 1e-7, **more})


def _follow(law: Callable[..., Any], start: Sequence[float], time: float) -> float:
    return float(integrate.solve_ivp(law, (0, time), start, method="DOP853", rtol=1e-11, atol=1e-13).y[0, -1])


def _await(
    law: Callable[..., Any], start: Sequence[float], until: Callable[..., float], longest: float, of: int | None = None
) -> float:
    """The time, or a part of the state, when something first reaches 0 from above."""
    until.terminal, until.direction = True, -1  # type: ignore[attr-defined]
    run = integrate.solve_ivp(law, (0, longest), start, method="DOP853", rtol=1e-12, atol=1e-14, events=until)
    return float(run.t_events[0][0] if of is None else run.y_events[0][0][of])


def _throw(speed: float, angle: float, gravity: float, height: float, of: int) -> float:
    start = [0.0, height, speed * np.cos(angle), speed * np.sin(angle)]
    falls = [lambda _, s: s[1], lambda _, s: s[3]][of]
    longest = 10 * (speed + np.sqrt(gravity * height) + 1) / gravity
    if height == 0 and of == 0:
        start[1] = 1e-300
    return _await(lambda _, s: [s[2], s[3], 0, -gravity], start, falls, longest, of)


_THROW = {"speed": (1, 9), "angle": (0.2, 1.3), "gravity": (1, 10), "height": (0.5, 9)}
_SWING = {"length": (0.2, 5), "gravity": (1, 10), "amplitude": (0.1, 2.8)}
_add(
    "mechanics.projectile_apex_height",
    "integrate.solve_ivp",
    lambda speed, angle, gravity: _throw(speed, angle, gravity, 0, 1),
    draws=_THROW,
    asked="the fall under gravity, where the vertical speed is 0",
)
_add(
    "mechanics.projectile_range",
    "integrate.solve_ivp",
    lambda speed, angle, gravity: (
        2
        * _await(
            lambda _, s: [s[1], 0, -gravity],
            [0, speed * np.cos(angle), speed * np.sin(angle)],
            lambda _, s: s[2],
            100,
            0,
        )
    ),
    draws=_THROW,
    asked="the fall under gravity, twice the way to the apex",
)
_add(
    "mechanics.projectile_range_from_height",
    "integrate.solve_ivp",
    lambda speed, angle, height, gravity: _throw(speed, angle, gravity, height, 0),
    draws=_THROW,
    asked="the fall under gravity, down to the ground",
)
_add(
    "mechanics.free_fall_time",
    "integrate.solve_ivp",
    lambda height, gravity: _await(lambda _, s: [s[1], -gravity], [height, 0], lambda _, s: s[0], 100),
    draws=_THROW,
    asked="the fall under gravity",
)
_add(
    "fluids.torricelli_speed",
    "integrate.solve_ivp",
    lambda gravity, head: -_await(lambda _, s: [s[1], -gravity], [head, 0], lambda _, s: s[0], 100, 1),
    draws={"gravity": (1, 10), "head": (0.5, 9)},
    asked="the speed of a free fall",
)
_add(
    "mechanics.large_pendulum_period",
    "integrate.solve_ivp",
    lambda length, gravity, amplitude: (
        4 * _await(lambda _, s: [s[1], -gravity / length * np.sin(s[0])], [amplitude, 0], lambda _, s: s[0], 100)
    ),
    draws=_SWING,
    asked="theta'' = -g/l sin theta, four quarters",
)
_add(
    "mechanics.small_pendulum_period",
    "integrate.solve_ivp",
    lambda length, gravity: 4 * _await(lambda _, s: [s[1], -gravity / length * s[0]], [1, 0], lambda _, s: s[0], 100),
    draws=_SWING,
    asked="theta'' = -g/l theta, four quarters",
)
_add(
    "mechanics.physical_pendulum_period",
    "integrate.solve_ivp",
    lambda inertia, mass, gravity, distance: (
        4 * _await(lambda _, s: [s[1], -mass * gravity * distance / inertia * s[0]], [1, 0], lambda _, s: s[0], 1000)
    ),
    asked="I theta'' = -m g d theta, four quarters",
)
_add(
    "mechanics.braking_distance",
    "integrate.solve_ivp",
    lambda speed, friction, gravity: _await(
        lambda _, s: [s[1], -friction * gravity], [0, speed], lambda _, s: s[1], 1e5, 0
    ),
    draws=_THROW,
    asked="x'' = -mu g until at rest",
)
_add(
    "mechanics.belt_tension_ratio",
    "integrate.solve_ivp",
    lambda slack_tension, friction, wrap_angle: _follow(lambda _, s: [friction * s[0]], [slack_tension], wrap_angle),
    draws={"friction": (0.05, 0.9), "wrap_angle": (0.2, 6)},
    asked="dT/dtheta = mu T",
)
_add(
    "mechanics.collision_speeds",
    "linalg.solve",
    lambda mass, speed, other_mass, other_speed, restitution: dict(
        zip(
            ("speed", "other_speed"),
            map(
                float,
                linalg.solve(
                    [[mass, other_mass], [-1, 1]],
                    [mass * speed + other_mass * other_speed, restitution * (speed - other_speed)],
                ),
            ),
            strict=True,
        )
    ),
    asked="momentum is kept, the speed of parting is a share of that of meeting",
    near_zero=1e-12,
)
_add(
    "fluids.terminal_speed",
    "integrate.solve_ivp",
    lambda mass, gravity, drag_coefficient, density, area: _follow(
        lambda _, s: [gravity - drag_coefficient * density * area * s[0] * abs(s[0]) / (2 * mass)],
        [0.0],
        40 * np.sqrt(2 * mass / (gravity * drag_coefficient * density * area)),
    ),
    asked="m v' = m g less the drag, for long",
    within=1e-6,
)
_add(
    "fluids.tank_drain_time",
    "integrate.solve_ivp",
    lambda tank_area, orifice_area, discharge_coefficient, gravity, level, level_end: _await(
        lambda _, s: [-discharge_coefficient * orifice_area / tank_area * np.sqrt(2 * gravity * max(s[0], 0))],
        [level],
        lambda _, s: s[0] - level_end,
        1e5,
    ),
    draws={"level": (4, 9), "level_end": (0.5, 3), "discharge_coefficient": (0.3, 0.9)},
    asked="A dh/dt = -C a sqrt(2 g h)",
)
_add(
    "heat_transfer.lumped_temperature",
    "integrate.solve_ivp",
    lambda fluid_temperature, start_temperature, coefficient, area, time, density, volume, heat_capacity: _follow(
        lambda _, s: [-coefficient * area * (s[0] - fluid_temperature) / (density * volume * heat_capacity)],
        [start_temperature],
        time,
    ),
    draws={"fluid_temperature": (280, 320), "start_temperature": (330, 900), "time": (0.1, 2), "coefficient": (0.1, 2)},
    asked="the balance of heat",
)
_add(
    "rocketry.tsiolkovsky_delta_v",
    "integrate.quad",
    lambda exhaust_speed, initial_mass, final_mass: integrate.quad(
        lambda m: exhaust_speed / m, final_mass, initial_mass, epsrel=1e-12
    )[0],
    draws={"initial_mass": (5, 9), "final_mass": (0.5, 4)},
    asked="of v dm/m",
)
_add(
    "rocketry.propellant_mass",
    "optimize.brentq",
    lambda final_mass, speed_gain, exhaust_speed: optimize.brentq(
        lambda p: integrate.quad(lambda m: exhaust_speed / m, final_mass, final_mass + p, epsrel=1e-12)[0] - speed_gain,
        0,
        1e4 * final_mass,
        xtol=1e-14,
        rtol=1e-13,
    ),
    draws={"exhaust_speed": (2, 9), "speed_gain": (0.5, 9)},
    asked="of the integral of v dm/m",
)

# Reactions
_RATE = {"rate_constant": (0.1, 2), "start": (0.2, 5), "time": (0.1, 3), "order": (1.2, 3)}
_add(
    "chemical_kinetics.second_order_concentration",
    "integrate.solve_ivp",
    lambda start, rate_constant, time: _follow(lambda _, s: [-rate_constant * s[0] ** 2], [start], time),
    draws=_RATE,
    asked="c' = -k c^2",
)
_add(
    "chemical_kinetics.second_order_half_life",
    "integrate.solve_ivp",
    lambda rate_constant, start: _await(
        lambda _, s: [-rate_constant * s[0] ** 2], [start], lambda _, s: s[0] - start / 2, 1e4
    ),
    draws=_RATE,
    asked="c' = -k c^2, until the half is left",
)
_add(
    "chemical_kinetics.order_half_life",
    "integrate.solve_ivp",
    lambda order, rate_constant, start: _await(
        lambda _, s: [-rate_constant * max(s[0], 0) ** order], [start], lambda _, s: s[0] - start / 2, 1e4
    ),
    draws=_RATE,
    asked="c' = -k c^n, until the half is left",
)
_add(
    "chemical_kinetics.two_temperature_activation_energy",
    "stats.linregress",
    lambda constant_1, constant_2, temperature_1, temperature_2: (
        -R * stats.linregress([1 / temperature_1, 1 / temperature_2], np.log([constant_1, constant_2])).slope
    ),
    draws={"temperature_1": (280, 350), "temperature_2": (360, 450)},
    asked="slope of ln k over 1/T, times the gas constant",
)


def _balance(complex_: float, receptor: float, ligand: float, dissociation: float) -> float:
    return (receptor - complex_) * (ligand - complex_) - dissociation * complex_


_add(
    "biochemistry.bound_complex",
    "optimize.brentq",
    lambda receptor, ligand, dissociation_constant: optimize.brentq(
        _balance, 0, min(receptor, ligand), args=(receptor, ligand, dissociation_constant), xtol=1e-15, rtol=1e-14
    ),
    asked="(R - c) (L - c) = K c",
)
_add(
    "chemistry.weak_acid_hydrogen",
    "optimize.brentq",
    lambda acid_constant, concentration: optimize.brentq(
        lambda x: x * x - acid_constant * (concentration - x), 0, concentration, xtol=1e-16, rtol=1e-14
    ),
    draws={"acid_constant": (1e-6, 1e-3), "concentration": (1e-3, 1)},
    asked="x^2 = K (c - x)",
)
_add(
    "chemistry.degree_of_dissociation",
    "optimize.brentq",
    lambda acid_constant, concentration: optimize.brentq(
        lambda a: a * a * concentration - acid_constant * (1 - a), 0, 1, xtol=1e-16, rtol=1e-14
    ),
    draws={"acid_constant": (1e-6, 1e-3), "concentration": (1e-3, 1)},
    asked="a^2 c = K (1 - a)",
)
_add(
    "chemistry.molar_solubility",
    "optimize.brentq",
    lambda solubility_product, cations, anions: float(
        np.exp(
            optimize.brentq(
                lambda s: cations * (np.log(cations) + s) + anions * (np.log(anions) + s) - np.log(solubility_product),
                -90,
                20,
                xtol=1e-14,
            )
        )
    ),
    draws={"solubility_product": (1e-12, 1e-6), "cations": (1, 3), "anions": (1, 3)},
    asked="the product of both ions",
)
_add(
    "thermodynamics.isothermal_work",
    "integrate.quad",
    lambda amount, temperature, volume, volume_end: integrate.quad(
        lambda v: amount * R * temperature / v, volume, volume_end, epsrel=1e-12
    )[0],
    asked="of the pressure of an ideal gas over the volume",
    draws={"volume": (0.5, 4), "volume_end": (4.1, 9)},
)
_add(
    "thermodynamics.clausius_clapeyron_pressure",
    "integrate.solve_ivp",
    lambda pressure, vaporization_enthalpy, temperature, temperature_end: float(
        integrate.solve_ivp(
            lambda t, p: vaporization_enthalpy * p / (R * t * t),
            (temperature, temperature_end),
            [pressure],
            method="DOP853",
            rtol=1e-11,
            atol=1e-13,
        ).y[0, -1]
    ),
    draws={"temperature": (280, 320), "temperature_end": (330, 400), "vaporization_enthalpy": (1e4, 5e4)},
    asked="dp/dT = H p / (R T^2)",
)
_add(
    "thermodynamics.polytropic_work",
    "integrate.quad",
    lambda pressure, volume, pressure_end, volume_end, exponent: integrate.quad(
        lambda v: pressure * (volume / v) ** exponent, volume, volume_end, epsrel=1e-12
    )[0],
    prepare=lambda given: {
        **given,
        "pressure_end": given["pressure"] * (given["volume"] / given["volume_end"]) ** given["exponent"],
    },
    draws={"volume": (0.5, 4), "volume_end": (4.1, 9), "exponent": (1.1, 1.7)},
    asked="of p V^n = constant over the volume",
)
_add(
    "thermodynamics.mixing_entropy",
    "stats.entropy",
    lambda amounts: R * sum(amounts) * stats.entropy(amounts),
    asked="times the amount and the gas constant",
)
_add(
    "thermodynamics.adiabatic_temperature",
    "integrate.solve_ivp",
    lambda temperature, volume, volume_end, heat_capacity_ratio: float(
        integrate.solve_ivp(
            lambda v, t: -(heat_capacity_ratio - 1) * t / v,
            (volume, volume_end),
            [temperature],
            method="DOP853",
            rtol=1e-11,
            atol=1e-13,
        ).y[0, -1]
    ),
    draws={"volume": (0.5, 4), "volume_end": (4.1, 9), "heat_capacity_ratio": (1.1, 1.7)},
    asked="dT/dV = -(gamma - 1) T/V",
)

# Waves and matter
_add(
    "semiconductors.fermi_dirac_occupation",
    "special.expit",
    lambda energy, fermi_energy, temperature: special.expit((fermi_energy - energy) / (k * temperature)),
    draws={"energy": (1e-20, 4e-20), "fermi_energy": (1e-20, 4e-20), "temperature": (200, 900)},
    within=1e-9,
)
_add(
    "optics.rayleigh_resolution",
    "special.jn_zeros",
    lambda wavelength, aperture: np.arcsin(special.jn_zeros(1, 1)[0] / np.pi * wavelength / aperture),
    draws={"wavelength": (4e-7, 8e-7), "aperture": (1e-3, 9e-1)},
    asked="the first dark ring",
    within=1e-9,
)


def _bind(mass: float, width: float, level: int) -> float:
    """The level of a box by shooting: how often the wave has to turn between its walls."""
    turns = optimize.brentq(
        lambda q: integrate.solve_ivp(
            lambda _, s: [s[1], -q * q * s[0]], (0, 1), [0, 1], method="DOP853", rtol=1e-12, atol=1e-14
        ).y[0, -1],
        np.pi * (level - 0.4),
        np.pi * (level + 0.4),
        xtol=1e-12,
    )
    return (hbar * turns / width) ** 2 / (2 * mass)


_add(
    "quantum.box_level_energy",
    "integrate.solve_ivp",
    lambda level, mass, width: _bind(mass, width, level),
    draws={"mass": (1e-30, 9e-27), "width": (1e-10, 9e-9), "level": (1, 4)},
    asked="the wave equation between walls, by shooting",
)


def _tunnel(mass: float, energy: float, height: float, width: float) -> float:
    """The share that passes: the wave equation followed back through the barrier."""
    inside, outside = np.sqrt(2 * mass * (height - energy)) / hbar * width, np.sqrt(2 * mass * energy) / hbar * width
    back = integrate.solve_ivp(
        lambda _, s: [s[1], inside**2 * s[0]],
        (1, 0),
        np.array([1, 1j * outside], dtype=complex),
        method="DOP853",
        rtol=1e-11,
        atol=1e-13,
    ).y[:, -1]
    return float(1 / abs((back[0] + back[1] / (1j * outside)) / 2) ** 2)


_add(
    "quantum.barrier_transmission",
    "integrate.solve_ivp",
    _tunnel,
    draws={"mass": [m_e], "energy": (1e-20, 9e-20), "height": (1e-19, 3e-19), "width": (1e-10, 9e-10)},
    asked="the wave equation through the barrier",
)


def _clamp(length: float, modulus: float, inertia: float, mass_per_length: float) -> float:
    """The slowest mode of a clamped beam: where the end can be free of moment and shear."""

    def free(b: float) -> float:
        ends = [
            integrate.solve_ivp(
                lambda _, s: [s[1], s[2], s[3], b**4 * s[0]], (0, 1), start, method="DOP853", rtol=1e-12, atol=1e-14
            ).y[:, -1]
            for start in ([0, 0, 1, 0], [0, 0, 0, 1])
        ]
        return float(ends[0][2] * ends[1][3] - ends[1][2] * ends[0][3])

    return (
        optimize.brentq(free, 1.5, 2.5, xtol=1e-12) ** 2
        / (2 * np.pi * length**2)
        * np.sqrt(modulus * inertia / mass_per_length)
    )


_add(
    "vibrations.cantilever_natural_frequency",
    "integrate.solve_ivp",
    _clamp,
    asked="E I w'''' = m omega^2 w, by shooting",
)

# Signals and images
_add(
    "signal_processing.circular_convolve",
    "linalg.circulant",
    lambda first, second: linalg.circulant(first) @ second,
    asked="times the second",
    near_zero=1e-12,
)
_add(
    "signal_processing.goertzel_power",
    "signal.czt",
    lambda signal, frequency, sample_rate, of=scipy.signal.czt: (
        abs(of(signal, 1, a=np.exp(2j * np.pi * frequency / sample_rate))[0]) ** 2
    ),
    near_zero=1e-12,
)
_add(
    "image_processing.filter_image",
    "signal.correlate2d",
    lambda image, kernel: signal.correlate2d(image, kernel, mode="valid"),
    draws={"r": (4, 6), "c": (4, 6), "h": (2, 3), "w": (2, 3)},
    near_zero=1e-12,
)
_add(
    "image_processing.sobel_magnitude",
    "signal.correlate2d",
    lambda image: np.hypot(
        signal.correlate2d(image, [[-1, -2, -1], [0, 0, 0], [1, 2, 1]], mode="valid"),
        signal.correlate2d(image, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], mode="valid"),
    ),
    draws={"r": (3, 6), "c": (3, 6)},
    near_zero=1e-12,
)
