"""Indexes of citations by hindex."""

from __future__ import annotations

from importlib.metadata import version

import hindex
from oracle import OracleTable

TABLE = OracleTable("hindex", version("hindex"))
DRAWS = {"n": [1, 25], "citations": [0, 60], "years": [3.0, 30.0]}
for _name in ("h_index", "g_index", "i10_index", "w_index", "e_index"):
    TABLE.add(f"bibliometrics.{_name}", f"hindex.{_name}", getattr(hindex, _name), draws=DRAWS)
TABLE.add(
    "bibliometrics.m_quotient",
    "hindex.normalized_h_index",
    lambda citations, years: hindex.normalized_h_index(citations, years),
    draws=DRAWS,
)
