"""Volumes of balls and sizes of weighted samples of dynesty."""

# fmt: off
from __future__ import annotations

import math
from importlib.metadata import version

import numpy as np
from dynesty.bounding import logvol_prefactor
from dynesty.utils import get_neff_from_logwt
from oracle import OracleTable

TABLE = OracleTable("dynesty", version("dynesty"))
TABLE.add("geometry.n_ball_volume", "dynesty.bounding.logvol_prefactor", lambda dimension, radius: math.exp(logvol_prefactor(dimension)) * radius**dimension, draws={"dimension": (1, 12), "radius": (0.3, 5)}, within=1e-11, asked="as a power of e, times that of the radius")
TABLE.add("experiments.effective_sample_size", "dynesty.utils.get_neff_from_logwt", lambda weights: get_neff_from_logwt(np.log(weights)), draws={"weights": (0.1, 9), "n": (2, 9)}, within=1e-11, asked="of the logarithms")
