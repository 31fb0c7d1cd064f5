"""Chances by strengths of choix."""

# fmt: off
from __future__ import annotations

import math
from importlib.metadata import version

import choix
from oracle import OracleTable

TABLE = OracleTable("choix", version("choix"))
TABLE.add("metrics.bradley_terry_probability", "choix.probabilities", lambda first, second: float(choix.probabilities([0, 1], [math.log(first), math.log(second)])[0]), asked="of logarithms of the strengths", draws={"first": (0.1, 9), "second": (0.1, 9)}, within=1e-12)
