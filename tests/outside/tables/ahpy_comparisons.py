"""Consistency of comparisons in pairs by AHPy."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from itertools import combinations
from typing import Any

import ahpy
from oracle import OracleTable

TABLE = OracleTable("ahpy", version("ahpy"))
SCALE = [1 / 7, 1 / 5, 1 / 4, 1 / 3, 1 / 2, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0]


def pair_up(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make the half below the diagonal the reciprocals of the half above it."""
    table = drawn["comparisons"]
    size = range(min(len(table), len(table[0])))
    return {"comparisons": [[1.0 if a == b else table[a][b] if a < b else 1 / table[b][a] for b in size] for a in size]}


def find_ratio(comparisons: Sequence[Sequence[float]]) -> float:
    """Return the consistency ratio by Saaty's random indexes."""
    pairs = {(f"c{a}", f"c{b}"): comparisons[a][b] for a, b in combinations(range(len(comparisons)), 2)}
    return float(ahpy.Compare("criteria", pairs, precision=12, random_index="saaty").consistency_ratio)


TABLE.add(
    "decision.ahp_consistency_ratio",
    "ahpy.Compare",
    find_ratio,
    draws={"n": [3, 5], "comparisons": SCALE},
    prepare=pair_up,
    within=1e-8,
    near_zero=2e-12,
    asked="consistency_ratio",
)
