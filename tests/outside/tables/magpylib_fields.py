"""Magnetic fields of Magpylib."""
# fmt: off  # a row compares one capability

from __future__ import annotations

import magpylib
from oracle import OracleTable
from scipy.constants import mu_0

TABLE = OracleTable("magpylib", magpylib.__version__)


def _pair(turns: float, current: float, radius: float) -> float:
    coils = [
        magpylib.current.Circle(current=turns * current, diameter=2 * radius, position=(0, 0, z))
        for z in (-radius / 2, radius / 2)
    ]
    return float(magpylib.getB(coils, (0, 0, 0), sumup=True)[2])


def _coil(turns: float, current: float, length: float, radius: float) -> float:
    """A solenoid has the field of a magnet with the same current around it."""
    core = magpylib.magnet.Cylinder(
        polarization=(0, 0, mu_0 * turns * current / length), dimension=(2 * radius, length)
    )
    return float(magpylib.getH(core, (0, 0, 0))[2] * mu_0 + mu_0 * turns * current / length)


def _wire(current: float, distance: float) -> float:
    far = 1e6 * distance
    wire = magpylib.current.Polyline(current=current, vertices=[(0, 0, -far), (0, 0, far)])
    return abs(float(magpylib.getB(wire, (distance, 0, 0))[1]))


TABLE.add(
    "electromagnetism.helmholtz_coil_field",
    "magpylib.current.Circle",
    _pair,
    within=1e-8,
    asked="two of them, a radius apart",
)
TABLE.add(
    "electromagnetism.solenoid_axis_field",
    "magpylib.magnet.Cylinder",
    _coil,
    within=1e-8,
    asked="with the same current around it",
)
TABLE.add(
    "electromagnetism.wire_magnetic_field",
    "magpylib.current.Polyline",
    _wire,
    within=1e-8,
    asked="a million times as long as it is far",
    draws={"current": (0.1, 9)},
)
