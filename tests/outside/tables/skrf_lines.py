"""Coaxial lines of scikit-rf."""

# fmt: off
from __future__ import annotations

import numpy as np
import skrf
from oracle import OracleTable
from skrf.media import Coaxial
from skrf.tlineFunctions import zl_2_Gamma0

TABLE = OracleTable("scikit-rf", skrf.__version__)
BAND = skrf.Frequency(1, 1, 1, "GHz")
TABLE.add("electromagnetism.coaxial_capacitance_per_length", "skrf.media.Coaxial.C", lambda relative, inner, outer: Coaxial(BAND, Dint=2 * inner, Dout=2 * outer, epsilon_r=relative).C.real.item(), asked="of the diameters", draws={"relative_permittivity": (1, 9), "inner_radius": (1e-4, 2e-3), "outer_radius": (3e-3, 2e-2)}, within=1e-9)
TABLE.add("antennas.reflection_coefficient", "skrf.tlineFunctions.zl_2_Gamma0", lambda standing_wave_ratio: float(np.real(zl_2_Gamma0(1.0, standing_wave_ratio)).item()), asked="of a resistance that many times the line's", draws={"standing_wave_ratio": (1.05, 20)}, within=1e-9)
