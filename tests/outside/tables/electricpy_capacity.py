"""Capacity of a channel of electricpy."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

import electricpy
from oracle import OracleTable

TABLE = OracleTable("electricpy", version("electricpy"))
TABLE.add("information_theory.capacity_awgn", "electricpy.shannondata", lambda bandwidth, snr: electricpy.shannondata(bandwidth, snr, 1.0), draws={"bandwidth": (10, 9000), "snr": (0.1, 900)}, within=1e-12, asked="noise of 1")
