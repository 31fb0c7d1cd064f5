"""Mean temperature differences of ht, which are logarithmic means."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from ht.core import LMTD
from oracle import OracleTable

TABLE = OracleTable("ht", version("ht"))
TABLE.add("elementary.logarithmic_mean", "ht.core.LMTD", lambda a, b: LMTD(300 + a, 300 + b, 300, 300, counterflow=False), draws={"a": (0.5, 90), "b": (0.5, 90)}, within=1e-9, asked="of these differences, parallel flow")
