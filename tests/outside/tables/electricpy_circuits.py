"""Circuits, per-unit quantities and protection of electricpy."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import electricpy as ep
import numpy as np
from electricpy import constants, conversions, fault, passive, phasors
from oracle import OracleTable

TABLE = OracleTable("electricpy", version("electricpy"))


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"electricpy.{function}", compute, **{"within": 1e-11, **more})


PARTS = {
    "capacitance": (1e-6, 1e-3), "inductance": (1e-3, 0.5), "resistance": (1, 900), "frequency": (20, 400),
    "voltage": (1, 400), "current": (0.1, 20), "time": (1e-4, 1e-2), "start": (1, 40), "power": (0.1, 2),
    "primary_turns": (10, 900), "secondary_turns": (10, 900), "peak": (1, 400),
}  # fmt: skip
_add("electrical.capacitor_energy", "passive.capenergy", passive.capenergy, draws=PARTS)
_add("electrical.inductor_energy", "passive.inductorenergy", passive.inductorenergy, draws=PARTS)
_add(
    "electrical.capacitive_reactance",
    "phasors.phasorz",
    lambda capacitance, frequency: abs(phasors.phasorz(C=capacitance, freq=frequency, complex=False)),
    draws=PARTS,
)
_add(
    "electrical.inductive_reactance",
    "phasors.phasorz",
    lambda inductance, frequency: phasors.phasorz(L=inductance, freq=frequency, complex=False),
    draws=PARTS,
)
_add("electrical.rc_discharge_voltage", "passive.vcapdischarge", passive.vcapdischarge, draws=PARTS)
_add(
    "electrical.rl_decay_current",
    "passive.inductordischarge",
    lambda *given: passive.inductordischarge(*given)[1],
    draws=PARTS,
)
_add(
    "electrical.constant_power_discharge_voltage",
    "passive.loadedvcapdischarge",
    passive.loadedvcapdischarge,
    draws=PARTS | {"capacitance": (0.01, 0.2), "start": (5, 40)},
)
_add("electrical.solenoid_inductance", "solenoid_inductance", lambda *given: ep.solenoid_inductance(*given))
_add(
    "electrical.air_coil_inductance",
    "passive.air_core_inductance",
    lambda d, l, n: passive.air_core_inductance(d, l, n) / 1e3,
)
_add(
    "electrical.delta_to_wye",
    "dynetz",
    lambda *given: dict(zip(("first", "second", "third"), ep.dynetz(delta=given), strict=True)),
)
_add(
    "electrical.wye_to_delta",
    "dynetz",
    lambda *given: dict(zip(("first", "second", "third"), ep.dynetz(wye=given), strict=True)),
)
_add("electrical.transformer_secondary_voltage", "secondary", ep.secondary, draws=PARTS)
_add("electrical.loaded_voltage_divider", "voltdiv", ep.voltdiv, draws={"voltage": (1, 50)})
_add("electrical.sine_rms", "rms", ep.rms, draws=PARTS)
_add(
    "electrical.watts_to_dbm",
    "conversions.watts_to_dbmw",
    conversions.watts_to_dbmw,
    draws={"power": (1e-6, 20)},
    near_zero=1e-12,
)

TIMER = {"charging_resistance": (500, 9000), "discharging_resistance": (500, 9000), "capacitance": (1e-9, 1e-5)}
_add(
    "electronics.timer_555_frequency",
    "ic_555_astable",
    lambda first, second, capacitance: ep.ic_555_astable([first, second], capacitance)["frequency"],
    draws=TIMER,
)
_add(
    "electronics.timer_555_duty_cycle",
    "ic_555_astable",
    lambda first, second: ep.ic_555_astable([first, second], 1e-6)["duty_cycle"] / 100,
    draws=TIMER,
)
_add("electronics.adjustable_regulator_voltage", "lm317", lambda first, second: ep.lm317(first, second, None))
PAD = {"attenuation": (0.5, 60), "impedance": (10, 600)}
_add(
    "electronics.t_attenuator",
    "t_attenuator",
    lambda *given: dict(zip(("series", "shunt"), ep.t_attenuator(*given), strict=True)),
    draws=PAD,
)
_add(
    "electronics.pi_attenuator",
    "pi_attenuator",
    lambda *given: dict(zip(("shunt", "series"), ep.pi_attenuator(*given), strict=True)),
    draws=PAD,
)
_add(
    "electronics.required_slew_rate",
    "slew_rate",
    lambda amplitude, frequency: ep.slew_rate(V=amplitude, freq=frequency, find="SR"),
)
_add("electronics.smoothing_capacitance", "passive.rectifiercap", passive.rectifiercap)
_add(
    "electronics.zener_resistor_power",
    "zener_diode_power",
    ep.zener_diode_power,
    draws={"input_voltage": (6, 24), "zener_voltage": (2, 5.6), "resistance": (50, 900)},
)

SUPPLY = {"power": (1e6, 1e9), "line_voltage": (400, 4e5), "frequency": (40, 70), "time": (0, 0.1)}
_add("power_systems.base_impedance", "zpu", lambda power, voltage: ep.zpu(power, VLL=voltage), draws=SUPPLY)
_add("power_systems.base_current", "ipu", lambda power, voltage: ep.ipu(power, VLL=voltage), draws=SUPPLY)
_add(
    "power_systems.per_unit_impedance_on_new_base",
    "puchgbase",
    lambda impedance, new, old: ep.puchgbase(impedance, new, old),
)
_add(
    "power_systems.voltage_unbalance",
    "unbalance",
    ep.unbalance,
    draws=dict.fromkeys(("first", "second", "third"), (200, 250)),
)
_add("power_systems.reactive_power_capacitance", "passive.farads", passive.farads, draws={"voltage": (100, 9000)})
_add("power_systems.instantaneous_power", "instpower", ep.instpower, draws=SUPPLY, near_zero=1e-6)
_add(
    "power_systems.geometric_mean_distance",
    "gmd",
    lambda distances: ep.gmd(*distances),
    draws={"n": (2, 6), "distances": (0.01, 9)},
)
_add(
    "power_systems.earth_return_depth",
    "de_calc",
    lambda *given: 0.3048 * ep.de_calc(*given),
    draws={"resistivity": (1, 900), **SUPPLY},
)

RELAY = {"multiple": (1.5, 20), "dial": (0.05, 5)}
# The package has 0.2256 and 0.352 where the manual of the relays has 0.0226 and 0.0352.
for _name, _curve, _excess in [
    ("us_moderately_inverse", "U1", 0.203),
    ("us_extremely_inverse", "U4", 0.3168),
]:
    _add(
        f"power_systems.{_name}_time",
        "fault.toctriptime",
        lambda multiple, dial, _of=_curve, _less=_excess: fault.toctriptime(multiple, 1, dial, _of) - _less * dial,
        asked=f"curve {_curve}, less {_excess} times the dial",
        draws=RELAY,
    )
for _name, _curve in [
    ("us_inverse", "U2"),
    ("us_very_inverse", "U3"),
    ("us_short_time_inverse", "U5"),
    ("iec_standard_inverse", "C1"),
    ("iec_extremely_inverse", "C3"),
]:
    _add(
        f"power_systems.{_name}_time",
        "fault.toctriptime",
        lambda multiple, dial, _of=_curve: fault.toctriptime(multiple, 1, dial, _of),
        asked=f"curve {_curve}",
        draws=RELAY,
    )
_add(
    "power_systems.us_very_inverse_reset_time",
    "fault.tocreset",
    lambda multiple, dial: fault.tocreset(multiple, 1, dial, "U3"),
    asked="curve U3",
    draws={"multiple": (0.05, 0.9), "dial": (0.5, 5)},
)
_add(
    "power_systems.asymmetric_fault_current",
    "fault.symrmsfaultcur",
    lambda *given: fault.symrmsfaultcur(*given)[2],
    draws={
        "line_voltage": (400, 4e4),
        "resistance": (0.01, 1),
        "reactance": (0.1, 9),
        "time": (0, 0.2),
        "frequency": (40, 70),
    },
)
_add("power_systems.thermal_withstand_time", "fault.thermaltime", fault.thermaltime)
_add(
    "power_systems.synchronous_fault_current",
    "fault.synmach_Isym",
    fault.synmach_Isym,
    draws={
        "time": (0, 2), "voltage": (100, 9000), "reactance": (1, 3), "transient_reactance": (0.3, 0.5),
        "subtransient_reactance": (0.1, 0.25), "transient_time": (0.5, 2), "subtransient_time": (0.02, 0.06),
    },
)  # fmt: skip
_add(
    "power_systems.high_impedance_relay_setting",
    "fault.highzvpickup",
    lambda current, lead, winding, ratio, ways, safety: fault.highzvpickup(
        current, lead, winding, ratio, threephase=ways == 1, Ks=safety
    )[0],
    draws={"turns_ratio": (40, 900), "ways": [1, 2], "safety": (1, 3)},
)

_add(
    "electrical.wire_resistance",
    "wireresistance",
    lambda resistivity, length, area: ep.wireresistance(length, (4 * area / np.pi) ** 0.5, resistivity),
    draws={"resistivity": (1e-8, 1e-6), "length": (1, 900), "area": (1e-7, 1e-4)},
)
_add(
    "electrical.parallel_resistance",
    "phasors.parallelz",
    lambda resistances: phasors.parallelz(resistances),
    draws={"n": (2, 5)},
)
_add(
    "power_systems.synchronous_speed",
    "syncspeed",
    lambda frequency, pairs: ep.syncspeed(2 * pairs, frequency, Hz=True),
    draws={"frequency": (40, 70), "pole_pairs": (1, 12)},
)
_add(
    "power_systems.induction_motor_slip",
    "machslip",
    lambda speed, synchronous: ep.machslip(speed, synchronous),
    draws={"speed": (10, 24), "synchronous_speed": (25, 30)},
)
_add(
    "power_systems.power_factor_capacitance",
    "pfcorrection",
    lambda power, old, new, frequency, voltage: ep.pfcorrection(power / old, old, new, V=voltage, freq=frequency)[0],
    draws={"power": (1e3, 1e6), "power_factor": (0.5, 0.85), "target_power_factor": (0.9, 0.99), "frequency": (40, 70)},
)
_add(
    "electromagnetism.parallel_plate_capacitance",
    "parallel_plate_capacitance",
    lambda relative, area, separation: ep.parallel_plate_capacitance(area, separation, relative * constants.e0),
    within=1e-8,
    draws={"relative_permittivity": (1, 9), "area": (1e-4, 1), "separation": (1e-5, 0.1)},
)
