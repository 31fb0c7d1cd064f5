"""Thresholds of PyWavelets."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

import pywt
from oracle import OracleTable

TABLE = OracleTable("pywavelets", version("pywavelets"))
TABLE.add("optimization.soft_threshold", "pywt.threshold", lambda vector, penalty: pywt.threshold(vector, penalty, "soft"), draws={"vector": (-5, 5), "penalty": (0.01, 3)}, within=1e-12, near_zero=1e-13, asked="soft")
