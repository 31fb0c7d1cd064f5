"""Games of two players by Nashpy."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import nashpy
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("nashpy", version("nashpy"))


def solve(payoffs: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Solve a game that is zero for both together; equal payoffs may leave a choice of best strategies."""
    table = np.array(payoffs)
    assert len(np.unique(table)) == table.size
    rows, columns = nashpy.Game(table).linear_program()
    return {"value": float(rows @ table @ columns), "rows": rows.tolist(), "columns": columns.tolist()}


TABLE.add(
    "game_theory.zero_sum_game",
    "nashpy.Game.linear_program",
    solve,
    draws={"m": [2, 4], "n": [2, 4], "payoffs": [-9.0, 9.0]},
    within=1e-8,
    near_zero=1e-10,
)
