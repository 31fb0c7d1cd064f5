"""Moments and magnitudes of earthquakes of Tectonic-Utils."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from Tectonic_Utils.seismo.moment_calculations import moment_from_muad, mw_from_moment

TABLE = OracleTable("Tectonic-Utils", version("Tectonic-Utils"))
TABLE.add("geophysics.seismic_moment", "Tectonic_Utils.seismo.moment_calculations.moment_from_muad", lambda rigidity, area, slip: float(moment_from_muad(rigidity, area, slip)), draws={"rigidity": (1e10, 9e10), "area": (1e4, 1e10), "slip": (0.01, 20)})
TABLE.add("geophysics.moment_magnitude", "Tectonic_Utils.seismo.moment_calculations.mw_from_moment", lambda moment: float(mw_from_moment(moment)), draws={"moment": (1e13, 1e22)}, within=1e-11)
