"""Games, chains and decisions of QuantEcon."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

import numpy as np
import quantecon as qe
from oracle import OracleTable
from quantecon import game_theory as games
from quantecon.markov import MarkovChain

TABLE = OracleTable("quantecon", version("quantecon"))


def _play(first: list[list[float]], second: list[list[float]]) -> games.NormalFormGame:
    return games.NormalFormGame((games.Player(np.array(first)), games.Player(np.array(second).T)))


def _row_sums(rows: list[list[float]]) -> list[list[float]]:
    """Make rows that add up to 1, in sixteenths."""
    parts = [[1 + round(abs(each)) % 4 for each in row[:-1]] for row in rows]
    return [[*(part / 16 for part in row), (16 - sum(row)) / 16] for row in parts]


TABLE.add("game_theory.pure_equilibria", "quantecon.game_theory.pure_nash_brute", lambda first, second: sorted([list(map(int, each)) for each in games.pure_nash_brute(_play(first, second))]), draws={"m": (2, 3), "n": (2, 3)})
TABLE.add("game_theory.mixed_equilibrium_2x2", "quantecon.game_theory.support_enumeration", lambda first, second: next({"row": float(row[0]), "column": float(column[0])} for row, column in games.support_enumeration(_play(first, second)) if 1e-9 < row[0] < 1 - 1e-9), draws={"m": (2, 2), "n": (2, 2)}, within=1e-9)
TABLE.add("linalg.stationary_distribution", "quantecon.markov.MarkovChain", lambda transition: MarkovChain(np.array(transition)).stationary_distributions[0], draws={"n": (2, 4)}, prepare=lambda drawn: {"transition": _row_sums(drawn["transition"])}, asked="stationary_distributions", within=1e-11)
TABLE.add("stats.gini", "quantecon.gini_coefficient", lambda values: qe.gini_coefficient(np.array(values)), draws={"values": (0.5, 20), "n": (3, 7)}, within=1e-10, near_zero=1e-14)
