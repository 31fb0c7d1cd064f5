"""Coaxial lines of scikit-rf."""

# fmt: off
from __future__ import annotations

import skrf
from oracle import OracleTable
from skrf.media import Coaxial

TABLE = OracleTable("scikit-rf", skrf.__version__)
BAND = skrf.Frequency(1, 1, 1, "GHz")
TABLE.add("electromagnetism.coaxial_capacitance_per_length", "skrf.media.Coaxial.C", lambda relative, inner, outer: Coaxial(BAND, Dint=2 * inner, Dout=2 * outer, epsilon_r=relative).C.real.item(), asked="of the diameters", draws={"relative_permittivity": (1, 9), "inner_radius": (1e-4, 2e-3), "outer_radius": (3e-3, 2e-2)}, within=1e-9)
