"""Spots of light of prysm."""

# fmt: off
from __future__ import annotations

import math
from importlib.metadata import version

from oracle import OracleTable
from prysm.psf import airydisk

TABLE = OracleTable("prysm", version("prysm"))
TABLE.add("optics.airy_intensity", "prysm.psf.airydisk", lambda aperture, wavelength, angle: float(airydisk(math.sin(angle), 1 / aperture, wavelength)), asked="at unit distance", draws={"aperture": (1e-4, 1e-2), "wavelength": (4e-7, 1e-6), "angle": (1e-6, 3e-4)}, within=1e-9, near_zero=1e-12)
