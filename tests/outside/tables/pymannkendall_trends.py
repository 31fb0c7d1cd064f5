"""Trend tests of pymannkendall."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pymannkendall
from oracle import OracleTable

TABLE = OracleTable("pymannkendall", version("pymannkendall"))


def _test(series: list[float]) -> dict[str, Any]:
    found = pymannkendall.original_test(series)
    return {"statistic": int(found.s), "z": found.z, "pvalue": found.p}


TABLE.add("time_series.mann_kendall", "pymannkendall.original_test", _test, draws={"n": (6, 12)}, within=1e-9, near_zero=1e-13)
