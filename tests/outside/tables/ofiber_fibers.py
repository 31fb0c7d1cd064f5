"""Step-index fibers of ofiber."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

import ofiber
from oracle import OracleTable

TABLE = OracleTable("ofiber", version("ofiber"))
TABLE.add("photonics.numerical_aperture", "ofiber.numerical_aperture", lambda core_index, cladding_index: float(ofiber.numerical_aperture(core_index, cladding_index)), draws={"core_index": (1.45, 1.6), "cladding_index": (1.3, 1.44)}, within=1e-12)
TABLE.add("photonics.fiber_v_number", "ofiber.V_parameter", lambda core_radius, aperture, wavelength: float(ofiber.V_parameter(core_radius, aperture, wavelength)), draws={"core_radius": (2e-6, 6e-5), "aperture": (0.05, 0.5), "wavelength": (4e-7, 2e-6)}, within=1e-12)
