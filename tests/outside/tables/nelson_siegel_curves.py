"""Curves of interest rates of nelson_siegel_svensson."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from nelson_siegel_svensson import NelsonSiegelCurve, NelsonSiegelSvenssonCurve
from oracle import OracleTable

TABLE = OracleTable("nelson-siegel-svensson", version("nelson-siegel-svensson"))
DRAWS = {"time": (0.2, 30), "level": (0.01, 0.06), "slope": (-0.03, 0.03), "hump": (-0.03, 0.03), "decay": (0.5, 4), "second_hump": (-0.03, 0.03), "second_decay": (4, 12)}
TABLE.add("bonds.nelson_siegel_yield", "nelson_siegel_svensson.NelsonSiegelCurve.zero", lambda time, level, slope, hump, decay: float(NelsonSiegelCurve(level, slope, hump, decay).zero(time)), draws=DRAWS, within=1e-12)
TABLE.add("bonds.nelson_siegel_forward", "nelson_siegel_svensson.NelsonSiegelCurve.forward", lambda time, level, slope, hump, decay: float(NelsonSiegelCurve(level, slope, hump, decay).forward(time)), draws=DRAWS, within=1e-12)
TABLE.add("bonds.svensson_yield", "nelson_siegel_svensson.NelsonSiegelSvenssonCurve.zero", lambda time, level, slope, hump, decay, second_hump, second_decay: float(NelsonSiegelSvenssonCurve(level, slope, hump, second_hump, decay, second_decay).zero(time)), draws=DRAWS, within=1e-12)
