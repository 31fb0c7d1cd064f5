"""Vibrations and circuits as transfer functions of python-control: poles, steps, responses at a frequency."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import control
import numpy as np
from oracle import OracleTable
from scipy import optimize

TABLE = OracleTable("control", control.__version__)
_UNDER = {"damping_ratio": (0.05, 0.95)}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"control.{function}", compute, **{"within": 1e-8, "near_zero": 1e-12, **more})


def _swing(above: Sequence[float], below: Sequence[float]) -> Any:
    """The slowest pole: natural frequency in Hz, damping ratio."""
    frequencies, ratios, _ = control.damp(control.tf(above, below), doprint=False)
    return float(frequencies[0]) / (2 * np.pi), float(ratios[0])


def _gain(above: Sequence[float], below: Sequence[float], at: float) -> complex:
    return complex(control.evalfr(control.tf(above, below), 1j * at))


def _step(above: Sequence[float], below: Sequence[float], time: float) -> float:
    return float(control.step_response(control.tf(above, below), T=np.linspace(0, time, 3)).outputs[-1])


# Vibrations
_add("vibrations.natural_frequency", "damp", lambda stiffness, mass: _swing([1], [mass, 0, stiffness])[0])
_add(
    "vibrations.torsional_frequency",
    "damp",
    lambda torsional_stiffness, inertia: _swing([1], [inertia, 0, torsional_stiffness])[0],
)
_add(
    "vibrations.damping_ratio",
    "damp",
    lambda damping, stiffness, mass: _swing([1], [mass, damping, stiffness])[1],
    prepare=lambda given: {
        **given,
        "damping": round(given["damping"] / 5 * (given["stiffness"] * given["mass"]) ** 0.5, 3),
    },
)
_add(
    "vibrations.damped_frequency",
    "poles",
    lambda natural_frequency, damping_ratio: (
        abs(
            control.tf([1], [1, 4 * np.pi * damping_ratio * natural_frequency, (2 * np.pi * natural_frequency) ** 2])
            .poles()[0]
            .imag
        )
        / (2 * np.pi)
    ),
    draws=_UNDER,
)
_add(
    "vibrations.magnification_factor",
    "evalfr",
    lambda frequency_ratio, damping_ratio: abs(_gain([1], [1, 2 * damping_ratio, 1], frequency_ratio)),
)
_add(
    "vibrations.response_phase",
    "evalfr",
    lambda frequency_ratio, damping_ratio: -np.angle(_gain([1], [1, 2 * damping_ratio, 1], frequency_ratio)),
)
_add(
    "vibrations.transmissibility",
    "evalfr",
    lambda frequency_ratio, damping_ratio: abs(
        _gain([2 * damping_ratio, 1], [1, 2 * damping_ratio, 1], frequency_ratio)
    ),
)
_add(
    "vibrations.rotating_unbalance_amplitude",
    "evalfr",
    lambda unbalance, mass, frequency_ratio, damping_ratio: abs(
        _gain([unbalance / mass, 0, 0], [1, 2 * damping_ratio, 1], frequency_ratio)
    ),
)

# Control
_add(
    "control.second_order_step_response",
    "step_response",
    lambda natural_frequency, damping_ratio, time: _step(
        [natural_frequency**2], [1, 2 * damping_ratio * natural_frequency, natural_frequency**2], time
    ),
    draws=_UNDER,
)
_add(
    "control.first_order_step_response",
    "step_response",
    lambda gain, step, time, time_constant, dead_time: (
        step * _step([gain], [time_constant, 1], time - dead_time) if time > dead_time else 0.0
    ),
)
_add(
    "control.resonant_peak",
    "evalfr",
    lambda damping_ratio: (
        -optimize.minimize_scalar(
            lambda x: -abs(_gain([1], [1, 2 * damping_ratio, 1], x)),
            bounds=(0, 2),
            method="bounded",
            options={"xatol": 1e-10},
        ).fun
    ),
    draws={"damping_ratio": (0.05, 0.65)},
    asked="the largest gain of 1 / (s^2 + 2 ratio s + 1)",
)
_add(
    "control.steady_state_error_type_zero",
    "feedback",
    lambda position_constant: 1 - float(control.dcgain(control.feedback(control.tf([position_constant], [1, 1])))),
    asked="1 less the gain at rest of the closed loop",
)
_add(
    "control.lead_compensator_phase",
    "evalfr",
    lambda ratio: (
        -optimize.minimize_scalar(
            lambda x: -np.angle(_gain([1, 1], [ratio, 1], np.exp(x))),
            bounds=(-3, 9),
            method="bounded",
            options={"xatol": 1e-10},
        ).fun
    ),
    draws={"ratio": (0.02, 0.95)},
    within=1e-7,
    asked="the largest phase of (s + 1) / (ratio s + 1)",
)

# Circuits
_add(
    "electrical.rl_rise_current",
    "step_response",
    lambda supply_voltage, resistance, time, inductance: supply_voltage * _step([1], [inductance, resistance], time),
    draws={"time": (0.1, 3)},
)
_add(
    "electrical.rc_charge_voltage",
    "initial_response",
    lambda supply_voltage, start_voltage, time, resistance, capacitance: (
        supply_voltage
        + float(
            control.initial_response(
                control.ss([[-1 / (resistance * capacitance)]], [[0]], [[1]], [[0]]),
                T=np.linspace(0, time, 3),
                X0=[start_voltage - supply_voltage],
            ).outputs[-1]
        )
    ),
    asked="of the difference to the supply",
)
_add(
    "electrical.rc_cutoff_frequency",
    "damp",
    lambda resistance, capacitance: _swing([1], [resistance * capacitance, 1])[0],
)
_add(
    "electrical.lc_resonance_frequency",
    "damp",
    lambda inductance, capacitance: _swing([1], [inductance * capacitance, 0, 1])[0],
)
_add(
    "electrical.series_rlc_quality_factor",
    "damp",
    lambda inductance, capacitance, resistance: (
        1 / (2 * _swing([1], [inductance * capacitance, resistance * capacitance, 1])[1])
    ),
    prepare=lambda given: {
        **given,
        "resistance": float(f"{given['resistance'] / 10 * (given['inductance'] / given['capacitance']) ** 0.5:.3g}"),
    },
    asked="half of the reciprocal of the damping ratio",
)
_add(
    "electrical.series_rlc_impedance",
    "evalfr",
    lambda resistance, frequency, inductance, capacitance: abs(
        _gain([inductance * capacitance, resistance * capacitance, 1], [capacitance, 0], 2 * np.pi * frequency)
    ),
)
_add(
    "electronics.finite_gain_closed_loop",
    "feedback",
    lambda open_loop_gain, feedback_share: float(
        control.dcgain(control.feedback(control.tf([open_loop_gain], [1]), feedback_share))
    ),
)

# Reactions and decay in series, as linear systems


def _decay(rates: Sequence[float], start: float, time: float, of: int) -> float:
    size = len(rates)
    system = np.diag([-rate for rate in rates]) + np.diag(rates[:-1], -1)
    states = control.initial_response(
        control.ss(system, np.zeros((size, 1)), np.eye(size), np.zeros((size, 1))),
        T=np.linspace(0, time, 3),
        X0=[start, *[0.0] * (size - 1)],
    ).outputs
    return float(np.asarray(states).reshape(size, -1)[of][-1])


_add(
    "nuclear.decayed_amount",
    "initial_response",
    lambda amount, time, half_life: _decay([np.log(2) / half_life], amount, time, 0),
)
_add(
    "nuclear.daughter_amount",
    "initial_response",
    lambda parent, parent_rate, daughter_rate, time: _decay([parent_rate, daughter_rate], parent, time, 1),
    draws={"time": (0.1, 2)},
)
_add(
    "chemical_kinetics.first_order_concentration",
    "initial_response",
    lambda start, rate_constant, time: _decay([rate_constant], start, time, 0),
    draws={"time": (0.1, 3)},
)
_add(
    "chemical_kinetics.consecutive_intermediate",
    "initial_response",
    lambda start, constant_1, constant_2, time: _decay([constant_1, constant_2], start, time, 1),
    draws={"time": (0.1, 2)},
)
_add(
    "nuclear.irradiation_activity",
    "step_response",
    lambda production_rate, time, half_life: _step(
        [production_rate * np.log(2) / half_life], [1, np.log(2) / half_life], time
    ),
)
_add(
    "environmental.oxygen_deficit",
    "initial_response",
    lambda k, ultimate, reaeration, start_deficit, time: float(
        np.asarray(
            control.initial_response(
                control.ss([[-k, 0], [k, -reaeration]], [[0], [0]], [[0, 1]], [[0]]),
                T=np.linspace(0, time, 3),
                X0=[ultimate, start_deficit],
            ).outputs
        ).ravel()[-1]
    ),
    draws={"time": (0.1, 3)},
)
_add("environmental.exerted_bod", "step_response", lambda ultimate, k, time: _step([ultimate * k], [1, k], time))
