"""Cells and the sun of pvlib."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from typing import Any

import numpy as np
import pvlib
from oracle import OracleTable
from pvlib import pvsystem, solarposition
from scipy.constants import e, k

TABLE = OracleTable("pvlib", pvlib.__version__)
_CELL = {
    "temperature": (280, 350),
    "saturation_current": (1e-12, 1e-9),
    "ideality": (1, 2),
    "voltage": (0.1, 0.6),
    "photocurrent": (0.1, 9),
}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"pvlib.{function}", compute, **{"within": 1e-8, "draws": _CELL, **more})


_add(
    "semiconductors.shockley_diode_current",
    "pvsystem.i_from_v",
    lambda saturation_current, voltage, ideality, temperature: (
        -float(pvsystem.i_from_v(voltage, 0.0, saturation_current, 0.0, np.inf, ideality * k * temperature / e))
    ),
    asked="without light and resistance, the other way round",
)
_add(
    "semiconductors.open_circuit_voltage",
    "pvsystem.v_from_i",
    lambda temperature, photocurrent, saturation_current: float(
        pvsystem.v_from_i(0.0, photocurrent, saturation_current, 0.0, np.inf, k * temperature / e)
    ),
    asked="at no current",
)
_add(
    "energy.solar_altitude",
    "solarposition.solar_zenith_analytical",
    lambda latitude, declination, hour_angle: (
        90 - float(np.degrees(solarposition.solar_zenith_analytical(*np.radians([latitude, hour_angle, declination]))))
    ),
    draws={"latitude": (-60, 60), "declination": (-23, 23), "hour_angle": (-90, 90)},
    near_zero=1e-9,
)
