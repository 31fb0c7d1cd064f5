"""Powers, faults and resistors of electricpy."""

# fmt: off
from __future__ import annotations

import math
from importlib.metadata import version

import electricpy as ep
from electricpy import fault, thermal
from oracle import OracleTable
from scipy.constants import mu_0
from scipy.optimize import brentq

TABLE = OracleTable("electricpy", version("electricpy"))
LINE = {"power": (1e3, 1e8), "power_factor": (0.5, 0.99), "voltage": (200, 4e5), "current": (1, 900), "sending_voltage": (200, 4e5), "receiving_voltage": (200, 4e5), "reactance": (0.1, 90), "angle": (0.01, 1.5), "impedance": (0.01, 9)}


def _resist(reference_resistance: float, coefficient: float, temperature: float, reference_temperature: float) -> float:
    """Find the resistance at which a resistance thermometer shows the temperature."""
    def show(resistance: float) -> float:
        return float(thermal.rtdtemp(resistance, Rref=reference_resistance, Tref=reference_temperature, a=coefficient, round=12)) - temperature

    return float(brentq(show, reference_resistance / 100, reference_resistance * 100, xtol=1e-14, rtol=1e-14))


TABLE.add("power_systems.reactive_power", "electricpy.powerset", lambda power, power_factor: float(ep.powerset(P=power, PF=power_factor, find="Q")), draws=LINE, within=1e-11)
TABLE.add("power_systems.power_angle_transfer", "electricpy.powerflow", lambda sending, receiving, reactance, angle: float(ep.powerflow(ep.phasor(sending, math.degrees(angle)), ep.phasor(receiving, 0), reactance)), asked="of the voltages' phasors", draws=LINE, within=1e-11)
TABLE.add("power_systems.three_phase_power", "electricpy.acpiv", lambda voltage, current, power_factor: float(ep.acpiv(I=ep.phasor(current, -math.degrees(math.acos(power_factor))), VLL=voltage).real), asked="the real part for the current's phasor", draws=LINE, within=1e-11)
TABLE.add("power_systems.short_circuit_current", "electricpy.fault.three_phase_fault", lambda voltage, impedance: float(abs(fault.three_phase_fault(ep.phaseline(VLL=voltage), (0, impedance, 0))[1])), asked="the current's magnitude", draws=LINE)
TABLE.add("electrical.resistance_at_temperature", "electricpy.thermal.rtdtemp", _resist, asked="solved for the resistance", draws={"reference_resistance": (10, 900), "coefficient": (1e-3, 6e-3), "temperature": (230, 500), "reference_temperature": (273, 300)}, within=1e-9)
TABLE.add("electromagnetism.long_solenoid_inductance", "electricpy.solenoid_inductance", lambda relative, turns, area, length: float(ep.solenoid_inductance(area, length, turns, relative * mu_0)), draws={"relative_permeability": (1, 900), "turns": (2, 900), "area": (1e-5, 0.1), "length": (0.01, 2)}, within=1e-8)
