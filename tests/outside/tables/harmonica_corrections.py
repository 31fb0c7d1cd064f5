"""Gravity of a plate and roots of mountains by Harmonica."""

from __future__ import annotations

from importlib import metadata

import harmonica
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("harmonica", metadata.version("harmonica"))
TABLE.add(
    "geophysics.bouguer_slab",
    "harmonica.bouguer_correction",
    lambda density, thickness: float(harmonica.bouguer_correction(np.array([thickness]), density)[0]) / 1e5,
    within=1e-9,
    draws={"density": (1500.0, 3500.0), "thickness": (1.0, 5000.0)},
)
TABLE.add(
    "geophysics.airy_root",
    "harmonica.isostatic_moho_airy",
    lambda height, crust_density, mantle_density: harmonica.isostatic_moho_airy(
        height, density_crust=crust_density, density_mantle=mantle_density, reference_depth=0.0
    ),
    within=1e-9,
    draws={"height": (100.0, 8000.0), "crust_density": (2500.0, 2900.0), "mantle_density": (3100.0, 3500.0)},
    asked="with a reference depth of 0",
)
