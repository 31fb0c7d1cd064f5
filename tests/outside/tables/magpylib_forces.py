"""Forces on currents of Magpylib."""

# fmt: off
from __future__ import annotations

import math

import magpylib as magpy
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("magpylib", magpy.__version__)


def _push(strength: float, current: float, length: float, angle: float) -> float:
    """Ask for the force of a uniform field on a straight wire that lies along x."""
    around = magpy.misc.CustomSource(field_func=lambda field, observers: np.tile([strength * math.cos(angle), strength * math.sin(angle), 0.0], (len(observers), 1)))
    wire = magpy.current.Polyline(current=current, vertices=[(0, 0, 0), (length, 0, 0)])
    return float(np.linalg.norm(magpy.getFT(around, wire, pivot=None, meshing=1)[0]))


TABLE.add("electromagnetism.lorentz_force_on_wire", "magpylib.getFT", _push, asked="the force's magnitude", draws={"field": (0.01, 9), "current": (0.1, 90), "length": (0.01, 2), "angle": (0.1, 3)}, within=1e-9)
