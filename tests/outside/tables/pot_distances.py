"""Distances of distributions of POT."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

import numpy as np
import ot
from oracle import OracleTable

TABLE = OracleTable("POT", version("POT"))
TABLE.add("information_theory.wasserstein2_normal", "ot.gaussian.bures_wasserstein_distance", lambda mean_first, sd_first, mean_second, sd_second: float(ot.gaussian.bures_wasserstein_distance(np.array([mean_first]), np.array([mean_second]), np.array([[sd_first**2]]), np.array([[sd_second**2]]))), draws={"mean_first": (-5, 5), "mean_second": (-5, 5), "sd_first": (0.2, 4), "sd_second": (0.2, 4)}, within=1e-9)
