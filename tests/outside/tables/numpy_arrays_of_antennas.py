"""Sums of waves of NumPy."""

# fmt: off
from __future__ import annotations

import math

import numpy as np
from oracle import OracleTable

TABLE = OracleTable("numpy", np.__version__)
TABLE.add("antennas.uniform_array_factor", "numpy.sum", lambda elements, spacing, wavelength, angle, phase: float(abs(np.sum(np.exp(1j * np.arange(elements) * (2 * math.pi * spacing / wavelength * math.cos(angle) + phase)))) / elements), asked="of the waves of the elements", draws={"elements": [2, 3, 5, 8], "spacing": (0.1, 0.9), "wavelength": (0.5, 2), "angle": (0.1, 3), "phase": (-3, 3)}, within=1e-9, near_zero=1e-12)
